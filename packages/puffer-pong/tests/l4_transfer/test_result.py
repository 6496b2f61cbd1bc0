"""L4: the committed returns show equivalence in both directions; `make verify-puffer-pong` makes them."""

import pytest

from puffer_pong.verification import DECLARATION
from rlenv_learn.transfer.checks import require_equivalence

pytestmark = pytest.mark.l4


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=1.0, alpha=0.05, learned=20.0)
