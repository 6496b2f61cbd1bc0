"""Consoles and batches go to other threads and processes, and into pickles, as they are."""

import copy
import io
import multiprocessing
import pickle
import threading

import numpy as np
import pytest

from emurust import BatchEnv, ClosedError, GameBoy
from emurust.games import windfall
from emurust.pyboy import PyBoy

pytestmark = pytest.mark.l1

ROM = windfall.rom()
COPIES = {"pickle": lambda one: pickle.loads(pickle.dumps(one)), "deepcopy": copy.deepcopy}


def played(game):
    """A console, after some frames and with a button queued."""
    game.tick(40)
    game.button("start", 30)
    game.tick(10)
    game.button("left", 7)
    return game


def seen(game):
    """What comes next."""
    game.tick(60)
    return game.screen.ndarray.tobytes(), game.memory[0xC000:0xE000], game.registers, game.frame_count


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_console_goes_on_like_the_original(how):
    game = played(GameBoy(ROM))
    game.memory[0, 0x3000] = 7  # a patch goes along
    copied = COPIES[how](game)
    game.memory[0, 0x3001] = 8  # and a later one does not
    assert copied.memory[0, 0x3000:0x3002] == [7, 0]
    assert seen(copied) == seen(game)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("make", ["batch", "vector_env", "env"])
def test_a_copied_environment_goes_on_like_the_original(how, make):
    game = windfall.game(4)
    env = {"batch": lambda: game.batch(3), "vector_env": lambda: game.vector_env(3), "env": game.env}[make]()
    env.reset(seed=3)
    actions = np.random.default_rng(0).integers(0, 3, (60, 3))
    given = (lambda row: int(row[0])) if make == "env" else (lambda row: row)
    for row in actions[:20]:
        env.step(given(row))
    copied = COPIES[how](env)
    for row in actions[20:]:
        for one, other in zip(env.step(given(row))[:4], copied.step(given(row))[:4], strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(env.reset(seed=4)[0], copied.reset(seed=4)[0])


def _steps_in_a_child(batch, connection):
    connection.send([batch.step(np.array([1, 2], np.uint8))[0].sum() for _ in range(5)])


def test_a_batch_works_in_a_forked_child():
    batch = BatchEnv(ROM, 2, frame_skip=4, threads=2)
    batch.step(np.zeros(2, np.uint8))
    ours, theirs = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_steps_in_a_child, args=(batch, theirs))
    child.start()
    assert ours.poll(60), "the child hangs"
    sums = ours.recv()
    child.join()
    assert sums == [batch.step(np.array([1, 2], np.uint8))[0].sum() for _ in range(5)]


@pytest.mark.parametrize("make", [lambda: GameBoy(ROM), lambda: PyBoy(io.BytesIO(ROM), window="null")])
def test_threads_take_turns_on_a_console(make):
    game, errors = make(), []

    def use():
        try:
            for _ in range(20):
                game.tick(2)
                game.memory[0xC000:0xC100]
                game.game_area()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_threads_take_turns_on_a_batch():
    batch, errors = BatchEnv(ROM, 2, frame_skip=2, threads=2), []

    def use():
        try:
            for _ in range(20):
                batch.step(np.zeros(2, np.uint8))
                batch.read([0xC000])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert batch.lengths.tolist() == [80, 80]


@pytest.mark.parametrize("make", ["vector_env", "env"])
def test_a_closed_environment_says_so(make):
    game = windfall.game(1)
    env = game.vector_env(2) if make == "vector_env" else game.env()
    env.reset(seed=0)
    env.close()
    env.close()
    for call in (lambda: env.step(np.zeros(2, np.int64) if make == "vector_env" else 0), env.reset):
        with pytest.raises(ClosedError):
            call()
