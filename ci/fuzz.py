"""Damages files of every kind at random: each must be refused with a typed error, or read as if nothing had happened.

What people write by hand has no seal: it may also be read as something else, which it then says, as a deck of other
cards does.

Usage: python -m ci.fuzz [--count N] [--seed S] [--out FILE] [KIND…]

A raw error, or sealed content that changed without one, is a failure; ``--seed`` and the number of a case bring it
back.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from pokejax import teamtext
from pokejax.verification import cases
from rlenv_bench import results
from rlenv_bench.gpu import compilation
from rlenv_bench.harness import Run
from rlenv_learn import Policy, PPOConfig, checkpoint
from rlenv_learn.interface import Interface
from rlenv_learn.transfer import verdict
from rlenv_shared import files, machine
from rlenv_shared.errors import EnvError, SnapshotVersionError
from rlenv_shared.verification import jsonl, verify
from rlenv_shared.verification.declaration import find
from rlenv_shared.verification.trajectory import Trajectory
from tcgjax import deck_files

SOUND: Final = ("refused", "unchanged", "other")
MOST_AT_ONCE: Final = 3  # damages of one file
LONGEST: Final = 64  # bytes of one damage


@dataclass(frozen=True)
class Kind:
    """A kind of file: writes one at a path, and reads it as something that equals itself."""

    write: Callable[[Path], object]
    read: Callable[[Path], object]
    sealed: bool = True  # a change cannot go unnoticed


def arrays(found: Mapping[str, Any]) -> dict[str, Any]:
    """Named arrays as values that compare bit by bit."""
    return {name: (str(array.dtype), array.shape, array.tobytes()) for name, array in found.items()}


def recording() -> Trajectory:
    """Every dtype class, special floats, an episode that is shorter."""
    rng = np.random.default_rng(0)
    steps = {
        "action": rng.integers(0, 4, (9, 3), np.int32),
        "state.x": rng.normal(size=(9, 3, 2)),
        "rng": rng.integers(0, 2**64, (9, 3), np.uint64),
        "reward": np.full((9, 3), np.float32(np.inf)),
        "terminated": np.zeros((9, 3), np.bool_),
        "valid": np.arange(9)[:, None] < np.array([9, 9, 5]),
    }
    padded = {name: np.where(steps["valid"].reshape(9, 3, *[1] * (a.ndim - 2)), a, 0) for name, a in steps.items()}
    steps = {name: array.astype(steps[name].dtype) for name, array in padded.items()}
    return Trajectory(steps, {"state.x": steps["state.x"][0], "rng": steps["rng"][0]}, {"env": "fuzz", "seed": 3})


def content(found: Trajectory) -> object:
    """A recording as values."""
    return arrays(found.steps), arrays(found.initial), found.metadata


CONFIG: Final = PPOConfig(num_envs=4, rollout_length=8, preset="mlp-tiny", normalise_observations=True)


def policy() -> Policy:
    """Untrained."""
    return Policy.create(Interface((3,), 2, (), (), ()), CONFIG, jax.random.key(0))


def leaves(found: Policy) -> object:
    """A policy as values."""
    return str(found.network), arrays({str(i): np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(found))})


def write_checkpoint(path: Path) -> None:
    """A checkpoint in the format of the path's ending, under that very name."""
    identity = checkpoint.Identity("native", "fuzz/Fuzz-v0", 0, "0" * 64, policy().interface, CONFIG)
    state = {"learner": policy(), "key": jax.random.key(1)}
    progress = {"updates": 7, "steps": 70, "episodes": 3, "wall_s": 0.5}
    checkpoint.save(path.parent, state, identity, progress, 1, path.suffix[1:]).rename(path)


def read_checkpoint(path: Path) -> object:
    """Everything in it."""
    found = checkpoint.load_checkpoint(path)
    return arrays(found.arrays), found.identity, found.progress


def transfer() -> dict[str, Any]:
    """Results of two directions."""
    returns = {name: [float(i) / 7 for i in range(20)] for name in ("jax", "c")}
    directions = [
        {"trained_in": name, "policies": [{"seed": s, "returns": returns} for s in range(3)]} for name in returns
    ]
    head = {
        **verdict.FORMAT.head,
        "environment": "fuzz/Fuzz-v0",
        "config_sha256": "0" * 64,
    }
    return {**head, "machine": {"cpu": "any", "cores": 2}, "directions": directions}


