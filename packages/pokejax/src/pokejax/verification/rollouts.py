"""Whole battles against the reference, for ``verify``."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import multiprocessing
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from pokejax.teamtext import PACKED_FIELDS
from pokejax.verification import any_teams
from pokejax.verification.battles import CHUNK, TIERS, Outcome, composed, play, verify
from pokejax.verification.input_logs import verify_logs
from pokejax.verification.input_logs_out import verify_written
from pokejax.verification.observations import verify_observations
from pokejax.verification.positions import SERIALISED, verify_incoming, verify_outgoing
from pokejax.verification.soak import battle_teams
from pokejax.verification.viewpoints import verify_viewpoints
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.verify import Findings

POLICIES: Final = ("uniform", "attack")
LASTING: Final = ("stall", "least-pp", "status", "ping-pong", "marathon")
"""Policies whose battles last, some of them until the turn limit ties them."""
LONG_CHUNK: Final = 20
"""Battles of a thousand turns, or with every state serialised, that are held in memory at once."""
LISTED: Final = 100
"""Battles that differ and are named in a file of results."""
TOLD: Final = ("observations", "viewpoints", "players", "local battles")
"""What is compared of battles with what players were told in them."""
GENDER: Final = PACKED_FIELDS.index("gender")
What = Literal[
    "state",
    "observations",
    "input logs",
    "input logs out",
    "from Showdown",
    "to Showdown",
    "viewpoints",
    "players",
    "local battles",
]


@dataclasses.dataclass(frozen=True)
class Part:
    """Battles that are held in memory at once.

    Attributes:
        comparison: what they count for.
        settings: of the driver, one per battle.
        what: is compared: generator, draws, core state, legal choices and carried bookkeeping, of the choices that were
            recorded or of those in Showdown's input logs, or after a position was brought over; or what players see.
            Battles of "input logs out" are played here first, and Showdown has their input logs.
        form: how the environment is run, one of `battles.FORMS`.
    """

    comparison: str
    settings: Sequence[dict[str, Any]]
    what: What
    form: str = "native"


def compare_battles(seeds: Mapping[str, str], processes: int = 1) -> Findings:
    """Battles of Showdown's own teams: everything in them follows from their number; the state at every decision.

    Args:
        seeds: "A:B" by policy: battles A up to, not including, B.
        processes: that share the work, each with a Node process.
    """
    return _findings(_numbered(seeds, "state"), processes)


def compare_observations(seeds: Mapping[str, str], processes: int = 1) -> Findings:
    """The same battles: both players' observations at every decision, with what Showdown's messages to them tell."""
    return _findings(_numbered(seeds, "observations"), processes)


def compare_soaked(kinds: Sequence[str], battles: int, seed: int, processes: int = 1) -> Findings:
    """Battles of teams that do one thing all the time (`soak.KINDS`), half of them by each policy.

    Args:
        kinds: of teams.
        battles: of each kind.
        seed: of the teams; battles are numbered from a million times it.
        processes: as above.
    """
    settings = {kind: _by_each_policy(battle_teams(kind, battles, seed), seed) for kind in kinds}
    return _findings([part for kind in kinds for part in _parts(kind, settings[kind], "state")], processes)


def compare_any(kinds: Mapping[str, int], seed: int, processes: int = 1) -> Findings:
    """Battles of teams of any parts (`any_teams`), half of them by each policy; the state at every decision.

    What was drawn besides and refused when it was read is ``measured``, by reason.

    Args:
        kinds: battles of each kind.
        seed: of the teams; battles are numbered from a million times it.
        processes: as above.
    """
    parts, refused = [], {}
    for kind, battles in kinds.items():
        drawn = any_teams.battle_teams(kind, battles, seed)
        refused[kind] = dict(sorted(drawn.refused.items()))
        parts += _parts(kind, _by_each_policy(drawn.teams, seed), "state")
    found = _findings(parts, processes)
    found.measured["refused"] = refused
    return found


def compare_input_logs(battles: int, seed: int, native: bool = True, processes: int = 1) -> Findings:
    """Battles by Showdown's default generator, played here from Showdown's own input logs; the state at every decision.

    Half of them have teams that leave genders out, which Showdown draws before the battle begins.

    Args:
        battles: half of them by each policy.
        seed: of everything; battles are numbered from a million times it.
        native: steps by a compiled function, else by instructions, which are sooner ready.
        processes: as above.
    """
    rng = np.random.default_rng(seed)
    settings: list[dict[str, Any]] = [
        {
            "episode": str(1_000_000 * seed + n),
            "policy": POLICIES[n % 2],
            "seed": f"sodium,{rng.bytes(16).hex()}",
        }
        for n in range(battles)
    ]
    half = battles // 2
    pairs = iter(composed(battles, seed)[0])
    for one in settings[half:]:
        one["teams"] = [_without_genders(next(pairs)) for _ in range(2)]
    kinds = {"generated": settings[:half], "genders": settings[half:]}
    parts = [part for kind in kinds for part in _parts(kind, kinds[kind], "input logs", form=_form(native))]
    return _findings(parts, processes)


def compare_input_logs_out(battles: int, seed: int, native: bool = True, processes: int = 1) -> Findings:
    """Battles of the environment, which Showdown plays from nothing but their input logs; the state at every decision.

    Args:
        battles: of teams that the environment draws, half of them by each policy.
        seed: battles are numbered from a million times it.
        native: as of `compare_input_logs`.
        processes: as above.
    """
    return _findings(_numbered(_halves(battles, seed), "input logs out", _form(native)), processes)


def _form(native: bool) -> str:
    return "native" if native else "bytecode"


def compare_positions(battles: int, seed: int, native: bool = True, processes: int = 1) -> Findings:
    """Positions brought over from Showdown, and to it, in the middle of battles; every decision from there on.

    A third of the battles each are of Showdown's own teams, of teams of any parts, and of teams that do rare things.

    Args:
        battles: of which two positions are taken, one for each way.
        seed: of teams; battles are numbered from a million times it.
        native: as of `compare_input_logs`.
        processes: as above.
    """
    third = battles // 3
    first = 1_000_000 * seed
    settings = numbered(f"{first}:{first + battles - 2 * third}", POLICIES[0])
    for pairs in (any_teams.battle_teams("any", third, seed).teams, battle_teams("rare", third, seed)):
        settings += _by_each_policy(pairs, seed)
    ways: tuple[What, ...] = ("from Showdown", "to Showdown")
    parts = [part for way in ways for part in _parts(way, settings, way, LONG_CHUNK, _form(native))]
    return _findings(parts, processes)


def compare_viewpoints(battles: int, seed: int, processes: int = 1) -> Findings:
    """Whole positions from one player's view, one of each battle of Showdown's own teams: what that player observes.

    Args:
        battles: half of them by each policy.
        seed: battles are numbered from a million times it.
        processes: as above.
    """
    return _findings(_numbered(_halves(battles, seed), "viewpoints"), processes)


def compare_players(battles: int, seed: int, native: bool = True, processes: int = 1) -> Findings:
    """What opponents on the device and poke-env's players of the same rules decide, in both seats, at every decision.

    Args:
        battles: of Showdown's own teams, half of them by each policy.
        seed: battles are numbered from a million times it.
        native: as of `compare_input_logs`.
        processes: as above.
    """
    return _findings(_numbered(_halves(battles, seed), "players", _form(native)), processes)


def compare_local_battles(battles: int, seed: int, native: bool = True, processes: int = 1) -> Findings:
    """poke-env's battles as they are filled here and by Showdown's messages; what its players decide in both.

    Args:
        battles: of Showdown's own teams, half of them by each policy.
        seed: battles are numbered from a million times it.
        native: as of `compare_input_logs`.
        processes: as above.
    """
    return _findings(_numbered(_halves(battles, seed), "local battles", _form(native)), processes)


def _halves(battles: int, seed: int) -> dict[str, str]:
    """As many battles, half of them by each policy, numbered from a million times the seed."""
    first, half = 1_000_000 * seed, battles // 2
    return {POLICIES[0]: f"{first}:{first + half}", POLICIES[1]: f"{first + half}:{first + battles}"}


def _without_genders(team: str) -> str:
    """A packed team; its Pokémon have no names that could hold a bar."""
    fields = [member.split("|") for member in team.split("]")]
    return "]".join("|".join([*member[:GENDER], "", *member[GENDER + 1 :]]) for member in fields)


def compare_lasting(policies: Mapping[str, int], kinds: Sequence[str], seed: int, processes: int = 1) -> Findings:
    """Battles that last for hundreds of turns: counters reach their ends and turns are counted anew; the state.

    Args:
        policies: battles of each, of `LASTING`.
        kinds: of teams (`soak.KINDS`), one battle after the other.
        seed: of the teams; battles are numbered from a million times it.
        processes: as above.
    """
    parts = []
    for policy, battles in policies.items():
        pairs = {kind: battle_teams(kind, -(-battles // len(kinds)), seed) for kind in kinds}
        settings = [
            {
                "episode": str(1_000_000 * seed + n),
                "policy": policy,
                "teams": list(pairs[kinds[n % len(kinds)]][n // len(kinds)]),
            }
            for n in range(battles)
        ]
        parts += _parts(policy, settings, "state", LONG_CHUNK)
    return _findings(parts, processes)


def compare_numbered(seeds: str, policy: str, *, observations: bool) -> Outcome:
    """Battles by their numbers, one after the other.

    Args:
        seeds: "A:B": battles A up to, not including, B.
        policy: "uniform" or "attack".
        observations: compare observations in place of the state.

    Raises:
        InvalidParamsError: ``seeds`` is no such range.
    """
    total = Outcome()
    parts = _numbered({policy: seeds}, "observations" if observations else "state")
    for part, outcome in shared_out(_outcome, parts, 1):
        first = int(part.settings[0]["episode"])
        total.battles += outcome.battles
        total.decisions += outcome.decisions
        total.mismatches += [(first + n, decision, text) for n, decision, text in outcome.mismatches]
    return total


def span(seeds: str) -> range:
    """The numbers of "A:B".  Raises InvalidParamsError: it is no such range."""
    found = re.fullmatch(r"(\d+):(\d+)", seeds)
    first, end = map(int, found.groups()) if found else (0, 0)
    if first >= end:
        raise InvalidParamsError("seeds", repr(seeds), "A:B with A below B", "e.g. 0:100")
    return range(first, end)


def numbered(seeds: str, policy: str) -> list[dict[str, Any]]:
    """Settings of the driver for these battles; arguments as for `compare_numbered`."""
    return [{"episode": str(number), "policy": policy} for number in span(seeds)]


def _by_each_policy(pairs: Sequence[tuple[str, str]], seed: int) -> list[dict[str, Any]]:
    """The driver's settings of battles of these teams, half by each policy, numbered from a million times the seed."""
    return [
        {"episode": str(1_000_000 * seed + n), "policy": POLICIES[n % 2], "teams": list(pair)}
        for n, pair in enumerate(pairs)
    ]


