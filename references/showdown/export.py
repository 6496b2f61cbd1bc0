"""Exports the pinned package's data: ``python -m references.showdown.export [--out DIR]``.

Runs ``export_data.mjs`` part by part and writes, with the same bytes every time,

    tables.npz      species, moves, abilities, items, natures, types, conditions and sets (`tables.load`)
    names.json      names of the numbers
    titles.json     how Showdown writes the ids of species, moves, abilities and items
    teams.npz       a pool of teams of Showdown's own generator (`tables.load_teams`)
    callbacks.json  every callback of the format's effects, classified
    events.json     handlers by event, in order, with possible ties, and what battles showed
    ledger.json     every forme, move, ability and item of the format, with its use in generated teams
    MANIFEST.json   source version, counts, sha256 of every file
    ../MECHANICS.md callbacks.json and events.json, to read
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from references.showdown import mechanics
from references.showdown.adapter import PIN, command
from references.showdown.tables import DATA, MANIFEST, SCHEMA

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError, explain

EXPORT_TIMEOUT_S: Final = 900.0
POOL_TEAMS: Final = 10_000
USAGE_TEAMS: Final = 20_000
MEASURED_BATTLES: Final = 200
# Episode numbers, far from those that tests play: the pool's teams, the counted teams, the watched battles.
POOL_FIRST: Final = 10**12
USAGE_FIRST: Final = 2 * 10**12
MEASURED_FIRST: Final = 3 * 10**12
ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


def export(
    out: Path,
    *,
    teams: int = POOL_TEAMS,
    usage_teams: int = USAGE_TEAMS,
    measured: int = MEASURED_BATTLES,
    accept: bool = False,
) -> dict[str, Any]:
    """Write every file into ``out``, and ``MECHANICS.md`` beside it.

    Args:
        out: directory; what is there already is the listing that callbacks are checked against.
        teams: size of the pool.
        usage_teams: how many teams are counted for the ledger.
        measured: how many battles per policy are watched for ties.
        accept: take new and changed callbacks into the listing instead of refusing them.

    Returns:
        The manifest.

    Raises:
        ReferenceUnavailableError: Node or the package is missing.
        InvalidParamsError: there are data that nothing reads, or callbacks that are not listed.
    """
    out.mkdir(parents=True, exist_ok=True)
    tables = run("tables")
    pool = run("teams", POOL_FIRST, teams)
    callbacks, events = run("callbacks"), run("events", MEASURED_FIRST, measured)
    if not accept:
        check_callbacks(out / "callbacks.json", callbacks["callbacks"])
    usage = run("usage", USAGE_FIRST, usage_teams)
    listed = ledger(usage, callbacks["callbacks"])
    files = {
        "tables.npz": archive(tables["tables"]),
        "names.json": lines(tables["names"]),
        "titles.json": lines(run("titles")),
        "teams.npz": archive(pool["tables"]),
        "callbacks.json": lines({"callbacks": callbacks["callbacks"]}),
        "events.json": lines({"events": events["events"], "measured": events["measured"]}),
        "ledger.json": lines(listed),
    }
    for name, data in files.items():
        (out / name).write_bytes(data)
    entries = {name: len(table["scope"]["values"]) - 1 for name, table in tables["tables"].items() if "scope" in table}
    written = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    manifest = {
        "schema": SCHEMA,
        "source": {**tables["source"], "archive_sha256": PIN.sha256},
        "counts": {
            "entries": entries,
            "format": {kind: sum(map(len, part.values())) for kind, part in usage["scope"].items() if kind != "rules"},
            "sets": len(tables["tables"]["sets"]["species"]["values"]),
            "callbacks": dict(sorted(Counter(entry["class"] for entry in callbacks["callbacks"]).items())),
            "events": len(events["events"]),
        },
        "teams": {"first_episode": POOL_FIRST, "count": teams},
        "files": written,
    }
    (out / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")
    (out.parent / "MECHANICS.md").write_text(mechanics.document(callbacks["callbacks"], events, listed, manifest))
    return manifest


def check_callbacks(listing: Path, callbacks: Iterable[Mapping[str, Any]]) -> None:
    """Compare callbacks with those that are listed; without a listing there is nothing to compare.

    Raises:
        InvalidParamsError: one is new, gone, of another text or of another class.
    """
    if not listing.exists():
        return
    old = {_key(entry): entry for entry in json.loads(listing.read_text())["callbacks"]}
    new = {_key(entry): entry for entry in callbacks}
    differing = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    if differing:
        raise InvalidParamsError(
            explain(
                f"callbacks of {PIN.name} {PIN.version}",
                got=f"{len(differing)} new, gone or changed: {', '.join(differing[:10])}",
                expected=f"those listed in {listing.name}",
                remedy="review them, then export with --accept",
            )
        )


def _key(entry: Mapping[str, Any]) -> str:
    return f"{entry['kind']} {entry['id']} {entry['callback']}"


def run(part: str, *arguments: int) -> Any:
    """What ``export_data.mjs`` says.

    Raises:
        ReferenceUnavailableError: Node or the package is missing, or it does not end.
        InvalidParamsError: it refused.
    """
    line = command("export_data.mjs", part, *map(str, arguments))
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=EXPORT_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise ReferenceUnavailableError(
            explain(f"export of {part}", got=error, expected="an end", remedy="export fewer teams or battles")
        ) from error
    if done.returncode:
        raise InvalidParamsError(
            explain(
                f"export of {part}",
                got=done.stderr.strip()[-1000:],
                expected="data that the export reads",
                remedy="add what is missing to references/showdown/export",
            )
        )
    return json.loads(done.stdout)


def archive(tables: Mapping[str, Mapping[str, Any]]) -> bytes:
    """An ``.npz`` of columns, the same bytes for the same columns."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for table, columns in tables.items():
            for column, content in columns.items():
                data = io.BytesIO()
                np.lib.format.write_array(data, np.array(content["values"], content["dtype"]), version=(1, 0))
                file.writestr(zipfile.ZipInfo(f"{table}.{column}.npy", ZIP_DATE), data.getvalue(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def lines(content: Mapping[str, Any]) -> bytes:
    """JSON with one line per element of the second level, so that a difference is one line."""

    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    def elements(value: Any) -> Iterable[str]:
        if isinstance(value, dict):
            return (f"{text(key)}: {text(part)}" for key, part in value.items())
        return map(text, value)

    parts = []
    for key, value in content.items():
        if not isinstance(value, dict | list):
            parts.append(f"{text(key)}: {text(value)}")
            continue
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        body = ",\n".join(f"  {element}" for element in elements(value))
        parts.append(f"{text(key)}: {opening}\n{body}\n{closing}")
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def ledger(usage: Mapping[str, Any], callbacks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What an engine has to play, most used first, with how often it occurs and what it is made of."""
    made_of: dict[tuple[str, str], Counter[str]] = {}
    for entry in callbacks:
        made_of.setdefault((entry["kind"], entry["id"]), Counter())[entry["class"]] += 1
    singular = {"formes": "species", "moves": "move", "abilities": "ability", "items": "item"}
    out: dict[str, Any] = {"teams": usage["teams"]}
    for kind, single in singular.items():
        scope, counted = usage["scope"][kind], usage["usage"][kind]
        unknown = sorted(set(counted) - set(scope["team"]) - {""})
        if unknown:
            raise InvalidParamsError(
                explain(f"{kind} in teams", got=unknown, expected="what scope.mjs lists", remedy="mend scope.mjs")
            )
        entries = [(name, source) for source in ("team", "battle") for name in scope[source]]
        entries.sort(key=lambda entry: (-counted.get(entry[0], 0), entry[0]))
        out[kind] = {
            name: {
                "from": source,
                "uses": counted.get(name, 0),
                "callbacks": dict(sorted(made_of.get((single, name), Counter()).items())),
            }
            for name, source in entries
        }
    return out


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m references.showdown.export", description="Export Showdown's data.")
    parser.add_argument("--out", type=Path, default=DATA)
    parser.add_argument("--teams", type=int, default=POOL_TEAMS, help="size of the pool of teams")
    parser.add_argument("--accept", action="store_true", help="list new and changed callbacks instead of refusing them")
    manifest = export(**vars(parser.parse_args()))
    print(json.dumps(manifest["counts"], indent=2))


if __name__ == "__main__":
    main()
