"""Packed state: many small integers in few uint32 words, by a table of fields.

A game's whole state must pass through every kernel of a step, so it travels as a flat tuple of uint32 words and is
decoded where it is used.  The table says where each field lies; mistakes in it are found when it is made.

All functions are elementwise and take any shape: one environment (``()``), a batch (``[B]``), one environment under
``vmap``, or a block inside a Pallas kernel give the same bits.
>>> import numpy as np
>>> hp, boost = Field("hp", 0, 0, 10), Field("boost", 0, 10, 4, signed=True)
>>> table = FieldTable(2, [hp, boost, Field("level", 1, 0, 7, offset=1)])
>>> words = table.pack({"hp": np.int32(714), "boost": np.int32(-6), "level": np.int32(100)})
>>> [int(table.get(words, name)) for name in table.names]
[714, -6, 100]
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from rlenv_shared.errors import InvalidParamsError, explain

Words = tuple[Any, ...]
"""uint32 arrays of one shape."""

WORD_BITS: Final = 32
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Field:
    """Where an integer lies.

    It decodes to int32, a field of 32 unsigned bits to uint32.

    Attributes:
        name: unique in its table.
        word: index of its word.
        shift: its lowest bit.
        width: its bits, 1 to 32.
        offset: what is subtracted before it is stored.
        signed: stored as two's complement.
        bounds: smallest and largest value it will be given, if narrower than what fits; checked against that.
    """

    name: str
    word: int
    shift: int
    width: int
    offset: int = 0
    signed: bool = False
    bounds: tuple[int, int] | None = None

    @property
    def low(self) -> int:
        """Smallest value that fits."""
        return self.offset - (2 ** (self.width - 1) if self.signed else 0)

    @property
    def high(self) -> int:
        """Largest value that fits."""
        return self.low + 2**self.width - 1

    @property
    def is_unsigned_word(self) -> bool:
        """True for a whole word that decodes to uint32."""
        return self.width == WORD_BITS and not self.signed and self.offset == 0

    @property
    def mask(self) -> np.uint32:
        """Its bits, at the bottom of a word."""
        return np.uint32(2**self.width - 1)


class FieldTable:
    """A state's fields.

    Args:
        num_words: words of the state.
        fields: in any order; bits that no field claims are 0.

    Raises:
        InvalidParamsError: a name twice, a field outside its word or the state, two fields over one bit, bounds that do
            not fit, or values beyond int32.
    """

    def __init__(self, num_words: int, fields: Sequence[Field]) -> None:
        self.num_words = num_words
        self.fields = {field.name: field for field in fields}
        if len(self.fields) != len(fields):
            names = [field.name for field in fields]
            raise _bad("names", sorted({name for name in names if names.count(name) > 1}), "each once", "rename one")
        owner: dict[tuple[int, int], str] = {}
        for field in fields:
            _check(field, num_words)
            for bit in range(field.shift, field.shift + field.width):
                other = owner.setdefault((field.word, bit), field.name)
                if other != field.name:
                    got = f"bit {bit} of word {field.word} also in {other}"
                    raise _bad(f"field {field.name}", got, "bits of its own", "move one of them")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all fields, in the order given."""
        return tuple(self.fields)

    def get(self, words: Words, name: str) -> Any:
        """Decode one field: int32 (uint32 for a whole unsigned word) of the words' shape."""
        field = self.fields[name]
        word = words[field.word]
        if field.signed:  # up to the top of the word, then down again with copies of the sign
            word = word << np.uint32(WORD_BITS - field.shift - field.width)
            code = word.astype(np.int32) >> np.int32(WORD_BITS - field.width)
        elif field.is_unsigned_word:
            return word
        else:
            code = ((word >> np.uint32(field.shift)) & field.mask).astype(np.int32)
        return code + np.int32(field.offset) if field.offset else code

    def put(self, words: Words, name: str, value: Any) -> Words:
        """Replace one field; bits of a value beyond its width are dropped.

        Args:
            words: state.
            name: of the field.
            value: integer or bool array.
        """
        field = self.fields[name]
        hole = np.uint32(~(int(field.mask) << field.shift) % 2**WORD_BITS)
        word = (words[field.word] & hole) | self._encode(field, value)
        return (*words[: field.word], word, *words[field.word + 1 :])

    def unpack(self, words: Words) -> dict[str, Any]:
        """Decode all fields; a compiler drops those that nobody reads.

        Raises:
            InvalidParamsError: another number of words.
        """
        if len(words) != self.num_words:
            raise _bad("words", len(words), f"{self.num_words} words", "pass the whole state")
        return {name: self.get(words, name) for name in self.fields}

    def pack(self, values: Mapping[str, Any]) -> Words:
        """Encode a value for every field; bits of a value beyond its width are dropped.

        Raises:
            InvalidParamsError: names are missing or unknown.
        """
        if set(values) != set(self.fields):
            got = f"missing {sorted(set(self.fields) - set(values))}, unknown {sorted(set(values) - set(self.fields))}"
            raise _bad("values", got, "one value per field", "name every field once")
        parts: dict[int, Any] = {}
        for name, field in self.fields.items():
            code = self._encode(field, values[name])
            parts[field.word] = parts[field.word] | code if field.word in parts else code
        empty = next(iter(parts.values())) & np.uint32(0)
        return tuple(parts.get(word, empty) for word in range(self.num_words))

    @staticmethod
    def _encode(field: Field, value: Any) -> Any:
        if field.offset:
            value = value.astype(np.int32) - np.int32(field.offset)
        return (value.astype(np.uint32) & field.mask) << np.uint32(field.shift)


