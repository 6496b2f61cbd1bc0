"""The command ``recipe``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table

from env_recipe import manifest as manifests
from env_recipe import run as runs
from env_recipe.progress import reporter, summary
from env_recipe.prompts import KINDS, Prompts, recordings_file
from rlenv_shared import command_line, files
from rlenv_shared.errors import InvalidParamsError

STOPPED_STATUS: Final = 1
WAITING_STATUS: Final = 3
"""Exit status of a run that waits for a person's edit."""


def init(
    source: str,
    package: str,
    *,
    folder: Path = Path(),
    language: Literal["jax", "rust"] = "jax",
    name: str = "",
    version: str = "",
    files: list[str] | None = None,
) -> None:
    """Draft a manifest, a package and what an agent reads, for a reference that nobody has prepared.

    Args:
        source: folder of the reference's modules, or python:PACKAGE for an installed one.
        package: folder of the package that will be made, below the folder.
        folder: where recipe.toml is written; nothing that is there is overwritten.
        language: of the target.
        name: of the reference; its distribution or folder when left out.
        version: of the reference; asked of the installed distribution or of git when left out.
        files: source files to translate; all of them, but tests, when left out.
    """
    from env_recipe.drafting import draft

    drafted = draft(folder, source, package, language=language, name=name, version=version, chosen=files or [])
    console = _console()
    console.print(drafted.table())
    for warning in drafted.warnings:
        console.print(f"warning: {warning}", markup=False, highlight=False)
    for path in drafted.written:
        console.print(f"written: {path}", markup=False, highlight=False)


def plan(folder: Path = Path()) -> None:
    """Print the order of modules, their sizes, and what each level lacks.

    Args:
        folder: the manifest's.
    """
    from env_recipe.planning import lacking, rows

    manifest = manifests.load(folder / manifests.FILE)
    table = Table("module", "lines", "files", "after", "tests", "hidden", box=None)
    for row in rows(manifest, folder):
        table.add_row(*row)
    _console().print(table)
    for line in lacking(manifest, folder):
        print(f"lacks: {line}")


def run(
    folder: Path = Path(),
    *,
    name: str = "run",
    levels: str = "1,2,3,4",
    limit: int = 0,
    optimise: bool = False,
) -> int:
    """Translate, test and repair until every level passes or a person is needed.

    Args:
        folder: the manifest's.
        name: of the run, of its folder in .recipe and of its branch recipe/NAME.
        levels: those to use; 3 alone is the ablation without lower levels.
        limit: iterations in one phase; the manifest's when 0.
        optimise: at the end make it faster, one measured change at a time.
    """
    command_line.checked("--limit", limit, 0)
    chosen = [f"l{part.strip().lower().removeprefix('l')}" for part in levels.split(",") if part.strip()]
    place = _folder(folder, name)
    with runs.held(place):
        begun = runs.begin(
            folder.resolve(), place, chosen=chosen, limit=limit or None, optimise=optimise,
            on_event=reporter(_console()),
        )  # fmt: skip
        return _go(begun)


def resume(folder: Path = Path(), *, name: str = "run") -> int:
    """Go on with a run: after a crash, after a person's edit, after it stopped.

    Args:
        folder: the manifest's.
        name: of the run.
    """
    place = _folder(folder, name)
    with runs.held(place):
        found = runs.open_run(folder.resolve(), place, reporter(_console()))
        runs.let_go_on(found)
        return _go(found)


def status(folder: Path = Path(), *, name: str = "run") -> None:
    """Say where a run stands.

    Args:
        folder: the manifest's.
        name: of the run.
    """
    from env_recipe.journal import FILE, read
    from env_recipe.state import state_of

    place = _folder(folder, name)
    events = read(place / FILE)
    state = state_of(events)
    _console().print(summary(place, events[0], state))


def report(journals: list[Path], *, out: Path = Path("report.html")) -> None:
    """Write one HTML page about one run, or several side by side.

    Args:
        journals: folders of runs, or journal files.
        out: file to write.
    """
    from env_recipe.report import write

    print(write([path / "journal.jsonl" if path.is_dir() else path for path in journals], out))


def export(journal: Path, *, out: Path = Path("trajectory.json")) -> None:
    """Write a journal as a trajectory in ATIF 1.7.

    Args:
        journal: folder of a run, or a journal file.
        out: file to write.
    """
    from env_recipe.atif import trajectory
    from env_recipe.journal import read

    content = trajectory(read(journal / "journal.jsonl" if journal.is_dir() else journal))
    with files.replacing(out) as file:
        file.write(json.dumps(content, indent=1).encode() + b"\n")
    print(out)


