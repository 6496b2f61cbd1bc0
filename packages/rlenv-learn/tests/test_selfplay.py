"""Self-play: seats, opponents, the pool, and what is learned in a game whose best answers can be computed."""

from __future__ import annotations

import itertools
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_games.small_games import CHARGE, FIRE, FULL, SHIELD, Params, Standoff, TakeAway, duel
from rlenv_learn import (
    Policy,
    PPOConfig,
    SelfPlayConfig,
    elo,
    evaluate,
    play_match,
    tournament,
    train,
    train_many,
    uniform_policy,
)
from rlenv_learn.interface import Interface
from rlenv_learn.opponents import Against, MatchParams, random_script
from rlenv_learn.probes import ActionReward
from rlenv_learn.progress import without_timing
from rlenv_learn.trainer import Trainer
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError
from rlenv_testing import deadlines
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1
GAME = Standoff()
CONFIG = PPOConfig(
    total_steps=512 * 1024,
    num_envs=256,
    rollout_length=16,
    update_epochs=2,
    num_minibatches=4,
    learning_rate=3e-3,
    gamma=0.97,
    entropy_coef=0.3,  # equilibria are mixed
)
SHORT = CONFIG.replace(total_steps=16 * 8 * 6, num_envs=16, rollout_length=8)
LIMIT = 32  # decisions
ACTIONS = (CHARGE, SHIELD, FIRE)
STARTS = ((0, 0), (0, 1), (1, 0), (1, 1))


def always(action: int, preset: str = "mlp-tiny") -> Policy:
    """A policy that wants one action whenever it is legal."""
    policy = Policy.create(Interface((3,), 3), PPOConfig(preset=preset), jax.random.key(0))
    params = jax.tree.map(jnp.zeros_like, policy.params)
    bias = jnp.where(jnp.arange(3) == action, 50.0, jnp.array([1.0, 0.0, 0.0]) * 25.0)  # else CHARGE
    params["params"]["policy"]["bias"] = bias.astype(jnp.float32)
    return policy.replace(params=params)


class NoSuchOption(Standoff):
    compile_options: ClassVar = {"cpu": {"xla_no_such_option": True}}


class NoSuchOptionAlone(ActionReward):
    compile_options = NoSuchOption.compile_options


def evaluate_one():
    env = NoSuchOptionAlone()
    evaluate(Policy.create(Interface((1,), 2), PPOConfig(), jax.random.key(0)), env, episodes=2)


def match_two():
    play_match(uniform_policy(GAME), uniform_policy(GAME), NoSuchOption(), games=2)


# --- matches --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["mlp-tiny", "gru-tiny"])
def test_who_fires_beats_who_charges_from_either_seat(preset):
    result = play_match(always(FIRE), always(CHARGE, preset), GAME, games=64)
    np.testing.assert_array_equal(result.returns, 1.0)
    np.testing.assert_array_equal(play_match(always(CHARGE, preset), always(FIRE), GAME, games=64).returns, -1.0)
    assert set(np.unique(result.lengths)) == {1, 2}  # the shooter starts with a charge, or gets one first


@pytest.mark.parametrize("play", [evaluate_one, match_two])
def test_an_environment_s_compile_options_are_honoured(play):
    """By an option that there is not: XLA refuses it where it arrives."""
    with pytest.raises(Exception, match="no_such_option"):
        play()


def test_both_shields_draw():
    result = play_match(always(SHIELD), always(SHIELD), GAME, Params(max_steps_in_episode=5), games=8)
    np.testing.assert_array_equal(result.returns, 0.0)
    np.testing.assert_array_equal(result.lengths, 5)


def test_equal_policies_win_equally_often():
    uniform = uniform_policy(GAME)
    result = play_match(uniform, uniform, GAME, games=4096)
    assert abs(result.mean_return) < 0.06  # four standard errors
    by_seat = [result.returns[seat::2].mean() for seat in (0, 1)]
    assert max(map(abs, by_seat)) < 0.09


def test_every_opponent_plays_its_block_of_environments():
    """Four opponents, two of whom shoot at learners who charge."""
    game = Against(GAME)
    match = MatchParams.create(GAME.default_params, *(always(a) for a in (FIRE, CHARGE, FIRE, SHIELD)))

    @jax.jit
    def play(keys):
        def step(state, _):
            _, state, reward, *_ = game.step(state, jnp.zeros(16, jnp.int32), match)
            return state, reward

        return jax.lax.scan(step, game.reset(keys, match)[1], length=2)[1].sum(0)

    reward = play(jax.random.split(jax.random.key(0), 16))
    assert (reward.reshape(4, 4)[0] < 0).all()
    assert (reward.reshape(4, 4)[1] == 0).all()
    assert (reward.reshape(4, 4)[2] < 0).all()
    assert (reward.reshape(4, 4)[3] == 0).all()


