"""Learners are compiled quickly: most train for a moment, and XLA would compile them for longer."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest

from rlenv_learn import host
from rlenv_learn.learner import learn
from rlenv_testing import quick

LEARN = jax.jit(learn, static_argnames="config", donate_argnames="learner", compiler_options=dict(quick.BARELY))


@pytest.fixture(scope="module", autouse=True)
def _compiled_quickly() -> Iterator[None]:
    """What a module's fixtures train as well, which is compared with what its tests do."""
    with quick.compiled_with(quick.BARELY), pytest.MonkeyPatch.context() as patch:
        patch.setattr(host, "_learn", LEARN)
        yield
