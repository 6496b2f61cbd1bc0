"""L1: a person plays in the terminal: in a file of its own, because its programs need memory that others have used."""

import numpy as np
import pytest

from pokejax.terminal import RESULTS, play_against
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]


def test_a_person_plays_in_the_terminal(capsys):
    said, rng = [], np.random.default_rng(3)

    def answer(prompt):
        lines = capsys.readouterr().out.splitlines()
        said.append(lines)
        numbered = [line.split(": ", 1) for line in lines if line.startswith("  ")]
        options = {words[0].strip(): words[1] for words in numbered if words[0].strip().isdigit()}
        if len(said) == 1:
            return "surrender"  # is refused, and asked again
        if not options:  # after a refusal
            return "1"
        number = rng.choice(list(options))
        return number if len(said) % 2 else options[number]

    assert play_against("heuristics", 1, answer) in RESULTS.values()
    assert any("the opponent: " in line for line in said[0])
    assert "action: got 'surrender'" in said[1][0]
    assert len(said) > 10
    with pytest.raises(InvalidParamsError, match="opponent"):
        play_against("nobody", 1, answer)
