"""L3: whole episodes, every step from the reference's state."""

import os

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
from acrobot.state import State
from acrobot.step import step
from tolerances import STEP

EPISODES = int(os.environ.get("RECIPE_EPISODES", "6"))
SEED = int(os.environ.get("RECIPE_SEED", "0"))
FIELDS = ("state.theta1", "state.theta2", "state.speed1", "state.speed2", "reward", "terminated", "truncated")


def test_every_step_of_whole_episodes_agrees():
    jitted, steps = jax.jit(step), 0
    for episode in range(EPISODES):
        env = gymnasium.make("Acrobot-v1")
        env.reset(seed=SEED + episode)
        generator = np.random.default_rng(SEED + episode)
        over, t = False, 0
        while not over:
            state = np.array(env.unwrapped.state, np.float64)
            push = 2 if state[3] >= 0 else 0  # swings up; a third of the actions are random
            action = int(generator.integers(0, 3)) if generator.random() < 0.33 else push
            after, _, reward, end, late = jitted(State(*map(jnp.float64, state), jnp.int32(t)), jnp.int32(action))
            env.unwrapped.state = state  # the first one is float32
            _, their_reward, their_end, their_late, _ = env.step(action)
            mine = (*map(float, after[:4]), float(reward), bool(end), bool(late))
            original = (*map(float, env.unwrapped.state), float(their_reward), their_end, their_late)
            for field, a, b in zip(FIELDS, mine, original, strict=True):
                assert abs(a - b) < STEP, (
                    f"first divergence at episode 0, step {steps} (game {episode}, its step {t}), {field}:\n"
                    f"  ours       {a!r}\n  theirs     {b!r}\n  action     {action}\n  before     {state.tolist()}"
                )
            over, t, steps = their_end or their_late, t + 1, steps + 1
