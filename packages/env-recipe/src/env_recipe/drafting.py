"""``recipe init``: a manifest, a package with its declaration, an adapter, empty levels, and what an agent reads."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import re
import subprocess
from pathlib import Path
from typing import Any

from rich.table import Table

from env_recipe.manifest import FILE, INSTALLED, Manifest, load
from env_recipe.prompts import TEMPLATES
from env_recipe.survey import Source, Warned, source_files, survey
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError


@dataclasses.dataclass(frozen=True)
class Drafted:
    """What was written."""

    sources: list[Source]
    warnings: list[Warned]
    written: list[Path]
    manifest: Manifest

    def table(self) -> Table:
        """Modules in order, with their sizes."""
        table = Table("module", "lines", "file", "uses", box=None)
        for source in self.sources:
            table.add_row(
                module_name(source.file), str(source.lines), source.file, ", ".join(map(module_name, source.uses))
            )
        return table


def draft(
    folder: Path, source: str, package: str, *, language: str, name: str, version: str, chosen: list[str]
) -> Drafted:
    """Write the draft; nothing that is there is overwritten.

    Args:
        folder: for the manifest.
        source: folder of the reference's sources, or ``python:PACKAGE``.
        package: folder of the target's package, below ``folder``.
        language: ``jax`` or ``rust``.
        name: of the reference; found out when empty.
        version: of the reference; found out when empty.
        chosen: source files; all when empty.

    Raises:
        InvalidParamsError: a manifest is there already, no such source, nothing in it.
    """
    if (folder / FILE).exists():
        raise InvalidParamsError(
            f"file {folder / FILE}", "one that is there", "a new manifest", "edit it, or delete it"
        )
    place = _place(folder, source)
    if missing := [file for file in chosen if not (place / file).is_file()]:
        raise InvalidParamsError("--files", missing[0], f"a file below {place}", "correct the name")
    names = source_files(place, chosen)
    if not names:
        raise InvalidParamsError("source", place, "a folder with source files", "name another, or files with --files")
    sources, warnings = survey(place, names)
    name, version = name or _name(source, place), version or _version(source, place)
    if not version:
        warnings.append(
            Warned(FILE, 1, "no version of the reference is known: fill it in, or nobody can repeat the run")
        )
    import_name = re.sub(r"\W", "_", Path(package).name)
    unique = _unique_names(sources)
    modules = [
        {
            "name": unique[s.file],
            "source": s.file,
            "lines": s.lines,
            "target": f"src/{import_name}/{unique[s.file].replace('-', '_')}.{'rs' if language == 'rust' else 'py'}",
            "tests": f"tests/l1_property/test_{unique[s.file].replace('-', '_')}.py",
            "depends_on": [unique[other] for other in s.uses if _earlier(sources, other, s.file)],
            "contract": list(s.functions)[:12],
        }
        for s in sources
    ]
    values: dict[str, Any] = {
        "name": name, "version": version or "unknown", "source": source, "language": language, "package": package,
        "import_name": import_name, "distribution": Path(package).name, "modules": modules,
        "reference_packages": [_name(source, place)] if source.startswith(INSTALLED) else [],
        "warnings": [str(warning) for warning in warnings],
    }  # fmt: skip
    root = folder / package
    wanted = {
        folder / FILE: "recipe.toml", folder / "adapter.py": "adapter.py", folder / "AGENTS.md": "AGENTS.md",
        folder / ".agents/skills/translate-module/SKILL.md": "SKILL.md", root / "pyproject.toml": "pyproject.toml",
        root / f"src/{import_name}/__init__.py": "package.py",
        root / f"src/{import_name}/verification/__init__.py": "declaration.py",
        root / "tests/mutations.toml": "mutations.toml",
    }  # fmt: skip
    for level, about in (
        ("l1_property", "properties of single modules"),
        ("l2_interaction", "one step from scripted states, both sides"),
        ("l3_rollout", "whole episodes, both sides, every step"),
        ("l4_transfer", "policies from one side on the other"),
    ):
        wanted[root / f"tests/{level}/README.md"] = f"level:{level[:2].upper()}: {about}."
    for module in modules:
        wanted[root / str(module["target"])] = f"stub:{module['name']}"
    written = []
    for path, template in wanted.items():
        if not path.exists():
            with files.replacing(path) as file:
                file.write(_content(template, values, language).encode())
            written.append(path)
    return Drafted(sources, warnings, written, load(folder / FILE))


def module_name(file: str) -> str:
    """``envs/cart_pole.py`` as ``envs-cart-pole``, the name of a module in the manifest."""
    parts = Path(file).with_suffix("").parts
    parts = parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts
    name = "-".join(re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-") for part in parts)
    return name if name[:1].isalpha() else f"m-{name}".rstrip("-")


def _unique_names(sources: list[Source]) -> dict[str, str]:
    """The shortest end of a path that names one file alone."""
    found: dict[str, str] = {}
    for source in sources:
        parts = Path(source.file).parts
        for length in range(1, len(parts) + 1):
            name = module_name("/".join(parts[-length:]))
            same = [s for s in sources if module_name("/".join(Path(s.file).parts[-length:])) == name]
            if len(same) == 1 or length == len(parts):
                break
        found[source.file] = name if name not in found.values() else f"{name}-{Path(source.file).suffix.strip('.')}"
    return found


def _content(template: str, values: dict[str, Any], language: str) -> str:
    kind, _, rest = template.partition(":")
    if kind == "level":
        return f"{rest}\n"
    if kind == "stub":
        if language == "rust":
            return f"//! Translation of the module `{rest}`: not begun.\n"
        about = f'"""Translation of the module {rest}: not begun."""'
        return f'{about}\n\nraise NotImplementedError("translate {rest} first")\n'
    return TEMPLATES.get_template(f"init/{template}.j2").render(values)


def _earlier(sources: list[Source], one: str, other: str) -> bool:
    order = [source.file for source in sources]
    return order.index(one) < order.index(other)


def _place(folder: Path, source: str) -> Path:
    from importlib.util import find_spec

    if not source.startswith(INSTALLED):
        place = folder / source
        if not place.is_dir():
            raise InvalidParamsError("source", place, "a folder, or python:PACKAGE", "correct the path")
        return place
    name = source.removeprefix(INSTALLED)
    try:
        found = find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None or not found.submodule_search_locations:
        raise InvalidParamsError("source", source, "an installed package", f"install {name.partition('.')[0]}")
    return Path(next(iter(found.submodule_search_locations)))


def _name(source: str, place: Path) -> str:
    return source.removeprefix(INSTALLED).partition(".")[0] if source.startswith(INSTALLED) else place.resolve().name


def _version(source: str, place: Path) -> str:
    if source.startswith(INSTALLED):
        try:
            return importlib.metadata.version(source.removeprefix(INSTALLED).partition(".")[0])
        except importlib.metadata.PackageNotFoundError:
            return ""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=place, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""
