"""L1: what holds of any release's timer."""

import jax.numpy as jnp
import pytest
from timer.counter import read, start, tick, write


def passed(state, cycles, at_once=4):
    """``(state, interrupts)`` after some cycles."""
    interrupts = 0
    for _ in range(cycles // at_once):
        state, interrupt = tick(state, jnp.int32(at_once))
        interrupts += bool(interrupt)
    return state, interrupts


def test_the_divider_counts_every_256_cycles():
    state, interrupts = passed(start(), 3 * 256)
    assert int(read(state)[0]) == 3
    assert interrupts == 0
    assert int(read(write(state, "div", jnp.int32(7)))[0]) == 0


def test_a_timer_that_is_off_stays():
    state, interrupts = passed(write(start(), "tima", jnp.int32(9)), 2048)
    assert int(read(state)[1]) == 9
    assert interrupts == 0


@pytest.mark.parametrize(("tac", "period"), [(5, 16), (6, 64), (7, 256)])
def test_it_counts_at_its_frequency(tac, period):
    state, _ = passed(write(start(), "tac", jnp.int32(tac)), 5 * period)
    assert int(read(state)[1]) == 5


def test_an_overflow_reloads_and_interrupts_once():
    state = write(write(start(), "tma", jnp.int32(0x80)), "tima", jnp.int32(0xFF))
    state, interrupts = passed(write(state, "tac", jnp.int32(5)), 40)
    assert interrupts == 1
    assert int(read(state)[1]) == 0x81
