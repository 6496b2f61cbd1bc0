"""Gives every field its table, word and bits.

A group's fields get places within the group, the group gets one within its owner, and so on up to the state: what
belongs together lies together, and all elements of a record have one layout.  Within a group, members are placed in
the order of their declaration, each in the first word with room for all its elements; no field crosses words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from rlenv_shared.packing.fields import WORD_BITS, Field, Group, bad

Start = tuple[int, int]
"""Word and bit of it at which an element begins, counted from the beginning of its owner."""


@dataclasses.dataclass(frozen=True)
class Size:
    """What one element takes in a table: whole words (``bits`` is 32), or some bits of one word."""

    words: int
    bits: int

    @property
    def mask(self) -> int:
        """Its bits in each word, counted from where it begins."""
        return 2**self.bits - 1


@dataclasses.dataclass(frozen=True)
class Node:
    """A member with its places; a dictionary's keys are tables, and a table without its fields is missing."""

    member: Field | Group  # its declaration
    children: dict[str, Node]  # by name
    sizes: dict[str, Size] = dataclasses.field(default_factory=dict)  # of one element
    starts: dict[str, tuple[Start, ...]] = dataclasses.field(default_factory=dict)  # of all elements


@dataclasses.dataclass(frozen=True)
class Place:
    """Where one value of a state lies."""

    path: str  # as it is written behind a view: ``side[1].mon[3].hp``
    field: Field  # what it is
    table: str  # where it lies
    word: int  # counted from the beginning of the table
    shift: int  # its lowest bit


def allocate(state: Group, tables: Sequence[str]) -> Node:
    """Place all members of a state.  Raises InvalidParamsError: a member names a table that there is not."""
    root = _node(state, tables[0], tables)
    for table in tables:
        _place(root, table)
    return root


def places(node: Node, path: str = "", begin: dict[str, Start] | None = None) -> Iterator[Place]:
    """All values below a node, in the order of their declaration."""
    for name, child in node.children.items():
        for i in range(child.member.count or 1):
            here = f"{path}{name}" if child.member.count is None else f"{path}{name}[{i}]"
            at = shifted(child, i, dict.fromkeys(node.sizes, (0, 0)) if begin is None else begin)
            if isinstance(child.member, Field):
                ((table, (word, shift)),) = at.items()
                yield Place(here, child.member, table, word, shift)
            else:
                yield from places(child, f"{here}.", at)


def shifted(node: Node, index: int, begin: dict[str, Start]) -> dict[str, Start]:
    """Where an element begins, by table, if its owner begins at ``begin``; tables that are not in that are left out."""
    at = {table: (starts[index], begin[table]) for table, starts in node.starts.items() if table in begin}
    return {table: (word + base, shift + low) for table, ((word, shift), (base, low)) in at.items()}


def _node(member: Field | Group, inherited: str, tables: Sequence[str]) -> Node:
    table = member.table or inherited
    if table not in tables:
        raise bad(member.name, f"table {table!r}", f"one of {list(tables)}", "declare it with the layout")
    if isinstance(member, Field):
        return Node(member, {}, {table: Size(1, WORD_BITS if member.alone else member.width)})
    return Node(member, {child.name: _node(child, table, tables) for child in member.members})


def _place(node: Node, table: str) -> None:
    if isinstance(node.member, Field):
        return
    used: list[int] = []  # bits of each word; those above are free
    for child in node.children.values():
        _place(child, table)
        if table in child.sizes:
            child.starts[table] = tuple(_fit(used, child.sizes[table], child.member.count or 1))
    if used:
        shares = len(used) == 1 and not node.member.whole_words
        node.sizes[table] = Size(len(used), used[0] if shares else WORD_BITS)


def _fit(used: list[int], size: Size, count: int) -> Iterator[Start]:
    """Where elements go: into the first word with room for all, else into words of their own, one after the other."""
    a_word = WORD_BITS // size.bits
    first = len(used)
    if count <= a_word and size.bits < WORD_BITS:
        first = next((i for i, taken in enumerate(used) if taken + count * size.bits <= WORD_BITS), first)
    begin = used[first] if first < len(used) else 0
    for i in range(count):
        word = first + i // a_word * size.words
        yield word, begin + i % a_word * size.bits
        used += [0] * (word + size.words - len(used))
        for part in range(word, word + size.words):
            used[part] += size.bits
