"""``recipe update``: what a new version of the reference changes, by module, by behaviour, by tests that fail."""

from __future__ import annotations

import dataclasses
import difflib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from env_recipe import levels, reference
from env_recipe.manifest import FILE, INSTALLED, Manifest, load, source_folder
from env_recipe.repository import AUTHOR, Repository
from env_recipe.run import FOLDER, private, require_clean
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

EPISODES, STEPS = 5, 200


@dataclasses.dataclass(frozen=True)
class Update:
    """The difference of two versions of a reference."""

    version: str
    source: str  # of the manifest, in its new form
    files: dict[str, dict[str, tuple[int, int]]]  # module -> file -> lines added and taken out
    behaviour: str  # the first difference of recorded rollouts, or that there is none, or why they were not recorded
    failing: list[str]  # tests that fail against the new version

    @property
    def modules(self) -> list[str]:
        """Those whose sources differ."""
        return [module for module, found in self.files.items() if found]

    def lines(self) -> Iterator[str]:
        """For a person."""
        for module, found in self.files.items():
            for file, (added, gone) in found.items():
                yield f"{module}: {file}: +{added} -{gone} lines"
        yield f"modules that changed: {', '.join(self.modules) or 'none'} ({len(self.modules)} of {len(self.files)})"
        yield f"behaviour: {self.behaviour}"
        yield f"tests that fail against {self.version}: {len(self.failing)}"
        yield from (f"  {name}" for name in self.failing)


def compare_versions(root: Path, to: str, source: str) -> Update:
    """Compare the manifest's version with a new one.

    Args:
        root: the manifest's folder.
        to: the new version's name.
        source: where its sources are; the manifest's own place when empty, where the new version has been installed.

    Raises:
        InvalidParamsError: no sources, or the same place for both.
    """
    manifest = load(root / FILE)
    new = source or manifest.reference.source
    if not source:
        raise InvalidParamsError(
            "--source", "nothing", f"the sources of {to}", "fetch them beside the old ones and name the folder"
        )
    folders = source_folder(manifest, root), _folder(manifest, root, new)
    changed: dict[str, dict[str, tuple[int, int]]] = {}
    for module in manifest.ordered():
        changed[module.name] = {}
        for file in module.source:
            before, after = (_text(folder / file) for folder in folders)
            if before != after:
                changed[module.name][file] = _counts(before, after)
    return Update(to, new, changed, _behaviour(manifest, root, folders[1]), _failing(manifest, root, folders[1]))


def put_version(root: Path, found: Update) -> None:
    """Write the new version and source into the manifest and commit it; everything else stays as it is, to the byte.

    Where the adapter imports the original from its sources' folder, it imports the new one from then on.

    Raises:
        InvalidParamsError: something else is not committed.
    """
    repository = Repository(root)
    require_clean(repository)
    text = (root / FILE).read_text()
    old = json.dumps(load(root / FILE).reference.source)
    head, table, rest = text.partition("[reference]")
    section, bracket, others = rest.partition("\n[")
    for key, value in (("version", found.version), ("source", found.source)):
        section = re.sub(rf"(?m)^{key}\s*=.*$", lambda _, k=key, v=value: f"{k} = {json.dumps(v)}", section, count=1)  # type: ignore[misc]
    section = re.sub(r"(?ms)^import_path\s*=\s*\[.*?\]", lambda m: m[0].replace(old, json.dumps(found.source)), section)
    with files.replacing(root / FILE) as file:
        file.write((head + table + section + bracket + others).encode())
    message = f"{load(root / FILE).reference.name} {found.version}"
    repository.git("commit", "--quiet", "-m", message, "--", FILE, **AUTHOR)  # type: ignore[arg-type]


def _folder(manifest: Manifest, root: Path, source: str) -> Path:
    newer = manifest.model_copy(update={"reference": manifest.reference.model_copy(update={"source": source})})
    return source_folder(newer, root)


def _text(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.is_file() else []


def _counts(before: list[str], after: list[str]) -> tuple[int, int]:
    lines = [
        line for line in difflib.unified_diff(before, after, n=0, lineterm="") if not line.startswith(("---", "+++"))
    ]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _import_root(manifest: Manifest, folder: Path) -> Path:
    """The folder from which the new version is imported, which then comes before the old one."""
    if manifest.reference.source.startswith(INSTALLED):
        name = manifest.reference.source.removeprefix(INSTALLED)
        return folder.parents[name.count(".")]
    return folder


def _behaviour(manifest: Manifest, root: Path, folder: Path) -> str:
    """The first difference of rollouts of both versions, same seeds and actions."""
    if manifest.reference.adapter is None:
        return "not recorded: the manifest names no adapter"
    arguments = ("rollouts", str(manifest.reference.actions), str(EPISODES), str(STEPS))
    scratch = private(root / FOLDER) / "scratch"
    old: Any = json.loads(reference.run_apart(manifest, root, scratch, *arguments))["rollouts"]
    place = (_import_root(manifest, folder),)
    new: Any = json.loads(reference.run_apart(manifest, root, scratch, *arguments, import_path=place))["rollouts"]
    for episode, (before, after) in enumerate(zip(old, new, strict=True)):
        for step, (one, two) in enumerate(zip(before, after, strict=True)):
            for name in sorted(set(one) | set(two)):
                if one.get(name) != two.get(name):
                    return (
                        f"differs at step {step} of seed {episode}: {name} was {one.get(name)} and is {two.get(name)}"
                    )
    return f"the same in {EPISODES} rollouts of {STEPS} steps"


def _failing(manifest: Manifest, root: Path, folder: Path) -> list[str]:
    """Names of tests of the package as it is that fail against the new version."""
    package = root / manifest.target.package
    env = levels.variables(manifest, root, manifest.l3)
    env["PYTHONPATH"] = f"{_import_root(manifest, folder)}:{env['PYTHONPATH']}"
    env["RECIPE_REFERENCE"] = str(folder)
    selections = [test for level in ("l1", "l2", "l3") for test in manifest.level(level).tests]
    timeout = sum(manifest.level(level).timeout_s for level in ("l1", "l2", "l3"))
    outcomes = levels.run_tests(
        selections, package=package, env=env, timeout_s=timeout, scratch=private(root / FOLDER) / "scratch"
    )  # fmt: skip
    return [outcome.test for outcome in outcomes.failed]
