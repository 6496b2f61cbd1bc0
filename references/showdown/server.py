"""Pokémon Showdown's own server, of the pinned package, on a loopback port, as long as a ``with`` block lasts.

A server writes beside its program: its configuration, databases, logs.  So each one runs in a folder of its own, in
which the package's files are hard links and what is written to are copies; the package stays as npm installed it.  It
keeps every battle's log (``logchallenges``), input log included.
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from references.showdown.install import CACHE, PIN, node, package

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.verification.reference import CLOSE_TIMEOUT_S, LAUNCHER

HOST: Final = "127.0.0.1"
STARTUP_TIMEOUT_S: Final = 60.0
POLL_S: Final = 0.1
STATS: Final = ("hp", "atk", "def", "spa", "spd", "spe")
TAIL: Final = 2000  # characters of the server's output that an error quotes
WRITTEN_TO: Final = ("config", "databases")
"""Folders of the package in which a server changes files."""
LEFT_OUT: Final = ("logs", "node_modules")
SETTINGS: Final[dict[str, Any]] = {
    "bindaddress": HOST, "logchallenges": True, "backdoor": False, "repl": False, "watchconfig": False,
    "reportjoins": False, "reportbattles": False, "nobattlesearch": True,
    "disablenodestatic": True, "loginserver": f"http://{HOST}:1/", "startuphook": None,
    "subprocesses": {"network": 1, "simulator": 1},
}  # fmt: skip
"""Of ``config.js``, where they are not the package's own: nobody else is spoken to."""
MISSING: Final = ("config/chat-plugins", "logs/chat", "logs/modlog")
"""Folders of the repository that the package does not have, and the server writes to."""


@dataclasses.dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        port: of the loopback device.
        folder: of this server's files.
    """

    port: int
    folder: Path

    @property
    def websocket_url(self) -> str:
        """Where clients connect."""
        return f"ws://{HOST}:{self.port}/showdown/websocket"

    def battles(self) -> dict[str, dict[str, Any]]:
        """The logs of battles that have ended, by room, such as "battle-gen9randombattle-1".

        Each has ``inputLog`` (lines), ``log``, ``winner``, ``p1``, ``p2`` and ``turns`` as the server writes them.  A
        battle's log appears a moment after its end.
        """
        found = {}
        for path in sorted((self.folder / "logs").glob("*/*/*/*.log.json")):
            with contextlib.suppress(ValueError):  # is being written
                content = json.loads(path.read_text())
                found[content["roomid"]] = content
        return found


def input_log(battle: Mapping[str, Any]) -> str:
    """A battle's input log with both teams in it, of its log as of `Server.battles`.

    The server makes teams of random battles of seeds, which its input log has in place of them.
    """
    lines = []
    for line in battle["inputLog"]:
        command, _, rest = line.partition(" ")
        player, _, options = rest.partition(" ")
        team = battle.get(f"{player}team") if command == ">player" else None
        if team:
            told = {**json.loads(options), "team": "]".join(map(packed, team))}
            line = f">player {player} {json.dumps(told, ensure_ascii=False)}"
        lines.append(line)
    return "\n".join(lines)


def packed(pokemon: Mapping[str, Any]) -> str:
    """A set of the server's in Showdown's packed form."""
    evs, ivs = ([str(pokemon.get(name, {}).get(stat, "")) for stat in STATS] for name in ("evs", "ivs"))
    fields = [pokemon.get(name, "") for name in ("name", "species", "item", "ability")]
    fields += [",".join(pokemon["moves"]), pokemon.get("nature", ""), ",".join(evs), pokemon.get("gender") or ""]
    fields += [",".join(ivs), "S" if pokemon.get("shiny") else "", str(pokemon.get("level", 100))]
    return "|".join([*fields, f",,,,,{pokemon.get('teraType', '')}"])


@contextlib.contextmanager
def running(port: int | None = None, *, startup_timeout_s: float = STARTUP_TIMEOUT_S) -> Iterator[Server]:
    """Start a server, wait until it answers, and stop it with all its processes when the block ends, however it does.

    Args:
        port: of the loopback device; a free one when None.
        startup_timeout_s: seconds until it must answer.

    Raises:
        InvalidParamsError: the port is in use.
        ReferenceUnavailableError: Node or the package is missing or of another version; the server died at its start or
            does not answer, with the last that it wrote.
    """
    root, program = package(), node()
    found = _free_port() if port is None else port
    if _answers_at(found):
        raise InvalidParamsError(
            "port of the server", f"{found}, which is in use", "a free port", "give none, or another"
        )
    places = CACHE / "package" / "servers"  # below the package's dependencies, where Node looks for them
    places.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        _lay_out(root, folder)
        output = folder / "output.txt"
        command = [str(program), str(folder / "pokemon-showdown"), "start", "--skip-build", "--no-security", str(found)]
        with output.open("wb") as stream, _process(command, folder, stream) as process:
            _wait(process, found, output, time.monotonic() + startup_timeout_s, startup_timeout_s)
            yield Server(found, folder)


def _lay_out(root: Path, folder: Path) -> None:
    for path in root.iterdir():
        if path.name in LEFT_OUT:
            continue
        copy: Any = shutil.copy2 if path.name in WRITTEN_TO else os.link
        if path.is_dir():
            shutil.copytree(path, folder / path.name, copy_function=copy)
        else:
            copy(path, folder / path.name)
    for name in MISSING:
        (folder / name).mkdir(parents=True, exist_ok=True)
    lines = [f"exports.{name} = {json.dumps(value)};" for name, value in SETTINGS.items()]
    (folder / "config" / "config.js").write_text("\n".join(["'use strict';", *lines, ""]))


@contextlib.contextmanager
def _process(command: list[str], folder: Path, output: Any) -> Iterator[subprocess.Popen[bytes]]:
    """The program under the launcher, which ends it and whatever it has started when the block or this process ends."""
    lifeline, ours = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(LAUNCHER), str(lifeline), *command],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=folder, pass_fds=[lifeline],
            start_new_session=True,
        )  # fmt: skip
    finally:
        os.close(lifeline)
    try:
        yield process
    finally:
        os.close(ours)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(CLOSE_TIMEOUT_S)
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int, output: Path, deadline: float, limit_s: float) -> None:
    while not _answers(port):
        told = output.read_text(errors="replace")[-TAIL:]
        if process.poll() is not None:
            got = f"exit status {process.returncode} at its start: {told}"
            raise ReferenceUnavailableError(f"server of {PIN.name}", got, "a server that runs", "see its text")
        if time.monotonic() > deadline:
            got = f"no answer in {limit_s} s: {told}"
            raise ReferenceUnavailableError(f"server of {PIN.name}", got, "an answer", "give it more time")
        time.sleep(POLL_S)


def _answers(port: int) -> bool:
    """Whether its websockets are ready."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/showdown/info")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _answers_at(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        found: int = probe.getsockname()[1]
        return found
