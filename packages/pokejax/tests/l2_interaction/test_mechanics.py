"""L2: every move, ability and item that is played, in turns of its own against live Showdown."""

import numpy as np
import pytest

from pokejax.tables import NAMES
from pokejax.teams import constants, described_pool, pool
from pokejax.verification.battles import scripted, verify
from pokejax.verification.leads import led_by, single, was_used
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

ATTEMPTS = 5


@pytest.mark.parametrize("form", ["native", pytest.param("xla", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["move", "ability", "item"])
def test_what_is_listed_does_what_showdown_does(kind, form):
    """XLA takes four minutes and 2.5 GiB to compile its form; `verify forms` plays whole battles by it."""
    rng = np.random.default_rng(5)
    left = [name for name in dict.fromkeys(NAMES[kind][1:]) if name != "struggle"]
    left = [name for name in left if single(kind, name, rng)]
    for attempt in range(ATTEMPTS):  # a lead may fall before its first move
        packed = {(kind, name): single(kind, name, rng) for name in left}
        recordings = led_by(packed, rng, seed=9 + attempt)
        assert not verify(recordings, form=form).mismatches
        done = zip(left, recordings, strict=True)
        left = [name for name, recording in done if kind == "move" and not was_used(recording, name)]
        if not left:
            break
    assert not left


def test_shipped_constants_are_those_of_showdown():
    tables = reference("showdown", "tables")
    source = tables.load()
    chosen = np.arange(0, len(pool()["species"]), 97)[:60].reshape(-1, 6)
    columns = {key: column[chosen] for key, column in pool().items()}
    bare = {key: columns[key] for key in described_pool()}
    packed = [tables.packed(source, bare, n) for n in range(len(chosen))]
    settings = [{"seed": "1", "teams": list(pair)} for pair in zip(packed[::2], packed[1::2], strict=True)]
    described = [team for recording in scripted(settings, max, [0] * len(settings)) for team in recording["constants"]]
    for word, theirs in enumerate(constants(described)):
        np.testing.assert_array_equal(columns[f"word{word}"].reshape(-1), theirs)
