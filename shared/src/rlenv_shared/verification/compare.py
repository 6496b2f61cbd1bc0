"""First-divergence comparator of two recordings.

First they must be alike: as many steps and episodes, the same of them recorded (`valid`), the same fields before and
after the reset, of the same shapes and dtypes.  What is not alike is reported and makes the comparison fail, whatever
the values, which are compared as far as both sides have them.

Values are compared exactly by default: floats have the same bits, so -0.0 differs from 0.0 and NaNs must agree in sign
and payload.  A float field or component with a named `Tolerance` may differ by it, and in width too; there signed zeros
are equal, a NaN matches only a NaN and an infinity only itself.
"""

from __future__ import annotations

import dataclasses
import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.differences import Differences, Divergence, FieldResult, Unlike
from rlenv_shared.verification.trajectory import KINDS, Trajectory

UNSIGNED: Final = {2: np.uint16, 4: np.uint32, 8: np.uint64}
FAR: Final = np.uint64(2**64 - 1)  # distance between a NaN and a number


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """A named bound: values agree if any of its parts allows the difference."""

    name: str  # what reports call it, e.g. ``"TOL_QPOS"``
    atol: float = 0.0  # absolute, in the field's unit
    rtol: float = 0.0  # relative to the reference's magnitude
    ulp: int = 0  # units in the last place; needs equal dtypes

    def __post_init__(self) -> None:
        bounds = (self.atol, self.rtol, self.ulp)
        if not all(np.isfinite(bound) and bound >= 0 for bound in bounds) or not any(bounds) or not self.name:
            what, got, expected = f"tolerance {self.name!r}", bounds, "a name and finite bounds >= 0, at least one > 0"
            raise InvalidParamsError(what, got, expected, "leave the field out of the tolerances to compare it exactly")

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
"""Tolerance by field (``"state.x"``), component (``"obs[3]"``) or pattern (``"state.*"``); the narrowest wins.

Patterns pass over fields that are not floats, which are always exact."""


def compare(
    ours: Trajectory,
    theirs: Trajectory,
    *,
    tolerances: Tolerances | None = None,
    ignore: Sequence[str] = (),
    where: NDArray[np.bool_] | None = None,
    repro: str = "",
) -> Differences:
    """Compare two recordings of the same episodes and actions; call ``raise_on_divergence()`` of what is found.

    Args:
        ours: recording of the implementation under test.
        theirs: recording of the reference.
        tolerances: what may differ, and by how much; everything else is exact.
        ignore: fields or patterns left out; `valid` cannot be.
        where: bool [T, B] of the reference; compare only these steps (what is not ``valid`` is left out in any case).
        repro: template of a one-line command, filled from the metadata, ``{episode}``, ``{step}`` and ``{field}``.

    Raises:
        InvalidParamsError: a tolerance or an ignored name that concerns no field, one for integers, nothing left.
    """
    values = {**theirs.metadata, **ours.metadata, "episode": 0, "step": 0, "field": ""}
    _format(repro, values)
    if where is None:
        where = np.ones(theirs.valid.shape, np.bool_)
    elif where.shape != theirs.valid.shape or where.dtype != np.bool_:
        raise _bad("where", f"{where.dtype} {where.shape}", f"bool {theirs.valid.shape}", "give one flag per step")
    unlike = [*_extent(ours, theirs, where)]
    shape = np.minimum(ours.valid.shape, theirs.valid.shape)
    ours, theirs = (_cut(side, *shape) for side in (ours, theirs))
    mask = ours.valid & theirs.valid & where[: shape[0], : shape[1]]
    names = _names((ours, theirs), ignore)
    plan = _plan(names, (ours, theirs), tolerances or {})
    pairs = {}
    for part in ("initial", "steps"):
        for name in names:
            a, b = getattr(ours, part).get(name), getattr(theirs, part).get(name)
            difference = _difference(f"initial {name}" if part == "initial" else name, a, b, plan[name])
            if difference is not None:
                unlike.append(difference)
            elif a is not None:
                pairs[part, name] = (a[None], b[None]) if part == "initial" else (a, b)
    results: dict[str, FieldResult] = {}
    first: tuple[int, int, int, int] | None = None  # (t, episode, field, component): time decides
    for (part, name), (a, b) in pairs.items():
        initial = part == "initial"
        steps = np.ones_like(mask[:1], shape=(1, shape[1])) if initial else mask
        result, at = _compare_field(a, b, steps, plan[name])
        results[f"initial {name}" if initial else name] = result
        if at is not None:
            place = (-1 if initial else at[0], at[1], names.index(name), at[2])
            first = min(first or place, place)
    if not unlike and not (mask.any() and any(r.compared for name, r in results.items() if name != "action")):
        raise _bad("values", "no step or no value to compare", "at least one", "check `where` and the recordings")
    divergence = None
    if first is not None:
        t, episode, order, flat = first
        divergence = _describe(ours, theirs, names[order], t, episode, flat, plan[names[order]][flat])
        filled = {**values, "episode": episode, "step": t, "field": divergence.field}
        divergence = dataclasses.replace(divergence, repro=_format(repro, filled))
    return Differences(int(mask.sum()), int((theirs.ends & mask).sum()), results, divergence, tuple(unlike))


