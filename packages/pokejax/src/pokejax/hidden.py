"""Other truths: what a player has not been told about the other side, changed at random.

Unseen Pokémon become others of the pool.  A Pokémon that was seen becomes one of the pool that looks the same: of its
species and level, with its known moves, and its ability, item and tera type where those are known.  Its hit points
move within what is shown.  So a planner can think in any of the truths that its player cannot tell apart.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.battle import any_of
from pokejax.observation import store_front
from pokejax.rules.telling import percent
from pokejax.state import LAYOUT, MOVES, PERSISTENT, TEAM, Words
from rlenv_shared.ops import XLA

Array = Any


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
    store_front(side)
    pool = rows.POKEMON.view(tuple(jnp.asarray(column)[: params.pool_size] for column in params.pokemon))
    before = [side.member[k].row for k in range(TEAM)]
    taken = [jnp.where(side.member[k].appeared > 0, _of(pool.species, side.member[k].row), 0) for k in range(TEAM)]
    for k in range(TEAM):
        member = side.member[k]
        in_front = (side.order[0] == k) & (member.appeared > 0)
        species = _permute_member(member, in_front, pool, taken, jax.random.fold_in(key, k), params)
        taken[k] = jnp.where(member.appeared > 0, taken[k], species)
    own, copied = view.side[1], view.side[1].copied_row
    for k, old in enumerate(before):  # into whom the other one has transformed
        own.set("copied_row", side.member[k].row, where=own.transformed & (copied == old))
    front = side.member[side.order[0]]
    for field in PERSISTENT:
        side.set(field.name, getattr(front, field.name))
    for slot in range(MOVES):
        side.pp.set(slot, front.pp[slot])
    return LAYOUT.swap(view.words(), "side", other)


def _of(column: Array, row: Any) -> Any:
    return XLA.take(column, row)


def _permute_member(member: Any, in_front: Any, pool: Any, taken: list[Any], key: Any, params: Any) -> Any:
    """Exchange one Pokémon; its species afterwards."""
    row_key, hp_key = jax.random.split(key)
    seen, old = member.appeared > 0, member.row
    alike = (pool.shown == _of(pool.shown, old)) & (pool.level == _of(pool.level, old))
    alike &= pool.gender == _of(pool.gender, old)
    known = [((member.moves_shown >> slot) & 1) != 0 for slot in range(MOVES)]
    for slot, is_known in enumerate(known):  # in the same slots, which power points and choices name
        alike &= ~is_known | (pool.moves[slot] == _of(pool.moves[slot], old))
    alike &= ~member.ability_shown | (pool.ability == _of(pool.ability, old))
    # An item that was taken or exchanged is no longer the pool's, and what it was is known.
    same_item = pool.item == _of(pool.item, old)
    changed = member.item != _of(pool.item, old)
    alike &= ~(member.item_shown | changed) | same_item
    alike &= ~member.terastallized | (pool.tera_type == _of(pool.tera_type, old))
    # What nobody was told but the hit points show: a sleeper's and a poisoned one's counters depend on these.
    alike &= (member.status == 0) | (pool.ability == _of(pool.ability, old))
    fresh = any_of(pool.species == species for species in taken)
    fits = jnp.where(seen, alike, ~fresh)
    forms = params.present_row(member) - old

    def most_hp(row: Any) -> Any:
        columns = tuple(XLA.take(jnp.asarray(column), row + forms) for column in params.pokemon)
        return rows.POKEMON.view(columns).max_hp

    new = _choose(fits, old, row_key)
    new = jnp.where(member.fainted, old, new)
    member.row = new
    untouched = member.item == _of(pool.item, old)
    member.set("item", _of(pool.item, new), where=untouched)
    for slot in range(MOVES):
        used = _of(params.power_points[0], _of(pool.moves[slot], old)).astype(jnp.int32) - member.pp[slot]
        most = _of(params.power_points[0], _of(pool.moves[slot], new)).astype(jnp.int32)
        member.pp.set(slot, jnp.maximum(most - used, 0))
    before, most = most_hp(old), most_hp(new)
    shown = jnp.where(seen, percent(member.hp, before), 100)
    member.set("hp", _hp_within(shown, most, member.hp, hp_key), where=~member.fainted)
    return _of(pool.species, new)


def _choose(fits: Array, otherwise: Any, key: Any) -> Any:
    """The first row that fits at or after a random one, going round; ``otherwise`` if none does."""
    count = fits.shape[0]
    start = jax.random.randint(key, (), 0, count, jnp.int32)
    distance = (jnp.arange(count, dtype=jnp.int32) - start) % np.int32(count)
    distance = jnp.where(fits, distance, np.int32(count))
    best = jnp.argmin(distance).astype(jnp.int32)
    return jnp.where(jnp.any(fits), best, otherwise)


def _hp_within(shown: Any, most: Any, otherwise: Any, key: Any) -> Any:
    """Hit points that are shown as this percentage; ``otherwise`` (at most ``most``) if there are none."""
    low = jnp.where(shown == 100, most, (shown - 1) * most // 100 + 1)
    high = jnp.where(shown == 99, most - 1, jnp.where(shown == 100, most, shown * most // 100))
    high = jnp.maximum(high, low)
    hp = low + jax.random.randint(key, (), 0, 2**20, jnp.int32) % (high - low + 1)
    return jnp.where(percent(hp, most) == shown, hp, jnp.minimum(otherwise, most))
