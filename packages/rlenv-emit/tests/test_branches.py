"""XLA's form for CPUs: which gates are branches, and when they are taken."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import branches
from rlenv_emit.branches import FOR_CPUS, any_of_batch
from rlenv_shared.ops import XLA, xla_ops

pytestmark = pytest.mark.l1


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_a_branch_is_taken_where_any_environment_needs_it(shape):
    needs = functools.reduce(lambda function, _: jax.vmap(function), shape, any_of_batch)
    flags = np.zeros(shape, np.bool_)
    assert not np.asarray(needs(flags)).any()
    flags[(-1,) * len(shape)] = True
    assert np.asarray(needs(flags)).all()


def add(equations):
    """A rule that adds so many numbers where its flag holds."""

    def handler(state):
        flag, total, other = state
        for number in range(equations):
            total = total + jnp.int32(number)
        return flag, jnp.where(flag, total, state[1]), other

    return handler


def gated(equations):
    """A step with that rule in a gate, for one environment."""

    def step(flag, total):
        state = FOR_CPUS.when_any("add", flag, add(equations), (flag, total, total + 1))
        return state[1], state[2]

    return step


@pytest.mark.parametrize(("equations", "count"), [(branches.LEAST - 3, 0), (branches.LEAST, 1)])
def test_gates_of_few_equations_are_no_branches(equations, count):
    arguments = jax.ShapeDtypeStruct((4,), jnp.bool_), jax.ShapeDtypeStruct((4,), jnp.int32)
    text = str(jax.make_jaxpr(jax.vmap(gated(equations)))(*arguments))
    assert text.count("cond[") == count


@pytest.mark.parametrize("flags", [(False, False, False), (False, True, False), (True, True, True)])
def test_a_gate_changes_those_whose_flag_holds(flags):
    equations, totals = branches.LEAST, np.arange(3, dtype=np.int32)
    after, other = jax.jit(jax.vmap(gated(equations)))(np.array(flags), totals)
    more = equations * (equations - 1) // 2
    np.testing.assert_array_equal(after, totals + np.where(flags, more, 0))
    np.testing.assert_array_equal(other, totals + 1)
    assert int(jax.jit(gated(equations))(flags[1], 7)[0]) == 7 + more * flags[1]


def test_a_loop_goes_on_for_whoever_is_last():
    def count_down(number):
        once = lambda n: jnp.where(n > 0, n - 1, n)  # noqa: E731
        return FOR_CPUS.loop(lambda n: n > 0, once, number, 100)

    np.testing.assert_array_equal(jax.jit(jax.vmap(count_down))(np.array([0, 3, 90, 120])), [0, 0, 0, 20])


def test_the_form_is_for_those_who_ask_for_none():
    assert branches.form(XLA) is FOR_CPUS  # the tests' device is a CPU
    inline = xla_ops("inline")
    assert branches.form(inline) is inline
