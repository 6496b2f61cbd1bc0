"""Prints the log that Showdown's replays show: ``python -m references.showdown.official_log INPUT_LOG``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from references.showdown.adapter import official_log

from rlenv_shared import files
from rlenv_shared.command_line import guarded


def main(argv: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m references.showdown.official_log", description=__doc__)
    parser.add_argument("input_log", type=Path, help="file of lines such as '>start {…}' and '>p1 move 2'")
    given = parser.parse_args(argv)
    print(official_log(files.decoded(given.input_log.read_bytes(), f"input log {given.input_log}")), end="")
    return 0


if __name__ == "__main__":
    sys.exit(guarded(main))
