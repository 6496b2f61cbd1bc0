"""L2: the order of handlers at the end of a turn, and the shuffles of equals, against Showdown's own ``speedSort``."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

from pokejax.battle import Battle
from pokejax.rules.flow.sorting import UNORDERED, Kind, sort
from pokejax.state import LAYOUT
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]

NAMES = ("late", "one", "other", "timed", "early", "of a side", "middle")
RANKS = (10, 5, 5, UNORDERED, 1, 3, 7)
OF_SIDE = NAMES.index("of a side")
LAST = 7
CASES = 3000
SPEEDS = {"tied": (50, 50), "first": (60, 50), "second": (50, 60)}


def one(held, high, low, tied, second_faster):
    """The order, and the generator after it; ``held`` is bool ``[2, kinds]``."""
    view = LAYOUT.view((np.uint32(0),) * LAYOUT.num_words)
    view.high, view.low = high, low
    b = Battle(view.words(), SimpleNamespace(numbers=None))
    kinds = [
        Kind(name, rank, (held[0, k], held[1, k]), k == OF_SIDE)
        for k, (name, rank) in enumerate(zip(NAMES, RANKS, strict=True))
    ]
    order = sort(b, kinds, tied, second_faster, LAST)
    return order, (b.view.high, b.view.low, b.view.draws)


def handlers_of(held, speeds):
    """What Showdown sorts: those of the first Pokémon, then those of the second; and whose each is."""
    owners = [(n, k) for n in (0, 1) for k in range(len(NAMES)) if held[n, k]]
    sorted_by = [
        ({"order": RANKS[k]} if RANKS[k] < UNORDERED else {}) | ({} if k == OF_SIDE else {"speed": speeds[n]})
        for n, k in owners
    ]
    return owners, sorted_by


def cases():
    rng = np.random.default_rng(5)
    held = rng.random((CASES, 2, len(NAMES))) < rng.random((CASES, 1, 1))
    timed = NAMES.index("timed")
    held[:, 1, timed] &= ~held[:, 0, timed]  # two of these are shuffled elsewhere
    faster = rng.choice(list(SPEEDS), CASES, p=(0.6, 0.2, 0.2))
    return held, rng.integers(2**32, size=(2, CASES), dtype=np.uint32), faster


def test_the_order_and_its_shuffles_are_showdown_s():
    held, (high, low), faster = cases()
    ours, generators = jax.jit(jax.vmap(one))(held, high, low, faster == "tied", faster == "second")
    ours = jax.tree.map(np.asarray, ours)
    drawn = dict.fromkeys(range(2, 9), 0)  # shuffles by how many handlers were sorted
    with reference("showdown").generator() as generator:
        for n in range(CASES):
            owners, handlers = handlers_of(held[n], SPEEDS[faster[n]])
            seed = f"{high[n]:08x}{low[n]:08x}"
            theirs = generator.request("speed_sort", seed=seed, handlers=handlers)
            after = [int(word[n]) for word in generators]
            assert (f"{after[0]:08x}{after[1]:08x}", after[2]) == (theirs["generator"], theirs["draws"]), (n, owners)
            drawn[len(owners)] = drawn.get(len(owners), 0) + theirs["draws"]
            places = {owners[index]: place for place, index in enumerate(theirs["order"])}
            for k, name in enumerate(NAMES):
                if name in ("early", "middle") and held[n, :, k].all():  # nothing asks which side's comes first
                    assert ours[name][n] == (places[1, k] < places[0, k]), (n, name, owners)
            pair = NAMES.index("one"), NAMES.index("other")
            in_order = [2 * p + pair.index(k) for p, k in sorted(owners, key=places.get) if k in pair]
            assert ours["one"][n].tolist() == in_order + [-1] * (4 - len(in_order)), (n, owners)
    assert min(drawn[length] for length in range(2, 9)) > 5
