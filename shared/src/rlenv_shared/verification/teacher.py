"""For float dynamics: every single step from the reference's state, and how fast free-running episodes drift apart."""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.compare import Tolerances, compare, generator_before
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.trajectory import Trajectory

Fields = Mapping[str, NDArray[Any]]
StepFrom = Callable[[Fields, NDArray[Any]], Fields]
"""``step_from(fields before [N, ...], actions [N, ...]) -> fields after [N, ...]``, names as in a recording."""


def teacher_forced(
    reference: Trajectory,
    step_from: StepFrom,
    *,
    tolerances: Tolerances | None = None,
    ignore: Sequence[str] = (),
    where: NDArray[np.bool_] | None = None,
    repro: str = "",
    chunk: int = 1 << 16,
) -> Differences:
    """Compare one step at a time, each from the state the reference was in, so that errors cannot add up.

    Args:
        reference: recording with its initial state.
        step_from: our step; returns at least ``terminated``.  Called with `chunk` rows at a time, the last call padded
            by repeating its last row, so a jitted function compiles once.
        tolerances: as in `compare`.
        ignore: fields that are not compared, as in `compare`.
        where: bool [T, B], steps to compare, as in `compare`; under auto-reset leave out the steps that end a game if
            the two sides draw their resets from different generators.
        repro: as in `compare`.
        chunk: rows per call.

    Returns:
        What was found; ``ours`` in it is one step from the reference's state.

    Raises:
        InvalidParamsError: as `compare`, or there is no initial state.
    """
    leading = reference.steps["terminated"].shape
    rows = leading[0] * leading[1]
    chunk = min(chunk, rows)
    before = {name: reference.before(name).reshape(rows, *a.shape[1:]) for name, a in reference.initial.items()}
    actions = reference.steps["action"].reshape(rows, *reference.steps["action"].shape[2:])
    parts: list[Fields] = []
    for start in range(0, rows, chunk):
        index = np.minimum(np.arange(start, start + chunk), rows - 1)
        after = step_from({name: array[index] for name, array in before.items()}, actions[index])
        parts.append({name: np.asarray(array)[: rows - start] for name, array in after.items()})
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    ours = {name: array.reshape(*leading, *array.shape[1:]) for name, array in joined.items()}
    given = {name: reference.steps[name] for name in ("action", "valid") if name in reference.steps}
    differences = compare(
        Trajectory({**given, **ours}),
        dataclasses.replace(reference, initial={}),
        tolerances=tolerances,
        ignore=ignore,
        where=where,
        repro=repro,
    )
    if differences.first is None:
        return differences
    words = generator_before(reference, differences.first.step, differences.first.episode)  # both start there
    return dataclasses.replace(differences, first=dataclasses.replace(differences.first, generator={"theirs": words}))


def drift(
    ours: Trajectory,
    theirs: Trajectory,
    fields: Sequence[str] = ("state.*",),
    quantiles: Sequence[float] = (0.5, 0.99, 1.0),
) -> dict[str, Any]:
    """How two recordings that started alike drift apart, step by step.

    Episodes count up to and including the first row in which either side ends; components of a field are pooled.

    Args:
        ours: recording.
        theirs: recording of the reference, same steps, episodes and actions.
        fields: names or patterns of numeric fields.
        quantiles: of the absolute error over episodes; 1.0 is the maximum.

    Returns:
        JSON-serialisable ``{"episodes": [T], "fields": {name: {"0.5": [T], ...}}}``: how many episodes were still
        running at each step, and the quantiles, None where no episode was.

    Raises:
        InvalidParamsError: shapes differ, or no field matches.
    """
    if ours.ends.shape != theirs.ends.shape:
        raise InvalidParamsError("drift", ours.ends.shape, theirs.ends.shape, "record both with the same actions")
    names = [name for name in theirs.steps if name in ours.steps and _matches(name, fields)]
    if not names:
        raise InvalidParamsError("drift", fields, list(theirs.steps), "name a field of both")
    ended = np.logical_or.accumulate(ours.ends | theirs.ends, axis=0)
    running = ours.valid & theirs.valid & ~np.concatenate([np.zeros_like(ended[:1]), ended[:-1]])
    curves = {}
    for name in names:
        a, b = (side.steps[name].astype(np.float64).reshape(*ended.shape, -1) for side in (ours, theirs))
        error = np.abs(a - b)
        rows = [np.quantile(error[t][running[t]], quantiles) if running[t].any() else None for t in range(len(ended))]
        curves[name] = {
            str(q): [None if row is None else float(row[i]) for row in rows] for i, q in enumerate(quantiles)
        }
    return {"episodes": running.sum(axis=1).tolist(), "fields": curves}


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
