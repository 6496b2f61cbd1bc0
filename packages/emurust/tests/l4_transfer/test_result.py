"""L4: the committed results show equivalence in both directions.

The runs themselves are `make verify-emurust`; these tests recompute the verdict from every episode's return.
"""

import json

import pytest

from emurust.verification import DECLARATION
from rlenv_learn.transfer.verdict import TransferConfig, load_results, verdict

pytestmark = [pytest.mark.l4, pytest.mark.reference("pyboy")]

CONFIG = TransferConfig.load(DECLARATION.transfer("transfer").config)
RESULTS = [DECLARATION.results / "transfer.json"]
PILOT = json.loads((DECLARATION.results / "pilot.json").read_text())


def test_there_are_results_and_the_config_asks_for_what_the_readme_promises():
    assert CONFIG.alpha == 0.05
    assert CONFIG.policies >= 10
    assert CONFIG.episodes >= 100
    assert max(CONFIG.budgets.values()) <= 300_000
    assert CONFIG.learned >= 3 * PILOT["random_mean"]
    assert all(path.exists() for path in RESULTS)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_committed_results_show_equivalence(path):
    outcome = verdict(load_results(path), CONFIG)
    assert outcome.ok, str(outcome)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_the_margin_is_at_most_five_percent_of_what_pyboy_policies_reach(path):
    (direction,) = (found for found in load_results(path)["directions"] if found["trained_in"] == "pyboy")
    returns = [value for policy in direction["policies"] for value in policy["returns"]["pyboy"]]
    assert CONFIG.margin <= 0.05 * sum(returns) / len(returns)
