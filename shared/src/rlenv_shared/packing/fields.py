"""What a packed state consists of: fields by name and range, in groups and repeated records."""

from __future__ import annotations

import dataclasses
import keyword
import operator
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from rlenv_shared.errors import InvalidParamsError

Key = tuple[str, int]
"""Table and word."""
WORD_BITS: Final = 32
WORD_MASK: Final = 2**WORD_BITS - 1
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
RESERVED: Final = frozenset({"set", "put", "clear", "words", "reload", "written", "last_write", "under"})
"""What views are asked for besides fields."""

# Codes are taken modulo 2**32 on purpose; NumPy would warn of it for scalars (never for arrays or under JAX).
_wrapping = np.errstate(over="ignore")


def _bitwise(word: Any) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """And, shift up, shift down; of traced words the primitives, since operators take twice as long to trace."""
    if isinstance(word, (np.ndarray, np.generic)):
        return operator.and_, operator.lshift, operator.rshift
    from jax import lax

    down = lax.shift_right_arithmetic if word.dtype == np.int32 else lax.shift_right_logical
    return lax.bitwise_and, lax.shift_left, down


@dataclasses.dataclass(frozen=True)
class Field:
    """One integer or flag; made by `bits`, `flag` and `word`."""

    name: str  # an identifier, unique in its group
    low: int  # smallest value
    high: int  # largest value
    empty: int  # the value that zero bits stand for; fields below it are stored as two's complement
    dtype: np.dtype  # bool, int32, or uint32 for a whole word
    count: int | None = None  # how many of it, None for one that is not indexed
    table: str | None = None  # where it lies; None where its group lies
    alone: bool = False  # nothing else is in its word

    @property
    def is_signed(self) -> bool:
        """Whether the code is two's complement."""
        return self.low < self.empty

    @property
    def width(self) -> int:
        """Bits it takes."""
        low, high = self.low - self.empty, self.high - self.empty
        return max((-1 - low).bit_length(), high.bit_length()) + 1 if low < 0 else max(high.bit_length(), 1)

    @property
    def mask(self) -> int:
        """Its bits, at the bottom of a word."""
        return 2**self.width - 1

    @_wrapping
    def decode(self, word: Any, shift: int) -> Any:
        """The value at bit ``shift`` of an array of words."""
        top, of = WORD_BITS - shift - self.width, word.dtype
        and_, up, down = _bitwise(word)
        if self.dtype == np.bool_:
            return and_(word, bit_word(1 << shift, of)) != bit_word(0, of)
        if self.is_signed:  # up to the top of the word, then down again with copies of the sign
            word = up(word, bit_word(top, of)) if top else word
            value = word.astype(np.int32) if of != np.int32 else word
            value = value >> np.int32(WORD_BITS - self.width) if self.width < WORD_BITS else value
        else:
            word = down(word, bit_word(shift, of)) if shift else word
            word = and_(word, bit_word(self.mask, of)) if top or (shift and of == np.int32) else word
            value = word.astype(self.dtype) if self.dtype != of else word
        return value + np.int32(self.empty) if self.empty else value

    @_wrapping
    def encode(self, value: Any, shift: int, of: Any = np.uint32) -> Any:
        """The bits of an integer (a constant) or array in a word ``of`` a dtype; those beyond the width are dropped."""
        if isinstance(value, int):
            return bit_word(((value - self.empty) & self.mask) << shift, of)
        code = value.astype(of) if value.dtype != of else value
        code = code - bit_word(self.empty, of) if self.empty else code
        code = code & bit_word(self.mask, of) if shift + self.width < WORD_BITS and self.dtype != np.bool_ else code
        return code << bit_word(shift, of) if shift else code


@dataclasses.dataclass(frozen=True)
class Group:
    """Fields, groups and records that lie together; made by `group` and `record`."""

    name: str  # an identifier, unique in its group
    members: tuple[Field | Group, ...]  # in the order in which they are placed
    count: int | None = None  # how many of it, None for one that is not indexed
    table: str | None = None  # where it lies; None where its own group lies
    whole_words: bool = False  # it shares no word with anything else, even if it is small


