"""L1: the environment: readiness, masks, rewards, ends, resets, what is refused."""

import jax
import numpy as np
import pytest

import pokejax
from pokejax.env import RandomBattle
from pokejax.rules.flow.queue import NUM_ACTIONS, PASS
from pokejax.state import LAYOUT, NOBODY
from rlenv_shared import compiling
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.random_play import RandomPlay
from rlenv_testing.traced_checks import check_action_dtypes

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
ENV = RandomBattle()


def field(words, name):
    """A field of the state, [CHUNK]."""
    return np.asarray(getattr(LAYOUT.view([np.asarray(word) for word in words]), name))


def asked(words):
    view = LAYOUT.view([np.asarray(word) for word in words])
    return np.stack([np.asarray(side.asked) for side in view.side], 1) & ~np.asarray(view.over)[:, None]


def test_nobody_is_asked_before_the_leads_come_in_and_somebody_after_each_step(played):
    assert not asked(played.words[0]).any()
    for words, over in zip(played.words[1:], played.over, strict=True):
        assert (asked(words).any(1) | over).all()


def test_who_is_not_asked_may_only_pass_and_who_is_asked_may_not(played):
    for words, masks in zip(played.words, played.masks, strict=False):
        over, to_act = field(words, "over"), asked(words)
        assert masks.shape == (len(over), 2, NUM_ACTIONS)
        assert masks[over].all()
        np.testing.assert_array_equal(masks[~over][..., PASS], ~to_act[~over])
        assert (masks.any(-1)).all()
        assert not masks[~over & ~to_act.any(1)][..., :PASS].any()


def test_a_battle_is_won_lost_or_tied_once(played):
    before = np.zeros_like(played.over[0])
    for words, rewards, over in zip(played.words[1:], played.rewards, played.over, strict=True):
        winner = field(words, "winner")
        assert (rewards.sum(1) == 0).all()
        won = over & (winner != NOBODY)
        expected = np.where(won, np.where(winner == 0, 1, -1), 0)
        np.testing.assert_array_equal(rewards[:, 0], expected)
        assert (over | ~before).all()  # once over, over
        before = over
    assert before.any()


def test_an_illegal_action_is_the_first_legal_one(played):
    words, masks = played.words[5], played.masks[5]
    first = np.argmax(masks, -1).astype(np.int32)
    run = played.run
    for bad in (-1, NUM_ACTIONS, NUM_ACTIONS + 1000):
        after = run.step(words, np.full_like(first, bad), played.params)
        for got, expected in zip(after[0], run.step(words, first, played.params)[0], strict=True):
            np.testing.assert_array_equal(got, expected)


def test_the_same_state_and_choices_give_the_same_state(played):
    again = played.run.step(played.words[7], played.actions[7], played.params)[0]
    for got, expected in zip(again, played.words[8], strict=True):
        np.testing.assert_array_equal(got, expected)


def test_another_generator_gives_another_battle_that_looks_the_same_now(played):
    words = played.words[3]
    keys = jax.random.split(jax.random.key(1), len(words[0]))
    reseeded = jax.vmap(ENV.reseed)(words, keys)
    run = played.run
    for name, array in run.observe(words, played.params).items():
        np.testing.assert_array_equal(array, run.observe(reseeded, played.params)[name])
    now, then = (run.step(w, played.actions[3], played.params)[0] for w in (words, reseeded))
    assert np.mean(field(now, "draws") != field(then, "draws")) > 0.2


def test_an_episode_that_is_over_gives_way_to_one_of_other_teams_with_the_same_generator(played):
    words = played.words[-1]
    done = np.arange(len(words[0])) % 2 == 0
    restart = compiling.jit(jax.vmap(ENV.restart, (0, 0, None)), ENV)
    after = restart(done, words, played.params)
    for got, old in zip(after, words, strict=True):
        np.testing.assert_array_equal(np.asarray(got)[~done], np.asarray(old)[~done])
    assert field(after, "queued_start")[done].all()
    assert (field(after, "turn")[done] == 0).all()
    assert (field(after, "draws")[done] == 0).all()
    assert (field(after, "high") != field(words, "high"))[done].mean() > 0.9  # two draws further on
    rows = np.asarray(LAYOUT.view([np.asarray(word) for word in after]).side[0].member[0].row)[done]
    assert (rows % 6 == 0).all()
    assert len(set(rows.tolist())) > 20


def test_shares_for_faints_and_hit_points_are_what_the_lead_grows_by(played):
    env = RandomBattle(faint_reward=0.5, hp_reward=0.25)
    words = tuple(np.asarray(word)[:1].reshape(()) for word in played.words[0])
    view = LAYOUT.view(words)
    assert float(env._lead(view.words(), played.params)) == 0
    view.side[1].left = 4
    view.side[1].member[3].hp = 0
    assert float(env._lead(view.words(), played.params)) == pytest.approx(2 * 0.5 + 0.25)


def test_the_default_reward_asks_for_no_shares():
    assert (ENV.faint_reward, ENV.hp_reward) == (0.0, 0.0)


def test_no_steps_at_all_are_refused():
    with pytest.raises(InvalidParamsError, match="micro_steps: got 0"):
        RandomBattle(micro_steps=0)


def test_options_that_there_are_not_are_refused():
    with pytest.raises(InvalidParamsError, match="make"):
        pokejax.make(speed=9000)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_few_steps_at_a_time_come_to_the_same(played):
    """With a bound on steps a battle takes more calls and goes through the same decisions."""
    few = RandomBattle(micro_steps=2)
    step = compiling.jit(jax.vmap(lambda w, a, p: few.transition(w, a, p)[0], (0, 0, None)), few)
    words, waited = played.words[0], False
    for expected, actions in zip(played.words[1:], played.actions, strict=True):
        words = step(words, actions, played.params)
        for _ in range(60):
            going = ~(asked(words).any(1) | field(words, "over"))
            if not going.any():
                break
            waited = True
            on = step(words, np.full_like(actions, PASS), played.params)
            words = tuple(np.where(going, new, old) for new, old in zip(on, words, strict=True))
        for name in ("high", "low", "draws", "turn", "over", "winner"):
            np.testing.assert_array_equal(field(words, name), field(expected, name))
    assert waited


def test_actions_of_64_bits_widen_nothing():
    check_action_dtypes(RandomPlay(ENV), ("int64",))
