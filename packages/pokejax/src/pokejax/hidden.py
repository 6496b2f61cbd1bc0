"""Other truths: what a player has not been told about the other side, changed at random.

Unseen Pokémon become others of the pool.  A Pokémon that was seen becomes one of the pool that looks the same: of its
species and level, with its known moves, and its ability, item and tera type where those are known.  Its hit points
move within what is shown.  One with Illusion stays what it is once it has come out, by whatever name: what the player
believes of others hangs on it.  So a planner can think in any of the truths that its player cannot tell apart.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import any_of, number_of
from pokejax.picking import pick
from pokejax.player_view import constants_at, load_front, store_front
from pokejax.rules.mechanics.revealed import percent
from pokejax.state import LAYOUT, MOVES, TEAM, Words
from pokejax.tables import separated
from rlenv_shared import control

Array = Any
ILLUSION = number_of("ability", "illusion")
LOOKED_AT = 256
"""Rows of the pool among which the first that fits is taken."""
_PLACES = np.arange(LOOKED_AT, dtype=np.int32)


def permute(words: Words, key: Any, player: Any, params: Any) -> Words:
    """A state that ``player`` cannot tell from this one.

    Args:
        words: state of one battle.
        key: JAX key.
        player: 0 or 1.
        params: the tables and the pool that the battle is played with.
    """
    other = jnp.asarray(player) == 0
    view = LAYOUT.view(LAYOUT.swap(words, "side", other))
    side = view.side[0]
    front = side.order[0]
    spent = [side.member[front].pp[slot] - side.pp[slot] for slot in range(MOVES)]  # since it came in
    store_front(side)
    pool = _Pool(params)
    before = [side.member[k].row for k in range(TEAM)]
    known = [(side.member[k].appeared > 0) | (side.member[k].illusion_as > 0) for k in range(TEAM)]
    team = [pool.at(row) for row in before]
    taken = [pick(seen, one.species, 0) for seen, one in zip(known, team, strict=True)]
    feigning = [seen & (one.ability == ILLUSION) for seen, one in zip(known, team, strict=True)]
    for k in range(TEAM):
        member = side.member[k]
        others = any_of(feigning[m] for m in range(TEAM) if m != k)
        _permute_member(member, known[k], pool, taken, others, jax.random.fold_in(key, k), params)
        now = pool.at(member.row)
        taken[k], feigning[k] = now.species, now.ability == ILLUSION
    own, copied = view.side[1], view.side[1].copied_row
    for k, old in enumerate(before):  # into whom the other one has transformed
        own.set("copied_row", side.member[k].row, where=own.transformed & (copied == old))
    load_front(side)
    for slot in range(MOVES):
        side.member[front].pp.set(slot, side.pp[slot] + spent[slot])
    return LAYOUT.swap(view.words(), "side", other)


class _Pool:
    """The Pokémon of a pool, and their rows in the order of what they show."""

    def __init__(self, params: Any) -> None:
        self.columns = separated(rows.POKEMON, jnp.asarray(params.pokemon))
        self.size = params.num_teams * np.int32(TEAM)
        self.order = jnp.asarray(params.by_shown)
        shown = self.at(self.order).shown
        self.sorted = pick(jnp.arange(params.room) < self.size, shown, np.array(np.iinfo(shown.dtype).max, shown.dtype))

    def at(self, row: Any) -> Any:
        """Constants of a row, or of several."""
        return rows.POKEMON.view(tuple(control.take(column, row) for column in self.columns))

    def some(self, key: Any) -> Any:
        """`LOOKED_AT` rows, one behind the other from a random one on, going round."""
        start = jax.random.randint(key, (), 0, self.size, jnp.int32)
        return (start + _PLACES) % self.size

    def like(self, shown: Any, key: Any) -> Any:
        """`LOOKED_AT` rows of those that show the same, one behind the other from a random one on, going round."""
        first, behind = (jnp.searchsorted(self.sorted, shown, side).astype(jnp.int32) for side in ("left", "right"))
        count = jnp.maximum(behind - first, 1)
        start = jax.random.randint(key, (), 0, count, jnp.int32)
        return control.take(self.order, first + (start + _PLACES) % count)


def _permute_member(
    member: Any, seen: Any, pool: _Pool, taken: list[Any], another_feigns: Any, key: Any, params: Any
) -> None:
    """Exchange one Pokémon, but for one with Illusion that has come out, by whatever name."""
    row_key, hp_key = jax.random.split(key)
    old = member.row
    is_now = pool.at(old)
    fixed = member.fainted | (seen & (is_now.ability == ILLUSION))
    candidates = pick(seen, pool.like(is_now.shown, row_key), pool.some(row_key))
    other = pool.at(candidates)
    alike = (other.shown == is_now.shown) & (other.level == is_now.level) & (other.gender == is_now.gender)
    known = [((member.moves_shown >> slot) & 1) != 0 for slot in range(MOVES)]
    for slot, is_known in enumerate(known):  # in the same slots, which power points and choices name
        alike &= ~is_known | (other.moves[slot] == is_now.moves[slot])
    alike &= ~member.ability_shown | (other.ability == is_now.ability)
    # An item that was taken or exchanged is no longer the pool's, and what it was is known.
    changed = member.item != is_now.item
    alike &= ~(member.item_shown | changed) | (other.item == is_now.item)
    alike &= ~member.terastallized | (other.tera_type == is_now.tera_type)
    # What nobody was told but the hit points show: a sleeper's and a poisoned one's counters depend on these.
    alike &= (member.status == 0) | (other.ability == is_now.ability)
    fresh = any_of(other.species == species for species in taken)
    fits = pick(seen, alike, ~fresh) & ~(another_feigns & (other.ability == ILLUSION))
    forms = params.present_row(member) - old

    def most_hp(row: Any) -> Any:
        return constants_at(row + forms, params).max_hp

    new = pick(fixed | ~jnp.any(fits), old, candidates[jnp.argmax(fits)])
    member.row = new
    becomes = pool.at(new)
    member.set("item", becomes.item, where=~changed)
    for slot in range(MOVES):
        used = control.take(params.power_points, is_now.moves[slot]) - member.pp[slot]
        most = control.take(params.power_points, becomes.moves[slot])
        member.pp.set(slot, jnp.maximum(most - used, 0))
    before, most = most_hp(old), most_hp(new)
    shown = pick(seen, percent(member.hp, before), 100)
    member.set("hp", _hp_within(shown, most, member.hp, hp_key), where=~fixed)


def _hp_within(shown: Any, most: Any, otherwise: Any, key: Any) -> Any:
    """Hit points that are shown as this percentage; ``otherwise`` (at most ``most``) if there are none."""
    low = pick(shown == 100, most, (shown - 1) * most // 100 + 1)
    high = pick(shown == 99, most - 1, pick(shown == 100, most, shown * most // 100))
    high = jnp.maximum(high, low)
    hp = low + jax.random.randint(key, (), 0, 2**20, jnp.int32) % (high - low + 1)
    return pick(percent(hp, most) == shown, hp, jnp.minimum(otherwise, most))
