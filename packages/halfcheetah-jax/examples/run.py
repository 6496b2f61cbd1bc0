"""Train for a minute, play new episodes, save a GIF: ``python examples/run.py``."""

from halfcheetah_jax import HalfCheetah
from halfcheetah_jax.recording import save_gif
from halfcheetah_jax.verification import DECLARATION
from rlenv_learn import PPOConfig, evaluate, train

env = HalfCheetah()
config = PPOConfig(**DECLARATION.hyperparameters["fast"])
policy = train(env, config, show_progress=True).policy
returns = evaluate(policy, env, episodes=64, seed=1).returns
print(f"mean return {returns.mean():.0f} over {returns.size} episodes (lowest {returns.min():.0f})")
print(f"GIF: {save_gif('halfcheetah.gif', policy.act)}")
