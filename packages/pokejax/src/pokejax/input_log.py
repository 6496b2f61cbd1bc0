"""Showdown's input logs: a seed, two teams and the choices, from which Showdown plays a battle again.

``BattleStream`` answers ``>requestlog`` with one; a server keeps it with each battle::

    >version …
    >start {"formatid":"gen9randombattle","seed":"sodium,0123456789abcdef0123456789abcdef"}
    >player p1 {"name":"…","team":"…"}
    >player p2 {"name":"…","team":"…"}
    >p1 move thunderbolt
    >p2 switch 3

`parse` reads it, `numbers` draws what Showdown draws from its seed, `Players` says which action of ours a choice is.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pokejax import render, teams, teamtext
from pokejax.rules.flow.queue import MOVE_ACTION, PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import MOVES, TEAM
from pokejax.tables import NAMES
from rlenv_shared import lcg64, sodium
from rlenv_shared.errors import InvalidParamsError, explain

FORMAT: Final = "gen9randombattle"
SODIUM: Final = "sodium,"
"""How seeds of Showdown's default generator begin."""
PASSED_OVER: Final = ("version", "version-origin", "chat", "chat-inputlogonly")
"""Commands that change nothing in a battle."""
ENDS: Final = ("forcewin", "forcetie", "forcelose")
"""Commands that end a battle before its end."""
BINDING: Final = ("lock", "recharge", "charging")
"""Fields of a side that leave it one choice, whatever the slot of the move that goes on."""
NAMED: Final = ("Player 1", "Player 2")
"""What players are called whose log does not say."""
TERASTALLIZE: Final = ("terastallize", "terastal")


@dataclasses.dataclass(frozen=True)
class Choice:
    """What a player chose: the words behind ``>p1``, and the line of the log."""

    words: str
    line: int


@dataclasses.dataclass(frozen=True)
class InputLog:
    """A battle as its log has it.

    Attributes:
        seed: in Showdown's notation, "sodium,…", "gen5,…" or four numbers of 16 bits.
        teams: both, as `teams.constants` takes them.
        drawn: numbers that Showdown has drawn for genders before the battle begins.
        choices: of each player, in their order.
        end: the command that ended the battle before its end, such as "forcewin p1"; empty where none did.
        names: of both players.
    """

    seed: str
    teams: tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]
    drawn: int
    choices: tuple[tuple[Choice, ...], tuple[Choice, ...]]
    end: str
    names: tuple[str, str] = NAMED


def parse(text: str) -> InputLog:
    """A log's battle.

    Raises:
        InvalidParamsError: a line that is malformed, out of place, or of what is not played here: another format, a
            team that `teamtext` refuses, a battle that was changed by hand; it names the line.
    """
    seed, end = "", ""
    described: list[tuple[int, str]] = []  # line and text
    names: list[str] = []
    choices: tuple[list[Choice], list[Choice]] = ([], [])
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        if not line.strip():
            continue
        command, _, rest = line.strip().removeprefix(">").partition(" ")
        where = f"input log, line {number}"
        if not line.startswith(">"):
            raise _refused(where, line, "a line that begins with >", "give the input log, not the battle's log")
        if command == "start":
            if seed:
                raise _refused(where, ">start", "one of them", "give one battle at a time")
            seed = _seed(_json(rest, where), where)
        elif not seed and command not in PASSED_OVER:
            raise _refused(where, line, ">start first", "give the whole log")
        elif command == "player":
            player, _, options = rest.partition(" ")
            if player != f"p{len(described) + 1}" or len(described) == 2:
                raise _refused(where, f">player {player}", "p1, then p2", "give a battle of two players")
            read = _json(options, where)
            names.append(str(read.get("name") or NAMED[len(described)]))
            described.append((number, _team(read, where)))
        elif command in ("p1", "p2"):
            if len(described) < 2:
                raise _refused(where, line, "both players first", "give the whole log")
            choices[command == "p2"].append(Choice(rest.strip(), number))
        elif command in ENDS:
            end = f"{command} {rest}".strip()
            break
        elif command not in PASSED_OVER:
            remedy = "a battle that was changed by hand cannot be followed"
            raise _refused(where, f">{command}", "what players do", remedy)
    if len(described) < 2:
        raise _refused("input log", f"{len(described)} players", "two", "give the whole log")
    genders, found = _Genders(seed), []
    for number, team in described:
        found.append(teamtext.described(team, f"input log, line {number}", genders))
        teams.check(found[-1], f"input log, line {number}")
    chosen = tuple(choices[0]), tuple(choices[1])
    return InputLog(seed, (found[0], found[1]), genders.drawn, chosen, end, (names[0], names[1]))


def numbers(seeds: Sequence[str], count: int) -> NDArray[np.uint32]:
    """The first numbers of 32 bits, ``[seeds, count]``, that Showdown draws from each seed in its notation.

    Raises:
        InvalidParamsError: a seed is in none of the three.
    """
    found = np.empty((len(seeds), count), np.uint32)
    by_sodium = np.array([seed.startswith(SODIUM) for seed in seeds], np.bool_)
    keys = [sodium.from_hex(seed.removeprefix(SODIUM)) for seed in seeds if seed.startswith(SODIUM)]
    if keys:
        found[by_sodium] = sodium.stream(tuple(np.array(keys).T), count).T
    states = [gen5(seed) for seed in seeds if not seed.startswith(SODIUM)]
    if states:
        found[~by_sodium] = _gen5_numbers(tuple(np.array(states).T), count).T
    return found


