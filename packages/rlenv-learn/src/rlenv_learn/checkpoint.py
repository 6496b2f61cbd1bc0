"""Checkpoints of training runs: the whole state, its configuration and its environment, last few kept."""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from rlenv_learn import snapshot
from rlenv_learn.config import PPOConfig
from rlenv_learn.interface import Interface
from rlenv_learn.policy import Policy, policy_template
from rlenv_shared import files
from rlenv_shared.errors import SnapshotVersionError

FORMATS: Final = ("npz", "orbax")
PATTERN: Final = "checkpoint-*.*"  # the ending is the format
POLICY_PREFIX: Final = ".learner.policy"  # where every training state keeps its policy


@dataclasses.dataclass(frozen=True)
class Identity:
    """What a training state belongs to: it can only be resumed by an equal one."""

    trainer: str  # "native" or "host"
    env: str  # id of the environment
    version: int  # its behaviour version
    env_params: str  # digest of its parameters
    interface: Interface  # sizes of observation and action
    config: PPOConfig  # hyper-parameters

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {**dataclasses.asdict(self), "interface": self.interface.to_dict()}


def digest(params: Any) -> str:
    """SHA-256 over structure, dtypes and values of a pytree of parameters."""
    leaves, structure = jax.tree.flatten(params)
    result = hashlib.sha256(str(structure).encode())
    for leaf in leaves:
        array = np.asarray(leaf)
        result.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
    return result.hexdigest()


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A checkpoint read from disk."""

    path: Path  # the file or directory
    identity: dict[str, Any]  # see :class:`Identity`, as plain values
    progress: dict[str, Any]  # ``updates``, ``steps``, ``episodes`` and ``wall_s`` so far
    arrays: dict[str, np.ndarray]  # every leaf of the state by path

    @property
    def config(self) -> PPOConfig:
        """Hyper-parameters of the run."""
        return PPOConfig.from_dict(self.identity["config"], source=f"checkpoint {self.path}")

    @property
    def policy(self) -> Policy:
        """The policy at that point."""
        template = policy_template(Policy, Interface.from_dict(self.identity["interface"]), self.config)
        arrays = {k: v for k, v in self.arrays.items() if k.startswith(POLICY_PREFIX)}
        return snapshot.unflatten(template, arrays, f"checkpoint {self.path}", prefix=POLICY_PREFIX)

    def restore(self, template: Any, identity: Identity) -> Any:
        """The whole training state.  Raises SnapshotVersionError: of another configuration or environment."""
        wanted = identity.to_dict()
        for name in ("trainer", "env", "version", "env_params", "interface", "config"):
            theirs, ours = self.identity.get(name), wanted[name]
            if theirs == ours:
                continue
            if name == "config" and isinstance(theirs, dict):
                differing = sorted(k for k in {*theirs, *ours} if theirs.get(k) != ours.get(k))
                theirs, ours = ({k: side.get(k) for k in differing} for side in (theirs, ours))
            remedy = "resume with what it was written for, or start a new run in another directory"
            raise SnapshotVersionError(f"checkpoint {self.path}, {name}", theirs, ours, remedy)
        return snapshot.unflatten(template, self.arrays, f"checkpoint {self.path}")


def save(
    directory: Path, state: Any, identity: Identity, progress: dict[str, Any], keep: int, file_format: str = "npz"
) -> Path:
    """Write a checkpoint in one of `FORMATS` and delete all but the last ``keep``."""
    path = directory / f"checkpoint-{progress['updates']:08d}.{file_format}"
    meta = {"identity": identity.to_dict(), "progress": progress}
    _format_of(path).write(path, "checkpoint", snapshot.flatten(state), meta)
    with files.storing(directory):
        for old in _all(directory)[:-keep]:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    return path


def _format_of(path: Path) -> Any:
    """The module that writes and reads it."""
    if path.suffix != ".orbax":
        return snapshot
    from rlenv_learn import orbax  # slow to import

    return orbax


def _all(directory: Path) -> list[Path]:
    """The checkpoints of a run, oldest first; what is being written has another name."""
    return sorted(path for path in directory.glob(PATTERN) if path.suffix[1:] in FORMATS)


def latest(directory: Path) -> Path | None:
    """The newest checkpoint of a run, or None."""
    return max(_all(directory), default=None)


def load_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint, or a run directory's newest; SnapshotVersionError: none, corrupt, foreign, another version."""
    path = Path(path)
    with snapshot.reading(f"checkpoint {path}"):
        if path.is_dir() and path.suffix != ".orbax":
            newest = latest(path)
            if newest is None:
                raise SnapshotVersionError(f"run directory {path}", "no checkpoint", PATTERN, "check the path")
            path = newest
        arrays, header = _format_of(path).read(path, "checkpoint")
        checkpoint = Checkpoint(path, dict(header["identity"]), dict(header["progress"]), arrays)
        _ = checkpoint.config, int(checkpoint.progress["updates"])
        Interface.from_dict(checkpoint.identity["interface"])
    return checkpoint
