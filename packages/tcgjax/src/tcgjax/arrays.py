"""Arrays by name that the rules change in place while they are traced, and reading and writing single entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import numpy as np

from rlenv_shared import control
from tcgjax import xp

WORD: Final = 32
NONE: Final = -1


class Record:
    """Arrays as attributes; a pytree.  `when` undoes changes where they should not happen."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:  # for type checkers: which attributes there are depends on the record
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def copy(self) -> Record:
        """An independent set of the same arrays."""
        return Record(**self.__dict__)


jax.tree_util.register_pytree_with_keys(
    Record,
    lambda record: (
        [(jax.tree_util.GetAttrKey(name), record.__dict__[name]) for name in sorted(record.__dict__)],
        tuple(sorted(record.__dict__)),
    ),
    lambda names, values: Record(**dict(zip(names, values, strict=True))),
)


def merged(where: Any, new: Record, old: Record) -> Record:
    """The new arrays where a scalar flag holds, the old ones elsewhere; what did not change costs nothing."""
    values = {}
    for name, before in old.__dict__.items():
        after = new.__dict__[name]
        values[name] = before if after is before else xp.where(where, after, before).astype(before.dtype)
    return Record(**values)


def when(name: str, where: Any, rule: Callable[[Record], None], game: Record) -> None:
    """Let a rule change the game where a flag holds; the gated form skips it where nobody needs it."""

    def handler(record: Record) -> Record:
        new = record.copy()
        rule(new)
        return merged(where, new, record)

    game.__dict__.update(control.gate(name, where, handler, game).__dict__)


def at(values: Any, index: Any) -> Any:
    """Entries of the first axis; index -1 reads the first."""
    return xp.take(values, xp.maximum(index, 0))


def put(values: Any, index: Any, value: Any, where: Any = True) -> Any:
    """The values with an entry of the first axis replaced; nothing happens for index -1."""
    hot = (np.arange(values.shape[0], dtype=np.int32) == index) & where
    hot = hot.reshape(hot.shape + (1,) * (values.ndim - 1))
    return xp.where(hot, value, values).astype(values.dtype)


def first(flags: Any) -> Any:
    """Index of the first true flag, -1 if there is none; int32."""
    found = xp.int32(NONE)
    for number in reversed(range(flags.shape[0])):
        found = xp.where(flags[number], np.int32(number), found)
    return found


def total(values: Any) -> Any:
    """Sum of all entries (or number of true flags), int32."""
    return xp.sum(values, dtype=xp.int32)


def when_itself(name: str, where: Any, rule: Callable[[Record], None], record: Record) -> None:
    """As `when`, for a rule that of itself changes nothing where the flag does not hold."""

    def handler(record: Record) -> Record:
        new = record.copy()
        rule(new)
        return new

    record.__dict__.update(control.gate(name, where, handler, record).__dict__)


def running_sum(values: Any) -> Any:
    """Sums up to and with each entry, one after the other; int32."""
    sums = [xp.asarray(values[0])]
    for number in range(1, values.shape[0]):
        sums.append(sums[-1] + values[number])
    return xp.stack(sums)


def one_of(value: Any, codes: Sequence[int]) -> Any:
    """Whether a number is among some."""
    found = value == codes[0]
    for code in codes[1:]:
        found = found | (value == code)
    return found


# --- flags as the bits of words ----------------------------------------------------------------------------------


def word_of(flags: Any) -> Any:
    """At most 32 flags as the bits of a word, the first one lowest; uint32."""
    return xp.sum(xp.where(flags, np.uint32(1) << np.arange(flags.shape[0], dtype=np.uint32), 0), dtype=xp.uint32)


def ranks(flags: Any) -> Any:
    """How many true flags stand before each place; int32 of the same length."""
    size, found, before = flags.shape[0], [], xp.int32(0)
    for begin in range(0, size, WORD):
        part = flags[begin : begin + WORD]
        lower = (np.uint32(1) << np.arange(part.shape[0], dtype=np.uint32)) - np.uint32(1)
        word = word_of(part)
        found.append(before + xp.count_bits(word & lower))
        before = before + xp.count_bits(word)
    return found[0] if size <= WORD else xp.concatenate(found)


def bit(mask: Any, number: Any) -> Any:
    """Whether a bit of a mask is set."""
    return ((mask >> xp.asarray(number).astype(mask.dtype)) & 1) != 0


def lowest(word: Any) -> Any:
    """Index of the lowest bit that is set, -1 if there is none; int32."""
    if xp.on_host(word):
        return np.int32((int(word) & -int(word)).bit_length() - 1)
    return np.int32(WORD - 1) - xp.leading_zeros(word & (~word + np.uint32(1)))


def nth_bit(word: Any, number: Any) -> Any:
    """Index of the bit below which ``number`` others are set; above 31 if there are not so many; int32."""
    place = xp.int32(0)
    for step in (16, 8, 4, 2, 1):
        below = (np.uint32(1) << (place + np.int32(step)).astype(xp.uint32)) - np.uint32(1)
        place = place + xp.where(xp.count_bits(word & below) <= number, np.int32(step), 0)
    return xp.where(number < xp.count_bits(word), place, WORD)


def arranged(values: Any, places: Any, where: Any, size: int) -> Any:
    """Small numbers put into places: four of them are kept in a word, since there is no writing at traced places.

    Args:
        values: 0 to 254, int32 [n].
        places: 0 to ``size`` - 1 where the flag holds, all different; int32 [n].
        where: which of them are put, bool [n].
        size: how many places there are.

    Returns:
        int32 [size]; -1 where nothing was put.
    """
    codes = (values + np.int32(1)).astype(xp.uint32) << ((places & 3) << 3).astype(xp.uint32)
    here = where & ((places >> 2) == np.arange((size + 3) // 4, dtype=np.int32)[:, None])  # [word, n]
    words = xp.sum(xp.where(here, codes, 0), axis=1, dtype=xp.uint32)
    index = np.arange(size)
    return ((words[index // 4] >> (index % 4 * 8).astype(np.uint32)) & np.uint32(255)).astype(xp.int32) - 1


def repeat(
    names: Sequence[str],
    goes_on: Callable[[Record, Any], Any],
    once: Callable[[Record, Any], Any],
    game: Record,
    extra: Any,
    most: int,
) -> Any:
    """Repeat a rule that changes only the named fields of a game: what a loop carries costs in every pass.

    Args:
        names: fields that the rule changes.
        goes_on: ``(game, extra) -> flag``.
        once: changes the game, which need not go on, and returns the next ``extra``.
        game: changed.
        extra: what the loop carries besides.
        most: bound on the passes.

    Returns:
        The last ``extra``.
    """

    def whole(part: dict[str, Any]) -> Record:
        joined = game.copy()
        joined.__dict__.update(part)
        return joined

    def body(state: Any) -> Any:
        joined = whole(state[0])
        before = dict(joined.__dict__)
        after = once(joined, state[1])
        changed = [n for n, value in joined.__dict__.items() if n not in names and value is not before.get(n)]
        if changed:
            raise AssertionError(f"fields {changed} change in a loop that does not carry them")
        part = {name: xp.asarray(joined.__dict__[name]).astype(before[name].dtype) for name in names}
        return part, after

    start = ({name: game.__dict__[name] for name in names}, extra)
    part, last = control.loop(lambda state: goes_on(whole(state[0]), state[1]), body, start, most)
    game.__dict__.update(part)
    return last
