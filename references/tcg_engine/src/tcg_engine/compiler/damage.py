"""Phrases about damage, coins, healing and Special Conditions."""

from __future__ import annotations

import re

from tcg_engine.codes import ALL_CONDITIONS, MANY, Fact, Op, Row, State, When, Who, Zone
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.grammar import effect, test
from tcg_engine.compiler.words import Noun, cards, condition_mask, energy_mask, in_play

NUMBER = r"(\d+)"

# --- coins -----------------------------------------------------------------------------------------------------


@effect(rf"Flip (a|{NUMBER}) coins?")
def flip(d: Draft, m: re.Match[str]) -> None:
    """Some coins."""
    d.flips = int(m[2] or 1)
    d.pre(Op.FLIP, amount=d.flips)


@effect(r"Flip a coin until you get tails")
def flip_tails(d: Draft, m: re.Match[str]) -> None:
    """Until tails."""
    d.pre(Op.FLIP_TAILS)


@effect(r"Flip a coin for each (.+)")
def flip_each(d: Draft, m: re.Match[str]) -> None:
    """As many coins as there are of something."""
    count(d, m[1])
    d.pre(Op.FLIP_N)


@effect(r"Flip (\d) coins\. This attack does (\d+) damage for each heads\. If (.+), flip (\d) coins instead")
def flip_instead(d: Draft, m: re.Match[str]) -> None:
    """A condition decides on the number of coins."""
    test(d, m[3])
    d.when = When.ALWAYS
    d.pre(Op.SET_COUNT, amount=int(m[1]))
    d.when = When.TRUE
    d.pre(Op.SET_COUNT, amount=int(m[4]))
    d.when = When.ALWAYS
    d.pre(Op.FLIP_N)
    d.pre(Op.BASE_N, amount=int(m[2]))


# --- what is counted -------------------------------------------------------------------------------------------


def count(d: Draft, words: str, late: bool = False) -> None:
    """Let n be the number of something: ``heads``, ``Energy attached to this Pokémon``, ``your Benched Pokémon``."""
    add = d.post if late else d.pre
    counted = re.fullmatch(r"(?:(\[[A-Z]\]) )?Energy attached to (.+)", words)
    facts = {
        "point you have gotten": Fact.MY_POINTS,
        "point your opponent has gotten": Fact.FOE_POINTS,
        "time your Pokémon have been Knocked Out during this game": Fact.LOST_THIS_GAME,
        "Energy in your opponent's Active Pokémon's Retreat Cost": Fact.FOE_RETREAT,
        "Pokémon Tool attached to all of your Pokémon": Fact.TOOLS,
        "card in your opponent's hand": None,
    }
    if words == "heads" or words.endswith("in this way"):
        return  # the register already holds it
    if words in facts:
        fact = facts[words]
        if fact is None:
            add(Op.COUNT_CARDS, arg=Zone.FOE_HAND)
        else:
            add(Op.COUNT_FACT, arg=fact)
    elif counted:
        noun = in_play(d.tables, counted[2].removeprefix("all of "))
        add(Op.COUNT_ENERGY, who=noun.who, filter=noun.filter, types=energy_mask(counted[1] or ""))
    elif words == "type of Energy attached to this Pokémon":
        add(Op.COUNT_TYPES, who=Who.SELF)
    elif match := re.fullmatch(r"time your Pokémon used (.+) during this game", words):
        add(Op.COUNT_FACT, arg=Fact.ATTACK_USED_THIS_GAME, amount=d.tables.name(match[1]))
    elif match := re.fullmatch(r"(.+) in your discard pile", words):
        add(Op.COUNT_CARDS, filter=cards(d.tables, match[1]), arg=Zone.MY_DISCARD)
    elif match := re.fullmatch(r"(.+) in your opponent's deck", words):
        add(Op.COUNT_CARDS, filter=cards(d.tables, match[1]), arg=Zone.FOE_DECK)
    elif match := re.fullmatch(r"(.+) you have in play", words):
        d.noun(Op.COUNT_POKEMON, in_play(d.tables, f"your {match[1]}"), late=late)
    elif match := re.fullmatch(r"(.+) on your Bench", words):
        d.noun(Op.COUNT_POKEMON, in_play(d.tables, f"your Benched {match[1]}"), late=late)
    elif match := re.fullmatch(r"(.+) in play \(both yours and your opponent's\)", words):
        noun = in_play(d.tables, f"your {match[1]}")
        noun.who = Who.EVERYBODY
        d.noun(Op.COUNT_POKEMON, noun, late=late)
    else:
        noun = in_play(d.tables, words.removeprefix("of "))
        d.noun(Op.COUNT_POKEMON, noun, late=late, amount=noun.parameter)


