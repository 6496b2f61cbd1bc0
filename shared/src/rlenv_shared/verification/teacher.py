"""For float dynamics: every single step from the reference's state."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        tolerances: as in `compare`, like ``ignore`` and ``repro``.
        ignore: fields that are not compared.
        where: bool [T, B], steps to compare; under auto-reset leave out the steps that end a game if the two sides draw
            their resets from different generators.
        repro: a command.
        chunk: rows per call.

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
