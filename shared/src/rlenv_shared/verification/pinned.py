"""Pinned references: ``pin.json``."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_OPTIONAL: Final = {"members", "commit"}


@dataclasses.dataclass(frozen=True)
class Pin:
    """One reference at one version."""

    name: str  # project name in its registry
    version: str  # exact version
    kind: str  # registry, e.g. ``"pypi"`` or ``"npm"``
    licence: str  # SPDX identifier
    sha256: str | None  # of the archive the registry serves; None when an installed package is used as it is
    patches: tuple[str, ...]  # patch files applied, relative to the pin; empty means unmodified
    used_by: tuple[str, ...]  # distributions whose tests use it
    members: Mapping[str, str] = dataclasses.field(default_factory=dict)  # sha256 by path inside the archive
    commit: str | None = None  # of the source's git repository, from which the version was made, where that is known

    @classmethod
    def load(cls, path: str | Path) -> Pin:
        """Read and check a ``pin.json``.  Raises InvalidParamsError: the file is not a pin."""
        path = Path(path)
        fields = {field.name for field in dataclasses.fields(cls)}
        try:
            data = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise _bad_pin(path, error) from error
        if not isinstance(data, dict) or not fields - _OPTIONAL <= set(data) <= fields:
            got = sorted(data) if isinstance(data, dict) else type(data).__name__
            raise _bad_pin(path, f"keys {got}")
        members = data.get("members", {})
        if not all(isinstance(data[key], str) and data[key] for key in ("name", "version", "kind", "licence")):
            raise _bad_pin(path, {key: data[key] for key in ("name", "version", "kind", "licence")})
        if not all(_is_text_list(data[key]) for key in ("patches", "used_by")) or not isinstance(members, dict):
            raise _bad_pin(path, {key: data.get(key) for key in ("patches", "used_by", "members")})
        for digest in [*members.values(), *([data["sha256"]] if data["sha256"] is not None else [])]:
            if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
                raise _bad_pin(path, f"sha256 {digest!r}")
        commit = data.get("commit")
        if commit is not None and not (isinstance(commit, str) and _COMMIT.fullmatch(commit)):
            raise _bad_pin(path, f"commit {commit!r}")
        return cls(**{**data, "patches": tuple(data["patches"]), "used_by": tuple(data["used_by"]), "members": members})

    def check_installed(self) -> None:
        """Raise ReferenceUnavailableError unless the installed distribution of this name has this version."""
        try:
            installed = importlib.metadata.version(self.name)
        except importlib.metadata.PackageNotFoundError:
            installed = "nothing"
        if installed != self.version:
            got, remedy = f"{installed} installed", f"run: {sys.executable} -m pip install {self.name}=={self.version}"
            raise ReferenceUnavailableError(f"reference {self.name}", got, f"version {self.version}", remedy)


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _bad_pin(path: Path, got: object) -> InvalidParamsError:
    expected = (
        "JSON object with name, version, kind, licence, sha256, patches, used_by and optionally members and commit"
    )
    return InvalidParamsError(f"pin file {path}", got, expected, "correct the file")