# --- damage to the opponent's Active ---------------------------------------------------------------------------


@effect(rf"this attack does {NUMBER} more damage")
def more(d: Draft, m: re.Match[str]) -> None:
    """A bonus."""
    d.pre(Op.BASE_ADD, amount=int(m[1]))


@effect(rf"this attack does {NUMBER} more damage for each (.+)")
def more_for_each(d: Draft, m: re.Match[str]) -> None:
    """A bonus per unit."""
    count(d, m[2])
    d.pre(Op.BASE_ADD_N, amount=int(m[1]))


@effect(rf"this attack does {NUMBER} damage for each (.+)")
def for_each(d: Draft, m: re.Match[str]) -> None:
    """The damage is per unit."""
    count(d, m[2])
    d.pre(Op.BASE_N, amount=int(m[1]))


@effect(rf"this attack does {NUMBER} damage to your opponent's Active Pokémon")
def plain(d: Draft, m: re.Match[str]) -> None:
    """Damage that a coin decides on."""
    d.pre(Op.BASE_ADD, amount=int(m[1]))


@effect(r"this attack does more damage equal to the damage this Pokémon has on it")
def more_own_damage(d: Draft, m: re.Match[str]) -> None:
    """Own damage is added."""
    d.pre(Op.COUNT_FACT, arg=Fact.SELF_DAMAGE)
    d.pre(Op.BASE_ADD_N, amount=10)


@effect(
    r"this attack does damage to your opponent's Active Pokémon equal to (the damage this "
    r"Pokémon has on it|this Pokémon's remaining HP)"
)
def equal_to(d: Draft, m: re.Match[str]) -> None:
    """Own damage or HP is the damage."""
    d.pre(Op.COUNT_FACT, arg=Fact.SELF_DAMAGE if "the damage" in m[1] else Fact.SELF_HP)
    d.pre(Op.BASE_N, amount=10)


@effect(r"this attack's damage is reduced by the amount of damage this Pokémon has on it")
def less_own_damage(d: Draft, m: re.Match[str]) -> None:
    """Own damage is subtracted."""
    d.pre(Op.COUNT_FACT, arg=Fact.SELF_DAMAGE)
    d.pre(Op.BASE_ADD_N, amount=-10)


@effect(r"this attack does nothing")
def nothing(d: Draft, m: re.Match[str]) -> None:
    """No damage and no effects."""
    d.pre(Op.STOP)


@effect(
    r"This attack's damage isn't affected by (Weakness or by any effects|Weakness|any "
    r"effects)(?: on your opponent's Active Pokémon)?"
)
def ignore(d: Draft, m: re.Match[str]) -> None:
    """Some steps of the damage are left out."""
    d.pre(Op.IGNORE, arg=("Weakness" in m[1]) | 2 * ("effects" in m[1]))


@effect(rf"This attack is used twice in a row\. The second attack does {NUMBER} damage\. \(.+\)")
def twice(d: Draft, m: re.Match[str]) -> None:
    """A second use."""
    d.post(Op.AGAIN, amount=int(m[1]))


# --- damage to others ------------------------------------------------------------------------------------------


@effect(rf"this attack (?:also )?does {NUMBER} damage to (?:(1|2) of )(.+)")
def to_chosen(d: Draft, m: re.Match[str]) -> None:
    """Damage to Pokémon the player picks."""
    per_energy = m[3].endswith(" for each Energy attached to that Pokémon")
    noun = in_play(d.tables, m[3].removesuffix(" for each Energy attached to that Pokémon"))
    for number in range(int(m[2])):
        d.choose(noun, again=number > 0)
        d.pre(Op.SPREAD_ENERGY if per_energy else Op.SPREAD, who=Who.CHOSEN, amount=int(m[1]))


@effect(rf"this attack (?:also )?does {NUMBER} damage (for each heads )?to each of (.+)")
def to_each(d: Draft, m: re.Match[str]) -> None:
    """Damage to all of a set."""
    noun = in_play(d.tables, m[3])
    d.noun(Op.SPREAD_N if m[2] else Op.SPREAD, noun, amount=int(m[1]))


