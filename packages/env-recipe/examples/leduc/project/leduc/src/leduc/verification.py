"""What the built-in discriminator compares: recorded games, state for state."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared.verification import declaration as declare
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.trajectory import Trajectory


def replay(trace):
    """Play a trace's actions from its first states; every field must be the same."""
    from leduc.betting import legal, over
    from leduc.game import step
    from leduc.observation import observe
    from leduc.state import State

    state = State(*(jnp.asarray(trace.initial[f"state.{name}"]) for name in State._fields))
    advance = jax.jit(jax.vmap(step))
    rows, ended = [], np.zeros(len(state.public), bool)
    total = np.zeros((len(state.public), 2), np.float32)
    for action in trace.steps["action"]:
        state, reward, _ = advance(state, jnp.asarray(action))
        total += np.asarray(reward) * ~ended[:, None]
        ended = np.asarray(jax.vmap(over)(state))
        rows.append({
            **{f"state.{name}": np.asarray(value) for name, value in state._asdict().items()},
            "obs.seen": np.asarray(jax.vmap(observe)(state, state.player)),
            "obs.mask": np.asarray(jax.vmap(legal)(state)),
            "reward": total.copy(), "terminated": ended, "truncated": np.zeros_like(ended),
            "action": action,
        })  # fmt: skip
    ours = Trajectory({name: np.stack([row[name] for row in rows]) for name in rows[0]}, trace.initial)
    return compare(ours, trace, repro="leduc.verification.replay")


DECLARATION = declare.Declaration(
    package="leduc",
    environment="leduc/Leduc-v4",
    references=("rlcard",),
    smoke="leduc.verification:DECLARATION",
    replays=(
        declare.Replay("games of leduc_holdem_v4", Path("games.npz"), run="leduc.verification:replay", record=""),
    ),
)