def benchmark() -> dict[str, Any]:
    """A report of two runs."""
    blocks = tuple(0.5 + 0.01 * i for i in range(10))
    runs = [Run(side, 64, 4096, 3, 1.5, blocks, 2.5, True, None, 44, 0, {"frameskip": 8}) for side in ("jax", "c")]
    return results.build("fuzz/Fuzz-v0", runs, {"cpu": "any"}, {"git": "abc", "dirty": False}, "bench.py")


def rollouts() -> dict[str, Any]:
    """Committed results of a rollout set."""
    return verify.load(find("cartpole-jax").results / "rollouts.json")


def compiled() -> dict[str, Any]:
    """A committed report of what a GPU's compiler made."""
    return compilation.load(find("cartpole-jax").results / compilation.FILE)


def teams(path: Path) -> object:
    """A pool of teams as values."""
    return [column.tolist() for column in teamtext.read(path)]


def written(text: str) -> Callable[[Path], object]:
    """Writes a text."""
    return lambda path: path.write_text(text, encoding="utf-8")


def situations(path: Path) -> object:
    """The cases of a file, each Pokémon of them packed."""
    found = cases.described(cases.entries(path))
    return found, [(cases.team(case.own), cases.team(case.foe)) for case in found]


DECK: Final = "".join(f"2 {name}\n" for name in (
    "Bulbasaur A1 001", "Ivysaur A1 002", "Venusaur ex A1 004", "Exeggcute A1 021", "Exeggutor ex A1 023",
    "Poké Ball P-A 005", "Professor's Research P-A 007", "Erika A1 219", "Giovanni A1 223", "Potion P-A 001",
))  # fmt: skip
SHARED_DECK: Final = f"Pokémon: 20\n{DECK.replace('2 ', '2x ').replace(' A1 ', ' (A1 ').replace('001', '001)')}"
EXPORTED: Final = """Sparky (Pikachu) (M) @ Life Orb
Ability: Static
Level: 88
Tera Type: Electric
EVs: 4 Def / 252 SpA / 252 Spe
IVs: 0 Atk
Timid Nature
- Thunderbolt
- Surf

"""
PACKED: Final = "|pikachu|lifeorb|static|thunderbolt,surf|timid|,,4,252,,252|M|,0,,,,||88|,,,,,Electric"
SITUATIONS: Final = "".join(path.read_text() for path in sorted(cases.FILES.glob("*.toml")))[:20_000].rpartition(
    "[[case]]"
)[0]
TRANSFER: Final = find("cartpole-jax").transfers[0].config.read_text()
LEARNING: Final = "[ppo]\nnum_envs = 8\nlearning_rate = 0.001\npreset = 'mlp-tiny'\nnormalise_returns = true\n"

