"""L2: every effect that asks Showdown who somebody is, is bound to its species here, or played as it asks."""

import json
import subprocess

import pytest

from pokejax.effects import BOUND, ITEMS
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]

ELSEWHERE = {
    "ability drizzle": "Kyogre's Blue Orb is no item of the format",
    "ability drought": "nor Groudon's Red Orb",
    "ability illusion": "who may be feigned: `rules/mechanics/illusion.py`",
    "ability naturalcure": "only for messages of triples",
    "ability poisonpuppeteer": "`status.inflict`; its handler is there for all",
    "item boosterenergy": "species called paradox: `Battle.keeps`",
    "item eviolite": "species that evolve: `can_evolve`",
    "move aurawheel": "`moves.can_try`, `shaping.take_form`",
    "move beatup": "`beat_power` of a Pokémon's row",
    "move hyperspacefury": "`moves.can_try`",
    "move ivycudgel": "`follows_breed`",
    "move ragingbull": "`follows_breed`",
    "move relicsong": "`moves.use_move`",
    "move terastarstorm": "nobody else can become Stellar",
}  # fmt: skip
"""What asks and needs no entry in `BOUND`, and where it is seen to, or why that is not needed."""
IN_THE_SIMULATOR = {"terashell"}
"""Abilities that callbacks do not ask about, but Showdown's own code."""


def test_every_effect_that_asks_for_a_species_is_seen_to():
    command = reference("showdown", "adapter").command("species.mjs")
    asking = set(json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout))
    bound = {f"ability {name}" for name in set(BOUND) - IN_THE_SIMULATOR}
    suited = {f"item {name}" for name, fields in ITEMS.items() if "suits" in fields}
    assert bound <= asking
    assert suited <= asking
    assert asking - bound - suited == set(ELSEWHERE)
