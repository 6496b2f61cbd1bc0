"""Phrases about energy, and about Pokémon that change places, evolve or leave play."""

from __future__ import annotations

import re

from tcg_engine.codes import DECK_TYPES, ENERGY_KINDS, MANY, Fact, Op, Row, State, When, Who, Zone
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.grammar import effect
from tcg_engine.compiler.words import Noun, describe, energy_mask, in_play, name_list

ALL_TYPES = (1 << DECK_TYPES) - 1
FOES_CHOICE = r"(?:\. \(Your opponent chooses the new Active Pokémon\.\))?"

# --- energy from the Zone --------------------------------------------------------------------------------------


def onto(d: Draft, words: str, need: bool = True) -> Noun:
    """Where energy goes: one that the player picks, or a fixed Pokémon."""
    words = re.sub(r"^(the )(.+ in the Active Spot)$", r"your \2", words)
    if words.startswith("1 of "):
        noun = in_play(d.tables, words.removeprefix("1 of "))
    elif words.startswith(("this ", "it", "that ", "each of ", "your Active ")) or words.endswith("Active Spot"):
        noun = in_play(d.tables, words.removeprefix("each of "))
        if not d.attack and noun.who not in (Who.SELF, Who.CHOSEN) and need:
            d.need(noun)
        return noun
    else:
        noun = Noun(Who.MY_ALL, d.tables.filter(names=name_list(d.tables, words)))
    if not d.attack and need:
        d.need(noun)
    d.choose(noun, late=True)
    return Noun(Who.CHOSEN)


@effect(
    r"take (?:an?|(\d)|an amount of) ((?:\[[A-Z]\](?:, and a |, and |, | and an? | and )?)+) "
    r"Energy (?:from your Energy Zone|from your Energy Zone equal to the number of heads) and "
    r"attach (?:it|them) to (.+?)( in any way you like)?"
)
def attach(d: Draft, m: re.Match[str]) -> None:
    """New energy."""
    types = energy_mask(m[2])
    amount = int(m[1] or 1)
    if m[4]:
        noun = in_play(d.tables, m[3])
        if not d.attack:
            d.need(noun)
        single_types = [1 << kind for kind in range(ENERGY_KINDS) if types >> kind & 1]
        by_heads = "equal to the number of heads" in m[0]
        for number in range(d.flips if by_heads else amount):
            for mask in single_types:
                if by_heads:
                    d.post(Op.CHECK, amount=number + 1, arg=MANY)
                    d.when = When.TRUE
                d.choose(noun, late=True)
                d.post(Op.ATTACH_ZONE, who=Who.CHOSEN, types=mask, amount=1)
                d.when = When.ALWAYS if by_heads else d.when
        return
    target = onto(d, m[3])
    d.post(Op.ATTACH_ZONE, who=target.who, filter=target.filter, types=types, amount=amount)


@effect(r"Take a random Energy from among .+ Energy from your Energy Zone and attach it to (.+)")
def attach_random(d: Draft, m: re.Match[str]) -> None:
    """New energy of a random type."""
    target = onto(d, m[1])
    d.post(Op.ATTACH_ZONE, who=target.who, types=ALL_TYPES, amount=1, arg=1)


@effect(
    r"Choose 2 of (your Benched .+?)\. For each of those Pokémon, take a (\[[A-Z]\]) Energy "
    r"from your Energy Zone and attach it to that Pokémon"
)
def attach_to_two(d: Draft, m: re.Match[str]) -> None:
    """New energy for two."""
    for again in (False, True):
        d.choose(in_play(d.tables, m[1]), late=True, again=again)
        d.post(Op.ATTACH_ZONE, who=Who.CHOSEN, types=energy_mask(m[2]), amount=1)


@effect(
    r"Choose 1 of (your .+?), and flip a coin until you get tails\. For each heads, take a "
    r"(\[[A-Z]\]) Energy from your Energy Zone and attach it to that Pokémon"
)
def attach_by_coins(d: Draft, m: re.Match[str]) -> None:
    """New energy by coins."""
    noun = in_play(d.tables, m[1])
    d.need(noun)
    d.choose(noun)
    d.pre(Op.FLIP_TAILS)
    d.pre(Op.ATTACH_ZONE, who=Who.CHOSEN, types=energy_mask(m[2]), amount=0)


