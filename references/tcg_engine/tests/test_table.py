"""The committed table and its vocabulary."""

from __future__ import annotations

import hashlib
import json
from importlib import resources

import pytest

from tcg_engine import codes, listing, table
from tcg_engine import ops as _bodies
from tcg_engine.cards import load
from tcg_engine.codes import Duration, Fact, Kind, Op, Scope, State, Who, Zone
from tcg_engine.effects import BODIES

ROWS = [row for program in table().programs for row in program]
TIMED = (Op.TIMED, Op.TIMED_PLAYER, Op.LOCK_ATTACK)
assert _bodies


def test_the_file_is_the_one_of_the_manifest():
    folder = resources.files("tcg_engine") / "data"
    manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    text = (folder / "cards.json").read_text(encoding="utf-8")
    assert hashlib.sha256(text.encode()).hexdigest() == manifest["sha256"] == table().sha256
    assert (len(table().cards), len(table().printings)) == (manifest["cards"], manifest["printings"]) == (2244, 3761)
    assert load(json.loads(text)) == table()


def test_every_number_of_the_vocabulary_is_used_and_has_a_meaning():
    used = {
        Op: {row.op for row in ROWS},
        State: {row.state for row in ROWS} | {n for m in table().modifiers for n in (m.state, m.need_state)},
        Kind: {modifier.kind for modifier in table().modifiers[1:]},
        Fact: {row.arg for row in ROWS if row.op == Op.COUNT_FACT},
        Zone: {row.arg for row in ROWS if row.op == Op.COUNT_CARDS},
        Scope: {modifier.scope for modifier in table().modifiers},
        Duration: {row.amount for row in ROWS if row.op in TIMED},
    }
    for kind, numbers in used.items():
        assert set(kind) == numbers, kind
    assert {row.who for row in ROWS} <= set(Who)
    assert set(BODIES) == set(Op) - {Op.REQUIRE}


def test_programs_refer_to_what_exists():
    for row in ROWS:
        assert 0 <= row.filter < len(table().filters)
        assert row.op not in TIMED or 0 < row.arg < len(table().modifiers)
        assert 0 <= row.types <= codes.ANY_ENERGY or row.op == Op.COUNT_FACT
    for modifier in table().modifiers:
        named = modifier.kind in (Kind.DAMAGE_OUT, Kind.CHEAP_ATTACK)
        limit = len(table().names) if named else len(table().programs)
        assert 0 <= modifier.program < limit
        assert modifier.kind < Kind.ON_HIT or modifier.program


def test_every_attack_has_one_damage_step_unless_it_is_a_copy():
    for card in table().cards:
        for attack in card.attacks:
            ops = [row.op for row in table().programs[attack.program]]
            assert ops.count(Op.HIT) == (Op.COPY_ATTACK not in ops)


def test_no_text_is_shipped():
    assert max(len(name) for name in table().names) < 40
    assert max(len(name.split()) for name in table().names) <= 6


@pytest.mark.parametrize("card", ["A1-096", "A1-225", "A2-148", "B2-154", "A3-144"])
def test_listing_names_the_rows(card):
    text = "\n".join(listing.card(table(), table().find(card)))
    assert card in text
    assert any(op.name in text for op in Op) or any(kind.name in text for kind in Kind)