def _numbered(seeds: Mapping[str, str], what: What, form: str = "native") -> list[Part]:
    return [part for policy, text in seeds.items() for part in _parts(policy, numbered(text, policy), what, form=form)]


def _parts(
    comparison: str, settings: Sequence[dict[str, Any]], what: What, size: int = CHUNK, form: str = "native"
) -> list[Part]:
    return [Part(comparison, settings[n : n + size], what, form) for n in range(0, len(settings), size)]


def _players(recordings: Sequence[dict[str, Any]], form: str) -> Outcome:
    from pokejax.verification.poke_env_players import verify_players  # poke-env takes a second, and is an extra

    return verify_players(recordings, form)


def _local_battles(recordings: Sequence[dict[str, Any]], form: str) -> Outcome:
    from pokejax.verification.local_battles import verify_local_battles

    return verify_local_battles(recordings, form)


_COMPARED: Final[Mapping[What, Callable[..., Outcome]]] = {
    "state": verify,
    "observations": verify_observations,
    "input logs": verify_logs,
    "from Showdown": verify_incoming,
    "to Showdown": verify_outgoing,
    "viewpoints": verify_viewpoints,
    "players": _players,
    "local battles": _local_battles,
}


def _outcome(part: Part) -> Outcome:
    if part.what == "input logs out":
        return verify_written(part.settings, part.form)
    messages, input_log = part.what in TOLD, part.what == "input logs"
    include = SERIALISED if part.what in ("from Showdown", "to Showdown") else TIERS
    recordings = list(play(part.settings, messages=messages, input_log=input_log, include=include))
    outcome = _COMPARED[part.what](recordings, form=part.form)
    capped = [n for n, recording in enumerate(recordings) if not recording["views"][-1]["ended"]]
    outcome.unfinished = len(capped)
    return outcome


