"""The same sequences of actions on both sides, for tests of L2 and L3."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from timer.actions import ACTIONS

FIELDS = ("state.div", "state.tima", "state.tma", "state.tac", "state.cycles_to_interrupt", "state.interrupt")


@functools.cache
def _steps():
    """One function for a batch of timers, whatever is done to each."""
    from timer import counter

    def branch(kind, value):
        if kind == "tick":
            return lambda state: counter.tick(state, jnp.int32(value))
        return lambda state: (counter.write(state, kind, jnp.int32(value)), jnp.bool_(False))

    branches = [branch(*action) for action in ACTIONS]

    def step(state, action):
        state, interrupt = jax.lax.switch(action, branches, state)
        return state, (*counter.read(state), interrupt)

    def play(actions):
        return jax.lax.scan(step, counter.start(), actions)[1]

    return jax.jit(jax.vmap(play, 1, 1))


def ours(actions):
    """Fields [steps, timers] after each row of actions [steps, timers]."""
    return dict(zip(FIELDS, map(np.asarray, _steps()(jnp.asarray(actions, jnp.int32))), strict=True))


def theirs(actions):
    """The same of PyBoy."""
    from adapter import Reference

    original = Reference(actions.shape[1])
    original.reset()
    rows = []
    for row in actions:
        original.step(row)
        rows.append(original.snapshot())
    return {name: np.stack([row[name] for row in rows]) for name in FIELDS}


def require_same(actions):
    """AssertionError with the first difference."""
    a, b = ours(actions), theirs(actions)
    different = {name: np.argwhere(a[name] != b[name]) for name in FIELDS}
    found = sorted((int(where[0][0]), int(where[0][1]), name) for name, where in different.items() if len(where))
    if found:
        step, timer, name = found[0]
        raise AssertionError(
            f"first divergence at episode {timer}, step {step}, {name}:\n"
            f"  ours       {a[name][step, timer]}\n  theirs     {b[name][step, timer]}\n"
            f"  action     {ACTIONS[actions[step, timer]]}\n"
            f"  before     {[ACTIONS[i] for i in actions[max(0, step - 6) : step, timer]]}"
        )
