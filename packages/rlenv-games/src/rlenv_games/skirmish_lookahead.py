"""Skirmish for players who reckon: what a turn is worth, an opponent who goes by that, and a view that shows it.

Whatever is shown to a player is reckoned from what that player knows: the own side, and of the other's whom it has seen
(and how often it moved).
"""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from rlenv_games import skirmish_tables as t
from rlenv_games.skirmish import Skirmish
from rlenv_games.skirmish_rules import CHOOSE, LAYOUT, MAX_STAGE, PASS
from rlenv_shared import spaces


def _expected_damage() -> Any:
    """Hit points that a move is expected to take, float32 ``[attacker, move slot, defender, stage]``."""
    table = np.zeros((t.NUM_SPECIES, t.MOVES_PER_FIGHTER, t.NUM_SPECIES, MAX_STAGE + 1), np.float32)
    for attacker, slot, defender, stage in np.ndindex(table.shape):
        move = t.MOVES[attacker * t.MOVES_PER_FIGHTER + slot]
        factor = t.EFFECTIVENESS[t.MOVE_ELEMENT[move] * t.NUM_ELEMENTS + t.ELEMENT[defender]]
        base = t.POWER[move] * (t.STRENGTH[attacker] * (stage + 2) // 2) // t.GUARD[defender] * factor // 2
        hits = 3 if t.EFFECT[move] == t.FLURRY else 1  # 2 to 4
        table[attacker, slot, defender, stage] = base * hits * (1 + 0.5 / 16) * 0.925 * t.ACCURACY[move] / 100
    return table


DAMAGE: Final = _expected_damage()
EFFECT: Final = np.array(t.EFFECT, np.int32)[np.array(t.MOVES, np.int32)].reshape(t.NUM_SPECIES, t.MOVES_PER_FIGHTER)
SPEED: Final = np.array(t.SPEED, np.int32)
WORST: Final = np.float32(-2)
HEALTH: Final = np.array(t.HEALTH, np.float32)


def _sides(state: Any, player: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The player's side and the other's, as arrays over fighters."""
    sides = []
    for side in LAYOUT.view(state).side:
        front = side.fighter[side.active]
        sides.append(
            {
                "species": jnp.stack([fighter.species for fighter in side.fighter]),
                "hp": jnp.stack([fighter.hp for fighter in side.fighter]).astype(jnp.float32),
                "seen": jnp.stack([fighter.seen for fighter in side.fighter]),
                "uses": jnp.stack([front.uses[m] for m in range(t.MOVES_PER_FIGHTER)]),
                "active": side.active,
                "stage": side.stage,
            }
        )
    second = jnp.asarray(player) == 1
    mine, theirs = ({name: jnp.where(second, b[name], a[name]) for name in a} for a, b in (sides, sides[::-1]))
    return mine, theirs


def prospects(state: Any, player: Any) -> Any:
    """What each move and reserve of a player is worth by one turn, float32 ``[9]``; `WORST` where it cannot be chosen.

    Weighed is what the turn is expected to bring, in both orders of acting (who is out before its turn does nothing):
    damage given and taken and hit points healed, as shares of a fighter, and one for a fighter that goes out.  Of the
    other player it expects the move that hurts the fighter now in front most.  A reserve that must come out is weighed
    by the turn that follows: by the shares that the two in front can then take from each other.
    """
    damage, health, speed = jnp.asarray(DAMAGE), jnp.asarray(HEALTH), jnp.asarray(SPEED)
    choosing = LAYOUT.view(state).phase == CHOOSE
    mine, theirs = _sides(state, player)
    front, foe = (side["species"][side["active"]] for side in (mine, theirs))
    foe_hp, foe_stage = theirs["hp"][theirs["active"]], theirs["stage"]

    # one entry for each option: three moves of who is in front, then the reserves
    moves = np.arange(PASS) < t.MOVES_PER_FIGHTER
    effect = jnp.concatenate([jnp.asarray(EFFECT)[front], jnp.full(t.TEAM, t.HIT, jnp.int32)])
    species = jnp.where(moves, front, jnp.concatenate([mine["species"][: t.MOVES_PER_FIGHTER], mine["species"]]))
    hp = jnp.where(moves, mine["hp"][mine["active"]], jnp.concatenate([mine["hp"][: t.MOVES_PER_FIGHTER], mine["hp"]]))
    gives = jnp.concatenate([damage[front, :, foe, mine["stage"]], jnp.zeros(t.TEAM)])
    heals = jnp.where(effect == t.REST, jnp.minimum(health[species] / 2, health[species] - hp), 0)
    reply = jnp.argmax(damage[foe, :, front, foe_stage])
    takes = damage[foe, reply, species, foe_stage]

    def worth(gives: Any, takes: Any, heals: Any) -> Any:
        """Of the position after the turn over that before it."""
        gives, takes = jnp.minimum(gives, foe_hp), jnp.minimum(takes, hp + heals)
        out = (gives >= foe_hp).astype(jnp.float32) - (takes >= hp + heals).astype(jnp.float32)
        return gives / health[foe] + (heals - takes) / health[species] + out

    if_first = worth(gives, jnp.where(gives >= foe_hp, 0, takes), heals)
    survives = takes < hp
    if_second = worth(jnp.where(survives, gives, 0), takes, jnp.where(survives, heals, 0))
    lead = jnp.sign(speed[front] - speed[foe]).astype(jnp.float32)  # 0: a draw decides
    first = jnp.where(moves, (lead + 1) / 2, 1)
    usable = choosing & (mine["uses"] > 0)
    ready = (mine["hp"] > 0) & (np.arange(t.TEAM) != mine["active"])
    legal = jnp.concatenate([usable, ready])
    turn = first * if_first + (1 - first) * if_second
    threat = jnp.minimum(damage[species, :, foe, 0].max(-1) / jnp.maximum(foe_hp, 1), 1)
    danger = jnp.minimum(damage[foe, :, species, foe_stage].max(-1) / jnp.maximum(hp, 1), 1)
    return jnp.where(legal, jnp.where(choosing, turn, threat - danger), WORST)


def lookahead(state: Any, player: Any, params: Any, word: Any) -> Any:
    """The choice of a player who looks one turn ahead, int32 ``()``; a `rlenv_shared.one_seat.Script`."""
    worth = prospects(state, player)
    return jnp.where((worth > WORST).any(), jnp.argmax(worth), PASS).astype(jnp.int32)


class ReckonedSkirmish(Skirmish):
    """Skirmish with a view that spares a learner the arithmetic of the rules; the game is the same.

    Observation: as Skirmish's, and ``odds`` float32 [39]: the share of its hit points that each move of the own fighter
    in front is expected to take from the other's (3); the same of the best move of each own fighter (6); the share that
    the other's best move is expected to take from each of them (6); whether each is the faster one, as 1, 0.5 or 0 (6);
    the `prospects` of the own options (9), and of the other player's, as far as seen (9), over 2.
    """

    def observe(self, state: Any, player: Any, params: Any) -> dict[str, Any]:
        """What a player knows, reckoned; see the class."""
        mine, theirs = _sides(state, player)
        damage, speed = jnp.asarray(DAMAGE), jnp.asarray(SPEED)
        foe, foe_hp = (theirs[name][theirs["active"]] for name in ("species", "hp"))
        stage = jnp.where(np.arange(t.TEAM) == mine["active"], mine["stage"], 0)
        gives = jnp.minimum(damage[mine["species"], :, foe, stage] / jnp.maximum(foe_hp, 1), 1)  # [TEAM, moves]
        takes = damage[foe, :, mine["species"], theirs["stage"]].max(-1)
        faster = (jnp.sign(speed[mine["species"]] - speed[foe]).astype(jnp.float32) + 1) / 2
        shares = jnp.minimum(takes / jnp.maximum(mine["hp"], 1), 1)
        own, other = prospects(state, player), prospects(state, 1 - player)
        known = jnp.concatenate([jnp.ones(t.MOVES_PER_FIGHTER, jnp.bool_), theirs["seen"]])
        other = jnp.where(known, other, WORST)
        odds = jnp.concatenate([gives[mine["active"]], gives.max(-1), shares, faster, own / 2, other / 2])
        return {**super().observe(state, player, params), "odds": odds}

    def observation_space(self, params: Any) -> spaces.Space:
        """One player's."""
        plain: Any = super().observation_space(params)
        odds = spaces.Box(-1.0, 1.0, (t.MOVES_PER_FIGHTER + 3 * t.TEAM + 2 * PASS,))
        return spaces.Dict({**plain.spaces, "odds": odds})
