"""What may stand after "If": each phrase sets the flag."""

from __future__ import annotations

import re

from tcg_engine.codes import MANY, Fact, Op, Row, State, Who, Zone
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.grammar import condition
from tcg_engine.compiler.words import Noun, cards, describe, energy_mask, in_play, name_list, type_mask

STATES = {
    "poisoned": State.POISONED,
    "burned": State.BURNED,
    "asleep": State.ASLEEP,
    "confused": State.CONFUSED,
}


def there_is(d: Draft, noun: Noun, low: int = 1, high: int = MANY) -> None:
    """Flag: between low and high Pokémon match."""
    d.noun(Op.COUNT_POKEMON, noun, amount=noun.parameter)
    d.pre(Op.CHECK, amount=low, arg=high)


def fact(d: Draft, number: Fact, low: int = 1, high: int = MANY, **parts: int) -> None:
    """Flag: a number of the game is within bounds."""
    d.pre(Op.COUNT_FACT, arg=number, **parts)
    d.pre(Op.CHECK, amount=low, arg=high)


@condition(
    r"(your opponent's Active Pokémon|this Pokémon|any of your Benched Pokémon) (?:has|have) damage on (?:it|them)"
)
def has_damage(d: Draft, m: re.Match[str]) -> None:
    """Somebody is damaged."""
    noun = in_play(d.tables, m[1].removeprefix("any of "))
    noun.state = State.DAMAGED
    there_is(d, noun)


@condition(r"this Pokémon has no damage on it")
def has_no_damage(d: Draft, m: re.Match[str]) -> None:
    """This Pokémon is undamaged."""
    there_is(d, Noun(Who.SELF, state=State.UNDAMAGED))


@condition(r"your opponent's Active Pokémon is (Poisoned|Burned|Asleep|Confused|affected by a Special Condition)")
def is_afflicted(d: Draft, m: re.Match[str]) -> None:
    """A condition of the opponent's Active."""
    there_is(d, Noun(Who.FOE_ACTIVE, state=STATES.get(m[1].lower(), State.AFFLICTED)))


@condition(r"(?:your opponent's Active Pokémon|the Defending Pokémon) is (?:an? )?(evolved Pokémon)")
def is_evolved(d: Draft, m: re.Match[str]) -> None:
    """The opponent's Active has evolved."""
    there_is(d, Noun(Who.FOE_ACTIVE, state=State.EVOLVED))


@condition(r"(?:your opponent's Active Pokémon|the Defending Pokémon) is (?:an? )?(.+)")
def is_kind(d: Draft, m: re.Match[str]) -> None:
    """What the opponent's Active is."""
    there_is(d, Noun(Who.FOE_ACTIVE, d.tables.filter(**describe(d.tables, m[1]))))


@condition(r"(?:this|your opponent's Active) Pokémon has a Pokémon Tool attached")
def has_tool(d: Draft, m: re.Match[str]) -> None:
    """A Tool is attached."""
    who = Who.FOE_ACTIVE if "opponent" in m[0] else Who.SELF
    there_is(d, Noun(who, state=State.HAS_TOOL))


@condition(r"this Pokémon has (Lucky Mittens) attached")
def has_named_tool(d: Draft, m: re.Match[str]) -> None:
    """A certain Tool is attached."""
    there_is(d, Noun(Who.SELF, state=State.HAS_NAMED_TOOL, parameter=d.tables.name(m[1])))


@condition(r"your opponent's Active Pokémon has an Ability")
def has_ability(d: Draft, m: re.Match[str]) -> None:
    """The opponent's Active has an Ability."""
    there_is(d, Noun(Who.FOE_ACTIVE, state=State.HAS_ABILITY))


@condition(r"this Pokémon has at least (\d) extra (\[[A-Z]\]) Energy attached")
def extra_energy(d: Draft, m: re.Match[str]) -> None:
    """Energy beyond the cost."""
    fact(d, Fact.EXTRA_ENERGY, int(m[1]), types=energy_mask(m[2]))


@condition(r"this Pokémon has any (\[[A-Z]\]) Energy attached")
def any_energy(d: Draft, m: re.Match[str]) -> None:
    """Energy of a type on this Pokémon."""
    there_is(d, Noun(Who.SELF, state=State.HAS_ENERGY, types=energy_mask(m[1])))


