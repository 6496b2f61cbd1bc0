"""What a server tells one player of one battle, put into the order in which `pokejax.showdown.determinize` reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from pokejax.poke_env.choices import FOREIGN, Choices, names_of
from pokejax.showdown.counting import is_known
from pokejax.showdown.viewpoint import REQUEST

OF_THE_ROOM: Final = frozenset({
    "", "N", "n", "J", "j", "L", "l", "askreg", "badge", "bigerror", "c", "c:", "chat", "controlshtml", "deinit",
    "error", "expire", "fieldhtml", "hidelines", "html", "inactive", "inactiveoff", "init", "join", "leave", "name",
    "noinit", "notify", "pm", "raw", "rated", "sentchoice", "showteam", "t:", "tempnotify", "tempnotifyoff", "title",
    "uhtml", "uhtmlchange", "unlink", "users", "warning",
})  # fmt: skip
"""Messages of the room in which a battle goes on; they say nothing of it."""
UNAVAILABLE: Final = "|error|[Unavailable choice]"
"""How Showdown refuses a choice of which the player could not know that it cannot be taken; a new request follows."""


class Transcript:
    """A battle's messages and requests to one player.

    A request stands behind the messages that have led to it.  Servers of before December 2024 send it first; then it
    waits for the next messages.

    Attributes:
        lines: for `determinize`.
        unknown: messages that nobody knows here; they are left out of ``lines``.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.unknown: list[str] = []
        self._waiting: dict[str, Any] | None = None
        self._news, self._refused = False, False

    def hear(self, frame: Sequence[str]) -> list[dict[str, Any]]:
        """Take the lines of one message of the server's websocket; the requests that can be answered now.

        Line ends of Windows are left out.

        Raises:
            ValueError: a request is none of a battle; all other lines have been taken.
        """
        ready, foreign = [], []
        for raw in frame:
            line = raw.rstrip("\r\n")
            if line.startswith(REQUEST):
                try:
                    ready += self._request(line.removeprefix(REQUEST))
                except ValueError as error:
                    foreign.append(error)
            elif line.startswith("|"):
                self._message(line)
        if self._waiting and self._news:
            ready.append(self._take(self._waiting))
        if foreign:
            raise foreign[0]
        return ready

    def _message(self, line: str) -> None:
        command = line[1:].split("|", 1)[0]
        if command == "init":  # everything from the beginning, again after a connection was lost
            self.lines.clear()
            self._waiting, self._news = None, False
        if line.startswith(UNAVAILABLE):
            self._refused = True
        elif command in OF_THE_ROOM:
            return
        elif is_known(line):
            self.lines.append(line)
            self._news = True
        else:
            self.unknown.append(line)

    def _request(self, text: str) -> list[dict[str, Any]]:
        request = json.loads(text or "null")
        if request is None:
            return []
        try:
            Choices.of_request(request, names_of(request))
        except FOREIGN as error:
            raise ValueError(f"no request of a battle: {error!r}, in {text[:80]}") from error
        if self._news or self._refused or request.get("update") or request.get("wait"):
            return [self._take(request)]
        self._waiting = request
        return []

    def _take(self, request: dict[str, Any]) -> dict[str, Any]:
        self.lines.append(REQUEST + json.dumps(request))
        self._waiting, self._news, self._refused = None, False, False
        return request