def one_hot(index: Any, size: int) -> tuple[Any, ...]:
    """``index == i`` for each of ``size`` places: bool arrays for `pick` and `put`, computed once and used often."""
    return tuple(index == np.int32(i) for i in range(size))


def pick(values: Sequence[Any], hot: Sequence[Any]) -> Any:
    """The value at the hot place; the first one if no place is hot.

    Args:
        values: arrays, or pytrees of them, of one structure.
        hot: bool arrays, one per value, from `one_hot`.
    """
    import jax
    import jax.numpy as jnp

    _same_length(values, hot)
    chosen = values[0]
    for value, is_here in zip(values[1:], hot[1:], strict=True):
        chosen = jax.tree.map(lambda new, old, here=is_here: jnp.where(here, new, old), value, chosen)
    return chosen


def put(values: Sequence[Any], hot: Sequence[Any], value: Any) -> tuple[Any, ...]:
    """The values with the one at the hot place replaced.

    Args:
        values: arrays, or pytrees of them, of one structure.
        hot: bool arrays, one per value, from `one_hot`.
        value: of the same structure.
    """
    import jax
    import jax.numpy as jnp

    _same_length(values, hot)
    return tuple(
        jax.tree.map(lambda new, old, here=is_here: jnp.where(here, new, old), value, old)
        for old, is_here in zip(values, hot, strict=True)
    )


def _check(field: Field, num_words: int) -> None:
    what = f"field {field.name}"
    if not 0 <= field.word < num_words:
        raise _bad(what, f"word {field.word}", f"a word in 0..{num_words - 1}", "add words or move it")
    if field.width < 1 or field.shift < 0 or field.shift + field.width > WORD_BITS:
        got = f"bits {field.shift}..{field.shift + field.width - 1}"
        raise _bad(what, got, f"at least one bit, within 0..{WORD_BITS - 1}", "narrow it or move it to another word")
    if not field.is_unsigned_word and not INT32_MIN <= field.low <= field.high <= INT32_MAX:
        got = f"values {field.low}..{field.high}"
        raise _bad(what, got, "values of int32", "narrow it, or leave the offset out")
    if field.bounds is not None:
        low, high = field.bounds
        if low > high or low < field.low or high > field.high:
            remedy = "make it signed or give it an offset" if low < field.low else "widen it"
            raise _bad(what, f"values {low}..{high}", f"values within {field.low}..{field.high}", remedy)


def _same_length(values: Sequence[Any], hot: Sequence[Any]) -> None:
    if len(values) != len(hot) or not values:
        raise _bad("places", f"{len(values)} values, {len(hot)} flags", "as many, at least one", "use one_hot(i, size)")


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(f"words: {what}", got=got, expected=expected, remedy=remedy))
