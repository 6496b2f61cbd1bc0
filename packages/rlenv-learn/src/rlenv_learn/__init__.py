"""Proximal policy optimisation for native JAX environments and for host vector environments.

>>> from rlenv_learn import PPOConfig, evaluate, train
>>> from rlenv_learn.probes import ActionReward
>>> config = PPOConfig(total_steps=16_384, num_envs=64, rollout_length=16)
>>> result = train(ActionReward(), config)
>>> evaluate(result.policy, ActionReward(), episodes=16, deterministic=True).mean_return
1.0
"""

from rlenv_learn.checkpoint import Checkpoint, load_checkpoint
from rlenv_learn.config import PPOConfig, SelfPlayConfig
from rlenv_learn.during import EvaluationPlan
from rlenv_learn.evaluate import Evaluation, evaluate, evaluate_host
from rlenv_learn.host import train_host
from rlenv_learn.host_env import HostVecEnv
from rlenv_learn.league import elo, play_match, tournament, uniform_policy
from rlenv_learn.loop import NonFiniteLossError
from rlenv_learn.policy import Policy
from rlenv_learn.train import ManyResult, TrainResult, train, train_many

__version__ = "0.1.0"
__all__ = [
    "Checkpoint",
    "Evaluation",
    "EvaluationPlan",
    "HostVecEnv",
    "ManyResult",
    "NonFiniteLossError",
    "PPOConfig",
    "Policy",
    "SelfPlayConfig",
    "TrainResult",
    "elo",
    "evaluate",
    "evaluate_host",
    "load_checkpoint",
    "play_match",
    "tournament",
    "train",
    "train_host",
    "train_many",
    "uniform_policy",
]
