"""L3: battles by Showdown's default generator, played from Showdown's own input logs; by instructions."""

import pytest

from pokejax.input_log import parse
from pokejax.verification import DECLARATION
from pokejax.verification.battles import play
from pokejax.verification.input_logs import replay, verify_logs
from pokejax.verification.rollouts import compare_input_logs
from pokejax.verification.watching import log_lines
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing import deadlines

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

FORM = "bytecode"
QUICK = DECLARATION.rollout_set("input-logs").quick


def test_every_decision_of_logs_agrees():
    for name, found in compare_input_logs(**QUICK).comparisons.items():
        assert found["failing"] == [], name
        assert (found["battles"], found["unfinished"]) == (QUICK["battles"] // 2, 0)
        assert found["steps"] > 10 * found["battles"]


@deadlines.once
def recorded():
    (recording,) = play([{"episode": "9600100", "policy": "uniform", "seed": "sodium,abc"}], input_log=True)
    return recording


def test_a_longer_list_of_numbers_is_gone_on_with(monkeypatch):
    assert recorded()["views"][-1]["draws"] > 100
    monkeypatch.setattr("pokejax.verification.input_logs.DRAWS", 64)
    monkeypatch.setattr("pokejax.verification.input_logs.OF_A_DECISION", 60)
    assert verify_logs([recorded()], FORM).mismatches == []


def test_a_log_that_is_cut_off_is_played_to_its_last_line():
    text = recorded()["input_log"]
    whole = sum(1 for _ in replay([parse(text)], FORM))
    assert whole == len(recorded()["views"])
    cut = text.splitlines()[:24]
    assert 3 < sum(1 for _ in replay([parse("\n".join(cut))], FORM)) < whole
    assert list(log_lines("\n".join([*cut, ">forcewin p1"])))[-1] == "the log ends here: forcewin p1"
    assert list(log_lines(text))[-1] in ("player 0 has won", "player 1 has won", "a tie")


def test_a_choice_that_is_not_legal_there_is_refused_with_its_line():
    lines = recorded()["input_log"].splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(">p1 "))
    for words in ("move splash", "switch 1", "move 5", "move", "team 1", ""):
        changed = [*lines[:first], f">p1 {words}", *lines[first + 1 :]]
        with pytest.raises(
            InvalidParamsError, match=f"line {first + 1}: player 1: got .*expected a choice that is legal"
        ):
            list(replay([parse("\n".join(changed))], FORM))
