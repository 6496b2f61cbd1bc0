"""Trains in the two test beds of rlenv-shared and writes what came of it; `make games-skirmish`, `games-hand`.

skirmish   PPO with a GRU against an opponent that looks one turn ahead, and random play against it
hand       self-play with a GRU, and at several times of it a best response: PPO against the frozen policy
table      the tables of this package's README from the committed results

python packages/rlenv-learn/examples/games.py skirmish --seeds 5
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from rlenv_games import Hand
from rlenv_games.skirmish_lookahead import ReckonedSkirmish, lookahead
from rlenv_learn import Policy, PPOConfig, SelfPlayConfig, play_match, train
from rlenv_learn.interface import Interface
from rlenv_learn.league import scores, uniform_policy
from rlenv_learn.opponents import Against, MatchParams
from rlenv_shared import files, machine

PACKAGE: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = PACKAGE / "results"
GAMES: Final = 4096  # of an evaluation
EVALUATION_SEED: Final = 10_000_000
POINTS: Final = 20  # of a learning curve

SKIRMISH: Final = PPOConfig(
    total_steps=40_000_000,
    num_envs=512,
    rollout_length=64,
    preset="gru-tiny",
    activation="relu",
    embedding=8,
    num_minibatches=8,
    update_epochs=2,
    learning_rate=3e-3,
    gamma=0.995,
    gae_lambda=0.8,
    entropy_coef=0.01,
    entropy_coef_final=0.001,
)
HAND: Final = PPOConfig(
    total_steps=800_000,
    num_envs=256,
    rollout_length=32,
    preset="gru-tiny",
    activation="relu",
    embedding=4,
    num_minibatches=4,
    update_epochs=2,
    learning_rate=2e-3,
    gamma=1.0,
    entropy_coef=0.03,
    entropy_coef_final=0.01,
)
RESPONSE: Final = HAND.replace(total_steps=500_000, entropy_coef=0.01, entropy_coef_final=0.001)
POOL: Final = SelfPlayConfig(pool_size=4, snapshot_every=10)
SNAPSHOTS: Final = 2  # of self-play that are answered, besides the beginning


def curve(records: Sequence[dict[str, Any]], value: Any = lambda x: x) -> list[list[float]]:
    """``[decisions, mean return]`` of each of `POINTS` parts of a run."""
    decisions = np.cumsum([record["decisions"] for record in records])
    parts = np.array_split(np.arange(len(records)), min(POINTS, len(records)))
    points = []
    for part in parts:
        returns = [records[i]["episode_return"] for i in part if records[i]["episode_return"] is not None]
        if returns:
            points.append([int(decisions[part[-1]]), round(float(np.mean(returns)), 4)])
    return points


def skirmish(seeds: Sequence[int], config: PPOConfig = SKIRMISH, games: int = GAMES) -> dict[str, Any]:
    """Points of PPO, and of random play, against who looks one turn ahead: 1 for a win, 0.5 for a draw."""
    env, runs = ReckonedSkirmish(), []

    def against(policy: Policy, seed: int) -> float:
        found = play_match(policy, lookahead, env, games=games, seed=EVALUATION_SEED + seed)
        return float(scores(found.returns).mean())

    for seed in seeds:
        selfplay = SelfPlayConfig(pool_size=0, scripts=(lookahead,))
        trained = train(env, config.replace(seed=seed), selfplay=selfplay, show_progress=True)
        runs.append({"seed": seed, "points": against(trained.policy, seed), "curve": curve(trained.records)})
        print(f"skirmish, seed {seed}: {runs[-1]['points']:.3f} of the points", flush=True)
    return {"config": config.to_dict(), "games": games, "random": against(uniform_policy(env), 0), "runs": runs}


def best_response(policy: Policy, seed: int, config: PPOConfig, games: int) -> float:
    """What PPO learns to win against a frozen policy: its mean result, -1 to 1."""
    env = Hand()
    params = MatchParams.create(env.default_params, policy)
    answer = train(Against(env), config.replace(seed=seed), params).policy
    return play_match(answer, policy, env, games=games, seed=EVALUATION_SEED + seed).mean_return


def hand(
    seeds: Sequence[int], config: PPOConfig = HAND, response: PPOConfig = RESPONSE, games: int = GAMES
) -> dict[str, Any]:
    """How much a best response wins against self-play's policy, before it and on the way."""
    env, runs = Hand(), []
    params = env.default_params
    interface = Interface.from_spaces(env.observation_space(params), env.action_space(params))
    for seed in seeds:
        trained = train(env, config.replace(seed=seed), selfplay=POOL, show_progress=True, snapshots=SNAPSHOTS)
        begin = Policy.create(interface, config, jax.random.key(seed))
        decisions = [0, *np.cumsum([record["decisions"] for record in trained.records]).tolist()]
        losses = []
        for update, policy in {0: begin, **trained.snapshots}.items():
            losses.append([decisions[update], round(best_response(policy, seed + 1000, response, games), 3)])
            print(f"hand, seed {seed}, {decisions[update]} decisions: loses {losses[-1][1]:+.3f}", flush=True)
        runs.append({"seed": seed, "losses": losses})
    settings = {"config": config.to_dict(), "response": response.to_dict()}
    return {
        **settings,
        "pool_size": POOL.pool_size,
        "snapshot_every": POOL.snapshot_every,
        "games": games,
        "runs": runs,
    }


