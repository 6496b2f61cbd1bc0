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
from pokejax.rules.telling import percent
from pokejax.seeing import constants_at, load_front, store_front
from pokejax.state import LAYOUT, MOVES, TEAM, Words
from pokejax.tables import separated
from rlenv_shared.ops import XLA

Array = Any
ILLUSION = number_of("ability", "illusion")


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
    columns = separated(rows.POKEMON, jnp.asarray(params.pokemon))
    pool = rows.POKEMON.view(tuple(column[: params.pool_size] for column in columns))
    before = [side.member[k].row for k in range(TEAM)]
    known = [(side.member[k].appeared > 0) | (side.member[k].guise > 0) for k in range(TEAM)]
    taken = [pick(known[k], _of(pool.species, side.member[k].row), 0) for k in range(TEAM)]
    feigning = [known[k] & (_of(pool.ability, side.member[k].row) == ILLUSION) for k in range(TEAM)]
    for k in range(TEAM):
        member = side.member[k]
        others = any_of(feigning[m] for m in range(TEAM) if m != k)
        _permute_member(member, known[k], pool, taken, others, jax.random.fold_in(key, k), params)
        taken[k] = _of(pool.species, member.row)
        feigning[k] = _of(pool.ability, member.row) == ILLUSION
    own, copied = view.side[1], view.side[1].copied_row
    for k, old in enumerate(before):  # into whom the other one has transformed
        own.set("copied_row", side.member[k].row, where=own.transformed & (copied == old))
    load_front(side)
    return LAYOUT.swap(view.words(), "side", other)


def _of(column: Array, row: Any) -> Any:
    return XLA.take(column, row)


def _permute_member(
    member: Any, seen: Any, pool: Any, taken: list[Any], another_feigns: Any, key: Any, params: Any
) -> None:
    """Exchange one Pokémon, but for one with Illusion that has come out, by whatever name."""
    row_key, hp_key = jax.random.split(key)
    old = member.row
    fixed = member.fainted | (seen & (_of(pool.ability, old) == ILLUSION))
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
    fits = pick(seen, alike, ~fresh) & ~(another_feigns & (pool.ability == ILLUSION))
    forms = params.present_row(member) - old

    def most_hp(row: Any) -> Any:
        return constants_at(row + forms, params).max_hp

    new = _choose(fits, old, row_key)
    new = pick(fixed, old, new)
    member.row = new
    untouched = member.item == _of(pool.item, old)
    member.set("item", _of(pool.item, new), where=untouched)
    for slot in range(MOVES):
        used = _of(params.power_points, _of(pool.moves[slot], old)) - member.pp[slot]
        most = _of(params.power_points, _of(pool.moves[slot], new))
        member.pp.set(slot, jnp.maximum(most - used, 0))
    before, most = most_hp(old), most_hp(new)
    shown = pick(seen, percent(member.hp, before), 100)
    member.set("hp", _hp_within(shown, most, member.hp, hp_key), where=~fixed)


def _choose(fits: Array, otherwise: Any, key: Any) -> Any:
    """The first row that fits at or after a random one, going round; ``otherwise`` if none does."""
    count = fits.shape[0]
    start = jax.random.randint(key, (), 0, count, jnp.int32)
    distance = (jnp.arange(count, dtype=jnp.int32) - start) % np.int32(count)
    distance = pick(fits, distance, np.int32(count))
    best = jnp.argmin(distance).astype(jnp.int32)
    return pick(jnp.any(fits), best, otherwise)


def _hp_within(shown: Any, most: Any, otherwise: Any, key: Any) -> Any:
    """Hit points that are shown as this percentage; ``otherwise`` (at most ``most``) if there are none."""
    low = pick(shown == 100, most, (shown - 1) * most // 100 + 1)
    high = pick(shown == 99, most - 1, pick(shown == 100, most, shown * most // 100))
    high = jnp.maximum(high, low)
    hp = low + jax.random.randint(key, (), 0, 2**20, jnp.int32) % (high - low + 1)
    return pick(percent(hp, most) == shown, hp, jnp.minimum(otherwise, most))
