"""Bootstrap confidence intervals, seeded."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from rlenv_shared.errors import InvalidParamsError

RESAMPLES: Final = 10_000
Statistic = Callable[..., Any]  # (values, axis=...) -> statistic along that axis


@dataclasses.dataclass(frozen=True)
class Interval:
    """A point estimate with its confidence interval."""

    value: float  # the statistic of the data
    low: float  # lower end
    high: float  # upper end
    confidence: float  # e.g. 0.95
    n: int  # observations


def iqm(values: ArrayLike, axis: int | None = None) -> Any:
    """Interquartile mean: the mean of the middle half (a quarter of the values, rounded down, cut at each end)."""
    return stats.trim_mean(np.asarray(values), 0.25, axis=axis)


def interval(
    values: ArrayLike,
    statistic: Statistic = np.mean,
    *,
    method: Literal["percentile", "bca"] = "bca",
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Bootstrap interval of a statistic of one sample.

    Args:
        values: [n] finite numbers, n >= 2.
        statistic: called as ``statistic(values, axis=...)``, e.g. ``numpy.mean`` or `iqm`.
        method: ``bca`` (bias-corrected and accelerated) or ``percentile``.
        confidence: 0 < confidence < 1.
        resamples: >= 100.
        seed: of the resampling.

    Raises:
        InvalidParamsError: values or options out of bounds.
    """
    data = _checked(values, 1, confidence, resamples)
    if method not in ("percentile", "bca"):
        raise InvalidParamsError("method", method, "percentile or bca", "choose one")
    value = float(statistic(data, axis=-1))
    if np.ptp(data) == 0:  # BCa would divide by zero
        return Interval(value, value, value, confidence, len(data))
    result = stats.bootstrap(
        (data,),
        statistic,
        n_resamples=resamples,
        confidence_level=confidence,
        method={"percentile": "percentile", "bca": "BCa"}[method],
        rng=np.random.default_rng(seed),
    )
    low, high = result.confidence_interval
    return Interval(value, float(low), float(high), confidence, len(data))


def stratified_iqm(
    scores: ArrayLike, *, confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Percentile interval of the interquartile mean over runs and tasks, resampling runs within each task.

    Args:
        scores: [runs, tasks] finite numbers, runs >= 2.
        confidence: 0 < confidence < 1.
        resamples: >= 100.
        seed: of the resampling.

    Raises:
        InvalidParamsError: scores or options out of bounds.

    Source: Agarwal et al. 2021, "Deep RL at the edge of the statistical precipice" (NeurIPS).
    """
    data = _checked(scores, 2, confidence, resamples)
    runs, tasks = data.shape
    rows = np.random.default_rng(seed).integers(0, runs, (resamples, runs, tasks))
    samples = data[rows, np.arange(tasks)].reshape(resamples, -1)
    tail = (1 - confidence) / 2
    low, high = np.quantile(iqm(samples, axis=1), [tail, 1 - tail])
    return Interval(float(iqm(data)), float(low), float(high), confidence, data.size)


def _checked(values: ArrayLike, dimensions: int, confidence: float, resamples: int) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=np.float64)
    if data.ndim != dimensions or len(data) < 2 or data.size < 2 or not np.isfinite(data).all():
        got = f"shape {data.shape}, {int((~np.isfinite(data)).sum())} values not finite"
        expected = f"finite numbers on {dimensions} axes, at least 2 on the first"
        raise InvalidParamsError("bootstrap data", got, expected, "check the runs")
    if not 0 < confidence < 1 or resamples < 100:
        raise InvalidParamsError(
            "bootstrap options",
            (confidence, resamples),
            "0 < confidence < 1 and at least 100 resamples",
            "0.95 and 10,000 are usual",
        )
    return data
