"""The damage calculator against Showdown's own formula: random Pokémon in random situations, all sixteen draws."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import jax
import numpy as np

from pokejax import damage, rows, teams
from pokejax.effects import CHANGED_ABILITIES, CHANGES
from pokejax.engine import ENGINE
from pokejax.rules.mechanics.screens import SCREENS
from pokejax.state import MOVES, TEAM
from pokejax.tables import FORMS, NAMES, Params, stride
from pokejax.verification.battles import composed
from pokejax.verification.rollouts import LISTED, shared_out
from rlenv_shared import compiling
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.verify import Findings

CHUNK: Final = 50
"""Battles that are open at once."""
CASES: Final = 2 * MOVES * 2 * CHUNK
"""Most that such battles have: both leads, their moves, with and without a critical hit."""
WEATHER_BRINGERS: Final = ("drizzle", "drought", "sandstream", "snowwarning", "orichalcumpulse")
KEEPS_EVERYBODY_AWAKE: Final = ("electricsurge", "hadronengine")
TERRAIN_BRINGERS: Final = (*KEEPS_EVERYBODY_AWAKE, "grassysurge", "mistysurge", "psychicsurge")
KEEPS_OFF_STATUS: Final = (
    "comatose", "flowerveil", "immunity", "insomnia", "leafguard", "limber", "magmaarmor", "pastelveil",
    "purifyingsalt", "shieldsdown", "sweetveil", "thermalexchange", "vitalspirit", "waterbubble", "waterveil",
)  # fmt: skip
STANDING: Final = tuple(rows.SIDE_CONDITIONS[code] for code in SCREENS)


@dataclasses.dataclass(frozen=True)
class Case:
    """One attack: who attacks whom in which situation, and what Showdown says."""

    words: Any
    tables: Any
    move: str
    critical: bool
    rolls: Sequence[int]
    where: str


def compare_damages(battles: int, seed: int, processes: int = 1) -> Findings:
    """Every move of both leads of random battles, with and without a critical hit, by all sixteen draws.

    Stages, hit points, statuses, screens, weather and terrain are random.  Leads that transform when they come in are
    left out: `damage.situation` has no words for it.

    Args:
        battles: to open.
        seed: of all that is random.
        processes: that share the work, each with a Node process.
    """
    found = Findings()
    counts: dict[str, Any] = {"battles": 0, "steps": 0, "draws": 0, "harmless": 0, "mismatches": 0, "failing": []}
    found.comparisons["damages"] = counts
    parts = [(min(CHUNK, battles - start), seed, start) for start in range(0, battles, CHUNK)]
    for (opened, _, _), (cases, harmless, failing) in shared_out(_outcome, parts, processes):
        counts["battles"] += opened
        counts["steps"] += cases
        counts["draws"] += cases * damage.ROLLS
        counts["harmless"] += harmless
        counts["mismatches"] += len(failing)
        counts["failing"] = (counts["failing"] + failing)[:LISTED]
        print(", ".join(f"{counts[key]} {key}" for key in ("battles", "steps", "mismatches")), *failing, flush=True)
    return found


def _outcome(part: tuple[int, int, int]) -> tuple[int, int, list[str]]:
    """Cases of some battles, how many of them do no damage, and those that differ."""
    cases = list(_cases(*part))
    failing = [
        f"{case.where}: {ours}, Showdown {list(case.rolls)}"
        for case, ours in zip(cases, _calculated(cases), strict=True)
        if ours != list(case.rolls)
    ]
    return len(cases), sum(not any(case.rolls) for case in cases), failing


def _cases(battles: int, seed: int, start: int) -> Iterator[Case]:
    rng = np.random.default_rng((seed, start))
    settings = list(_settings(rng, battles, start))
    with reference("showdown").driver() as driver:
        for setting, view in zip(settings, driver.request("open", battles=settings), strict=True):
            attacks = [
                {"battle": view["battle"], "side": side, "slot": slot, "critical": critical}
                for side in (0, 1)
                for slot in range(len(view["constants"][side][0]["moves"]))
                for critical in (False, True)
            ]
            faced = [_situation(view, side) for side in (0, 1)]
            for attack, rolls in zip(attacks, driver.request("rolls", attacks=attacks), strict=True):
                move = view["constants"][attack["side"]][0]["moves"][attack["slot"]][0]
                leads = " against ".join(team.split("]")[0] for team in setting["teams"])
                where = f"{leads}, {setting['setup']}, side {attack['side']}: {move}{', critical' * attack['critical']}"
                # Endeavor's is negative where the target has fewer hit points, and the move fails
                words, own = faced[attack["side"]]
                yield Case(words, own, move, attack["critical"], [max(roll, 0) for roll in rolls], where)
            driver.request("close", battles=[view["battle"]])


def _settings(rng: np.random.Generator, battles: int, start: int) -> Iterator[dict[str, Any]]:
    """Two random teams each and what they are put into, in the driver's words."""

    def plain(source: Any, pool: teams.Arrays) -> Any:
        return pool["ability"] != source.number("ability", "imposter")

    packed, columns = composed(2 * battles, int(rng.integers(2**32)), plain)
    words = [columns[f"word{k}"][:, 0] for k in range(rows.POKEMON_WORDS)]
    leads = rows.POKEMON.decode(words)
    for n in range(battles):
        pair = (2 * n, 2 * n + 1)
        own = [{"most": int(leads["max_hp"][k]), "ability": NAMES["ability"][int(leads["ability"][k])]} for k in pair]
        yield {"seed": f"{start + n + 1:x}", "teams": [packed[k] for k in pair], "setup": _setup(rng, own)}


