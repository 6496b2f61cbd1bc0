"""Recordings as JSON lines, the form that drivers in other languages write.

The first line is a header ``{"format", "schema", "dtypes", "metadata"}``; every other line is one step::

    {"episode": 7, "t": 12, "action": [3, 0], "rng": "0x1f3a", "state": {"hp": 0}, "obs": null, "reward": 0.0,
     "terminated": false, "truncated": false}

A kind with one value stands there itself, a kind with paths is an object.  ``t = -1`` is what the reset returned.

Nothing is converted that would change: flags are ``true`` and ``false``, integers have no fraction and fit their dtype,
floats are exactly those of their dtype (0.1 is no float32; 0.10000000149011612 is).  A field that ``dtypes`` does not
name is bool, int64 (uint64 if it has to be) or float64.  Generator words may be strings such as ``"0xff"``, since JSON
numbers are not exact beyond 2**53 everywhere; undeclared ones are uint64.  ``NaN``, ``Infinity`` and ``-Infinity`` are
values of float fields alone; a NaN loses its payload.

A header may also have ``sha256``, by which damage is noticed that leaves well-formed lines: `rlenv_shared.files.digest`
of the header and of the text behind its line, under the name ``"lines"``.  `write` writes it.
"""

from __future__ import annotations

import io
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.trajectory import (
    DTYPES,
    FORMAT,
    INITIAL_KINDS,
    KINDS,
    SCHEMA,
    CanonicalStep,
    Trajectory,
    check_header,
    reading,
)

WORD_BITS_EXACT_IN_JSON: Final = 32  # wider generator words are written as hexadecimal strings
MAX_LINE_BYTES: Final = 1 << 26
MAX_STEPS: Final = 1 << 24  # of all episodes together
MAX_VALUES: Final = 1 << 28  # of one padded field
STEP_KINDS: Final = tuple(kind for kind in KINDS if kind != "valid")  # what is not there is not valid
JSON_TYPES: Final[Mapping[str, set[type]]] = {"b": {bool}, "f": {int, float}}  # by kind of dtype; integers: int alone
WORD: Final = re.compile("0x[0-9a-fA-F]{1,16}")


def step_to_json(step: CanonicalStep) -> dict[str, Any]:
    """One step as the object of its line."""
    line: dict[str, Any] = {"episode": step.episode, "t": step.t}
    for name, value in step.fields.items():
        kind, _, path = name.partition(".")
        array = np.asarray(value)
        wide = kind == "rng" and array.itemsize * 8 > WORD_BITS_EXACT_IN_JSON
        content = np.vectorize(hex, otypes=[object])(array).tolist() if wide else array.tolist()
        if path:
            line.setdefault(kind, {})[path] = content
        else:
            line[kind] = content
    return line


def step_from_json(line: Any, number: int = 0) -> CanonicalStep:
    """The step of a line, without kinds that are null or absent.  Raises InvalidParamsError: it is no step."""
    if not isinstance(line, dict) or not {"episode", "t"} <= set(line) <= {"episode", "t", *STEP_KINDS}:
        got = sorted(line) if isinstance(line, dict) else line
        raise _bad("line", f"{got!r:.200}", f"an object with episode, t and some of {STEP_KINDS}")
    for key, least in (("episode", 0), ("t", -1)):
        if type(line[key]) is not int or not least <= line[key] < MAX_STEPS:
            raise _bad(key, f"{line[key]!r:.200}", f"an integer from {least} to {MAX_STEPS - 1}")
    fields: dict[str, Any] = {}
    for kind in STEP_KINDS:
        value = line.get(kind)
        if isinstance(value, dict):
            fields |= {f"{kind}.{path}": part for path, part in value.items()}
        elif value is not None:
            fields[kind] = value
    if line["t"] < 0 and any(name.split(".")[0] not in INITIAL_KINDS for name in fields):
        raise _bad("reset (t = -1)", sorted(fields), f"some of {INITIAL_KINDS}")
    return CanonicalStep(line["episode"], line["t"], fields, number)


