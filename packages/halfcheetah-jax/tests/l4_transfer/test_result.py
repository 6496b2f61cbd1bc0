"""L4: the committed returns show equivalence in both directions; `make verify-halfcheetah-jax` makes them."""

import pytest

from halfcheetah_jax.verification import DECLARATION
from rlenv_learn.transfer.checks import require_equivalence

pytestmark = [pytest.mark.l4, pytest.mark.reference("gymnasium_mujoco")]


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=100.0, alpha=0.05, learned=1500.0)
