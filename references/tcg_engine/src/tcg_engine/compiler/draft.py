"""A program being written: rows before and after the damage step, and the tests they depend on."""

from __future__ import annotations

from dataclasses import dataclass, field

from tcg_engine.codes import MANY, Modifier, Op, Row, State, When, Who
from tcg_engine.compiler.builder import Tables
from tcg_engine.compiler.words import Noun


@dataclass
class Draft:
    """Rows of one text.

    Attributes:
        tables: where filters and modifiers are stored.
        attack: the text belongs to an attack, so that a damage step stands between the rows.
        before: rows before the damage step (all of them, outside attacks).
        after: rows after it.
        head: rows that decide whether the card or Ability can be used.
        passive: modifiers of the card.
        when: predicate of the rows being added.
        flips: coins of the last flip, for "all of them".
        early: everything belongs before the damage step ("Before doing damage").
    """

    tables: Tables
    attack: bool = False
    name: str = ""
    damage: int = 0
    per: bool = False
    before: list[Row] = field(default_factory=list)
    after: list[Row] = field(default_factory=list)
    head: list[Row] = field(default_factory=list)
    passive: list[Modifier] = field(default_factory=list)
    when: int = When.ALWAYS
    flips: int = 1
    early: bool = False

    def pre(self, op: Op, **parts: int) -> None:
        """Add a row before the damage step."""
        self.before.append(Row(op, when=self.when, **parts))

    def post(self, op: Op, **parts: int) -> None:
        """Add a row after the damage step."""
        rows = self.after if self.attack and not self.early else self.before
        rows.append(Row(op, when=self.when, **parts))

    def noun(self, op: Op, noun: Noun, *, late: bool = False, **parts: int) -> None:
        """Add a row about a set of Pokémon."""
        add = self.post if late else self.pre
        add(op, who=noun.who, filter=noun.filter, state=noun.state, types=noun.types, **parts)

    def need(self, noun: Noun, at_least: int = 1) -> None:
        """The card can be used only if so many Pokémon match."""
        self.head.append(Row(Op.COUNT_POKEMON, 0, noun.who, noun.filter, noun.state, noun.types, noun.parameter))
        self.require(at_least)

    def need_pokemon_with(self, attack: int) -> None:
        """The card can be used only if an own Pokémon has an attack."""
        self.need(Noun(Who.MY_ALL, state=State.HAS_ATTACK, parameter=attack))

    def require(self, low: int = 1, high: int = MANY) -> None:
        """The count before must be within bounds."""
        self.head += [Row(Op.CHECK, amount=low, arg=high), Row(Op.REQUIRE)]

    def need_cards(self, zone: int, filter_number: int = 0, at_least: int = 1) -> None:
        """The card can be used only if a zone has cards."""
        self.head.append(Row(Op.COUNT_CARDS, filter=filter_number, arg=zone))
        self.require(at_least)

    def need_fact(self, fact: int, low: int = 1, high: int = MANY, **parts: int) -> None:
        """The card can be used only if a fact is within bounds."""
        self.head.append(Row(Op.COUNT_FACT, arg=fact, **parts))
        self.require(low, high)

    def choose(self, noun: Noun, *, late: bool = False, by_foe: bool = False, again: bool = False) -> None:
        """A player picks one of a set."""
        arg = (1 if by_foe else 0) | (2 if again else 0)
        self.noun(Op.CHOOSE, noun, late=late, amount=noun.parameter, arg=arg)

    def lasting(self, modifier: Modifier) -> int:
        """Number of a modifier."""
        return self.tables.modifier(modifier)

    def rows(self) -> list[Row]:
        """The program."""
        middle = [Row(Op.HIT)] if self.attack else []
        return [*self.head, *self.before, *middle, *self.after]
