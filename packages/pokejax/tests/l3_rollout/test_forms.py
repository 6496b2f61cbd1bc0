"""L3: native steps against the same environment compiled by XLA, word by word."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.forms import compare_forms

pytestmark = [pytest.mark.l3, pytest.mark.slow, pytest.mark.timeout(1800)]
QUICK = DECLARATION.rollout_set("forms").quick


def test_native_steps_are_xla_s_word_by_word():
    found = compare_forms(**QUICK).comparisons["emitted, XLA"]
    assert found["failing"] == []
    assert (found["battles"], found["mismatches"], found["unfinished"]) == (QUICK["battles"], 0, 0)
    assert found["steps"] > 20 * QUICK["battles"]