@effect(
    r"Choose 1 of your (.+?)\. (Take|Attach) (\d) (random )?((?:\[[A-Z]\] )?)Energy from your "
    r"(Energy Zone and attach it|discard pile) to that Pokémon(\. Your turn ends)?"
)
def choose_and_attach(d: Draft, m: re.Match[str]) -> None:
    """Energy for one of a kind."""
    noun = in_play(d.tables, f"your {m[1]}")
    types = energy_mask(m[5])
    d.need(noun)
    if m[2] == "Attach":
        d.need_fact(Fact.DISCARD_ENERGY, types=types)
    d.choose(noun)
    d.pre(Op.ATTACH_ZONE if m[2] == "Take" else Op.ATTACH_DISCARD, who=Who.CHOSEN, types=types, amount=int(m[3]))
    if m[7]:
        d.pre(Op.END_TURN)


@effect(r"attach an? (\[[A-Z]\] )?Energy from your discard pile to (.+)")
def attach_discarded(d: Draft, m: re.Match[str]) -> None:
    """Energy of the discard pile."""
    types = energy_mask(m[1] or "")
    d.need_fact(Fact.DISCARD_ENERGY, types=types)
    noun = onto(d, m[2])
    op = Op.ATTACH_DISCARD if m[1] else Op.ATTACH_PICKED  # of one type there is nothing to pick
    d.post(op, who=noun.who, filter=noun.filter, types=types, amount=1)


@effect(r"Attach 3 different types of Energy from your discard pile to your (.+) in any way you like")
def attach_three(d: Draft, m: re.Match[str]) -> None:
    """One energy of each of three types, which the player picks."""
    noun = in_play(d.tables, f"your {m[1]}")
    d.need(noun)
    d.need_fact(Fact.DISCARD_ENERGY)
    for _ in range(3):
        d.choose(noun)
        d.pre(Op.ATTACH_PICKED, who=Who.CHOSEN)


# --- energy that leaves or moves -------------------------------------------------------------------------------


@effect(
    r"discard (?:an?|(\d)|(all)) (random )?((?:\[[A-Z]\](?:, and |, | and an? | and )?)*) "
    r"?Energy (?:from|attached to) (.+)"
)
def discard(d: Draft, m: re.Match[str]) -> None:
    """Energy is discarded; an Ability or a Trainer needs some to be there."""
    types = energy_mask(m[4])
    noun = in_play(d.tables, "both Active Pokémon" if m[5] == "both Active Pokémon" else m[5])
    if not d.attack and noun.who != Who.CHOSEN:
        d.need(Noun(noun.who, noun.filter, State.HAS_ENERGY, types))
    several = bin(types).count("1") > 1
    amount = int(m[1] or 1)
    if m[2]:
        d.noun(Op.DISCARD_ALL, Noun(noun.who, noun.filter, noun.state, types), late=True)
    elif several and m[4]:
        for kind in range(ENERGY_KINDS):
            if types >> kind & 1:
                d.noun(Op.DISCARD_ENERGY, Noun(noun.who, noun.filter, noun.state, 1 << kind), late=True, amount=1)
    elif several and not m[3] and noun.who == Who.SELF:
        d.post(Op.PAY_ENERGY, who=Who.SELF, types=types, amount=amount)
    else:
        d.noun(Op.DISCARD_ENERGY, Noun(noun.who, noun.filter, noun.state, types), late=True, amount=amount)


@effect(r"for each heads, discard an? (random )?(\[[A-Z]\] )?Energy from (.+)")
def discard_by_heads(d: Draft, m: re.Match[str]) -> None:
    """As many as there are heads; own energy at once, since damage may depend on it."""
    noun = in_play(d.tables, m[3])
    noun.types = energy_mask(m[2] or "")
    if not d.attack:
        d.need(Noun(noun.who, state=State.HAS_ENERGY))
    d.noun(Op.DISCARD_ENERGY, noun, late=noun.who != Who.SELF, amount=MANY)


