"""L1: search: what positions are worth, and a player that looks ahead in truths that it cannot tell apart."""

import functools
import json
from pathlib import Path

import jax
import numpy as np
import pytest

from pokejax.env import RandomBattle
from pokejax.poke_env import decisions
from pokejax.poke_env.decisions import DecisionPoint, agents, observed
from pokejax.rules.flow.queue import PASS
from pokejax.search import Expectimax, evaluation, expectimax
from pokejax.search.positions import joined
from pokejax.showdown import Position, determinize
from pokejax.showdown.viewpoint import REQUEST
from pokejax.state import LAYOUT
from pokejax.verification import DECLARATION
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing import quick

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
OPPONENTS, FORM, BATCH = ("damage",), "bytecode", 64
QUICK = functools.partial(Expectimax, opponents=OPPONENTS, form=FORM)


@pytest.fixture(scope="module")
def positions(played):
    """Positions in the middle of random battles, with their legal actions."""
    return played.words[12], played.masks[12]


@pytest.fixture(scope="module")
def params(played):
    """With as large a pool as the default one, whose search the README shows."""
    return as_large_as(played.params, RandomBattle().default_params)


@pytest.fixture
def small(monkeypatch):
    """One size of batches, and so one program."""
    monkeypatch.setattr(expectimax, "BATCHES", (BATCH,))


def another_truth(words, players, params, seed):
    """Of each position, by the program that a search has for it."""
    count, rows = len(players), np.arange(BATCH) % len(players)
    keys = jax.random.key_data(jax.random.split(jax.random.key(seed), BATCH))
    program = expectimax._programs(OPPONENTS, FORM).truth
    return few(
        program(expectimax.rows_of(words, rows), players[rows], keys, expectimax._params(OPPONENTS, params)), count
    )


def as_large_as(params, other):
    """With a pool of as many teams, over and over the same, so that what is compiled for the other serves both."""

    def longer(leaf, like):
        missing = np.shape(like)[:1] and np.shape(like)[0] - np.shape(leaf)[0]
        return np.pad(leaf, [(0, missing), *[(0, 0)] * (np.ndim(leaf) - 1)], mode="wrap") if missing else leaf

    return jax.tree.map(longer, params, other)


@functools.cache
def values():
    def both(state, params):
        return jax.numpy.stack([evaluation.value(state, player, params) for player in (0, 1)])

    return quick.jit(jax.vmap(both, (0, None)))  # optimised: barely so, the surest positions are worth 1


def few(tree, count):
    return jax.tree.map(lambda leaf: np.asarray(leaf)[:count], tree)


def with_fields(words, **fields):
    view = LAYOUT.view([np.asarray(word) for word in words])
    for path, value in fields.items():
        side, name = int(path[-1]), path[:-1]
        setattr(view.side[side], name, np.full_like(getattr(view.side[side], name), value))
    return view.words()


def test_a_position_is_worth_to_one_what_it_costs_the_other(positions, params):
    found = np.asarray(values()(positions[0], params))
    np.testing.assert_allclose(found[:, 0], -found[:, 1], atol=1e-6)
    assert (np.abs(found) < 1).all()
    assert found[:, 0].std() > 0.1


def test_the_weights_are_those_that_were_fitted():
    fitted = files.read_json(DECLARATION.results / "evaluation.json")
    assert fitted["weights"] == evaluation.WEIGHTS
    assert fitted["log loss"] < 0.55  # of who knows nothing 0.69


@pytest.mark.parametrize(
    ("field", "value"), [("hp0", 1), ("status0", 1), ("stealth_rock0", 1), ("may_terastallize0", 0)]
)
def test_what_harms_one_side_is_worth_something_to_the_other(positions, params, field, value):
    before, after = (
        np.asarray(values()(words, params))[:, 1]
        for words in (positions[0], with_fields(positions[0], **{field: value}))
    )
    assert (after - before).mean() > 0
    assert (after >= before - 1e-6).mean() > 0.9


