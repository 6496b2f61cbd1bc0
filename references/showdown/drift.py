"""What a newer source tree of Pokémon Showdown does otherwise than the pinned package.

``python -m references.showdown.drift SRC`` compares the data that pokejax is made from, teams of the generator, and
battles of the pinned generator's teams.  It prints what differs, kind by kind, and exits with 1 if anything does.
``SRC`` is a directory of Pokémon Showdown that is built.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from references.showdown.adapter import PIN, command, package
from references.showdown.tables import DATA

from rlenv_shared import files
from rlenv_shared.errors import EnvError, InvalidParamsError, explain
from rlenv_shared.verification.reference import ReferenceProcess

KINDS: Final = ("species", "move", "ability", "item", "nature", "type", "condition")
TEAMS: Final = 500
BATTLES: Final = 100
POLICIES: Final = ("uniform", "attack")
LISTED: Final = 8
"""Entries of a kind that are named."""
ENTRIES_TIMEOUT_S: Final = 300.0
BUILT: Final = "dist/sim/index.js"


@dataclasses.dataclass(frozen=True)
class Drift:
    """What differs in one kind of things.

    Attributes:
        kind: "move", …, "sets", "teams" or "battles".
        compared: things.
        differing: one line for each that differs.
    """

    kind: str
    compared: int
    differing: tuple[str, ...]

    def __str__(self) -> str:
        listed = [*self.differing[:LISTED], *(["…"] if len(self.differing) > LISTED else [])]
        return "\n  ".join([f"{self.kind}: {len(self.differing)} of {self.compared} differ", *listed])


def described(tree: Path) -> str:
    """The version of a built tree of Pokémon Showdown.

    Raises:
        InvalidParamsError: there is none, or it is not built.
    """
    manifest: Any = None
    try:
        manifest = json.loads((tree / "package.json").read_text())
        got = f"{manifest['name']} {manifest['version']}"
    except OSError as error:
        got = f"{error.strerror}: {tree / 'package.json'}"
    except (ValueError, KeyError, TypeError):
        got = f"{tree / 'package.json'}, which names no package"
    remedy = "give the directory of a clone of Pokémon Showdown: make drift-showdown SRC=DIR"
    if isinstance(manifest, dict) and manifest.get("name") == PIN.name and not (tree / BUILT).is_file():
        got, remedy = f"{got} without {BUILT}", f"build it: cd {tree} && npm install && node build"
    elif isinstance(manifest, dict) and manifest.get("name") == PIN.name and isinstance(manifest.get("version"), str):
        return str(manifest["version"])
    raise InvalidParamsError(
        explain("source tree SRC", got=got, expected=f"a directory of {PIN.name} that is built", remedy=remedy)
    )


def entries(tree: Path) -> dict[str, dict[str, dict[str, str] | None]]:
    """Values of the data by kind, id and key; None for an id that the tree does not have.

    Raises:
        InvalidParamsError: the tree's data cannot be read.
    """
    names = json.loads((DATA / "names.json").read_text())
    wanted = {kind: [name for name in names[kind] if name] for kind in KINDS}
    done = subprocess.run(
        command("export_entries.mjs", tree=tree),
        input=json.dumps(wanted),
        capture_output=True,
        text=True,
        timeout=ENTRIES_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise InvalidParamsError(
            explain(
                f"data of {tree}",
                got=done.stderr.strip()[-1000:],
                expected=f"what {PIN.name} {PIN.version} has",
                remedy=f"build it anew: cd {tree} && npm install && node build",
            )
        )
    found: dict[str, dict[str, dict[str, str] | None]] = json.loads(done.stdout)
    return found


def data(tree: Path) -> Iterator[Drift]:
    """What differs in the data, by kind."""
    ours, theirs = entries(package()), entries(tree)
    for kind in [*KINDS, "sets"]:
        old, new = ours[kind], theirs[kind]
        ids = old | new
        lines = (f"{one}: {change}" for one in ids if (change := _change(old.get(one), new.get(one))))
        yield Drift(kind, len(ids), tuple(lines))


def _change(old: Mapping[str, str] | None, new: Mapping[str, str] | None) -> str:
    """Which keys of an entry differ; empty if none."""
    if old is None or new is None:
        return "" if old is new else "new" if old is None else "gone"
    return ", ".join(key for key in sorted({*old, *new}) if old.get(key) != new.get(key))


def played(tree: Path, version: str, teams: int, battles: int) -> Iterator[Drift]:
    """What differs in teams of the generator, and in battles of the pinned generator's teams."""
    newer = dataclasses.replace(PIN, version=version)
    seeds = [f"{seed:x}" for seed in range(1, max(teams, 2 * battles) + 1)]
    with (
        ReferenceProcess(command("driver.mjs"), PIN) as ours,
        ReferenceProcess(command("driver.mjs", tree=tree), newer) as theirs,
    ):
        made = ours.request("teams", seeds=seeds)
        try:
            others = theirs.request("teams", seeds=seeds)
        except EnvError as error:
            others = [f"cannot be made: {_short(error)}"] * len(seeds)
        pairs = list(zip(seeds, made, others, strict=True))[:teams]
        lines = (f"seed {seed}: {_member(old, new)}" for seed, old, new in pairs if old != new)
        yield Drift("teams", teams, tuple(lines))
        lines = (_battle(ours, theirs, number, made[2 * number : 2 * number + 2]) for number in range(battles))
        yield Drift("battles", battles, tuple(line for line in lines if line))


