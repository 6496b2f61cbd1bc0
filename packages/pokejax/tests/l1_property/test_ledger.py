"""L1: what the ledger takes out of the tables is one effect and nothing else."""

import numpy as np
import pytest

from pokejax import rows
from pokejax.pools import composed
from pokejax.tables import NAMES, params, separated, stride
from pokejax.verification.ledger import COMMON_STAT, Effect, without

pytestmark = pytest.mark.l1

FIELDS = ("moves", "abilities", "items", "modifiers", "pokemon")
WORDS = {
    "moves": stride(rows.MOVE),
    "abilities": stride(rows.ABILITY),
    "items": stride(rows.ITEM),
    "modifiers": stride(rows.MODIFIER) * len(rows.EVENTS) * rows.ROWS_PER_EVENT,
}


@pytest.fixture(scope="module")
def whole():
    return params(composed(8, 3))


def changed(whole, effect):
    """By table, the numbers of the entries that are others without the effect."""
    found = without(effect)(whole)
    pairs = {name: (getattr(whole, name).reshape(-1, words), getattr(found, name)) for name, words in WORDS.items()}
    assert (np.array(found.pokemon) == np.array(whole.pokemon)).all()
    return {
        name: np.flatnonzero((before != after.reshape(before.shape)).any(1)).tolist()
        for name, (before, after) in pairs.items()
        if (before != after.reshape(before.shape)).any()
    }


@pytest.mark.parametrize(
    ("kind", "name", "table", "multiplies"),
    [
        ("move", "surf", "moves", False),
        ("ability", "overgrow", "abilities", True),
        ("item", "leftovers", "items", False),
    ],
)
def test_one_row_is_emptied(whole, kind, name, table, multiplies):
    number = NAMES[kind].index(name)
    found = changed(whole, Effect(kind, name))
    assert found.get("modifiers", []) == ([number] if multiplies else [])
    assert found.get(table, [number]) == [number]  # Overgrow has no field of its own
    assert set(found) <= {table, "modifiers"}


def test_what_an_item_multiplies_lies_behind_that_of_the_abilities(whole):
    found = changed(whole, Effect("item", "lifeorb"))
    assert found["items"] == [NAMES["item"].index("lifeorb")]
    assert found["modifiers"] == [NAMES["item"].index("lifeorb") + len(NAMES["ability"])]


def test_a_forme_becomes_a_common_one_wherever_it_is(whole):
    before = rows.POKEMON.view(separated(rows.POKEMON, np.array(whole.pokemon)))
    name = NAMES["species"][int(before.species[0])]
    after = rows.POKEMON.view(separated(rows.POKEMON, np.array(without(Effect("species", name))(whole).pokemon)))
    is_it = before.species == before.species[0]
    assert (after.atk[is_it] == COMMON_STAT).all()
    for field in ("atk", "type1", "weight", "max_hp", "level"):
        assert (getattr(after, field)[~is_it] == getattr(before, field)[~is_it]).all()
    assert (after.max_hp == before.max_hp).all()
