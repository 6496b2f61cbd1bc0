"""A run: goes through the phases, one event at a time, from wherever its journal ends.

Every step reads the state, does one thing that can be done again without harm, and appends one event.  Contents are
named by git tree, so a work tree can be thrown away at any time: a run that was killed begins the step again that it
was in.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from env_recipe import agents, discriminator, guard, reference
from env_recipe.iteration import Iteration
from env_recipe.journal import FILE, SCHEMA, Event, Journal
from env_recipe.levels import Outcome, Outcomes, run_command, run_tests, variables
from env_recipe.manifest import FILE as MANIFEST
from env_recipe.manifest import LEVELS, Manifest, ManifestError, load, missing_sources, source_folder
from env_recipe.phases import Phase, phases, scope
from env_recipe.process import end_leftover
from env_recipe.prompts import Prompts
from env_recipe.repository import Repository
from env_recipe.state import State, state_of
from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError

FOLDER: Final = ".recipe"
WAITING, STOPPED, FINISHED = "waiting", "stopped", "finished"


@dataclasses.dataclass
class Run:
    """One run of one manifest.  Made by `begin` or `open_run`.

    Attributes:
        root: the manifest's folder.
        folder: where the journal and the work trees are.
        manifest: what is translated.
        repository: git's side.
        journal: what has happened.
        state: what that adds up to.
        levels: those that are used, ``l1`` … ``l4``.
        on_event: called after every event.
        optimise: what passes every level is made faster at the end.
    """

    root: Path
    folder: Path
    manifest: Manifest
    repository: Repository
    journal: Journal
    state: State
    levels: tuple[str, ...]
    limit: int
    on_event: Callable[[Event, Run], None] = lambda event, run: None
    optimise: bool = False

    def __post_init__(self) -> None:
        """What follows from the fields."""
        self.prompts = Prompts(self.manifest, self.root)
        self.agent = agents.settings(self.manifest.agent, self.root, self.manifest.limits)
        self.phases = phases(self.manifest, self.levels, optimise=self.optimise)
        self.scratch = self.folder / "scratch"
        self._known: dict[Any, Outcomes] = {}

    # --- names --------------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Of the run."""
        return self.folder.name

    @property
    def branch(self) -> str:
        """The branch with what was kept."""
        return f"refs/heads/recipe/{self.name}"

    @property
    def head(self) -> str:
        """The commit that was kept last."""
        found = self.repository.resolve(self.branch)
        if found is None or self.repository.tree_of(found) != self.state.tree:
            found = self._commit_with(self.state.tree)
            self.repository.point(self.branch, found)  # killed after the decision, or somebody moved it
        return found

    @property
    def phase(self) -> Phase:
        """The phase that is under way."""
        return self.phases[self.state.phase]

    @property
    def package(self) -> str:
        """The target's package as git names it."""
        return self.repository.within(self.manifest.target.package)

    @property
    def ablation(self) -> bool:
        """Lower levels are left out on purpose."""
        return not {"l1", "l2"} <= set(self.levels)

    # --- steps --------------------------------------------------------------------------------------------------------

    def go(self) -> str:
        """Go on until the run waits for a person, stops or is finished; returns which."""
        end_leftover(self.scratch)
        while True:
            if self.state.finished:
                return FINISHED
            if self.state.reason:
                return STOPPED
            if not self.step():
                return WAITING

    def step(self) -> bool:
        """Do the next thing; false when a person has to do something first."""
        state = self.state
        if not state.determinism:
            self.append("reference", **reference.checked(self.manifest, self.root, self.scratch))
        elif state.phase < 0:
            self._next_phase()
        elif state.pending:
            return self._iteration().go_on()
        elif state.outcomes is None:
            self.append("check", outcomes=self.tests(state.tree, self.scope()).as_json())
        elif self._open() or self._may_try():
            self._ask_or_stop()
        elif self.phase.name == "discriminate" and state.generated < self.manifest.discriminator.rounds:
            self._discriminate()
        elif state.hidden is None:
            self._hidden()
        elif state.hidden["failing"] and not self.ablation:
            self._ask_or_stop()
        else:
            self._next_phase()
        return True

    def append(self, name: str, /, **fields: object) -> None:
        """Write an event and take it into account."""
        event = self.journal.append(name, **fields)
        self.state.add(event)
        self.on_event(event, self)

    def _iteration(self) -> Iteration:
        return Iteration(self)

    def _ask_or_stop(self) -> None:
        """Begin an iteration, unless a limit is reached."""
        if reason := self._limit_reached():
            self.append("stopped", reason=reason, phase=self.phase.name)
        else:
            self._iteration().ask()

    def _open(self) -> bool:
        """Something of this phase is still to be done by an agent."""
        outcomes = self.state.outcomes
        assert outcomes is not None
        if self.phase.module is not None and not self.state.translated and not self._translated_before(outcomes):
            return True
        return bool(outcomes.failed) or (bool(self._selections()) and not outcomes.tests)

    def _may_try(self) -> bool:
        """Another change may make it faster."""
        return self.phase.name == "optimise" and self.state.tried < self.manifest.optimise.changes

    def _translated_before(self, outcomes: Outcomes) -> bool:
        """A module whose tests pass already is not translated again."""
        module = self.phase.module
        assert module is not None
        return bool(module.tests) and outcomes.below(module.tests).ok

    def _selections(self) -> list[str]:
        return [test for _, tests in self.scope() for test in tests]

    def scope(self) -> list[tuple[str, list[str]]]:
        """Level and tests that count in this phase."""
        return scope(self.manifest, self.phase, self.levels, self.state.extra)

    def _next_phase(self) -> None:
        index = self.state.phase + 1
        if index < len(self.phases):
            phase = self.phases[index]
            self.append("phase", index=index, name=phase.name, level=phase.level)
        elif self.manifest.hidden.backup and not self.state.backup:
            outcomes = self._outside(self.manifest.hidden.backup, self.levels, self.manifest.hidden.seed + 1)
            self.append("backup", failing=len(outcomes.failed), total=len(outcomes.tests), seconds=outcomes.seconds)
        else:
            self.append("finished", tree=self.state.tree)

    def _limit_reached(self) -> str:
        limits, state = self.manifest.limits, self.state
        money = "of which no agent told any" if state.unknown_cost else f"${state.money:.2f}"
        reached = [
            (state.in_phase >= self.limit, f"{self.limit} iterations in one phase"),
            (state.stall >= limits.stall, f"{limits.stall} iterations in a row were not kept"),
            (state.forbidden >= limits.forbidden_edits, f"{limits.forbidden_edits} forbidden edits"),
            (limits.money is not None and state.money >= limits.money, f"the money is spent: {money}"),
            (limits.tokens is not None and state.tokens >= limits.tokens, f"the tokens are spent: {state.tokens:,}"),
            (
                limits.hours is not None and state.seconds >= limits.hours * 3600,
                f"the time is spent: {state.seconds / 3600:.2f} h",
            ),
        ]
        return next((reason for hit, reason in reached if hit), "")

    # --- tests --------------------------------------------------------------------------------------------------------

    def checkout(self, tree: str, name: str = "check") -> Path:
        """The manifest's folder in a work tree of that name, which no agent sees, with the content of a tree."""
        place = self.folder / name
        self.repository.put(place, tree, self.head)
        return place / self.repository.prefix

    def tests(self, tree: str, chosen: Sequence[tuple[str, list[str]]], *, seed: int | None = None) -> Outcomes:
        """How tests end on a tree; levels with the same settings run together, and nothing runs twice."""
        key = tree, seed, tuple((level, *selections) for level, selections in chosen)
        if key not in self._known:
            self._known[key] = self._tests(tree, chosen, seed)
        return self._known[key]

    def _tests(self, tree: str, chosen: Sequence[tuple[str, list[str]]], seed: int | None) -> Outcomes:
        checkout = self.checkout(tree)
        package = checkout / self.manifest.target.package
        groups: dict[tuple[int, int], list[str]] = {}
        outcomes: list[Outcome] = []
        seconds = timeout = 0.0
        for level, selections in chosen:
            settings = self.manifest.level(level)
            groups.setdefault((settings.seed if seed is None else seed, settings.episodes), []).extend(selections)
            timeout += settings.timeout_s
            if settings.command and level != "l1":
                env = variables(self.manifest, checkout, settings)
                found = run_command(
                    settings.command, package=package, env=env, timeout_s=settings.timeout_s, scratch=self.scratch
                )
                outcomes += found.tests
                seconds += found.seconds
        for (first, episodes), selections in groups.items():
            fixed = {"RECIPE_SEED": str(first), "RECIPE_EPISODES": str(episodes)}
            env = variables(self.manifest, checkout, self.manifest.l1, **fixed)
            found = run_tests(selections, package=package, env=env, timeout_s=timeout, scratch=self.scratch)
            outcomes += found.tests
            seconds += found.seconds
        return Outcomes(tuple(outcomes), seconds)

    def _hidden(self) -> None:
        hidden = self.manifest.hidden
        outcomes = Outcomes(())
        if hidden.tests is not None:
            below = LEVELS[: LEVELS.index(self.phase.level) + 1]
            outcomes = self._outside(hidden.tests, [level for level in below if level in self.levels or self.ablation])
        if hidden.rerun_l3 and self.phase.level == "l3" and self.phase.name == "l3":
            again = self.tests(self.state.tree, [("l3", self.manifest.l3.tests)], seed=hidden.seed)
            outcomes = Outcomes((*outcomes.tests, *again.tests), outcomes.seconds + again.seconds)
        fields = {"failing": len(outcomes.failed), "total": len(outcomes.tests), "seconds": round(outcomes.seconds, 3)}
        self.append("hidden", phase=self.phase.name, **fields)

    def _outside(self, place: str, chosen: Collection[str], seed: int | None = None) -> Outcomes:
        """Tests that agents never see, on what was kept: those that mirror the phase's own, in ``tests/``."""
        checkout = self.checkout(self.state.tree)
        folder = (self.root / place).resolve()
        key = self.state.tree, place, seed, tuple(chosen), self.phase.name if self.phase.module else ""
        if key in self._known:
            return self._known[key]
        selections: list[str] = []
        module = self.phase.module
        if module is not None:
            mirrored = [str(folder / test.partition("/")[2]) for test in module.tests]
            selections = [path for path in mirrored if Path(path.partition("::")[0]).exists()]
        else:
            selections = [str(path) for level in chosen for path in sorted(folder.glob(f"{level}_*"))]
        hidden = self.manifest.hidden
        fixed = {"RECIPE_SEED": str(hidden.seed if seed is None else seed), "RECIPE_EPISODES": str(hidden.episodes)}
        env = variables(self.manifest, checkout, self.manifest.l3, **fixed)
        timeout = sum(self.manifest.level(level).timeout_s for level in LEVELS)
        self._known[key] = run_tests(
            selections, package=checkout / self.manifest.target.package, env=env, timeout_s=timeout,
            scratch=self.scratch, rootdir=folder,
        )  # fmt: skip
        return self._known[key]

    def _discriminate(self) -> None:
        settings = self.manifest.discriminator
        if settings.agent is not None:
            self._iteration().ask()
            return
        outcomes = discriminator.search(self, round_number=self.state.generated)
        self.append("generated", phase=self.phase.name, outcomes=outcomes.as_json())

    # --- git ----------------------------------------------------------------------------------------------------------

    def rules(self, *, targets: bool = True, tests: bool = True) -> guard.Rules:
        """What an agent may write now."""
        manifest, within = self.manifest, self.repository.within
        package = manifest.target.package
        inside: list[str] = []
        source = source_folder(manifest, self.root)
        if source.is_relative_to(self.root.resolve()):
            inside = [within(source.relative_to(self.root.resolve()).as_posix())]
        tolerances = [value for level in LEVELS for value in manifest.level(level).tolerances.values()]
        named = [manifest.agent, *filter(None, [manifest.discriminator.agent])]
        return guard.Rules(
            targets=frozenset(within(f"{package}/{f}") for m in manifest.module for f in m.target)
            if targets
            else frozenset(),
            new_tests=tuple(within(f"{package}/{pattern}") for pattern in manifest.target.new_tests if tests),
            reference=tuple(inside),
            tests=(within(f"{package}/tests"),),
            protected=tuple(within(f"{package}/{file}") for file in manifest.target.protected),
            packages=tuple(manifest.reference.packages),
            data=tuple(manifest.target.data),
            widest=max(tolerances) if tolerances else None,
            secrets=tuple(
                name for agent in named for name in agents.settings(agent, self.root, manifest.limits).environment
            ),
        )

    def _commit_with(self, tree: str) -> str:
        """The newest commit of this run with a tree."""
        number = self.state.iteration
        while number > 0:
            found = self.repository.resolve(f"refs/recipe/{self.name}/{number}")
            if found is not None and self.repository.tree_of(found) == tree:
                return found
            number -= 1
        return str(self.journal.events[0]["commit"])


