"""The layout report: which words and bits every field has, committed so that a diff shows what moved.

``python -m rlenv_shared.packing.report game.state:LAYOUT docs/layout`` writes ``docs/layout.json`` and
``docs/layout.txt``; with ``--check`` it fails if they are not what it would write.  `check` is that for a test.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rlenv_shared import command_line
from rlenv_shared.errors import EnvError
from rlenv_shared.packing.allocate import Node, Start, shifted
from rlenv_shared.packing.fields import WORD_BITS, Field, bad
from rlenv_shared.packing.layout import Layout


def as_dict(layout: Layout) -> dict[str, Any]:
    """The report: sizes, and a row per declared field with the place of its first element and how far the next is."""
    rows = list(_rows(layout.root, "", dict.fromkeys(layout.tables, (0, 0)), []))
    used = {table: sum(p.field.width for p in layout.places() if p.table == table) for table in layout.tables}
    tables = {
        table: {"first": part.start, "words": part.stop - part.start, "used_bits": used[table]}
        for table, part in layout.tables.items()
    }
    return {
        "name": layout.name,
        "words": layout.num_words,
        "bytes": layout.num_words * WORD_BITS // 8,
        "tables": tables,
        "fields": rows,
    }


def texts(layout: Layout) -> dict[str, str]:
    """The report's two files by suffix: JSON with a row per line, and an aligned table."""
    report = as_dict(layout)
    rows = report.pop("fields")
    lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    as_json = f'{json.dumps(report, indent=2)[:-2]},\n  "fields": [\n{lines}\n  ]\n}}\n'
    cells = [list(rows[0]), *([str(cell) for cell in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    table = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    head = [f"{layout.name}: {report['words']} words, {report['bytes']} bytes"]
    for name, sizes in report["tables"].items():
        head.append(f"{name}: {sizes['words']} words from {sizes['first']}, {sizes['used_bits']} bits used")
    return {".json": as_json, ".txt": "\n".join([*head, "", *table]) + "\n"}


def write(layout: Layout, path: str | Path) -> None:
    """Write ``path.json`` and ``path.txt``."""
    for suffix, text in texts(layout).items():
        Path(f"{path}{suffix}").write_text(text)


def check(layout: Layout, path: str | Path) -> None:
    """Raise InvalidParamsError for files that are not what the layout gives, with the first line that differs."""
    for suffix, text in texts(layout).items():
        file = Path(f"{path}{suffix}")
        there, ours = (file.read_text() if file.is_file() else "").splitlines(), text.splitlines()
        if there != ours:
            i = next(
                (i for i, (a, b) in enumerate(zip(there, ours, strict=False)) if a != b), min(len(there), len(ours))
            )
            got, expected = (repr(lines[i].strip()) if i < len(lines) else "no line" for lines in (there, ours))
            what = f"stale layout report {file}, line {i + 1}"
            raise bad(what, got, expected, "write it again: python -m rlenv_shared.packing.report")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python -m rlenv_shared.packing.report", description=__doc__)
    parser.add_argument("layout", help="module:NAME")
    parser.add_argument("path", help="of the report, without suffix")
    parser.add_argument("--check", action="store_true", help="fail if the report is stale")
    given = parser.parse_args(arguments)
    module, _, name = given.layout.partition(":")
    layout = getattr(importlib.import_module(module), name)

    def asked() -> int:
        if not given.check:
            write(layout, given.path)
            return 0
        try:
            check(layout, given.path)
        except EnvError as error:
            print(error)
            return 1
        return 0

    return command_line.guarded(asked)


def _rows(node: Node, path: str, begin: dict[str, Start], steps: list[str]) -> Iterator[dict[str, Any]]:
    for name, child in node.children.items():
        count, at = child.member.count, shifted(child, 0, begin)
        here = f"{path}{name}" if count is None else f"{path}{name}[{count}]"
        if not isinstance(child.member, Field):
            for table in at:
                yield from _rows(child, f"{here}.", {table: at[table]}, [*steps, *_step(child, table)])
            continue
        for table, (word, shift) in at.items():  # nothing, if it lies in another table
            field = child.member
            yield {
                "field": here,
                "table": table,
                "word": word,
                "bits": f"{shift}-{shift + field.width - 1}" if field.width > 1 else f"{shift}",
                "values": "bool" if field.dtype == bool else f"{field.low}..{field.high}",
                "empty": field.empty,
                "next": "; ".join([*steps, *_step(child, table)]),
            }


def _step(node: Node, table: str) -> list[str]:
    """How far it is from one element to the next, as text."""
    if node.member.count is None:
        return []
    size = node.sizes[table]
    if size.bits == WORD_BITS:
        return [f"+{size.words} word{'s' * (size.words > 1)}"]
    a_word = WORD_BITS // size.bits
    return [f"+{size.bits} bit{'s' * (size.bits > 1)}" + (f", {a_word} a word" if node.member.count > a_word else "")]


if __name__ == "__main__":
    raise SystemExit(main())
