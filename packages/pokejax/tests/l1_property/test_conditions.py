"""Conditions of a battle: where they do not hold, nothing is written and nothing is drawn."""

import ast
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax import engine, pools, rules
from pokejax.battle import Battle
from pokejax.rules.flow import turn
from pokejax.rules.mechanics import faint, status
from pokejax.state import LAYOUT, unsigned
from pokejax.tables import params
from pokejax.verification.interpreted import Interpreted
from rlenv_shared import packing

pytestmark = pytest.mark.l1

BATTLES = 64
RULES = sorted(Path(rules.__file__).parent.glob("*/*.py"))


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_no_rule_takes_a_condition(path):
    """What one forgets to hand on changes another battle; conditions that are present cannot be forgotten."""
    tree = ast.parse(path.read_text())
    names = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg | ast.keyword)}
    assert "where" not in names


@pytest.fixture(scope="module")
def tables():
    return params(pools.composed(4, seed=3))


@pytest.fixture(scope="module")
def words(tables):
    """Two teams that stand against each other, each battle with a generator of its own."""
    high, low = np.random.default_rng(5).integers(2**32, size=(2, BATTLES), dtype=np.uint32)
    teams = np.zeros(BATTLES, np.int32), np.ones(BATTLES, np.int32)

    def opened(one, other, high, low, tables):
        words = engine.opening((one, other), (high, low, high ^ high), tables)
        view = LAYOUT.view(words)
        view.queued_start, view.mid_turn = False, True
        view.side[0].hp, view.side[1].hp = 1, 9
        return view.words()

    return Interpreted(jax.vmap(opened, (0, 0, 0, 0, None)))(*teams, high, low, tables)


def mask(seed=1):
    return np.random.default_rng(seed).random(BATTLES) < 0.5


def changed(one, other):
    """Which battles two states differ in, bool ``[battles]``."""
    return np.any([a != b for a, b in zip(one, other, strict=True)], axis=0)


RULE = {
    "hurt and faint": lambda b: (faint.hurt(b, 0, b.side(0).hp), faint.faint_messages(b, check_win=True, last=0)),
    "a status": lambda b: status.inflict(b, 1, jnp.full_like(b.side(1).stage, 3), by_itself=True, may_sleep=False),
    "a draw": lambda b: b.draw(100, "accuracy"),
    "a gate": lambda b: b.gate("gate", lambda inner: inner.side(0).set("hp", 7)),
    "a pass of a loop": lambda b: b.loop(lambda times: times < 2, _hurt, b.view.turn, 2),
    "a shuffle": lambda b: b.shuffle("drag", n=3, times=2, asked=lambda inner: inner.side(0).hp == 1),
    "changed sides": lambda b: b.swap(b.side(0).hp == 1),
    "a turn begins": turn.end_turn,
}


def _hurt(b, times):
    b.side(1).hp = 3 + times
    return times + 1


@pytest.mark.parametrize("name", RULE)
def test_a_rule_changes_battles_where_its_conditions_hold_and_no_others(name, words, tables):
    def run(words, here, also, tables):
        b = Battle(words, tables, here=here)
        with b.when(also):
            RULE[name](b)
        return unsigned(b.words)

    here, also = mask(1), mask(2)
    after = Interpreted(jax.vmap(run, (0, 0, 0, None)))(words, here, also, tables)
    np.testing.assert_array_equal(changed(words, after), here & also)


@pytest.mark.parametrize("what", ["gated", "drawn", "tied"])
def test_what_a_rule_returns_is_nothing_where_its_conditions_do_not_hold(what, words, tables):
    def run(words, here, tables):
        b = Battle(words, tables, here=here)
        if what == "gated":
            return status.inflict(b, 1, jnp.full_like(b.side(1).stage, 3), by_itself=True, may_sleep=False)
        return b.tie("move queue") if what == "tied" else b.here & (b.draw(4, "sleep") >= 0)

    here = mask()
    found = Interpreted(jax.vmap(run, (0, 0, None)))(words, here, tables)
    assert not found[~here].any()
    assert found[here].any()


def test_a_move_s_row_is_shaped_where_the_conditions_hold(words, tables):
    def run(words, here, tables):
        b = Battle(words, tables, here=here)
        row = b.move(b.pokemon(0).moves[0])
        before = row.power

        def rule(inner):
            own = row.under(inner.conditions)
            own.power = 99
            return own.power

        inside = b.gate("shape", rule, before)
        row.power = 98
        return inside, row.power, before

    here = mask()
    inside, outside, before = Interpreted(jax.vmap(run, (0, 0, None)))(words, here, tables)
    np.testing.assert_array_equal(inside, np.where(here, 99, before))
    np.testing.assert_array_equal(outside, np.where(here, 98, before))


def test_without_conditions_everything_is_written(words, tables):
    def run(words, tables):
        b = Battle(words, tables)
        b.side(0).hp = 5
        b.draw(2, "sleep")
        return unsigned(b.words)

    assert changed(words, Interpreted(jax.vmap(run, (0, None)))(words, tables)).all()
    assert packing.Conditions().here is None