def prompt(kind: str, folder: Path = Path(), *, module: str = "") -> None:
    """Print a prompt as an agent would get it now.

    Args:
        kind: translate, l1-tests, l2-tests, repair, review, discriminate or optimise.
        folder: the manifest's.
        module: the module that it is about, where it is about one; the first when left out.
    """
    from env_recipe.levels import Outcome

    if kind not in KINDS:
        raise InvalidParamsError("kind", kind, f"one of {list(KINDS)}", "correct it")
    manifest = manifests.load(folder / manifests.FILE)
    chosen = _module(manifest, module)
    prompts = Prompts(manifest, folder.resolve())
    test = Outcome((chosen.tests or ["tests/l1_property"])[0], "assertion", "the message of the test")
    texts: dict[str, Callable[[], str]] = {
        "translate": lambda: prompts.translate(chosen),
        "l1-tests": lambda: prompts.l1_tests(chosen),
        "l2-tests": lambda: prompts.l2_tests([]),
        "repair": lambda: prompts.repair("l1", [test], 1, [chosen.name], needs_test=False),
        "review": lambda: prompts.review(1, 1),
        "discriminate": lambda: prompts.discriminate(["l1", "l2", "l3"], []),
        "optimise": lambda: prompts.optimise(),
    }
    print(texts[kind]())


def record(folder: Path = Path(), *, module: str = "", episodes: int = 10, steps: int = 200) -> None:
    """Run the reference and keep what the functions of a module were given and answered.

    Args:
        folder: the manifest's.
        module: which one; all when left out.
        episodes: to play, with random actions.
        steps: of each.
    """
    from env_recipe import reference

    command_line.checked("--episodes", episodes, 1)
    command_line.checked("--steps", steps, 1)
    root = folder.resolve()
    manifest = manifests.load(root / manifests.FILE)
    if manifest.reference.adapter is None:
        remedy = "write an adapter with reset, step and snapshot"
        raise InvalidParamsError("reference.adapter", "nothing", "module:attribute", remedy)
    source = manifests.source_folder(manifest, root)
    for chosen in [_module(manifest, module)] if module else manifest.module:
        sources = [str(source / file) for file in chosen.source]
        said = reference.run_apart(
            manifest, root, runs.private(root / runs.FOLDER) / "scratch", "record", chosen.name,
            str(manifest.reference.actions), str(episodes), str(steps), *sources,
        )  # fmt: skip
        answer = json.loads(said)
        path = recordings_file(root, chosen.name)
        about = {"reference": f"{manifest.reference.name} {manifest.reference.version}", "seen": answer["seen"]}
        with files.replacing(path) as file:
            for row in [about, *answer["calls"]]:
                file.write(json.dumps(row).encode() + b"\n")
        print(f"{chosen.name}: {len(answer['calls'])} calls of {sum(answer['seen'].values())} kept in {path}")


def update(to: str, folder: Path = Path(), *, source: str = "", name: str = "", start: bool = False) -> int:
    """See what a new version of the reference changes, by module, behaviour and tests that fail; translate it.

    Args:
        to: the new version; it takes the old one's place in the manifest with --start.
        folder: the manifest's.
        source: folder of the new sources, or python:PACKAGE; the old place when left out.
        name: of the run that translates the change; update-TO when left out.
        start: commit the manifest with the new version, and run the loop on the modules that changed.
    """
    from env_recipe.updating import compare_versions, put_version

    root = folder.resolve()
    found = compare_versions(root, to, source)
    for line in found.lines():
        print(line)
    if not start:
        return 0
    put_version(root, found)
    return run(folder, name=name or f"update-{to}")


COMMANDS: Final[dict[str, Callable[..., Any]]] = {
    function.__name__: function
    for function in (init, plan, record, prompt, run, resume, status, report, export, update)
}


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that was asked for."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or ["--help"]

    def asked() -> int:
        if name in ("-h", "--help"):
            print(f"usage: recipe COMMAND …\n\ncommands: {', '.join(COMMANDS)}; each has --help")
            return 0
        if name not in COMMANDS:
            raise InvalidParamsError("command", name, f"one of {list(COMMANDS)}", "run recipe --help")
        return int(command_line.call(COMMANDS[name], f"recipe {name}", rest) or 0)

    sys.exit(command_line.guarded(asked, "env-recipe"))


def _go(found: runs.Run) -> int:
    with runs.closing(found):
        outcome = found.go()
    if outcome == runs.WAITING:
        print(f"edit {found.folder / 'agent'} as {found.folder / 'prompt.md'} asks, then run recipe resume")
        return WAITING_STATUS
    return 0 if outcome == runs.FINISHED else STOPPED_STATUS


def _folder(folder: Path, name: str) -> Path:
    if not name or not all(character.isalnum() or character in "-_." for character in name) or name[0] == ".":
        raise InvalidParamsError("--name", repr(name), "letters, digits, -, _ and .", "choose another name")
    return folder.resolve() / runs.FOLDER / name


def _module(manifest: manifests.Manifest, name: str) -> manifests.Module:
    for module in manifest.module:
        if module.name == name or not name:
            return module
    raise InvalidParamsError("--module", name, f"one of {[module.name for module in manifest.module]}", "correct it")


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 200)


if __name__ == "__main__":
    main()