def _setup(rng: np.random.Generator, leads: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Changes before the first decision; weather and terrain stay those of leads who bring one."""
    setup: list[list[Any]] = []
    abilities = {lead["ability"] for lead in leads}
    awake = abilities.intersection(KEEPS_EVERYBODY_AWAKE)
    statuses = [name for name in rows.STATUSES[1:] if not (awake and name == "slp")]
    for side, lead in enumerate(leads):
        if rng.random() < 0.75:
            setup.append(["boosts", side, rng.integers(-6, 7, 7).tolist()])
        if rng.random() < 0.5:
            setup.append(["hp", side, 0, int(rng.integers(1, lead["most"] + 1))])
        if rng.random() < 0.4 and lead["ability"] not in KEEPS_OFF_STATUS:
            setup.append(["status", side, 0, str(rng.choice(statuses))])
        setup += [["side_condition", side, name] for name in STANDING if rng.random() < 0.15]
    for kind, names, bringers in (
        ("weather", rows.WEATHERS, WEATHER_BRINGERS),
        ("terrain", rows.TERRAINS, TERRAIN_BRINGERS),
    ):
        name = names[rng.integers(len(names))]
        if name and not abilities.intersection(bringers):
            setup.append([kind, name])
    return setup


def _situation(view: Mapping[str, Any], attacker: int) -> tuple[Any, Any]:
    """Words and tables of a view's position as one of the sides sees it."""
    one, other = (_lead(view, n) for n in (attacker, 1 - attacker))
    weather, terrain = view["core"]["weather"], view["core"]["terrain"]
    return damage.situation(
        one["constants"],
        other["constants"],
        weather=weather[0] if weather else "",
        terrain=terrain[0] if terrain else "",
        screens=(one["screens"], other["screens"]),
        boosts=(one["boosts"], other["boosts"]),
        hp=(one["hp"], other["hp"]),
        statuses=(one["status"], other["status"]),
        lowered=(one["lowered"], other["lowered"]),
        grown=(one["grown"], other["grown"]),
        slow=(one["slow"], other["slow"]),
        changed=(one["changed"], other["changed"]),
    )


def _lead(view: Mapping[str, Any], number: int) -> dict[str, Any]:
    """What a view says of a side's active Pokémon."""
    side = view["core"]["sides"][number]
    place = side["order"][0]
    front = side["pokemon"][place]
    constants = view["constants"][number][place]
    changed = front["species"] == CHANGES.get(constants["species"])
    brought = changed and CHANGED_ABILITIES.get(front["species"]) == front["ability"]
    ability = constants["ability"] if brought else front["ability"]
    return {key: front[key] for key in ("boosts", "hp", "status")} | {
        "constants": {**constants, "item": front["item"], "ability": ability},
        "screens": [name for name in STANDING if name in side["conditions"]],
        "lowered": view["aux"]["sides"][number]["pokemon"][place]["stats_lowered"],
        "grown": _grown(front["volatiles"]),
        "slow": front["ability"] == "slowstart",  # it has just come in
        "changed": changed,
    }


def _grown(volatiles: Mapping[str, Any]) -> str:
    """The stat that Protosynthesis or Quark Drive has made grow."""
    return "".join(volatiles[name]["bestStat"] for name in ("protosynthesis", "quarkdrive") if name in volatiles)


def _calculated(cases: Sequence[Case]) -> list[list[int]]:
    """Our sixteen damages of each case; the last one fills the batch up, so that there is one program."""
    filled = [*cases, *[cases[-1]] * (CASES - len(cases))]
    stacked = [
        jax.tree.map(lambda *leaves: np.stack(leaves), *trees)
        for trees in ([case.words for case in filled], [_of_two_teams(case.tables) for case in filled])
    ]
    numbers = np.array([damage.move_number(case.move) for case in filled])
    critical = np.array([case.critical for case in filled])
    # tables are the same but for the two Pokémon
    found: list[list[int]] = np.asarray(_rolls()(*stacked, numbers, critical, cases[0].tables)).tolist()
    return found[: len(cases)]


def _of_two_teams(tables: Params) -> Any:
    """The rows of Pokémon of parameters without the room for further teams."""
    return tables.pokemon.reshape(FORMS, -1)[:, : 2 * TEAM * stride(rows.POKEMON)].reshape(-1)


@functools.cache
def _rolls() -> Any:
    def one(words: Any, pokemon: Any, move: Any, critical: Any, tables: Any) -> Any:
        return damage.rolls(words, move, critical, tables.replace(pokemon=pokemon))

    return compiling.jit(jax.vmap(one, (0, 0, 0, 0, None)), ENGINE)