@pytest.mark.parametrize(
    "given", [{"plies": 0}, {"plies": 3}, {"truths": 0}, {"width": 0}, {"chances": 0}, {"opponents": ("nobody",)}]
)
def test_settings_that_make_no_player_are_refused(given):
    with pytest.raises(InvalidParamsError, match=next(iter(given))):
        Expectimax(**given)


def test_it_does_what_is_legal_and_the_same_in_all_that_it_cannot_tell_apart(positions, params, small):
    count = 8
    words, masks, players = few(positions[0], count), positions[1][:count], np.arange(count, dtype=np.int32) % 2
    own = masks[np.arange(count), players]
    player = QUICK(plies=2, truths=1, width=2, chances=1)
    found = player.search(words, players, 3, params)
    actions = found.actions()
    assert own[np.arange(count), actions].all()
    assert ((actions == PASS) == own[:, PASS]).all()
    other = another_truth(words, players, params, 5)
    assert any((np.asarray(a) != b).any() for a, b in zip(other, words, strict=True))
    np.testing.assert_array_equal(player.search(other, players, 3, params).worth, found.worth)
    np.testing.assert_array_equal(player.choose(other, players, 3, params), actions)


@pytest.fixture(scope="module")
def truths():
    """Positions that one player cannot tell apart, made of the same messages; and the player."""
    told = (Path(__file__).resolve().parents[2] / "examples" / "view.txt").read_text().splitlines()
    request = json.loads(next(line for line in told[::-1] if line.startswith(REQUEST)).removeprefix(REQUEST))
    return [determinize(told, seed) for seed in range(3)], int(request["side"]["id"] == "p2")


def test_positions_of_one_decision_are_one_batch(truths):
    positions, _ = truths
    words, params = joined(positions)
    assert any(len({*np.asarray(word).tolist()}) > 1 for word in words)
    for number, one in enumerate(positions):
        together = Position(tuple(word[number] for word in words), params, one.teams)
        for player in (0, 1):
            jax.tree.map(np.testing.assert_array_equal, observed(together, player), observed(one, player))


def test_it_looks_ahead_from_positions_that_were_made_of_messages(truths, params, small, monkeypatch):
    positions, player = truths

    def joined_largely(positions):
        words, own = joined(positions)
        return words, as_large_as(own, params)

    monkeypatch.setattr(decisions, "joined", joined_largely)
    search = QUICK(plies=1, truths=len(positions))
    words, pool = joined_largely(positions)
    found = search.search_truths(words, player, 3, pool)
    assert found.legal.any()
    np.testing.assert_array_equal(np.isfinite(found.worth), found.legal)
    legal, asked = found.legal[0], []

    def another():
        asked.append(1)
        return positions[len(asked)]

    point = DecisionPoint(positions[0], player, observed(positions[0], player), legal, another)
    assert legal[agents(search)().decide(point, again=False)]
    assert len(asked) == len(positions) - 1


def test_it_sees_what_ends_the_battle(positions, params, small):
    """The opponent's last Pokémon has one hit point left: what wins at once is worth a win."""
    words = few(with_fields(positions[0], hp1=1, left1=1), 40)
    view = LAYOUT.view([np.asarray(word) for word in words])
    for member in range(6):
        behind = view.side[1].order[0] != member
        for name, value in (("hp", 0), ("fainted", 1)):
            field = getattr(view.side[1].member[member], name)
            setattr(view.side[1].member[member], name, np.where(behind, value, np.asarray(field)).astype(field.dtype))
    masks, worth, nodes = QUICK(plies=1, truths=1).search(view.words(), np.zeros(40, np.int32), 1, params)
    chosen = masks.sum(axis=1) > 1
    assert (worth[chosen].max(axis=1) == 1).mean() > 0.8
    assert not np.isfinite(worth[~masks]).any()
    assert nodes == masks[chosen].sum()
