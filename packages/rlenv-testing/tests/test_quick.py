"""L1: what compiles quickly is the same program, compiled with other options, as long as the fixture lasts."""

import jax.numpy as jnp
import pytest

from rlenv_shared import compiling
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.optimised]


class Environment:
    """One with an option of its own."""

    compile_options = {"cpu": {"xla_cpu_enable_fast_math": False}}  # noqa: RUF012


OWN = Environment.compile_options["cpu"]


def test_barely(compiled_barely):
    assert compiling.options(Environment()) == {**OWN, **quick.BARELY}
    assert compiling.jit(lambda x: x + 1, Environment())(jnp.int32(2)) == 3


def test_where_nothing_is_fused_the_emitters_stay(compiled_barely):
    class Unfused:
        compile_options = compiling.WITHOUT_FUSION

    assert compiling.options(Unfused()) == {**quick.UNFUSED, "xla_backend_optimization_level": 0}
    with quick.compiled_with(quick.UNFUSED):
        assert compiling.options(None) == compiling.options(Unfused())


def test_options_are_the_environment_s_own_again():
    with quick.compiled_with(quick.BARELY):
        pass
    assert compiling.options(Environment()) == OWN