def generated(tree: Path, count: int) -> list[str]:
    """Packed teams of a tree's generator, whose sets and levels may be newer than the pinned ones.

    Raises:
        InvalidParamsError: it is no built tree.
        EnvError: its generator fails.
    """
    newer = dataclasses.replace(PIN, version=described(tree))
    with ReferenceProcess(command("driver.mjs", tree=tree), newer) as theirs:
        found: list[str] = theirs.request("teams", seeds=[f"{seed:x}" for seed in range(1, count + 1)])
    return found


def _member(old: str, new: str) -> str:
    """The first Pokémon in which two packed teams differ."""
    for place, (one, other) in enumerate(zip(old.split("]"), new.split("]"), strict=False), start=1):
        if one != other:
            return f"Pokémon {place} is {other!r:.120}, in {PIN.version} {one!r:.120}"
    return f"{new!r:.120}"


def _battle(ours: ReferenceProcess, theirs: ReferenceProcess, number: int, teams: Sequence[str]) -> str:
    """The first difference in a battle; empty if there is none."""
    episode = {"episode": str(number), "policy": POLICIES[number % 2], "teams": list(teams)}
    request = {"episodes": [episode], "include": ["hash"]}
    old = ours.request("play", **request)[0]
    try:
        new = theirs.request("play", **request)[0]
    except EnvError as error:
        return f"battle {number} cannot be played: {_short(error)}"
    text = _first_difference(old, new)
    return text and f"battle {number}, {text}"


def _first_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """In which decision two recordings differ first, and in what; empty if in none."""
    if old["constants"] != new["constants"]:
        return "before the first decision: the teams' values"
    for decision, (one, other) in enumerate(zip(old["views"], new["views"], strict=False)):
        unequal = [key for key in {**one, **other} if one.get(key) != other.get(key)]
        if unequal:
            return f"decision {decision}: {', '.join(unequal)}"
        if old["choices"][decision : decision + 1] != new["choices"][decision : decision + 1]:
            return f"decision {decision}: what is chosen"
    return "" if len(old["views"]) == len(new["views"]) else "the number of decisions"


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def drift(tree: Path, *, teams: int = TEAMS, battles: int = BATTLES) -> Iterator[Drift]:
    """What a tree does otherwise, kind by kind.

    Args:
        tree: a directory of Pokémon Showdown that is built.
        teams: of the generator, of as many seeds.
        battles: half of them by each policy.

    Raises:
        InvalidParamsError: it is no such directory, or its data cannot be read.
        ReferenceUnavailableError: Node or the pinned package is missing.
    """
    version = described(tree)
    yield from data(tree)
    yield from played(tree, version, teams, battles)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 1 if anything differs, 2 if SRC cannot be compared."""
    parser = argparse.ArgumentParser(prog="python -m references.showdown.drift", description=__doc__)
    parser.add_argument("src", type=Path, metavar="SRC", help="directory of Pokémon Showdown, built")
    parser.add_argument("--teams", type=int, default=TEAMS, help="of the generator (%(default)s)")
    parser.add_argument("--battles", type=int, default=BATTLES, help="to play (%(default)s)")
    parser.add_argument("--write-teams", type=Path, metavar="FILE", help="write its teams, packed, and compare nothing")
    given = parser.parse_args(arguments)
    differing = 0
    try:
        tree = given.src.resolve()
        if given.write_teams is not None:
            with files.replacing(given.write_teams) as file:
                file.write("".join(f"{team}\n" for team in generated(tree, given.teams)).encode())
            print(f"{given.teams} teams of {described(tree)} written to {given.write_teams}")
            return 0
        print(f"{PIN.name} {PIN.version} (commit {PIN.commit}) against {described(tree)} in {tree}", flush=True)
        for found in drift(tree, teams=given.teams, battles=given.battles):
            print(found, flush=True)
            differing += len(found.differing)
    except EnvError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{differing} differences" if differing else "nothing differs")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
