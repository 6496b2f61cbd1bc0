"""L4: the committed returns show equivalence in both directions; `l4.py` makes them."""

from pathlib import Path

import pytest

from rlenv_shared.stats.transfer import TransferConfig, load_results, verdict

pytestmark = pytest.mark.l4

HERE = Path(__file__).parent
CONFIG = TransferConfig.load(HERE / "config.toml")


def test_config_asks_for_what_the_readme_promises():
    assert (CONFIG.margin, CONFIG.alpha, CONFIG.learned) == (1.0, 0.05, 20.0)
    assert CONFIG.policies >= 10
    assert CONFIG.episodes >= 100


def test_committed_results_show_equivalence():
    outcome = verdict(load_results(HERE / "results" / "transfer.json"), CONFIG)
    assert outcome.ok, str(outcome)
