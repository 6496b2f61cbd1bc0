"""Views: a state's fields by name, each word loaded and each field decoded when it is first asked for.

What a view remembers is kept per store: the state's own words, and for every element chosen by an array the words of
that element, which are picked when they are read and put back when somebody else needs them or the view is done.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.packing.allocate import Node, Start, shifted
from rlenv_shared.packing.fields import WORD_BITS, WORD_MASK, Field, bad
from rlenv_shared.packing.select import one_hot, select

Key = tuple[str, int]
"""Table and word."""

_CHECKED: contextvars.ContextVar[bool] = contextvars.ContextVar("checked", default=False)


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """Within it, views that are traced check on the host, at run time, that every value fits its field.

    Values that are there already (constants, NumPy arrays) are always checked.  Code that was traced before stays as
    it is.  A value that does not fit ends the program with an error that names the field.
    """
    token = _CHECKED.set(True)
    try:
        yield
    finally:
        _CHECKED.reset(token)


class _Store:
    """Words by table, counted from the beginning of a state or of a chosen element."""

    def __init__(self, shape: tuple[int, ...], flags: dict[tuple[int, int], tuple[Any, tuple[Any, ...]]]) -> None:
        self.now: dict[Key, Any] = {}
        self.decoded: dict[Key, dict[int, Any]] = {}  # by the bit at which a field begins
        self.chosen: dict[tuple[int, tuple[tuple[str, Start], ...], int], _Chosen] = {}
        self.flags = flags  # of an index (kept, so that its id stays its own) and a size
        self.shape = shape

    def load(self, key: Key) -> Any:
        for other in self.chosen.values():
            other.give_back(key)
        return self.now[key]

    def save(self, key: Key, word: Any, by: _Chosen | None = None) -> None:
        """Replace a word; whoever else holds a part of it puts that back before and reads it again afterwards."""
        self.settle(key, by)
        self.now[key] = word
        self.decoded.pop(key, None)

    def settle(self, key: Key, by: _Chosen | None) -> None:
        for other in self.chosen.values():
            if other is not by:
                other.give_back(key)
                other.forget(key)

    def choose(self, node: Node, begin: dict[str, Start], index: Any, path: str) -> _Chosen:
        known = (id(node), tuple(begin.items()), id(index))
        if known not in self.chosen:
            self.chosen[known] = _Chosen(self, node, begin, self._flags_of(index, node.member.count or 1, path))
        return self.chosen[known]

    def _flags_of(self, index: Any, size: int, path: str) -> tuple[Any, ...]:
        if isinstance(index, Sequence):
            if len(index) != size:
                raise bad(path, f"{len(index)} flags", f"{size} flags", f"use one_hot(index, {size})")
            self.flags[id(index), size] = index, tuple(index)
        elif (id(index), size) not in self.flags:
            kind = np.dtype(getattr(index, "dtype", object)).kind
            if kind not in "iub":
                raise bad(
                    path, f"an index of {type(index).__name__}", "an int, an integer array, or flags", "convert it"
                )
            as_int32 = index if index.dtype == np.int32 else index.astype(np.int32)
            self.flags[id(index), size] = index, one_hot(as_int32, size)
        return self.flags[id(index), size][1]


class _State(_Store):
    """All words of a view."""

    def __init__(self, words: Sequence[Any], tables: dict[str, slice]) -> None:
        super().__init__(np.shape(words[0]) if words else (), {})
        keys = [(table, i) for table, part in tables.items() for i in range(part.stop - part.start)]
        self.now = dict(zip(keys, words, strict=True))


class _Chosen(_Store):
    """The element of a record at an index that is an array: the first one is read, and none written, if it is out."""

    def __init__(self, owner: _Store, node: Node, begin: dict[str, Start], hot: tuple[Any, ...]) -> None:
        super().__init__(owner.shape, owner.flags)
        self.owner, self.hot, self.sizes = owner, hot, node.sizes
        self.starts = [shifted(node, i, begin) for i in range(len(hot))]
        self.changed: set[Key] = set()
        self.keys = [(table, word) for table in self.starts[0] for word in range(node.sizes[table].words)]
        self.parts: dict[Key, dict[Key, None]] = {}  # own words (an ordered set) by the owner's word they lie in
        for key in self.keys:
            for above, _ in self._above(key):
                self.parts.setdefault(above, {})[key] = None

    def _above(self, key: Key) -> list[tuple[Key, int]]:
        """The owner's word and the bit at which a word of each element lies."""
        table, word = key
        return [((table, start[table][0] + word), start[table][1]) for start in self.starts]

    def load(self, key: Key) -> Any:
        if key not in self.now:
            word = None
            for is_here, (above, shift) in zip(self.hot, self._above(key), strict=True):
                part = self.owner.load(above)
                part = part >> np.uint32(shift) if shift else part
                word = part if word is None else select(is_here, part, word)
            self.now[key] = word
        return super().load(key)

    def save(self, key: Key, word: Any, by: _Chosen | None = None) -> None:
        super().save(key, word, by)
        self.changed.add(key)

    def settle(self, key: Key, by: _Chosen | None) -> None:
        super().settle(key, by)
        for above in dict.fromkeys(above for above, _ in self._above(key)):
            self.owner.settle(above, self)

    def give_back(self, above: Key | None = None) -> None:
        """Put what changed (in one word of the owner's) back into the owner's words."""
        for key in self.keys if above is None else self.parts.get(above, ()):
            for other in self.chosen.values():
                other.give_back(key)
            if key not in self.changed:
                continue
            self.changed.remove(key)
            mask, new = self.sizes[key[0]].mask, self.now[key]
            new = new & np.uint32(mask) if mask != WORD_MASK else new
            for is_here, (word, shift) in zip(self.hot, self._above(key), strict=True):
                old, put = self.owner.load(word), new
                if mask != WORD_MASK:
                    put = (old & np.uint32(WORD_MASK & ~(mask << shift))) | (new << np.uint32(shift) if shift else new)
                self.owner.save(word, select(is_here, put, old), self)

    def forget(self, above: Key) -> None:
        """Read its parts of a word of the owner's again when they are next asked for."""
        for key in self.parts.get(above, ()):
            self.now.pop(key, None)
            self.decoded.pop(key, None)
            for other in self.chosen.values():
                other.forget(key)


