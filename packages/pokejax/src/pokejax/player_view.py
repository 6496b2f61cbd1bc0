"""The six Pokémon of a side as a player sees them: its own as they are, the other one's as it has been told of them.

Everything is in natural numbers here: hit points or percent, levels, turns, flags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import Row, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.revealed import percent
from pokejax.state import BEHIND, FAINTED, MOVES, PERSISTENT, TEAM
from pokejax.tables import NAMES

MOST_SLEEP, MOST_STAT, MOST_POISON = 7, 1023, 15
EARLY_BIRD, MAGIC_GUARD = number_of("ability", "earlybird"), number_of("ability", "magicguard")
MIMIKYU, MORPEKO, TERAPAGOS = (number_of("species", name) for name in ("mimikyu", "morpeko", "terapagos"))
POISON_HEAL = number_of("ability", "poisonheal")
Values = dict[str, list[Any]]


def store_front(side: Any) -> None:
    """Write who is out back to its place in the team; what it keeps is up to date in the hot words only."""
    _keep(side, side.member[side.order[0]], side.illusion_as == 0)


def load_front(side: Any) -> None:
    """Take who is out from its place in the team, as `store_front` has written it there."""
    _keep(side.member[side.order[0]], side, side.illusion_as == 0)


def _keep(source: Any, target: Any, as_itself: Any) -> None:
    """Copy what a Pokémon keeps when it leaves; what is known of one in a guise is known of another."""
    for field in PERSISTENT:
        target.set(field.name, getattr(source, field.name), where=as_itself if field.name in BEHIND else None)
    for slot in range(MOVES):
        target.pp.set(slot, source.pp[slot])


def constants_at(row: Any, params: Any) -> Any:
    """A row of the pool as a view."""
    return Row(params.pokemon, rows.POKEMON, row).view()


def _present(member: Any, params: Any) -> Any:
    """Constants of what a Pokémon is now, if it has become another species."""
    return constants_at(params.present_row(member), params)


def team(side: Any, copied: Any, own: bool, params: Any) -> Iterator[Values]:
    """Six Pokémon as their owner knows them, or as the other player does, in the order in which they came out."""
    store_front(side)
    came = [(member.appeared > 0) | (side.illusion_as > 0) for member in side.member]
    stands_in_front = [(side.order[0] == k) & came[k] for k in range(TEAM)]
    for k in range(TEAM):
        if own:
            member = side.member[k]
            constants, now = constants_at(member.row, params), _present(member, params)
            ability = _ability(side, stands_in_front[k], now)
            found = _own(member, stands_in_front[k], constants, now, ability, side.form)
            transformed = stands_in_front[k] & side.transformed
            yield found | {
                "moves": [pick(transformed, copied.moves[m], constants.moves[m]) for m in range(MOVES)],
                "pp": [pick(transformed, side.copied_pp[m], member.pp[m]) for m in range(MOVES)],
            }
            continue
        here = [side.member[m].appeared == k + 1 for m in range(TEAM)]
        active = any_of(flag & in_front for flag, in_front in zip(here, stands_in_front, strict=True))
        member = side.member[here]
        constants, now = constants_at(member.row, params), _present(member, params)
        ability, transformed = _ability(side, active, now), active & side.transformed
        found = _foe(member, any_of(here), active, constants, now, ability, side.form)
        known = zip(found["moves"], by_number(list(copied.moves)), strict=True)
        yield found | {
            "moves": [pick(transformed, other, own_) for own_, other in known],
            "ability": [pick(transformed, ability, found["ability"][0])],
        }


def _ability(side: Any, active: Any, now: Any) -> Any:
    """The ability that a Pokémon has now."""
    return pick(active & (side.copied_ability > 0), side.copied_ability, now.ability)


def _own(member: Any, active: Any, constants: Any, now: Any, ability: Any, form: Any) -> Values:
    stats = (now.atk, now.def_, now.spa, now.spd, now.spe, pick(member.hp > 0, now.max_hp, 0))
    return {
        **_common(member, active, constants, ability, form),
        "species": [constants.shown],
        "ability": [ability],
        "item": [member.item + 1],
        "tera_type": [constants.tera_type],
        "seen": [member.appeared > 0],
        "hp": [member.hp],
        "stats": list(stats),
    }


def _foe(member: Any, seen: Any, active: Any, constants: Any, now: Any, ability: Any, form: Any) -> Values:
    shown = pick(active, percent(member.hp, now.max_hp), member.percent)
    known = [((member.moves_shown >> slot) & 1) != 0 for slot in range(MOVES)]
    found = {
        **_common(member, active, constants, ability, form),
        "species": [constants.shown],
        "ability": [pick(member.ability_shown, ability, 0)],
        "item": [pick(member.item_shown, member.item + 1, 0)],
        "tera_type": [pick(member.terastallized, constants.tera_type, 0)],
        "moves": by_number([pick(is_known, constants.moves[k], 0) for k, is_known in enumerate(known)]),
        "seen": [seen],
        "hp": [pick(member.fainted, 0, shown)],
    }
    return {name: [pick(seen, value, jnp.zeros_like(value)) for value in values] for name, values in found.items()}


def _common(member: Any, active: Any, constants: Any, ability: Any, member_form: Any) -> Values:
    """What both players see in the same way."""
    asleep = member.status == rows.SLP
    lost = member.slept - member.stage  # Early Bird loses two a turn
    slept = pick(ability == EARLY_BIRD, lost // 2, lost)
    unhurt = (ability == MAGIC_GUARD) | (ability == POISON_HEAL)
    poisoned = active & (member.status == rows.TOX) & ~unhurt
    stands = ~member.fainted
    busted = member.ability_used & (constants.base == MIMIKYU)
    held = member.ability_used & member.terastallized & (constants.base == MORPEKO)
    form = pick(busted | member.changed | held, 1, pick(active & stands, member_form, 0))
    form = pick((constants.base == TERAPAGOS) & member.changed & member.terastallized, 2, form)
    return {
        "form": [form],
        "status": [pick(stands, member.status, 0)],
        "active": [active],
        "fainted": [member.fainted],
        "terastallized": [member.terastallized],
        "level": [constants.level],
        "gender": [constants.gender],
        "sleep": [pick(asleep & stands, slept, 0)],
        "poison": [pick(poisoned & stands, member.stage, 0)],
    }


def as_told(side: Any, plain: Sequence[Values], params: Any) -> list[Values]:
    """What is known of the other side's Pokémon once one has come out in a guise (`pokejax.rules.mechanics.illusion`).

    Args:
        side: the other side; the one of its front is written back.
        plain: what would be known if nobody ever had, as of `team`.
        params: tables and pool.
    """
    store_front(side)
    feigned, wearer = side.illusion_user > 0, constants_at(side.member[side.illusion_user - 1].row, params)
    shown = pick(side.illusion_as > 0, side.illusion_as - 1, side.order[0])
    found = []
    for k, before in enumerate(plain):
        here = [side.member[m].appeared == k + 1 for m in range(TEAM)]
        active = any_of(flag & (shown == m) for m, flag in enumerate(here))
        now = _told(side, side.member[here], active, before, wearer)
        seen = feigned & any_of(here)
        changed = {
            name: [pick(seen, new, old) for new, old in zip(values, before[name], strict=True)]
            for name, values in now.items()
        }
        found.append({**before, **changed})
    return found


def _told(side: Any, member: Any, active: Any, plain: Values, wearer: Any) -> Values:
    """What has been told of one name: of who is out in it, of who was, or of itself."""
    disguised = active & (side.illusion_as > 0)

    def told(own: Any, once: Any, now: Any) -> Any:
        return pick(disguised, now, pick(member.misreported, once, own))

    fainted = told(member.fainted, member.told_status == FAINTED, side.fainted)
    status = pick(fainted, 0, told(member.status, member.told_status, side.status))
    terastallized = told(member.terastallized, member.told_tera, side.terastallized)
    others = disguised | member.misreported
    tera_type = pick(terastallized, pick(others, wearer.tera_type, plain["tera_type"][0]), 0)
    untold = pick(member.item_shown, member.item + 1, member.told_item)
    hurt = percent(side.hp, wearer.max_hp)
    hp = pick(disguised, hurt, pick(active, plain["hp"][0], member.percent))
    poison = pick(status == rows.TOX, side.stage, 0)
    false = member.false_moves | pick(disguised, side.moves_shown, 0)
    moves = _first_moves(plain["moves"], [pick((false >> k) & 1 != 0, wearer.moves[k], 0) for k in range(MOVES)])
    rested = pick(status == rows.SLP, pick(disguised, side.rested, member.rested), 0)
    transformed = active & side.transformed
    return {
        "active": [active],
        "fainted": [fainted],
        "status": [status],
        "terastallized": [terastallized],
        "tera_type": [tera_type],
        "item": [pick(disguised & side.item_shown, side.item + 1, untold)],
        "hp": [pick(fainted, 0, hp)],
        "sleep": [rested],
        "poison": [pick(disguised, poison, pick(active, plain["poison"][0], 0))],
        "moves": [pick(transformed, old, new) for old, new in zip(plain["moves"], moves, strict=True)],
    }


def _first_moves(own: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """The first four by number of four moves that are sorted and four that are not, each once."""
    last = np.int32(len(NAMES["move"]))
    known = [pick(move == 0, last, move) for move in own]
    new = [pick(any_of(move == one for one in own), 0, move) for move in others]
    new = [pick(move == 0, last, move) for move in by_number(new)]
    first = [jnp.minimum(one, other) for one, other in zip(known, reversed(new), strict=True)]
    return by_number([pick(move == last, 0, move) for move in first])


def by_number(moves: list[Any]) -> list[Any]:
    """Four moves in ascending order, 0 for none last."""
    last = np.int32(len(NAMES["move"]))
    found = [pick(move == 0, last, move) for move in moves]
    for one, other in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):
        found[one], found[other] = jnp.minimum(found[one], found[other]), jnp.maximum(found[one], found[other])
    return [pick(move == last, 0, move) for move in found]
