"""A damage calculator: the engine's own formula, all sixteen rolls at once."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import engine, rows, stages, teams
from pokejax.battle import Battle
from pokejax.effects import CHANGES
from pokejax.picking import pick
from pokejax.rules.flow.moves import pass_by_ability
from pokejax.rules.flow.shaping import shape
from pokejax.rules.mechanics.damage import damage, matchup
from pokejax.rules.mechanics.screens import SCREENS, TURNS
from pokejax.state import LAYOUT, Words
from pokejax.tables import NAMES, params
from rlenv_shared.errors import InvalidParamsError

ROLLS: Final = 16
FIRST_HIT: Final = np.int32(1)


def rolls(words: Words, move: Any, critical: Any, tables: Any) -> Any:
    """Damage of one hit of a move of the first player's active Pokémon, by draw: int32 ``[16]``; 0 if it cannot hurt.

    Whatever may hinder its user (sleep, paralysis) does not; a move that thaws its user has done so.

    Args:
        words: state of one battle in which somebody is out on both sides.
        move: number of the move, int32.
        critical: bool, whether the hit is critical.
        tables: tables and pool.
    """

    def one(roll: Any) -> Any:
        given = {"damage": roll, "critical": pick(critical, 0, 1), "ModifyDamage": roll, "Fickle Beam": 9}
        given |= {"ModifyDamage by screens": roll, "Unaware": roll, "ruin": roll, "attack": roll, "Shell Side Arm": 1}
        b = Battle(words, tables, lambda random, generator, mask, n, site: (given[site], generator))
        row = b.move(move)
        user, target = b.side(0), b.side(1)
        with b.when(row.defrost & (user.status == rows.FRZ)):
            user.status = 0
        pass_by_ability(b, row)
        shape(b, row, used=True)
        meets = matchup(b, row)
        row.always_crits = critical
        found = damage(b, row, meets, FIRST_HIT)
        harmless = (row.category == rows.STATUS) | (meets.immune & ~row.ignores_immunity)
        harmless = harmless | (row.endeavor & (target.hp <= user.hp)) | (row.mirror_coat & (user.coat == 0))
        return pick(harmless, 0, found)

    return jax.vmap(one)(jnp.arange(ROLLS, dtype=jnp.int32))


def situation(
    attacker: Mapping[str, Any],
    defender: Mapping[str, Any],
    *,
    weather: str = "",
    terrain: str = "",
    screens: tuple[Sequence[str], Sequence[str]] = ((), ()),
    boosts: tuple[Sequence[int], Sequence[int]] = ((0,) * 7, (0,) * 7),
    hp: tuple[int | None, int | None] = (None, None),
    statuses: tuple[str, str] = ("", ""),
    terastallized: tuple[bool, bool] = (False, False),
    lowered: tuple[bool, bool] = (False, False),
    grown: tuple[str, str] = ("", ""),
    changed: tuple[bool, bool] = (False, False),
    slow: tuple[bool, bool] = (False, False),
) -> tuple[Words, Any]:
    """A state in which two Pokémon face each other, and its tables.

    Args:
        attacker: as `teams.constants` takes it.
        defender: the same.
        weather: one of `rows.WEATHERS`.
        terrain: one of `rows.TERRAINS`.
        screens: that stand before each: "reflect", "lightscreen", "auroraveil".
        boosts: seven stages each, as `rows.BOOSTS` names them.
        hp: hit points; None for all.
        statuses: of `rows.STATUSES`.
        terastallized: whether they are.
        lowered: whether one of their stages has gone down in this turn.
        grown: the stat that Protosynthesis or Quark Drive has made grow, of `rows.BOOSTS`; "" for none.
        changed: whether they are what their species becomes in a battle, as `effects.CHANGES` says.
        slow: whether Slow Start holds them still.

    Raises:
        InvalidParamsError: an unknown weather, terrain, screen, status or stat, a change that a species does not know,
            or what `teams.constants` refuses.
    """
    for species, changes in zip((attacker["species"], defender["species"]), changed, strict=True):
        if changes and species not in CHANGES:
            raise InvalidParamsError("changed species", repr(species), f"one of {sorted(CHANGES)}", "leave it as it is")
    tables = params(teams.constants([[attacker], [defender]]))
    zero = np.uint32(0)
    view = LAYOUT.view(jax.device_get(_opening()((np.int32(0), np.int32(1)), (zero, zero, zero), tables)))
    view.weather = _number("weather", weather, rows.WEATHERS)
    view.weather_turns = 5 if weather else 0
    view.terrain = _number("terrain", terrain, rows.TERRAINS)
    view.terrain_turns = 5 if terrain else 0
    for n, side in enumerate(view.side):
        side.appeared, side.active_turns, side.newly_switched = 1, 1, False
        side.status = _number("status", statuses[n], rows.STATUSES)
        side.terastallized, side.changed, side.slow = terastallized[n], changed[n], int(slow[n])
        side.lowered = lowered[n]
        side.best_stat = _number("grown stat", grown[n], ("", *rows.BOOSTS[:5]))
        given = hp[n]
        if given is not None:
            side.hp = int(given)
        side.boosts = stages.packed(boosts[n])
        for name in screens[n]:
            setattr(side, SCREENS[_number("screen", name, rows.SIDE_CONDITIONS, tuple(SCREENS))], TURNS)
    return view.words(), tables


@functools.cache
def _opening() -> Any:
    return jax.jit(engine.opening)


def move_number(name: str) -> np.int32:
    """The number of a move that the engine plays.

    Raises:
        InvalidParamsError: it does not.
    """
    if name not in NAMES["move"] or not name:
        expected = f"one of the {len(NAMES['move']) - 1} that are played"
        raise InvalidParamsError("move", repr(name), expected, "spell it as Showdown's ids are, or choose another")
    return np.int32(NAMES["move"].index(name))


def _number(kind: str, name: str, names: Sequence[str], fitting: Sequence[int] | None = None) -> int:
    fit = list(names) if fitting is None else [names[number] for number in fitting]
    if name not in fit:
        raise InvalidParamsError(kind, repr(name), f"one of {fit}", "correct it")
    return names.index(name)
