"""L1: observations: their table, and that nothing shows in them that a player has not been told."""

from pathlib import Path

import jax
import numpy as np
import pytest

from pokejax import pools, rows, seeing
from pokejax.env import RandomBattle
from pokejax.observation import ENTRIES, IDS, NUMBERS, places, size, space
from pokejax.rules.telling import percent
from pokejax.state import LAYOUT, TEAM
from pokejax.tables import NAMES
from pokejax.verification.battles import CHUNK
from pokejax.verification.layout import document
from rlenv_shared import compiling

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
DOCS = Path(__file__).parents[2] / "docs"
PLACES = places()


def entry(seen, name):
    array, where = PLACES[name]
    return np.asarray(seen[array])[..., where]


def test_the_table_in_the_documentation_is_the_encoder_s():
    assert (DOCS / "observation.md").read_text() == document()


def test_every_name_stands_once_and_the_space_has_all():
    assert len(PLACES) == len(ENTRIES)
    spaces = space().spaces
    assert spaces[IDS].shape == (size(IDS),)
    assert spaces[NUMBERS].shape == (size(NUMBERS),)


def test_observations_lie_in_their_space(played):
    limits = np.concatenate([[e.limit] * e.count for e in ENTRIES if e.array == IDS])
    for words in played.words[::8]:
        seen = played.run.observe(words, played.params)
        assert (np.asarray(seen[IDS]) >= 0).all()
        assert (np.asarray(seen[IDS]) < limits).all()
        assert (np.abs(np.asarray(seen[NUMBERS])) <= 1).all()


def test_before_the_leads_come_in_a_player_knows_its_own_team_alone(played):
    seen = played.run.observe(played.words[0], played.params)
    assert (entry(seen, "own.pokemon[3].species") > 0).all()
    assert (entry(seen, "own.pokemon[3].hp") == 1).all()
    for place in ENTRIES:
        if place.name.startswith("foe.pokemon"):
            assert (entry(seen, place.name) == 0).all(), place.name


def test_the_leads_are_seen_and_what_they_hold_is_not(played):
    seen = played.run.observe(played.words[1], played.params)
    assert (entry(seen, "foe.pokemon[0].species") > 0).all()
    assert (entry(seen, "foe.pokemon[0].active") == 1).all()
    assert (entry(seen, "foe.pokemon[1].species") == 0).all()
    assert (entry(seen, "foe.pokemon[0].moves") == 0).all()
    assert (entry(seen, "foe.pokemon[0].item") == 0).mean() > 0.5
    own = entry(seen, "own.pokemon[0].species")
    np.testing.assert_array_equal(own, entry(seen, "foe.pokemon[0].species")[:, ::-1])


@pytest.mark.parametrize(("hp", "shown"), [(300, 100), (299, 99), (1, 1), (3, 1), (4, 2)])
def test_hit_points_are_shown_rounded_up(hp, shown):
    assert int(percent(np.int32(hp), np.int32(300))) == shown


def permuted(words, params, player, seed):
    """Another truth for a player, and whether it is another."""
    keys = jax.random.split(jax.random.key(seed), CHUNK)
    return _permute(player)(words, keys, params)


def _permute(player):
    env = RandomBattle()
    if player not in _PERMUTE:
        one = lambda words, key, params: env.permute_hidden(words, key, player, params)  # noqa: E731
        _PERMUTE[player] = compiling.jit(jax.vmap(one, (0, 0, None)), env)
    return _PERMUTE[player]


_PERMUTE = {}


def check_that_nothing_shows(played):
    """Permute what each player has not been told in every state; returns how many states that changed, of how many."""
    changed = states = 0
    for number, words in enumerate(played.words[1:]):
        seen = played.run.observe(words, played.params)
        for player in (0, 1):
            other = permuted(words, played.params, player, number)
            differs = np.any([np.asarray(a) != np.asarray(b) for a, b in zip(words, other, strict=True)], axis=0)
            looks = played.run.observe(other, played.params)
            for name in (IDS, NUMBERS):
                np.testing.assert_array_equal(np.asarray(looks[name])[:, player], np.asarray(seen[name])[:, player])
            masks = [np.asarray(played.run.look(state, played.params))[:, player] for state in (words, other)]
            np.testing.assert_array_equal(*masks)
            changed += int(differs.sum())
            states += len(differs)
    return changed, states


def test_what_a_player_has_not_been_told_does_not_show(played):
    changed, states = check_that_nothing_shows(played)
    assert changed > 0.9 * states
    first = np.asarray(LAYOUT.view([np.asarray(w) for w in permuted(played.words[1], played.params, 0, 0)]).side[0].row)
    np.testing.assert_array_equal(first, np.asarray(LAYOUT.view([np.asarray(w) for w in played.words[1]]).side[0].row))


def teams_with_illusion():
    """A pool of 200 generated teams that have a Pokémon with Illusion, some of them twice."""
    pool = pools.generated()
    ability = rows.POKEMON.decode([np.asarray(word) for word in pool[: rows.POKEMON_WORDS]])["ability"]
    teams = np.flatnonzero((ability.reshape(-1, TEAM) == NAMES["ability"].index("illusion")).any(1))
    members = np.resize(teams, 2 * CHUNK)[:, None] * TEAM + np.arange(TEAM)
    return tuple(column[members.reshape(-1)] for column in pool)


def test_who_stands_behind_a_guise_does_not_show(random_battles):
    played = random_battles(7, 16, teams_with_illusion())
    views = [LAYOUT.view([np.asarray(word) for word in words]) for words in played.words]
    assert sum(int((view.side[0].guise > 0).sum()) for view in views) > 100
    changed, states = check_that_nothing_shows(played)
    assert changed > 0.9 * states


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_what_a_player_has_not_been_told_does_not_show_in_100_000_states(random_battles):
    total = np.zeros(2, np.int64)
    for seed in range(10):
        total += check_that_nothing_shows(random_battles(100 + seed, 60))
    assert total[1] >= 100_000
    assert total[0] > 0.9 * total[1]


def test_moves_are_sorted_by_number():
    moves = seeing.by_number([np.int32(x) for x in (7, 0, 3, 0)])
    assert [int(move) for move in moves] == [3, 7, 0, 0]
