"""L2: situations in which one mechanic is seen, against live Showdown; without it the battle goes another way."""

import copy

import pytest

from pokejax.verification.battles import verify
from pokejax.verification.cases import load, record, without

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(900)]

CASES = load()


@pytest.fixture(scope="module")
def played():
    """Recordings of all cases, and the first difference in each, by name."""
    groups = record(CASES)
    flat = [(n, recording) for n, group in enumerate(groups) for recording in group]
    differences = {}
    for number, decision, text in verify([recording for _, recording in flat], interpreted=True).mismatches:
        differences.setdefault(flat[number][0], []).append((decision, text))
    return differences


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{case.kind} {case.name}" for case in CASES])
def test_showdown_plays_it_alike(number, played):
    assert not played.get(number, [])


def test_each_mechanic_is_seen():
    seen = [case for case in CASES if case.kind != "rule"]
    if not seen:
        pytest.skip("only rules")
    pairs = zip(seen, record(seen), record([without(case) for case in seen]), strict=True)
    unseen = [
        f"{case.kind} {case.name}"
        for case, with_it, without_it in pairs
        if all(course(one, case) == course(other, case) for one, other in zip(with_it, without_it, strict=True))
    ]
    assert not unseen


def course(recording, case):
    """A battle's core states without the names of what is looked at."""
    found = []
    for view in recording["views"]:
        core = copy.deepcopy(view["core"])
        for pokemon in (p for side in core["sides"] for p in side["pokemon"]):
            for field in {"ability": ["ability"], "item": ["item"], "move": ["moves"]}[case.kind]:
                pokemon[field] = None
        found.append(core)
    return found
