"""The kernels of a compiled program's step loop, read from XLA's optimised HLO text.

A rollout compiles to a ``while`` over environment steps.  Everything in its body that launches work is listed with how
often it runs per iteration (the product of the trip counts of loops nested in it) and what it reads and writes.
Every branch of a conditional counts, which is the worst case.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections import defaultdict
from typing import Final

from rlenv_shared.errors import InvalidParamsError

ITEM_BYTES: Final = {
    **dict.fromkeys(("pred", "s4", "u4", "s8", "u8", "f8e4m3fn", "f8e5m2"), 1),
    **dict.fromkeys(("s16", "u16", "bf16", "f16"), 2),
    **dict.fromkeys(("s32", "u32", "f32"), 4),
    **dict.fromkeys(("s64", "u64", "f64", "c64"), 8),
    "c128": 16,
}
# Instructions that launch nothing.  Of an asynchronous pair the first half, ``…-start``, does the work.
_NO_LAUNCH = "parameter constant tuple get-tuple-element bitcast after-all partition-id replica-id opt-barrier"
NO_LAUNCH: Final = frozenset(_NO_LAUNCH.split())
CALLS: Final = frozenset(("call", "conditional", "async"))
# Instructions inside a fusion through which a slice of their operand is seen.
TRANSPARENT: Final = frozenset(("bitcast", "copy", "convert"))
SLICES: Final = frozenset(("dynamic-slice", "slice", "gather"))
UPDATE: Final = "dynamic-update-slice"

_INSTRUCTION = re.compile(
    r"^\s*(?P<root>ROOT )?%?(?P<name>[\w.\-]+) = "
    r"(?P<type>\(.*?\)|[a-z][a-z0-9]*\[[^\]]*\](?:\{[^}]*\})?) (?P<op>[a-z][a-z0-9\-]*)\((?P<rest>.*)$"
)
_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) .*->.*\{\s*$")
_CALLED = re.compile(r"(?:calls|to_apply|body|condition|true_computation|false_computation)=%?([\w.\-]+)")
_BRANCHES = re.compile(r"branch_computations=\{([^}]*)\}")
_TRIPS = re.compile(r'"?known_trip_count"?:?\s*=?\s*\{"?n"?:?\s*"?(\d+)')
_SHAPE = re.compile(r"([a-z][a-z0-9]*)\[([\d,]*)\]")


@dataclasses.dataclass(frozen=True)
class Instruction:
    """One line of HLO."""

    name: str
    shape: str
    op: str
    operands: tuple[str, ...]
    called: tuple[str, ...]
    text: str
    is_root: bool

    @property
    def bytes(self) -> int:
        """Size of the result."""
        return shape_bytes(self.shape)


@dataclasses.dataclass(frozen=True)
class Launch:
    """A kernel of the step loop."""

    name: str  # of the instruction
    op: str  # its kind: fusion, copy, custom-call, ...
    trips: int  # launches per iteration of the step loop
    bytes_read: int  # by one launch; of a custom call all operands, the most that it can need
    bytes_written: int  # by one launch; of a custom call all results


@dataclasses.dataclass(frozen=True)
class StepLoop:
    """The kernels of one iteration, and how many environment steps an iteration is."""

    launches: tuple[Launch, ...]
    steps_per_iteration: int


def shape_bytes(shape: str) -> int:
    """Bytes of an HLO shape, e.g. ``(f32[8,4]{1,0}, pred[])``."""
    return sum(
        ITEM_BYTES.get(kind, 0) * math.prod(int(n) for n in dims.split(",") if n)
        for kind, dims in _SHAPE.findall(shape)
    )


def parse(text: str) -> tuple[dict[str, list[Instruction]], str]:
    """``(instructions by computation, name of the entry computation)``; InvalidParamsError if there is no entry."""
    computations: dict[str, list[Instruction]] = {}
    entry = current = None
    for line in text.splitlines():
        head = None if line.startswith(" ") else _COMPUTATION.match(line)
        if head:
            current = head[2]
            computations[current] = []
            entry = current if head[1] else entry
        elif current is not None and (found := _INSTRUCTION.match(line)):
            computations[current].append(_instruction(found))
    if entry is None:
        raise InvalidParamsError("HLO", f"{len(computations)} computations", "an ENTRY", "pass as_text()")
    return computations, entry


def step_loop(text: str, steps: int) -> StepLoop:
    """The kernels of a rollout's loop over ``steps`` environment steps, in optimised HLO.

    A program without such a loop, as a kernel that loops inside itself, counts whole: its one iteration is all steps.
    Raises InvalidParamsError: several loops could be the one over steps, or neither the compiler nor the name of a loop
    inside (`rlenv_shared.control.loop`) tells how often it runs.
    """
    computations, entry = parse(text)
    candidates = [
        (loop, trips)
        for loop in _top_level_loops(computations, entry)
        if (trips := _known_trips(loop)) is not None and trips > 1 and _steps_of_an_iteration(steps, trips)
    ]
    if len(candidates) > 1:
        got = [f"{loop.name}: {trips} iterations" for loop, trips in candidates]
        raise InvalidParamsError("loop over steps", got, "one loop", "choose another number of steps")
    if not candidates:
        return StepLoop(tuple(_launches(computations, entry, 1)), steps)
    loop, trips = candidates[0]
    body = _attribute(loop, "body")
    return StepLoop(tuple(_launches(computations, body, 1)), _steps_of_an_iteration(steps, trips))


def _instruction(found: re.Match[str]) -> Instruction:
    rest = found["rest"]
    called = _CALLED.findall(rest)
    branches = _BRANCHES.search(rest)
    if branches:
        called += re.findall(r"%?([\w.\-]+)", branches[1])
    operands = re.findall(r"%([\w.\-]+)", rest.split("), ")[0])
    return Instruction(
        found["name"], found["type"], found["op"], tuple(operands), tuple(called), rest, found["root"] is not None
    )


def _attribute(instruction: Instruction, name: str) -> str:
    found = re.search(rf"\b{name}=%?([\w.\-]+)", instruction.text)
    assert found is not None, f"HLO's {instruction.op} always has a {name}"
    return found[1]


def _known_trips(loop: Instruction) -> int | None:
    found = _TRIPS.search(loop.text)
    return int(found[1]) if found else None


def _named_trips(loop: Instruction) -> int | None:
    """The most trips of a loop by `rlenv_shared.control.loop`, which its name tells."""
    from rlenv_shared.control import AT_MOST  # imports JAX, before which `aot.prepare` must be called

    found = re.search(rf'op_name="[^"]*\b{AT_MOST}(\d+)\)*/while"', loop.text)
    return int(found[1]) if found else None


def _steps_of_an_iteration(steps: int, trips: int) -> int:
    """Steps that one of ``trips`` iterations makes; 0 if the loop cannot be the one over steps.

    XLA may put several steps into an iteration and peel what is left over off the loop.
    """
    per_iteration = steps // trips
    return per_iteration if per_iteration and steps - per_iteration * trips < per_iteration else 0


def _top_level_loops(computations: dict[str, list[Instruction]], name: str) -> list[Instruction]:
    """Loops of a computation and of what it calls, but not those inside loops."""
    loops = []
    for instruction in computations.get(name, []):
        if instruction.op == "while":
            loops.append(instruction)
        elif instruction.op.removesuffix("-start") in CALLS:
            for called in instruction.called:
                loops += _top_level_loops(computations, called)
    return loops


def _launches(computations: dict[str, list[Instruction]], name: str, trips: int) -> list[Launch]:
    """What a computation launches, each entry ``trips`` times."""
    found: list[Launch] = []
    by_name = {instruction.name: instruction for instruction in computations.get(name, [])}
    for instruction in by_name.values():
        op = instruction.op.removesuffix("-start")
        if op == "while":
            known = _known_trips(instruction)
            times = _named_trips(instruction) if known is None else known
            if times is None:
                got, remedy = "unknown to the compiler", "write it as control.loop"
                raise InvalidParamsError(f"trip count of {instruction.name}", got, "the most, in its name", remedy)
            # A counted loop evaluates no condition.
            for part in ("body",) if known is not None else ("body", "condition"):
                found += _launches(computations, _attribute(instruction, part), trips * times)
        elif op in CALLS:
            for called in instruction.called:
                found += _launches(computations, called, trips)
        elif op == "fusion":
            read, written = _fusion_bytes(computations[instruction.called[0]])
            found.append(Launch(instruction.name, op, trips, read, written))
        elif op not in NO_LAUNCH and not op.endswith(("-done", "async-update")):
            read, written = _plain_bytes(instruction, by_name)
            found.append(Launch(instruction.name, op, trips, read, written))
    return found


def _plain_bytes(instruction: Instruction, by_name: dict[str, Instruction]) -> tuple[int, int]:
    """Bytes that an instruction outside a fusion reads and writes."""
    operands = [by_name[name].bytes for name in instruction.operands if name in by_name]
    if instruction.op == "copy-start":  # its result holds the operand too
        return sum(operands), sum(operands)
    if instruction.op == UPDATE:
        return sum(operands[1:]), operands[1] if len(operands) > 1 else instruction.bytes
    if instruction.op in SLICES:
        return instruction.bytes, instruction.bytes
    return sum(operands), instruction.bytes


def _fusion_bytes(body: list[Instruction]) -> tuple[int, int]:
    """Bytes that a fusion reads and writes; of sliced operands and results updated in place, the touched part."""
    by_name = {instruction.name: instruction for instruction in body}
    users: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in body:
        for operand in instruction.operands:
            users[operand].append(instruction)
    read = sum(_parameter_bytes(found, users) for found in body if found.op == "parameter")
    written = 0
    for root in (instruction for instruction in body if instruction.is_root):
        for name in root.operands if root.op == "tuple" else (root.name,):
            written += _result_bytes(by_name[name], by_name)
    return read, written


def _parameter_bytes(parameter: Instruction, users: dict[str, list[Instruction]]) -> int:
    """What is read of a fusion's parameter."""
    touched = 0
    pending = [(parameter.name, user) for user in users[parameter.name]]
    while pending:
        name, user = pending.pop()
        if user.op in TRANSPARENT:
            pending += [(user.name, next_user) for next_user in users[user.name]]
        elif user.op in SLICES and user.operands[0] == name:
            touched += user.bytes
        elif user.op == UPDATE and user.operands[0] == name:
            continue  # updated in place
        else:
            return parameter.bytes
    return min(touched, parameter.bytes)


def _result_bytes(result: Instruction, by_name: dict[str, Instruction]) -> int:
    """What is written of a fusion's result."""
    source = result
    while source.op == "bitcast" and source.operands[0] in by_name:
        source = by_name[source.operands[0]]
    return by_name[source.operands[1]].bytes if source.op == UPDATE else result.bytes
