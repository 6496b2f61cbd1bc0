"""The manifest ``recipe.toml``: which modules are translated from what, and the tests of each level.

Errors name the file, the line and the field.  Paths are relative to the manifest's folder, those of targets and tests
to the target's package.
"""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from env_recipe.guard.names import normal
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

FILE: Final = "recipe.toml"
INSTALLED: Final = "python:"
"""How a source begins that is an installed Python package: ``python:gymnasium.envs.classic_control``."""
LEVELS: Final = ("l1", "l2", "l3", "l4")
Positive = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]


class ManifestError(InvalidParamsError):
    """A manifest that no run could follow."""


class Table(BaseModel):
    """A table of the manifest: no unknown fields, no conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Reference(Table):
    """The slow original."""

    name: str  # of the project, as its licence says it
    version: str  # a release or a commit; what was verified is said with it
    source: str  # folder of the module sources, or ``python:PACKAGE`` for an installed one
    adapter: str | None = None  # ``module:attribute``: ``(num_envs) -> reset, step, snapshot`` of this repository
    import_path: list[str] = []  # folders from which the adapter is imported
    packages: list[str] = []  # import names that target code must not use
    actions: Positive = 2  # actions are 0 … actions-1 where rollouts are recorded


class Target(Table):
    """What is made."""

    language: Literal["jax", "rust"]
    package: str  # its folder
    import_path: list[str] = ["src"]  # folders of it that Python imports from
    data: list[str] = []  # files that target code may read, as tables
    new_tests: list[str] = ["tests/l1_property/test_*.py", "tests/l2_interaction/test_*.py"]  # where an agent may add
    protected: list[str] = []  # files beside the tests that are called by name in a refusal, as tolerances
    declaration: str | None = None  # ``module:DECLARATION``, whose replays the built-in discriminator uses


class Module(Table):
    """A part of the reference that is translated at a time; 100 to 500 lines work best."""

    name: Name
    source: Annotated[list[str], Field(min_length=1)]  # files below the reference's source
    target: Annotated[list[str], Field(min_length=1)]  # files below the target's package
    contract: str = ""  # what callers expect: signatures, shapes, dtypes
    constraints: list[str] = []  # what the target must keep to
    depends_on: list[str] = []  # names of modules that come first
    tests: list[str] = []  # its L1 tests, pytest selections
    fields: list[str] = []  # fields of a rollout that it computes, ``state.velocity``, ``state.*``
    mutations: str | None = None  # ``tests/mutations.toml``: known mistakes, of which a new test must catch one


class Level(Table):
    """Tests of one level: pytest selections, or one command that succeeds or not."""

    tests: list[str] = []
    command: list[str] = []
    episodes: Positive = 100  # ``RECIPE_EPISODES`` of the tests' environment
    seed: Annotated[int, Field(ge=0)] = 0  # ``RECIPE_SEED``
    tolerances: dict[str, float] = {}  # by name; no new test may allow more than the largest
    margin: float | None = None  # of L4, fixed before the runs
    timeout_s: Positive = 900


class Hidden(Table):
    """What the agent never sees: run at the end of each phase, told as a count; the backup once, at the very end."""

    tests: str | None = None  # folder ``hidden-tests``
    backup: str | None = None  # folder ``backup-tests``
    seed: Annotated[int, Field(ge=0)] = 1_000_003  # L3 is run again from it
    episodes: Positive = 100
    rerun_l3: bool = True


class Limits(Table):
    """When a run stops for a person."""

    iterations: Positive = 50  # T: of one phase
    stall: Positive = 10  # iterations in a row that were not kept
    forbidden_edits: Positive = 3  # in the whole run
    money: float | None = None  # US dollars
    tokens: Positive | None = None
    hours: float | None = None  # of agents and tests together
    agent_timeout_s: Positive = 1800
    output_bytes: Positive = 20_000_000  # of one agent call


class Agent(Table):
    """Who edits."""

    kind: str = "human"  # ``human``, ``replay``, ``command`` or a name of `agents.SHIPPED`
    command: list[str] = []  # of kind ``command``; ``{prompt_file}``, ``{prompt}``, ``{worktree}``, ``{output}``
    output: str = "none"  # what its output is read as: a name of `usage.PARSERS`
    directory: str | None = None  # of kind ``replay``: patches in the order of their names
    environment: list[str] = []  # names of variables that are passed on, e.g. of a key
    model: str | None = None  # in ``{model}``, and to look up a price
    prices: dict[str, dict[str, float]] = {}  # dollars per million tokens: model -> input, cached, output


class Discriminator(Table):
    """Phase 5: who tells the two sides apart."""

    enabled: bool = True
    agent: Agent | None = None  # the built-in generator of action sequences when left out
    episodes: Positive = 16
    steps: Positive = 200
    rounds: Positive = 1


class Optimise(Table):
    """On request, at the end: one change at a time, kept if a measurement in turns says that it is faster."""

    workload: str | None = None  # ``module:function``: ``(batch) -> call``; a call does a fixed number of steps
    batches: Annotated[list[Positive], Field(min_length=1)] = [32, 128, 512, 2048, 8192]
    rounds: Annotated[int, Field(ge=6)] = 15  # calls of either side at each batch size
    changes: Positive = 5  # that are tried
    timeout_s: Positive = 900  # of one measurement


class Manifest(Table):
    """The whole file."""

    reference: Reference
    target: Target
    module: Annotated[list[Module], Field(min_length=1)]
    l1: Level = Level()
    l2: Level = Level()
    l3: Level = Level()
    l4: Level = Level()
    hidden: Hidden = Hidden()
    limits: Limits = Limits()
    agent: Agent = Agent()
    discriminator: Discriminator = Discriminator()
    optimise: Optimise = Optimise()

    def level(self, name: str) -> Level:
        """The level of this name, ``l1`` … ``l4``."""
        return getattr(self, name)

    def ordered(self) -> list[Module]:
        """Modules after those they depend on, else in the order of the file."""
        done: dict[str, Module] = {}
        waiting = list(self.module)
        while waiting:
            ready = next(module for module in waiting if set(module.depends_on) <= set(done))
            waiting.remove(ready)
            done[ready.name] = ready
        return list(done.values())

    def owners(self, field: str) -> list[str]:
        """Names of the modules that compute a field of a rollout."""
        return [m.name for m in self.module if any(PurePosixPath(field).match(pattern) for pattern in m.fields)]


def load(path: Path) -> Manifest:
    """Read and check a manifest.

    Raises:
        ManifestError: no such file, no TOML, a field that is wrong or missing, a circle of modules, two modules with
            one name or target, a target outside the package.
    """
    try:
        text = files.decoded(path.read_bytes(), str(path))
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise ManifestError(str(path), "no such file", "a manifest", "write one with recipe init") from None
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(str(path), error, "TOML", "correct that place") from None
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as invalid:
        raise _explained(path, text, invalid) from None
    for place, got, expected, remedy in _inconsistent(manifest):
        raise ManifestError(_where(path, text, place), got, expected, remedy)
    return manifest


def source_folder(manifest: Manifest, root: Path) -> Path:
    """Where the reference's module sources are.  Raises ManifestError: nothing is there."""
    source = manifest.reference.source
    if not source.startswith(INSTALLED):
        folder = (root / source).resolve()
        if not folder.is_dir():
            raise ManifestError("reference.source", folder, "a folder", "fetch the reference, or correct the path")
        return folder
    name = source.removeprefix(INSTALLED)
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None or not found.submodule_search_locations:
        raise ManifestError("reference.source", source, "an installed Python package", f"install {name.split('.')[0]}")
    return Path(next(iter(found.submodule_search_locations)))


