"""Equivalence by two one-sided tests (TOST).

The null hypothesis is that the means differ by at least the margin; rejecting it at level ``alpha`` shows equivalence.
That happens exactly when the (1 - 2 alpha) confidence interval of the difference lies inside ±margin.

Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657-680; for proportions Newcombe 1998, Stat. Med. 17:873-890,
method 10 (hybrid score interval).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from rlenv_shared.errors import InvalidParamsError

EQUIVALENT: Final = "equivalent"
NOT_SHOWN: Final = "not shown equivalent"
FARTHEST_Z: Final = 38.0  # the normal tail beyond underflows float64


@dataclasses.dataclass(frozen=True)
class TostResult:
    """An equivalence test."""

    method: str  # ``welch``, ``paired`` or ``proportions``
    mean_a: float  # mean (or proportion) of the first sample
    mean_b: float  # of the second
    difference: float  # ``mean_a - mean_b``
    ci_low: float  # lower end of the (1 - 2 alpha) confidence interval of the difference
    ci_high: float  # upper end
    margin: float  # equivalence margin, in the samples' unit
    alpha: float  # level of each one-sided test
    n_a: int  # size of the first sample
    n_b: int  # of the second
    p_lower: float  # p value against ``difference <= -margin``
    p_upper: float  # p value against ``difference >= margin``
    p: float  # the larger of both
    degenerate: bool  # the difference has no variance, so the verdict is the plain comparison |difference| < margin
    verdict: Literal["equivalent", "not shown equivalent"]  # ``"equivalent"`` or ``"not shown equivalent"``
    reason: str  # why, in words

    @property
    def equivalent(self) -> bool:
        """The verdict as a bool."""
        return self.verdict == EQUIVALENT

    def to_json(self) -> dict[str, Any]:
        """JSON-serialisable form."""
        return dataclasses.asdict(self)


def tost_welch(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> TostResult:
    """Equivalence of the means of two independent samples of unequal variances, each at least 2 finite numbers.

    Raises InvalidParamsError: such a sample is missing, or `check_design` refuses margin or level.
    """
    x, y = _sample("a", a), _sample("b", b)
    check_design(margin, alpha)
    variance_x, variance_y = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    variance = variance_x + variance_y
    if variance == 0 or (np.ptp(x) == 0 and np.ptp(y) == 0):  # the mean of equal numbers may be off by an ulp
        return _student("welch", x, y, float(x[0] - y[0]), 0.0, 1.0, margin, alpha)
    freedom = variance**2 / (variance_x**2 / (len(x) - 1) + variance_y**2 / (len(y) - 1))
    return _student("welch", x, y, float(x.mean() - y.mean()), math.sqrt(variance), freedom, margin, alpha)


def tost_paired(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> TostResult:
    """Equivalence of the means of two measurements on the same subjects, in the same order, at least 2.

    Raises InvalidParamsError: as `tost_welch`, or the samples differ in size.
    """
    x, y = _sample("a", a), _sample("b", b)
    check_design(margin, alpha)
    if len(x) != len(y):
        raise InvalidParamsError("paired samples", (len(x), len(y)), "one size", "pair them")
    gaps = x - y
    error = math.sqrt(gaps.var(ddof=1) / len(gaps))
    if error == 0 or np.ptp(gaps) == 0:
        return _student("paired", x, y, float(gaps[0]), 0.0, 1.0, margin, alpha)
    return _student("paired", x, y, float(gaps.mean()), error, len(gaps) - 1.0, margin, alpha)


def tost_proportions(count_a: int, n_a: int, count_b: int, n_b: int, margin: float, alpha: float = 0.05) -> TostResult:
    """Equivalence of two independent proportions, by Newcombe's hybrid score interval.

    The p values are the levels at which that interval would just touch the margin.

    Args:
        count_a: successes in the first sample, 0 <= count_a <= n_a.
        n_a: its size, >= 1.
        count_b: successes in the second.
        n_b: its size.
        margin: 0 < margin <= 1.
        alpha: 0 < alpha < 0.5.

    Raises:
        InvalidParamsError: counts, margin or alpha out of bounds.
    """
    check_design(margin, alpha)
    for count, n in ((count_a, n_a), (count_b, n_b)):
        if not (isinstance(count, int | np.integer) and isinstance(n, int | np.integer) and 0 <= count <= n and n >= 1):
            raise InvalidParamsError("count of n", (count, n), "integers 0 <= count <= n, n >= 1", "count again")
    if margin > 1:
        raise InvalidParamsError("margin", margin, "0 < margin <= 1", "use a proportion")

    def limits(z: float) -> tuple[float, float]:
        return newcombe_interval(count_a, n_a, count_b, n_b, z)

    low, high = limits(float(stats.norm.isf(alpha)))
    p_lower = _touching_level(lambda z: limits(z)[0] + margin, lambda z: limits(z)[1] + margin)
    p_upper = _touching_level(lambda z: margin - limits(z)[1], lambda z: margin - limits(z)[0])
    means = float(count_a / n_a), float(count_b / n_b)
    return _result("proportions", means, (low, high), margin, alpha, (int(n_a), int(n_b)), (p_lower, p_upper))


def newcombe_interval(count_a: int, n_a: int, count_b: int, n_b: int, z: float) -> tuple[float, float]:
    """Newcombe's hybrid score interval of the difference of two proportions, at normal quantile ``z >= 0``."""
    p_a, p_b = count_a / n_a, count_b / n_b
    (low_a, high_a), (low_b, high_b) = wilson_interval(count_a, n_a, z), wilson_interval(count_b, n_b, z)
    gap = p_a - p_b
    return gap - math.hypot(p_a - low_a, high_b - p_b), gap + math.hypot(p_b - low_b, high_a - p_a)


