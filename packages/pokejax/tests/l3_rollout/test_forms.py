"""L3: native steps against the same environment in its other forms, word by word."""

import pytest

from pokejax.verification import DECLARATION
from pokejax.verification.forms import OTHERS, compare_forms

pytestmark = [pytest.mark.l3, pytest.mark.slow, pytest.mark.timeout(1800)]
QUICK = DECLARATION.rollout_set("forms").quick


@pytest.fixture(scope="module")
def found():
    return compare_forms(**QUICK)


@pytest.mark.parametrize("other", [pytest.param(name, id=form) for name, form in OTHERS.items()])
def test_native_steps_are_those_of_other_forms_word_by_word(found, other):
    counts = found.comparisons[other]
    assert counts["failing"] == []
    assert (counts["battles"], counts["mismatches"], counts["unfinished"]) == (QUICK["battles"], 0, 0)
    assert counts["steps"] > 20 * QUICK["battles"]
