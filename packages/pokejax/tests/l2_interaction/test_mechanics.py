"""L2: every move, ability and item that is played, in turns of its own against live Showdown."""

import numpy as np
import pytest

from pokejax.tables import NAMES
from pokejax.teams import constants, pool
from pokejax.verification.battles import composed_teams, scripted, verify
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

COLUMNS = {"move": "moves", "ability": "ability", "item": "item"}
DECISIONS = 6
ATTEMPTS = 5


def without_words(columns):
    return {key: column for key, column in columns.items() if not key.startswith("word")}


def packed_single(kind, name, rng):
    """A Pokémon of the pool that has it, packed; None if no shipped one does."""
    tables = reference("showdown", "tables")
    source = tables.load()
    found = {key: column[:, None] for key, column in without_words(pool()).items()}
    has = found[COLUMNS[kind]] == source.number(kind, name)
    rows = np.flatnonzero(has.reshape(len(has), -1).any(1))
    if not len(rows):
        return None
    row = int(rng.choice(rows))
    one = {key: np.repeat(column[row : row + 1], 6, 1) for key, column in found.items()}
    return tables.packed(source, one, 0).split("]")[0]


@pytest.mark.parametrize("kind", COLUMNS)
def test_what_is_listed_does_what_showdown_does(kind):
    rng = np.random.default_rng(5)
    left = [name for name in NAMES[kind][1:] if name != "struggle"]
    left = [name for name in left if packed_single(kind, name, rng)]
    for attempt in range(ATTEMPTS):  # a lead may fall before its first move
        leads = {name: packed_single(kind, name, rng) for name in left}
        recordings = led_by(kind, leads, rng, seed=9 + attempt)
        assert not verify(recordings, form="xla").mismatches
        done = zip(left, recordings, strict=True)
        left = [name for name, recording in done if kind == "move" and not was_used(recording, name)]
        if not left:
            break
    assert not left


def led_by(kind, leads, rng, seed):
    """Battles led by these Pokémon; one with a wanted move uses it whenever it can."""
    rest = composed_teams(2 * len(leads), seed)
    settings, wanted = [], []
    for n, (name, lead) in enumerate(leads.items()):
        own = "]".join([lead, *rest[2 * n].split("]")[1:]])
        settings.append({"seed": f"{n + 1:x}", "teams": [own, rest[2 * n + 1]]})
        moves = lead.split("|")[4].split(",")
        wanted.append(f"move {moves.index(name) + 1}" if kind == "move" else None)

    def choose(battle, side, accepted):
        if side == 0 and wanted[battle] in accepted:
            return wanted[battle]
        stays = [choice for choice in accepted if choice.startswith("move")]
        return str(rng.choice(stays or accepted))

    return scripted(settings, choose, [DECISIONS] * len(settings))


def was_used(recording, name):
    """Whether the lead spent power on the move at some time, or has others by Transform."""
    lead = [dict(view["core"]["sides"][0]["pokemon"][0]["moves"]) for view in recording["views"]]
    return any(name not in moves or moves[name] < lead[0][name] for moves in lead)


def test_shipped_constants_are_those_of_showdown():
    tables = reference("showdown", "tables")
    source = tables.load()
    chosen = np.arange(0, len(pool()["species"]), 97)[:60].reshape(-1, 6)
    columns = {key: column[chosen] for key, column in pool().items()}
    packed = [tables.packed(source, without_words(columns), n) for n in range(len(chosen))]
    settings = [{"seed": "1", "teams": list(pair)} for pair in zip(packed[::2], packed[1::2], strict=True)]
    described = [team for recording in scripted(settings, max, [0] * len(settings)) for team in recording["constants"]]
    for word, theirs in enumerate(constants(described)):
        np.testing.assert_array_equal(columns[f"word{word}"].reshape(-1), theirs)