@effect(
    r"Discard (?:a|(\d)) random Energy from among the Energy attached to (all Pokémon \(both "
    r"yours and your opponent's\)|all of your (?:opponent's )?Pokémon(?: that have an "
    r"Ability)?)"
)
def discard_among(d: Draft, m: re.Match[str]) -> None:
    """Random units of many Pokémon."""
    noun = in_play(d.tables, m[2].removeprefix("all of "))
    if not d.attack:
        d.head.append(Row(Op.COUNT_ENERGY, who=noun.who, filter=noun.filter, state=noun.state))
        d.require()
    d.noun(Op.DISCARD_RANDOM_ANY, noun, late=True, amount=int(m[1] or 1))


@effect(
    r"Discard all ((?:\[[A-Z]\](?: and )?)+) Energy from this Pokémon, and this attack does "
    r"(\d+) damage for each Energy you discarded in this way"
)
def discard_for_damage(d: Draft, m: re.Match[str]) -> None:
    """Energy becomes damage."""
    d.pre(Op.DISCARD_ALL, who=Who.SELF, types=energy_mask(m[1]))
    d.pre(Op.BASE_N, amount=int(m[2]))


@effect(
    r"Move (?:(an?|\d)|(all)) (random )?((?:\[[A-Z]\](?:, or |, )?)*) ?(?:of your )?Energy "
    r"(?:in play|from (.+?)) to (.+)"
)
def move(d: Draft, m: re.Match[str]) -> None:
    """Energy changes its Pokémon."""
    types = energy_mask(m[4])
    count = 1 if m[1] in ("a", "an") else int(m[1] or 0)
    words = m[5] or "your Pokémon"
    chosen_giver = words.startswith("1 of ")
    giver = in_play(d.tables, words.removeprefix("1 of ").removeprefix("each of "))
    if giver.who != Who.SELF and giver.state == State.ANY:
        giver.state, giver.types = State.HAS_ENERGY, types
    target = m[6]
    taker = in_play(d.tables, target.removeprefix("1 of "))
    if taker.who == Who.SELF and giver.who == Who.MY_ALL:
        giver.who = Who.MY_OTHERS
    if chosen_giver:
        if not d.attack:
            d.need(giver)
            d.need(taker)
        d.choose(giver, late=True)
        giver = Noun(Who.CHOSEN)
    elif target.startswith("1 of "):
        d.choose(taker, late=True)
        taker = Noun(Who.CHOSEN)
    elif not d.attack and taker.who == Who.MY_ACTIVE and taker.filter:
        d.need(taker)
    if not d.attack and giver.who not in (Who.SELF, Who.CAUSE, Who.CHOSEN) and m[5]:
        d.need(giver)
    if count and not m[3] and bin(types).count("1") > 1:
        d.post(Op.MOVE_ENERGY_FROM, who=giver.who, types=types, arg=taker.who)
        return
    row = {"filter": giver.filter, "types": types, "amount": count or MANY, "arg": taker.who}
    d.post(Op.MOVE_ENERGY, who=giver.who, **row)


@effect(
    r"Choose 1 of your opponent's Benched Pokémon and move a random Energy from it to your opponent's Active Pokémon"
)
def move_theirs(d: Draft, m: re.Match[str]) -> None:
    """The opponent's energy comes to the Active."""
    noun = Noun(Who.FOE_BENCH, state=State.HAS_ENERGY)
    d.need(noun)
    d.choose(noun)
    d.pre(Op.MOVE_ENERGY, who=Who.CHOSEN, amount=1, arg=Who.FOE_ACTIVE)


@effect(r"move any amount of Energy from your Pokémon in play to your other Pokémon in any way you like")
def move_freely(d: Draft, m: re.Match[str]) -> None:
    """Energy goes anywhere."""
    d.post(Op.MOVE_ENERGY_FREELY, amount=20)


@effect(
    r"Change the type of the next Energy that will be generated for your opponent to 1 of the following at random: .+"
)
def change_next(d: Draft, m: re.Match[str]) -> None:
    """The next energy is another one."""
    d.post(Op.CHANGE_NEXT)


@effect(
    r"Change the type of a random Energy attached to your opponent's Active Pokémon to 1 of the following at random: .+"
)
def change_attached(d: Draft, m: re.Match[str]) -> None:
    """An energy is another one."""
    d.post(Op.CHANGE_ATTACHED, who=Who.FOE_ACTIVE)


