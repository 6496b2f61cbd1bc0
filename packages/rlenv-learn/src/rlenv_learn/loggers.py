"""Where a run's metrics go besides ``metrics.jsonl``: TensorBoard, Weights & Biases, or any `Logger`.

Both are extras (``rlenv-learn[tensorboard]``, ``rlenv-learn[wandb]``), imported where one is made.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Protocol

from rlenv_learn.progress import Record
from rlenv_shared.errors import InvalidParamsError


class Logger(Protocol):
    """What a run tells its metrics to; see `rlenv_learn.loop.RunOptions.loggers`."""

    def write(self, record: Record) -> None:
        """Take the metrics record of an update."""

    def close(self) -> None:
        """Bring everything where it belongs; the run is over, also where it failed."""


def numbers(record: Record) -> dict[str, float]:
    """A record's numbers by name, those inside others as ``outer/inner``; what is None is left out."""
    found: dict[str, float] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            found |= {f"{name}/{inner}": number for inner, number in numbers(value).items()}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = value
    return found


def _module(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        remedy = f"pip install 'rlenv-learn[{extra}]'"
        raise InvalidParamsError(f"logger {extra}", f"no module {error.name}", f"the extra {extra}", remedy) from None


class TensorBoard:
    """Event files that ``tensorboard --logdir`` shows, over the environment steps.

    Raises InvalidParamsError: the extra is missing.
    """

    def __init__(self, folder: str | Path) -> None:
        self._writer = _module("tensorboardX", "tensorboard").SummaryWriter(str(folder))

    def write(self, record: Record) -> None:
        """One scalar for each number."""
        for name, value in numbers(record).items():
            self._writer.add_scalar(name, value, record["step"])

    def close(self) -> None:
        """Bring everything to disk."""
        self._writer.close()


class WeightsAndBiases:
    """A run of Weights & Biases, over the environment steps.

    Args:
        project: where it appears.
        folder: of its local files.
        config: settings shown with it.
        mode: ``"offline"`` (nothing leaves the machine; ``wandb sync`` uploads it later), ``"online"`` or
            ``"disabled"``.

    Raises:
        InvalidParamsError: the extra is missing, or another mode.
    """

    def __init__(
        self, project: str, folder: str | Path = ".", config: dict[str, Any] | None = None, mode: str = "offline"
    ) -> None:
        modes = ("offline", "online", "disabled")
        if mode not in modes:
            raise InvalidParamsError("mode of Weights & Biases", repr(mode), f"one of {modes}", "choose one")
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._run = _module("wandb", "wandb").init(project=project, dir=str(folder), config=config or {}, mode=mode)

    def write(self, record: Record) -> None:
        """All numbers at the record's step."""
        self._run.log(numbers(record), step=record["step"])

    def close(self) -> None:
        """Finish the run."""
        self._run.finish()
