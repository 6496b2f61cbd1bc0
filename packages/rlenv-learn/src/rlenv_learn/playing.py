"""How a run's `EvaluationPlan` is played; imported by runs that have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rlenv_learn.during import EvaluationPlan
from rlenv_learn.evaluate import Evaluation, evaluate, evaluate_host
from rlenv_learn.opponents import Against, MatchParams, random_script
from rlenv_learn.policy import Policy
from rlenv_shared.errors import InvalidParamsError


def on_native(
    plan: EvaluationPlan, env: Any, params: Any, scripts: tuple[Any, ...] | None
) -> Callable[..., Evaluation]:
    """How a native run plays: alone, or where ``scripts`` is not None a game, against those or random play."""
    env = env if plan.env is None else plan.env
    params = params if plan.env is None else env.default_params
    if scripts is not None:
        env = Against(env, tuple(scripts) or (random_script(env),), policies=False)
        params = MatchParams(params, None)  # type: ignore[arg-type]

    def play(policy: Policy) -> Evaluation:
        return evaluate(policy, env, params, episodes=plan.episodes, seed=plan.seed, deterministic=plan.greedy)

    return play


def on_host(plan: EvaluationPlan, training: Any) -> Callable[[Policy], Evaluation]:
    """How a host run plays: in environments of its own, since the training's are in the middle of their episodes."""
    if plan.env is None or plan.env is training:
        got = "none" if plan.env is None else "that of the training"
        expected, remedy = "a vector environment made for it", "pass EvaluationPlan(env=…)"
        raise InvalidParamsError("environment to evaluate a host run in", got, expected, remedy)

    def play(policy: Policy) -> Evaluation:
        return evaluate_host(policy, plan.env, episodes=plan.episodes, seed=plan.seed, deterministic=plan.greedy)

    return play
