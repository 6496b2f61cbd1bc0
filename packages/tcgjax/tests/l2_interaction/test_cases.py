"""The reference's scripted positions, played in both engines: after every action both agree in everything."""

from __future__ import annotations

import pytest
from references.tcg_engine import adapter

from tcgjax.verification.cases import compare

pytestmark = [pytest.mark.l2, pytest.mark.timeout(1800), pytest.mark.reference("tcg_engine")]


LEAST = {"abilities": 150, "attacks": 150, "special": 150, "trainers": 150, "rulings": 40}


@pytest.mark.parametrize("name", LEAST)
def test_scripted_positions_have_the_reference_s_outcome(name):
    cases = adapter.cases()[name]
    found = compare(cases, adapter.engine(), adapter.part("position"), form="instructions")
    assert not found, f"{len(found)} of {len(cases)} differ: {dict(list(found.items())[:5])}"
    assert len(cases) > LEAST[name]
