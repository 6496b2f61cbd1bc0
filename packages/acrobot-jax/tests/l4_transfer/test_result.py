"""L4: the committed returns show equivalence in both directions; `acrobot-jax transfer` makes them."""

import pytest

from acrobot_jax.verification import DECLARATION
from rlenv_learn.transfer.checks import require_equivalence

pytestmark = [pytest.mark.l4, pytest.mark.reference("gymnasium_classic")]


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=5.0, alpha=0.05, learned=-100.0)