def shared_out(function: Callable[[Any], Any], parts: Sequence[Any], processes: int) -> Iterator[tuple[Any, Any]]:
    """Each part with what the function found in it, in their order.

    Args:
        function: of a module.
        parts: what it takes.
        processes: that share them.
    """
    if processes == 1:
        yield from ((part, function(part)) for part in parts)
        return
    spawn = multiprocessing.get_context("spawn")  # a fork would copy JAX's threads without their state
    with concurrent.futures.ProcessPoolExecutor(processes, spawn) as pool:
        yield from zip(parts, pool.map(function, parts), strict=True)


def _findings(parts: Sequence[Part], processes: int) -> Findings:
    found = Findings()
    for part, outcome in shared_out(_outcome, parts, processes):
        start = {"battles": 0, "steps": 0, "mismatches": 0, "unfinished": 0, "failing": []}
        counts = found.comparisons.setdefault(part.comparison, start)
        counts["battles"] += outcome.battles
        counts["steps"] += outcome.decisions
        counts["mismatches"] += len(outcome.mismatches)
        counts["unfinished"] += outcome.unfinished
        failing = [f"battle {part.settings[n]['episode']}, decision {d}: {text}" for n, d, text in outcome.mismatches]
        counts["failing"] = (counts["failing"] + failing)[:LISTED]
        for reason, times in sorted(outcome.declared.items()):
            declared = found.measured.setdefault("declared", {})
            declared[reason] = declared.get(reason, 0) + times
        for text in failing:
            print(f"{part.comparison}: {text}", flush=True)
        totals = ", ".join(f"{counts[key]} {key}" for key in ("battles", "steps", "mismatches", "unfinished"))
        print(f"{part.comparison}: {totals}", flush=True)
    return found
