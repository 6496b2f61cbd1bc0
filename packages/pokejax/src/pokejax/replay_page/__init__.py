"""A battle as a page to look at: one file of HTML that needs no network, made of an input log.

``page(log)`` plays the log here and tells of every action what it has brought.  From one player's view the file holds
what this player observes and has chosen, and nothing else.
"""

from __future__ import annotations

import dataclasses
import html
import importlib.resources
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from pokejax import input_log
from pokejax.replay_page.board import Board, board
from pokejax.replay_page.chances import Judge
from pokejax.replay_page.playing import Moment, action, choice_words, known, moments
from pokejax.replay_page.telling import Line, ending, told
from rlenv_shared.errors import InvalidParamsError

VIEWS: Final = {"both": None, "1": 0, "2": 1}
"""Whose view a page shows, by the name on the command line."""
PARTS: Final = ("page.css", "page.js")
"""Files beside this one that are written into ``page.html``."""


def page(log: str, view: str = "both", policy: Any = None) -> str:
    """The page of a battle.

    Args:
        log: Showdown's input log (`pokejax.input_log`).
        view: "both", or "1" or "2" for what that player sees.
        policy: of `rlenv_learn`, whose chance of winning is drawn: the first player's, or that of whose view it is.

    Returns:
        The text of an HTML file.

    Raises:
        InvalidParamsError: no such view, or the log cannot be followed; see `input_log.parse`.
    """
    if view not in VIEWS:
        raise InvalidParamsError("view", repr(view), f"one of {', '.join(VIEWS)}", "choose one")
    parsed = input_log.parse(log)
    parts = {name: _file(name) for name in PARTS}
    parts["title"] = html.escape(" against ".join(parsed.names))
    parts["battle"] = _embedded(_content(parsed, VIEWS[view], policy))
    return re.sub(r"\{\{([\w.]+)\}\}", lambda mark: parts[mark[1]], _file("page.html"))


def _file(name: str) -> str:
    return (importlib.resources.files(__package__) / name).read_text("utf-8")


def _embedded(content: Any) -> str:
    """JSON that no browser takes for the end of the element in which it stands."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _content(log: input_log.InputLog, viewer: int | None, policy: Any) -> dict[str, Any]:
    """What the page's program reads: ``names``, ``viewer``, ``pokemon``, ``boards`` and ``beats``.

    A beat is a moment to stop at: ``board`` is a place in ``boards``, ``lines`` what has led there or is chosen there,
    in turn ``turn``; at a decision also ``chance``, in percent, if there is a policy.  Sides and Pokémon hardly change:
    ``boards`` has places in ``sides``, these in ``pokemon``.
    """
    judges = {} if policy is None else {n: Judge(policy, n) for n in ((0, 1) if viewer is None else (viewer,))}
    tables: dict[str, _Table] = {"pokemon": _Table(), "sides": _Table(), "boards": _Table()}
    beats: list[dict[str, Any]] = []
    last, place = None, 0
    for moment in moments(log):
        happened = [Line("begin", "The battle begins.")]
        if last is not None:
            happened = list(_between(last, moment, viewer))
            if last.chosen is not None and (chosen := _choices(last, moment, viewer)):
                beats.append(_beat(last, chosen, place) | _judged(judges, last, viewer))
        happened += _ending(moment, log)
        place = _placed(_board(moment, viewer), tables)
        if happened:
            beats.append(_beat(moment if last is None else last, happened, place))
        last = moment
    found = {name: table.rows for name, table in tables.items()}
    return {"names": log.names, "viewer": viewer, **found, "beats": beats}


def _beat(begun: Moment, lines: list[Line], place: int) -> dict[str, Any]:
    """Lines of the turn in which a moment is, with the place of the board to which they belong."""
    rows = [[line.kind, line.text, line.side] for line in lines]
    return {"board": place, "turn": begun.state["turn"], "lines": rows}


def _judged(judges: dict[int, Judge], moment: Moment, viewer: int | None) -> dict[str, float]:
    """The chance of winning of the first player or the viewer: the mean of what those think who are asked."""
    found = {n: judge.chance(moment) for n, judge in judges.items() if moment.asked(n)}
    chances = [chance if n == (viewer or 0) else 100 - chance for n, chance in found.items()]
    return {"chance": round(sum(chances) / len(chances), 1)} if chances else {}


def _ending(moment: Moment, log: input_log.InputLog) -> list[Line]:
    """How the battle ends, or that its log does."""
    if moment.state["over"]:
        return [ending(moment.state["winner"], log.names)]
    if moment.chosen is None and (moment.asked(0) or moment.asked(1)):
        return [Line("end", f"The log ends here{f': {log.end}' if log.end else ''}.")]
    return []


def _between(before: Moment, after: Moment, viewer: int | None) -> Iterator[Line]:
    done = action(before, after)
    hidden = done is not None and viewer is not None and done.side != viewer
    if done is not None and hidden and not known(done.move, after.observations[viewer or 0]):
        done = dataclasses.replace(done, move="")
    ends = bool(before.state["queued_residual"] and not after.state["queued_residual"])
    yield from told(_board(before, viewer), _board(after, viewer), done, ends)


def _choices(moment: Moment, after: Moment, viewer: int | None) -> list[Line]:
    """What players choose; of the other one the viewer is not told."""
    players = (0, 1) if viewer is None else (viewer,)
    return [Line("choice", choice_words(moment, after, n), n) for n in players if moment.asked(n)]


def _board(moment: Moment, viewer: int | None) -> Board:
    return board(moment.observations, viewer, moment.state)


class _Table:
    """Different values of JSON, each once."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._places: dict[str, int] = {}

    def place(self, value: Any) -> int:
        """Where it stands."""
        key = json.dumps(value)
        if key not in self._places:
            self._places[key] = len(self.rows)
            self.rows.append(value)
        return self._places[key]


def _placed(one: Board, tables: dict[str, _Table]) -> int:
    sides = [
        tables["sides"].place({**side, "team": [tables["pokemon"].place(pokemon) for pokemon in side["team"]]})
        for side in one["sides"]
    ]
    return tables["boards"].place({**one, "sides": sides})
