"""L2: situations in which one mechanic is seen, against live Showdown; without it the battle goes another way."""

import copy

import pytest

from pokejax.verification.battles import verify
from pokejax.verification.cases import load, record, without

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(900)]

CASES = load()
FIELDS = {"ability": "ability", "item": "item", "move": "moves"}


@pytest.fixture(scope="module")
def differences(request):
    """First differences by case, of the cases that are asked for; all are played side by side."""
    asked = {item.callspec.params["number"] for item in request.session.items if "differences" in item.fixturenames}
    numbers = sorted(asked)
    groups = record([CASES[number] for number in numbers])
    flat = [(number, recording) for number, group in zip(numbers, groups, strict=True) for recording in group]
    found = {number: [] for number in numbers}
    for place, decision, text in verify([recording for _, recording in flat], interpreted=True).mismatches:
        found[flat[place][0]].append((decision, text))
    return found


@pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{case.kind}-{case.name}" for case in CASES])
def test_showdown_plays_it_alike(number, differences):
    assert not differences[number]


def test_each_mechanic_is_seen():
    seen = [case for case in CASES if case.kind != "rule"]
    pairs = zip(seen, record(seen), record([without(case) for case in seen]), strict=True)
    assert not [
        f"{case.kind} {case.name}"
        for case, with_it, without_it in pairs
        if all(course(one, case) == course(other, case) for one, other in zip(with_it, without_it, strict=True))
    ]


def course(recording, case):
    """A battle's core states without the names of what is looked at."""
    found = []
    for view in recording["views"]:
        core = copy.deepcopy(view["core"])
        for pokemon in (p for side in core["sides"] for p in side["pokemon"]):
            pokemon[FIELDS[case.kind]] = None
        found.append(core)
    return found