@condition(r"(?:this Pokémon has|your Pokémon in play have) (\d) or more different types of Energy attached")
def different_energy(d: Draft, m: re.Match[str]) -> None:
    """Distinct types of energy."""
    d.pre(Op.COUNT_TYPES, who=Who.SELF if m[0].startswith("this") else Who.MY_ALL)
    d.pre(Op.CHECK, amount=int(m[1]), arg=MANY)


@condition(r"you have (\d) or more (\[[A-Z]\]) Energy in play")
def energy_in_play(d: Draft, m: re.Match[str]) -> None:
    """Energy of a type on all own Pokémon."""
    d.pre(Op.COUNT_ENERGY, who=Who.MY_ALL, types=energy_mask(m[2]))
    d.pre(Op.CHECK, amount=int(m[1]), arg=MANY)


@condition(r"the amount of Energy attached to both Active Pokémon is (\d) or more")
def energy_on_both(d: Draft, m: re.Match[str]) -> None:
    """Energy on both Active Pokémon together."""
    d.pre(Op.COUNT_ENERGY, who=Who.BOTH_ACTIVE)
    d.pre(Op.CHECK, amount=int(m[1]), arg=MANY)


@condition(
    r"any of your (\[[A-Z]\] )?Pokémon were Knocked Out by damage from an attack during your opponent's last turn"
)
def lost_to_attack(d: Draft, m: re.Match[str]) -> None:
    """A loss in the opponent's last turn."""
    fact(d, Fact.LOST_TO_ATTACK, types=type_mask(m[1] or "") or 0x3FF)


@condition(r"this Pokémon moved from your Bench to the Active Spot this turn")
def moved_up(d: Draft, m: re.Match[str]) -> None:
    """Came up this turn."""
    there_is(d, Noun(Who.SELF, state=State.MOVED_UP_THIS_TURN))


@condition(r"this Pokémon didn't move from the Bench to the Active Spot this turn")
def not_moved_up(d: Draft, m: re.Match[str]) -> None:
    """Did not come up this turn."""
    there_is(d, Noun(Who.SELF, state=State.NOT_MOVED_UP))


@condition(r"this Pokémon evolved (?:from (.+) )?during this turn")
def evolved_now(d: Draft, m: re.Match[str]) -> None:
    """Evolved this turn."""
    parameter = name_list(d.tables, m[1])[0] if m[1] else 0
    there_is(d, Noun(Who.SELF, state=State.EVOLVED_THIS_TURN, parameter=parameter))


@condition(r"you played a Supporter card from your hand during this turn")
def supporter_played(d: Draft, m: re.Match[str]) -> None:
    """A Supporter this turn."""
    fact(d, Fact.SUPPORTERS_PLAYED)


@condition(r"1 of your Pokémon used (.+) during your last turn")
def attack_used(d: Draft, m: re.Match[str]) -> None:
    """An attack of the own last turn."""
    fact(d, Fact.ATTACK_USED_LAST_TURN, amount=d.tables.name(m[1]))


@condition(r"a Stadium is in play")
def stadium(d: Draft, m: re.Match[str]) -> None:
    """A Stadium is in play."""
    fact(d, Fact.STADIUM_IN_PLAY)


@condition(r"(.+) is on your Bench")
def on_bench(d: Draft, m: re.Match[str]) -> None:
    """A named Pokémon on the own Bench."""
    there_is(d, Noun(Who.MY_BENCH, d.tables.filter(names=name_list(d.tables, m[1]))))


@condition(r"you have any (.+) on your Bench")
def kind_on_bench(d: Draft, m: re.Match[str]) -> None:
    """A kind of Pokémon on the own Bench."""
    there_is(d, Noun(Who.MY_BENCH, d.tables.filter(**describe(d.tables, m[1]))))


@condition(r"you have (another )?(.+) in play")
def have_in_play(d: Draft, m: re.Match[str]) -> None:
    """A Pokémon on the own side."""
    state = State.NOT_SOURCE if m[1] else State.ANY
    there_is(d, Noun(Who.MY_ALL, d.tables.filter(**describe(d.tables, m[2])), state))


@condition(r"your opponent has any (.+) in play")
def foe_has(d: Draft, m: re.Match[str]) -> None:
    """A Pokémon on the other side."""
    there_is(d, Noun(Who.FOE_ALL, d.tables.filter(**describe(d.tables, m[1]))))


