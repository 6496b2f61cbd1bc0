"""Watch a policy learn Pong in JAX, then see it play the original C just as well.

make demo        about half a minute on two cores after set-up
python examples/demo.py --output build/demo --seed 1
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from puffer_pong.jax import Pong
from puffer_pong.render import save_gif
from puffer_pong.verification import DECLARATION, FRAMESKIP, PPO
from puffer_pong.verification.implementations import c_vector_env, jax_env
from rlenv_learn import Evaluation, Policy, PPOConfig, evaluate, evaluate_host, train
from rlenv_learn.stats.tost import TostResult, tost_welch
from rlenv_learn.transfer.verdict import TransferConfig
from rlenv_shared.errors import EnvError

EPISODES: Final = 200  # per implementation
EVALUATION_SEED: Final = 10_000_000
GIF_POINTS: Final = 3  # points to show
GIF_FRAMES: Final = 1_000  # and frames at most


def play_both(policy: Policy) -> tuple[Evaluation, Evaluation]:
    """Complete episodes in JAX and in PufferLib's C with glibc's generator, sampling actions as in training."""
    native = evaluate(policy, jax_env(), episodes=EPISODES, seed=EVALUATION_SEED)
    return native, evaluate_host(policy, c_vector_env(EPISODES), seed=EVALUATION_SEED + 1)


def record_frames(policy: Policy, seed: int) -> list[np.ndarray]:
    """Pictures of every second frame of the first points; the policy decides every `FRAMESKIP` frames."""
    env = Pong(frameskip=1)
    step = jax.jit(env.step)
    key = jax.random.key(seed)
    obs, state = jax.jit(env.reset)(key)
    frames, reset, carry, points = [], np.ones(1, np.bool_), policy.initial_carry(1), 0
    for time in range(GIF_FRAMES):
        if time % FRAMESKIP == 0:
            carry, action = policy.step(carry, np.asarray(obs)[None], reset)
            reset = np.zeros(1, np.bool_)
        obs, state, reward, terminated, _, _ = step(key, state, jnp.int32(action[0]))
        if time % 2 == 0:
            frames.append(env.render(state, env.default_params))
        points += abs(float(reward)) == 1.0
        if points == GIF_POINTS or bool(terminated):
            break
    return frames


def plot_curve(records: list[dict[str, Any]], learned: float, path: Path) -> None:
    """Mean return of the episodes that ended in each update, over environment steps."""
    from matplotlib.figure import Figure

    finished = [record for record in records if record["episode_return"] is not None]
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([r["step"] for r in finished], [r["episode_return"] for r in finished])
    axes.axhline(learned, linestyle="--", linewidth=1, color="grey", label=f"learned: {learned:g}")
    axes.set_xlabel("environment steps")
    axes.set_ylabel("mean return")
    axes.set_title("PPO on JAX Pong, frameskip 8")
    axes.legend()
    figure.savefig(path)


def report(native: Evaluation, original: Evaluation, tost: TostResult) -> None:
    """Print both returns and the verdict."""
    print(f"\nreturn over {EPISODES} episodes each, actions sampled:")
    print(f"  JAX             {native.mean_return:7.3f}")
    print(f"  PufferLib's C   {original.mean_return:7.3f}")
    interval = f"{1 - 2 * tost.alpha:.0%} interval [{tost.ci_low:+.3f}, {tost.ci_high:+.3f}]"
    print(f"  difference      {tost.difference:+7.3f}   {interval}")
    print(f"  TOST, margin {tost.margin:g}: {tost.verdict} ({tost.reason})")


def main() -> int:
    """Run the demo; 0 when the policy learned and plays both alike."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("build") / "demo", help="where everything goes")
    parser.add_argument("--seed", type=int, default=0, help="of training")
    arguments = parser.parse_args()
    output: Path = arguments.output
    shutil.rmtree(output / "run", ignore_errors=True)
    output.mkdir(parents=True, exist_ok=True)
    criteria = TransferConfig.load(DECLARATION.transfer("transfer").config)
    config = PPOConfig(**PPO, seed=arguments.seed)

    print(f"training PPO on JAX Pong: {config.total_steps:,} steps in {config.num_envs:,} environments", flush=True)
    result = train(jax_env(), config, run_dir=output / "run", show_progress=True)
    native, original = play_both(result.policy)
    tost = tost_welch(native.returns.ravel(), original.returns.ravel(), criteria.margin, criteria.alpha)
    report(native, original, tost)

    result.policy.save(output / "policy.npz")
    plot_curve(result.records, criteria.learned, output / "learning_curve.png")
    save_gif(record_frames(result.policy, arguments.seed), output / "pong.gif")
    print("\nwritten:")
    for name in ("pong.gif", "learning_curve.png", "policy.npz", "run/metrics.jsonl"):
        print(f"  {output / name}")
    learned = min(native.mean_return, original.mean_return) >= criteria.learned
    if not learned:
        print(f"not learned: a mean return of {criteria.learned:g} was expected; try another --seed", file=sys.stderr)
    return 0 if learned and tost.equivalent else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EnvError as error:
        sys.exit(f"{shlex.join(sys.argv)}: {error}")
