"""A state's layout: made from its declaration once, asked for views, and for all values at once on the host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rlenv_shared.packing.allocate import Node, Place, allocate, places
from rlenv_shared.packing.fields import WORD_BITS, WORD_MASK, Field, Group, Key, bad, check_members, kind
from rlenv_shared.packing.select import select
from rlenv_shared.packing.store import Conditions
from rlenv_shared.packing.view import Items, Part, View

Words = tuple[Any, ...]
"""uint32 arrays of one shape: ``()``, ``[B]`` or a block in a kernel; or int32, from which int32 is read as it is."""
TABLES = {"hot": None, "cold": None}


class Layout:
    """A state of named fields in a flat tuple of uint32 words, table after table.

    ``words[layout.tables["hot"]]`` are the words of a table.

    Args:
        name: of the state, for the report.
        members: what `bits`, `flag`, `word`, `group` and `record` give.
        tables: names in the order of their words, with the most words each may have (None: any); members that name
            none lie in the first.
        max_words: the most words of the state.
        max_bytes: the most bytes of it.

    Raises:
        InvalidParamsError: names or tables that do not fit together, or a state that is larger than it may be.
    """

    def __init__(
        self,
        name: str,
        members: Iterable[Field | Group],
        *,
        tables: Mapping[str, int | None] = TABLES,
        max_words: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        self.name = name
        self.root: Node = allocate(Group(name, check_members(name, members)), tuple(tables))
        self.tables: dict[str, slice] = {}
        self.num_words = 0
        for table, most in tables.items():
            count = self.root.sizes[table].words if table in self.root.sizes else 0
            self.tables[table] = slice(self.num_words, self.num_words + count)
            self.num_words += count
            _check_size(f"{name}, table {table}", count, most, "words")
        _check_size(name, self.num_words, max_words, "words")
        _check_size(name, self.num_words * WORD_BITS // 8, max_bytes, "bytes")

    def view(
        self, words: Sequence[Any], tables: Sequence[str] | None = None, conditions: Conditions | None = None
    ) -> View:
        """Open a view on a state, or on the words of some of its tables; InvalidParamsError: other words or tables.

        What is written to it is written where the ``conditions`` hold that are present then.
        """
        parts = self.tables if tables is None else {table: self._table(table) for table in tables}
        self._check_words(words, sum(part.stop - part.start for part in parts.values()))
        return View(words, self.root, parts, conditions or Conditions())

    def zeros(self, shape: tuple[int, ...] = ()) -> Words:
        """NumPy words of a state in which every field is what zero bits stand for."""
        return tuple(np.zeros(shape, np.uint32) for _ in range(self.num_words))

    def swap(self, words: Sequence[Any], name: str, condition: Any) -> Words:
        """Exchange a record's two elements, at the top and in whole words, where the bool (scalar or array) holds."""
        self._check_words(words, self.num_words)
        node = self.root.children.get(name)
        if node is None or node.member.count != 2 or any(size.bits != WORD_BITS for size in node.sizes.values()):
            raise bad(f"swap of {name}", "no such record", "a record of two in whole words", "declare whole_words=True")
        swapped = list(words)
        for table, ((first, _), (second, _)) in node.starts.items():
            base = self.tables[table].start
            for word in range(base, base + node.sizes[table].words):
                one, other = words[first + word], words[second + word]
                swapped[first + word] = select(condition, other, one)
                swapped[second + word] = select(condition, one, other)
        return tuple(swapped)

    def decode(self, words: Sequence[Any]) -> dict[str, Any]:
        """All values on the host: ints and bools (arrays for a batch) by name, dictionaries for groups, lists."""
        decoded: dict[str, Any] = _decoded(self.view([np.asarray(word) for word in words]))
        return decoded

    def encode(self, values: Mapping[str, Any], shape: tuple[int, ...] = ()) -> Words:
        """The words, uint32 of ``shape``, of what `decode` gives, else zero bits; InvalidParamsError: other values."""
        view = self.view(self.zeros(shape))
        _encode(view, values, "")
        return tuple(np.asarray(word, np.uint32) for word in view.words())

    def places(self) -> list[Place]:
        """Every value with its bits, in the order of declaration."""
        return list(places(self.root))

    def bits_of(self, paths: Iterable[str]) -> dict[Key, int]:
        """Where fields lie, by their paths as `places` gives them: by table and word, the bits that are theirs."""
        found: dict[Key, int] = {}
        places = {place.path: place for place in self.places()}
        for path in paths:
            if path not in places:
                raise bad(f"fields of {self.name}", path, "the path of a field", "mend the name")
            place = places[path]
            key = place.table, place.word
            mask = WORD_MASK if place.field.alone else place.field.mask << place.shift
            found[key] = found.get(key, 0) | mask
        return found

    def _table(self, name: str) -> slice:
        if name not in self.tables:
            raise bad(f"view of {self.name}", f"table {name!r}", f"one of {list(self.tables)}", "mend the name")
        return self.tables[name]

    def _check_words(self, words: Sequence[Any], count: int) -> None:
        if len(words) != count:
            raise bad(f"words of {self.name}", len(words), f"{count} words", "pass the words of all tables asked for")
        for i, word in enumerate(words):
            if getattr(word, "dtype", None) not in (np.uint32, np.int32) or word.shape != words[0].shape:
                expected = f"uint32 or int32 arrays of shape {np.shape(words[0])}"
                raise bad(f"word {i} of {self.name}", kind(word), expected, "mend what made it")


def _decoded(value: Any) -> Any:
    if isinstance(value, Items):
        return [_decoded(one) for one in value]
    if isinstance(value, Part):
        return {name: _decoded(getattr(value, name)) for name in value}
    return value.item() if np.shape(value) == () else value


def _encode(part: Part, values: Mapping[str, Any], path: str) -> None:
    for name, value in values.items():
        there, here = getattr(part, name), f"{path}{name}"
        if isinstance(there, Items):
            if not isinstance(value, (list, tuple)) or len(value) != len(there):
                got = f"{len(value)} elements" if isinstance(value, (list, tuple)) else type(value).__name__
                raise bad(f"values.{here}", got, f"a list of {len(there)}", "give every element")
            for i, one in enumerate(value):
                if isinstance(one, Mapping) and isinstance(there[i], Part):
                    _encode(there[i], one, f"{here}[{i}].")
                else:
                    there[i] = one
        elif isinstance(there, Part) and isinstance(value, Mapping):
            _encode(there, value, f"{here}.")
        else:
            part.set(name, value)


def _check_size(what: str, got: int, most: int | None, unit: str) -> None:
    if most is not None and got > most:
        raise bad(what, f"{got} {unit}", f"at most {most}", "narrow fields, or raise the limit on purpose")