def missing_sources(manifest: Manifest, folder: Path) -> list[str]:
    """Source files of modules that are not there, as ``module: file``."""
    return [f"{m.name}: {file}" for m in manifest.module for file in m.source if not (folder / file).is_file()]


def _explained(path: Path, text: str, invalid: ValidationError) -> ManifestError:
    """The first complaint of pydantic, with its line; the number of the others."""
    first, *others = invalid.errors()
    place = tuple(first["loc"])
    got = "nothing" if first["type"] == "missing" else repr(first["input"])[:120]
    expected = {"missing": "a value", "extra_forbidden": "no such field"}.get(first["type"], first["msg"])
    more = f" ({len(others)} more after this one)" if others else ""
    return ManifestError(_where(path, text, place), got, expected, f"correct it{more}")


def _where(path: Path, text: str, place: Sequence[str | int]) -> str:
    return f"{path}, line {line_of(text, place)}, {dotted(place)}"


def dotted(place: Sequence[str | int]) -> str:
    """``("module", 1, "name")`` as ``module[1].name``."""
    return re.sub(r"\.\[", "[", ".".join(f"[{part}]" if isinstance(part, int) else part for part in place))


def line_of(text: str, place: Sequence[str | int]) -> int:
    """The line of a field, or of the innermost table around it that the text has."""
    best, depth = 1, -1
    table: tuple[str | int, ...] = ()
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)\s*([\w.\"-]+)\s*\]\]?", line):
            name = header[2]
            table = tuple(part.strip('"') for part in name.split("."))
            if header[1] == "[[":
                seen[name] = seen.get(name, -1) + 1
                table = (*table, seen[name])
            here = table
        elif key := re.match(r"\s*([\w\"-]+)\s*=", line):
            here = (*table, key[1].strip('"'))
        else:
            continue
        if len(here) > depth and here == tuple(place[: len(here)]):
            best, depth = number, len(here)
    return best


def _inconsistent(manifest: Manifest) -> Iterator[tuple[tuple[str | int, ...], object, object, str]]:
    """What single fields cannot show: place, got, expected, remedy."""
    names = [module.name for module in manifest.module]
    targets: dict[str, str] = {}
    for i, module in enumerate(manifest.module):
        if names.index(module.name) != i:
            yield ("module", i, "name"), repr(module.name), "a name of its own", "rename one of the two"
        for other in module.depends_on:
            if other not in names:
                yield ("module", i, "depends_on"), repr(other), f"one of {names}", "correct the name"
        for target in module.target:
            if not normal(target):
                yield ("module", i, "target"), repr(target), "a path inside the package", "leave .. and / out"
            if target in targets:
                expected = f"a file of one module, not of {targets[target]} too"
                yield ("module", i, "target"), repr(target), expected, "join the two modules"
            targets[target] = module.name
    if circle := _circle({module.name: module.depends_on for module in manifest.module}):
        index = names.index(circle[0])
        yield ("module", index, "depends_on"), " -> ".join(circle), "no circle", "join them into one module"
    if manifest.l1.command:
        remedy = "L1 runs module by module: name tests"
        yield ("l1", "command"), manifest.l1.command, "no command", remedy
    agents = [(("agent",), manifest.agent)]
    if manifest.discriminator.agent is not None:
        agents.append((("discriminator",), manifest.discriminator.agent))
    for place, agent in agents:
        if agent.kind == "command" and not agent.command:
            yield (*place, "command"), "nothing", "a command", 'write command = ["program", "{prompt_file}"]'
        if agent.kind == "replay" and agent.directory is None:
            yield (*place, "directory"), "nothing", "a folder of patches", 'write directory = "patches"'


def _circle(graph: dict[str, list[str]]) -> list[str]:
    """Names along a circle of dependencies, the first one again at its end; empty if there is none."""
    done: set[str] = set()

    def search(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        for other in graph.get(name, []) if name not in done else []:
            if found := search(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in graph if (found := search(name, []))), [])
