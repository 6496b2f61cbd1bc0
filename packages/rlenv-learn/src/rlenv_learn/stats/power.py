"""Power of the equivalence tests for normal samples, and the sample size that reaches a power.

Given the standard error the test will estimate, the difference is normal and independent of it, so the power is an
expectation over the sampling distribution of the variance estimates: one chi-square for the paired test (this is
Owen's Q), two for Welch's, whose degrees of freedom vary with them.  Both are integrated numerically by Gauss-Legendre
quadrature in the quantiles of the chi-square distributions.

Source: Phillips 1990, J. Pharmacokinet. Biopharm. 18:137-144.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from rlenv_learn.stats.tost import check_design
from rlenv_shared.errors import InvalidParamsError

NODES_PAIRED: Final = 500
NODES_WELCH: Final = 160  # squared
LARGEST_SAMPLE: Final = 10_000_000


def power_paired(n: int, margin: float, sd: float, difference: float = 0.0, alpha: float = 0.05) -> float:
    """Probability that `tost.tost_paired` shows equivalence.

    Args:
        n: pairs, >= 2.
        margin: > 0.
        sd: standard deviation of the differences within pairs, > 0.
        difference: true mean difference.
        alpha: level.

    Raises:
        InvalidParamsError: an argument is out of bounds.
    """
    _check(margin, alpha, difference, (sd,), (n,))
    quantiles, weights = _nodes(NODES_PAIRED)
    ratio = np.sqrt(stats.chi2.ppf(quantiles, n - 1) / (n - 1))  # estimated / true standard deviation
    error = sd / math.sqrt(n)
    return _accepted(margin, difference, error, stats.t.isf(alpha, n - 1) * ratio * error, weights)


def power_welch(
    n_a: int,
    n_b: int,
    margin: float,
    sd_a: float,
    sd_b: float,
    difference: float = 0.0,
    alpha: float = 0.05,
) -> float:
    """Probability that `tost.tost_welch` shows equivalence.

    Args:
        n_a: size of the first sample, >= 2.
        n_b: of the second.
        margin: > 0.
        sd_a: standard deviation of the first population, > 0.
        sd_b: of the second.
        difference: true difference of the means.
        alpha: level.

    Raises:
        InvalidParamsError: an argument is out of bounds.
    """
    _check(margin, alpha, difference, (sd_a, sd_b), (n_a, n_b))
    quantiles, weights = _nodes(NODES_WELCH)
    squared_a = (sd_a**2 / n_a * stats.chi2.ppf(quantiles, n_a - 1) / (n_a - 1))[:, None]
    squared_b = (sd_b**2 / n_b * stats.chi2.ppf(quantiles, n_b - 1) / (n_b - 1))[None, :]
    squared = squared_a + squared_b
    freedom = squared**2 / (squared_a**2 / (n_a - 1) + squared_b**2 / (n_b - 1))
    error = math.sqrt(sd_a**2 / n_a + sd_b**2 / n_b)
    reach = stats.t.isf(alpha, freedom) * np.sqrt(squared)
    return _accepted(margin, difference, error, reach, weights[:, None] * weights[None, :])


def pairs_needed(power: float, margin: float, sd: float, difference: float = 0.0, alpha: float = 0.05) -> int:
    """Smallest number of pairs with which `tost.tost_paired` reaches a power.

    Raises InvalidParamsError: an argument is out of bounds, or no size reaches that power (|difference| >= margin).
    """
    return _smallest(lambda n: power_paired(n, margin, sd, difference, alpha), power, margin, difference)


def samples_needed(
    power: float, margin: float, sd_a: float, sd_b: float, difference: float = 0.0, alpha: float = 0.05
) -> int:
    """Smallest size of each of two samples with which `tost.tost_welch` reaches a power.

    Raises InvalidParamsError: an argument is out of bounds, or no size reaches that power (|difference| >= margin).
    """
    return _smallest(lambda n: power_welch(n, n, margin, sd_a, sd_b, difference, alpha), power, margin, difference)


@functools.cache
def _nodes(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss-Legendre nodes and weights on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return (nodes + 1) / 2, weights / 2


def _accepted(margin: float, difference: float, error: float, reach: Any, weights: Any) -> float:
    """Expected probability that estimate ± reach lies inside ±margin; ``error`` is the estimate's true sd."""
    inside = stats.norm.cdf((margin - reach - difference) / error) - stats.norm.cdf(
        (reach - margin - difference) / error
    )
    return float(np.sum(weights * np.maximum(inside, 0.0)))


def _smallest(power_of: Callable[[int], float], power: float, margin: float, difference: float) -> int:
    if not 0 < power < 1:
        raise InvalidParamsError("power", power, "0 < power < 1", "0.9 is usual")
    if not abs(difference) < margin:
        raise InvalidParamsError("difference", difference, f"|difference| < margin {margin}", "widen the margin")
    high = 2
    while power_of(high) < power:
        high *= 2
        if high > LARGEST_SAMPLE:
            raise InvalidParamsError("sample size", f"> {LARGEST_SAMPLE}", "a feasible one", "widen the margin")
    low = high // 2  # too small, or the smallest possible
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def _check(margin: float, alpha: float, difference: float, spreads: tuple[float, ...], sizes: tuple[int, ...]) -> None:
    check_design(margin, alpha)
    if not math.isfinite(difference) or not all(math.isfinite(sd) and sd > 0 for sd in spreads) or min(sizes) < 2:
        expected = "a finite difference, standard deviations > 0, sizes >= 2"
        raise InvalidParamsError("design", (difference, spreads, sizes), expected, "estimate them from a pilot run")
