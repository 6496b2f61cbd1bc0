"""L1: a league's policies, and their ratings."""

import jax
import numpy as np
import pytest

from pokejax.learning.versus import LearnersBattle
from pokejax.opponents import PLAYERS
from pokejax.verification import PPO, league, ratings
from rlenv_learn import Policy, PPOConfig
from rlenv_learn.interface import Interface
from rlenv_learn.train import SNAPSHOT_FILE
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
NAMES = list(PLAYERS)
PAIRS = [{"player": one, "against": other, "points": 0.75} for i, one in enumerate(NAMES) for other in NAMES[:i]]


@pytest.fixture(scope="module")
def policy():
    battle = LearnersBattle()
    params = battle.default_params
    interface = Interface.from_spaces(battle.observation_space(params), battle.action_space(params))
    return Policy.create(interface, PPOConfig(**PPO), jax.random.key(0))


def test_policies_of_a_league_are_found_in_the_order_of_their_updates(policy, tmp_path):
    for update in (1000, 90, 200):
        policy.save(tmp_path / SNAPSHOT_FILE.format(update))
    assert list(ratings.kept(tmp_path)) == ["90", "200", "1000"]
    with pytest.raises(InvalidParamsError, match="no policy"):
        ratings.kept(tmp_path / "elsewhere")


def test_a_pair_of_opponents_that_did_not_meet_is_named():
    assert ratings.among_opponents({"pairs": PAIRS})[NAMES[1], NAMES[0]] == 0.75
    with pytest.raises(InvalidParamsError, match="no battles of"):
        ratings.among_opponents({"pairs": PAIRS[1:]})


def test_a_table_has_the_points_of_each_against_each(policy, monkeypatch, tmp_path):
    played = []

    def match(policy, other, env, *, games, seed):
        played.append((games, seed))
        return type("Played", (), {"returns": np.array([1.0, 1.0, -1.0, 0.0])})

    monkeypatch.setattr(ratings, "play_match", match)
    monkeypatch.setattr(ratings, "against", lambda policy, other, battles, seed, draws: {"points": 0.9 if draws else 0})
    names, found = ratings.table({"90": policy, "200": policy}, {"pairs": PAIRS}, battles=4)
    assert names == ["90", "200", *NAMES]
    np.testing.assert_allclose(found + found.T, 1)
    assert found[1, 0] == 0.625
    assert (found[:2, 2:] == 0.9).all()
    assert found[3, 2] == 0.75
    assert [games for games, _ in played] == [4]
    strength = tmp_path / "strength.json"
    files.write_json(strength, {"pairs": PAIRS})
    with pytest.raises(InvalidParamsError, match="no policy"):
        ratings.main([str(tmp_path), "--strength", str(strength), "--out", str(tmp_path / "out.json")])


@pytest.mark.slow
def test_a_league_trains_against_itself_and_players_by_rule(tmp_path, policy):
    """The programs take minutes to compile."""
    first = tmp_path / "first.npz"
    policy.save(first)
    small = PPOConfig(**{**PPO, "total_steps": 64 * 4 * 2, "num_envs": 64, "rollout_length": 4})
    options = league.LeagueOptions(small, run_dir=tmp_path / "run", begin_with=str(first), kept=2)
    learned = league.learn(options)
    assert learned.interface == policy.interface
    assert list(ratings.kept(tmp_path / "run")) == ["1", "2"]
