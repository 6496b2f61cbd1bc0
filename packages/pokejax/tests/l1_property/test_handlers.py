"""Handlers of effects: each belongs to a callback that Showdown's effect has, and every such callback has one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax import engine, pools
from pokejax.battle import Battle
from pokejax.callbacks import CALLBACKS
from pokejax.rules import effects
from pokejax.rules.effects.handlers import HANDLERS, LAST
from pokejax.state import unsigned
from pokejax.tables import NAMES, params
from pokejax.verification.interpreted import Interpreted

pytestmark = pytest.mark.l1

ELSEWHERE = {
    ("air_balloon", "onDamagingHit"): "flow.hit.be_hit, which bursts it in front of a substitute, too",
    ("booster_energy", "onStart"): "flow.switching.awake",
    ("choice", "onStart"): "nothing: a lock is there or not",
    ("ice_face", "onStart"): "flow.switching.awake",
    ("illusion", "onDamagingHit"): "flow.hit.hit_loop, when all hits are done",
    ("imposter", "onSwitchIn"): "flow.switching.come_in",
    ("paradox", "onStart"): "flow.switching.awake",
    ("shields_down", "onStart"): "flow.switching.awake",
    ("suppresses", "onSwitchIn"): "its onStart",
    ("tera_shift", "onSwitchIn"): "flow.switching.run_switch",
    ("trace", "onStart"): "flow.switching.come_in",
    ("white_herb", "onStart"): "flow.switching.run_switch",
}
"""Callbacks of the same events that are carried out where something else decides when."""


def test_each_handler_is_a_callback_that_showdown_s_effect_has():
    """`callbacks.CALLBACKS` is compared with Showdown's export when that is made."""
    strange = [(field, handler.event) for handler in HANDLERS for field in handler.fields]
    assert [one for one in strange if one[1] not in CALLBACKS[one[0]]] == []


def test_every_callback_of_these_events_has_a_handler_or_a_place():
    events = {handler.event for handler in HANDLERS}
    handled = {(field, handler.event) for handler in HANDLERS for field in handler.fields}
    wanted = {(field, event) for field, found in CALLBACKS.items() for event in found if event in events}
    assert wanted - handled == set(ELSEWHERE)
    assert not handled & set(ELSEWHERE)


def test_rules_are_called_in_showdown_s_order_and_where_somebody_has_the_effect(monkeypatch):
    called = []
    on = effects.handlers.on("onTest")
    monkeypatch.setattr(effects.handlers, "HANDLERS", [])

    @on(ability=("pressure", "intimidate"))
    def last(b, number):
        called.append("last")
        b.side(number).hp = b.side(number).hp + 1

    @on(ability="intimidate", item="leftovers", order=1)
    def first(b, number):
        called.append("first")
        b.side(number).hp = b.side(number).hp + 10

    def run(ability, item, words, params_):
        b = Battle(words, params_)
        b.side(0).copied_ability, b.side(0).item, b.side(0).hp = ability, item, 1
        effects.run("onTest", b, 0)
        effects.run("onTest", b, 0, orders=range(1, 2))
        return unsigned(b.words), b.side(0).hp

    tables = params(pools.composed(2, seed=1))
    zero = np.uint32(0)
    words = engine.opening((np.int32(0), np.int32(1)), (zero, zero, zero), tables)
    ability, item = (
        np.array([NAMES[kind].index(name) for name in names], np.int32)
        for kind, names in (("ability", ("pressure", "intimidate", "static")), ("item", ("", "leftovers", "leftovers")))
    )
    found = Interpreted(jax.vmap(run, (0, 0, None, None)))(ability, item, jax.tree.map(jnp.asarray, words), tables)
    assert called == ["first", "first", "last", "first", "first"]
    np.testing.assert_array_equal(found[1], [2, 1 + 10 + 10 + 1 + 10 + 10, 1 + 10 + 10])
    assert LAST > 1
