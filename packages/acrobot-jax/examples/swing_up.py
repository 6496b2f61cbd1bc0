"""Train for seconds, play the policy in 4,096 environments at once, save a GIF: ``python examples/swing_up.py``."""

import jax
import jax.numpy as jnp

from acrobot_jax import Acrobot
from acrobot_jax.recording import save_gif
from acrobot_jax.verification import DECLARATION
from rlenv_learn import PPOConfig, train

env = Acrobot()
policy = train(env, PPOConfig(**DECLARATION.hyperparameters["fast"]), show_progress=True).policy


@jax.jit
def play(policy, keys):
    """Returns of one episode in each environment, float32 [N]."""

    def step(loop, _):
        obs, state, total, running = loop
        _, distribution, _ = policy.forward(policy.initial_carry(len(keys)), obs, jnp.zeros(len(keys), jnp.bool_))
        obs, state, reward, terminated, truncated, _ = jax.vmap(env.step, (None, 0, 0))(
            keys[0], state, distribution.mode()
        )
        return (obs, state, total + reward * running, running & ~(terminated | truncated)), None

    obs, state = jax.vmap(env.reset)(keys)
    start = (obs, state, jnp.zeros(len(keys)), jnp.ones(len(keys), jnp.bool_))
    (_, _, total, _), _ = jax.lax.scan(step, start, None, 500)
    return total


returns = play(policy, jax.random.split(jax.random.key(1), 4096))
print(f"mean return {returns.mean():.1f} over {len(returns):,} episodes (lowest {returns.min():.0f})")
print(f"GIF: {save_gif('acrobot.gif', policy.act)}")
