"""The minimiser, on differences that we make up."""

from __future__ import annotations

import dataclasses

import pytest
from references.showdown.minimise import Case, from_recording, minimise

from rlenv_shared.errors import EnvError, InvalidParamsError


def mon(name, *moves, item="Leftovers"):
    return f"{name}||{item}|Ability|{','.join(moves)}||85,85,85,85,85,85|M|||80|,,,,,Water"


CASE = Case(
    seed="00000000000000ff",
    teams=("]".join(mon(name, "tackle", "roar") for name in "ABC"), "]".join(mon(name, "surf") for name in "XYZ")),
    choices=tuple((f"move {1 + t % 2}", "switch #3" if t == 11 else "move 1") for t in range(40)),
)


@pytest.mark.l1
def test_only_the_decisions_that_matter_are_kept():
    wanted = [CASE.choices[3], CASE.choices[11], CASE.choices[20]]

    def diverges(case):
        left = iter(case.choices)
        return all(pair in left for pair in wanted)  # as a subsequence

    smallest = minimise(CASE, diverges)
    assert list(smallest.choices) == wanted
    assert diverges(smallest)


@pytest.mark.l1
def test_teams_shrink_to_what_the_difference_needs():
    def diverges(case):
        """Z comes in while B, who still knows Roar, is there."""
        foes = [member[0] for member in case.teams[1].split("]")]
        comes = any(pair[1] == f"switch #{foes.index('Z') + 1}" for pair in case.choices) if "Z" in foes else False
        return comes and any(member[0] == "B" and "roar" in member for member in case.teams[0].split("]"))

    smallest = minimise(CASE, diverges)
    assert smallest.teams == (mon("B", "roar", item=""), mon("Z", "surf", item=""))
    assert smallest.choices == ((CASE.choices[11][0], "switch #1"),)


@pytest.mark.l1
def test_a_case_that_agrees_is_refused():
    with pytest.raises(InvalidParamsError, match="expected a case that diverges"):
        minimise(CASE, lambda case: False)


@pytest.mark.l1
def test_a_case_without_decisions_can_be_minimal():
    assert minimise(CASE, lambda case: True).choices == ()


@pytest.mark.l2
@pytest.mark.reference("showdown")
def test_a_real_battle_is_cut_down_to_the_turn_that_shows_it(driver):
    played = driver.request("play", episodes=[{"episode": "0"}], include=["core"])[0]
    case = from_recording(played)

    def shows(case, text="[from] item: Leftovers"):
        try:
            again = driver.request("play", episodes=[case.as_episode()], include=[], messages=True)[0]
        except EnvError:
            return False
        return any(text in line for view in again["views"] for line in view["messages"]["omniscient"])

    smallest = minimise(case, shows)
    assert shows(smallest)
    assert len(smallest.choices) < len(case.choices) // 4
    assert sum(map(len, smallest.teams)) < sum(map(len, case.teams)) * 3 // 4
    assert not shows(dataclasses.replace(smallest, choices=smallest.choices[:-1]))
