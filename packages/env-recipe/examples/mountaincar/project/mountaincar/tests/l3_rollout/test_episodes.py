"""L3: whole episodes, two after one another in each environment, every step from the reference's state."""

import os

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from mountaincar.start import begin
from mountaincar.state import State
from mountaincar.step import step
from tolerances import STEP

EPISODES = int(os.environ.get("RECIPE_EPISODES", "6"))
SEED = int(os.environ.get("RECIPE_SEED", "0"))
FIELDS = ("state.position", "state.velocity", "reward", "terminated", "truncated")


def first_divergence(step, game, game_step, field, ours, theirs, action, before):
    return (
        f"first divergence at episode 0, step {step} (game {game}, its step {game_step}), {field}:\n"
        f"  ours       {ours!r}\n  theirs     {theirs!r}\n  action     {action}\n  before     {before}\n"
        f"  reproduce  RECIPE_SEED={SEED} python -m pytest tests/l3_rollout/test_episodes.py"
    )


def test_every_step_of_whole_episodes_agrees():
    """A second episode begins where the first has ended, as it does for whoever trains."""
    jitted = jax.jit(step)
    state, steps = None, 0
    for episode in range(EPISODES):
        env = gymnasium.make("MountainCar-v0")
        env.reset(seed=SEED + episode)
        position, velocity = map(float, env.unwrapped.state)
        state = begin(jnp.float64((position + 0.6) / 0.2), state)
        assert abs(float(state.position) - position) < STEP
        generator = np.random.default_rng(SEED + episode)
        over, t = False, 0
        while not over:
            pushing = 2 if velocity >= 0 else 0  # swings up; a third of the actions are random
            action = int(generator.integers(0, 3)) if generator.random() < 0.33 else pushing
            before = f"position {position!r}, velocity {velocity!r}, time {t}"
            state, reward, terminated, truncated = jitted(
                State(jnp.float64(position), jnp.float64(velocity), state.time), jnp.int32(action)
            )
            _, their_reward, their_terminated, their_truncated, _ = env.step(action)
            position, velocity = map(float, env.unwrapped.state)
            pairs = zip(
                (float(state.position), float(state.velocity), float(reward), bool(terminated), bool(truncated)),
                (position, velocity, float(their_reward), their_terminated, their_truncated),
                FIELDS,
                strict=True,
            )
            for a, b, field in pairs:
                assert abs(a - b) < STEP, first_divergence(steps, episode, t, field, a, b, action, before)
            over, t, steps = their_terminated or their_truncated, t + 1, steps + 1
