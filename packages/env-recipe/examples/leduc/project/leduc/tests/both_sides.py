"""The translation with the adapter's interface, and the comparison of both sides, for tests of L2, L3 and L4."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from leduc.state import State

FIELDS = (*(f"state.{name}" for name in State._fields), "obs.seen", "obs.mask", "reward", "terminated")


class Ours:
    """Games of the translation side by side, as `adapter.Reference` has them."""

    def __init__(self, num_envs=1):
        self.num_envs = num_envs

    def reset(self, *, seed=0):
        """Deal all games."""
        from leduc.deal import deal

        self._begin(jax.vmap(deal)(jax.random.split(jax.random.key(seed), self.num_envs)))

    def deal(self, hands, public, first):
        """Deal these cards."""
        from leduc.deal import start

        self._begin(jax.vmap(start)(*(jnp.asarray(value, jnp.int32) for value in (hands, public, first))))

    def _begin(self, state):
        self.state = state
        self.reward = np.zeros((self.num_envs, 2), np.float32)

    def step(self, actions):
        """Play one action in every game."""
        self.state, reward, _ = _step()(self.state, jnp.asarray(actions, jnp.int32))
        self.reward += np.asarray(reward)

    def snapshot(self):
        """As the adapter's."""
        state, obs, mask, over = jax.device_get(_seen()(self.state))
        found = {f"state.{name}": value for name, value in state._asdict().items()}
        return found | {"obs.seen": obs, "obs.mask": mask, "reward": self.reward.copy(), "terminated": over}


@functools.cache
def _step():
    from leduc.game import step

    return jax.jit(jax.vmap(step))


@functools.cache
def _seen():
    from leduc.betting import legal, over
    from leduc.observation import observe

    return jax.jit(jax.vmap(lambda state: (state, observe(state, state.player), legal(state), over(state))))


def require_same(ours, theirs, step, action=None):
    """AssertionError with the first difference of two snapshots."""
    for field in FIELDS:
        a, b = np.asarray(ours[field]), np.asarray(theirs[field])
        assert a.shape == b.shape, (field, a.shape, b.shape)
        different = np.argwhere((a != b).reshape(len(a), -1).any(axis=1)).ravel()
        if len(different):
            i = different[0]
            raise AssertionError(
                f"first divergence at episode {i}, step {step}, {field}:\n"
                f"  ours       {a[i].tolist()}\n  theirs     {b[i].tolist()}\n"
                f"  action     {None if action is None else int(action[i])}"
            )


def play(hands, public, first, actions):
    """Compare both sides after the deal and after each row of actions [steps, games]."""
    from adapter import Reference

    sides = Ours(len(public)), Reference(len(public))
    for side in sides:
        side.deal(hands, public, first)
    require_same(*(side.snapshot() for side in sides), -1)
    for step, row in enumerate(actions):
        for side in sides:
            side.step(row)
        require_same(*(side.snapshot() for side in sides), step, row)
    return sides[1].snapshot()
