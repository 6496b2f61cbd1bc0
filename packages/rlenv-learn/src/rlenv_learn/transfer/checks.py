"""What a package's L4 test asks of the committed results; :mod:`rlenv_learn.transfer.experiment` makes them."""

from __future__ import annotations

from rlenv_learn.transfer.verdict import TransferConfig, load_results, verdict
from rlenv_shared.verification.declaration import Declaration

MIN_POLICIES, MIN_EPISODES = 10, 100


def require_equivalence(
    declaration: Declaration, name: str = "transfer", *, margin: float, alpha: float, learned: float
) -> None:
    """Recompute the verdict of one of the package's experiments from its returns.

    The config must say the margin, the level and the mean return at home that the README promises.  Raises
    AssertionError: it does not, fewer than 10 policies or 100 episodes, no results, or no equivalence.
    """
    config = TransferConfig.load(declaration.transfer(name).config)
    asked, promised = (config.margin, config.alpha, config.learned), (margin, alpha, learned)
    assert asked == promised, f"the config asks for {asked}, promised are {promised}"
    assert config.policies >= MIN_POLICIES, f"{config.policies} policies"
    assert config.episodes >= MIN_EPISODES, f"{config.episodes} episodes"
    path = declaration.results / f"{name}.json"
    assert path.exists(), f"no results: {path}"
    outcome = verdict(load_results(path), config)
    assert outcome.ok, f"{path.name}: {outcome}"
