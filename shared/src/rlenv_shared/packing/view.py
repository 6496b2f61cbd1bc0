"""Views: a state's fields by name, each word loaded and each field decoded when it is first asked for."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.packing.allocate import Node, Start, shifted
from rlenv_shared.packing.fields import WORD_BITS, WORD_MASK, Field, Key, bad, bit_word, is_integer, kind
from rlenv_shared.packing.select import select
from rlenv_shared.packing.store import Conditions, Store

_CHECKED: contextvars.ContextVar[bool] = contextvars.ContextVar("checked", default=False)


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """What is traced within checks, when it runs, that traced values fit their fields; constants are always checked."""
    token = _CHECKED.set(True)
    try:
        yield
    finally:
        _CHECKED.reset(token)


class UnknownFieldError(InvalidParamsError, AttributeError):
    """No field, group or record of that name."""


class Part:
    """A group, or one element of a record: its fields are attributes; iteration gives their names.

    Reading a field gives bool, int32, or uint32 for a whole word.  A record gives `Items`.
    """

    __slots__ = ("_spot",)

    def __init__(self, spot: _Spot) -> None:
        object.__setattr__(self, "_spot", spot)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python looks for in any object
            raise AttributeError(name)
        child = self._spot.child(name)
        return child.element().value() if child.node.member.count is None else Items(child)

    def __setattr__(self, name: str, value: Any) -> None:
        self.set(name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._spot.node.children)

    def __dir__(self) -> list[str]:
        return [*self, *(name for name in dir(type(self)) if not name.startswith("_"))]

    def set(self, name: str, value: Any, where: Any = None) -> None:
        """Assign a field.

        ``value`` is an int or bool within the field's range, or an array of the words' shape (or a scalar); bits of a
        traced value beyond the field's width are dropped.  The field stays as it is where the bool array ``where`` is
        False, or a condition under which the view is written.  Raises InvalidParamsError: no such field, or a value of
        another type, shape or range.
        """
        spot = self._spot.child(name).element()
        spot.assign(value, spot.present(where))

    def put(self, name: str, value: Any) -> None:
        """Assign a field whatever the conditions are, under which its value was found."""
        self._spot.child(name).element().assign(value, None)

    def clear(self, name: str | Iterable[str] | None = None, where: Any = None) -> None:
        """Zero the bits of a member (all its elements), several, or everything, a word at a time, where True."""
        if name is None:
            self._spot.clear(where)
            return
        masks: dict[Key, int] = {}
        for child in map(self._spot.child, [name] if isinstance(name, str) else name):
            for spot in [child.element()] if child.node.member.count is None else map(child.element, range(child.size)):
                where = spot.condition(where)
                for key, mask in spot.masks():
                    masks[key] = masks.get(key, 0) | mask
        self._spot.clear_bits(masks, self._spot.present(where))


class Items:
    """A record's elements by int, integer or bool array, or flags; out of range reads the first and writes none."""

    __slots__ = ("_spot",)

    def __init__(self, spot: _Spot) -> None:
        self._spot = spot

    def __len__(self) -> int:
        return self._spot.size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return self._spot.element(index).value()

    def __setitem__(self, index: Any, value: Any) -> None:
        self.set(index, value)

    def set(self, index: Any, value: Any, where: Any = None) -> None:
        """Assign an element that is a field; the rest is as of `Part.set`."""
        spot = self._spot.element(index)
        spot.assign(value, spot.present(where))


class View(Part):
    """A whole state.  Open one in each function that is traced by itself, such as a branch or a loop's body."""

    __slots__ = ()

    def __init__(self, words: Sequence[Any], root: Node, tables: dict[str, slice], conditions: Conditions) -> None:
        keys = [(table, word) for table, part in tables.items() for word in range(part.stop - part.start)]
        store = Store(dict(zip(keys, words, strict=True)), np.shape(words[0]) if words else (), {}, conditions)
        super().__init__(_Spot(store, root, dict.fromkeys(tables, (0, 0)), ""))

    def words(self) -> tuple[Any, ...]:
        """The state with all changes: words that none of them touches are the very objects that were given."""
        store = self._spot.store
        for chosen in store.chosen.values():
            chosen.put_back()
        return tuple(store.words.values())

    def reload(self, words: Sequence[Any], written: Mapping[Key, int] | None = None) -> None:
        """Go on with other words, as a branch returns them; parts of this view that somebody holds go on with them.

        ``written`` says which bits of them may differ (`written` of the view that wrote them), if that is known.
        """
        for key, old, new in zip(self._spot.store.words, self.words(), words, strict=True):
            bits = WORD_MASK if written is None else written.get(key, 0)
            if new is not old and bits:
                self._spot.store.save(key, new, bits)

    def last_write(self, bits: Mapping[Key, int]) -> int:
        """The number of the last write to any of these bits (`Layout.bits_of`), from 1; 0 if there was none."""
        return max(self._spot.store.last_write(key, mask) for key, mask in bits.items())

    def written(self) -> dict[Key, int]:
        """By word: the bits that were written to since the view was opened."""
        self.words()  # with what chosen elements still hold
        return {key: functools.reduce(operator.or_, bits) for key, bits in self._spot.store.written.items()}

    def __copy__(self) -> View:
        """The same words, decoded anew: for a function that is traced by itself."""
        return self.under(Conditions(self._spot.store.conditions.here))

    def under(self, conditions: Conditions) -> View:
        """The same words, decoded anew, and written where these conditions hold."""
        words = self._spot.store.words
        tables = {table: sum(name == table for name, _ in words) for table in self._spot.begin}
        slices = {name: slice(0, count) for name, count in tables.items()}
        return View(self.words(), self._spot.node, slices, conditions)


