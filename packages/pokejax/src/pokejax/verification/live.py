"""Live battles: `pokejax.poke_env.PokejaxPlayer` on a server of Showdown's own, against poke-env's players.

What the player has encoded from the server's messages and requests, at every decision, has to be what the environment
shows it where the same battle is played from the server's input log.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from poke_env import AccountConfiguration, ServerConfiguration
from poke_env.player.baselines import MaxBasePowerPlayer, RandomPlayer, SimpleHeuristicsPlayer

from pokejax.input_log import InputLog, parse
from pokejax.poke_env.decisions import DecisionPoint
from pokejax.poke_env.player import PokejaxPlayer
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION
from pokejax.verification.battles import CHUNK, programs
from pokejax.verification.input_logs import replay
from pokejax.verification.observations import first_difference
from rlenv_shared import files
from rlenv_shared.intervals import counted
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.verify import Findings

AGAINST: Final[Mapping[str, Callable[..., Any]]] = {
    "random": RandomPlayer, "base-power": MaxBasePowerPlayer, "heuristics": SimpleHeuristicsPlayer,
}  # fmt: skip
"""poke-env's players by the names of our opponents of the same rules."""
AT_ONCE: Final = 4
LOGS_WITHIN_S: Final = 30.0
SECRET: Final = "an ability that traps, which the request does not tell"
STRENGTH: Final = Path(__file__).resolve().parents[3] / "results" / "strength.json"
LISTED: Final = 100
WRONG: Final = ("invalid choices", "decisions at random", "unknown messages", "foreign requests")
"""Of the player's counts those that must be 0."""


@dataclasses.dataclass
class Decision:
    """What the player saw and did."""

    observation: dict[str, NDArray[Any]]
    legal: NDArray[np.bool_]
    action: int


@dataclasses.dataclass
class Played:
    """Battles against one of poke-env's players.

    Attributes:
        results: 1, 0 or -1 by battle.
        seats: of our player by battle.
        decisions: by battle.
        logs: input logs by battle.
        counts: of our player.
    """

    results: dict[str, int]
    seats: dict[str, int]
    decisions: dict[str, list[Decision]]
    logs: dict[str, str]
    counts: dict[str, int]


def compare_live(battles: Mapping[str, int], decide: str, seed: int, native: bool = True) -> Findings:
    """Live battles, and every decision of our player in them against the environment's.

    Args:
        battles: so many against each of `AGAINST`.
        decide: who decides for our player, a name of `pokejax.opponents.PLAYERS`.
        seed: of what our player draws; battles have the server's own seeds.
        native: replay by native steps, else by instructions.
    """
    found = Findings()
    with reference("showdown", "server").running() as server:
        for name, count in battles.items():
            played = play(server, name, count, decide, seed)
            compared = compare(played, "native" if native else "bytecode")
            found.comparisons[name] = {"battles": count, **compared}
            found.measured[name] = {
                **counted(list(played.results.values())), "in the environment": _in_the_environment(decide, name),
                "counts": played.counts,
            }  # fmt: skip
            failing = {text.split(",")[0].split(":")[0] for text in compared["failing"]}
            if failing:
                found.measured[name]["input logs"] = {tag: played.logs.get(tag) for tag in sorted(failing)}
            if len(played.results) != count:
                found.problems.append(f"{name}: {len(played.results)} of {count} battles have ended")
            for kind in WRONG:
                if played.counts.get(kind):
                    found.problems.append(f"{name}: {played.counts[kind]} {kind}")
            print(f"{name}: {found.comparisons[name]}, {found.measured[name]}", flush=True)
    return found


