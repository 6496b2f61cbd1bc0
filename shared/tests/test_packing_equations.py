"""What a phase on a large packed state costs to trace: it pays for the fields it names, not for the state."""

import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_shared.packing import Layout, bits, flag, group, record, word

pytestmark = pytest.mark.l1

BIG = Layout(
    "large",
    [
        word("rng", count=3),
        bits("turn", 0, 1000),
        bits("weather", 0, 15),
        record(
            "side",
            2,
            [
                bits("active", 0, 5),
                bits("boost", -6, 6, count=7),
                group("once", [flag("tera"), flag("mega")]),
                record("volatile", 56, [bits("turns", 0, 7), bits("source", -1, 11, empty=-1), bits("arg", 0, 255)]),
                record(
                    "mon",
                    6,
                    [
                        bits("hp", 0, 714),
                        bits("status", 0, 6),
                        flag("fainted"),
                        record("move", 4, [bits("id", 0, 953), bits("pp", 0, 64), flag("disabled"), flag("seen")]),
                        *(bits(name, 0, 31, count=6, table="cold") for name in ("iv", "ev", "nature")),
                        bits("stat", 0, 999, count=6, table="cold"),
                        bits("seen", 0, 7, count=56, table="cold"),
                    ],
                ),
            ],
        ),
    ],
    max_words=256,
    max_bytes=1024,
)


def big_phase(words):
    """Reads 20 fields, writes 5; both actives at an array's index."""
    view = BIG.view(words)
    me, foe = view.side[0], view.side[1]
    mon, target = me.mon[me.active], foe.mon[foe.active]
    move, seen = mon.move[2], (target.fainted, foe.once.tera, me.once.mega, view.weather, me.volatile[9].turns)
    hp = (
        target.hp
        - me.boost[1]
        - foe.boost[2]
        - foe.volatile[7].arg
        - me.volatile[3].source
        - foe.boost[4]
        + me.boost[6]
    )
    target.set("hp", hp, where=(hp > np.int32(0)) & ~move.disabled)
    target.status = mon.status | move.id
    me.boost[1] = foe.boost[2]
    view.turn = view.turn + np.int32(1)
    move.pp = move.pp - np.int32(1)
    return view.words(), seen, mon.hp


def equations(jaxpr):
    inner = [sub for eqn in jaxpr.eqns for sub in jax.tree.leaves(list(eqn.params.values())) if hasattr(sub, "jaxpr")]
    return [eqn.primitive.name for eqn in jaxpr.eqns] + [name for sub in inner for name in equations(sub.jaxpr)]


@pytest.mark.parametrize("shape", [(), (8,)])
def test_a_phase_on_256_words_traces_at_most_150_equations_in_50_ms(shape):
    assert (BIG.num_words, len(BIG.places())) == (256, 1549)
    words = tuple(jnp.zeros(shape, jnp.uint32) for _ in range(BIG.num_words))
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        traced = jax.make_jaxpr(lambda *words: big_phase(words))(*words).jaxpr
        seconds.append(time.process_time() - begin)
    found = equations(traced)
    assert len(found) <= 150
    assert min(seconds) <= 0.050
    assert not {
        name for name in found if any(bad in name for bad in ("gather", "scatter", "concatenate", "sort", "jit"))
    }
    unchanged = sum(out is given for out, given in zip(traced.outvars, traced.invars, strict=False))
    assert unchanged == BIG.num_words - (1 + 1 + 6 + 6)  # turn, boosts, hp and status of six, the third move of six
