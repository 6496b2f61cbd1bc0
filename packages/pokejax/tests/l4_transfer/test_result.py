"""L4: what the committed training runs show; `make verify-pokejax` and the commands of the README make them."""

import pytest

from pokejax.verification import DECLARATION
from rlenv_learn.transfer.checks import require_equivalence
from rlenv_learn.transfer.verdict import TransferConfig
from rlenv_shared import files

pytestmark = pytest.mark.l4


def test_the_experiment_is_the_promised_one():
    config = TransferConfig.load(DECLARATION.transfer("transfer").config)
    assert config.margin == 0.04  # 0.02 of the win rate
    assert config.policies == len(config.training_seeds) == 10
    assert config.episodes >= 1600


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=0.04, alpha=0.05, learned=-0.5)


def test_committed_policies_play_the_same_battles_here_and_in_showdown():
    content = files.read_json(DECLARATION.results / "same_battles.json")
    rows = content["policies"]
    assert len({row["policy"] for row in rows}) >= 10
    assert all(row["battles"] >= 400 and row["decisions"] > row["battles"] for row in rows)
    assert not [row["policy"] for row in rows if row["differ"]]
