"""L4: the committed returns show equivalence in both directions; `l4.py` makes them."""

from pathlib import Path

import pytest

from rlenv_learn.transfer.checks import require_equivalence

pytestmark = pytest.mark.l4


def test_committed_results_show_equivalence():
    require_equivalence(Path(__file__).parent, margin=1.0, alpha=0.05, learned=20.0)
