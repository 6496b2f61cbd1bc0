"""L2: situations in which one mechanic is seen, against live Showdown; without it the battle goes another way.

``POKEJAX_FORM=numpy`` runs the engine uncompiled, which for a few situations is ready much sooner.
"""

import collections
import itertools
import os

import pytest

from pokejax.verification.battles import Outcome, verify
from pokejax.verification.cases import load, record, without
from pokejax.verification.observations import verify_observations

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(900)]

CASES = load()
FORM = os.environ.get("POKEJAX_FORM", "native")
FIELDS = {"ability": "ability", "item": "item", "move": "moves"}


@pytest.fixture(scope="module")
def recordings(request):
    """Recordings by the reference of the cases that are asked for, by their numbers."""
    items = [item for item in request.session.items if "recordings" in item.fixturenames]
    if all(hasattr(item, "callspec") for item in items):
        numbers = sorted({item.callspec.params["number"] for item in items})
    else:  # a test of all
        numbers = range(len(CASES))
    groups = record([CASES[number] for number in numbers], messages=True)
    return dict(zip(numbers, groups, strict=True))


@pytest.fixture(scope="module")
def found(request, recordings):
    """What comes of comparing states, and observations where they are asked for: all cases are played side by side."""
    battles = [recording for group in recordings.values() for recording in group]
    if not any("differences_of_sight" in item.fixturenames for item in request.session.items):
        return verify(battles, form=FORM), None
    states = Outcome()
    return states, verify_observations(battles, form=FORM, states=states)


def by_case(recordings, outcome):
    """First differences by case."""
    owners = [number for number, group in recordings.items() for _ in group]
    differences = {number: [] for number in recordings}
    for place, decision, text in outcome.mismatches:
        differences[owners[place]].append((decision, text))
    return differences


@pytest.fixture(scope="module")
def differences_of_state(recordings, found):
    return by_case(recordings, found[0])


@pytest.fixture(scope="module")
def differences_of_sight(recordings, found):
    return by_case(recordings, found[1])


every_case = pytest.mark.parametrize("number", range(len(CASES)), ids=[f"{case.kind}-{case.name}" for case in CASES])


@every_case
def test_showdown_plays_it_alike(number, differences_of_state):
    assert not differences_of_state[number]


@every_case
def test_both_players_see_what_showdown_tells_them(number, differences_of_sight):
    assert not differences_of_sight[number]


def test_what_stands_beside_does_not_matter(recordings):
    """Native steps carry out a rule for a whole group of battles where one of them needs it."""
    beside = itertools.zip_longest(*recordings.values())
    assert not verify([recording for row in beside for recording in row if recording is not None]).mismatches


def test_each_mechanic_is_seen(recordings):
    """Without it, some battle goes another way: its states are others, but for the name of what is looked at."""
    cases = {number: case for number, case in enumerate(CASES) if case.kind != "rule"}
    numbers, seen, decisions = list(cases), set(), collections.Counter()

    def another_way(place, seed, view):
        number = numbers[place]
        field, views = FIELDS[cases[number].kind], recordings[number][seed]["views"]
        at = decisions[place, seed]
        decisions[place, seed] += 1
        if at >= len(views) or nameless(views[at]["core"], field) != nameless(view["core"], field):
            seen.add(number)
        return number in seen

    record([without(case) for case in cases.values()], include=("core", "legal"), enough=another_way)
    assert not [f"{case.kind} {case.name}" for number, case in cases.items() if number not in seen]


def nameless(core, field):
    """A core state in which no Pokémon has this field."""
    sides = [{**side, "pokemon": [{**pokemon, field: None} for pokemon in side["pokemon"]]} for side in core["sides"]]
    return {**core, "sides": sides}
