"""How a training run went: ``python -m pokejax.verification.training_curve RUN --out results/training.json``.

``RUN`` is the directory of ``pokejax train``, at its end.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rlenv_learn import checkpoint
from rlenv_learn.loop import METRICS_FILE
from rlenv_shared import files, machine
from rlenv_shared.command_line import guarded
from rlenv_shared.errors import InvalidParamsError

POINTS: Final = 40
"""Of the curve."""


def curve(run: Path) -> dict[str, Any]:
    """Decisions and seconds of a run, when each stage of its curriculum began, and its points on the way.

    A point is the mean of the records since the one before: the share of the points (a win 1, a tie a half) against
    the opponents of the stage and, in a fifth of the battles, of earlier ones; None where no battle has ended.  Seconds
    are those of the clock, with compiling.

    Raises:
        InvalidParamsError: the run has not come to its end, or has no curriculum.
    """
    newest = checkpoint.latest(run)
    if newest is None:
        raise InvalidParamsError("run", f"{run} without a checkpoint", "a finished run", "let pokejax train end")
    found = checkpoint.load_checkpoint(newest)
    if found.progress["updates"] < found.config.num_updates:
        got = f"{found.progress['updates']} of {found.config.num_updates} updates"
        raise InvalidParamsError("run", got, "a finished run", "go on with pokejax train --resume")
    path = run / METRICS_FILE
    with files.reading(f"metrics {path}", "one JSON object per line", "train anew"):
        records = [files.parse_json(line) for line in path.read_bytes().splitlines()]
    if "stage" not in records[0]:
        raise InvalidParamsError("run", "records without a stage", "those of a curriculum", "use pokejax train")
    return {
        "steps": found.progress["steps"], "decisions": sum(record["decisions"] for record in records),
        "seconds": found.progress["wall_s"], "config": found.config.to_dict(), "stages": _stages(records),
        "points": _points(records),
    }  # fmt: skip


def _stages(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each stage when it began."""
    first: dict[int, dict[str, Any]] = {}
    for record in records:
        first.setdefault(int(record["stage"]), record)
    return [
        {"stage": stage, "steps": record["step"], "seconds": record["timing"]["wall_s"]}
        for stage, record in sorted(first.items())
    ]


def _points(records: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The curve."""
    found, before, episodes = [], 0, 0
    for number in range(1, min(POINTS, len(records)) + 1):
        end = len(records) * number // min(POINTS, len(records))
        part = records[before:end]
        ended = [episodes, *(record["episodes"] for record in part)]
        counts = [after - before_it for before_it, after in itertools.pairwise(ended)]
        won = [(record["episode_return"] or 0.0) / 2 + 0.5 for record in part]
        total, last = sum(count * share for count, share in zip(counts, won, strict=True)), part[-1]
        points = round(total / sum(counts), 4) if any(counts) else None
        found.append({"steps": last["step"], "stage": int(last["stage"]), "points": points})
        before, episodes = end, last["episodes"]
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="directory of a training run")
    parser.add_argument("--out", type=Path, required=True, help="result file")
    given = parser.parse_args(argv)
    found = curve(given.run)
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    files.write_json(given.out, {**head, **found})
    print(f"{found['decisions']:,} decisions in {found['seconds']:,.0f} s, {len(found['stages'])} stages")
    return 0


if __name__ == "__main__":
    sys.exit(guarded(main))
