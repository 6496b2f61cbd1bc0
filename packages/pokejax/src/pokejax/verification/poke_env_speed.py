"""How fast the same players play: over the websocket of Showdown's own server, and in pokejax.

``python -m pokejax.verification.poke_env_speed --out FILE`` measures both in one run, one after the other: poke-env's
players on the pinned server, the same players in `LocalBattles`, and the same rules on the device.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
from poke_env import AccountConfiguration, ServerConfiguration
from poke_env.player import Player
from poke_env.player.baselines import RandomPlayer, SimpleHeuristicsPlayer

from pokejax.engine import ENGINE
from pokejax.env import RandomBattle
from pokejax.opponents import PLAYERS as SCRIPTS
from pokejax.poke_env.local_battles import LocalBattles
from rlenv_emit import emit_env
from rlenv_emit.emit import emit_lazily
from rlenv_shared import compiling, counter_rng, files, machine
from rlenv_shared.verification.locate import reference

PLAYERS: Final[Mapping[str, Callable[..., Player]]] = {"random": RandomPlayer, "heuristics": SimpleHeuristicsPlayer}
"""poke-env's players by the names of our opponents of the same rules; each plays against itself."""
WEBSOCKET, LOCAL, DEVICE = "poke-env over the websocket", "LocalBattles", "the same rules on the device"
AT_ONCE: Final = 10
"""Battles that go on at the same time over the websocket, of each player."""
SEED: Final = 9_000_000
ON_DEVICE: Final = 2048
"""Battles on the device that go on at the same time."""
STEPS, CALLS = 16, 20
"""Steps of a call, and calls that are timed."""


class Timed:
    """A player of poke-env that counts the seconds that it takes for its decisions."""

    def __init__(self, player: Player) -> None:
        self.player, self.seconds, self.decisions = player, 0.0, 0

    def choose_move(self, battle: Any) -> Any:
        """The player's own order."""
        begin = time.perf_counter()
        order = self.player.choose_move(battle)
        self.seconds += time.perf_counter() - begin
        self.decisions += 1
        return order


def over_the_websocket(name: str, battles: int) -> dict[str, Any]:
    """Battles of a player against itself on the pinned server, without its start and the players' login."""
    with reference("showdown", "server").running() as server:
        place = ServerConfiguration(server.websocket_url, "")
        one, other = (
            PLAYERS[name](
                server_configuration=place, max_concurrent_battles=AT_ONCE,
                account_configuration=AccountConfiguration(f"{name} {n}", None),
            )
            for n in (1, 2)
        )  # fmt: skip
        asyncio.run(one.battle_against(other, n_battles=AT_ONCE))  # both have logged in, and Node has compiled
        begin = time.perf_counter()
        asyncio.run(one.battle_against(other, n_battles=battles))
        seconds = time.perf_counter() - begin
        asyncio.run(_leave(one, other))
    return {"battles": battles, "seconds": seconds, "battles/s": battles / seconds}


async def _leave(*players: Player) -> None:
    for player in players:
        await player.ps_client.stop_listening()


def local(name: str, battles: int, backend: str) -> dict[str, Any]:
    """The same in `LocalBattles`, with the share of the time that the players' own code takes."""
    players = [Timed(PLAYERS[name](start_listening=False)) for _ in (0, 1)]
    arena = LocalBattles(*players, seed=SEED, backend=backend)
    arena.play(1)  # steps are compiled
    for player in players:
        player.seconds, player.decisions = 0.0, 0
    begin = time.perf_counter()
    arena.play(battles)
    seconds = time.perf_counter() - begin
    own = sum(player.seconds for player in players)
    return {
        "battles": battles, "seconds": seconds, "battles/s": battles / seconds,
        "in the players' own code": own / seconds, "decisions": sum(player.decisions for player in players),
    }  # fmt: skip


def on_device(name: str, battles: int) -> dict[str, Any]:
    """The same rules on the device, by emitted steps and an emitted player, on all processors.

    So many battles go on at the same time, and a new one begins where one has ended.  What is timed begins when every
    first one has ended in the mean; battles count that end in it.
    """
    env, script = emit_env(RandomBattle()), SCRIPTS[name]
    params = jax.device_put(env.default_params)

    def both(state: Any, params: Any, words: Any) -> Any:
        return jnp.stack([script(state, seat, params, words[seat]) for seat in (0, 1)])

    choose = emit_lazily(both)

    def step(carry: Any, nothing: None) -> tuple[Any, None]:
        state, rng, ended = carry
        first, rng = jax.vmap(counter_rng.bits)(rng)
        second, rng = jax.vmap(counter_rng.bits)(rng)
        actions = jax.vmap(choose, (0, None, 0))(state, params, jnp.stack([first, second], axis=1))
        state, _, terminated, truncated = jax.vmap(env.advance, (0, 0, None))(state, actions, params)
        return (state, rng, ended + (terminated | truncated).sum(dtype=jnp.int32)), None

    played = compiling.jit(lambda carry: jax.lax.scan(step, carry, None, STEPS)[0], env)
    words = tuple(map(jnp.asarray, counter_rng.seed_words(SEED, battles)))
    state = compiling.jit(jax.vmap(env.init, (0, None)), ENGINE)(words, params)
    carry = state, tuple(map(jnp.asarray, counter_rng.from_seed(SEED, battles))), jnp.int32(0)
    while int(carry[2]) < battles:
        carry = played(carry)
    before, begin = int(carry[2]), time.perf_counter()
    for _ in range(CALLS):
        carry = jax.block_until_ready(played(carry))
    seconds, ended = time.perf_counter() - begin, int(carry[2]) - before
    return {"battles": ended, "seconds": seconds, "battles/s": ended / seconds}


def measured(battles: int, repeats: int, backend: str) -> list[dict[str, Any]]:
    """Every way for every player; of several runs that with the median speed, and all speeds beside it."""
    rows = []
    for name in PLAYERS:
        ways: dict[str, Callable[[str], dict[str, Any]]] = {
            WEBSOCKET: lambda name: over_the_websocket(name, battles),
            LOCAL: lambda name: local(name, battles, backend),
            DEVICE: lambda name: on_device(name, ON_DEVICE),
        }
        for way, measure in ways.items():
            runs = sorted((measure(name) for _ in range(repeats)), key=lambda run: float(run["battles/s"]))
            speeds = [run["battles/s"] for run in runs]
            rows.append({"player": name, "way": way, **runs[len(runs) // 2], "all battles/s": speeds})
            print(f"{name}, {way}: {rows[-1]}", flush=True)
    return rows


def ratios(rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Speeds by player, in terms of that over the websocket."""
    speeds = {(row["player"], row["way"]): row["battles/s"] for row in rows}
    return {name: {way: speeds[name, way] / speeds[name, WEBSOCKET] for way in (LOCAL, DEVICE)} for name in PLAYERS}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--battles", type=int, default=200, help="over the websocket and locally (default: %(default)s)"
    )
    parser.add_argument("--repeats", type=int, default=3, help="of each measurement (default: %(default)s)")
    parser.add_argument("--backend", default="emit", help="of LocalBattles (default: %(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    given = parser.parse_args(argv)
    rows = measured(given.battles, given.repeats, given.backend)
    head = {"machine": machine.describe(), **machine.git_state(Path(__file__).parent)}
    settings = {"battles": given.battles, "repeats": given.repeats, "backend": given.backend, "at once": AT_ONCE}
    files.write_json(given.out, {**head, **settings, "rows": rows, "in terms of the websocket": ratios(rows)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
