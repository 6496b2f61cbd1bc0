"""L4: what the committed training runs show; `make verify-tcgjax` and the commands of the README make them."""

import pytest

from rlenv_learn.transfer.checks import require_equivalence
from rlenv_learn.transfer.verdict import TransferConfig
from rlenv_shared import files
from tcgjax.verification import DECLARATION, search, strength

pytestmark = pytest.mark.l4


def test_the_experiment_is_the_promised_one():
    config = TransferConfig.load(DECLARATION.transfer("transfer").config)
    assert config.margin == 0.1  # 0.05 of the win rate
    assert config.policies == len(config.training_seeds) == 10
    assert config.budgets["tcg_engine"] <= 300_000


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=0.1, alpha=0.05, learned=-1.0)


def test_committed_policies_are_strong_and_play_the_same_games_in_both_engines():
    content = files.read_json(DECLARATION.results / "strength.json")
    assert len(content["runs"]) >= 10
    assert not strength.shortcomings(content)


def test_the_committed_search_beats_random_play():
    content = files.read_json(DECLARATION.results / "search.json")
    won = content["wins"] + content["ties"] / 2
    assert content["games"] == content["wins"] + content["ties"] + content["losses"]
    assert won / content["games"] >= search.LEAST


def test_shortcomings_are_named():
    rows = {"wins": 50, "ties": 0, "losses": 50}
    same = {"games": 1, "decisions": 3, "differences": ["decision 2"]}
    run = {"policy": "jax-0", "heuristic": rows, "random": rows | {"wins": 5000}}
    run |= {"same games, heuristic": same, "same games, random": same | {"differences": []}}
    found = strength.shortcomings({"runs": [run]})
    assert found == ["0.500 of the points against heuristic, below 0.6", "jax-0: decision 2"]
