"""Equivalence by two one-sided tests (TOST).

The null hypothesis is that the means differ by at least the margin; rejecting it at level ``alpha`` shows equivalence.
That happens exactly when the (1 - 2 alpha) confidence interval of the difference lies inside ±margin.

Source: Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657-680.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from rlenv_shared.errors import InvalidParamsError

EQUIVALENT: Final = "equivalent"
NOT_SHOWN: Final = "not shown equivalent"


@dataclasses.dataclass(frozen=True)
class TostResult:
    """An equivalence test."""

    method: str  # ``welch`` or ``paired``
    mean_a: float  # mean of the first sample
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


def tost_welch(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> TostResult:
    """Equivalence of two independent samples' means, variances unequal; InvalidParamsError: under 2 finite numbers."""
    x, y = _sample("a", a), _sample("b", b)
    check_design(margin, alpha)
    variance_x, variance_y = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    variance = variance_x + variance_y
    if variance == 0 or (np.ptp(x) == 0 and np.ptp(y) == 0):  # the mean of equal numbers may be off by an ulp
        return _student("welch", x, y, float(x[0] - y[0]), 0.0, 1.0, margin, alpha)
    freedom = variance**2 / (variance_x**2 / (len(x) - 1) + variance_y**2 / (len(y) - 1))
    return _student("welch", x, y, float(x.mean() - y.mean()), math.sqrt(variance), freedom, margin, alpha)


def tost_paired(a: ArrayLike, b: ArrayLike, margin: float, alpha: float = 0.05) -> TostResult:
    """Equivalence of the means of two samples of the same subjects, in one order; InvalidParamsError: unequal sizes."""
    x, y = _sample("a", a), _sample("b", b)
    check_design(margin, alpha)
    if len(x) != len(y):
        raise InvalidParamsError("paired samples", (len(x), len(y)), "one size", "pair them")
    gaps = x - y
    error = math.sqrt(gaps.var(ddof=1) / len(gaps))
    if error == 0 or np.ptp(gaps) == 0:
        return _student("paired", x, y, float(gaps[0]), 0.0, 1.0, margin, alpha)
    return _student("paired", x, y, float(gaps.mean()), error, len(gaps) - 1.0, margin, alpha)


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
    mean_a, mean_b = float(x.mean()), float(y.mean())
    if error:
        reach = float(stats.t.isf(alpha, freedom)) * error
        p_lower = float(stats.t.sf((gap + margin) / error, freedom))
        p_upper = float(stats.t.cdf((gap - margin) / error, freedom))
    else:
        reach, p_lower, p_upper = 0.0, 0.0 if gap > -margin else 1.0, 0.0 if gap < margin else 1.0
    low, high, p = gap - reach, gap + reach, max(p_lower, p_upper)
    shown = p < alpha
    if error:
        place = "lies inside" if shown else "does not lie inside"
        reason = f"{100 * (1 - 2 * alpha):.4g} % CI [{low:.6g}, {high:.6g}] {place} ±{margin:.6g} (p = {p:.3g})"
    else:
        reason = f"no variance; |difference| {abs(gap):.6g} {'<' if shown else '>='} margin {margin:.6g}"
    return TostResult(
        method=method,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=mean_a - mean_b if error else gap,
        ci_low=low,
        ci_high=high,
        margin=float(margin),
        alpha=float(alpha),
        n_a=len(x),
        n_b=len(y),
        p_lower=p_lower,
        p_upper=p_upper,
        p=p,
        degenerate=not error,
        verdict=EQUIVALENT if shown else NOT_SHOWN,
        reason=reason,
    )
