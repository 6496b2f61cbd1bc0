"""L1: XLA's form for CPUs."""

import collections
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax import branches, engine
from pokejax.branches import any_battle, in_pieces
from pokejax.env import RandomBattle
from pokejax.state import LAYOUT
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.ops import XLA, xla_ops

pytestmark = pytest.mark.l1

LEAST = 170
"""Equations from which on a gate is a branch."""


def equations(jaxpr):
    inner = [part for equation in jaxpr.eqns for part in jax.tree.leaves(list(equation.params.values()))]
    return len(jaxpr.eqns) + sum(equations(getattr(part, "jaxpr", part)) for part in inner if hasattr(part, "eqns"))


def test_gates_of_few_equations_are_no_branches():
    sizes = collections.defaultdict(list)

    def when_any(name, predicate, handler, state):
        leaves, tree = jax.tree.flatten(state)
        closed = jax.make_jaxpr(lambda *leaves: jax.tree.leaves(handler(jax.tree.unflatten(tree, leaves))))(*leaves)
        sizes[name].append(equations(closed.jaxpr))
        return jax.tree.unflatten(tree, jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *leaves))

    ops = dataclasses.replace(xla_ops("looped"), when_any=when_any)
    words = (jax.ShapeDtypeStruct((), jnp.uint32),) * LAYOUT.num_words
    action = jax.ShapeDtypeStruct((), jnp.int32)
    jax.eval_shape(functools.partial(engine.micro_step, ops=ops), words, (action,) * 2, RandomBattle().default_params)
    assert {name for name, found in sizes.items() if np.mean(found) < LEAST} == branches.SMALL


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
def test_a_branch_is_taken_where_any_battle_needs_it(shape):
    needs = functools.reduce(lambda function, _: jax.vmap(function), shape, any_battle)
    flags = np.zeros(shape, np.bool_)
    assert not np.asarray(needs(flags)).any()
    flags[(-1,) * len(shape)] = True
    assert np.asarray(needs(flags)).all()


def test_the_form_is_for_those_who_ask_for_none():
    assert branches.form(XLA) is branches.FOR_CPUS  # the tests' device is a CPU
    inline = xla_ops("inline")
    assert branches.form(inline) is inline


def test_pieces_hold_what_is_alike_and_everybody_keeps_a_place():
    def step(carry, by):
        kind, value = carry
        alone = any_battle(kind != 0)
        return kind, value * by + jnp.where(alone, 1000, 0)

    kinds = jnp.asarray(np.random.default_rng(0).permutation(np.repeat(np.arange(4), [32, 8, 8, 16])), jnp.int32)
    values = jnp.arange(64, dtype=jnp.int32)
    same, after = jax.jit(in_pieces(step, lambda carry, by: carry[0], 16))((kinds, values), jnp.int32(3))
    np.testing.assert_array_equal(same, kinds)
    np.testing.assert_array_equal(after, values * 3 + np.where(kinds != 0, 1000, 0))


def test_a_batch_that_leaves_a_rest_is_refused():
    with pytest.raises(InvalidParamsError, match="batch: got 10, expected a multiple of 4"):
        in_pieces(lambda carry: carry, lambda carry: carry, 4)(jnp.arange(10))
