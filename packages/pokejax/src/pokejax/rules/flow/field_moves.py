"""What moves do to the field, to a side or to a whole team."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import Battle, gated
from pokejax.rules.mechanics.field import set_weather, twist
from pokejax.rules.mechanics.hazards import change_courts, lay
from pokejax.rules.mechanics.illusion import told_healthy
from pokejax.rules.mechanics.screens import raise_screen
from pokejax.rules.mechanics.status import STATUS_FIELDS, cure
from pokejax.state import TEAM


@gated("change field")
def change_field(b: Battle, move: Any) -> Any:
    """What a move does to the field, a side or a team; whether anything changed."""
    with b.when((move.target == rows.AT_FIELD) & (move.weather != 0)):
        changed = set_weather(b, move.weather)
    with b.when(move.trick_room):
        changed = changed | twist(b)
    with b.when(move.haze):
        changed = changed | clear_stages(b)
    with b.when(move.target == rows.AT_FOE_SIDE):
        changed = changed | lay(b, 1, move.side_condition)
    with b.when(move.court_change):
        changed = changed | change_courts(b)
    with b.when(move.heal_bell):
        changed = changed | heal_team(b)
    with b.when(move.target == rows.AT_OWN_SIDE):
        changed = changed | raise_screen(b, move.side_condition)
    return changed


@gated("heal team")
def heal_team(b: Battle) -> Any:
    """Heal Bell ends the status of the whole team; whether anybody had one."""
    side = b.side(0)
    with b.when((side.hp > 0) & (side.status != 0)) as cured:
        cure(b, 0)
    for place in range(TEAM):
        member = side.member[place]
        with b.when((side.order[0] != place) & (member.hp > 0) & (member.status != 0)) as ails:
            told_healthy(b, 0, place)
            for field in STATUS_FIELDS:
                member.set(field, 0)
        cured = cured | ails
    return cured


def clear_stages(b: Battle) -> Any:
    """Haze sets all stages of both Pokémon back."""
    for number in (0, 1):
        with b.when(~b.side(number).fainted):
            b.side(number).clear("boosts")
    return b.here
