"""Between poke-env's orders, Showdown's choices and the numbers of actions."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from poke_env.battle import Move, Pokemon
from poke_env.player.battle_order import BattleOrder, DefaultBattleOrder, SingleBattleOrder

from pokejax.rules.flow.queue import MOVE_ACTION, NUM_ACTIONS, PASS, SWITCH_ACTION, TERA_ACTION
from rlenv_shared.errors import IllegalActionError

CHOOSE: Final = "/choose "
FOREIGN: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What a request that is none leads to."""
_TEXT: Final = re.compile(r"(move|switch) (.+?)( terastallize| terastal)?")


@dataclasses.dataclass(frozen=True)
class Choices:
    """What one player is asked, as Showdown shows it.

    Attributes:
        moves: ids of the moves, as the request lists them: by slot, or the only one where a Pokémon has no choice.
        team: names of the player's Pokémon, in the order of actions.
        order: members of the team in their present order, the one that is out first.
        legal: bool ``[15]`` by action.
    """

    moves: Sequence[str]
    team: Sequence[str]
    order: Sequence[int]
    legal: NDArray[np.bool_]

    @classmethod
    def of_request(cls, request: Mapping[str, Any], team: Sequence[str]) -> Choices:
        """What a request of Showdown asks; whoever is trapped by an ability that was not told may try to leave in it.

        Args:
            request: as Showdown sends it.
            team: names of the player's Pokémon in the order of the battle's first request.

        Raises:
            AttributeError, KeyError, IndexError, TypeError, ValueError: it is none, or not one of this player's.
        """
        members = request["side"]["pokemon"]
        order = [team.index(_name(member)) for member in members]
        legal = np.zeros(NUM_ACTIONS, np.bool_)
        active = (request.get("active") or [{}])[0]
        moves = [move["id"] for move in active.get("moves", ())]
        if request.get("wait"):
            legal[PASS] = True
            return cls(moves, team, order, legal)
        for slot, move in enumerate(active.get("moves", ())):
            legal[MOVE_ACTION + slot] = not move.get("disabled", False)
            legal[TERA_ACTION + slot] = legal[MOVE_ACTION + slot] and bool(active.get("canTerastallize"))
        revives = any(member.get("reviving") for member in members)
        if not active.get("trapped"):
            for place, member in enumerate(members):
                fallen = member["condition"].endswith(" fnt")
                legal[SWITCH_ACTION + order[place]] = not member["active"] and fallen == revives
        if not legal.any():
            raise ValueError("a request in which nothing can be chosen")
        return cls(moves, team, order, legal)

    @property
    def first(self) -> int:
        """The first action that is legal, which is what Showdown's ``default`` does."""
        return int(np.argmax(self.legal))

    def order_of(self, action: int) -> SingleBattleOrder:
        """An action as an order that goes to Showdown as it is: slots and places, no names."""
        if action == PASS:
            return SingleBattleOrder(f"{CHOOSE}pass")
        if action >= SWITCH_ACTION:
            return SingleBattleOrder(f"{CHOOSE}switch {self.order.index(action - SWITCH_ACTION) + 1}")
        tera = " terastallize" if action >= TERA_ACTION else ""
        return SingleBattleOrder(f"{CHOOSE}move {(action - MOVE_ACTION) % (TERA_ACTION - MOVE_ACTION) + 1}{tera}")

    def action_of(self, order: BattleOrder) -> int:
        """The action that an order of poke-env is, legal or not.

        Raises:
            IllegalActionError: it is none of this battle, such as a move that the Pokémon does not have.
        """
        chosen = getattr(order, "order", None)
        if isinstance(order, DefaultBattleOrder):
            return self.first
        if isinstance(chosen, Pokemon) and chosen.name in self.team:
            return SWITCH_ACTION + self.team.index(chosen.name)
        if isinstance(chosen, Move):
            action = self._move(chosen.id, bool(getattr(order, "terastallize", False)))
        else:
            action = self._text(order.message.removeprefix(CHOOSE).strip())
        if action is None:
            raise self._refused(order)
        return action

    def legal_action_of(self, order: BattleOrder) -> int:
        """The action that an order of poke-env is.

        Raises:
            IllegalActionError: it is not legal.
        """
        action = self.action_of(order)
        if not self.legal[action]:
            raise self._refused(order)
        return action

    def _refused(self, order: BattleOrder) -> IllegalActionError:
        orders = [self.order_of(int(one)).message for one in np.flatnonzero(self.legal)]
        remedy = "return an order that battle.valid_orders lists"
        return IllegalActionError("order", order.message, f"one that is legal here, as {orders}", remedy)

    def _move(self, move: str, terastallizes: bool) -> int | None:
        base = TERA_ACTION if terastallizes else MOVE_ACTION
        if len(self.moves) == 1:  # in a rampage the only move has no slot
            return base
        return base + self.moves.index(move) if move in self.moves else None

    def _text(self, text: str) -> int | None:
        if text in ("default", "auto"):
            return self.first
        if text == "pass":
            return PASS
        match = _TEXT.fullmatch(text)
        if match is None:
            return None
        kind, named, tera = match[1], match[2], bool(match[3])
        if kind == "move":
            slots = {str(slot + 1): name for slot, name in enumerate(self.moves)}
            return self._move(slots.get(named, named), tera)
        places = {str(place + 1): member for place, member in enumerate(self.order)}
        member = places.get(named, self.team.index(named) if named in self.team else None)
        return None if member is None else SWITCH_ACTION + member


def _name(member: Mapping[str, Any]) -> str:
    name: str = member["ident"].split(": ", 1)[1]
    return name


def names_of(request: Mapping[str, Any]) -> list[str]:
    """Names of a player's Pokémon in the order in which a request lists them."""
    return [_name(member) for member in request["side"]["pokemon"]]