@effect(
    r"discard the Energy that has been generated in (?:their|your) Energy Zone\. If they do, "
    r"the next Energy is produced"
)
def reroll(d: Draft, m: re.Match[str]) -> None:
    """The current energy is given up for the next."""
    d.need_fact(Fact.CURRENT_ENERGY)
    d.post(Op.REROLL_ENERGY)


# --- places ----------------------------------------------------------------------------------------------------


@effect(r"Switch (this Pokémon|your Active .+?|it) with (?:1 of your (Benched .+)|your Active Pokémon)")
def switch(d: Draft, m: re.Match[str]) -> None:
    """Own Active and Bench; from the Bench, this Pokémon comes up."""
    if not m[2]:
        d.post(Op.SWITCH, who=Who.SELF)
        return
    bench = in_play(d.tables, f"your {m[2]}")
    if not d.attack:
        if m[1].startswith("your Active"):
            d.need(in_play(d.tables, m[1]))
        d.need(bench)
    d.choose(bench, late=True)
    d.post(Op.SWITCH, who=Who.CHOSEN)


@effect(rf"switch out your opponent's Active (.+?) to the Bench{FOES_CHOICE}")
def switch_out(d: Draft, m: re.Match[str]) -> None:
    """The opponent picks who comes up."""
    if not d.attack:
        d.need(in_play(d.tables, f"your opponent's Active {m[1]}"))
        d.need(Noun(Who.FOE_BENCH))
    d.choose(Noun(Who.FOE_BENCH), late=True, by_foe=True)
    d.post(Op.PULL, who=Who.CHOSEN)


@effect(
    r"switch in 1 of (your opponent's Benched .+?) to the Active Spot(?:\. If you do, this "
    r"attack does (\d+) damage to the new Active Pokémon)?"
)
def pull(d: Draft, m: re.Match[str]) -> None:
    """The player picks who comes up, for damage before it."""
    noun = in_play(d.tables, m[1])
    if not d.attack:
        d.need(noun)
    d.choose(noun, late=not m[2])
    (d.pre if m[2] else d.post)(Op.PULL, who=Who.CHOSEN, arg=bool(m[2]))
    if m[2]:
        d.when = When.TRUE
        d.pre(Op.SPREAD, who=Who.CHOSEN, amount=int(m[2]))
        d.when = When.ALWAYS


@effect(r"Put (your (?:.+) in the Active Spot|your opponent's Active Pokémon) into (?:your|their) hand")
def active_to_hand(d: Draft, m: re.Match[str]) -> None:
    """The Active returns to the hand; own ones only if somebody can take the place."""
    noun = in_play(d.tables, m[1])
    if not d.attack:
        d.need(noun)
        d.need(Noun(Who.MY_BENCH))
    d.noun(Op.RETURN_HAND, noun, late=True)


@effect(r"Put 1 of (your .+?)(?: in play)?((?:, except any Pokémon ex,)? ?)into your hand")
def to_hand(d: Draft, m: re.Match[str]) -> None:
    """One returns to the hand."""
    words = m[1] + (", except any Pokémon ex" if "except" in m[2] else "")
    noun = in_play(d.tables, words)
    d.need(noun)
    d.need(Noun(Who.MY_ALL), 2)
    d.choose(noun)
    d.post(Op.RETURN_HAND, who=Who.CHOSEN)


@effect(r"shuffle this Pokémon( and all attached cards)? into your deck")
def to_deck(d: Draft, m: re.Match[str]) -> None:
    """This Pokémon goes into the deck."""
    d.post(Op.RETURN_DECK, who=Who.SELF, arg=bool(m[1]))


@effect(r"Shuffle 1 of (your .+?) in play into your deck")
def one_to_deck(d: Draft, m: re.Match[str]) -> None:
    """One goes into the deck."""
    noun = in_play(d.tables, m[1])
    d.need(noun)
    d.need(Noun(Who.MY_ALL), 2)
    d.choose(noun)
    d.post(Op.RETURN_DECK, who=Who.CHOSEN)


@effect(r"your opponent shuffles their Active Pokémon into their deck")
def foe_to_deck(d: Draft, m: re.Match[str]) -> None:
    """The opponent's Active goes into the deck."""
    d.post(Op.RETURN_DECK, who=Who.FOE_ACTIVE)