def play(server: Any, name: str, battles: int, decide: str, seed: int) -> Played:
    """Play against one of poke-env's players, and wait for the server's logs."""
    decisions: dict[str, list[Decision]] = {}

    def watch(tag: str, point: DecisionPoint, action: int, again: bool) -> None:
        kept = decisions.setdefault(tag, [])
        kept[len(kept) - again :] = [Decision(point.observation, point.legal, action)]

    place = ServerConfiguration(server.websocket_url, "")
    options: dict[str, Any] = {"server_configuration": place, "max_concurrent_battles": AT_ONCE}
    ours = PokejaxPlayer(
        decide, seed=seed, watch=watch, account_configuration=AccountConfiguration(f"pokejax {name}", None), **options
    )
    other = AGAINST[name](account_configuration=AccountConfiguration(f"other {name}", None), **options)
    asyncio.run(_play(ours, other, battles))
    results = {tag: 0 if battle.won is None else 1 if battle.won else -1 for tag, battle in ours.battles.items()}
    seats = {tag: int(battle.player_role == "p2") for tag, battle in ours.battles.items()}
    written = reference("showdown", "server").input_log
    deadline, logs = time.monotonic() + LOGS_WITHIN_S, dict[str, str]()
    while set(logs) != set(results) and time.monotonic() < deadline:
        logs = {tag: written(log) for tag, log in server.battles().items() if tag in results}
        time.sleep(0.1)
    return Played(results, seats, decisions, logs, dict(ours.counts))


async def _play(ours: PokejaxPlayer, other: Any, battles: int) -> None:
    try:
        await ours.battle_against(other, n_battles=battles)
    finally:
        for player in (ours, other):
            await player.ps_client.stop_listening()


def compare(played: Played, form: str) -> dict[str, Any]:
    """Every decision of our player with the environment's: observation and mask, in the same battles."""
    tags = sorted(played.results)
    outcome: dict[str, Any] = {"steps": 0, "mismatches": 0, "failing": [], SECRET: 0}
    for start in range(0, len(tags), CHUNK):
        part = [tag for tag in tags[start : start + CHUNK] if tag in played.logs]
        if part:
            _compare_chunk(part, [parse(played.logs[tag]) for tag in part], played, form, outcome)
    missing = [tag for tag in tags if tag not in played.logs]
    outcome["mismatches"] += len(missing)
    outcome["failing"] += [f"{tag}: the server has kept no log" for tag in missing]
    outcome["failing"] = outcome["failing"][:LISTED]
    return outcome


def _compare_chunk(
    tags: Sequence[str], logs: Sequence[InputLog], played: Played, form: str, outcome: dict[str, Any]
) -> None:
    run, past = programs(form), dict.fromkeys(range(len(tags)), 0)
    failed: set[int] = set()
    for moment in replay(logs, form):
        seen = {name: np.asarray(array) for name, array in run.observe(moment.words, moment.params).items()}
        masks = np.asarray(run.look(moment.words, moment.params))
        for n in moment.going:
            seat, decisions = played.seats[tags[n]], played.decisions.get(tags[n], [])
            mask = masks[n, seat]
            if mask[PASS] or n in failed:  # nobody asks it; at the end everything is legal
                continue
            if past[n] == len(decisions):
                failed.add(n)
                outcome["mismatches"] += 1
                outcome["failing"].append(f"{tags[n]}, decision {past[n]}: the player was not asked")
                continue
            decision = decisions[past[n]]
            past[n] += 1
            outcome["steps"] += 1
            expected = {name: array[n, seat] for name, array in seen.items()}
            difference = first_difference(expected, decision.observation)
            if difference is None and (mask != decision.legal).any():
                if _is_secret(mask, decision.legal):
                    outcome[SECRET] += 1
                else:
                    difference = f"legal are {np.flatnonzero(mask)}, by the request {np.flatnonzero(decision.legal)}"
            if difference:
                failed.add(n)
                outcome["mismatches"] += 1
                outcome["failing"].append(f"{tags[n]}, decision {past[n] - 1}: {difference}")


def _is_secret(mask: NDArray[np.bool_], legal: NDArray[np.bool_]) -> bool:
    """Whether only switches are legal besides, and none of them is in truth."""
    members = slice(SWITCH_ACTION, PASS)
    moves = bool((mask[:SWITCH_ACTION] == legal[:SWITCH_ACTION]).all())
    return moves and not mask[members].any() and bool(legal[members].any())


def _in_the_environment(decide: str, against: str) -> dict[str, Any] | None:
    """What `strength` has measured of the same two, if it has."""
    if not STRENGTH.is_file():
        return None
    with files.reading(f"file {STRENGTH}", "results of strength", "run pokejax.verification.strength"):
        pairs = files.read_json(STRENGTH)["pairs"]
    for pair in pairs:
        if (pair["player"], pair["against"]) == (decide, against):
            return {"battles": pair["wins"] + pair["ties"] + pair["losses"], "points": pair["points"],
                    "interval": pair["interval"]}  # fmt: skip
    return None
