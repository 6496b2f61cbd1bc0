"""A player of simple heuristics, after poke-env's: leave bad matchups, lay hazards, strike by types and base stats.

The rules are those of `SimpleHeuristicsPlayer` of poke-env 0.16.1, written anew.  Numbers are compared exactly: of two
moves or Pokémon that are worth exactly the same the first one is taken, where that player's rounding may decide.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final, NamedTuple

import jax.numpy as jnp
import numpy as np

from pokejax import rows, stages
from pokejax.battle import any_of, number_of
from pokejax.opponents.seat import NEVER, Known, Seat, base_stat, first_highest, is_among, quarters
from pokejax.picking import pick
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import MOVES, TEAM
from rlenv_shared import control

REMOVAL: Final = tuple(number_of("move", name) for name in ("rapidspin", "defog"))
TAKE_HEART: Final = number_of("move", "takeheart")
"""Raises stages that Showdown's data does not list, so that a player of data does not know it for such a move."""
TRIPLE_AXEL: Final = number_of("move", "tripleaxel")
HAZARDS: Final = {
    rows.STEALTH_ROCK: "stealth_rock", rows.SPIKES: "spikes", rows.TOXIC_SPIKES: "toxic_spikes",
    rows.STICKY_WEB: "sticky_web",
}  # fmt: skip
CONDITIONS: Final = (*HAZARDS.values(), "reflect", "light_screen", "aurora_veil", "tailwind")
FULL: Final = 100
"""Percent."""
TWENTIETHS: Final = 20
"""A matchup is counted in twentieths: a quarter of a multiplier is 5, the faster one gains 2, all hit points are 8."""
TYPE_QUARTER, FASTER, HEALTH = 5, 2, 8
HITS: Final = 300
"""Expected hits are counted in three hundredths, accuracy in hundredths, what a type of one's own adds in halves."""
TWO_TO_FIVE, AXEL = 950, 1569  # (2 + 3) / 3 + (4 + 5) / 6 hits; 1 + 2 * 0.9 + 3 * 0.81
THIRD_LOWEST: Final = -3
LEAVES_BELOW: Final = -2
"""A matchup in which one leaves if anybody else's is above 0."""
LEAST_FOES, LEAST_OWN = 3, 2
"""Pokémon left with which hazards are laid, and removed."""
RAISES_AT_LEAST: Final = 2
AN_EIGHTH: Final = -3
"""The exponent by which types count that do nothing to who thinks of Terastallizing."""


class Matchup(NamedTuple):
    """How one's own Pokémon stands against the opponent: twentieths, ``value + HEALTH * hp / most``."""

    value: Any
    hp: Any
    most: Any

    def above(self, other: Known, twentieths: int = 0) -> Any:
        """The sign of what it is worth less the opponent's hit points and so many twentieths: an int32."""
        return (self.value - twentieths) * FULL * self.most + HEALTH * (FULL * self.hp - other.hp * self.most)

    def beats(self, other: Matchup) -> Any:
        """Whether it is worth more than another one against the same opponent."""
        own, its = (one.value * one.most + HEALTH * one.hp for one in (self, other))
        return own * other.most > its * self.most


@dataclasses.dataclass(frozen=True)
class SimpleHeuristics:
    """The player, as a script.

    Args:
        as_meant: raise stages in good matchups, and Terastallize.  Both are among the rules, but the published player
            never does either: it compares the target of a move with a text, and does not read its own tera types.
    """

    as_meant: bool = False

    def __call__(self, state: Any, player: Any, params: Any, word: Any) -> Any:
        """The action, int32."""
        seat = Seat(state, player, params)
        own, foe = seat.active(), seat.opponent()
        standing = _matchup(seat, own, foe)
        comes_in, somebody, decent = _best_behind(seat, foe)
        leaves = somebody & decent & _has_reason_to_leave(seat, standing, foe)
        use = pick(seat.can_move & ~leaves, self._move(seat, own, foe, standing), SWITCH_ACTION + comes_in)
        return pick(seat.can_move | somebody, use, PASS)

    def _move(self, seat: Seat, own: Known, foe: Known, standing: Matchup) -> Any:
        """The first hazard or removal that is wanted, then what raises stages, else the strongest attack."""
        legal = seat.legal[:MOVES]
        support = [can & _is_wanted(seat, slot) for slot, can in enumerate(legal)]
        rising = (own.hp == own.most) & (standing.above(foe) > 0) & self.as_meant
        raising = [can & rising & _raises(seat, slot) for slot, can in enumerate(legal)]
        strongest = _strongest(seat, own, foe)
        terastallizes = [seat.legal[TERA_ACTION + k] & _gains_by_tera(seat, k, own, foe) for k in range(MOVES)]
        gains = any_of((strongest == k) & gained for k, gained in enumerate(terastallizes)) & self.as_meant
        action = strongest + pick(gains, MOVES, 0)
        for chosen in (raising, support):
            action = pick(any_of(chosen), first_highest([np.int32(0)] * MOVES, chosen), action)
        return action


def _matchup(seat: Seat, own: Known, foe: Known) -> Matchup:
    """The best of its types against the other one less the best of the other's against it, and who is faster."""
    attacks, suffers = (
        quarters(seat.highest_exponent(one.types, other.types)) for one, other in ((own, foe), (foe, own))
    )
    speeds = [base_stat(one.species, "spe") for one in (own, foe)]
    faster = (speeds[0] > speeds[1]).astype(jnp.int32) - (speeds[1] > speeds[0]).astype(jnp.int32)
    return Matchup(TYPE_QUARTER * (attacks - suffers) + FASTER * faster, own.hp, own.most)


