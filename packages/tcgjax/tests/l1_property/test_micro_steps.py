"""Steps of a bounded number of passes: games are those of whole steps, and nobody is asked on the way."""

from __future__ import annotations

import random

import jax
import numpy as np
import pytest

from rlenv_emit import emit_env
from rlenv_shared import compiling, counter_rng
from rlenv_shared.errors import InvalidParamsError
from tcgjax import engine
from tcgjax.codec import CODEC
from tcgjax.decks import pool, tables_of
from tcgjax.env import Tcg
from tcgjax.questions import as_mask
from tcgjax.tables import Cards
from tcgjax.verification.random_play import BATCH, ENV, STEPPED, look

pytestmark = [pytest.mark.l1, pytest.mark.timeout(1800)]


def passes(words, cards, most):
    """The words after each call until somebody is asked or the game is over."""
    found = [words]
    with np.errstate(over="ignore"):
        while engine.unfinished(CODEC.unpack(found[-1])):
            game = engine.advance(engine.unpack(found[-1], cards), cards, most)
            found.append(CODEC.pack(game))
    return found


@pytest.mark.parametrize("seed", [0, 8])  # Abilities wait to begin in the first, Pokémon leave play in the second
def test_a_decision_in_passes_ends_where_it_ends_at_once(seed):
    cards, choices = Cards(tables_of([deck for _, deck in sorted(pool().items())])), random.Random(seed)
    seen = set()
    with np.errstate(over="ignore"):
        keys = counter_rng.from_words(np.uint32(seed), np.uint32(0))[:2]
        words = CODEC.pack(engine.fresh(keys, engine.pair(keys, cards)))
    calls, decisions = 0, 0
    while True:
        by_one, by_three, whole = (passes(words, cards, most) for most in (1, 3, engine.MOST_PASSES))
        assert np.array_equal(by_one[-1], whole[-1])
        assert np.array_equal(by_three[-1], whole[-1])
        assert (len(whole), len(by_three)) == (2, 1 + (len(by_one) + 1) // 3)
        between = [CODEC.unpack(middle) for middle in by_one[1:-1]]
        assert not any(engine.waits(game) for game in between)
        seen |= {name for game in between for name in ("start_mode", "leaves", "asked") if getattr(game, name).any()}
        calls, decisions = calls + len(by_one) - 1, decisions + 1
        game = CODEC.unpack(whole[-1])
        if game.winner >= 0:
            break
        with np.errstate(over="ignore"):
            options = np.flatnonzero(as_mask(game.legal)).tolist()
            words = CODEC.pack(engine.answer(game, np.int32(choices.choice(options)))[0])
    assert decisions < calls < 4 * decisions
    assert seen == ({"start_mode", "asked"} if seed == 0 else {"leaves"})


def test_nobody_is_asked_of_a_game_that_goes_on():
    env = Tcg(micro_steps=1)
    state = jax.tree.map(np.asarray, env.init((np.uint32(1), np.uint32(2)), env.default_params))
    assert not env.to_act(state).any()
    assert np.flatnonzero(env.legal_actions(state, env.default_params)).tolist() == [0]


def test_fewer_than_one_pass_is_refused():
    with pytest.raises(InvalidParamsError, match="micro_steps: got 0, expected an integer >= 1, or None"):
        Tcg(micro_steps=0)


@pytest.mark.slow
def test_native_steps_of_one_pass_play_the_games_of_whole_steps():
    """Two games in each place, with rewards; the actions of whole steps are repeated where somebody is asked."""
    env, params = emit_env(Tcg(micro_steps=1)), ENV.default_params
    whole = compiling.jit(jax.vmap(STEPPED.step, (None, 0, 0, None)), STEPPED)
    step = compiling.jit(jax.vmap(env.advance, (0, 0, None)), env)
    seeds = counter_rng.seed_words(5, BATCH)
    state = jax.device_get(jax.vmap(STEPPED.init, (0, None))(seeds, params))
    asked = jax.jit(jax.vmap(ENV.to_act))

    def go_on(words, action, total):
        """Until everybody is asked."""
        ended = np.zeros((BATCH,), np.bool_)
        for _ in range(engine.MOST_PASSES):
            waits = np.asarray(asked(words)).any(axis=1)
            if action is None and waits.all():
                return words, total, ended
            moved, reward, terminated, _ = jax.device_get(
                step(words, np.zeros((BATCH,), np.int32) if action is None else action, params)
            )
            keeps = waits & (action is None)
            words = tuple(np.where(keeps, old, new) for old, new in zip(words, moved, strict=True))
            total = total + np.where(keeps[:, None], 0, reward)
            ended |= terminated & ~keeps
            action = None
        raise AssertionError("a game goes on for ever")

    words, _, _ = go_on(jax.device_get(jax.vmap(env.init, (0, None))(seeds, params)), None, 0)
    generator, games = np.random.default_rng(0), np.zeros((BATCH,), np.int32)
    while games.min() < 2:
        assert all(np.array_equal(a, b) for a, b in zip(words, state, strict=True))
        mask = as_mask_of(look(state).legal)
        action = np.array([generator.choice(np.flatnonzero(row)) for row in mask], np.int32)
        _, state, reward, terminated, _, _ = jax.device_get(whole(None, state, action, params))
        words, total, ended = go_on(words, action, np.zeros((BATCH, 2), np.float32))
        assert np.array_equal(total, reward)
        assert np.array_equal(ended, terminated)
        games += terminated
    assert games.sum() > 2 * BATCH


def as_mask_of(words):
    """Masks of a batch, bool [batch, 144]."""
    return np.stack([np.asarray(as_mask(row)) for row in words])
