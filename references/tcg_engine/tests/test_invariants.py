"""Laws that hold after every decision of any game."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from references.tcg_engine.tests.play import game

from tcg_engine import clone, decks, full, legal_mask, new_game, observation, step, table
from tcg_engine.game import advance
from tcg_engine.players import POLICIES
from tcg_engine.rng import Random, Stream


def random_deck(generator: random.Random) -> decks.Deck:
    """Twenty cards of the whole table with their lines of evolution."""
    cards = table()
    by_name: dict[int, list] = {}
    for card in cards.cards:
        by_name.setdefault(card.name, []).append(card)
    while True:
        chosen: list = []
        while len(chosen) < 20:
            line = [generator.choice(cards.cards)]
            while line[-1].evolves_from and line[-1].evolves_from in by_name:
                line.append(generator.choice(by_name[line[-1].evolves_from]))
            for card in line * generator.choice((1, 2)):
                if sum(other.name == card.name for other in chosen) < 2 and len(chosen) < 20:
                    chosen.append(card)
        if any(card.is_pokemon and card.stage == 0 for card in chosen):
            letters = sorted({"GRWLPFDM"[k] for c in chosen for a in c.attacks for k in range(8) if a.cost[k]})[:3]
            return decks.build([(card.id, 1) for card in chosen], "".join(letters) or "G")


def check(played) -> None:
    """The laws."""
    for player, side in enumerate(played.players):
        cards = [*side.deck, *side.hand, *side.discard]
        cards += [card for pokemon in played.board(player) for card in (*pokemon.cards, *pokemon.tools)]
        if played.stadium >= 0 and played.stadium // 20 == player:
            cards.append(played.stadium)
        for frame in played.stack:
            if getattr(frame, "played", False) and frame.card // 20 == player:
                cards.append(frame.card)
            if getattr(frame, "pile", None) and frame.rows(played)[frame.pc].op in (107, 108):
                cards += [card for card in frame.pile if card // 20 == player]
        assert sorted(cards) == list(range(20 * player, 20 * player + 20))
        for kind in range(9):
            there = sum(pokemon.energy[kind] for pokemon in played.board(player)) + side.discard_energy[kind]
            assert there == side.energy_made[kind]
        assert all(count >= 0 for pokemon in played.board(player) for count in pokemon.energy)
        assert all(pokemon.damage >= 0 and pokemon.damage % 10 == 0 for pokemon in played.board(player))
        assert len(side.hand) <= 10
        for pokemon in played.bench(player):
            assert (pokemon.poison, pokemon.burned, pokemon.stupor) == (0, False, 0)
    if played.winner < 0:
        assert played.choice is not None
        assert len(played.choice.options) > 1 or played.choice.what == "your turn"
        assert sorted(set(played.choice.options)) == played.choice.options
        assert 0 <= played.choice.options[0] <= played.choice.options[-1] < 144
    assert any(legal_mask(played))


@settings(max_examples=12, deadline=None)
@example(906)  # in which a Type: Null is knocked out
@given(st.integers(0, 2**32 - 1))
def test_conservation_in_random_games(seed):
    generator = random.Random(seed)
    played = new_game(random_deck(generator), random_deck(generator), seed)
    lost = [0, 0]
    while played.choice is not None:
        policy = POLICIES[generator.choice(("random", "heuristic"))]
        before = len(played.log)
        step(played, policy(played, generator))
        for line in played.log[before:]:
            if "is Knocked Out:" in line:
                owner = int(line.split(" of player ")[1].split()[0])
                lost[1 - owner] += int(line.split("is Knocked Out: ")[1].split()[0])
        check(played)
    assert [side.points for side in played.players] == lost
    assert played.winner in (0, 1, 2)


@pytest.mark.parametrize("seed", range(3))
def test_a_seed_and_its_actions_make_one_game(seed):
    first, second = game(seed), game(seed)
    generator = random.Random(seed)
    while first.choice is not None:
        action = generator.choice(first.choice.options)
        step(first, action)
        step(second, action)
        assert full(first) == full(second)
        assert [observation(first, p) for p in (0, 1)] == [observation(second, p) for p in (0, 1)]


def test_a_clone_is_independent():
    played = game(5)
    before = full(played)
    copy = clone(played)
    for _ in range(10):
        step(copy, copy.choice.options[-1])
    assert full(played) == before


def test_the_heuristic_beats_random_play():
    wins = 0
    for seed in range(20):
        played, generator = game(seed), random.Random(seed)
        while played.choice is not None:
            name = "heuristic" if played.choice.actor == seed % 2 else "random"
            step(played, POLICIES[name](played, generator))
        wins += played.winner == seed % 2
    assert wins >= 16


def test_streams_are_the_shared_counter_generator():
    np = pytest.importorskip("numpy")
    from rlenv_shared import counter_rng

    seeds = [0, 1, 2**32 - 1, 0x123456789ABCDEF0]
    for seed in seeds:
        ours = Random.from_seed(seed)
        low, high = (np.array([seed >> shift & 0xFFFFFFFF], np.uint32) for shift in (0, 32))
        key0, key1, _ = counter_rng.from_words(low, high)
        assert (ours.key0, ours.key1) == (int(key0[0]), int(key1[0]))
        for stream in Stream:
            for draw in range(5):
                counter = np.array([(int(stream) << 28) + draw], np.uint32)
                word, _ = counter_rng.bits((key0, key1, counter))
                n = 7
                index, _ = counter_rng.below((key0, key1, counter), n)
                assert ours.word(stream) == int(word[0])
                assert ours.below(stream, n) == int(index[0])


def test_advance_does_nothing_after_the_end():
    played = game(1)
    played.winner, played.choice = 2, None
    advance(played)
    assert all(legal_mask(played))
