"""L3: battles of the environment as input logs: Showdown and this package play them alike; by instructions."""

import numpy as np
import pytest

from pokejax.input_log import parse
from pokejax.verification import DECLARATION, input_logs_out
from pokejax.verification.battles import CHUNK, play_logs
from pokejax.verification.input_logs import replay
from pokejax.verification.input_logs_out import played, verify_written
from pokejax.verification.rollouts import compare_input_logs_out, numbered
from pokejax.verification.view import snapshots
from rlenv_shared.errors import IllegalActionError
from rlenv_testing import deadlines

pytestmark = [pytest.mark.l3, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]

FORM = "bytecode"
QUICK = DECLARATION.rollout_set("input-logs-out").quick
SETTINGS = numbered("104000000:104000003", "attack")


@deadlines.once
def written():
    return played(SETTINGS, FORM)


def test_showdown_plays_every_decision_alike():
    found = compare_input_logs_out(**QUICK)
    assert sum(counts["battles"] for counts in found.comparisons.values()) == QUICK["battles"]
    for name, counts in found.comparisons.items():
        assert counts["failing"] == [], name
        assert counts["unfinished"] == 0
        assert counts["steps"] > 10 * counts["battles"]


def test_a_log_that_is_written_is_read_to_the_same_battle():
    logs = [parse(text) for text in written().logs]
    moments = written().moments
    for number, moment in enumerate(replay(logs, FORM)):
        assert moment.going == moments[number].going
        mine, other = _states(moment), _states(moments[number])
        for path in mine.keys() - {"high", "low", "legal"}:  # the log's numbers stand for the generator
            if not path.endswith("row"):  # of another pool
                assert [mine[path][n] for n in moment.going] == [other[path][n] for n in moment.going], path
    assert number == len(moments) - 1


def _states(moment):
    return snapshots(tuple(np.asarray(word) for word in moment.words), np.zeros(CHUNK))[0].columns


def test_a_choice_that_showdown_refuses_is_a_difference(monkeypatch):
    log = written().logs[0].splitlines()
    first = next(number for number, line in enumerate(log) if line.startswith(">p1 "))
    refused = "\n".join([*log[:first], ">p1 switch 1", *log[first + 1 :]])
    with pytest.raises(IllegalActionError, match=f"input log, line {first + 1}: "):
        play_logs([refused])
    cut = "\n".join(written().logs[1].splitlines()[:-4])
    given = input_logs_out.Written([refused, cut, written().logs[2]], written().moments)
    monkeypatch.setattr(input_logs_out, "played", lambda settings, form: given)
    outcome = verify_written(SETTINGS, FORM)
    told = {number: text for number, _, text in outcome.mismatches}
    assert sorted(told) == [0, 1]
    assert f"line {first + 1}" in told[0]
    assert "decisions here" in told[1]
