"""L4: the committed returns show equivalence in both directions; `cartpole-jax transfer` makes them."""

import pytest

from cartpole_jax.verification import DECLARATION
from rlenv_learn.transfer.checks import require_equivalence

pytestmark = [pytest.mark.l4, pytest.mark.reference("gymnasium_classic")]


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=10.0, alpha=0.05, learned=475.0)
