"""What a package's L4 test asks of the committed results; :mod:`rlenv_learn.transfer.experiment` makes them."""

from __future__ import annotations

from pathlib import Path

from rlenv_learn.transfer.verdict import TransferConfig, load_results, verdict

MIN_POLICIES, MIN_EPISODES = 10, 100


def require_equivalence(here: Path, *, margin: float, alpha: float, learned: float) -> None:
    """Recompute the verdict of every file in ``here/results`` from its returns.

    Args:
        here: the package's ``tests/l4_transfer`` with ``config.toml``.
        margin: what the README promises and ``config.toml`` must say; so are the others.
        alpha: significance level.
        learned: mean return that a policy must reach at home.

    Raises:
        AssertionError: other promises, fewer than 10 policies or 100 episodes, no results, or no equivalence.
    """
    config = TransferConfig.load(here / "config.toml")
    asked, promised = (config.margin, config.alpha, config.learned), (margin, alpha, learned)
    assert asked == promised, f"config.toml asks for {asked}, promised are {promised}"
    assert config.policies >= MIN_POLICIES, f"{config.policies} policies"
    assert config.episodes >= MIN_EPISODES, f"{config.episodes} episodes"
    results = sorted((here / "results").glob("*.json"))
    assert results, f"no results in {here}"
    for path in results:
        outcome = verdict(load_results(path), config)
        assert outcome.ok, f"{path.name}: {outcome}"