def _extent(ours: Trajectory, theirs: Trajectory, where: NDArray[np.bool_]) -> Iterator[Unlike]:
    """Other lengths, or other steps recorded."""
    a, b = ours.valid, theirs.valid
    if a.shape != b.shape:
        yield Unlike("steps and episodes", str(a.shape), str(b.shape))
    elif ((a != b) & where).any():
        t, episode = np.argwhere((a != b) & where)[0]
        side = "ours" if a[t, episode] else "theirs"
        about = f"{b.sum():,}; the first difference is episode {episode}, step {t}, which only {side} has"
        yield Unlike("valid", f"{a.sum():,} steps recorded", about)


def _cut(side: Trajectory, steps: int, episodes: int) -> Trajectory:
    """The first steps of the first episodes."""
    if (side.num_steps, side.num_episodes) == (steps, episodes):
        return side
    initial = {name: array[:episodes] for name, array in side.initial.items()}
    return Trajectory({name: array[:steps, :episodes] for name, array in side.steps.items()}, initial, side.metadata)


def _names(sides: tuple[Trajectory, Trajectory], ignore: Sequence[str]) -> list[str]:
    """Fields to compare, in the order of the schema, whichever side has them; `valid` has been compared."""
    present = {name for side in sides for name in (*side.steps, *side.initial)} - {"valid"}
    _no_unused(ignore, {pattern for pattern in ignore if fnmatch.filter(present, pattern)}, present)
    left = [name for name in present if not any(fnmatch.fnmatchcase(name, pattern) for pattern in ignore)]
    if not set(left) - {"action"}:
        raise _bad("fields", f"{left} left", "one that an implementation computes", "ignore less")
    return sorted(left, key=lambda name: (KINDS.index(name.split(".")[0]), name))


def _plan(
    names: Sequence[str], sides: tuple[Trajectory, Trajectory], tolerances: Tolerances
) -> dict[str, list[Tolerance | None]]:
    """The tolerance of each flattened component of each field."""
    plan: dict[str, list[Tolerance | None]] = {}
    used: set[str] = set()
    for name in names:
        parts = [(2, side.steps) for side in sides] + [(1, side.initial) for side in sides]
        found = [(fields[name].shape[lead:], fields[name].dtype.kind) for lead, fields in parts if name in fields]
        shape, is_float = found[0][0], any(kind == "f" for _, kind in found)
        patterns = [key for key in tolerances if is_float and "*" in key and fnmatch.fnmatchcase(name, key)]
        plan[name] = []
        for flat in range(int(np.prod(shape, dtype=np.int64))):
            exact = [key for key in (component(name, shape, flat), name) if key in tolerances]
            if exact and not is_float:
                raise _bad(f"tolerance {exact[0]!r}", "a field of no floats", "floats", "leave it out: it is exact")
            used |= {*exact, *patterns}
            plan[name].append(tolerances[(exact + patterns)[0]] if exact or patterns else None)
    _no_unused([*tolerances], used, names)
    return plan


