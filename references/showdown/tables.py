"""Showdown's data as integer arrays: loading, checking, looking up.

Array ``<table>.<column>`` has one row per entry of the table; row 0 is "none".  ``export/dex.mjs`` says what each
column is.  Names are ids as Showdown spells them.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError, explain

DATA: Final = Path(__file__).resolve().parent / "data"
MANIFEST: Final = "MANIFEST.json"
SCHEMA: Final = 1
TEAM_SIZE: Final = 6
REMEDY: Final = "run: python -m references.showdown.export"

Arrays = Mapping[str, NDArray[Any]]


@dataclasses.dataclass(frozen=True)
class Tables:
    """The data of one version of Showdown.

    Attributes:
        version: of the package.
        arrays: by ``"<table>.<column>"``, integers or booleans.
        names: by kind, the names of the numbers; number 0 is ``""``.
    """

    version: str
    arrays: Arrays
    names: Mapping[str, tuple[str, ...]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column.

        Raises:
            InvalidParamsError: there is no such column.
        """
        if name not in self.arrays:
            raise _unknown("column", name, self.arrays)
        return self.arrays[name]

    def number(self, kind: str, name: str) -> int:
        """The number of an id, e.g. ``number("move", "tackle")``.

        Raises:
            InvalidParamsError: there is no such kind or id.
        """
        if kind not in self.names:
            raise _unknown("kind", kind, self.names)
        try:
            return self.names[kind].index(name)
        except ValueError:
            raise _unknown(kind, name, self.names[kind]) from None


def load(directory: str | Path = DATA) -> Tables:
    """Read the tables of a directory, checked against its manifest.

    Raises:
        SnapshotVersionError: a file is missing, corrupt, of another schema, or not the one of the manifest.
    """
    directory = Path(directory)
    manifest = read_manifest(directory)
    names = json.loads(_read(directory, manifest, "names.json"))
    arrays = _arrays(directory, manifest, "tables.npz")
    return Tables(manifest["source"]["version"], arrays, {kind: tuple(values) for kind, values in names.items()})


def load_teams(directory: str | Path = DATA) -> Arrays:
    """The committed pool of teams from Showdown's generator: by column, ``[teams, 6, ...]``.

    Raises:
        SnapshotVersionError: as `load`.
    """
    directory = Path(directory)
    arrays = _arrays(directory, read_manifest(directory), "teams.npz")
    return {name.removeprefix("teams."): array for name, array in arrays.items()}


def load_titles(directory: str | Path = DATA) -> dict[str, dict[str, str]]:
    """How Showdown writes ids, by kind: species, move, ability, item.

    Raises:
        SnapshotVersionError: as `load`.
    """
    directory = Path(directory)
    found: dict[str, dict[str, str]] = json.loads(_read(directory, read_manifest(directory), "titles.json"))
    return found


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a data directory.

    Raises:
        SnapshotVersionError: it is missing, corrupt or of another schema.
    """
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text())
        schema = manifest["schema"]
        if not isinstance(manifest["source"]["version"], str) or not isinstance(manifest["files"], dict):
            raise ValueError("no source or files")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _corrupt(path, error, "a manifest") from error
    if schema != SCHEMA:
        raise _corrupt(path, f"schema {schema}", f"schema {SCHEMA}")
    return manifest


def stats(tables: Tables, teams: Arrays, nature: int = 0) -> NDArray[np.int32]:
    """Stats of Pokémon before anything happened to them, as Showdown computes them.

    Args:
        tables: from `load`.
        teams: with ``species``, ``level``, ``evs`` and ``ivs``, the latter two ``[..., 6]``.
        nature: number of the nature; 0 changes nothing, as generated teams have it.

    Returns:
        ``[..., 6]``: HP, Attack, Defense, Special Attack, Special Defense, Speed.
    """
    base = tables["species.base_stats"][teams["species"]].astype(np.int32)
    level = teams["level"].astype(np.int32)[..., None]
    grown = (2 * base + teams["ivs"].astype(np.int32) + teams["evs"].astype(np.int32) // 4) * level // 100
    other = grown + 5
    index = np.arange(1, TEAM_SIZE + 1)
    plus, minus = int(tables["natures.plus"][nature]), int(tables["natures.minus"][nature])
    percent = 100 + 10 * (index == plus) - 10 * (index == minus)
    result = np.where(index == 1, grown + level + 10, other * percent // 100)
    fixed = tables["species.fixed_max_hp"][teams["species"]].astype(np.int32)
    result[..., 0] = np.where(fixed > 0, fixed, result[..., 0])
    return result.astype(np.int32)


def packed(tables: Tables, teams: Arrays, index: int) -> str:
    """One team in Showdown's packed form, spelled with ids."""

    def name(kind: str, number: Any) -> str:
        return tables.names[kind][int(number)]

    members = []
    for slot in range(TEAM_SIZE):
        row = {column: array[index, slot] for column, array in teams.items()}
        moves = ",".join(name("move", move) for move in row["moves"] if move)
        evs = ",".join(str(value) if value else "" for value in row["evs"])
        ivs = ",".join(str(value) if value != 31 else "" for value in row["ivs"])
        tera = name("type", row["tera_type"])
        fields = [name("species", row["species"]), "", name("item", row["item"]), name("ability", row["ability"])]
        fields += [moves, "", evs, name("gender", row["gender"]), ivs if ivs.strip(",") else "", "", str(row["level"])]
        members.append("|".join([*fields, f",,,,,{tera}"]))
    return "]".join(members)


def _arrays(directory: Path, manifest: Mapping[str, Any], name: str) -> Arrays:
    _read(directory, manifest, name)
    try:
        with np.load(directory / name, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise _corrupt(directory / name, error, "an archive of arrays") from error


def _read(directory: Path, manifest: Mapping[str, Any], name: str) -> bytes:
    """Content of a file that the manifest lists."""
    path = directory / name
    expected = manifest["files"].get(name, {}).get("sha256", "a file of the manifest")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _corrupt(path, error, f"sha256 {expected}") from error
    got = hashlib.sha256(data).hexdigest()
    if got != expected:
        raise _corrupt(path, f"sha256 {got}", f"sha256 {expected}")
    return data


def _corrupt(path: Path, got: object, expected: object) -> SnapshotVersionError:
    return SnapshotVersionError(explain(f"data file {path}", got=got, expected=expected, remedy=REMEDY))


def _unknown(kind: str, name: object, known: Any) -> InvalidParamsError:
    close = difflib.get_close_matches(str(name), [str(entry) for entry in known], n=3)
    expected = f"one of {close}" if close else f"one of {len(list(known))} known names"
    return InvalidParamsError(explain(kind, got=repr(name), expected=expected, remedy="correct the name"))
