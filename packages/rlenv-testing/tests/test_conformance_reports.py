"""What a run of the conformance suite reports, and what the toy environment must have for it to mean anything."""

from __future__ import annotations

import jax
import pytest

from rlenv_testing.conformance import check_env
from rlenv_testing.walk import State, Walk

pytestmark = pytest.mark.l1
PLAY = {"num_steps": 48, "num_envs": 4}


def test_an_exception_of_the_environment_is_a_failure():
    class Raises(Walk):
        def reseed(self, state, key):
            raise NotImplementedError("later")

    with pytest.raises(AssertionError, match="NotImplementedError: later"):
        check_env(Raises(), **PLAY)


def test_the_state_is_what_the_test_environments_claim():
    """The suite would not notice a toy without hidden information."""
    _, state = Walk().reset(jax.random.key(0))
    assert isinstance(state, State)
    assert Walk().permute_hidden(state, jax.random.key(1), 0).hidden != state.hidden
