"""Bootstrap intervals and power against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from rlenv_learn.stats import bootstrap, power
from rlenv_learn.stats.tost import tost_paired
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

SIMULATIONS = 100_000


def test_iqm_is_the_mean_of_the_middle_half():
    assert bootstrap.iqm([100, 1, 2, 3, 4, 5, 6, -50]) == 3.5
    np.testing.assert_array_equal(bootstrap.iqm([[0, 1, 2, 30], [5, 5, 5, 5]], axis=1), [1.5, 5])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_cover_and_are_reproducible(method):
    rng = np.random.default_rng(0)
    covered = 0
    for case in range(200):
        values = rng.exponential(size=40)
        result = bootstrap.interval(values, method=method, confidence=0.9, resamples=500, seed=case)
        assert result.low < result.value < result.high
        covered += result.low < 1.0 < result.high
    assert 0.8 < covered / 200 < 0.96
    first, again = (bootstrap.interval(values, method=method, resamples=500, seed=7) for _ in range(2))
    assert first == again
    assert first != bootstrap.interval(values, method=method, resamples=500, seed=8)


def test_percentile_interval_matches_the_definition():
    values = np.random.default_rng(3).normal(size=50)
    result = bootstrap.interval(values, method="percentile", resamples=100_000)
    samples = np.random.default_rng(4).choice(values, (100_000, 50)).mean(axis=1)
    np.testing.assert_allclose([result.low, result.high], np.quantile(samples, [0.025, 0.975]), atol=0.01)


def test_no_variance_gives_a_point():
    result = bootstrap.interval([3.0] * 8)
    assert (result.low, result.value, result.high) == (3, 3, 3)


def test_stratified_iqm_resamples_runs_within_tasks():
    levels = np.array([0.0, 10.0, 20.0, 30.0])
    certain = bootstrap.stratified_iqm(np.tile(levels, (6, 1)), resamples=300)
    assert (certain.low, certain.value, certain.high) == (15, 15, 15)  # mixing tasks would spread it
    noisy = np.tile(levels, (6, 1)) + np.random.default_rng(0).normal(size=(6, 4))
    spread = bootstrap.stratified_iqm(noisy, resamples=2000)
    assert spread.low < spread.value < spread.high
    assert spread.high - spread.low < 2
    assert spread == bootstrap.stratified_iqm(noisy, resamples=2000)
    assert spread != bootstrap.stratified_iqm(noisy, resamples=2000, seed=1)


@pytest.mark.parametrize(
    ("values", "options"),
    [
        ([1.0], {}),
        ([1.0, np.nan], {}),
        ([[1.0, 2.0]], {}),
        ([1.0, 2.0], {"confidence": 1.0}),
        ([1.0, 2.0], {"resamples": 10}),
        ([1.0, 2.0], {"method": "magic"}),
    ],
)
def test_bad_bootstrap_input_is_refused(values, options):
    with pytest.raises(InvalidParamsError):
        bootstrap.interval(values, **options)
    with pytest.raises(InvalidParamsError):
        bootstrap.stratified_iqm([1.0, 2.0])


def simulated_paired(n, margin, sd, difference):
    gaps = np.random.default_rng(n).normal(difference, sd, (SIMULATIONS, n))
    reach = stats.t.isf(0.05, n - 1) * gaps.std(axis=1, ddof=1) / np.sqrt(n)
    return np.mean((gaps.mean(axis=1) - reach > -margin) & (gaps.mean(axis=1) + reach < margin))


@pytest.mark.parametrize("design", [(2, 1, 0.2, 0), (5, 1, 0.8, 0), (10, 1, 1.2, 0.2), (30, 1, 2, 0.5), (12, 1, 3, 0)])
def test_paired_power_agrees_with_simulation_and_quadrature(design):
    ours, simulated = power.power_paired(*design), simulated_paired(*design)
    assert abs(ours - simulated) < 4 * np.sqrt(ours * (1 - ours) / SIMULATIONS) + 1e-5
    n, margin, sd, difference = design
    t, error = stats.t.isf(0.05, n - 1), sd / np.sqrt(n)

    def integrand(ratio):  # over the sampling density of the estimated / true standard deviation
        inside = stats.norm.cdf((margin - t * ratio * error - difference) / error)
        inside -= stats.norm.cdf((t * ratio * error - margin - difference) / error)
        return inside * 2 * ratio * (n - 1) * stats.chi2.pdf(ratio**2 * (n - 1), n - 1)

    exact = integrate.quad(integrand, 0, margin / (t * error), epsabs=1e-12, limit=500)[0]
    assert abs(ours - exact) < 1e-5


@pytest.mark.parametrize("design", [(2, 2, 1, 0.1, 0.2, 0), (5, 8, 1, 0.5, 0.9, 0), (40, 20, 1, 1.5, 2, 0.3)])
def test_welch_power_agrees_with_simulation(design):
    n_a, n_b, margin, sd_a, sd_b, difference = design
    rng = np.random.default_rng(n_a)
    a, b = rng.normal(difference, sd_a, (SIMULATIONS, n_a)), rng.normal(0, sd_b, (SIMULATIONS, n_b))
    v_a, v_b = a.var(axis=1, ddof=1) / n_a, b.var(axis=1, ddof=1) / n_b
    freedom = (v_a + v_b) ** 2 / (v_a**2 / (n_a - 1) + v_b**2 / (n_b - 1))
    reach, gap = stats.t.isf(0.05, freedom) * np.sqrt(v_a + v_b), a.mean(axis=1) - b.mean(axis=1)
    simulated = np.mean((gap - reach > -margin) & (gap + reach < margin))
    ours = power.power_welch(*design)
    assert abs(ours - simulated) < 4 * np.sqrt(ours * (1 - ours) / SIMULATIONS) + 1e-5


def test_power_is_that_of_our_own_test():
    rng = np.random.default_rng(9)
    shown = [tost_paired(rng.normal(0.3, 1, 12), np.zeros(12), 1.0).equivalent for _ in range(2000)]
    assert abs(np.mean(shown) - power.power_paired(12, 1.0, 1.0, 0.3)) < 0.045


def test_planned_sizes_are_the_smallest():
    n = power.pairs_needed(0.9, 1.0, 2.0, 0.2)
    assert power.power_paired(n, 1.0, 2.0, 0.2) >= 0.9 > power.power_paired(n - 1, 1.0, 2.0, 0.2)
    n = power.samples_needed(0.8, 1.0, 1.0, 2.0)
    assert power.power_welch(n, n, 1.0, 1.0, 2.0) >= 0.8 > power.power_welch(n - 1, n - 1, 1.0, 1.0, 2.0)
    assert power.pairs_needed(0.9, 1.0, 1e-6) == 2


@pytest.mark.parametrize(
    "call",
    [
        lambda: power.power_paired(1, 1.0, 1.0),
        lambda: power.power_paired(5, -1.0, 1.0),
        lambda: power.power_paired(5, 1.0, 0.0),
        lambda: power.power_welch(5, 1, 1.0, 1.0, 1.0),
        lambda: power.power_welch(5, 5, 1.0, 1.0, np.nan),
        lambda: power.pairs_needed(1.0, 1.0, 1.0),
        lambda: power.pairs_needed(0.9, 1.0, 1.0, difference=1.0),
        lambda: power.pairs_needed(0.9, 1e-6, 1e3),
    ],
)
def test_bad_designs_are_refused(call):
    with pytest.raises(InvalidParamsError):
        call()
