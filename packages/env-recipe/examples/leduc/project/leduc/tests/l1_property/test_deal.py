"""L1: cards, blinds and who plays first."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from leduc.deal import deal, start
from scipy.stats import chisquare


@pytest.mark.parametrize("first", [0, 1])
def test_blinds_and_the_first_player(first):
    state = start(jnp.array([4, 1], jnp.int32), jnp.int32(3), jnp.int32(first))
    assert state.hands.tolist() == [4, 1]
    assert state.chips.tolist() == ([1, 2] if first == 0 else [2, 1])
    assert state.raised.tolist() == state.chips.tolist()
    assert (int(state.player), int(state.public), int(state.round)) == (first, 3, 0)
    assert (int(state.raises), int(state.quiet)) == (0, 0)
    assert not state.folded.any()


def test_dtypes():
    state = deal(jax.random.key(0))
    kinds = {name: str(value.dtype) for name, value in state._asdict().items()}
    assert kinds.pop("folded") == "bool"
    assert set(kinds.values()) == {"int32"}


def test_every_deal_is_as_likely():
    state = jax.vmap(deal)(jax.random.split(jax.random.key(1), 48_000))
    hands, public = np.asarray(state.hands), np.asarray(state.public)
    deals = np.stack([hands[:, 0], hands[:, 1], public, np.asarray(state.player)])
    assert (hands[:, 0] != hands[:, 1]).all()
    assert (hands != public[:, None]).all()
    _, counts = np.unique(deals, axis=1, return_counts=True)
    assert len(counts) == 6 * 5 * 4 * 2
    assert chisquare(counts).pvalue > 1e-3