def _gen5_numbers(state: lcg64.State, count: int) -> NDArray[np.uint32]:
    drawn = np.empty((count, *np.shape(state[0])), np.uint32)
    for place in range(count):
        state = lcg64.advance(state)
        drawn[place] = state[0]
    return drawn


def gen5(seed: str) -> lcg64.State:
    """The state of Gen 5's generator from a seed in one of its two notations; errors as of `numbers`."""
    if match := re.fullmatch(r"gen5,([0-9a-fA-F]{16})", seed):
        return lcg64.from_int(int(match[1], 16))
    words = seed.split(",")
    if len(words) == 4 and all(re.fullmatch(r"[0-9]{1,5}", word) and int(word) < 2**16 for word in words):
        return lcg64.from_int(sum(int(word) << shift for word, shift in zip(words, (48, 32, 16, 0), strict=True)))
    expected = '"sodium," and up to 64 hexadecimal digits, "gen5," and 16, or four numbers below 65536'
    raise InvalidParamsError("seed", seed, expected, "take it from the log")


class _Genders:
    """Draws the genders that a team leaves out, as Showdown does when it makes the Pokémon."""

    def __init__(self, seed: str) -> None:
        self._numbers = numbers([seed], 2 * TEAM)[0]
        self.drawn = 0

    def integers(self, below: int) -> int:
        """The next number below a bound."""
        number = int(self._numbers[self.drawn])
        self.drawn += 1
        return number * below >> 32


class Players:
    """The choices of a log as actions, taken one after the other."""

    def __init__(self, log: InputLog) -> None:
        self._left = [list(reversed(own)) for own in log.choices]

    def next(self, state: render.Values, legal: NDArray[np.bool_], pokemon: Mapping[str, Any]) -> list[int] | None:
        """Both players' actions, or None where the log has no choice of somebody who is asked.

        Args:
            state: the fields by path.
            legal: bool ``[2, actions]``.
            pokemon: the decoded pool of all forms, columns by field.

        Raises:
            InvalidParamsError: a choice that cannot be taken here; it names the line.
        """
        asked = [not legal[player, PASS] for player in (0, 1)]
        if any(asks and not left for asks, left in zip(asked, self._left, strict=True)):
            return None
        actions = [PASS, PASS]
        for player in (0, 1):
            if asked[player]:
                team = render.members(state, player, pokemon)
                actions[player] = _action(self._left[player].pop(), state, player, legal[player], team)
        return actions


def _action(choice: Choice, state: render.Values, player: int, legal: NDArray[np.bool_], team: render.Team) -> int:
    word, *rest = choice.words.split() or [""]
    at, action = f"side[{player}].", None
    if word == "switch" and len(rest) == 1 and re.fullmatch(r"[1-6]", rest[0]):
        action = SWITCH_ACTION + int(state[f"{at}order[{int(rest[0]) - 1}]"])
    elif word == "move" and rest and (len(rest) == 1 or (len(rest) == 2 and rest[1] in TERASTALLIZE)):
        slot = _slot(rest[0], state, at, legal, team[state[f"{at}order[0]"]]["moves"])
        action = None if slot is None else (TERA_ACTION if rest[1:] else MOVE_ACTION) + slot
    if action is None or not legal[action]:
        told = ", ".join(render.action_words(int(one), state, player, team) for one in np.flatnonzero(legal))
        where = f"input log, line {choice.line}: player {player + 1}"
        raise _refused(where, choice.words, f"a choice that is legal there: {told}", "give the log as it was written")
    return action


def _slot(move: str, state: render.Values, at: str, legal: NDArray[np.bool_], moves: Sequence[int]) -> int | None:
    """The slot of a move by its number or id; who is bound to a move, or has none, has its one choice in the first."""
    struggles = move == "struggle" and not legal[MOVE_ACTION + 1 : MOVE_ACTION + MOVES].any()
    if struggles or any(state[at + field] for field in BINDING):
        return 0
    if re.fullmatch(r"[1-4]", move):
        return int(move) - 1
    ids = [NAMES["move"][number] for number in moves]
    return ids.index(move) if move in ids else None


def _seed(options: dict[str, Any], where: str) -> str:
    if options.get("formatid") != FORMAT:
        remedy = "only battles of this format are played"
        raise _refused(f"{where}: formatid", options.get("formatid"), FORMAT, remedy)
    seed = options.get("seed")
    if isinstance(seed, list):
        seed = ",".join(map(str, seed))
    if not isinstance(seed, str) or not seed:
        raise _refused(f"{where}: seed", seed, "a seed", "a log without one cannot be followed")
    numbers([seed], 1)
    return seed


def _team(options: dict[str, Any], where: str) -> str:
    team = options.get("team")
    if not isinstance(team, str) or not team:
        raise _refused(f"{where}: team", team, "a packed team", "a log without one cannot be followed")
    return team


def _json(text: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _refused(where, error, "JSON", "give the log as it was written") from None
    if not isinstance(found, dict):
        raise _refused(where, text, "a JSON object", "give the log as it was written")
    return found


def _refused(where: str, got: Any, expected: str, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(where, got=f"{got!r:.120}", expected=expected, remedy=remedy))