@effect(rf"this Pokémon also does {NUMBER} damage to itself(?: and {NUMBER} damage to all Benched Pokémon \(.+\))?")
def to_itself(d: Draft, m: re.Match[str]) -> None:
    """Recoil; after a Knock Out that was tested for, it comes after the damage."""
    if any(row.op == Op.COUNT_FACT and row.arg == Fact.KNOCKED_OUT_TARGET for row in d.after):
        d.post(Op.DAMAGE, who=Who.SELF, amount=int(m[1]))
        return
    d.pre(Op.SPREAD, who=Who.SELF, amount=int(m[1]))
    if m[2]:
        d.pre(Op.SPREAD, who=Who.BOTH_BENCH, amount=int(m[2]))


RANDOM = (
    r"1 (?:of your opponent's (Benched )?Pokémon|other Pokémon \(either yours or your opponent's\)) is chosen at random"
)


@effect(
    rf"{RANDOM}(?: (\d) times?| for each \[([A-Z])\] Energy attached to this Pokémon)?\. "
    rf"(?:For each time a Pokémon was chosen, (?:also )?do {NUMBER} damage to it|(?:Do|This "
    rf"attack also does) {NUMBER} damage to (?:it|the chosen Pokémon))"
)
def at_random(d: Draft, m: re.Match[str]) -> None:
    """Random targets, each time anew."""
    if m[3]:
        d.pre(Op.COUNT_ENERGY, who=Who.SELF, types=energy_mask(f"[{m[3]}]"))
    else:
        d.pre(Op.SET_COUNT, amount=int(m[2] or 1))
    who = Who.ALL_OTHERS if m[0].startswith("1 other") else Who.FOE_BENCH if m[1] else Who.FOE_ALL
    d.pre(Op.RANDOM_SPREAD, who=who, amount=int(m[4] or m[5]))


@effect(rf"do {NUMBER} damage to ((?:1 of |each of )?.+)")
def do_damage(d: Draft, m: re.Match[str]) -> None:
    """Damage that no attack does."""
    if m[2].startswith("1 of "):
        noun = in_play(d.tables, m[2].removeprefix("1 of "))
        d.choose(noun, late=True)
        noun = Noun(Who.CHOSEN)
    else:
        noun = in_play(d.tables, m[2].removeprefix("each of "))
    d.noun(Op.DAMAGE, noun, late=True, amount=int(m[1]))


# --- HP --------------------------------------------------------------------------------------------------------


@effect(r"Halve your opponent's Active Pokémon's remaining HP, rounded down")
def halve(d: Draft, m: re.Match[str]) -> None:
    """Half the remaining HP."""
    d.post(Op.HALVE_HP, who=Who.FOE_ACTIVE)


@effect(rf"your opponent's Active Pokémon's remaining HP is now {NUMBER}")
def hp_is_now(d: Draft, m: re.Match[str]) -> None:
    """A fixed remaining HP."""
    d.post(Op.SET_HP, who=Who.FOE_ACTIVE, amount=int(m[1]))


@effect(
    r"(?:Knock Out (your opponent's Active Pokémon|the Attacking Pokémon)|(your opponent's "
    r"Active Pokémon|the Attacking Pokémon) is Knocked Out)"
)
def knock_out(d: Draft, m: re.Match[str]) -> None:
    """Knocked Out by an effect."""
    d.noun(Op.KNOCK_OUT, in_play(d.tables, m[1] or m[2]), late=True)


@effect(
    rf"heal ({NUMBER}|all) damage from (1 of |each of )?(.+?)(?:, and it recovers from (all "
    rf"Special Conditions|being .+))?"
)
def heal(d: Draft, m: re.Match[str]) -> None:
    """Healing, of one the player picks or of all of a set."""
    noun = in_play(d.tables, m[4])
    if m[3] == "1 of ":
        cares = State.NEEDS_CARE if (m[5] or "").startswith("all") else State.HURT_OR_STUNNED
        noun = Noun(noun.who, noun.filter, cares) if m[5] else damaged(noun)
        d.choose(noun, late=True)
        if not d.attack:
            d.need(noun)
        noun = Noun(Who.CHOSEN)
    elif not d.attack and noun.who != Who.CHOSEN and noun.state in (State.ANY, State.HAS_ENERGY):
        d.need(damaged(noun))
    if m[5]:
        mask = ALL_CONDITIONS if m[5].startswith("all") else condition_mask(m[5])
        d.noun(Op.CURE, noun, late=True, arg=mask)
    amount = {"amount": int(m[2])} if m[2] else {}
    d.noun(Op.HEAL if m[2] else Op.HEAL_ALL, noun, late=True, **amount)


