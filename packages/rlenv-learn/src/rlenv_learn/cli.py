"""The command line of training scripts: every field of :class:`PPOConfig` is an option, ``--config`` reads TOML.

::

    def learn(options: TrainOptions) -> Policy:
        return train(Pong(), options.ppo, **options.run()).policy

    sys.exit(main(TrainOptions(PPOConfig(num_envs=64)), learn, __doc__))
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import tyro

from rlenv_learn.config import PPOConfig
from rlenv_learn.during import EvaluationPlan
from rlenv_learn.loggers import Logger, TensorBoard, WeightsAndBiases
from rlenv_learn.loop import RunKeywords
from rlenv_learn.policy import Policy
from rlenv_shared.command_line import Parser, guarded, parsed
from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class TrainOptions:
    """What every training script can be told; a script that can be told more derives from it."""

    ppo: PPOConfig
    run_dir: Path | None = None
    """Where metrics.jsonl, checkpoints and policy.npz go; nothing is written without it."""
    resume: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Continue the run in run_dir."""
    checkpoint_every: int = 20
    """Updates between checkpoints."""
    evaluate_every: int = 0
    """Environment steps between evaluations while training goes on; 0 for none."""
    evaluation_episodes: int = 64
    """Episodes of each of them."""
    evaluation_greedy: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Play the most probable action there rather than a sample."""
    tensorboard: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False
    """Write TensorBoard's event files into run_dir/tensorboard (extra tensorboard)."""
    wandb: str = ""
    """Project of Weights & Biases (extra wandb)."""
    wandb_mode: Literal["offline", "online", "disabled"] = "offline"
    """Offline: files in run_dir, which `wandb sync` uploads."""

    def run(self, make: Callable[[int], Any] | None = None) -> RunKeywords:
        """Keyword arguments of a trainer, with a progress bar; ``make`` gives a host run's evaluation environments.

        Raises InvalidParamsError: an extra is missing, or there is no ``run_dir`` to write to or to continue.
        """
        if self.resume and self.run_dir is None:
            raise InvalidParamsError("--resume", "no --run-dir", "the directory of the run", "name it with --run-dir")
        plan = None
        if self.evaluate_every:
            where = None if make is None else make(self.evaluation_episodes)
            plan = EvaluationPlan(
                self.evaluate_every, self.evaluation_episodes, greedy=self.evaluation_greedy, env=where
            )
        return {
            "loggers": self._loggers(),
            "evaluation": plan,
            "run_dir": self.run_dir,
            "resume": self.resume,
            "checkpoint_every": self.checkpoint_every,
            "show_progress": True,
        }

    def _loggers(self) -> list[Logger]:
        if (self.tensorboard or self.wandb) and self.run_dir is None:
            remedy = "pass --run-dir"
            raise InvalidParamsError("run_dir", "none", "a folder for the files of tensorboard or wandb", remedy)
        found: list[Logger] = []
        if self.tensorboard:
            found.append(TensorBoard(Path(str(self.run_dir)) / "tensorboard"))
        if self.wandb:
            settings = self.ppo.to_dict()
            found.append(WeightsAndBiases(self.wandb, Path(str(self.run_dir)), settings, self.wandb_mode))
        return found


Options = TypeVar("Options", bound=TrainOptions)


def parse(default: Options, description: str | None = None, argv: Sequence[str] | None = None) -> Options:
    """Read options: the default, its hyper-parameters overridden by a TOML file, all overridden by the other options.

    The type of ``default`` says which options there are; ``description`` is shown by ``--help``, which does not list
    ``--config``; ``argv`` has no program's name, and is the process's when None.  Raises InvalidParamsError: a file,
    option or value is wrong; SystemExit: after ``--help``.
    """
    first = Parser(add_help=False, allow_abbrev=False)
    first.add_argument("--config")
    known, rest = first.parse_known_args(list(sys.argv[1:] if argv is None else argv))
    if known.config is not None:
        default = dataclasses.replace(default, ppo=PPOConfig.from_toml(known.config, base=default.ppo))
    prog = Path(sys.argv[0]).name
    found: Options = parsed(type(default), prog, rest, default=default, description=description)
    return found


def main(
    default: Options,
    learn: Callable[[Options], Policy | None],
    description: str | None = None,
    argv: Sequence[str] | None = None,
) -> int:
    """Parse as `parse`, learn, save the policy in the run directory; exit status 2 where something failed, with why.

    Where ``learn`` gives none, it has saved what there was.
    """

    def asked() -> int:
        options = parse(default, description, argv)
        policy = learn(options)
        if options.run_dir is not None and policy is not None:
            policy.save(options.run_dir / "policy.npz")
            print(f"policy: {options.run_dir / 'policy.npz'}")
        return 0

    return guarded(asked, "rlenv-learn")