class UnknownFieldError(InvalidParamsError, AttributeError):
    """No field, group or record of that name."""


class Part:
    """A group, or one element of a record: fields are attributes that can be read and assigned."""

    __slots__ = ("_begin", "_node", "_path", "_store")

    def __init__(self, store: _Store, node: Node, begin: dict[str, Start], path: str) -> None:
        for name, value in zip(Part.__slots__, (begin, node, path, store), strict=True):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        child = self._child(name)
        if child.member.count is not None:
            return Items(self._store, child, self._begin, f"{self._path}{name}")
        begin = shifted(child, 0, self._begin)
        if isinstance(child.member, Field):
            return _read(self._store, child.member, begin, f"{self._path}{name}")
        return Part(self._store, child, begin, f"{self._path}{name}.")

    def __setattr__(self, name: str, value: Any) -> None:
        self.set(name, value)

    def __dir__(self) -> list[str]:
        return [*self._node.children, "clear", "set"]

    def set(self, name: str, value: Any, where: Any = None) -> None:
        """Assign a field.

        Args:
            name: of the field.
            value: an int or bool within the field's range, or an array of the words' shape (or a scalar); bits of an
                array beyond the field's width are dropped.
            where: bool array; the field stays as it is where that is False.

        Raises:
            InvalidParamsError: no such field, or a value of another type, shape or range.
        """
        child = self._child(name)
        if child.member.count is not None or not isinstance(child.member, Field):
            raise bad(f"{self._path}{name}", "an assignment", "a field's name", "assign its fields one by one")
        _write(self._store, child.member, shifted(child, 0, self._begin), value, where, f"{self._path}{name}")

    def clear(self, name: str | None = None, where: Any = None) -> None:
        """Set a member, or all of them, to what zero bits stand for.

        Args:
            name: of a field, group or record (all elements of it).
            where: bool array; nothing changes where that is False.
        """
        where = _condition(where, self._store.shape, f"{self._path}{name or ''}")
        node = self._node if name is None else self._child(name)
        copies = range(1 if name is None else node.member.count or 1)
        for begin in (self._begin if name is None else shifted(node, i, self._begin) for i in copies):
            for table, (first, shift) in begin.items():
                hole = np.uint32(WORD_MASK & ~(node.sizes[table].mask << shift))
                for word in range(first, first + node.sizes[table].words):
                    old = self._store.load((table, word))
                    new = old & hole
                    self._store.save((table, word), new if where is None else select(where, new, old))

    def _child(self, name: str) -> Node:
        if name not in self._node.children:
            got, names = f"{self._path}{name}", ", ".join(self._node.children)
            raise UnknownFieldError(*bad("fields", got, f"one of {names}", "declare it or mend the name").args)
        return self._node.children[name]


