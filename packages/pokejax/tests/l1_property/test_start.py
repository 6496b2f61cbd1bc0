"""A second process is at its first step soon: what the first one traced is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]
MOST: float = 20
"""Processor seconds of a second process, XLA's part from JAX's cache; on a quiet machine it takes a quarter of them."""


def test_a_second_process_traces_nothing(tmp_path: Path) -> None:
    """Traces alone take twice as long as the limit allows for everything."""
    folders = {"RLENV_EMIT_CACHE": str(tmp_path / "emit"), "JAX_COMPILATION_CACHE_DIR": str(tmp_path / "jax")}
    command = [sys.executable, "-m", "rlenv_emit.start", "pokejax"]
    for _ in range(2):
        done = subprocess.run(command, env={**os.environ, **folders}, capture_output=True, text=True, check=True)
    seconds = float(done.stdout.splitlines()[-1].split()[1])
    assert seconds < MOST, done.stdout
