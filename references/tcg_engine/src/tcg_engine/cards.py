"""The compiled card table: numbers, ids and effect programs; no card text (RULES.md, section 0; EFFECTS.md)."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass, field, fields
from importlib import resources
from typing import Any, Self

from tcg_engine.codes import CardKind, Modifier, Row, Use
from tcg_engine.errors import DeckError, TableError, explain

SCHEMA = 1


@dataclass(frozen=True)
class Attack:
    """One printed attack.

    Attributes:
        name: id of its name.
        cost: energy by type, 8 counts, then Colorless.
        damage: the printed number.
        per: the number is per unit; the program says of what.
        program: index of its program.
    """

    name: int
    cost: tuple[int, ...]
    damage: int
    per: bool
    program: int


@dataclass(frozen=True)
class Card:
    """One functional card (all its printings play alike).

    Attributes:
        index: its row in the table.
        id: its first printing, for example ``A1-001``.
        name: id of its name.
        kind: a `CardKind`.
        types: mask of its Pokémon types.
        stage: a `Stage`.
        evolves_from: id of the name of the Pokémon it evolves from, or 0.
        hp: hit points.
        weakness: index of the type in ``TYPES``, or -1.
        retreat: Retreat Cost.
        points: what its Knock Out is worth.
        ex: is a Pokémon ex.
        mega: is a Mega Evolution Pokémon ex.
        tags: mask: 1 Ultra Beast, 2 Ancient, 4 Future.
        attacks: its attacks.
        use: how its Ability or its Stadium is used.
        has_ability: has an Ability.
        program: of the Ability, the Trainer card or the Stadium; 0 is none.
        modifiers: indices of its passive rules.
        unsupported: why no deck may hold it, or "".
    """

    index: int
    id: str
    name: int
    kind: CardKind
    types: int
    stage: int
    evolves_from: int
    hp: int
    weakness: int
    retreat: int
    points: int
    ex: bool
    mega: bool
    tags: int
    attacks: tuple[Attack, ...]
    use: Use
    has_ability: bool
    program: int
    modifiers: tuple[int, ...]
    unsupported: str

    @property
    def is_pokemon(self) -> bool:
        """A Pokémon card (a Fossil is one only in play)."""
        return self.kind is CardKind.POKEMON


@dataclass(frozen=True)
class Filter:
    """A static predicate on cards; every part must hold, an empty part always does.

    Attributes:
        kinds: mask of `CardKind`.
        stages: mask of `Stage` (Pokémon only).
        types: mask of Pokémon types; in play the types a Pokémon has now.
        ex: 1 must be, 2 must not be, a Pokémon ex.
        mega: the same for Mega Evolution Pokémon ex.
        tags: mask, one of them.
        names: name ids.
        not_names: name ids it must not have.
        evolves_from: ids of names it must evolve from.
        max_hp: printed HP at most this, or 0.
        min_retreat: Retreat Cost at least this, or 0.
        attack: has an attack of this name id, or 0.
    """

    kinds: int = 0
    stages: int = 0
    types: int = 0
    ex: int = 0
    mega: int = 0
    tags: int = 0
    names: tuple[int, ...] = ()
    not_names: tuple[int, ...] = ()
    evolves_from: tuple[int, ...] = ()
    max_hp: int = 0
    min_retreat: int = 0
    attack: int = 0

    def matches(self, card: Card, types: int | None = None) -> bool:
        """Whether a card matches; ``types`` replaces its printed types."""
        return all(
            (
                not self.kinds or self.kinds >> card.kind & 1,
                not self.stages or (card.hp > 0 and self.stages >> card.stage & 1),
                not self.types or self.types & (card.types if types is None else types),
                not self.ex or card.ex == (self.ex == 1),
                not self.mega or card.mega == (self.mega == 1),
                not self.tags or self.tags & card.tags,
                not self.names or card.name in self.names,
                card.name not in self.not_names,
                not self.evolves_from or card.evolves_from in self.evolves_from,
                not self.max_hp or card.hp <= self.max_hp,
                card.retreat >= self.min_retreat,
                not self.attack or any(attack.name == self.attack for attack in card.attacks),
            )
        )


@dataclass(frozen=True)
class CardTable:
    """Everything that is known of cards.

    Attributes:
        cards: functional cards.
        printings: functional card by printing.
        names: texts of the name ids.
        programs: effect programs.
        modifiers: passive rules.
        filters: predicates on cards; number 0 lets everything pass.
        sha256: of the file.
    """

    cards: tuple[Card, ...]
    printings: dict[str, int]
    names: tuple[str, ...]
    programs: tuple[tuple[Row, ...], ...]
    modifiers: tuple[Modifier, ...]
    filters: tuple[Filter, ...]
    sha256: str = field(default="", compare=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Tables are shared by all copies of a game."""
        return self

    def name(self, card: Card) -> str:
        """The card's name."""
        return self.names[card.name]

    def find(self, printing: str) -> Card:
        """The functional card of a printing.

        Raises:
            DeckError: there is no such printing.
        """
        try:
            return self.cards[self.printings[printing]]
        except KeyError:
            raise DeckError(
                explain("card", got=printing, expected="an id such as A1-001", remedy="look it up in the card table")
            ) from None

    @functools.cache  # noqa: B019 (tables live as long as the process)
    def matching(self, number: int) -> frozenset[int]:
        """Indices of the cards that a filter lets pass by their print."""
        return frozenset(card.index for card in self.cards if self.filters[number].matches(card))

    def __hash__(self) -> int:
        return hash(self.sha256)


@functools.cache
def table() -> CardTable:
    """The table that is shipped with the package.

    Raises:
        TableError: it is damaged or of another schema.
    """
    text = (resources.files("tcg_engine") / "data" / "cards.json").read_text(encoding="utf-8")
    manifest = json.loads((resources.files("tcg_engine") / "data" / "MANIFEST.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    if digest != manifest["sha256"] or manifest["schema"] != SCHEMA:
        raise TableError(
            explain("card table", got=digest, expected=manifest["sha256"], remedy="compile it again (README.md)")
        )
    return load(json.loads(text), digest)


def load(data: dict[str, Any], digest: str = "") -> CardTable:
    """Decode the file form of a table (one list per record, in the order of the fields)."""
    cards = []
    for index, row in enumerate(data["cards"]):
        values = dict(zip(data["card_fields"], row, strict=True))
        values["attacks"] = tuple(Attack(a[0], tuple(a[1]), a[2], bool(a[3]), a[4]) for a in values["attacks"])
        values["modifiers"] = tuple(values["modifiers"])
        values["kind"], values["use"] = CardKind(values["kind"]), Use(values["use"])
        for key in ("ex", "mega", "has_ability"):
            values[key] = bool(values[key])
        cards.append(Card(index=index, **values))
    programs = tuple(tuple(Row(*row) for row in program) for program in data["programs"])
    modifiers = tuple(Modifier(*row) for row in data["modifiers"])
    names = [field.name for field in fields(Filter)]
    filters = tuple(_filter(dict(zip(names, row, strict=True))) for row in data["filters"])
    return CardTable(tuple(cards), data["printings"], tuple(data["names"]), programs, modifiers, filters, digest)


def _filter(values: dict[str, Any]) -> Filter:
    parts: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return Filter(**parts)
