"""What a run shows and writes while it goes on: a progress display and a JSONL file of metrics."""

from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column

from rlenv_shared import files
from rlenv_shared.errors import SnapshotVersionError

Record = dict[str, Any]
LINE_SECONDS: Final = 5.0


def without_timing(record: Record) -> Record:
    """A metrics record without the field that differs between equal runs."""
    return {name: value for name, value in record.items() if name != "timing"}


class ProgressDisplay:
    """A bar with remaining time, return and decisions per second; a line every `LINE_SECONDS` on no terminal."""

    def __init__(self, title: str, total_steps: int, enabled: bool) -> None:
        """Prepare a display for ``total_steps``; with ``enabled`` False it shows nothing."""
        console = Console()
        self._title, self._total, self._last_line = title, total_steps, -math.inf
        self._plain = enabled and not console.is_terminal
        self._progress = Progress(
            TextColumn(title, markup=False),
            BarColumn(bar_width=None, table_column=Column(ratio=1)),  # gives way on a narrow terminal
            TaskProgressColumn(),
            TextColumn("ETA"),
            TimeRemainingColumn(),
            TextColumn("return {task.fields[episode_return]} · {task.fields[sps]} decisions/s"),
            console=console,
            expand=True,
            disable=not enabled or self._plain,
        )
        self._task = self._progress.add_task(title, total=total_steps, episode_return="–", sps="–")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def update(self, record: Record) -> None:
        """Show a metrics record; the return stays until another episode ends."""
        fields = {"sps": f"{record['timing']['sps'] / 1000:,.0f}k"}
        if record["episode_return"] is not None:
            fields["episode_return"] = f"{record['episode_return']:.2f}"
        now = time.monotonic()
        if self._plain and (now - self._last_line >= LINE_SECONDS or record["step"] >= self._total):
            self._last_line = now
            done = f"{record['step']:,} of {self._total:,} steps ({record['step'] / self._total:.0%})"
            shown = record["episode_return"]
            result = "no episode ended yet" if shown is None else f"return {shown:.2f}"
            print(f"{self._title}: {done}, {result}, {fields['sps']} decisions/s", flush=True)
        self._progress.update(self._task, completed=record["step"], **fields)  # type: ignore[arg-type]


class MetricsLog:
    """``metrics.jsonl``: one JSON object per update.

    Opening it for a run that resumes at update ``u`` drops the lines after ``u``, which the run writes again.
    """

    def __init__(self, path: Path, updates_done: int) -> None:
        """Open the file and keep its first ``updates_done`` records.

        Raises SnapshotVersionError: the file has fewer records than the checkpoint has updates; StorageError: it cannot
        be written there.
        """
        self.path = path
        with files.reading(f"metrics {path}", "one JSON object per line", "start a new run"):
            lines = path.read_bytes().splitlines(keepends=True)[:updates_done] if path.exists() else []
            self.earlier: list[Record] = [files.parse_json(line) for line in lines]
        if len(lines) != updates_done or (lines and not lines[-1].endswith(b"\n")):
            expected = f"the {updates_done} that the checkpoint follows"
            remedy = "restore the file that belongs to the checkpoint, or start a new run"
            raise SnapshotVersionError(f"metrics {path}", f"{len(lines)} records", expected, remedy)
        with files.replacing(path) as file:
            file.writelines(lines)
        with files.storing(path):
            self._file = path.open("a")

    def write(self, record: Record) -> None:
        """Append a record."""
        with files.storing(self.path):
            self._file.write(json.dumps(record, allow_nan=False) + "\n")

    def sync(self) -> None:
        """Bring everything to disk, so that a checkpoint never precedes its metrics."""
        with files.storing(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Bring everything to disk and close."""
        with files.storing(self.path), self._file:  # closed even if the rest finds no place
            self.sync()
