"""Handlers of effects by event: which rule an ability or an item brings, and in which order they are carried out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

from pokejax.battle import Battle, any_of

Rule = Callable[..., None]
LAST: Final = 1000
"""The order of handlers to which Showdown gives none."""


@dataclasses.dataclass(frozen=True)
class Handler:
    """A rule that belongs to some effects and to one event.

    Attributes:
        event: as Showdown calls it, "onStart".
        kind: "ability" or "item".
        fields: of its row (`rows`), of which one at least has to hold: an effect's own name, or what a family has.
        order: in the event, the lowest first; Showdown's ``on…Order``.
        rule: ``(battle, number of the side whose effect it is, more)``.
    """

    event: str
    kind: str
    fields: tuple[str, ...]
    order: int
    rule: Rule


HANDLERS: Final[list[Handler]] = []
"""All of them, in the order in which they are written."""


def on(event: str) -> Callable[..., Callable[[Rule], Rule]]:
    """A decorator for the rules of an event: ``@on_start(ability="intimidate")``."""

    def of(*, ability: str | tuple[str, ...] = (), item: str | tuple[str, ...] = (), order: int = LAST) -> Any:
        def register(rule: Rule) -> Rule:
            for kind, names in (("ability", ability), ("item", item)):
                if names:
                    fields = (names,) if isinstance(names, str) else names
                    HANDLERS.append(Handler(event, kind, fields, order, rule))
            return rule

        return register

    return of


def run(event: str, b: Battle, number: int, *more: Any, orders: range = range(LAST + 1)) -> None:
    """Carry out what the ability and the item of a side's active Pokémon bring to an event, as far as these orders."""
    handlers = [handler for handler in HANDLERS if handler.event == event and handler.order in orders]
    for handler in sorted(handlers, key=lambda handler: handler.order):
        effect = b.ability(number) if handler.kind == "ability" else b.item(number)
        with b.when(any_of(getattr(effect, field) != 0 for field in handler.fields)):
            handler.rule(b, number, *more)
