"""L2: what a situation says is what is played: what Showdown refuses is an error unless the situation declares it."""

import pytest

from pokejax.verification.cases import Case, numbered, record, spelled
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]

TRAPPER = "gothitelle @  / shadowtag / psychic, rest"
TRAPPED = "snorlax @  / thickfat / bodyslam, rest"


def case(*turns, own=TRAPPER, foe=TRAPPED):
    return Case("rule", "scripted", (own,), (foe,), turns, numbered(2), decisions=len(turns))


def played(*turns, **teams):
    return record([case(*turns, **teams)], include=("legal",))[0][0]["choices"]


@pytest.mark.parametrize(
    ("turns", "where", "said"),
    [
        ([("rest", "s2")], "turn 1, player 2: choice 's2'", "trapped"),
        ([("rest", "rest"), ("rest", "s2 | s3")], "turn 2, player 2: choice 's3'", "trapped"),
        ([("earthquake", "rest")], "turn 1, player 1: choice 'earthquake'", "doesn't have a move matching earthquake"),
        ([("rest", "3")], "turn 1, player 2: choice '3'", "doesn't have a move 3"),
        ([("s1", "rest")], "turn 1, player 1: choice 's1'", "active Pok"),
        ([("rest tera", "rest"), ("rest tera", "rest")], "turn 2, player 1: choice 'rest tera'", "Terastallize"),
    ],
    ids=["trapped", "trapped, and what stands in too", "unknown move", "unknown number", "stands there", "twice"],
)
def test_a_refusal_that_is_not_declared_is_an_error(turns, where, said):
    with pytest.raises(InvalidParamsError) as found:
        played(*turns)
    assert f"situation rule scripted, battle 0, {where}" in str(found.value)
    assert said in str(found.value)


def test_what_is_declared_stands_in():
    assert played(("rest", "s2 | rest")) == [["move 2", "move 2"]]


def test_what_is_declared_in_vain_is_an_error():
    with pytest.raises(InvalidParamsError, match=r"turn 1, player 2: 'bodyslam \| rest': got 'rest'"):
        played(("rest", "bodyslam | rest"))


def test_a_name_is_that_of_the_one_who_stands_there():
    """Not the number that its move has for the lead."""
    with pytest.raises(InvalidParamsError, match="turn 2, player 1: choice 'haze'"):
        played(("s2", "rest"), ("haze", "rest"), own="gengar @  / levitate / toxic, haze")


def test_spelling():
    assert spelled("s4", ()) == "switch 4"
    assert spelled("rest tera", ("haze", "rest")) == "move 2 terastallize"
    assert spelled("2", ("haze",)) == "move 2"