def wilson_interval(count: int, n: int, z: float) -> tuple[float, float]:
    """Wilson's score interval of a proportion, at normal quantile ``z >= 0``."""
    share, squared = count / n, z * z
    centre = (share + squared / (2 * n)) / (1 + squared / n)
    half = z / (1 + squared / n) * math.sqrt(share * (1 - share) / n + squared / (4 * n * n))
    return (0.0 if count == 0 else centre - half), (1.0 if count == n else centre + half)


def check_design(margin: float, alpha: float) -> None:
    """Check margin and level.  Raises InvalidParamsError: margin not finite and > 0, or alpha not in (0, 0.5)."""
    if not (math.isfinite(margin) and margin > 0):
        raise InvalidParamsError("margin", margin, "a finite number > 0", "fix the margin before the experiment")
    if not 0 < alpha < 0.5:
        raise InvalidParamsError("alpha", alpha, "0 < alpha < 0.5", "0.05 is usual")


def _sample(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or len(array) < 2 or not np.isfinite(array).all():
        got = f"shape {array.shape}, {int((~np.isfinite(array)).sum())} values not finite"
        raise InvalidParamsError(f"sample {name}", got, "at least 2 finite numbers on one axis", "check the runs")
    return array


def _touching_level(near_limit: Any, far_limit: Any) -> float:
    """One-sided level at which an interval limit crosses zero.

    ``near_limit(z)`` falls with ``z`` from the distance between estimate and margin; if that distance is negative the
    level is above one half, and it is the other limit, ``far_limit``, that crosses, at ``-z``.
    """
    inside = near_limit(0.0) > 0
    limit, sign = (near_limit, 1.0) if inside else (far_limit, -1.0)
    if near_limit(0.0) == 0:
        return 0.5
    if limit(0.0) * limit(FARTHEST_Z) > 0:  # the limit never gets there
        return 0.0 if inside else 1.0
    z = optimize.brentq(limit, 0.0, FARTHEST_Z, xtol=1e-15, rtol=8.9e-16)
    return float(stats.norm.sf(sign * z))


def _student(
    method: str,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    gap: float,
    error: float,
    freedom: float,
    margin: float,
    alpha: float,
) -> TostResult:
    """From the difference, its standard error (0 where there is no variance) and the degrees of freedom."""
    if error:
        reach = float(stats.t.isf(alpha, freedom)) * error
        p_values = (
            float(stats.t.sf((gap + margin) / error, freedom)),
            float(stats.t.cdf((gap - margin) / error, freedom)),
        )
    else:
        reach, p_values = 0.0, (0.0 if gap > -margin else 1.0, 0.0 if gap < margin else 1.0)
    means, sizes = (float(x.mean()), float(y.mean())), (len(x), len(y))
    found = _result(method, means, (gap - reach, gap + reach), margin, alpha, sizes, p_values)
    if error:
        return found
    reason = f"no variance; |difference| {abs(gap):.6g} {'<' if found.equivalent else '>='} margin {margin:.6g}"
    return dataclasses.replace(found, difference=gap, degenerate=True, reason=reason)


def _result(
    method: str,
    means: tuple[float, float],
    interval: tuple[float, float],
    margin: float,
    alpha: float,
    sizes: tuple[int, int],
    p_values: tuple[float, float],
) -> TostResult:
    (low, high), p = interval, max(p_values)
    shown = p < alpha
    place = "lies inside" if shown else "does not lie inside"
    return TostResult(
        method=method,
        mean_a=means[0],
        mean_b=means[1],
        difference=means[0] - means[1],
        ci_low=low,
        ci_high=high,
        margin=float(margin),
        alpha=float(alpha),
        n_a=sizes[0],
        n_b=sizes[1],
        p_lower=p_values[0],
        p_upper=p_values[1],
        p=p,
        degenerate=False,
        verdict=EQUIVALENT if shown else NOT_SHOWN,
        reason=f"{100 * (1 - 2 * alpha):.4g} % CI [{low:.6g}, {high:.6g}] {place} ±{margin:.6g} (p = {p:.3g})",
    )
