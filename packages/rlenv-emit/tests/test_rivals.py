"""The other back ends that C++ is measured against give the same words, or the measurement would mean nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlenv_emit import processor
from rlenv_emit.rivals.__main__ import main

pytestmark = [pytest.mark.l1, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("spec", ["rlenv_games:Skirmish", "cartpole_jax:CartPole"])
def test_every_back_end_gives_the_same_words(spec: str, tmp_path: Path) -> None:
    for package in ("llvmlite", "drjit"):
        pytest.importorskip(package)
    if not processor.runs(processor.known("avx512")):
        pytest.skip("this processor has no AVX-512")
    out = tmp_path / "rivals.json"
    assert main(["--out", str(out), "--games", spec, "--batch", "32", "--steps", "40", "--blocks", "1"]) == 0
    rows = json.loads(out.read_text())["measured"]
    assert [row["back_end"] for row in rows] == ["c++", "llvmlite", "drjit"]
    assert {row["words_that_differ"] for row in rows} == {0}
