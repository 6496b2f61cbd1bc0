"""A second process is at its first step soon: what the first one traced is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]
MOST: float = 12
"""Processor seconds of a second process, XLA's part from JAX's cache; on a quiet machine it takes a third of them."""
FIRST_STEP = """
import os, sys
import jax, jax.numpy as jnp
from pokejax.env import RandomBattle
from rlenv_emit.env import bytecode_env
def told(name):
    method = getattr(RandomBattle, name)
    def noted(self, *given, **options):
        print("traced", file=sys.stderr)
        return method(self, *given, **options)
    return noted
names = ("begin", "begin_step", "go_on", "end_step", "observe", "legal_actions")
env = bytecode_env(type("Told", (RandomBattle,), {name: told(name) for name in names})())
params = env.default_params
_, state = jax.jit(jax.vmap(env.reset, (0, None)))(jax.random.split(jax.random.key(0), 64), params)
actions = jnp.full((64, 2), 14, jnp.int32)
jax.block_until_ready(jax.jit(jax.vmap(env.step, (None, 0, 0, None)))(None, state, actions, params))
print(sum(os.times()[:4]))
"""


def test_a_second_process_traces_nothing(tmp_path: Path) -> None:
    script = tmp_path / "first_step.py"
    script.write_text(FIRST_STEP)
    os.utime(script, (1e9, 1e9))
    done = [subprocess.run([sys.executable, script], capture_output=True, text=True, check=True) for _ in range(2)]
    traces = [process.stderr.count("traced") for process in done]
    assert traces[0] > 4
    assert traces[1] == 0
    assert float(done[1].stdout) < MOST
