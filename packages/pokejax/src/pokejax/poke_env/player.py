"""A player of poke-env on a live server of Showdown whose decisions are pokejax's."""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import numpy as np
from poke_env.battle import AbstractBattle
from poke_env.player import Player
from poke_env.player.battle_order import BattleOrder, SingleBattleOrder
from poke_env.ps_client import LocalhostServerConfiguration

from pokejax.poke_env.choices import CHOOSE, FOREIGN, Choices, names_of
from pokejax.poke_env.connection import check_reachable, while_connected
from pokejax.poke_env.decisions import Agent, DecisionPoint, agents, observed
from pokejax.poke_env.transcript import UNAVAILABLE, Transcript
from pokejax.showdown import Position, determinize
from pokejax.showdown.documents import FORMAT
from rlenv_shared.errors import InvalidParamsError

INVALID: Final = "|error|[Invalid choice]"
TOO_LATE: Final = ("nothing to choose", "too late", "nothing to cancel", "Can't do anything")
"""What Showdown says where no other choice is asked for."""
DEFAULT: Final = SingleBattleOrder(f"{CHOOSE}default")
MOST_TRIES: Final = 15
"""Choices for one request, after which Showdown is asked to choose."""
Watch = Callable[[str, DecisionPoint, int, bool], None]
"""Told of each decision: the battle, what was seen, the action, and whether it replaces one that was refused."""


class _Seat:
    """One battle of the player's.

    Attributes:
        transcript: what was told.
        agent: who decides.
        team: names of the player's Pokémon, in the order of actions; empty before the first request.
        request: what is asked now.
        refused: actions that Showdown has not taken for it.
        action: the last one that was sent.
    """

    def __init__(self, agent: Agent) -> None:
        self.transcript, self.agent = Transcript(), agent
        self.team: list[str] = []
        self.request: Mapping[str, Any] | None = None
        self.refused: set[int] = set()
        self.action: int | None = None
        self.unavailable = False

    def ask(self, request: Mapping[str, Any]) -> None:
        """A request that can be answered now."""
        self.request = request
        if not self.unavailable:
            self.refused.clear()
        self.unavailable, self.action = False, None
        self.team = self.team or names_of(request)

    def refuse(self, line: str) -> None:
        """The last choice was not taken."""
        if self.action is not None:
            self.refused.add(self.action)
        self.unavailable = line.startswith(UNAVAILABLE)


