"""Showdown's serialised battles (``Battle.toJSON()``): references, teams, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pokejax.state import TEAM
from rlenv_shared.errors import InvalidParamsError, explain

FORMAT: Final = "gen9randombattle"
POSITIONS: Final = "abcdef"
TRAPPED_BY_RULES: Final = "sleepclausemod"
"""A rule that Showdown keeps among the conditions of the field."""
GIVE: Final = "give what Showdown's Battle.toJSON() gives at a decision"


def refused(what: str, got: object, expected: str, remedy: str = GIVE) -> InvalidParamsError:
    """The error for a document that cannot be brought over."""
    return InvalidParamsError(
        explain(f"Showdown's battle: {what}", got=f"{got!r:.120}", expected=expected, remedy=remedy)
    )


class Document:
    """A part of a document; what is asked for and missing, or of another kind, is refused with its path.

    Args:
        value: a JSON object.
        path: where it stands.
    """

    def __init__(self, value: Any, path: str = "") -> None:
        if not isinstance(value, Mapping):
            raise refused(path or "document", value, "a JSON object")
        self.value, self.path = value, path

    def __contains__(self, key: str) -> bool:
        return self.value.get(key) is not None

    def __iter__(self) -> Any:
        return iter(self.value)

    def get(self, key: str, kind: type | tuple[type, ...], otherwise: Any = None) -> Any:
        """A value of a kind; ``otherwise`` where there is none, unless that is None."""
        found = self.value.get(key)
        if found is None and otherwise is not None:
            return otherwise
        if not isinstance(found, kind) or (isinstance(found, bool) and kind in (int, (int, float))):
            name = kind.__name__ if isinstance(kind, type) else " or ".join(one.__name__ for one in kind)
            raise refused(f"{self.path}{key}", found, f"a value of type {name}")
        return found

    def text(self, key: str) -> str:
        """A text; empty where there is none."""
        found: str = self.get(key, str, "")
        return found

    def number(self, key: str, otherwise: int | None = None) -> int:
        """An integer."""
        found: int = self.get(key, int, otherwise)
        return found

    def true(self, key: str) -> bool:
        """Whether a value is there and holds, as JavaScript takes it."""
        return bool(self.value.get(key))

    def part(self, key: str) -> Document:
        """An object within; an empty one where there is none."""
        return Document(self.value.get(key) or {}, f"{self.path}{key}.")

    def parts(self, key: str) -> list[Document]:
        """A list of objects."""
        return [Document(one, f"{self.path}{key}[{n}].") for n, one in enumerate(self.get(key, list))]


def loaded(document: str | bytes | Mapping[str, Any]) -> Document:
    """A document as text or as an object, of the format that is played here.

    Raises:
        InvalidParamsError: no JSON object, or a battle of another format.
    """
    if isinstance(document, (str, bytes)):
        try:
            document = json.loads(document)
        except (ValueError, RecursionError) as error:
            raise refused("document", str(error), "JSON") from None
    found = Document(document)
    if found.text("formatid") != FORMAT:
        raise refused("formatid", found.value.get("formatid"), FORMAT, "only battles of this format are played")
    return found


def order_of(side: Document) -> list[int]:
    """Members of the original team in their present order, from ``team``: the place of each."""
    text, count = side.text("team"), len(side.get("pokemon", list))
    places = [int(one) - 1 if one.isdigit() else -1 for one in (text.split(",") if "," in text else text)]
    if not 1 <= count <= TEAM or sorted(places) != list(range(count)):
        raise refused(f"{side.path}team", text, "the place of each of one to six Pokémon")
    return [places.index(place) for place in range(count)]


def pokemon_of(reference: Any, orders: Sequence[Sequence[int]]) -> tuple[int, int] | None:
    """Side and member of a reference such as ``[Pokemon:p1a]``; None where it names none."""
    if (
        not isinstance(reference, str)
        or not reference.startswith("[Pokemon:p")
        or len(reference) != len("[Pokemon:p1a]")
    ):
        return None
    side, place = int(reference[10] == "2"), POSITIONS.find(reference[11])
    return (side, orders[side][place]) if 0 <= place < len(orders[side]) else None


def id_of(reference: Any) -> str:
    """The id of a move, a species or an effect: ``[Move:tackle]``, or an active move that refers to one."""
    if isinstance(reference, Mapping):
        reference = reference.get("move", reference.get("id", ""))
    if not isinstance(reference, str):
        return ""
    return reference.rstrip("]").partition(":")[2] if reference.startswith("[") else reference
