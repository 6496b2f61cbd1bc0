"""Equivalence tests, against statsmodels and at their edges."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW, ttost_ind, ttost_paired

from rlenv_learn.stats.tost import tost_paired, tost_welch
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

CASES = 250
AGREEMENT = 1e-12  # absolute, and relative to the oracle


def close(ours, oracle):
    np.testing.assert_allclose(ours, oracle, rtol=AGREEMENT, atol=AGREEMENT)


def random_cases():
    rng = np.random.default_rng(20)
    for _ in range(CASES):
        n_a, n_b = rng.integers(2, 60, 2)
        scale = 10.0 ** rng.uniform(-2, 3)
        a = scale * (rng.normal(size=n_a) + rng.normal())
        b = scale * rng.uniform(0.1, 3) * rng.normal(size=n_b)
        yield a, b, scale * rng.uniform(0.05, 5), rng.uniform(0.005, 0.2)


def test_welch_agrees_with_statsmodels():
    verdicts = set()
    for a, b, margin, alpha in random_cases():
        ours = tost_welch(a, b, margin, alpha)
        p, (_, p_lower, _), (_, p_upper, _) = ttost_ind(a, b, -margin, margin, usevar="unequal")
        close([ours.p, ours.p_lower, ours.p_upper], [p, p_lower, p_upper])
        interval = CompareMeans(DescrStatsW(a), DescrStatsW(b)).tconfint_diff(2 * alpha, usevar="unequal")
        np.testing.assert_allclose([ours.ci_low, ours.ci_high], interval, rtol=1e-10)
        assert ours.equivalent == (p < alpha) == (-margin < ours.ci_low and ours.ci_high < margin)
        verdicts.add(ours.verdict)
    assert verdicts == {"equivalent", "not shown equivalent"}


def test_paired_agrees_with_statsmodels():
    for a, b, margin, alpha in random_cases():
        n = min(len(a), len(b))
        ours = tost_paired(a[:n], b[:n], margin, alpha)
        p, (_, p_lower, _), (_, p_upper, _) = ttost_paired(a[:n], b[:n], -margin, margin)
        close([ours.p, ours.p_lower, ours.p_upper], [p, p_lower, p_upper])
        interval = DescrStatsW(a[:n] - b[:n]).tconfint_mean(2 * alpha)
        np.testing.assert_allclose([ours.ci_low, ours.ci_high], interval, rtol=1e-10)
        assert ours.equivalent == (-margin < ours.ci_low and ours.ci_high < margin)


@pytest.mark.parametrize("test", [tost_welch, tost_paired])
@pytest.mark.parametrize(
    ("gap", "equivalent"), [(0.0, True), (0.999, True), (-0.999, True), (1.0, False), (-1.0, False), (2.0, False)]
)
def test_without_variance_the_difference_decides(test, gap, equivalent):
    result = test([0.0 + gap] * 10, [0.0] * 10, margin=1.0)
    assert result.degenerate
    assert result.equivalent is equivalent
    assert result.ci_low == result.ci_high == result.difference == gap
    assert "no variance" in result.reason


def test_equal_numbers_are_without_variance_even_if_their_mean_rounds():
    values = [0.1] * 3
    assert np.var(values) > 0
    assert tost_welch(values, values, 1.0).degenerate
    assert tost_paired([21.0, 20.0, 19.0], [20.5, 19.5, 18.5], 1.0).degenerate  # the pairs differ by one constant
    assert tost_paired(values, [0.0] * 3, 1.0).degenerate
    assert not tost_welch(values, [0.1, 0.2], 1.0).degenerate
    assert tost_welch([1e-200, 2e-200], [1e-200, 3e-200], 1.0).equivalent  # the variance underflows


@pytest.mark.parametrize("test", [tost_welch, tost_paired])
@pytest.mark.parametrize(
    ("a", "b", "margin", "alpha"),
    [
        ([1.0], [1.0, 2.0], 1.0, 0.05),
        ([1.0, 2.0], [], 1.0, 0.05),
        ([1.0, np.nan], [1.0, 2.0], 1.0, 0.05),
        ([1.0, 2.0], [1.0, np.inf], 1.0, 0.05),
        ([[1.0, 2.0]], [1.0, 2.0], 1.0, 0.05),
        ([1.0, 2.0], [1.0, 2.0], -1.0, 0.05),
        ([1.0, 2.0], [1.0, 2.0], 0.0, 0.05),
        ([1.0, 2.0], [1.0, 2.0], np.nan, 0.05),
        ([1.0, 2.0], [1.0, 2.0], 1.0, 0.5),
        ([1.0, 2.0], [1.0, 2.0], 1.0, 0.0),
    ],
)
def test_bad_samples_and_designs_are_refused(test, a, b, margin, alpha):
    with pytest.raises(InvalidParamsError):
        test(a, b, margin, alpha)


def test_paired_samples_must_pair():
    with pytest.raises(InvalidParamsError, match="paired"):
        tost_paired([1.0, 2.0, 3.0], [1.0, 2.0], 1.0)


@pytest.mark.parametrize("gap", [1.0, -1.0])
def test_level_is_held_at_the_margin(gap):
    """Samples that truly differ by the margin are called equivalent in at most alpha of all experiments."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(gap, 1, (2000, 15)), rng.normal(0, 1.5, (2000, 15))
    rate = np.mean([tost_welch(x, y, 1.0).equivalent for x, y in zip(a, b, strict=True)])
    assert rate < 0.065  # 0.05 and three standard errors
