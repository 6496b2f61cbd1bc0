"""Opponents on the device against poke-env's players of the same rules: their decisions at every decision of battles.

poke-env's `Battle` is fed with what Showdown tells one player, and its published players are asked.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from poke_env.battle import Battle, Move, MoveCategory, Pokemon, PokemonType
from poke_env.data import GenData
from poke_env.player.baselines import MaxBasePowerPlayer, SimpleHeuristicsPlayer

from pokejax.opponents import OPPONENTS
from pokejax.poke_env.choices import Choices, names_of
from pokejax.rules.flow.queue import SWITCH_ACTION
from pokejax.verification.battles import CHUNK, Moment, Outcome, replay
from rlenv_emit.emit import emit_lazily
from rlenv_emit.processor import BYTECODE

GENERATION: Final = 9
TOLD_TO_PLAYERS: Final = frozenset({"", "t:", "request", "win", "tie", "error", "expire", "uhtmlchange"})
"""Messages that poke-env's `Player` takes itself or leaves aside; its `Battle` is given the others."""
FAINTED_TERA: Final = "who has fainted Terastallized is it no longer, but in poke-env"
MISCOUNTED: Final = "poke-env has miscounted who has fainted after an Illusion"
FORME: Final = "poke-env has another forme in mind"
EQUAL: Final = "both choices are worth exactly the same, and rounding decides"


class Seat:
    """What poke-env knows of a battle in one seat.

    Args:
        player: 0 or 1.
    """

    def __init__(self, player: int) -> None:
        role = f"p{player + 1}"
        self.battle = Battle("battle", role, logging.getLogger("pokejax.poke-env"), GENERATION)
        self.battle.player_role = role
        self.request: Mapping[str, Any] = {}
        self._team: list[str] = []

    def hear(self, lines: Sequence[str], request: Mapping[str, Any] | None, trapped: bool) -> None:
        """Messages since the last decision, and what the player is asked; who is ``trapped`` in secret is told so.

        Showdown tells it whoever tries to leave, at no cost, and asks again.
        """
        for line in lines:
            words = line.split("|")
            if len(words) > 1 and words[1] not in TOLD_TO_PLAYERS:
                self.battle.parse_message(words)
        if request is None:
            return
        if trapped and "active" in request:
            request = {**request, "active": [{**request["active"][0], "trapped": True}]}
        self.battle.parse_request(dict(request))
        self.request = request
        self._team = self._team or names_of(request)

    def action(self, order: Any) -> int:
        """The number of the action that an order of poke-env is."""
        return Choices.of_request(self.request, self._team).action_of(order)


def _highest_base_power(battle: Battle) -> Any:
    return MaxBasePowerPlayer.choose_singles_move(battle)


def _published(battle: Battle) -> Any:
    return SimpleHeuristicsPlayer.choose_singles_move(battle)[0]


def _meant(battle: Battle) -> Any:
    """The published player, with both faults that `SimpleHeuristics` names mended."""
    target = property(lambda move: "self" if move.entry.get("target") == "self" else None)
    tera = property(lambda one: PokemonType.from_name(one._last_request["teraType"]))  # of one's own
    with mock.patch.object(Move, "target", target), mock.patch.object(Pokemon, "tera_type", tera):
        return SimpleHeuristicsPlayer.choose_singles_move(battle)[0]


JUDGES: Final[Mapping[str, Callable[[Battle], Any]]] = {
    "base-power": _highest_base_power, "heuristics": _published, "heuristics-meant": _meant,
}  # fmt: skip
"""poke-env's players by the names of our opponents."""