def private(folder: Path) -> Path:
    """The folder of all runs, which git leaves alone; made if it is not there."""
    ignored = folder / ".gitignore"
    if not ignored.exists():
        with files.replacing(ignored) as file:
            file.write(b"*\n")
    return folder


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder.  Raises InvalidParamsError: another run holds it."""
    private(folder.parent)
    with files.locked(folder.parent / f"{folder.name}.lock", wait=False):
        yield


def begin(
    root: Path,
    folder: Path,
    *,
    chosen: Sequence[str] = LEVELS,
    limit: int | None = None,
    optimise: bool = False,
    on_event: Callable[[Event, Run], None] = lambda event, run: None,
) -> Run:
    """Start a run; it holds the lock of its folder until `closing`.

    Raises:
        ManifestError: a manifest that no run could follow.
        InvalidParamsError: there is a run in the folder, uncommitted changes, no git repository, hidden tests that
            agents would see.
    """
    if (folder / FILE).exists():
        raise InvalidParamsError(f"run {folder}", "one that has begun", "a new name", "go on with recipe resume")
    manifest = load(root / MANIFEST)
    if lacking := missing_sources(manifest, source_folder(manifest, root)):
        raise ManifestError(
            "module.source", f"no file {lacking[0]}", "files below reference.source", "correct the names"
        )
    repository = Repository(root)
    require_clean(repository)
    for place in filter(None, (manifest.hidden.tests, manifest.hidden.backup)):
        path = (root / place).resolve()
        if not path.is_dir():
            raise ManifestError("hidden", f"no folder {path}", "a folder of tests", "make it, or leave it out")
        if repository.tracked(path):
            remedy = "move it outside the repository: whoever works in a work tree would read it"
            raise ManifestError("hidden", f"{place}, which git tracks", "tests that agents cannot see", remedy)
    known = set(LEVELS)
    if not chosen or set(chosen) - known:
        raise InvalidParamsError("levels", ", ".join(chosen), "some of l1, l2, l3, l4", "correct --levels")
    if optimise and manifest.optimise.workload is None:
        expected, remedy = "module:function that makes calls to be timed", "write it, or leave --optimise out"
        raise ManifestError("optimise.workload", "nothing", expected, remedy)
    agents.settings(manifest.agent, root, manifest.limits)
    if repository.resolve(f"refs/heads/recipe/{folder.name}") is not None:
        remedy = f"choose another --name, or delete it with git branch -D recipe/{folder.name}"
        raise InvalidParamsError(f"branch recipe/{folder.name}", "one that is there already", "a new branch", remedy)
    journal = Journal(folder / FILE)
    commit = repository.git("rev-parse", "HEAD")
    run = Run(
        root,
        folder,
        manifest,
        repository,
        journal,
        State(),
        tuple(chosen),
        limit or manifest.limits.iterations,
        on_event,
        optimise,
    )
    run.append(
        "run", schema=SCHEMA, commit=commit, tree=repository.tree_of(commit), levels=list(chosen), limit=run.limit,
        optimise=optimise, manifest=_digest(root), reference=manifest.reference.name,
        version=manifest.reference.version, agent=manifest.agent.kind,
    )  # fmt: skip
    return run


def require_clean(repository: Repository) -> None:
    """Raises InvalidParamsError: something is changed and not committed."""
    if changed := repository.dirty():
        shown = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise InvalidParamsError("folder", f"uncommitted changes: {shown}", "a clean tree", "commit or stash them")


def open_run(root: Path, folder: Path, on_event: Callable[[Event, Run], None] = lambda event, run: None) -> Run:
    """A run that has begun, as its journal left it.

    Raises:
        SnapshotVersionError: there is none, or its journal is damaged.
    """
    with files.reading(f"run {folder}", "a run", "start one with recipe run"):
        (folder / FILE).stat()
    journal = Journal(folder / FILE)
    if not journal.events:
        (folder / FILE).unlink()
        raise InvalidParamsError(
            f"run {folder}", "one that was killed before it began", "a run", "start it with recipe run"
        )
    manifest = load(root / MANIFEST)
    first = journal.events[0]
    state = state_of(journal.events)
    run = Run(
        root, folder, manifest, Repository(root), journal, state, tuple(first["levels"]), int(first["limit"]), on_event,
        bool(first.get("optimise")),  # journals of 0.1.0 have none
    )  # fmt: skip
    digests = [event["manifest"] for event in journal.events if "manifest" in event]
    if digests[-1] != _digest(root):
        run.append("manifest", manifest=_digest(root))
    return run


def let_go_on(run: Run) -> None:
    """What ``recipe resume`` says to a run that had stopped: limits count from here."""
    if run.state.reason:
        run.append("resumed")


@contextlib.contextmanager
def closing(run: Run) -> Iterator[Run]:
    """Close the journal and take the work trees away that nobody needs any more."""
    try:
        yield run
    finally:
        run.journal.close()
        for place in ("check", "before"):
            run.repository.remove(run.folder / place)
        if run.state.finished:
            run.repository.remove(run.folder / "agent")


def _digest(root: Path) -> str:
    return hashlib.sha256((root / MANIFEST).read_bytes()).hexdigest()