def test_learners_see_their_own_side():
    game, params = Against(GAME), MatchParams.create(GAME.default_params, always(CHARGE))
    mine, state = game.reset(jax.random.split(jax.random.key(0), 32), params)
    charges = np.stack(state.env_state.charge, axis=1)
    seat = np.arange(32) % 2
    own, other = charges[np.arange(32), seat], charges[np.arange(32), 1 - seat]
    np.testing.assert_allclose(mine[:, :2] * FULL, np.stack([own, other], 1), rtol=1e-6)
    np.testing.assert_array_equal(game.legal_actions(state, params)[:, FIRE], own > 0)
    assert len({tuple(pair) for pair in charges.tolist()}) == 4


# --- the pool -------------------------------------------------------------------------------------------------------


def test_the_pool_holds_the_newest_policy_and_the_last_snapshots():
    settings = SelfPlayConfig(pool_size=3, snapshot_every=2)
    blank = uniform_policy(GAME)

    def numbered(number):
        return jax.tree.map(lambda leaf: jnp.full_like(leaf, number), blank)

    trainer = Trainer.create(GAME, SHORT, GAME.default_params, settings)
    learner = trainer.initial(jnp.uint32(0), GAME.default_params).learner
    pool = MatchParams.create(None, *[numbered(0)] * 3).policies
    seen = []
    for update in range(1, 9):
        pool = trainer._renewed(pool, learner.replace(policy=numbered(update), updates=jnp.int32(update)))
        seen.append([{int(x) for x in np.unique(leaf[i])} for leaf in jax.tree.leaves(pool)[:1] for i in range(3)])
    assert seen == [
        [{1}, {0}, {0}],
        [{2}, {0}, {2}],
        [{3}, {0}, {2}],
        [{4}, {4}, {2}],
        [{5}, {4}, {2}],
        [{6}, {4}, {6}],
        [{7}, {4}, {6}],
        [{8}, {8}, {6}],
    ]


def test_a_resumed_run_continues_bit_for_bit(tmp_path):
    settings = SelfPlayConfig(pool_size=2, snapshot_every=2)
    whole = train(GAME, SHORT, selfplay=settings, run_dir=tmp_path / "a", checkpoint_every=3)
    half, resumed = sorted((tmp_path / "a").glob("checkpoint-*.npz"))[0], tmp_path / "b"
    resumed.mkdir()
    (resumed / half.name).write_bytes(half.read_bytes())
    lines = (tmp_path / "a" / "metrics.jsonl").read_text().splitlines(keepends=True)
    (resumed / "metrics.jsonl").write_text("".join(lines[:3]))
    with pytest.raises(SnapshotVersionError, match="trainer"):
        train(GAME, SHORT, selfplay=SelfPlayConfig(pool_size=4), run_dir=resumed, resume=True)
    again = train(GAME, SHORT, selfplay=settings, run_dir=resumed, resume=True)
    assert [without_timing(record) for record in again.records] == [without_timing(record) for record in whole.records]


# --- learning -------------------------------------------------------------------------------------------------------


def action_probabilities(policy: Policy) -> np.ndarray:
    """``[time, own charge, other's charge, action]``."""
    index = np.indices((LIMIT, FULL + 1, FULL + 1)).reshape(3, -1)
    obs = np.stack([index[1] / FULL, index[2] / FULL, index[0] / LIMIT], 1).astype(np.float32)
    mask = np.stack([np.ones_like(index[1]), np.ones_like(index[1]), index[1] > 0], 1).astype(bool)
    n = len(obs)
    _, distribution, _ = policy.forward(
        policy.initial_carry(n), jnp.asarray(obs), jnp.zeros(n, bool), jnp.asarray(mask)
    )
    return np.exp(np.asarray(distribution.log_probs, np.float64)).reshape(LIMIT, FULL + 1, FULL + 1, 3)


def outcome(choose, theirs: np.ndarray) -> float:
    """Expected result against a policy, backwards in time; ``choose(t, charge, q)`` makes one number of q ``[3]``."""
    pairs = list(itertools.product(range(FULL + 1), repeat=2))
    value = dict.fromkeys(pairs, 0.0)
    for time in reversed(range(LIMIT)):
        now = {}
        for charge in pairs:
            q = np.full(3, -np.inf)
            for mine in ACTIONS[: 3 if charge[0] else 2]:
                q[mine] = 0.0
                for reply, probability in enumerate(theirs[time, charge[1], charge[0]]):
                    if probability > 1e-9:
                        after, won = duel(charge, (mine, reply))
                        q[mine] += probability * (won or value[after])
            now[charge] = choose(time, charge, q)
        value = now
    return float(np.mean([value[start] for start in STARTS]))


def exploitability(policy: Policy) -> float:
    """What the best answer wins against a policy; 0 in equilibrium, 1 where it always wins."""
    return outcome(lambda time, charge, q: q.max(), action_probabilities(policy))


def result_against(policy: Policy, opponent: Policy) -> float:
    """Expected result of one policy against another."""
    ours = action_probabilities(policy)

    def choose(time, charge, q):
        return float(np.sum(ours[time, charge[0], charge[1]] * np.where(np.isfinite(q), q, 0)))

    return outcome(choose, action_probabilities(opponent))


@deadlines.once
def trained(pool_size: int) -> Policy:
    return train(GAME, CONFIG, selfplay=SelfPlayConfig(pool_size=pool_size, snapshot_every=8)).policy