@effect(r"discard (your opponent's Active Pokémon|this Pokémon)")
def discard_pokemon(d: Draft, m: re.Match[str]) -> None:
    """A Pokémon is discarded."""
    d.noun(Op.DISCARD_POKEMON, in_play(d.tables, m[1]), late=True)


@effect(r"discard 1 of (your Benched .+)")
def discard_benched(d: Draft, m: re.Match[str]) -> None:
    """One of the Bench is discarded; with nobody there, nothing is done."""
    noun = in_play(d.tables, m[1])
    d.choose(noun)
    d.pre(Op.DISCARD_POKEMON, who=Who.CHOSEN)


@effect(r"You may discard 1 of (your Benched .+)\. If you do, this attack does (\d+) more damage")
def discard_for_more(d: Draft, m: re.Match[str]) -> None:
    """One of the Bench for damage."""
    noun = in_play(d.tables, m[1])
    d.noun(Op.COUNT_POKEMON, noun)
    d.pre(Op.CHECK, amount=1, arg=MANY)
    d.when = When.TRUE
    d.before.append(Row(Op.CHOOSE, When.TRUE, noun.who, noun.filter, noun.state, noun.types, 0, 4))
    d.pre(Op.DISCARD_POKEMON, who=Who.CHOSEN)
    d.pre(Op.BASE_ADD, amount=int(m[2]))
    d.when = When.ALWAYS


@effect(
    r"You may discard any number of (your Benched .+)\. This attack does (\d+) more damage "
    r"for each Benched Pokémon you discarded in this way"
)
def discard_any_for_more(d: Draft, m: re.Match[str]) -> None:
    """Any of the Bench for damage."""
    noun = in_play(d.tables, m[1])
    for _ in range(3):
        d.noun(Op.COUNT_POKEMON, noun)
        d.pre(Op.CHECK, amount=1, arg=MANY)
        d.before.append(Row(Op.CHOOSE, When.TRUE, noun.who, noun.filter, noun.state, noun.types, 0, 4))
        d.before.append(Row(Op.DISCARD_POKEMON, When.TRUE, Who.CHOSEN))
        d.before.append(Row(Op.BASE_ADD, When.TRUE, amount=int(m[2])))


@effect(r"devolve it by putting the highest Stage Evolution card on it into your opponent's hand")
def devolve(d: Draft, m: re.Match[str]) -> None:
    """One stage less."""
    d.post(Op.DEVOLVE, who=Who.FOE_ACTIVE)


# --- evolution by effects --------------------------------------------------------------------------------------


@effect(r"Put a random card from your deck that evolves from this Pokémon onto this Pokémon to evolve it")
def evolve(d: Draft, m: re.Match[str]) -> None:
    """This Pokémon evolves out of the deck."""
    d.post(Op.EVOLVE_FROM_DECK, who=Who.SELF)


@effect(
    r"Choose 1 of your (.+?) in play( with a maximum HP of \d+ or less)?\. Put a random (.+?) "
    r"from your deck that evolves from that Pokémon onto that Pokémon to evolve it(\. You "
    r"can't use this card .+)?"
)
def evolve_chosen(d: Draft, m: re.Match[str]) -> None:
    """One evolves out of the deck; the usual limits hold only if the card says so."""
    noun = in_play(d.tables, f"your {m[1]}{m[2] or ''}")
    if m[4]:
        noun.state = State.CAN_EVOLVE_FROM_DECK
    d.need(noun)
    d.need_cards(Zone.MY_DECK)
    d.choose(noun)
    d.pre(Op.EVOLVE_FROM_DECK, who=Who.CHOSEN, filter=d.tables.filter(**describe(d.tables, m[3])))


@effect(
    r"Choose 1 of your Basic Pokémon in play\. If you have a Stage 2 card in your hand that "
    r"evolves from that Pokémon, .+"
)
def candy(d: Draft, m: re.Match[str]) -> None:
    """A Basic becomes a Stage 2."""
    noun = Noun(Who.MY_ALL, d.tables.filter(stages=1), State.HAS_CANDY_TARGET)
    d.need(noun)
    d.choose(noun)
    d.pre(Op.CANDY)
