"""Observations and actions as text: what is said is what is observed, and words come back as the actions they name."""

import jax
import numpy as np
import pytest

from pokejax import text
from pokejax.observation import places
from pokejax.tables import NAMES
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

EVERY = 6


@pytest.fixture(scope="module")
def seen(played):
    """``(observation, mask)`` of both players of some battles at some decisions."""
    found = []
    for number in range(1, len(played.masks), EVERY):
        observed = jax.tree.map(np.asarray, played.run.observe(played.words[number], played.params))
        for n in range(0, len(played.masks[number]), EVERY):
            for player in (0, 1):
                one = {name: array[n, player] for name, array in observed.items()}
                found.append((one, played.masks[number][n, player]))
    return found


def test_actions_come_back_from_their_words(seen):
    kinds = set()
    for observation, mask in seen:
        words = text.actions(observation, mask)
        assert sorted(words) == np.flatnonzero(mask).tolist()
        assert len(set(words.values())) == len(words)
        for number, said in words.items():
            assert text.parse_action(said, observation, mask) == number
            assert text.parse_action(f"/choose {said.upper()} ", observation, mask) == number
            kinds.add((said.split()[0], "terastallize" in said, text.ONLY_MOVE in said))
    assert len(kinds) == 5  # moves, with Terastallizing, the only move, switches, pass


def test_numbers_or_names_suffice(seen):
    observation, mask = next((one, mask) for one, mask in seen if mask[:8].all() and mask[8:14].any())
    words = text.actions(observation, mask)
    switch = next(number for number in words if 8 <= number < 14)
    name = words[1].split(": ")[1]
    assert text.parse_action("move 2", observation, mask) == 1
    assert text.parse_action(f"Move {name.title()} terastallize", observation, mask) == 5
    assert text.parse_action(f"move {name} and terastallize", observation, mask) == 5
    assert text.parse_action(f"switch {switch - 7}", observation, mask) == switch


@pytest.mark.parametrize(
    "said", ["", "move", "switch", "move 9", "move splash", "thunderbolt", "pass", "move 1: splash", "forfeit"]
)
def test_what_is_no_legal_action_is_refused_with_those_that_are(seen, said):
    observation, mask = next((one, mask) for one, mask in seen if mask[:4].all())
    with pytest.raises(InvalidParamsError, match="'move 1: ") as refusal:
        text.parse_action(said, observation, mask)
    assert all(words in str(refusal.value) for words in text.actions(observation, mask).values())


def test_a_description_has_what_is_observed(seen):
    where = places()
    for observation, _ in seen:
        lines = text.describe(observation).splitlines()
        own = [observation["ids"][where[f"own.pokemon[{k}].species"][1]][0] for k in range(6)]
        told = [observation["numbers"][where[f"foe.pokemon[{k}].seen"][1]][0] for k in range(6)]
        assert len(lines) == 3 + sum(number > 0 for number in own) + int(sum(told))
        for k, number in enumerate(own):
            assert lines[2 + k].startswith(f"  {k + 1}. {NAMES['species'][number]}")
    both = "\n".join(text.describe(observation) for observation, _ in seen)
    assert all(words in both for words in ("on the field", "fainted", "Stealth Rock", "PP)", "+", "tera type"))
    assert text.stats(seen[0][0], 0)["hp"] > 100