@condition(r"(your opponent has|you have) exactly ((?:\d, )+or \d) cards in (?:your|their) hand")
def hand_size(d: Draft, m: re.Match[str]) -> None:
    """Sizes of a hand."""
    d.pre(Op.COUNT_CARDS, arg=Zone.FOE_HAND if "opponent" in m[1] else Zone.MY_HAND)
    d.pre(Op.CHECK_BITS, amount=sum(1 << int(digit) for digit in re.findall(r"\d", m[2])))


@condition(r"you have the same number of cards in your hand as your opponent")
def same_hands(d: Draft, m: re.Match[str]) -> None:
    """Hands of one size."""
    fact(d, Fact.HAND_DIFFERENCE, 100, 100)


@condition(r"your opponent has gotten exactly (\d) points?")
def foe_points(d: Draft, m: re.Match[str]) -> None:
    """The opponent's points."""
    fact(d, Fact.FOE_POINTS, int(m[1]), int(m[1]))


@condition(r"you haven't gotten any points")
def no_points(d: Draft, m: re.Match[str]) -> None:
    """No own points."""
    fact(d, Fact.MY_POINTS, 0, 0)


@condition(r"this Pokémon's remaining HP is (\d+) or less")
def low_hp(d: Draft, m: re.Match[str]) -> None:
    """This Pokémon is nearly Knocked Out."""
    there_is(d, Noun(Who.SELF, state=State.HP_AT_MOST, parameter=int(m[1])))


@condition(r"your opponent's Active Pokémon has (more|less) remaining HP than this Pokémon")
def compare_hp(d: Draft, m: re.Match[str]) -> None:
    """Remaining HP compared."""
    there_is(d, Noun(Who.FOE_ACTIVE, state=State.MORE_HP if m[1] == "more" else State.LESS_HP))


@condition(r"this Pokémon and your opponent's Active Pokémon have 1 or more of the same type of Energy attached")
def shared_energy(d: Draft, m: re.Match[str]) -> None:
    """A type of energy on both."""
    fact(d, Fact.SHARED_ENERGY)


@condition(r"this Pokémon and your opponent's Active Pokémon have the same amount of Energy attached")
def same_energy(d: Draft, m: re.Match[str]) -> None:
    """As much energy on both."""
    fact(d, Fact.ENERGY_DIFFERENCE, 100, 100)


@condition(r"this Pokémon has more Energy attached than your opponent's Active Pokémon")
def more_energy(d: Draft, m: re.Match[str]) -> None:
    """More energy than the opponent's Active."""
    fact(d, Fact.ENERGY_DIFFERENCE, 101)


@condition(r"you have fewer Pokémon in play than your opponent")
def fewer_pokemon(d: Draft, m: re.Match[str]) -> None:
    """Fewer Pokémon in play."""
    fact(d, Fact.POKEMON_DIFFERENCE, 0, 99)


@condition(r"(.+) is in your discard pile")
def in_discard(d: Draft, m: re.Match[str]) -> None:
    """A card in the own discard pile."""
    d.pre(Op.COUNT_CARDS, filter=d.tables.filter(names=name_list(d.tables, m[1])), arg=Zone.MY_DISCARD)
    d.pre(Op.CHECK, amount=1, arg=MANY)


@condition(r"this Pokémon was damaged by an attack during your opponent's last turn while it was in the Active Spot")
def was_hit(d: Draft, m: re.Match[str]) -> None:
    """Damaged last turn."""
    there_is(d, Noun(Who.SELF, state=State.HIT_LAST_TURN))


@condition(r"this is the first time this Pokémon has used an attack after coming into play")
def first_attack(d: Draft, m: re.Match[str]) -> None:
    """The first attack."""
    there_is(d, Noun(Who.SELF, state=State.FIRST_ATTACK))


@condition(r"your opponent's Pokémon is Knocked Out by damage from this attack")
def knocked_out(d: Draft, m: re.Match[str]) -> None:
    """The target went down; only known after the damage."""
    d.after += [Row(Op.COUNT_FACT, arg=Fact.KNOCKED_OUT_TARGET), Row(Op.CHECK, amount=1, arg=MANY)]


@condition(r"that card is an? (.+)")
def milled(d: Draft, m: re.Match[str]) -> None:
    """The card that was just discarded from the deck: the row of the discard looks for it."""
    last = max(i for i, row in enumerate(d.before) if row.op == Op.MILL)
    d.before[last] = d.before[last]._replace(filter=cards(d.tables, m[1]))
