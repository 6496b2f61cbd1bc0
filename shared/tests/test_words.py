"""One step of a packed game gives the same bits in all four executions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_bench.gpu import kernel
from rlenv_shared import lcg64, words
from rlenv_shared.packing import Layout, bits, group, record, word

pytestmark = pytest.mark.l1

SLOTS = 4
POWER = np.random.default_rng(1).integers(0, 2**31, 64, np.int32)


def game(num_words):
    """A made-up game whose state fills ``num_words`` words, and its step ``(state, ops) -> (state, output)``.

    Words 0 and 1 are the generator, word 2 holds the scalars, the rest one creature each; a step chooses among four.
    """
    creature = [bits("hp", 0, 1023), bits("boost", -8, 7), bits("level", 1, 100)]
    layout = Layout(
        "game",
        [
            word("rng", count=2),
            group("scalars", [bits("active", 0, SLOTS - 1), bits("turn", 0, 2**16 - 1)], whole_words=True),
            record("front", SLOTS, creature, whole_words=True),
            record("back", num_words - 3 - SLOTS, creature, whole_words=True),
        ],
        max_words=num_words,
    )

    def step(state, ops):
        view = layout.view(state)
        move, rng = lcg64.below((view.rng[0], view.rng[1]), np.uint32(64), ops.mulhi)
        power = ops.take("power", move.astype(np.int32))
        mon = view.front[view.scalars.active]
        left = jnp.maximum(mon.hp - (power >> np.int32(20)) - mon.boost * np.int32(3), np.int32(0))
        mon.hp = left
        mon.boost = -mon.boost
        for creature in view.front:
            creature.set("hp", 714, where=creature.hp == 0)
        view.scalars.active = view.scalars.turn + move.astype(np.int32)
        view.scalars.turn = view.scalars.turn + np.int32(1)
        view.rng[0], view.rng[1] = rng
        return view.words(), left

    return layout, step


@pytest.mark.parametrize("num_words", [18, 40, 256])
def test_scalar_vmap_batch_last_and_kernel_give_the_same_bits(num_words):
    batch, steps = 16, 6
    layout, step = game(num_words)
    drawn = np.random.default_rng(2).integers(0, 2**32, (num_words, batch), np.uint32)
    state, ops = tuple(map(jnp.asarray, drawn)), words.xla_ops({"power": POWER})

    def scan(state):
        return jax.lax.scan(lambda s, _: step(s, ops), state, None, steps)

    batch_last = jax.jit(scan)(state)
    vmapped = jax.jit(jax.vmap(scan, out_axes=(0, 1)))(state)
    scalars = [jax.jit(scan)(tuple(word[i] for word in state)) for i in range(3)]
    in_kernel = kernel.rollout(
        lambda carry, _, ops: step(carry, ops), state, steps, tables={"power": POWER}, mode="interpreted", block=8
    )
    for other in (vmapped, in_kernel):
        jax.tree.map(np.testing.assert_array_equal, batch_last, other)
    for i, scalar in enumerate(scalars):
        jax.tree.map(lambda a, b, i=i: np.testing.assert_array_equal(a[..., i], b), batch_last, scalar)
    final = layout.decode(batch_last[0])
    assert len(np.unique(final["front"][0]["hp"])) > 3  # something happened
