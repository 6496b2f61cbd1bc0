"""What a duel's learner is told of actions: whom they are about, by the reference's view, and which are best."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from rlenv_shared import counter_rng
from rlenv_testing import quick
from tcgjax import heuristic, observation
from tcgjax.questions import ABILITY, ATTACH, ATTACK, CHOICE, FOSSIL, NUM_ACTIONS, PLAY, RETREAT, STADIUM, TARGETS
from tcgjax.tables import Cards
from tcgjax.verification import advice, matchups
from tcgjax.verification.duel import COMPILED_BY_XLA, Duel, DuelParams
from tcgjax.verification.host_duel import ReferenceDuel, ReferenceVectorEnv

pytestmark = pytest.mark.l1


def whom(view, action):
    """The card or attack that an action of the main phase uses, and who is meant, as ids."""
    tops = [slot["cards"][-1] if slot else -1 for slot in (*view["me"]["slots"], *view["foe"]["slots"])]
    id_of = lambda card: 3 * (card + 1)  # noqa: E731 - nobody is -1
    if PLAY <= action < ATTACH:
        position, target = divmod(action - PLAY, TARGETS)
        return id_of(view["hand"][position]), id_of(tops[target - 1]) if target else 0
    if action < RETREAT:
        return 0, id_of(tops[action - ATTACH])
    if action < ATTACK:
        return 0, id_of(tops[action - RETREAT + 1])
    if action < ABILITY:
        number = action - ATTACK
        return id_of(tops[0]) + 1 + number if number < 2 else 0, id_of(tops[4])
    if action < STADIUM:
        return id_of(tops[action - ABILITY]), 0
    return (id_of(view["stadium"]), 0) if action < FOSSIL else (id_of(tops[action - FOSSIL]), 0)


def test_ids_are_those_of_the_cards_that_an_action_is_about():
    duel, rng, kinds = ReferenceDuel(Duel().default_params), np.random.default_rng(0), set()
    for number in range(24):
        duel.deal(number, 7)
        while not duel.over:
            view, seen = duel.reference.observation(duel.game, duel.seat), duel.observe()
            for action in duel.game.choice.options if seen["question"][0] == 2 else ():
                if 0 < action < CHOICE:
                    assert tuple(seen["action_ids"][action]) == whom(view, action), action
                    kinds.add(
                        next(k for k, end in enumerate((ATTACH, RETREAT, ATTACK, ABILITY, CHOICE)) if action < end)
                    )
            word = rng.integers(2**32, dtype=np.uint32)
            duel.step((duel.players.heuristic if rng.random() < 0.8 else duel.players.random)(duel.game, word))
    assert kinds == {0, 1, 2, 3, 4}


def test_the_heuristic_s_choice_is_among_those_it_calls_best():
    duel, chosen = ReferenceDuel(Duel().default_params), []
    duel.deal(3, 7)
    while not duel.over:
        said = duel.observe()["actions"]
        action = duel.players.heuristic(duel.game, np.uint32(len(chosen)))
        chosen.append(said[action, 1])
        best, legal = said[:, 1] == 1, duel.mask()
        assert not best[~legal].any()
        assert (said[best, 0] == said[legal, 0].max()).all()
        assert said[:, 0].max() <= heuristic.ADVICE_BOUNDS[1]
        duel.step(action)
    assert len(chosen) > 5
    assert all(chosen)


def test_what_is_shown_is_in_the_space():
    env = Duel(form=COMPILED_BY_XLA)
    seen, info = ReferenceVectorEnv(1, env).reset(seed=3)
    seen = {name: values[0] for name, values in seen.items()}
    assert seen.keys() == env.observation_space(env.default_params).spaces.keys()
    assert bool(env.observation_space(env.default_params).contains(jax.tree.map(np.asarray, seen)))
    assert info["action_mask"].shape == (1, env.action_space(env.default_params).n)


@pytest.fixture(scope="module")
def dealt():
    """An environment, its parameters, and what is seen of eight games that begin; the program is compiled here."""
    params = (env := Duel(form="bytecode")).default_params
    deal = jax.jit(env.deal, compiler_options=dict(quick.BARELY))  # as a whole: its operations are hundreds
    return env, params, *deal(counter_rng.seed_words(3, 8), params)


def test_legal_actions_are_listed_in_order(dealt):
    env, params, mine, state = dealt
    theirs = ReferenceVectorEnv(8, env)
    seen, info = theirs.reset(seed=3)
    legal = [np.flatnonzero(duel.mask()) for duel in theirs.duels]
    assert [len(actions) for actions in legal] == info["action_mask"].sum(axis=1).tolist()
    assert (np.asarray(jax.jit(env.legal_actions)(state, params)) == info["action_mask"]).all()
    assert (np.asarray(mine["action_ids"]) == seen["action_ids"]).all()
    for actions, ids in zip(legal, seen["action_ids"], strict=True):
        assert np.diff(ids[: len(actions), 2]).tolist() == np.diff(actions).tolist()
        assert not ids[len(actions) :].any()


def test_actions_beyond_the_list_are_not_shown():
    rng = np.random.default_rng(0)
    said, ids = rng.random((NUM_ACTIONS, 2), np.float32), rng.integers(1, 99, (NUM_ACTIONS, 2), np.int32)
    actions = np.full((advice.LISTED,), NUM_ACTIONS, np.int32)
    actions[:2] = 7, 140
    seen = advice.listed(
        observation.nothing_seen() | {"actions": said, "action_ids": ids}, actions, Cards(DuelParams().tables)
    )
    assert (seen["actions"][:2, :2] == said[[7, 140]]).all()
    assert (seen["action_ids"][:2] == [[*ids[7], 7 + 3 * 2245], [*ids[140], 140 + 3 * 2245]]).all()
    assert not seen["actions"][2:].any()
    assert not seen["action_ids"][2:].any()


def place_of(view, action):
    """The place, own ones first, that an action is about; None if it is about none."""
    if PLAY <= action < ATTACH:
        target = (action - PLAY) % TARGETS
        return target - 1 if target else None
    begins = {FOSSIL: 0, STADIUM: None, ABILITY: 0, ATTACK: 4, RETREAT: 1, ATTACH: 0, 0: None}
    begin = next(number for number in begins if number <= action)
    if begin == ATTACK or begins[begin] is None:
        return begins[begin]
    return action - begin + begins[begin]


def test_what_is_told_of_an_action_is_how_the_pokemon_is_that_it_is_about():
    env = Duel(form=COMPILED_BY_XLA)
    vector, rng, about = ReferenceVectorEnv(1, env), np.random.default_rng(1), set()
    seen, _ = vector.reset(seed=5)
    for _ in range(400):
        (duel,) = vector.duels
        view, promotes = duel.reference.observation(duel.game, duel.seat), seen["question"][0, 0] == 3
        slots = [*view["me"]["slots"], *view["foe"]["slots"]]
        for entry, action in enumerate(duel.game.choice.options[: advice.LISTED]):
            told = seen["actions"][0, entry, 2:]
            place = place_of(view, action) if seen["question"][0, 0] == 2 else action - CHOICE if promotes else None
            if place is None or not slots[place]:
                assert not told[: 16 + matchups.WIDTH].any() or seen["question"][0, 0] > 3
            else:
                assert (told[:2] * 512).tolist() == [slots[place]["damage"], slots[place]["max_hp"]]
                assert told[2:11].sum() * 8 == sum(slots[place]["energy"])
                about.add((promotes, place))
        entry = int(rng.integers(len(duel.game.choice.options)))
        seen, *_ = vector.step(np.array([entry]))
    assert {(False, place) for place in range(5)} | {(True, 1)} <= about


def test_sets_hold_the_cards_of_what_they_are_named_after():
    duel = ReferenceDuel(Duel().default_params)
    duel.deal(3, 7)
    for _ in range(6):
        duel.step(duel.players.heuristic(duel.game, np.uint32(0)))
    seen, view = duel.observe(), duel.reference.observation(duel.game, duel.seat)
    sets = advice.in_sets(seen)
    rows = dict(zip(advice.SETS, sets["card_sets"], strict=True))
    assert sorted(rows["hand"][rows["hand"] > 0]) == sorted(card + 1 for card in view["hand"])
    assert sum((rows[name] > 0).sum() for name in ("hand", "deck", "discard")) > 10
    kept = sets["card_sets"].sum() + sets["cards"].sum(), sets["modifier_sets"].sum()
    assert kept == (seen["cards"].sum(), seen["modifiers"].sum())
    assert "modifiers" not in sets
