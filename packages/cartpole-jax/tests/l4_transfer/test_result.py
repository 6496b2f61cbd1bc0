"""L4: the committed returns show equivalence in both directions; `cartpole-jax transfer` makes them."""

import numpy as np
import pytest

from cartpole_jax.verification import DECLARATION
from rlenv_learn.transfer.checks import require_equivalence
from rlenv_learn.transfer.verdict import load_results

pytestmark = [pytest.mark.l4, pytest.mark.reference("gymnasium_classic")]


def test_committed_results_show_equivalence():
    require_equivalence(DECLARATION, margin=10.0, alpha=0.05, learned=475.0)


def test_policies_from_the_middle_of_training_transfer_too():
    """Finished policies all score 500, and would in many a wrong cart-pole; these do not."""
    require_equivalence(DECLARATION, "transfer_midway", margin=10.0, alpha=0.05, learned=50.0)
    for direction in load_results(DECLARATION.results / "transfer_midway.json")["directions"]:
        home = [np.mean(policy["returns"][direction["trained_in"]]) for policy in direction["policies"]]
        assert sum(50 < mean < 450 for mean in home) >= 8, home
        assert np.std(home) > 20