def _difference(what: str, ours: Any, theirs: Any, bounds: Sequence[Tolerance | None]) -> Unlike | None:
    """How a field differs in other than its values; a float's width may, where all its components have a tolerance."""
    if ours is None or theirs is None:
        sides = ["absent" if side is None else "recorded" for side in (ours, theirs)]
        return None if ours is theirs else Unlike(f"field {what!r}", *sides)
    if ours.shape != theirs.shape:
        return Unlike(f"shape of {what!r}", str(ours.shape), str(theirs.shape))
    floats = ours.dtype.kind == theirs.dtype.kind == "f" and all(bound and not bound.ulp for bound in bounds)
    if ours.dtype == theirs.dtype or floats:
        return None
    return Unlike(f"dtype of {what!r}", str(ours.dtype), str(theirs.dtype))


def component(name: str, shape: tuple[int, ...], flat: int) -> str:
    """Path of one component: ``obs[3]``, ``state.grid[1,2]``, or the field's name if it is a scalar."""
    return f"{name}[{','.join(str(i) for i in np.unravel_index(flat, shape))}]" if shape else name


def _compare_field(
    ours: NDArray[Any],
    theirs: NDArray[Any],
    mask: NDArray[np.bool_],
    tolerances: list[Tolerance | None],
) -> tuple[FieldResult, tuple[int, int, int] | None]:
    """Count a field's mismatches and find the first as (t, episode, component)."""
    a, b = (x.reshape(*mask.shape, len(tolerances)) for x in (ours, theirs))
    same_dtype = a.dtype == b.dtype
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
    """Everything that is said about one differing value (``t`` is -1 for the reset)."""
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
        generator={}
        if t < 0
        else {"ours": generator_before(ours, t, episode), "theirs": generator_before(theirs, t, episode)},
        repro="",
    )


def generator_before(side: Trajectory, t: int, episode: int) -> list[str]:
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
        expected = f"placeholders among {sorted(values)}"
        raise _bad("repro template", f"{template!r}: {error!r}", expected, "correct it") from error


def _no_unused(keys: Iterable[str], used: set[str], names: Iterable[str]) -> None:
    """A misspelt tolerance or ignored field must not do nothing."""
    for key in keys:
        if key not in used:
            raise _bad(f"name {key!r}", "no such field", f"one of {sorted(names)}", "correct the name")


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(f"compare: {what}", got, expected, remedy)


def bit_pattern(array: NDArray[Any]) -> NDArray[Any]:
    """The IEEE 754 bits of a float array as unsigned integers of the same width; other arrays unchanged."""
    return array.view(UNSIGNED[array.itemsize]) if array.dtype.kind == "f" else array


def ulp_distance(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint64]:
    """How many representable floats lie between two arrays of one float dtype, counting one end; uint64.

    Signed zeros are one number (distance 0), the largest finite float and infinity are neighbours, two NaNs are at
    distance 0 whatever their payload, and a NaN is at distance 2**64 - 1 from every number.  Raises TypeError: dtypes
    differ or are not floats.
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.dtype.kind != "f":
        raise TypeError(f"ulp_distance needs one float dtype, got {a.dtype} and {b.dtype}")
    sign_a, sign_b = np.signbit(a), np.signbit(b)
    size_a, size_b = (bit_pattern(np.abs(x)).astype(np.uint64) for x in (a, b))
    same_sign = np.maximum(size_a, size_b) - np.minimum(size_a, size_b)
    distance = np.where(sign_a == sign_b, same_sign, size_a + size_b)
    nan_a, nan_b = np.isnan(a), np.isnan(b)
    return np.where(nan_a & nan_b, np.uint64(0), np.where(nan_a | nan_b, FAR, distance)).astype(np.uint64)