class Items:
    """The elements of a record, by an int, by an integer or bool array, or by flags from `one_hot`."""

    __slots__ = ("_begin", "_node", "_path", "_store")

    def __init__(self, store: _Store, node: Node, begin: dict[str, Start], path: str) -> None:
        self._store, self._node, self._begin, self._path = store, node, begin, path

    def __len__(self) -> int:
        return self._node.member.count or 1

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        store, begin, path = self._at(index)
        if isinstance(self._node.member, Field):
            return _read(store, self._node.member, begin, path)
        return Part(store, self._node, begin, f"{path}.")

    def __setitem__(self, index: Any, value: Any) -> None:
        self.set(index, value)

    def set(self, index: Any, value: Any, where: Any = None) -> None:
        """Assign an element that is a field; the rest is as of `Part.set`."""
        store, begin, path = self._at(index)
        if not isinstance(self._node.member, Field):
            raise bad(path, "an assignment", "a field", "assign its fields one by one")
        _write(store, self._node.member, begin, value, where, path)

    def _at(self, index: Any) -> tuple[_Store, dict[str, Start], str]:
        if not isinstance(index, int) or isinstance(index, bool):
            path = f"{self._path}[?]"
            begin = dict.fromkeys(shifted(self._node, 0, self._begin), (0, 0))
            return self._store.choose(self._node, self._begin, index, path), begin, path
        if not 0 <= index < len(self):
            raise bad(self._path, f"index {index}", f"0..{len(self) - 1}", "mend the index")
        return self._store, shifted(self._node, index, self._begin), f"{self._path}[{index}]"


class View(Part):
    """A whole state; `words` ends its use."""

    __slots__ = ()

    def __init__(self, words: Sequence[Any], root: Node, tables: dict[str, slice]) -> None:
        super().__init__(_State(words, tables), root, dict.fromkeys(tables, (0, 0)), "")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "words"]

    def words(self) -> tuple[Any, ...]:
        """The state with all changes: words that none of them touches are the very objects that were given."""
        for chosen in self._store.chosen.values():
            chosen.give_back()
        return tuple(self._store.now.values())


def _read(store: _Store, field: Field, begin: dict[str, Start], path: str) -> Any:
    key, shift = _at(begin, path)
    word = store.load(key)
    known = store.decoded.setdefault(key, {})
    if shift not in known:
        known[shift] = field.decode(word, shift)
    return known[shift]


def _write(store: _Store, field: Field, begin: dict[str, Start], value: Any, where: Any, path: str) -> None:
    key, shift = _at(begin, path)
    where = _condition(where, store.shape, path)
    value = _fitting(field, value, where, store.shape, path)
    code = field.encode(value, shift)
    bits = WORD_MASK if field.alone or field.width == WORD_BITS else field.mask << shift
    if bits == WORD_MASK and np.shape(code) == store.shape:
        new = code
    else:
        constant = code if isinstance(code, np.uint32) else None
        new = store.load(key)
        new = new if constant == bits else new & np.uint32(WORD_MASK & ~bits)
        new = new if constant == 0 else new | code
    store.save(key, new if where is None else select(where, new, store.load(key)))


def _at(begin: dict[str, Start], path: str) -> tuple[Key, int]:
    if not begin:
        raise bad(path, "a view without its table", "a view of that table", "name it when you open the view")
    ((table, (word, shift)),) = begin.items()
    return (table, word), shift


def _condition(where: Any, shape: tuple[int, ...], path: str) -> Any:
    where = np.bool_(where) if isinstance(where, bool) else where
    if where is not None and (np.shape(where) not in ((), shape) or getattr(where, "dtype", None) != np.bool_):
        got = f"where = {getattr(where, 'dtype', type(where).__name__)}{list(np.shape(where))}"
        raise bad(path, got, f"bool of shape () or {shape}", "pass a comparison")
    return where


def _fitting(field: Field, value: Any, where: Any, shape: tuple[int, ...], path: str) -> Any:
    """The value, if it belongs into the field."""
    if isinstance(value, int):
        if not field.low <= value <= field.high:
            raise bad(path, value, f"{field.low}..{field.high}", "mend the value or widen the field")
        return int(value)
    kinds = "b" if field.dtype == np.bool_ else "iub"
    if getattr(getattr(value, "dtype", None), "kind", "") not in tuple(kinds) or np.shape(value) not in ((), shape):
        got = f"{getattr(value, 'dtype', type(value).__name__)}{list(np.shape(value))}"
        expected = f"{'bool' if kinds == 'b' else 'integers'} of shape () or {shape}"
        raise bad(path, got, expected, "compare or convert it, or broadcast it")
    if isinstance(value, (np.ndarray, np.generic)):
        _check_range(field, path, value, where if isinstance(where, (np.ndarray, np.generic)) else True)
    elif _CHECKED.get():
        import jax

        jax.debug.callback(functools.partial(_check_range, field, path), value, True if where is None else where)
    return value


def _check_range(field: Field, path: str, value: Any, where: Any) -> None:
    values, wanted = np.broadcast_arrays(value, where)
    outside = values[wanted & ((values < field.low) | (values > field.high))]
    if outside.size:
        raise bad(path, outside[0], f"{field.low}..{field.high}", "mend the rule or widen the field")
