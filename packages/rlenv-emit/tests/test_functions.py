"""Sine, cosine and logarithm have XLA's bits; `python -m rlenv_emit.fuzz.functions` compares every float32."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from rlenv_emit import processor
from rlenv_emit.fuzz.functions import FUNCTIONS, Pair, float32_bits, float64_values, main

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
FORMS = [form.name for form in processor.here()]  # see conftest.py
COUNT = 100_003


@pytest.fixture(autouse=True)
def wide_numbers() -> Any:
    with jax.enable_x64(True):
        yield


def edges32() -> np.ndarray:
    """Float32 of every exponent and sign, all whose last bits are 0 or 1, those beside multiples of pi / 4."""
    rng = np.random.default_rng(3)
    heads = np.arange(512, dtype=np.uint32)[:, None] << np.uint32(23)
    tails = np.concatenate([rng.integers(0, 1 << 23, 145), [0, 1, 2, (1 << 22), (1 << 23) - 1]]).astype(np.uint32)
    spread = (heads | tails).reshape(-1).view(np.float32)
    turns = (np.arange(1, 2200) * (np.pi / 4)).astype(np.float32).view(np.int32)
    beside = (turns[:, None] + np.arange(-5, 6, dtype=np.int32)).reshape(-1).view(np.float32)
    return np.concatenate([spread, beside])[:COUNT]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_exponent_and_the_edges_of_float32(name: str, form: str) -> None:
    values = edges32()
    assert len(values) == COUNT
    assert len(set((values.view(np.uint32) >> 23).tolist())) == 512
    assert Pair(name, "float32", COUNT, form).differences(values).tolist() == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_float64(name: str, form: str) -> None:
    pair = Pair(name, "float64", COUNT, form)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.2e-308, 1.7e308, 1e22, -1e22, np.pi])
    values = float64_values(0, COUNT)
    values[: len(special)] = special
    assert pair.differences(values).tolist() == []


def test_the_command_counts_what_differs(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("rlenv_emit.fuzz.functions.CHUNK", 1003)
    arguments = ["--out", str(tmp_path / "out.json"), "--functions", "log", "--float32", "2000", "--float64", "3000"]
    assert main(arguments) == 0
    monkeypatch.setattr(Pair, "differences", lambda self, values: values[:1])
    assert main(arguments) == 1


def test_consecutive_bits_wrap_around() -> None:
    assert float32_bits((1 << 32) - 1, 2).view(np.uint32).tolist() == [(1 << 32) - 1, 0]
