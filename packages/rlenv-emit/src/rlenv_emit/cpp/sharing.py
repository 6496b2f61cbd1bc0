"""Which values of the frame lie in one place because one is the other's next state.

A branch that changes a state gives new values; where it is not taken they are the old ones.  If nobody reads an old
value after the branch, both can lie in one place, and where the branch is not taken nothing is copied.  The same holds
for what a loop begins with and carries, and for what an operation is computed of: then nothing is copied where a branch
is taken either, and at the end of a pass.
"""

from __future__ import annotations

from collections.abc import Iterable

from rlenv_emit.ir import Block, If, Loop, Op, Value, blocks, defines, uses, walk


class Sharing:
    """Groups of values that share a place.

    Args:
        block: a whole program's.
        candidates: values that lie in the frame.
    """

    def __init__(self, block: Block, candidates: set[Value]) -> None:
        self._candidates = candidates
        self._before: dict[Value, Value] = {}  # the value whose place a value takes over
        self._sharing: dict[Value, list[Value]] = {}  # all values of a place, by the first
        self._closed: set[Value] = set()  # values whose place a later one takes that is not computed of them
        self._follow(block, set(block.results), {})

    def first(self, value: Value) -> Value:
        """The value whose place it is: the same for all that share it."""
        while value in self._before:
            value = self._before[value]
        return value

    def _follow(self, block: Block, live: set[Value], wanted: dict[Value, Value]) -> None:
        """Walk backwards.

        Args:
            block: its statements.
            live: what is read after the block; becomes what is read from its begin on.
            wanted: of results of the block, the values that they become.
        """
        live.update(block.results)
        for statement in reversed(block.statements):
            if isinstance(statement, Op):
                self._compute(statement, live, wanted.get(statement.out))
                live.discard(statement.out)
                live.update(statement.args)
                continue
            live.difference_update(defines(statement))
            if isinstance(statement, If):
                self._branch(statement, live)
            else:
                self._loop(statement, live)

    def _branch(self, branch: If, live: set[Value]) -> None:
        self._take_over(zip(branch.outs, branch.other.results, strict=True), live)
        other = set(live)
        self._follow(branch.other, other, _once(branch.other, branch.outs))
        self._follow(branch.then, live, _once(branch.then, branch.outs))
        live |= other
        live.add(branch.predicate)

    def _loop(self, loop: Loop, live: set[Value]) -> None:
        read = {value for block in blocks(loop) for value in _read(block)}
        written = {value for block in blocks(loop) for statement in walk(block) for value in defines(statement)}
        live |= read - written - set(loop.carry)  # a pass reads what the one before it read
        self._take_over(zip(loop.carry, loop.begin, strict=True), live)
        self._follow(loop.body, set(live), _once(loop.body, loop.carry))
        live.update(loop.begin)

    def _take_over(self, pairs: Iterable[tuple[Value, Value]], live: set[Value]) -> None:
        taken: set[Value] = set()
        for new, old in pairs:
            if old not in live and old not in taken and self._fit(new, old):
                taken.add(old)
                self._join(new, old)

    def _compute(self, op: Op, live: set[Value], target: Value | None) -> None:
        """Let a result lie where something lies that it is computed of and that nobody reads afterwards.

        That is read until then, so nothing else took its place before.  A result of a block may lie where the block's
        results are wanted instead, if nobody reads any more what lies there; then nothing else may take that place.
        """
        wanted = [] if target is None else self._sharing.get(self.first(target), [target])
        free = bool(wanted) and live.isdisjoint(wanted)
        fits = [value for value in reversed(op.args) if value not in live and self._fit(op.out, value)]
        there = [value for value in fits if value in wanted]
        if there or (fits and not (free and op.kind == "select")):
            self._join(op.out, (there or fits)[0])
        elif target is not None and free and self._fit(op.out, target, closed=True):
            self._closed.update(wanted)
            self._join(op.out, target)

    def _fit(self, new: Value, old: Value, closed: bool = False) -> bool:
        fits = (new.dtype, new.uniform) == (old.dtype, old.uniform) and {new, old} <= self._candidates
        return fits and (closed or old not in self._closed)

    def _join(self, new: Value, old: Value) -> None:
        self._before[new] = old
        first = self.first(old)
        self._sharing.setdefault(first, [first]).extend(self._sharing.pop(new, [new]))


def _once(block: Block, targets: Iterable[Value]) -> dict[Value, Value]:
    """What the results of a block become; of one that becomes several things the first."""
    found: dict[Value, Value] = {}
    for value, target in zip(block.results, targets, strict=True):
        found.setdefault(value, target)
    return found


def _read(block: Block) -> Iterable[Value]:
    """Every value that a block or one inside it reads."""
    yield from block.results
    for statement in walk(block):
        yield from uses(statement)