def verdict(name: str, content: dict[str, Any]) -> str:
    """What a result shows, from its raw numbers."""
    if name == "skirmish":
        points = [run["points"] for run in content["runs"]]
        return (
            f"{np.mean(points):.3f} of the points (seeds {min(points):.3f} to {max(points):.3f}); "
            f"random play {content['random']:.3f}"
        )
    first, last = (np.array([run["losses"][i][1] for run in content["runs"]]) for i in (0, -1))
    share, worst = last.mean() / first.mean(), (last / first).max()
    return f"{first.mean():.3f} before, {last.mean():.3f} after ({share:.0%}; at worst {worst:.0%})"


def table(name: str, content: dict[str, Any]) -> str:
    """The learning curves as Markdown: mean over seeds, and the lowest and highest."""
    key, what = ("curve", "mean return in training") if name == "skirmish" else ("losses", "a best response wins")
    curves = np.array([run[key] for run in content["runs"]], np.float64)
    lines = [f"{verdict(name, content)}.", "", f"| decisions | {what} | lowest | highest |", "|---:|---:|---:|---:|"]
    for points in curves.transpose(1, 0, 2):
        value = points[:, 1]
        lines.append(f"| {points[:, 0].mean():,.0f} | {value.mean():+.3f} | {value.min():+.3f} | {value.max():+.3f} |")
    return "\n".join(lines)


def load(name: str) -> dict[str, Any]:
    """A committed result, its seal checked."""
    return files.read_json(RESULTS / f"{name}.json")


def fill(text: str, name: str) -> str:
    """A README with the table of a result between its markers."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    before, rest = text.split(begin)
    return f"{before}{begin}\n{table(name, load(name))}\n\n{end}{rest.split(end)[1]}"


def main(argv: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["skirmish", "hand", "table"])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(argv)
    if options.what == "table":
        readme = PACKAGE / "README.md"
        text = readme.read_text()
        for name in ("skirmish", "hand"):
            text = fill(text, name) if (RESULTS / f"{name}.json").exists() else text
        readme.write_text(text)
        return
    run = {"skirmish": skirmish, "hand": hand}[options.what]
    head = {"game": options.what, "machine": machine.describe(), **machine.git_state(PACKAGE)}
    content = {**head, **run(range(options.seeds))}
    RESULTS.mkdir(exist_ok=True)
    files.write_json(RESULTS / f"{options.what}.json", content)
    print(verdict(options.what, content))


if __name__ == "__main__":
    main(sys.argv[1:])