class PokejaxPlayer(Player):
    """Plays Gen 9 random battles on a server, as poke-env's players do.

    It reads what the server tells it into a position that it cannot tell from the battle
    (`pokejax.showdown.determinize`), and asks who decides.  It goes on playing whatever the server sends: what cannot
    be read is logged once and counted, and a legal choice is made at random.

    Args:
        decide: as of `decisions.agents`.
        sample: let a policy draw its actions; else it takes the most probable one.
        seed: of everything that is drawn here.
        watch: told of each decision that was read.
        options: of poke-env's `Player`: ``server_configuration``, ``account_configuration``, ….

    Attributes:
        counts: of ``decisions``; of ``refused choices``, by an ability that traps and was not told; of ``invalid
            choices``; of ``decisions at random``, because the battle could not be read; of ``illegal decisions``, for
            which another action was taken; of ``unknown messages``; of ``messages not taken``, which poke-env's
            `Battle` did not understand; of ``foreign battles`` and ``foreign requests``.

    Raises:
        InvalidParamsError: another format, or nobody who can decide.
        ServerError: the server cannot be reached.
    """

    def __init__(
        self,
        decide: Any = "heuristics",
        *,
        sample: bool = False,
        seed: int = 0,
        watch: Watch | None = None,
        **options: Any,
    ) -> None:
        format_ = options.setdefault("battle_format", FORMAT)
        if format_ != FORMAT:
            raise InvalidParamsError("battle_format", format_, FORMAT, "leave it out")
        self._new_agent = agents(decide, sample=sample, seed=seed)
        if options.get("start_listening", True):
            check_reachable(options.get("server_configuration", LocalhostServerConfiguration))
        self.counts: collections.Counter[str] = collections.Counter()
        self._watch, self._rng, self._noted = watch, np.random.default_rng(seed), set[str]()
        self._seats: dict[str, _Seat] = {}
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "pokejax-player")  # the loop answers pings meanwhile
        super().__init__(**options)

    # --- what the server tells ----------------------------------------------------------------------------------------

    async def _handle_battle_message(self, split_messages: list[list[str]]) -> None:
        head, *rest = split_messages
        tag = head[0].rstrip("\r").removeprefix(">")
        lines = ["|".join(parts).rstrip("\r") for parts in rest]
        if not self._is_ours(tag, lines):
            return
        if tag not in self._seats:
            self._seats[tag] = _Seat(self._new_agent())
        seat = self._seats[tag]
        known, foreign = len(seat.transcript.unknown), False
        ready: list[dict[str, Any]] = []
        try:
            ready = seat.transcript.hear(lines)
        except ValueError as error:
            self._note("foreign requests", str(error), tag)
            foreign = True
        for line in seat.transcript.unknown[known:]:
            self._note("unknown messages", line.split("|")[1], f"{tag}: {line}")
        for line in lines:
            if line.startswith("|error|"):
                await self._refused(seat, tag, line)
            elif not line.startswith("|request|"):
                await self._tell(tag, line)
        battle = self._battles.get(tag)
        if battle is None:
            return
        for request in ready:
            await self._asked(seat, battle, request)
        if foreign:
            await self.ps_client.send_message(DEFAULT.message, tag)

    def _is_ours(self, tag: str, lines: list[str]) -> bool:
        """Whether a battle is of our format and began while this player was there."""
        begins = bool(lines) and lines[0].startswith("|init|")
        if f"-{FORMAT}-" not in tag:
            self._note("foreign battles", tag, f"a battle of another format than {FORMAT}, which is left alone")
            return False
        if not begins and tag not in self._battles:
            self._note("foreign battles", tag, "messages of a battle of which the beginning is missing")
            return False
        return True

    async def _tell(self, tag: str, line: str) -> None:
        """Give a message to poke-env."""
        try:
            await super()._handle_battle_message([[f">{tag}"], line.split("|")])
        except Exception as error:  # whatever poke-env makes of it, the battle goes on
            self._note("messages not taken", line.split("|")[1] if "|" in line else line, f"{tag}: {line} ({error!r})")

    async def _refused(self, seat: _Seat, tag: str, line: str) -> None:
        """A choice was not taken; of the player's own accord, or because of what it could not know."""
        if line.startswith(UNAVAILABLE):
            self.counts["refused choices"] += 1
            seat.refuse(line)
            self._trying_again.set()  # a request follows
        elif line.startswith(INVALID) and not any(words in line for words in TOO_LATE):
            self._note("invalid choices", line, tag)
            seat.refuse(line)
            battle = self._battles.get(tag)
            if battle is not None and seat.request is not None:
                await self._handle_battle_request(battle)
        else:
            self._note("messages not taken", line, tag)

    async def _asked(self, seat: _Seat, battle: AbstractBattle, request: dict[str, Any]) -> None:
        try:
            battle.parse_request(request, self._strict_battle_tracking)
        except Exception as error:  # as of messages
            self._note("messages not taken", f"request: {error!r}", battle.battle_tag)
        seat.ask(request)
        if request.get("wait"):
            self._waiting.set()
            return
        await self._handle_battle_request(battle)

    # --- decisions ----------------------------------------------------------------------------------------------------

    async def _handle_battle_request(self, battle: AbstractBattle, maybe_default_order: bool = False) -> None:
        order = await self.choose_move(battle)
        await self.ps_client.send_message(order.message, battle.battle_tag)

    def choose_move(self, battle: AbstractBattle) -> Awaitable[BattleOrder]:
        """The order for what is asked now in a battle of this player's; it never raises."""
        return self._choose(battle.battle_tag)

    async def _choose(self, tag: str) -> BattleOrder:
        seat = self._seats.get(tag)
        if seat is None or seat.request is None or len(seat.refused) >= MOST_TRIES:
            return DEFAULT
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._decided, tag, seat)

    def _decided(self, tag: str, seat: _Seat) -> BattleOrder:
        self.counts["decisions"] += 1
        assert seat.request is not None
        try:
            choices = Choices.of_request(seat.request, seat.team)
        except FOREIGN as error:  # of another team than before
            self._note("foreign requests", repr(error), f"{tag}: {json.dumps(seat.request):.200}")
            return DEFAULT
        untried = [int(one) for one in np.flatnonzero(choices.legal) if int(one) not in seat.refused]
        if not untried:
            return DEFAULT
        action = self._read(tag, seat, choices)
        if action not in untried:
            if action is not None:
                self._note("illegal decisions", f"{tag}: action {action}", f"{untried} are legal")
            action = int(self._rng.choice(untried))
        seat.action = action
        rqid = seat.request.get("rqid")
        message = choices.order_of(action).message + ("" if rqid is None else f"|{rqid}")
        return SingleBattleOrder(message)

    def _read(self, tag: str, seat: _Seat, choices: Choices) -> int | None:
        """What is decided in the position that was read; None where it could not be."""
        again = bool(seat.refused)
        try:
            assert seat.request is not None
            player, lines = int(seat.request["side"]["id"] == "p2"), list(seat.transcript.lines)

            def another() -> Position:
                return determinize(lines, int(self._rng.integers(2**31)))

            position = another()
            point = DecisionPoint(position, player, observed(position, player), choices.legal, another)
            action = seat.agent.decide(point, again)
        except Exception as error:  # a decision has to be made
            self._note("decisions at random", f"{tag}: {error!r:.200}", "the battle could not be read")
            return None
        if self._watch is not None:
            self._watch(tag, point, action, again)
        return action

    def _note(self, kind: str, what: str, more: str) -> None:
        """Count, and log what has not been logged yet."""
        self.counts[kind] += 1
        if f"{kind}: {what}" not in self._noted:
            self._noted.add(f"{kind}: {what}")
            self.logger.log(logging.WARNING, "%s: %s (%s)", kind, what, more)

    # --- battles ------------------------------------------------------------------------------------------------------

    async def battle_against(self, *opponents: Player, n_battles: int = 1) -> None:
        """As of poke-env's `Player`; ServerError: the connection has ended, or the server lets nobody in."""
        await while_connected(self.ps_client, super().battle_against(*opponents, n_battles=n_battles))

    async def send_challenges(self, opponent: str, n_challenges: int, to_wait: asyncio.Event | None = None) -> None:
        """As of poke-env's `Player`; errors as of `battle_against`."""
        await while_connected(self.ps_client, super().send_challenges(opponent, n_challenges, to_wait))

    async def accept_challenges(
        self, opponent: str | list[str] | None, n_challenges: int, packed_team: str | None = None
    ) -> None:
        """As of poke-env's `Player`; errors as of `battle_against`."""
        await while_connected(self.ps_client, super().accept_challenges(opponent, n_challenges, packed_team))

    async def ladder(self, n_games: int) -> None:
        """As of poke-env's `Player`; errors as of `battle_against`."""
        await while_connected(self.ps_client, super().ladder(n_games))