def damaged(noun: Noun) -> Noun:
    """The damaged ones among a set."""
    state = {State.ANY: State.DAMAGED, State.HAS_ENERGY: State.DAMAGED_WITH_ENERGY}.get(State(noun.state), noun.state)
    return Noun(noun.who, noun.filter, state, noun.types, noun.parameter)


@effect(r"Heal from this Pokémon the same amount of damage you did to your opponent's Active Pokémon")
def drain(d: Draft, m: re.Match[str]) -> None:
    """Healing by the damage done."""
    d.post(Op.HEAL_DEALT, who=Who.SELF)


# --- Special Conditions ----------------------------------------------------------------------------------------


@effect(
    r"(your opponent's Active Pokémon|this Pokémon|both Active Pokémon|the Attacking "
    r"Pokémon|it) (?:is|are) now ((?:Poisoned|Burned|Asleep|Confused|Paralyzed)(?: and "
    r"(?:Poisoned|Burned|Asleep|Confused|Paralyzed))?)"
)
def afflict(d: Draft, m: re.Match[str]) -> None:
    """New Special Conditions."""
    d.noun(Op.AFFLICT, in_play(d.tables, m[1]), late=True, arg=condition_mask(m[2]))


@effect(r"make your opponent's Active Pokémon (Poisoned|Burned|Asleep|Confused|Paralyzed)")
def make(d: Draft, m: re.Match[str]) -> None:
    """A new Special Condition by an Ability."""
    d.post(Op.AFFLICT, who=Who.FOE_ACTIVE, arg=condition_mask(m[1]))


@effect(
    rf"Your opponent's Active Pokémon is now Poisoned\. Do {NUMBER} damage to this Pokémon "
    rf"instead of the usual amount for this Special Condition"
)
def strong_poison(d: Draft, m: re.Match[str]) -> None:
    """Poison that does more."""
    d.post(Op.AFFLICT, who=Who.FOE_ACTIVE, arg=1, amount=int(m[1]))


@effect(
    r"Choose either Poisoned or Confused\. Your opponent's Active Pokémon is now affected by that Special Condition"
)
def either(d: Draft, m: re.Match[str]) -> None:
    """One of two conditions."""
    d.post(Op.CHOOSE_OPTION)
    d.when = When.TRUE
    d.post(Op.AFFLICT, who=Who.FOE_ACTIVE, arg=1)
    d.when = When.FALSE
    d.post(Op.AFFLICT, who=Who.FOE_ACTIVE, arg=condition_mask("Confused"))
    d.when = When.ALWAYS


@effect(
    r"1 Special Condition from among (.+) is chosen at random, and your opponent's Active "
    r"Pokémon is now affected by that Special Condition(?:\. Any Special Conditions already "
    r"affecting that Pokémon will not be chosen)?"
)
def random_condition(d: Draft, m: re.Match[str]) -> None:
    """A random condition."""
    d.post(Op.AFFLICT_RANDOM, who=Who.FOE_ACTIVE, arg=condition_mask(m[1]))


@effect(r"This Pokémon recovers from all Special Conditions")
def recover(d: Draft, m: re.Match[str]) -> None:
    """Cured."""
    d.post(Op.CURE, who=Who.SELF, arg=ALL_CONDITIONS)


@effect(r"remove a random Special Condition from (your Active Pokémon)")
def cure_random(d: Draft, m: re.Match[str]) -> None:
    """One condition less."""
    d.need(Noun(Who.MY_ACTIVE, state=State.AFFLICTED))
    d.post(Op.CURE_RANDOM, who=Who.MY_ACTIVE)


@effect(rf"Heal {NUMBER} damage and remove a random Special Condition from your Active Pokémon")
def heal_and_cure(d: Draft, m: re.Match[str]) -> None:
    """Both; either is enough to play it, which only the player can see to: it needs damage or a condition."""
    d.head += _damaged_or_afflicted()
    d.post(Op.HEAL, who=Who.MY_ACTIVE, amount=int(m[1]))
    d.post(Op.CURE_RANDOM, who=Who.MY_ACTIVE)


def _damaged_or_afflicted() -> list[Row]:
    return [
        Row(Op.COUNT_POKEMON, who=Who.MY_ACTIVE, state=State.DAMAGED),
        Row(Op.CHECK, amount=1, arg=MANY),
        Row(Op.COUNT_POKEMON, when=When.FALSE, who=Who.MY_ACTIVE, state=State.AFFLICTED),
        Row(Op.CHECK, when=When.FALSE, amount=1, arg=MANY),
        Row(Op.REQUIRE),
    ]