def write(trajectory: Trajectory, path: str | Path) -> None:
    """Write JSON lines.  Raises InvalidParamsError: the metadata is no JSON; StorageError: no place to write to."""
    arrays = {**trajectory.initial, **trajectory.steps}
    dtypes = {name: array.dtype.name for name, array in arrays.items() if name != "valid"}
    header = {"format": FORMAT, "schema": SCHEMA, "dtypes": dtypes, "metadata": dict(trajectory.metadata)}
    header = files.plain(f"metadata of {path}", header)
    body = "".join(json.dumps(step_to_json(step)) + "\n" for step in trajectory.canonical_steps()).encode()
    with files.replacing(path) as file:
        file.write(json.dumps({**header, files.SEAL: files.digest(header, [("lines", body)])}).encode() + b"\n")
        file.write(body)


def read(path: str | Path) -> Trajectory:
    """Read a recording from JSON lines.

    Raises SnapshotVersionError: missing, corrupt, no recording, or of another schema version; the message names the
    line.
    """
    with reading(f"recording {path}"):
        first, _, body = Path(path).read_bytes().partition(b"\n")
        with reading(f"recording {path}, line 1"):
            header = files.check_seal(files.parse_json(first), [("lines", body)])
            check_header(header, {"format", "schema", "dtypes", "metadata"})
        steps = []
        for number, line in enumerate(io.BytesIO(body), start=2):
            with reading(f"recording {path}, line {number}"):
                if len(line) > MAX_LINE_BYTES:
                    raise ValueError(f"{len(line)} bytes, more than {MAX_LINE_BYTES}")
                if line.strip():
                    steps.append(step_from_json(files.parse_json(line, special=True), number))
        return from_steps(steps, header["dtypes"], header["metadata"])


def from_steps(
    steps: Iterable[CanonicalStep], dtypes: Mapping[str, str], metadata: Mapping[str, Any] | None = None
) -> Trajectory:
    """Assemble a recording; shorter episodes are padded with zeros and marked in ``valid``.

    Args:
        steps: any order, values as JSON has them; episodes are columns 0..B-1, rows are consecutive from 0.
        dtypes: NumPy dtype by field name, of `trajectory.DTYPES`; see the module for fields that are not named.
        metadata: for the recording.

    Raises:
        InvalidParamsError: a row missing or twice, a field not in every row, a value not of its dtype, too many.
    """
    if not isinstance(dtypes, dict) or not all(type(dtype) is str and dtype in DTYPES for dtype in dtypes.values()):
        raise _bad("dtypes", f"{dtypes!r:.200}", f"an object of names from {DTYPES}")
    rows: dict[tuple[int, int], CanonicalStep] = {}
    for step in steps:
        if rows.setdefault((step.t, step.episode), step) is not step:
            raise _bad(_place(step), f"episode {step.episode}, t {step.t} twice", "every row once")
    played, resets = ([step for step in rows.values() if (step.t < 0) is reset] for reset in (False, True))
    if not played:
        raise _bad("rows", "no step", "at least one")
    shape = (max(t for t, _ in rows) + 1, max(episode for _, episode in rows) + 1)
    if len(rows) > MAX_STEPS or shape[0] * shape[1] > MAX_VALUES:
        raise _bad("rows", f"{len(rows)} in a table of {shape}", f"at most {MAX_STEPS}, in one of {MAX_VALUES}")
    valid = np.zeros(shape, np.bool_)
    valid[_index(played, 2)] = True
    if (valid[1:] & ~valid[:-1]).any() or not valid[0].all() or len(resets) not in (0, shape[1]):
        raise _bad("rows", "some are missing", "all steps of each episode from 0, resets of all episodes or of none")
    groups = [(resets, _names(resets), shape[1:]), (played, _names(played), shape)]
    unknown = sorted(set(dtypes).difference(*(names for _, names, _ in groups)))
    if unknown:
        raise _bad("dtypes", f"{unknown} without values", "fields of the rows")
    arrays: tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]] = ({}, {})
    for name in dict.fromkeys(itertools.chain(*(names for _, names, _ in groups))):
        values = _values([step for steps, names, _ in groups if name in names for step in steps], name, dtypes)
        for target, (steps, names, leading) in zip(arrays, groups, strict=True):
            if name in names:
                if np.prod([*leading, *values.shape[1:]], dtype=np.float64) > MAX_VALUES:
                    raise _bad(f"field {name!r}", f"{leading} times {values.shape[1:]}", f"at most {MAX_VALUES} values")
                target[name] = np.zeros(leading + values.shape[1:], values.dtype)
                target[name][_index(steps, len(leading))], values = values[: len(steps)], values[len(steps) :]
    initial, table = arrays
    return Trajectory(table if valid.all() else {**table, "valid": valid}, initial, metadata or {})


