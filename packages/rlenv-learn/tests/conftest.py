"""Learners are compiled quickly: most train for a moment, and XLA would compile them for longer."""

from __future__ import annotations

import jax
import pytest

from rlenv_learn import host
from rlenv_learn.learner import learn
from rlenv_testing import quick

LEARN = jax.jit(learn, static_argnames="config", donate_argnames="learner", compiler_options=dict(quick.BARELY))


@pytest.fixture(autouse=True)
def _compiled_quickly(compiled_barely: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_learn", LEARN)
