"""The ledger: every move, ability, item and forme of the format, with a battle that goes another way without it.

``python -m pokejax.verification.ledger --out FILE``

Battles are recorded from Showdown, and the engine has to go the same way at every decision.  Then one effect after the
other is taken out of the engine: its row of the tables, which is all that the rules' handlers ask for, and what it
multiplies; a forme becomes a `COMMON` one.  The engine has to go another way than Showdown in a battle of that effect.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from pokejax import rows
from pokejax.battle import NORMAL
from pokejax.rules.mechanics.numbers import FIRST_ITEM
from pokejax.tables import NAMES, Params, interleaved, separated, stride
from pokejax.teams import described_pool
from pokejax.verification import cases, leads
from pokejax.verification.battles import verify
from pokejax.verification.observations import verify_observations
from rlenv_shared import machine
from rlenv_shared.verification.locate import reference

ROUNDS: Final = 24
"""Battles that are led by a Pokémon which has an effect, one after the other until it is seen."""
COMMON: Final = {
    "type1": NORMAL,
    "type2": 0,
    "weight": 0,
    "base": 0,
    "reverts": False,
    "masked": False,
    "beat_power": 0,
}
"""What a forme becomes when it is taken out, besides that each of its stats but hit points is `COMMON_STAT`."""
COMMON_STAT: Final = 150
OF_NO_EFFECT: Final[Mapping[str, str]] = {
    "ability powerspot": "helps partners, of whom there are none in singles",
}

LISTS: Final = ("seen", "of_no_effect", "not_seen")


class Effect(NamedTuple):
    """A move, ability, item or forme ("species") by name."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


Recordings = dict[Effect, list[dict[str, Any]]]
"""By effect, the reference's recordings in which it may be seen."""


def effects() -> list[Effect]:
    """All that Showdown's generator makes, and Struggle."""
    source = reference("showdown", "tables").load()
    formes = sorted(source.names["species"][number] for number in np.unique(described_pool()["species"]))
    named = [Effect(kind, name) for kind in ("move", "ability", "item") for name in dict.fromkeys(NAMES[kind][1:])]
    return named + [Effect("species", name) for name in formes]


def without(effect: Effect) -> Callable[[Params], Params]:
    """What takes an effect out of the tables."""
    number = NAMES[effect.kind].index(effect.name)
    if effect.kind == "species":
        return functools.partial(_without_forme, number)
    return functools.partial(_without_row, effect.kind, number)


def _without_row(kind: str, number: int, params: Params) -> Params:
    name, layout = {
        "move": ("moves", rows.MOVE), "ability": ("abilities", rows.ABILITY), "item": ("items", rows.ITEM),
    }[kind]  # fmt: skip
    changed = {name: _emptied(getattr(params, name), stride(layout), number)}
    if kind != "move":
        first = number if kind == "ability" else number + FIRST_ITEM
        size = stride(rows.MODIFIER) * len(rows.EVENTS) * rows.ROWS_PER_EVENT
        changed["modifiers"] = _emptied(params.modifiers, size, first)
    return params.replace(**changed)


def _without_forme(number: int, params: Params) -> Params:
    view = rows.POKEMON.view(separated(rows.POKEMON, np.array(params.pokemon)))
    is_it = view.species == number
    for name, value in {**COMMON, **dict.fromkeys(("atk", "def_", "spa", "spd", "spe"), COMMON_STAT)}.items():
        view.set(name, value, where=is_it)
    return params.replace(pokemon=interleaved(view.words()))


def _emptied(table: Any, size: int, number: int) -> Any:
    """A table in which an entry of so many words is that of number 0, which has no effect."""
    words = np.array(table).reshape(-1, size)
    words[number] = words[0]
    return words.reshape(-1)


def situations() -> Recordings:
    """Of those that have one, the situations that are about it, with what each player is told."""
    found: Recordings = {}
    chosen = [case for case in cases.load() if case.kind != "rule" or case.sees]
    for case, recordings in zip(chosen, cases.record(chosen, messages=True), strict=True):
        effect = Effect(*case.sees.split(" ")) if case.sees else Effect(case.kind, case.name)
        found.setdefault(effect, []).extend(recordings)
    return found


def led(wanted: Sequence[Effect], number: int) -> Recordings:
    """A battle of each effect that a Pokémon of the pool has, which leads it."""
    rng = np.random.default_rng(number)
    packed = {effect: leads.single(*effect, rng) for effect in wanted}
    chosen = {effect: lead for effect, lead in packed.items() if lead is not None}
    recordings = leads.led_by(chosen, rng, seed=100 + number) if chosen else []
    return {effect: [recording] for effect, recording in zip(chosen, recordings, strict=True)}


def difference(effect: Effect, recordings: Sequence[dict[str, Any]]) -> tuple[int, str] | None:
    """Decision and text of the first difference that comes up without the effect, in the state or in what is told."""
    found = verify(recordings, aux=False, change=without(effect))
    if not found.mismatches and "messages" in recordings[0]["views"][0]:
        found = verify_observations(recordings, change=without(effect), versions=("v0",))
    return min(((decision, text) for _, decision, text in found.mismatches), default=None)


def rounds(left: list[Effect]) -> Iterator[tuple[str, Recordings]]:
    """Where effects may be seen: the situations, then battles of those that are in the list by then."""
    yield "a situation", situations()
    for number in range(ROUNDS):
        yield f"battle {number} that it leads", led(left, number)


def ledger() -> dict[str, Any]:
    """Where each effect is seen, by kind and name; what is not seen; and where the whole engine differs."""
    left = [effect for effect in effects() if str(effect) not in OF_NO_EFFECT]
    seen: dict[str, dict[str, Any]] = {}
    faults: list[str] = []
    for where, found in rounds(left):
        whole = [recording for effect in left for recording in found.get(effect, ())]
        faults += [f"{where}: {text}" for _, _, text in verify(whole).mismatches]
        for effect in [effect for effect in left if effect in found]:
            first = difference(effect, found[effect])
            if first is not None:
                left.remove(effect)
                decision, text = first
                seen[str(effect)] = {"in": where, "decision": decision, "without_it": text}
        print(f"{where}: {len(seen)} seen, {len(left)} left, {len(faults)} faults", flush=True)
        if not left:
            break
    return {
        "seen": dict(sorted(seen.items())),
        "of_no_effect": dict(OF_NO_EFFECT),
        "not_seen": sorted(map(str, left)),
        "differences_of_the_whole_engine": faults,
    }


def counts(found: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """How many of each kind there are in each list."""
    kinds = {part: Counter(name.split(" ")[0] for name in found[part]) for part in LISTS}
    return {kind: {part: kinds[part][kind] for part in LISTS} for kind in ("move", "ability", "item", "species")}


def main() -> int:
    """Exit status 1 where an effect is not seen or the whole engine differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    found = ledger()
    about = {"machine": machine.describe(), "command": machine.command_line()}
    report = {"counts": counts(found), **found, **about, **machine.git_state(Path(__file__).parent)}
    given.out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(report["counts"], indent=1))
    return 1 if found["not_seen"] or found["differences_of_the_whole_engine"] else 0


if __name__ == "__main__":
    sys.exit(main())
