"""What moves do to the field, to a side or to a whole team."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import Battle, gated
from pokejax.rules.field import set_weather, twist
from pokejax.rules.guises import told_healthy
from pokejax.rules.hazards import change_courts, lay
from pokejax.rules.screens import raise_screen
from pokejax.rules.status import STATUS_FIELDS, cure
from pokejax.state import TEAM


@gated("change field")
def change_field(b: Battle, move: Any, where: Any) -> Any:
    """What a move does to the field, a side or a team; whether anything changed."""
    changed = set_weather(b, move.weather, where & (move.target == rows.AT_FIELD) & (move.weather != 0))
    changed = changed | twist(b, where & move.twists) | clear_stages(b, where & move.clears_stages)
    changed = changed | lay(b, 1, move.side_condition, where & (move.target == rows.AT_FOE_SIDE))
    changed = changed | change_courts(b, where & move.changes_courts) | heal_team(b, where & move.heals_team)
    return changed | raise_screen(b, move.side_condition, where & (move.target == rows.AT_OWN_SIDE))


@gated("heal team")
def heal_team(b: Battle, where: Any) -> Any:
    """Heal Bell ends the status of the whole team; whether anybody had one."""
    side = b.side(0)
    cured = where & (side.hp > 0) & (side.status != 0)
    cure(b, 0, cured)
    for place in range(TEAM):
        member = side.member[place]
        ails = where & (side.order[0] != place) & (member.hp > 0) & (member.status != 0)
        told_healthy(b, 0, place, ails)
        for field in STATUS_FIELDS:
            member.set(field, 0, where=ails)
        cured = cured | ails
    return cured


def clear_stages(b: Battle, where: Any) -> Any:
    """Haze sets all stages of both Pokémon back."""
    for number in (0, 1):
        b.side(number).clear("boosts", where=where & ~b.side(number).fainted)
    return where
