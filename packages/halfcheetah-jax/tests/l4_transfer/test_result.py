"""L4: the committed results show equivalence in both directions.

The runs themselves are `l4.py`; these tests recompute the verdict from every episode's return.
"""

from pathlib import Path

import pytest

from rlenv_shared.stats.transfer import TransferConfig, load_results, verdict

pytestmark = [pytest.mark.l4, pytest.mark.reference("gymnasium_mujoco")]

HERE = Path(__file__).parent
CONFIG = TransferConfig.load(HERE / "config.toml")
RESULTS = sorted((HERE / "results").glob("*.json"))


def test_there_are_results_and_the_config_asks_for_what_the_readme_promises():
    assert (CONFIG.margin, CONFIG.alpha, CONFIG.learned) == (100.0, 0.05, 1500.0)
    assert CONFIG.policies >= 10
    assert CONFIG.episodes >= 100
    assert RESULTS


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_committed_results_show_equivalence(path):
    outcome = verdict(load_results(path), CONFIG)
    assert outcome.ok, str(outcome)
