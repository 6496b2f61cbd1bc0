"""The host loop around training: chunks of updates, metrics, progress, checkpoints, resuming."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_learn import checkpoint
from rlenv_learn.checkpoint import Identity
from rlenv_learn.config import PPOConfig
from rlenv_learn.during import EvaluationPlan, Evaluator
from rlenv_learn.loggers import Logger
from rlenv_learn.progress import MetricsLog, ProgressDisplay, Record
from rlenv_shared import files
from rlenv_shared.errors import EnvError, InvalidParamsError

MAX_CHUNK: Final = 64  # updates between two looks at the metrics
CHUNK_SECONDS: Final = 0.5  # chunks grow until they take this long
METRICS_FILE: Final = "metrics.jsonl"
LOCK_FILE: Final = ".lock"  # held by the process whose run it is

Advance = Callable[[Any, int], tuple[Any, dict[str, np.ndarray]]]
"""``(state, n) -> (state, metrics)``: n ≤ MAX_CHUNK updates; the first n entries of each metric are theirs."""


class NonFiniteLossError(EnvError, ArithmeticError):
    """Training produced a NaN or an infinity."""


class RunKeywords(TypedDict, total=False):
    """Keyword arguments that every trainer hands to `RunOptions`."""

    run_dir: str | Path | None
    resume: bool
    show_progress: bool
    checkpoint_every: int
    keep: int
    log: Callable[[Record], None] | None
    checkpoint_format: str
    snapshots: int
    loggers: Sequence[Logger]
    evaluation: EvaluationPlan | None


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """How a run reports and saves itself; no option changes what is learned."""

    run_dir: str | Path | None = None  # directory of metrics and checkpoints; None writes nothing
    resume: bool = False  # continue from the newest checkpoint in ``run_dir``, or start if there is none
    show_progress: bool = False  # show a progress bar; plain lines where the output is no terminal
    checkpoint_every: int = 100  # updates between checkpoints; the last update always has one
    keep: int = 3  # how many checkpoints stay
    log: Callable[[Record], None] | None = None  # called with the metrics record of every update
    checkpoint_format: str = "npz"  # "npz" (one file) or "orbax" (a directory)
    snapshots: int = 0  # policies kept on the way, evenly spaced, the last one included; in ``run_dir``, too
    loggers: Sequence[Logger] = ()  # told the metrics record of every update, and closed at the end
    evaluation: EvaluationPlan | None = None  # while training goes on; see `TrainResult.best`

    def __post_init__(self) -> None:
        if self.checkpoint_format not in checkpoint.FORMATS:
            expected = f"one of {checkpoint.FORMATS}"
            remedy = "npz is one file, orbax a directory that other JAX programs read"
            raise InvalidParamsError("checkpoint_format", repr(self.checkpoint_format), expected, remedy)
        for name in ("checkpoint_every", "keep"):
            if getattr(self, name) < 1:
                raise InvalidParamsError(name, getattr(self, name), "an integer >= 1", f"raise {name}")


def repeat(update: Callable[[Any], tuple[Any, Any]], state: Any, updates: Any) -> tuple[Any, Any]:
    """Do ``updates`` ≤ MAX_CHUNK (traced) inside a program: ``(state, metrics [MAX_CHUNK, ...])``, a row for each."""

    def body(i: Any, carry: Any) -> Any:
        state, series = carry
        state, metrics = update(state)
        return state, jax.tree.map(lambda all_, one: all_.at[i].set(one), series, metrics)

    shapes = jax.eval_shape(update, state)[1]
    series = jax.tree.map(lambda leaf: jnp.zeros((MAX_CHUNK, *leaf.shape), leaf.dtype), shapes)
    return jax.lax.fori_loop(jnp.int32(0), updates, body, (state, series))


@dataclasses.dataclass(frozen=True)
class Chunk:
    """A few updates at once: the state after them, and their metrics."""

    state: Any
    metrics: dict[str, np.ndarray]
    count: int
    timing: Record

    def rows(self, index: int | None = None) -> Iterator[dict[str, float]]:
        """Metrics of each update, of the ``index``-th seed if they are stacked over seeds."""
        for i in range(self.count):
            yield {name: float((m if index is None else m[index])[i]) for name, m in self.metrics.items()}


def chunks(
    advance: Advance, state: Any, config: PPOConfig, done: int = 0, wall_s: float = 0.0, boundary: int = MAX_CHUNK
) -> Iterator[Chunk]:
    """Advance to the last update; chunks grow to CHUNK_SECONDS and never cross a multiple of ``boundary``."""
    size, started = 1, time.perf_counter() - wall_s
    while done < config.num_updates:
        count = min(size, boundary - done % boundary, config.num_updates - done)
        begin = time.perf_counter()
        state, metrics = advance(state, count)
        now = time.perf_counter()
        decisions = float(metrics["decisions"][..., :count].sum(-1).mean())  # of one seed
        timing = {"wall_s": round(now - started, 3), "sps": round(decisions / (now - begin))}
        done += count
        yield Chunk(state, metrics, count, timing)
        if now - begin < CHUNK_SECONDS and count == size:
            size = min(2 * size, MAX_CHUNK)


def check_finite(values: dict[str, float], update: int, where: str) -> None:
    """Raise NonFiniteLossError if a metric of an update is NaN or infinite."""
    bad = {name: value for name, value in values.items() if not math.isfinite(value)}
    if bad:
        remedy = "lower learning_rate, normalise observations or returns, or check the environment for NaN"
        raise NonFiniteLossError(f"update {update} of {where}", bad, "finite metrics", remedy)


def make_record(
    values: dict[str, float], update: int, episodes_before: int, config: PPOConfig, timing: Record
) -> Record:
    """The metrics record of one update; ``timing`` alone may differ between equal runs."""
    values = dict(values)
    ended, returns, lengths = (values.pop(name) for name in ("episodes", "return_sum", "length_sum"))
    decisions = int(values.pop("decisions"))
    return {
        "update": update,
        "step": update * config.batch_size,
        "decisions": decisions,
        "episodes": episodes_before + int(ended),
        "episode_return": returns / ended if ended else None,
        "episode_length": lengths / ended if ended else None,
        **values,
        "timing": timing,
    }


def run(
    advance: Advance,
    state: Any,
    identity: Identity,
    options: RunOptions,
    keep_snapshot: Callable[[int, Any], None] = lambda update, state: None,
    evaluator: Evaluator | None = None,
) -> tuple[Any, list[Record]]:
    """Advance a fresh training state to the last update: ``(state, records)``, with those before a resume.

    Where ``evaluator`` has played, the record has its ``evaluation``.  ``keep_snapshot`` is called with the number of
    updates and the state where a snapshot is due.  Raises InvalidParamsError: ``run_dir`` holds another run and
    ``resume`` is False, or that run is still going on; StorageError: it cannot be written to; SnapshotVersionError: its
    checkpoint cannot be used; NonFiniteLossError: a metric became NaN or infinite.
    """
    config = identity.config
    directory = None if options.run_dir is None else Path(options.run_dir)
    progress: dict[str, Any] = {"updates": 0, "steps": 0, "episodes": 0, "wall_s": 0.0}
    records: list[Record] = []
    metrics_log = None
    spacing = max(1, config.num_updates // options.snapshots) if options.snapshots else 0
    distances = (
        options.checkpoint_every if directory is not None else 0,
        spacing,
        evaluator.spacing if evaluator else 0,
    )
    boundary = math.gcd(*distances) or MAX_CHUNK
    with contextlib.ExitStack() as stack:
        for logger in options.loggers:
            stack.callback(logger.close)
        if directory is not None:
            stack.enter_context(files.locked(directory / LOCK_FILE, wait=False))
            state, progress = _prepare(directory, state, progress, identity, options)
            metrics_log = MetricsLog(directory / METRICS_FILE, progress["updates"])
            stack.callback(metrics_log.close)
            records = metrics_log.earlier
        if evaluator is not None:
            evaluator.resume(records)
        steps = config.num_updates * config.batch_size
        display = stack.enter_context(ProgressDisplay(identity.env, steps, options.show_progress))
        for chunk in chunks(advance, state, config, progress["updates"], progress["wall_s"], boundary):
            state = chunk.state
            for values in chunk.rows():
                update = progress["updates"] + 1
                check_finite(values, update, identity.env)
                record = make_record(values, update, progress["episodes"], config, chunk.timing)
                progress = {
                    "updates": update,
                    "steps": record["step"],
                    "episodes": record["episodes"],
                    "wall_s": chunk.timing["wall_s"],
                }
                if evaluator is not None and evaluator.due(update, config.num_updates):  # a chunk ends there
                    record["evaluation"] = evaluator.measure(state)
                records.append(record)
                for logger in options.loggers:
                    logger.write(record)
                if metrics_log is not None:
                    metrics_log.write(record)
                if options.log is not None:
                    options.log(record)
            display.update(records[-1])
            if spacing and (update % spacing == 0 or update == config.num_updates):
                keep_snapshot(update, state)
            if directory is not None and metrics_log is not None:
                metrics_log.sync()
                if update % options.checkpoint_every == 0 or update == config.num_updates:
                    checkpoint.save(directory, state, identity, progress, options.keep, options.checkpoint_format)
    return state, records


def run_many(advance: Advance, state: Any, records: Sequence[list[Record]], title: str, config: PPOConfig) -> Any:
    """As `run` for a state and metrics stacked over seeds; appends to each seed's records and returns the state."""
    for chunk in chunks(advance, state, config):
        state = chunk.state
        for index, series in enumerate(records):
            for values in chunk.rows(index):
                check_finite(values, len(series) + 1, f"{title}, seed number {index}")
                episodes = series[-1]["episodes"] if series else 0
                series.append(make_record(values, len(series) + 1, episodes, config, chunk.timing))
    return state


def _prepare(
    directory: Path, state: Any, progress: dict[str, Any], identity: Identity, options: RunOptions
) -> tuple[Any, dict[str, Any]]:
    """Continue from the newest checkpoint, or see that the directory is free."""
    newest = checkpoint.latest(directory)
    if options.resume:
        if newest is None:
            return state, progress
        loaded = checkpoint.load_checkpoint(newest)
        return loaded.restore(state, identity), loaded.progress
    if newest is not None or (directory / METRICS_FILE).exists():
        remedy = "pass resume=True to continue it, or choose another run_dir"
        raise InvalidParamsError(f"run directory {directory}", "an earlier run", "a new directory", remedy)
    return state, progress
