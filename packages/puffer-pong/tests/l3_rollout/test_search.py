"""L3: no constant or periodic actions part JAX and Rust from C; `verify` searches 10 million steps."""

import pytest

from puffer_pong.verification.search import EXAMPLE_STEPS, search

pytestmark = [pytest.mark.l3, pytest.mark.reference("puffer_pong")]


@pytest.mark.parametrize(("frameskip", "continuous"), [(1, True), (8, True), (1, False)])
def test_no_tune_parts_the_three(frameskip, continuous):
    assert search(25, 7, frameskip, continuous) >= 20 * EXAMPLE_STEPS
