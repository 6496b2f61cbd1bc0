"""Effects that lie on a Pokémon, of which the reference has a list: in the rows that ours has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tcgjax.layout import FOREVER


def shared_rows(effects: Iterable[tuple[int, int, int, Any, Any]]) -> list[tuple[int, int, int, Any, Any]]:
    """Effects as ``(modifier, first turn, last turn, owner, attack)``, in order.

    Those that last while their Pokémon is Active have `FOREVER` as their last turn; further ones that differ in nothing
    but their first turn add one to it (`board.lay_effects`).
    """
    found: list[tuple[int, int, int, Any, Any]] = []
    held: dict[tuple[int, Any, Any], int] = {}
    for modifier, start, end, owner, attack in effects:
        number = held.get((modifier, owner, attack)) if end >= FOREVER else None
        if number is None:
            if end >= FOREVER:
                held[modifier, owner, attack], end = len(found), FOREVER
            found.append((modifier, start, end, owner, attack))
        else:
            found[number] = (*found[number][:2], found[number][2] + 1, *found[number][3:])
    return found