def _best_behind(seat: Seat, foe: Known) -> tuple[Any, Any, Any]:
    """Who would come in, whether anybody can, and whether anybody's matchup is above 0."""
    member, best, somebody, decent = np.int32(0), Matchup(*[np.int32(1)] * 3), np.bool_(False), np.bool_(False)
    for place in range(1, TEAM):
        number, known, can = seat.behind(place)
        matchup = _matchup(seat, known, foe)
        better = can & (~somebody | matchup.beats(best))
        member = pick(better, number, member)
        best = Matchup(*(pick(better, new, old) for new, old in zip(matchup, best, strict=True)))
        somebody, decent = somebody | can, decent | (can & (matchup.above(foe) > 0))
    return member, somebody, decent


def _has_reason_to_leave(seat: Seat, standing: Matchup, foe: Known) -> Any:
    """Its defenses are down, the better one of its attacks is, or the matchup is bad."""
    low = {stat: stages.one(seat.own.boosts, stat) <= THIRD_LOWEST for stat in (rows.ATK, rows.DEF, rows.SPA, rows.SPD)}
    itself = seat.battle.base_pokemon(0)
    attack_down = low[rows.ATK] & (itself.atk >= itself.spa)
    special_down = low[rows.SPA] & (itself.atk <= itself.spa)
    bad = standing.above(foe, LEAVES_BELOW * TWENTIETHS) < 0
    return low[rows.DEF] | low[rows.SPD] | attack_down | special_down | bad


def _is_wanted(seat: Seat, slot: int) -> Any:
    """Whether a move lays a hazard that is not there, or removes what lies on the own side."""
    move = seat.move(slot)
    lays = any_of(
        (move.side_condition == number) & (getattr(seat.foe, name).astype(jnp.int32) == 0)
        for number, name in HAZARDS.items()
    )
    burdened = any_of(getattr(seat.own, name).astype(jnp.int32) > 0 for name in CONDITIONS)
    number = seat.battle.pokemon(0).moves[slot]
    removes = any_of(number == removal for removal in REMOVAL)
    return (lays & (seat.foe.left >= LEAST_FOES)) | (removes & burdened & (seat.own.left >= LEAST_OWN))


def _raises(seat: Seat, slot: int) -> Any:
    """Whether a move raises its user's stages by two and more, one of which can still rise."""
    move = seat.move(slot)
    change = control.take(seat.params.stages, move.boosts)
    raised = [stages.one(change, stat) for stat in stages.EVERY]
    room = any_of((stage > 0) & (stages.one(seat.own.boosts, k) < stages.HIGHEST) for k, stage in enumerate(raised))
    listed = seat.battle.pokemon(0).moves[slot] != TAKE_HEART
    return (move.target == rows.AT_SELF) & (sum(raised) >= RAISES_AT_LEAST) & room & listed


def _strongest(seat: Seat, own: Known, foe: Known) -> Any:
    """The slot of the attack that should do most."""
    legal, physical, worth = seat.legal[:MOVES], [], []
    for slot in range(MOVES):
        move = seat.move(slot)
        sure = pick(move.accuracy == 0, FULL, move.accuracy)
        spread = (move.least_hits == 2) & (move.most_hits == 5)
        hits = pick(spread, TWO_TO_FIVE, HITS * move.most_hits)
        hits = pick(seat.battle.pokemon(0).moves[slot] == TRIPLE_AXEL, AXEL, hits)
        halves = pick(is_among(move.type, own.types), 3, 2)
        worth.append(move.power * halves * sure * hits * quarters(seat.exponent(move.type, foe.types)))
        physical.append(move.category == rows.PHYSICAL)
    ratios = [_ratio(seat, own, foe, *stats) for stats in (("atk", "def"), ("spa", "spd"))]
    best = []
    for ratio, others in zip(ratios, (False, True), strict=True):
        among = [can & (kind ^ others) for can, kind in zip(legal, physical, strict=True)]
        slot = first_highest(worth, among)
        value = sum(pick((slot == k) & here, worth[k], 0) for k, here in enumerate(among))
        best.append((slot, any_of(among), value.astype(jnp.float32) * ratio))
    (strike, strikes, physical_worth), (cast, casts, special_worth) = best
    earlier = (physical_worth == special_worth) & (strike < cast)
    return pick(strikes & (~casts | (physical_worth > special_worth) | earlier), strike, cast)


def _ratio(seat: Seat, own: Known, foe: Known, attack: str, defense: str) -> Any:
    """What an attack is estimated to be in relation to a defense, float32."""
    (up, down), (its_up, its_down) = (
        _estimate(seat, one.species, side.boosts, stat)
        for one, side, stat in ((own, seat.own, attack), (foe, seat.foe, defense))
    )
    return (up * its_down).astype(jnp.float32) / (down * its_up).astype(jnp.float32)


def _estimate(seat: Seat, species: Any, boosts: Any, stat: str) -> tuple[Any, Any]:
    """A stat after its stage, as a fraction; the first stage doubles it, as that player has it."""
    stage = stages.one(boosts, rows.BOOSTS.index(stat))
    up, down = pick(stage > 1, 2 + stage, 2), pick(stage > 1, 2, 2 - stage)
    return (2 * base_stat(species, stat) + 36) * up, down


def _gains_by_tera(seat: Seat, slot: int, own: Known, foe: Known) -> Any:
    """Whether a move's type does well, and its user's tera type better than its types do now against the other's."""
    attack = seat.exponent(seat.move(slot).type, foe.types)
    tera = seat.battle.base_pokemon(0).tera_type
    exponents = (seat.highest_exponent(foe.types, types) for types in (own.types, (tera, np.int32(0))))
    now, then = (jnp.maximum(exponent, AN_EIGHTH) for exponent in exponents)
    return (attack != NEVER) & (attack + now - then > 0)
