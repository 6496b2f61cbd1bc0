"""First-divergence comparator of two recordings.

Exact by default.  *Exact* means: floats have the same bits, so -0.0 differs from 0.0 and NaNs must agree in sign and
payload; integers and bools have the same value, whatever their width.  A field or component with a named `Tolerance`
may differ by it; there signed zeros are equal, a NaN matches only a NaN and an infinity only itself.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.verification.differences import Divergence, FieldResult, Report
from rlenv_shared.verification.trajectory import KINDS, Trajectory
from rlenv_shared.verification.ulp import FAR, bit_pattern, ulp_distance


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """A named bound: values agree if any of its parts allows the difference.

    Attributes:
        name: what reports call it, e.g. ``"TOL_QPOS"``.
        atol: absolute, in the field's unit.
        rtol: relative to the reference's magnitude.
        ulp: units in the last place; needs equal dtypes.
    """

    name: str
    atol: float = 0.0
    rtol: float = 0.0
    ulp: int = 0

    def __post_init__(self) -> None:
        bounds = (self.atol, self.rtol, self.ulp)
        if not all(np.isfinite(bound) and bound >= 0 for bound in bounds) or not any(bounds) or not self.name:
            raise InvalidParamsError(
                explain(
                    f"tolerance {self.name!r}",
                    got=bounds,
                    expected="a name and finite bounds >= 0, at least one > 0",
                    remedy="leave the field out of the tolerances to compare it exactly",
                )
            )

    def allows(self, ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[np.bool_]:
        """Which pairs of values agree, elementwise."""
        a, b = ours.astype(np.float64), theirs.astype(np.float64)
        finite = np.isfinite(a) & np.isfinite(b)
        with np.errstate(invalid="ignore", over="ignore"):
            within = finite & (np.abs(a - b) <= self.atol + self.rtol * np.abs(b))
        if self.ulp:
            within |= finite & (ulp_distance(ours, theirs) <= np.uint64(self.ulp))
        return within | (a == b) | (np.isnan(a) & np.isnan(b))


EXACT: Final = "exact"
_NEVER: Final = (2**63, 0, 0, 0)  # later than any step
Tolerances = Mapping[str, Tolerance]
"""Tolerance by field (``"state.x"``), component (``"obs[3]"``) or pattern (``"state.*"``); the narrowest wins."""


def compare(
    ours: Trajectory,
    theirs: Trajectory,
    *,
    tolerances: Tolerances | None = None,
    ignore: Sequence[str] = (),
    where: NDArray[np.bool_] | None = None,
    repro: str = "",
) -> Report:
    """Compare two recordings of the same episodes and actions.

    Args:
        ours: recording of the implementation under test.
        theirs: recording of the reference, same steps and episodes.
        tolerances: what may differ, and by how much; everything else is exact.
        ignore: fields or patterns left out.
        where: bool [T, B]; compare only these steps (both recordings' ``valid`` applies in any case).
        repro: template of a one-line command; ``{episode}``, ``{step}``, ``{field}`` and keys of both recordings'
            metadata are filled in.

    Returns:
        A report; call its ``raise_on_divergence()``.

    Raises:
        InvalidParamsError: the recordings cannot be compared: other fields, shapes or kinds of dtype, a tolerance or
            an ignored name that concerns no field, nothing left to compare.
    """
    values = {**theirs.metadata, **ours.metadata, "episode": 0, "step": 0, "field": ""}
    _format(repro, values)
    mask = _mask(ours, theirs, where)
    names = _fields(ours, theirs, ignore)
    plan = {name: _components(name, theirs.steps[name].shape[2:], tolerances or {}) for name in names}
    _no_unused([*(tolerances or {})], names, {key for keys, _ in plan.values() for key in keys})
    results: dict[str, FieldResult] = {}
    first: tuple[int, int, int, int] | None = None  # (t, episode, field, component): time decides
    for order, name in enumerate(names):
        bounds = plan[name][1]
        if name in ours.initial and name in theirs.initial:
            a, b = ours.initial[name][None], theirs.initial[name][None]
            results[f"initial {name}"], at = _compare_field(name, a, b, np.ones_like(mask[:1]), bounds)
            if at is not None:
                first = min(first or _NEVER, (-1, at[1], order, at[2]))
        results[name], at = _compare_field(name, ours.steps[name], theirs.steps[name], mask, bounds)
        if at is not None:
            first = min(first or _NEVER, (*at[:2], order, at[2]))
    divergence = None
    if first is not None:
        t, episode, order, flat = first
        divergence = _describe(ours, theirs, names[order], t, episode, flat, plan[names[order]][1][flat])
        filled = {**values, "episode": episode, "step": t, "field": divergence.field}
        divergence = dataclasses.replace(divergence, repro=_format(repro, filled))
    return Report(int(mask.sum()), int((theirs.ends & mask).sum()), results, divergence)


def _mask(ours: Trajectory, theirs: Trajectory, where: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    got, expected = (ours.num_steps, ours.num_episodes), (theirs.num_steps, theirs.num_episodes)
    if got != expected:
        raise _bad("steps and episodes", got, expected, "record both with the same actions")
    mask = ours.valid & theirs.valid
    if where is not None:
        if where.shape != mask.shape or where.dtype != np.bool_:
            raise _bad("where", f"{where.dtype} {where.shape}", f"bool {mask.shape}", "give one flag per step")
        mask = mask & where
    if not mask.any():
        raise _bad("steps", "no step to compare", "at least one", "check `where` and the recordings")
    return mask


def _fields(ours: Trajectory, theirs: Trajectory, ignore: Sequence[str]) -> list[str]:
    """Names to compare, in the order of the schema; `valid` is compared when either side has it."""
    present = sorted({*ours.steps, *theirs.steps}, key=lambda name: (KINDS.index(name.split(".")[0]), name))
    _no_unused(ignore, present, set())
    names = [name for name in present if not any(fnmatch.fnmatchcase(name, pattern) for pattern in ignore)]
    for name in names:
        if name not in ours.steps or name not in theirs.steps:
            side = "ours" if name in ours.steps else "theirs"
            raise _bad(f"field {name!r}", f"only in {side}", "in both", "record it on both sides or ignore it")
        a, b = ours.steps[name], theirs.steps[name]
        if a.shape != b.shape:
            raise _bad(f"field {name!r}", f"shape {a.shape}", f"shape {b.shape}", "record both alike")
        if (a.dtype.kind == "f") != (b.dtype.kind == "f"):
            raise _bad(f"field {name!r}", a.dtype, f"{b.dtype}, float on both sides or on neither", "convert one")
    return names


def _components(name: str, shape: tuple[int, ...], tolerances: Tolerances) -> tuple[set[str], list[Tolerance | None]]:
    """Keys of ``tolerances`` that concern a field, and the tolerance of each of its flattened components."""
    size = int(np.prod(shape, dtype=np.int64))
    used: set[str] = set()
    chosen: list[Tolerance | None] = []
    for flat in range(size):
        full = component(name, shape, flat)
        keys = [key for key in (full, name) if key in tolerances]
        keys += [key for key in tolerances if "*" in key and fnmatch.fnmatchcase(name, key)]
        used |= set(keys)
        chosen.append(tolerances[keys[0]] if keys else None)
    return used, chosen


def component(name: str, shape: tuple[int, ...], flat: int) -> str:
    """Path of one component: ``obs[3]``, ``state.grid[1,2]``, or the field's name if it is a scalar."""
    return f"{name}[{','.join(str(i) for i in np.unravel_index(flat, shape))}]" if shape else name


def _compare_field(
    name: str,
    ours: NDArray[Any],
    theirs: NDArray[Any],
    mask: NDArray[np.bool_],
    tolerances: list[Tolerance | None],
) -> tuple[FieldResult, tuple[int, int, int] | None]:
    """Count a field's mismatches and find the first as (t, episode, component)."""
    a, b = (x.reshape(*mask.shape, len(tolerances)) for x in (ours, theirs))
    same_dtype = a.dtype == b.dtype
    if a.dtype.kind == "f" and not same_dtype and any(tol is None or tol.ulp for tol in tolerances):
        raise _bad(f"field {name!r}", f"{a.dtype} and {b.dtype}", "one float dtype", "give an atol or rtol, or convert")
    differ = (bit_pattern(a) != bit_pattern(b)) if same_dtype else (a != b)
    at = np.nonzero(differ & mask[:, :, None])
    x, y = a[at], b[at]
    wrong = np.ones(x.shape, np.bool_)
    for tolerance in {tol for tol in tolerances if tol is not None}:
        chosen = np.array([tol == tolerance for tol in tolerances])[at[2]]
        wrong[chosen] = ~tolerance.allows(x[chosen], y[chosen])
    largest = max_error(x, y)
    ulps = ulp_distance(x, y) if same_dtype and x.dtype.kind == "f" else np.zeros(0, np.uint64)
    names = sorted({tol.name if tol else EXACT for tol in tolerances})
    result = FieldResult(
        compared=int(mask.sum()) * len(tolerances),
        mismatches=int(wrong.sum()),
        max_abs=largest,
        max_ulp=int(ulps[ulps != FAR].max(initial=0)) if same_dtype and a.dtype.kind == "f" else None,
        tolerance=", ".join(names),
    )
    if not wrong.any():
        return result, None
    first = int(np.argmax(wrong))  # nonzero() is sorted by step, then episode, then component
    return result, (int(at[0][first]), int(at[1][first]), int(at[2][first]))


def max_error(ours: NDArray[Any], theirs: NDArray[Any]) -> float:
    """Largest absolute difference, inf where only one of two values is finite, 0 for no values."""
    with np.errstate(invalid="ignore"):
        error = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    same = (ours == theirs) | (np.isnan(error) & (ours != ours) & (theirs != theirs))
    return float(np.where(same, 0.0, np.where(np.isnan(error), np.inf, error)).max(initial=0.0))


def _describe(
    ours: Trajectory, theirs: Trajectory, name: str, t: int, episode: int, flat: int, tolerance: Tolerance | None
) -> Divergence:
    """Everything the report says about one differing value (``t`` is -1 for the reset)."""
    a, b = (
        (side.initial[name][episode] if t < 0 else side.steps[name][t, episode]).reshape(-1)[flat]
        for side in (ours, theirs)
    )
    earlier_ends = np.nonzero(theirs.ends[: max(t, 0), episode])[0]
    return Divergence(
        episode=episode,
        step=t,
        game=len(earlier_ends),
        game_step=t - (int(earlier_ends[-1]) + 1 if len(earlier_ends) else 0),
        field=component(name, theirs.steps[name].shape[2:], flat),
        ours=render(a),
        theirs=render(b),
        error=max_error(np.atleast_1d(a), np.atleast_1d(b)),
        tolerance=str(tolerance) if tolerance else EXACT,
        action=None if t < 0 else theirs.steps["action"][t, episode].tolist(),
        generator={} if t < 0 else {"ours": _generator(ours, t, episode), "theirs": _generator(theirs, t, episode)},
        repro="",
    )


def _generator(side: Trajectory, t: int, episode: int) -> list[str]:
    """Generator words before a step, hexadecimal; empty if the recording has none."""
    names = [name for name in side.steps if name.split(".")[0] == "rng" and (t > 0 or name in side.initial)]
    words = [(side.steps[name][t - 1] if t > 0 else side.initial[name])[episode] for name in names]
    return [hex(int(word)) for array in words for word in np.ravel(array)]


def render(value: Any) -> str:
    """A scalar, floats with their bits."""
    array = np.asarray(value)
    return f"{array} (0x{int(bit_pattern(array)):0{2 * array.itemsize}x})" if array.dtype.kind == "f" else str(array)


def _format(template: str, values: Mapping[str, Any]) -> str:
    try:
        return template.format_map(dict(values))
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        raise _bad(
            "repro template", f"{template!r}: {error!r}", f"placeholders among {sorted(values)}", "correct it"
        ) from error


def _no_unused(keys: Sequence[str], names: Sequence[str], used: set[str]) -> None:
    """A misspelt tolerance or ignored field must not do nothing."""
    for key in keys:
        if key not in used and not any(fnmatch.fnmatchcase(name, key) for name in names):
            raise _bad(f"name {key!r}", "no such field", f"one of {list(names)}", "correct the name")


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(f"compare: {what}", got=got, expected=expected, remedy=remedy))