KINDS: Final[Mapping[str, Kind]] = {
    "trajectory.npz": Kind(lambda path: recording().save(path), lambda path: content(Trajectory.load(path))),
    "recording.jsonl": Kind(lambda path: jsonl.write(recording(), path), lambda path: content(jsonl.read(path))),
    "policy.npz": Kind(lambda path: policy().save(path), lambda path: leaves(Policy.load(path))),
    "checkpoint.npz": Kind(write_checkpoint, read_checkpoint),
    "checkpoint.orbax": Kind(write_checkpoint, read_checkpoint),
    "transfer.json": Kind(lambda path: verdict.save_results(transfer(), path), verdict.load_results),
    "benchmark.json": Kind(lambda path: results.save(benchmark(), path), results.load),
    "rollouts.json": Kind(lambda path: verify.FORMAT.write(path, rollouts()), verify.load),
    "compiled.json": Kind(lambda path: compilation.save(compiled(), path), compilation.load),
    "deck.txt": Kind(written(f"Energy: Grass\n{DECK}"), lambda path: deck_files.find(str(path)), sealed=False),
    "deck-shared.txt": Kind(written(SHARED_DECK), lambda path: deck_files.find(str(path)), sealed=False),
    "team.txt": Kind(written(EXPORTED * 6), teams, sealed=False),
    "team-packed.txt": Kind(written("]".join([PACKED] * 6)), teams, sealed=False),
    "cases.toml": Kind(written(SITUATIONS), situations, sealed=False),
    "transfer.toml": Kind(written(TRANSFER), verdict.TransferConfig.load, sealed=False),
    "ppo.toml": Kind(written(LEARNING), PPOConfig.from_toml, sealed=False),
}


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes with one damage; archives are also packed anew with the damage in a member, so that their checksums fit."""
    if data[:2] == b"PK" and rng.random() < 0.25:
        return repacked(data, rng)
    start, other = (int(rng.integers(0, len(data) + 1)) for _ in range(2))
    length = int(rng.integers(1, LONGEST))
    block, rest = data[start : start + length], data[start + length :]
    digits = [i for i, byte in enumerate(data[:100_000]) if 48 <= byte <= 57]
    match rng.integers(0, 8):
        case 0:
            return data[:start]
        case 1:
            return data[:start] + rest
        case 2:
            return data[:start] + rng.bytes(length) + data[start:]
        case 3:
            return data[:start] + bytes(len(block)) + rest
        case 4:
            return data[:other] + block + data[other:]
        case 5:
            return data[:start] + block[::-1] + rest
        case 6 if digits:  # a number in a header or in text
            start = digits[rng.integers(0, len(digits))]
            return data[:start] + b"%d" % rng.integers(0, 10) + data[start + 1 :]
    start = min(start, len(data) - 1)
    return data[:start] + bytes([data[start] ^ (1 << int(rng.integers(0, 8)))]) + data[start + 1 :] if data else b"\0"


def repacked(data: bytes, rng: np.random.Generator) -> bytes:
    """An archive whose members are damaged, missing, renamed or exchanged, and whose checksums are right."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except Exception:  # damaged before
        return data[: len(data) // 2]
    first, second = (int(rng.integers(0, len(members))) for _ in range(2))
    (name, one), (other, two) = members[first], members[second]
    match rng.integers(0, 4):
        case 0:
            members.pop(first)
        case 1:
            members[first], members[second] = (name, two), (other, one)
        case 2:
            members[first] = (name.replace("s", "z", 1), one)
        case _:
            place = int(rng.integers(0, len(one)))
            members[first] = (
                name,
                one[:place] + bytes([one[place] ^ (1 << int(rng.integers(0, 8)))]) + one[place + 1 :],
            )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, member in members:
            archive.writestr(name, member)
    return packed.getvalue()


def damage(path: Path, rng: np.random.Generator) -> None:
    """Damage a file, or some files of a directory."""
    for _ in range(int(rng.integers(1, MOST_AT_ONCE + 1))):
        files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        if not files:
            return
        file, other = (files[int(rng.integers(0, len(files)))] for _ in range(2))
        kind = rng.random() if path.is_dir() else 1.0
        if kind < 0.1:
            file.unlink()
        elif kind < 0.2:
            one, two = file.read_bytes(), other.read_bytes()
            file.write_bytes(two)
            other.write_bytes(one)
        else:
            file.write_bytes(damaged(file.read_bytes(), rng))


def fuzz(name: str, kind: Kind, count: int, seed: int) -> Iterator[tuple[int, str]]:
    """The number and the outcome of each case: ``refused``, ``unchanged``, ``other``, ``CHANGED`` or ``RAW …``."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        original, path = Path(folder) / "original" / name, Path(folder) / "damaged" / name
        original.parent.mkdir()
        path.parent.mkdir()
        kind.write(original)
        expected = kind.read(original)
        for number in range(count):
            shutil.copytree(original, path) if original.is_dir() else shutil.copy(original, path)
            damage(path, np.random.default_rng([seed, number]))
            try:
                outcome = "unchanged" if kind.read(path) == expected else "CHANGED"
                outcome = outcome if kind.sealed else outcome.replace("CHANGED", "other")
            except EnvError as error:
                sealed = kind.sealed and not isinstance(error, SnapshotVersionError)
                outcome = f"RAW {type(error).__name__}: {error}" if sealed else "refused"
            except Exception as error:
                outcome = f"RAW {type(error).__name__}: {error}"
            yield number, outcome
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def main() -> int:
    """Exit status 1 after a raw error or a silent change."""
    parser = argparse.ArgumentParser(description="Damage files at random and expect typed errors.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all by default")
    parser.add_argument("--count", type=int, default=100, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="file for the outcomes")
    options = parser.parse_args()
    logging.getLogger("asyncio").setLevel(logging.CRITICAL + 1)  # what orbax leaves behind when it is refused
    failures, outcomes = 0, {}
    for name in options.kinds or KINDS:
        counts: Counter[str] = Counter()
        for number, outcome in fuzz(name, KINDS[name], options.count, options.seed):
            counts[outcome.split(" ")[0]] += 1
            if outcome not in SOUND:
                failures += 1
                print(f"{name}, case {number}: {outcome}", file=sys.stderr)
        print(f"{name:16} {json.dumps(counts)}", flush=True)
        outcomes[name] = dict(sorted(counts.items()))
    if options.out:
        about = {"command": machine.command_line(), **machine.git_state(Path(__file__).parent)}
        files.write_json(options.out, {"seed": options.seed, **about, "outcomes": outcomes})
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