def bits(
    name: str,
    low: int,
    high: int,
    *,
    empty: int | None = None,
    count: int | None = None,
    table: str | None = None,
    alone: bool = False,
) -> Field:
    """An integer in ``low..high``, read as int32 (``0..2**32 - 1`` as uint32).

    ``empty`` is the value that zero bits stand for, 0 if that is in range and else ``low``: ``bits("slot", -1, 5,
    empty=-1)`` is -1 in a cleared state and takes 3 bits, without ``empty`` it is 0 and takes 4.  ``count`` is how many
    of it, for one that is indexed; ``table`` where it lies; ``alone`` gives it a word of its own.

    Raises InvalidParamsError: no identifier, an empty range, or one that no word holds.
    """
    _check_name(name, count)
    empty = (0 if low <= 0 <= high else low) if empty is None else empty
    if not low <= empty <= high:
        raise bad(name, f"values {low}..{high}, empty {empty}", "low <= empty <= high", "mend the range")
    is_word = (low, high, empty) == (0, WORD_MASK, 0)
    field = Field(name, low, high, empty, np.dtype(np.uint32 if is_word else np.int32), count, table, alone)
    if field.width > WORD_BITS or not (is_word or INT32_MIN <= low <= high <= INT32_MAX):
        raise bad(name, f"values {low}..{high}", "values of int32 in at most 32 bits", "split it into two fields")
    return field


def flag(name: str, *, count: int | None = None, table: str | None = None) -> Field:
    """A bool; arguments as of `bits`."""
    _check_name(name, count)
    return Field(name, 0, 1, 0, np.dtype(np.bool_), count, table)


def word(name: str, *, count: int | None = None, table: str | None = None) -> Field:
    """A whole word, read as uint32; arguments as of `bits`."""
    return bits(name, 0, WORD_MASK, count=count, table=table)


def group(name: str, members: Iterable[Field | Group], *, table: str | None = None, whole_words: bool = False) -> Group:
    """Members that share a word if they fit, else words that hold nothing else; InvalidParamsError: a bad name."""
    _check_name(name, None)
    return Group(name, check_members(name, members), None, table, whole_words)


def record(
    name: str, count: int, members: Iterable[Field | Group], *, table: str | None = None, whole_words: bool = False
) -> Group:
    """A group ``count`` times, each of one layout.  Raises InvalidParamsError: as `group`, or a count below 1."""
    _check_name(name, count)
    return Group(name, check_members(name, members), count, table, whole_words)


def bit_word(bits: int, of: Any) -> Any:
    """A word of a dtype, uint32 or int32, with these bits."""
    return np.uint32(bits & WORD_MASK).astype(of)


def is_integer(value: Any, kinds: str = "iub") -> bool:
    """Whether it is an array of signed or unsigned integers or bools (NumPy's letters for them)."""
    return getattr(getattr(value, "dtype", None), "kind", "none") in kinds


def kind(value: Any) -> str:
    """Dtype and shape, or type, for an error."""
    return f"{getattr(value, 'dtype', type(value).__name__)}{list(np.shape(value))}"


def bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    """The error of a declaration, a layout or a view."""
    return InvalidParamsError(f"packing: {what}", got, expected, remedy)


def check_members(name: str, members: Iterable[Field | Group]) -> tuple[Field | Group, ...]:
    """The members as a tuple; refuses none, and a name twice."""
    members = tuple(members)
    names = [member.name for member in members]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        raise bad(f"members of {name}", f"{twice} twice" if twice else "none", "each name once", "rename one")
    return members


def _check_name(name: str, count: int | None) -> None:
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_") or name in RESERVED:
        expected = f"an identifier without leading underscore, none of {sorted(RESERVED)}"
        raise bad("name", repr(name), expected, "rename it")
    if count is not None and count < 1:
        raise bad(name, f"count {count}", "a count >= 1", "leave it out for one that is not indexed")
