"""Whether a server is there, and stays there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from typing import Any, Final
from urllib.parse import urlsplit

from poke_env.concurrency import handle_threaded_coroutines
from poke_env.ps_client import PSClient, ServerConfiguration

from rlenv_shared.errors import EnvError

CONNECT_TIMEOUT_S: Final = 10.0
LOGIN_TIMEOUT_S: Final = 20
START: Final = "start one, as `node pokemon-showdown start --no-security` in Showdown's folder, and give its address"
PORTS: Final = {"ws": 80, "wss": 443}


class ServerError(EnvError, ConnectionError):
    """A server of Showdown that is not there, does not let a player in, or has left."""


def check_reachable(server: ServerConfiguration) -> None:
    """Try to connect.

    Raises:
        ServerError: nobody listens at that address, or it is none.
    """
    url = server.websocket_url
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ServerError("address of the server", repr(url), "ws://HOST:PORT/showdown/websocket", "correct it")
    try:
        port = parts.port or PORTS[parts.scheme]
        socket.create_connection((parts.hostname, port), CONNECT_TIMEOUT_S).close()
    except (OSError, ValueError) as error:
        raise ServerError(f"server at {url}", error, "one that can be reached", START) from error


async def while_connected(client: PSClient, playing: Coroutine[Any, Any, None]) -> None:
    """Await something that a player does on its server, as long as the connection lasts.

    Raises:
        ServerError: the server does not let the player in, or the connection has ended.
    """
    task = asyncio.ensure_future(playing)
    ended = asyncio.wrap_future(client._listening_coroutine)
    try:
        await _logged_in(client, ended)
        await asyncio.wait({task, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            expected, remedy = "it to last to the battles' end", "look at the server's output, and connect again"
            raise ServerError(f"connection to {client.websocket_url}", "its end", expected, remedy)
        task.result()
    finally:
        task.cancel()


async def _logged_in(client: PSClient, ended: asyncio.Future[Any]) -> None:
    login = asyncio.ensure_future(
        handle_threaded_coroutines(client.wait_for_login(wait_for=LOGIN_TIMEOUT_S), client.loop)
    )
    await asyncio.wait({login, ended}, return_when=asyncio.FIRST_COMPLETED)
    if login.done() and login.exception() is None:
        return
    login.cancel()
    remedy = "choose another name, or start the server with --no-security"
    got = "its end" if ended.done() else f"no login in {LOGIN_TIMEOUT_S} s"
    raise ServerError(f"server at {client.websocket_url}", got, f"{client.username} to be let in", remedy)