class _Spot(NamedTuple):
    """A member with where its owner begins, or one element of it with where that begins."""

    store: Store
    node: Node
    begin: dict[str, Start]
    path: str

    @property
    def size(self) -> int:
        return self.node.member.count or 1

    def child(self, name: str) -> _Spot:
        path = f"{self.path}.{name}" if self.path else name
        if name not in self.node.children:
            error = bad("fields", path, f"one of {', '.join(self.node.children)}", "declare it or mend the name")
            raise UnknownFieldError(*error.args)
        return self._replace(node=self.node.children[name], path=path)

    def element(self, index: Any = None) -> _Spot:
        if index is None and self.node.member.count is None:
            return self._replace(begin=shifted(self.node, 0, self.begin))
        if isinstance(index, (int, float)) or index is None:
            if type(index) is not int or not 0 <= index < self.size:
                got = "no index" if index is None else f"index {index}"
                raise bad(self.path, got, f"0..{self.size - 1}, an array, or flags", "mend the index")
            return self._replace(begin=shifted(self.node, index, self.begin), path=f"{self.path}[{index}]")
        path = f"{self.path}[?]"
        begin = dict.fromkeys(shifted(self.node, 0, self.begin), (0, 0))
        return _Spot(self.store.choose(self.node, self.begin, index, path), self.node, begin, path)

    def value(self) -> Any:
        if not isinstance(self.node.member, Field):
            return Part(self)
        _, key, shift = self._place()
        word = self.store.load(key)
        known = self.store.decoded.setdefault(key, {})
        if shift not in known:
            known[shift] = self._bits(), self.node.member.decode(word, shift)
        return known[shift][1]

    def _bits(self) -> int:
        """Those of its word that a field takes."""
        field, _, shift = self._place()
        return WORD_MASK if field.alone or field.width == WORD_BITS else field.mask << shift

    def assign(self, value: Any, where: Any) -> None:
        field, key, shift = self._place()
        code = field.encode(self._fitting(field, value, where), shift, self.store.dtypes[key])
        bits, new = self._bits(), code
        if bits != WORD_MASK or np.shape(code) != self.store.shape:
            known = int(code) & WORD_MASK if isinstance(code, np.generic) else None
            new = self.store.load(key)
            new = new if known == bits else new & bit_word(~bits, code.dtype)
            new = new if known == 0 else new | code
        self.store.save(key, new if where is None else select(where, new, self.store.load(key)), bits)

    def masks(self) -> Iterator[tuple[Key, int]]:
        """The words in which it lies, with its bits of each."""
        for table, (first, shift) in self.begin.items():
            size = self.node.sizes[table]
            for word in range(first, first + size.words):
                yield (table, word), size.mask << shift

    def clear(self, where: Any) -> None:
        self.clear_bits(dict(self.masks()), self.present(where))

    def clear_bits(self, masks: Mapping[Key, int], where: Any) -> None:
        """Set bits of words to zero."""
        for key, mask in masks.items():
            old = self.store.load(key)
            new = old & bit_word(~mask, old.dtype)
            self.store.save(key, new if where is None else select(where, new, old), mask)

    def _place(self) -> tuple[Field, Key, int]:
        if not isinstance(self.node.member, Field):
            raise bad(self.path, "an assignment", "the name of a field", "assign its fields one by one")
        if not self.begin:
            raise bad(self.path, "a view without its table", "a view of that table", "name it when you open the view")
        ((table, (word, shift)),) = self.begin.items()
        return self.node.member, (table, word), shift

    def condition(self, where: Any) -> Any:
        where = np.bool_(where) if isinstance(where, bool) else where
        shapes = (), self.store.shape
        if where is not None and (np.shape(where) not in shapes or not is_integer(where, "b")):
            raise bad(self.path, f"where = {kind(where)}", f"bool of shape () or {shapes[1]}", "pass a comparison")
        return where

    def present(self, where: Any) -> Any:
        """A condition where those hold under which the view is written; None: none."""
        return self.store.conditions.both(self.condition(where))

    def _fitting(self, field: Field, value: Any, where: Any) -> Any:
        """The value, if it belongs into the field."""
        check = functools.partial(_check_range, field, self.path)
        if isinstance(value, int):
            check(value, True)
            return int(value)
        kinds, what = ("b", "bool") if field.dtype == np.bool_ else ("iub", "integers")
        if not is_integer(value, kinds) or np.shape(value) not in ((), self.store.shape):
            raise bad(self.path, kind(value), f"{what} of shape () or {self.store.shape}", "convert or broadcast it")
        if isinstance(value, (np.ndarray, np.generic)):
            check(value, where if isinstance(where, (np.ndarray, np.generic)) else True)
        elif _CHECKED.get():
            import jax

            jax.debug.callback(check, value, True if where is None else where)
        return value


def _check_range(field: Field, path: str, value: Any, where: Any) -> None:
    values, wanted = np.broadcast_arrays(value, where)
    outside = values[wanted & ((values < field.low) | (values > field.high))]
    if outside.size:
        raise bad(path, outside[0], f"{field.low}..{field.high}", "mend the rule or widen the field")
