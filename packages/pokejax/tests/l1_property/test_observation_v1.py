"""L1: version 1 of observations: its table, its space, and that nothing shows that a player has not been told."""

import jax
import numpy as np
import pytest

from pokejax import pools, rows
from pokejax.env import RandomBattle
from pokejax.observation_table import IDS
from pokejax.observation_v1 import COUNTS, TABLE, space
from pokejax.state import LAYOUT, TEAM
from pokejax.tables import NAMES
from pokejax.verification.battles import CHUNK
from pokejax.verification.observations import TABLES, VERSIONS, observe_words
from rlenv_shared import compiling
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]


def test_every_name_stands_once_and_the_space_has_all():
    assert len(TABLE.places) == len(TABLE.entries)
    spaces = space().spaces
    assert spaces[IDS].shape == (TABLE.size(IDS),)
    assert spaces[COUNTS].shape == (TABLE.size(COUNTS),)


def test_every_version_is_read_and_compared():
    assert set(TABLES) == set(VERSIONS) == {"v0", "v1"}


def test_no_other_version_is_made():
    with pytest.raises(InvalidParamsError, match=r"observation.*v2.*'v0', 'v1'.*choose one"):
        RandomBattle(observation="v2")


def test_the_environment_gives_what_its_space_says():
    env = RandomBattle(observation="v1")
    params = env.default_params
    seen, _ = jax.eval_shape(env.reset, jax.random.key(0), params)
    assert {name: (one.shape[1:], one.dtype) for name, one in seen.items()} == {
        name: (one.shape, one.dtype) for name, one in env.observation_space(params).spaces.items()
    }


def test_observations_lie_in_their_space(played):
    limits = np.array(TABLE.each(IDS, "limit"))
    least, most = (np.array(TABLE.each(COUNTS, field)) for field in ("least", "most"))
    for words in played.words[::8]:
        seen = observe_words("v1", words, played.params)
        assert (seen[IDS] >= 0).all()
        assert (seen[IDS] < limits).all()
        assert (seen[COUNTS] >= least).all()
        assert (seen[COUNTS] <= most).all()


def test_xla_s_program_shows_what_instructions_show(played):
    env = RandomBattle(observation="v1")
    by_xla = compiling.jit(jax.vmap(env.view, (0, None)), env)
    for words in played.words[1::12]:
        expected = by_xla(words, played.params)
        jax.tree.map(np.testing.assert_array_equal, observe_words("v1", words, played.params), jax.device_get(expected))


def test_types_and_genders_are_those_of_the_species(played):
    seen = observe_words("v1", played.words[1], played.params)
    undisguised = seen[IDS][..., TABLE.places["own.feigned"][1].start] == 0
    assert undisguised.mean() > 0.9
    for name in ("types", "pokemon[0].gender"):
        own, foe = (seen[IDS][..., TABLE.places[f"{side}.{name}"][1]] for side in ("own", "foe"))
        assert (own > 0).any()
        np.testing.assert_array_equal(own[undisguised], foe[:, ::-1][undisguised])


def check_that_nothing_shows(played, another_truth):
    """Permute what each player has not been told in every state; returns how many states that changed, of how many.

    Version 0 has shares of what version 1 has, so that it would show nothing else.
    """
    changed = states = 0
    for number, words in enumerate(played.words[1:]):
        seen = observe_words("v1", words, played.params)
        for player in (0, 1):
            other = another_truth(words, played.params, player, number)
            differs = np.any([np.asarray(a) != np.asarray(b) for a, b in zip(words, other, strict=True)], axis=0)
            looks = observe_words("v1", other, played.params)
            for name in (IDS, COUNTS):
                np.testing.assert_array_equal(looks[name][:, player], seen[name][:, player])
            masks = [np.asarray(played.run.look(state, played.params))[:, player] for state in (words, other)]
            np.testing.assert_array_equal(*masks)
            changed += int(differs.sum())
            states += len(differs)
    return changed, states


def test_what_a_player_has_not_been_told_does_not_show(played, another_truth):
    changed, states = check_that_nothing_shows(played, another_truth)
    assert changed > 0.9 * states
    before, after = played.words[1], another_truth(played.words[1], played.params, 0, 0)
    own = [np.asarray(LAYOUT.view([np.asarray(word) for word in words]).side[0].row) for words in (before, after)]
    np.testing.assert_array_equal(*own)


def teams_with_illusion():
    """A pool of 200 generated teams that have a Pokémon with Illusion, some of them twice."""
    pool = pools.generated()
    ability = rows.POKEMON.decode([np.asarray(word) for word in pool[: rows.POKEMON_WORDS]])["ability"]
    teams = np.flatnonzero((ability.reshape(-1, TEAM) == NAMES["ability"].index("illusion")).any(1))
    members = np.resize(teams, 2 * CHUNK)[:, None] * TEAM + np.arange(TEAM)
    return tuple(column[members.reshape(-1)] for column in pool)


def test_who_stands_behind_a_guise_does_not_show(random_battles, another_truth):
    played = random_battles(7, 16, teams_with_illusion())
    views = [LAYOUT.view([np.asarray(word) for word in words]) for words in played.words]
    assert sum(int((view.side[0].illusion_as > 0).sum()) for view in views) > 100
    changed, states = check_that_nothing_shows(played, another_truth)
    assert changed > 0.9 * states


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_what_a_player_has_not_been_told_does_not_show_in_100_000_states(random_battles, another_truth):
    total = np.zeros(2, np.int64)
    for seed in range(10):
        total += check_that_nothing_shows(random_battles(100 + seed, 60), another_truth)
    assert total[1] >= 100_000
    assert total[0] > 0.9 * total[1]
