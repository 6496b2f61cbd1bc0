"""The journal of a run: one JSON object a line, only ever appended to.

A line is written in one piece and forced to the disk before the run goes on.  What a crash left of the last line is
taken off when the journal is opened again: nothing had been done on the strength of it.
"""

from __future__ import annotations

import datetime
import errno
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rlenv_shared import files
from rlenv_shared.errors import SnapshotVersionError, StorageError

SCHEMA: Final = 1
FILE: Final = "journal.jsonl"
TIMES: Final = ("time", "seconds")
"""Fields that differ between two runs that did the same."""
Event = dict[str, Any]


class Journal:
    """An open journal.  Raises SnapshotVersionError: a line that is none, or one is missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: list[Event] = []
        whole = 0
        if path.exists():
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            self.events = parse(content[:whole], path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
        with files.storing(path):
            self._file = path.open("ab", buffering=0)
            self._file.truncate(whole)

    def append(self, name: str, /, **fields: Any) -> Event:
        """Write one event.  Raises StorageError: the disk is full or gone; the journal is as it was."""
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        event: Event = {"n": len(self.events), "time": now, "event": name, **fields}
        line = files.to_json("journal", event) + b"\n"
        size = self.path.stat().st_size
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._file.fileno())
        except OSError as error:
            with files.storing(self.path):
                os.truncate(self.path, size)
            remedy = "free space and run recipe resume; nothing is lost"
            raise StorageError(f"journal {self.path}", error, "room for a line", remedy) from error
        self.events.append(json.loads(line))
        return self.events[-1]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def parse(content: bytes, name: object) -> list[Event]:
    """The events of whole lines.  Raises SnapshotVersionError: one is damaged, foreign or missing."""
    events = []
    for number, line in enumerate(content.splitlines()):
        with files.reading(f"journal {name}, line {number + 1}", "an event of this run", "restore it from its commit"):
            event = files.parse_json(line)
            if not isinstance(event, dict) or event.get("n") != number or "event" not in event:
                raise ValueError(f"an object that is not event {number}")
            events.append(event)
    if events and events[0].get("schema") != SCHEMA:
        raise SnapshotVersionError(f"journal {name}", events[0].get("schema"), f"schema {SCHEMA}", "use its version")
    return events


def read(path: Path) -> list[Event]:
    """The events of a file, without what a crash left of a last line.

    Raises:
        SnapshotVersionError: no such file, or as `parse`.
    """
    with files.reading(f"journal {path}", "a journal", "start one with recipe run"):
        content = path.read_bytes()
    return parse(content[: content.rfind(b"\n") + 1], path)


def without_times(events: Iterable[Mapping[str, Any]]) -> list[Any]:
    """The same events for a comparison: times and durations left out, at any depth."""

    def strip(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: strip(inner) for key, inner in value.items() if key not in TIMES}
        return [strip(inner) for inner in value] if isinstance(value, list) else value

    return [strip(event) for event in events]


def seconds_since(time: str) -> float:
    """Seconds since an event's time."""
    return (datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(time)).total_seconds()
