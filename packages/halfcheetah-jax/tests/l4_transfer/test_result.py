"""L4: the committed returns show equivalence in both directions; `l4.py` makes them."""

from pathlib import Path

import pytest

from rlenv_learn.transfer.checks import require_equivalence

pytestmark = [pytest.mark.l4, pytest.mark.reference("gymnasium_mujoco")]


def test_committed_results_show_equivalence():
    require_equivalence(Path(__file__).parent, margin=100.0, alpha=0.05, learned=1500.0)
