"""Compiled expressions mean what their NumPy evaluation means."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from emurust import BatchEnv, Cell, InvalidArgumentError, _core
from emurust.expressions import bcd, constant, count_ones, flags, maximum, minimum, total, u8, u16

pytestmark = pytest.mark.l1

CELLS = st.integers(0xC000, 0xC0FF).map(u8)


def combined(children):
    binary = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        lambda a, b: a & b,
        lambda a, b: a | b,
        lambda a, b: a ^ b,
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
        lambda a, b: a.equals(b),
        lambda a, b: a >> (b & 7),
        minimum,
        maximum,
    ]
    two = st.tuples(st.sampled_from(binary), children, children).map(lambda parts: parts[0](parts[1], parts[2]))
    unary = st.sampled_from([lambda a: a.before(), lambda a: a.delta(), lambda a: count_ones(a & 0xFF)])
    return two | st.tuples(unary, children).map(lambda parts: parts[0](parts[1]))


@settings(max_examples=150)
@given(expression=st.recursive(CELLS | st.integers(-9, 300).map(constant), combined, max_leaves=8), seed=st.integers(0))
def test_the_core_computes_what_numpy_computes(rom, expression, seed):
    env = BatchEnv(rom, 3, frame_skip=1, reward=expression)
    cells = expression.cells()
    random = np.random.default_rng(seed)

    def scramble():
        for index, address in ((i, cell.address) for i in range(3) for cell in cells):
            env.write(index, address, int(random.integers(256)))
        return env.read(cells)

    before = scramble()
    env._signals.remember(env._batch, np.ones(3, np.bool_))
    now = scramble()
    values = np.zeros((3, 1))
    env._signals.evaluate(env._batch, values)
    np.testing.assert_array_equal(values[:, 0], expression.evaluate(cells, now, before))
    env._signals.evaluate(env._batch, values)
    np.testing.assert_array_equal(values[:, 0], expression.evaluate(cells, now, now))


def test_what_the_shorthands_mean():
    now = np.array([[0x12, 0x34, 0xFF]], np.uint8)
    cells = [Cell(0xC000), Cell(0xC001), Cell(0xC002)]

    def value(expression):
        return expression.evaluate(cells, now, now)[0]

    assert value(u16(0xC000)) == 0x3412
    assert value(bcd(0xC000, 2)) == 1234
    assert value(flags(0xC000, 0xC003)) == 2 + 3 + 8
    assert value(total([u8(0xC000), u8(0xC001)])) == 0x46
    assert value(3 - u8(0xC000)) == 3 - 0x12
    assert repr(u8(0xC000).delta() * 2) == "((now[0xc000] - before[0xc000]) * 2)"


def test_a_reset_is_no_change(rom):
    moving = [address for address in range(0xC000, 0xC040)]
    counter = total(u8(address) for address in moving)
    env = BatchEnv(rom, 2, frame_skip=5, reward=counter.delta(), observation=moving, max_episode_steps=3)
    observation = env.reset().sum(1).astype(np.int64)
    for step in range(9):
        new, reward, _, truncated, info = env.step(np.array([step, 0], np.uint8))
        final = info["final_obs"] if truncated.any() else new
        np.testing.assert_array_equal(reward, final.sum(1).astype(np.int64) - observation)
        observation = new.sum(1).astype(np.int64)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ([("now", 7.0)], "cell 7"),
        ([("now", 0.5)], "cell 0.5"),
        ([("add", 0.0)], "takes more values"),
        ([("now", 0.0), ("now", 0.0)], "leaves 2 values"),
        ([], "leaves 0 values"),
        ([("launch", 0.0)], "unknown instruction"),
    ],
)
def test_the_core_refuses_broken_programs(rom, program, message):
    env = BatchEnv(rom, 1)
    with pytest.raises(_core.CoreValueError, match=message):
        _core.Signals(env._batch, [(-1, 0xC000)], [program])


@pytest.mark.parametrize(
    "make", [lambda: u8(0x10000), lambda: u8(-1), lambda: u8(0xC000) + "1", lambda: constant(None)]
)
def test_bad_expressions(make):
    with pytest.raises(InvalidArgumentError):
        make()
