"""Our generator against Showdown's own."""

from __future__ import annotations

import numpy as np
import pytest

from rlenv_shared import counter_rng, lcg64, sodium
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]

SEEDS = [0, 1, 2**32 - 1, 2**32, 2**63, 2**64 - 1, *(int(x) for x in np.random.default_rng(0).integers(2**63, size=58))]


def words_of(seeds, count):
    """[count, seeds] numbers of 32 bits, and the states after, from our generator."""
    state = tuple(np.array([lcg64.from_int(seed)[half] for seed in seeds], np.uint32) for half in (0, 1))
    drawn = []
    for _ in range(count):
        state = lcg64.advance(state)
        drawn.append(state[0])
    return np.array(drawn), [(int(high) << 32) + int(low) for high, low in zip(*state, strict=True)]


def test_words_and_states_agree(generator):
    answer = generator.request("words", seeds=[f"{seed:016x}" for seed in SEEDS], count=1000)
    words, states = words_of(SEEDS, 1000)
    np.testing.assert_array_equal(np.array(answer["words"], np.uint32).T, words)
    assert [int(text, 16) for text in answer["generators"]] == states


def test_draws_below_a_bound_agree(generator):
    bounds = [1, 2, 3, 16, 24, 100, 255, 65536, 2**31 + 11, 2**32 - 1]
    for seed in SEEDS[:8]:
        answer = generator.request("draw", seed=f"{seed:x}", calls=[["random", n] for n in bounds])
        state = lcg64.from_int(seed)
        for n, drawn in zip(bounds, answer["results"], strict=True):
            ours, state = lcg64.below(state, np.uint32(n))
            assert ours == drawn
        assert answer["draws"] == len(bounds)


SODIUM_SEEDS = [
    "0",
    "f" * 64,
    "0123456789ABCDEF" * 2,
    *(np.random.default_rng(1).bytes(k % 32 + 1).hex() for k in range(40)),
]


def test_the_default_generator_s_words_and_states_agree(generator):
    answer = generator.request("words", seeds=[f"sodium,{digits}" for digits in SODIUM_SEEDS], count=200)
    state = tuple(np.array([sodium.from_hex(digits) for digits in SODIUM_SEEDS]).T)
    for place in range(200):
        word, state = sodium.advance(state)
        np.testing.assert_array_equal([words[place] for words in answer["words"]], word)
    after = [f"sodium,{sodium.to_hex(key)}" for key in zip(*state, strict=True)]
    assert answer["generators"] == after


def test_the_default_generator_s_draws_below_a_bound_agree(generator):
    bounds = [1, 2, 3, 16, 24, 100, 255, 65536, 2**31 + 11, 2**32 - 1]
    answer = generator.request("draw", seed="sodium,abc", calls=[["random", n] for n in bounds])
    numbers = sodium.stream(sodium.from_hex("abc"), len(bounds))
    assert answer["results"] == counter_rng.mulhi(numbers, np.array(bounds, np.uint32)).tolist()
    assert answer["draws"] == len(bounds)


def test_ranges_chances_samples_and_shuffles_are_made_of_draws_below_a_bound(generator):
    calls = [["random", 85, 101], ["randomChance", 1, 1], ["sample", 20], ["shuffle", 5], ["shuffle", 6, 2, 5]]
    for seed in range(50):
        answer = generator.request("draw", seed=f"{seed:x}", calls=calls)
        state = lcg64.from_int(seed)

        def below(n):
            nonlocal state
            drawn, state = lcg64.below(state, np.uint32(n))
            return int(drawn)

        def shuffled(n, start, end):
            items = list(range(n))
            for place in range(start, end - 1):
                other = place + below(end - place)
                items[place], items[other] = items[other], items[place]
            return items

        ours = [85 + below(16), below(1) < 1, below(20), shuffled(5, 0, 5), shuffled(6, 2, 5)]
        assert answer["results"] == ours
        assert int(answer["generator"], 16) == (int(state[0]) << 32) + int(state[1])
        assert answer["draws"] == 3 + 4 + 2


def test_a_recording_of_draws_is_played_by_our_generator(generator):
    recording = generator.run_episodes([{"seed": "0x7", "actions": [100, 16, 24]}, {"seed": "ff", "actions": [3]}])
    assert recording.initial["rng"].tolist() == [7, 255]
    for column, bounds in enumerate(([100, 16, 24], [3])):
        state = lcg64.from_int((7, 255)[column])
        for t, n in enumerate(bounds):
            drawn, state = lcg64.below(state, np.uint32(n))
            assert recording.steps["state.drawn"][t, column] == drawn
            assert recording.steps["rng"][t, column] == (int(state[0]) << 32) + int(state[1])


def test_sorting_shuffles_blocks_of_equals_and_nothing_else(generator):
    keys = [{"order": 3}, {}, {"order": 3}, {"priority": 1}, {"speed": 7}, {"order": 3}]
    seen = set()
    for seed in range(60):
        answer = generator.request("speed_sort", seed=f"{seed:x}", handlers=keys)
        assert set(answer["order"][:3]) == {0, 2, 5}
        assert answer["order"][3:] == [3, 4, 1]  # by priority, then speed
        assert answer["draws"] == 2
        seen.add(tuple(answer["order"][:3]))
    assert len(seen) == 6


@pytest.mark.parametrize(
    "seed", ["", "0x", "12345678901234567", "gen5,0", "sodium,", "sodium,0x1", "sodium," + "0" * 65, 5, None]
)
def test_a_seed_that_is_none_is_refused(generator, seed):
    with pytest.raises(InvalidParamsError, match="expected a string of up to 16 hexadecimal digits"):
        generator.request("draw", seed=seed, calls=[])


def test_a_call_that_does_not_exist_is_refused(generator):
    with pytest.raises(InvalidParamsError, match="expected one of next, random"):
        generator.request("draw", seed="1", calls=[["setSeed", 1]])