def _index(steps: Sequence[CanonicalStep], axes: int) -> tuple[NDArray[Any], ...]:
    """Where the rows belong in an array [T, B, ...], or [B, ...] for one axis."""
    return tuple(np.array([(step.t, step.episode)[-axes:] for step in steps], np.intp).T)


def _names(steps: Sequence[CanonicalStep]) -> list[str]:
    """The fields of all these rows."""
    for step in steps:
        if set(step.fields) != set(steps[0].fields):
            raise _bad(_place(step), f"fields {sorted(step.fields)}", f"{sorted(steps[0].fields)}, as in every row")
    return list(steps[0].fields) if steps else []


def _values(steps: Sequence[CanonicalStep], name: str, dtypes: Mapping[str, str]) -> NDArray[Any]:
    """A field's values in all rows, ``[N, ...]``; an error names the first row that does not fit."""
    dtype = dtypes.get(name)

    def convert(rows: Sequence[CanonicalStep]) -> NDArray[Any]:
        return _array([step.fields[name] for step in rows], dtype, words=name.split(".")[0] == "rng")

    try:
        return convert(steps)
    except (ValueError, OverflowError):
        for step in steps:
            try:
                convert([steps[0], step])
            except (ValueError, OverflowError) as error:
                expected = f"values of {dtype}" if dtype else "values of one kind, or a dtype in the header"
                raise _bad(f"{_place(step)}, field {name!r}", error, expected) from error
        raise


def _array(rows: list[Any], dtype: str | None, words: bool) -> NDArray[Any]:
    """Nested lists of JSON values as an array of a dtype, or of their own; ValueError, OverflowError if that loses."""
    shape, leaves = [len(rows)], rows
    while list in (kinds := set(map(type, leaves))):
        lengths = set(map(len, leaves)) if kinds == {list} else set()
        if len(lengths) != 1:
            raise ValueError("lists of different lengths or depths")
        shape.append(lengths.pop())
        leaves = list(itertools.chain.from_iterable(leaves))
    own = "float64"
    if words and kinds == {str}:
        if not all(map(WORD.fullmatch, leaves)):
            raise ValueError(f"{leaves[:2]!r:.80}, not 0x… of 64 bits")
        leaves, kinds, own = [int(word, 16) for word in leaves], {int}, "uint64"
    elif kinds in ({bool}, {int}):
        own = "bool" if kinds == {bool} else "int64" if max(leaves) < 2**63 else "uint64"
    target = np.dtype(dtype or own)
    if not kinds <= JSON_TYPES.get(target.kind, {int}):
        raise ValueError(f"{leaves[:2]!r:.80}")
    values = np.array(leaves, np.float64 if target.kind == "f" else target)  # integers out of range overflow
    with np.errstate(over="ignore"):
        cast = values.astype(target)
    if target.kind == "f":
        # Python compares integers with floats exactly; a NaN equals nothing
        whole = all(type(x) is float or x == y for x, y in zip(leaves, values.tolist(), strict=True))
        if not whole or not np.array_equal(cast.astype(np.float64), values, equal_nan=True):
            raise ValueError(f"{leaves[-2:]!r:.80}, no {target} exactly")
    return cast.reshape(shape)


def _place(step: CanonicalStep) -> str:
    return f"line {step.line}" if step.line else f"row of episode {step.episode}, t {step.t}"


def _bad(what: str, got: object, expected: object) -> InvalidParamsError:
    return InvalidParamsError(f"JSON steps: {what}", got, expected, "mend their writer")
