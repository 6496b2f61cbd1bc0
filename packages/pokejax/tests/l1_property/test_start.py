"""A second process is at its first step soon: what the first one traced is kept."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]
MOST: float = 20
"""Processor seconds of a second process, XLA's part from JAX's cache; on a quiet machine it takes a quarter of them."""


def test_a_second_process_traces_nothing() -> None:
    """Traces alone take twice as long as the limit allows for everything; the first process may find other tests'."""
    command = [sys.executable, "-m", "rlenv_emit.start", "pokejax"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds = float(done.stdout.splitlines()[-1].split()[1])
    assert seconds < MOST, done.stdout