def verify_players(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Ask both at every decision of recorded battles, in both seats.

    Where ``base-power`` has no move it brings anybody in at random, which is not compared.

    Args:
        recordings: of `battles.play` with messages.
        form: in which the battles are replayed, one of `battles.FORMS`; opponents are XLA's in all of them.
    """
    outcome = Outcome()
    for start in range(0, len(recordings), CHUNK):
        part = recordings[start : start + CHUNK]
        _verify_chunk(part, start, outcome, replay(part, form))
    return outcome


def _verify_chunk(
    recordings: Sequence[dict[str, Any]], first: int, outcome: Outcome, moments: Iterator[Moment]
) -> None:
    seats = [(Seat(0), Seat(1)) for _ in recordings]
    outcome.battles += len(recordings)
    for moment in moments:
        ours = {name: np.asarray(_decisions(name)(moment.words, moment.params)) for name in JUDGES}
        for n in moment.going:
            view = recordings[n]["views"][moment.decision]
            if view["ended"]:
                continue
            outcome.decisions += 1
            for player, seat in enumerate(seats[n]):
                told, accepted = view["messages"], view["legal"][player]["accepted"]
                trapped = not any(choice.startswith("switch") for choice in accepted)
                seat.hear(told[f"p{player + 1}"], told["requests"][player], trapped)
                if not accepted:
                    continue
                for name, judge in JUDGES.items():
                    order = judge(seat.battle)
                    pair = int(ours[name][n, player]), seat.action(order)
                    if pair[0] == pair[1] or (name == "base-power" and min(pair) >= SWITCH_ACTION):
                        continue
                    if why := reason(seat.battle, view["core"]["sides"], player):
                        outcome.declared[f"{name}: {why}"] += 1
                        continue
                    text = f"player {player}, {name}: action {pair[0]}, poke-env's {pair[1]}"
                    outcome.mismatches.append((first + n, moment.decision, text))


@functools.cache
def _decisions(name: str) -> Any:
    """Actions int32 ``[B, 2]`` of both players' seats."""
    script = OPPONENTS[name]

    def both(words: Any, params: Any) -> Any:
        return jnp.stack([script(words, player, params, jnp.uint32(0)) for player in (0, 1)])

    return jax.jit(jax.vmap(emit_lazily(both, BYTECODE.name), (0, None)))


def reason(battle: Battle, sides: Sequence[Mapping[str, Any]], player: int) -> str:
    """Why a decision may differ, if that is known; ``sides`` are Showdown's own."""
    own, foe = battle.active_pokemon, battle.opponent_active_pokemon
    assert own is not None
    assert foe is not None
    if any(one.fainted and one.is_terastallized for one in (foe, *battle.available_switches)):
        return FAINTED_TERA
    fallen = sum(one["hp"] == 0 for one in sides[1 - player]["pokemon"])
    if fallen != sum(one.fainted for one in battle.opponent_team.values()):
        return MISCOUNTED
    for one, side in ((own, sides[player]), (foe, sides[1 - player])):
        true = side["pokemon"][side["order"][0]]["species"]
        if not one.transformed and one.base_stats != GenData.from_gen(GENERATION).pokedex[true]["baseStats"]:
            return FORME
    return EQUAL if _rounding_decides(battle, own, foe) else ""


def _rounding_decides(battle: Battle, own: Pokemon, foe: Pokemon) -> bool:
    """Whether two moves are worth exactly the same, two who could come in, or a matchup is on a limit."""
    behind = [_matchup(one, foe) for one in battle.available_switches]
    worth = [_worth(move, own, foe) for move in battle.available_moves]
    limits = Fraction(0), Fraction(SimpleHeuristicsPlayer.SWITCH_OUT_MATCHUP_THRESHOLD)
    on_a_limit = limits[0] in behind or _matchup(own, foe) in limits
    return on_a_limit or any(values.count(max(values)) > 1 for values in (behind, worth) if values)


def _matchup(own: Pokemon, foe: Pokemon) -> Fraction:
    """`SimpleHeuristicsPlayer._estimate_matchup` without rounding."""
    attacks = max(Fraction(foe.damage_multiplier(type_)) for type_ in own.types)
    suffers = max(Fraction(own.damage_multiplier(type_)) for type_ in foe.types)
    speeds = [one.base_stats["spe"] for one in (own, foe)]
    faster = (speeds[0] > speeds[1]) - (speeds[1] > speeds[0])
    health = [Fraction(one.current_hp, one.max_hp) if one.current_hp else Fraction(0) for one in (own, foe)]
    return attacks - suffers + Fraction(faster, 10) + Fraction(2, 5) * (health[0] - health[1])


def _worth(move: Move, own: Pokemon, foe: Pokemon) -> Fraction:
    """What that player makes of a move, without rounding."""
    stats = ("atk", "def") if move.category == MoveCategory.PHYSICAL else ("spa", "spd")
    up, down = (_estimate(one, stat) for one, stat in zip((own, foe), stats, strict=True))
    of_own_type = Fraction(3, 2) if move.type in own.types else 1
    exact = [Fraction(value).limit_denominator(300) for value in (move.accuracy, move.expected_hits)]
    return move.base_power * of_own_type * up / down * exact[0] * exact[1] * Fraction(foe.damage_multiplier(move))


def _estimate(one: Pokemon, stat: str) -> Fraction:
    stage = one.boosts[stat]
    return (2 * one.base_stats[stat] + 36) * (Fraction(2 + stage, 2) if stage > 1 else Fraction(2, 2 - stage))
