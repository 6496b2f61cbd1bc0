"""L2: situations in which one mechanic is seen, against live Showdown; without it the battle goes another way.

``POKEJAX_FORM=numpy`` runs the engine uncompiled, which for a few situations is ready much sooner.
"""

import copy
import functools
import os

import pytest

from pokejax.verification.battles import verify
from pokejax.verification.cases import load, record, without
from pokejax.verification.observations import verify_observations

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(900)]

CASES = load()
FORM = os.environ.get("POKEJAX_FORM", "native")
FIELDS = {"ability": "ability", "item": "item", "move": "moves"}


@pytest.fixture(scope="module")
def recordings(request):
    """Cases that are asked for, played by the reference, as ``(number of the case, recording)``."""
    asked = {item.callspec.params["number"] for item in request.session.items if "recordings" in item.fixturenames}
    numbers = sorted(asked)
    groups = record([CASES[number] for number in numbers], messages=True)
    return [(number, recording) for number, group in zip(numbers, groups, strict=True) for recording in group]


def differences(recordings, check):
    """First differences by case; all are played side by side."""
    found = {number: [] for number, _ in recordings}
    for place, decision, text in check([recording for _, recording in recordings]).mismatches:
        found[recordings[place][0]].append((decision, text))
    return found


@pytest.fixture(scope="module")
def differences_of_state(recordings):
    return differences(recordings, functools.partial(verify, form=FORM))


@pytest.fixture(scope="module")
def differences_of_sight(recordings):
    return differences(recordings, functools.partial(verify_observations, form=FORM))


every_case = pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{case.kind}-{case.name}" for case in CASES])


@every_case
def test_showdown_plays_it_alike(number, differences_of_state):
    assert not differences_of_state[number]


@every_case
def test_both_players_see_what_showdown_tells_them(number, differences_of_sight):
    assert not differences_of_sight[number]


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