def test_the_yardsticks_measure():
    uniform = uniform_policy(GAME)
    assert exploitability(uniform) == pytest.approx(0.751, abs=1e-3)
    assert exploitability(always(CHARGE)) == pytest.approx(1.0, abs=1e-6)
    assert result_against(uniform, uniform) == pytest.approx(0.0, abs=1e-6)
    assert result_against(always(FIRE), always(CHARGE)) == pytest.approx(1.0, abs=1e-6)


def test_self_play_with_a_pool_learns():
    """An equilibrium wins 0.29 against uniform play, whose exploitability is 0.75."""
    policy = trained(pool_size=8)
    assert result_against(policy, uniform_policy(GAME)) > 0.15
    assert exploitability(policy) < 0.6
    measured = play_match(policy, uniform_policy(GAME), GAME, games=2048)
    assert measured.mean_return == pytest.approx(result_against(policy, uniform_policy(GAME)), abs=0.09)


# --- turns ----------------------------------------------------------------------------------------------------------

TURNS = TakeAway()
TURNS_CONFIG = PPOConfig(
    total_steps=400 * 1024,
    num_envs=256,
    rollout_length=16,
    num_minibatches=4,
    learning_rate=3e-3,
    gamma=1.0,
    entropy_coef=0.02,
)


def expert(state, player, params, word):
    """The right move, or any where all moves lose."""
    right = TURNS.right_move(state)
    return jnp.where(right < 0, (word % jnp.uint32(3)).astype(jnp.int32), right)


def test_players_who_take_turns_learn_from_their_own_decisions_alone():
    """Whoever is to win against right play does; about three quarters of the piles are won for who begins."""
    result = train(TURNS, TURNS_CONFIG, selfplay=SelfPlayConfig(pool_size=4, snapshot_every=8))
    last = result.records[-1]
    assert last["decisions"] == pytest.approx(TURNS_CONFIG.batch_size / 2, rel=0.1)  # the opponent makes the others
    assert last["episode_length"] < 8
    against_random = play_match(result.policy, random_script(TURNS), TURNS, games=1024, deterministic=True)
    against_expert = play_match(result.policy, expert, TURNS, games=1024, deterministic=True)
    weak = play_match(uniform_policy(TURNS), expert, TURNS, games=1024)
    assert against_random.mean_return > 0.9
    assert against_expert.mean_return > -0.1  # between experts the start decides
    assert weak.mean_return < -0.9


def test_scripts_may_be_among_the_opponents():
    settings = SelfPlayConfig(pool_size=0, scripts=(expert, random_script(TURNS)))
    short = TURNS_CONFIG.replace(total_steps=16 * 8 * 2, num_envs=16, rollout_length=8)
    assert len(train(TURNS, short, selfplay=settings).records) == 2
    mixed = SelfPlayConfig(pool_size=2, scripts=(expert, random_script(TURNS)))
    many = train_many(TURNS, short, (1, 2), selfplay=mixed)
    alone = train(TURNS, short.replace(seed=2), selfplay=mixed)
    ours, theirs = many.records[1][-1], alone.records[-1]
    assert ours["episode_return"] == pytest.approx(theirs["episode_return"], abs=1e-6)


def test_ratings_order_policies_by_strength():
    table = tournament([always(CHARGE), uniform_policy(GAME), always(FIRE)], GAME, games=256)
    ratings = elo(table, 256)
    assert ratings[2] > ratings[1] > ratings[0]
    assert ratings.sum() == pytest.approx(0, abs=1e-6)


def test_elo_of_known_odds():
    """Ten to one is 400 points."""
    table = np.array([[0.5, 10 / 11], [1 / 11, 0.5]])
    ratings = elo(table, 1_000_000)
    assert ratings[0] - ratings[1] == pytest.approx(400, abs=0.1)


# --- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"pool_size": 0}, {"snapshot_every": 0}, {"pool_size": 1.5}, {"pool_size": True}])
def test_bad_settings_are_refused(settings):
    with pytest.raises(InvalidParamsError, match=rf"SelfPlayConfig.{next(iter(settings))}: got"):
        SelfPlayConfig(**settings)


def test_one_player_needs_no_opponent_and_two_need_one():
    with pytest.raises(InvalidParamsError, match="a match on toy/Walk-v0: got 1 players"):
        train(Walk(), SHORT, selfplay=SelfPlayConfig())
    with pytest.raises(InvalidParamsError, match="PPO on game/Standoff-v0: got 2 players"):
        train(GAME, SHORT)
    with pytest.raises(InvalidParamsError, match="opponents: got none"):
        Against(GAME, policies=False)


def test_batches_that_cannot_be_divided_are_refused():
    with pytest.raises(InvalidParamsError, match="num_envs: got 16, expected a multiple of 3 opponents"):
        train(GAME, SHORT, selfplay=SelfPlayConfig(pool_size=3))
    with pytest.raises(InvalidParamsError, match="games: got 3"):
        play_match(uniform_policy(GAME), uniform_policy(GAME), GAME, games=3)
