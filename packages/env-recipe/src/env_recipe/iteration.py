"""One iteration: ask, let the agent edit, guard, prove new tests, run the levels, decide; each an event of its own."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from env_recipe import agents, guard, levels, optimising, proof, usage
from env_recipe.guard.names import matches
from env_recipe.journal import FILE, seconds_since
from env_recipe.levels import Outcome, Outcomes
from env_recipe.manifest import FILE as MANIFEST
from env_recipe.manifest import Module, source_folder
from env_recipe.phases import level_of
from env_recipe.process import end_leftover, without_secrets
from env_recipe.repository import Watched

if TYPE_CHECKING:
    from env_recipe.run import Run

PROMPT: Final = "prompt.md"
LONGEST_DIFF: Final = 200_000  # characters that the journal keeps; the trees have the whole of it


class Iteration:
    """The iteration of a run that is under way or about to begin."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.state = run.state
        self.pending = run.state.pending
        self.number = run.state.iteration + 1

    @property
    def kind(self) -> str:
        """What the agent was asked for."""
        return str(self.pending["prompt"]["kind"])

    def go_on(self) -> bool:
        """Do the stage that comes after the last one; false when a person has to edit first."""
        stages: list[tuple[str, Callable[[], bool]]] = [
            ("agent", self._edit), ("guard", self._guard), ("proof", self._prove), ("check", self._check),
        ]  # fmt: skip
        if self.kind == "optimise":
            stages.append(("measure", self._measure))
        for name, stage in stages:
            if name not in self.pending:
                return stage()
        return self._decide()

    # --- the prompt ---------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Write the prompt that the state calls for."""
        run, state = self.run, self.state
        kind, modules = "repair", []
        outcomes = state.outcomes or Outcomes(())
        phase = run.phase
        if phase.module is not None and not state.translated and not (run._translated_before(outcomes)):
            kind = "translate"
            text = run.prompts.translate(phase.module, state.refused)
        elif outcomes.failed or not outcomes.tests:
            modules = self.suspects(outcomes.failed)
            level = level_of(outcomes.failed[0].test, run.scope()) if outcomes.failed else phase.level
            text = run.prompts.repair(
                level, outcomes.failed, len(outcomes.tests), modules,
                needs_test=self._needs_test(outcomes), dropped=state.dropped, refused=state.refused,
            )  # fmt: skip
        elif phase.name == "discriminate" and state.generated < run.manifest.discriminator.rounds:
            kind = "discriminate"
            text = run.prompts.discriminate(run.levels, state.divergences, state.refused)
        elif run._may_try():
            kind = "optimise"
            text = run.prompts.optimise(state.dropped, state.refused)
        else:
            kind = "review"
            assert state.hidden is not None
            text = run.prompts.review(
                state.hidden["failing"], state.hidden["total"], dropped=state.dropped, refused=state.refused
            )
        text = without_secrets(text, self._agent(kind).environment)
        run.append("prompt", iteration=self.number, phase=phase.name, kind=kind, modules=modules, prompt=text)

    def suspects(self, failed: Sequence[Outcome]) -> list[str]:
        """Modules that failures point to: owners of a field, files in a traceback, tests of their own; else all."""
        manifest = self.run.manifest
        found: list[str] = []
        for outcome in failed:
            if outcome.divergence:
                found += manifest.owners(outcome.divergence.field)
            for module in manifest.module:
                files = [re.escape(file.rpartition("/")[2]) for file in module.target]
                if re.search(rf"(^|/)({'|'.join(files)}):\d+", outcome.message, re.MULTILINE):
                    found.append(module.name)
                if any(levels.selected(outcome.test, test) for test in module.tests):
                    found.append(module.name)
        if not found and self.run.phase.module is not None:
            return [self.run.phase.module.name]
        return list(dict.fromkeys(found)) or [module.name for module in manifest.module]

    def _needs_test(self, outcomes: Outcomes) -> bool:
        """What fails should have been caught lower down, and no lower test shows it yet."""
        shown = any(levels.selected(test.test, file) for test in outcomes.failed for file in self.state.extra)
        return self.run.phase.needs_test and not self.run.ablation and not shown

    def _agent(self, kind: str) -> agents.Settings:
        own = self.run.manifest.discriminator.agent
        if kind == "discriminate" and own is not None:
            return agents.settings(own, self.run.root, self.run.manifest.limits)
        return self.run.agent

    # --- the edit -----------------------------------------------------------------------------------------------------

    def _edit(self) -> bool:
        """Call the agent, or see whether the person has edited."""
        run, repository = self.run, self.run.repository
        place = run.folder / "agent"
        agent = self._agent(self.kind)
        if agent.kind == "human":
            return self._by_hand(place)
        end_leftover(run.scratch / "agent")
        repository.checkout(place, self.state.tree, run.head)
        watched, dirty = self._watch(), set(repository.dirty())
        reply = agents.call(
            agent, self.pending["prompt"]["prompt"], worktree=place, scratch=run.scratch / "agent",
            asked=f"translate-{run.phase.module.name}" if self.kind == "translate" and run.phase.module else "",
            used=self.state.answers, limits=run.manifest.limits, repository=repository,
        )  # fmt: skip
        outside = [self._shown(path) for path in watched.restore()]
        outside += [repository.within(path) for path in sorted(set(repository.dirty()) - dirty)]
        self._reply(agent, reply, place, outside)
        return True

    def _by_hand(self, place: Path) -> bool:
        """A person edits the work tree between two commands; its content is what counts."""
        run = self.run
        tree = run.repository.snapshot(place, run.scratch) if place.is_dir() else None
        if tree is None or tree == self.state.tree:
            if tree is None:
                run.repository.checkout(place, self.state.tree, run.head)
            (run.folder / PROMPT).write_text(self.pending["prompt"]["prompt"])
            return False
        seconds = round(seconds_since(self.pending["prompt"]["time"]), 3)
        self._reply(run.agent, agents.Reply("edited", True, "", usage.Usage(), seconds=seconds), place, [])
        return True

    def _reply(self, agent: agents.Settings, reply: agents.Reply, place: Path, outside: list[str]) -> None:
        run = self.run
        tree = run.repository.snapshot(place, run.scratch)
        found = dataclasses.asdict(reply.usage) | {"tokens": reply.usage.tokens}
        found["answer"] = without_secrets(found["answer"][-4000:], agent.environment)
        run.append(
            "agent", iteration=self.number, how=reply.how, ok=reply.ok,
            output=without_secrets(reply.output, agent.environment),
            problem=without_secrets(reply.problem, agent.environment), usage=found, outside=outside,
            destroyed=tree is None, tree=tree or self.state.tree, seconds=round(reply.seconds, 3),
        )  # fmt: skip

    def _watch(self) -> Watched:
        """Everything outside the work tree that an agent could reach and must leave alone."""
        run = self.run
        places = [
            run.folder / FILE,
            run.root / MANIFEST,
            run.repository.common / "config",
            run.repository.common / "hooks",
        ]
        places += [run.root / place for place in (run.manifest.hidden.tests, run.manifest.hidden.backup) if place]
        source = source_folder(run.manifest, run.root)
        places += [source / file for module in run.manifest.module for file in module.source]
        return Watched(places)

    def _shown(self, path: Path) -> str:
        root = self.run.root.resolve()
        return str(path.resolve().relative_to(root)) if path.resolve().is_relative_to(root) else path.name

    # --- the guard ----------------------------------------------------------------------------------------------------

    def _guard(self) -> bool:
        """Undo what an agent may not write."""
        run, repository = self.run, self.run.repository
        after = self.pending["agent"]["tree"]
        changes = repository.changes(self.state.tree, after)
        rules = run.rules(targets=self.kind != "discriminate", tests=self.kind != "optimise")
        if run.ablation:  # its lower tests are no part of this run
            rules_for_tests = rules.new_tests
            ignored = {change.path: change.before for change in changes if matches(change.path, rules_for_tests)}
            after = repository.with_files(after, ignored, run.scratch, like=self.state.tree)
            changes = [change for change in changes if change.path not in ignored]
        found = guard.check(changes, rules)
        tree = repository.with_files(after, guard.undone(changes, found), run.scratch, like=self.state.tree)
        findings = [str(finding) for finding in found]
        findings += [f"{path}: outside the work tree" for path in self.pending["agent"]["outside"]]
        findings += ["the work tree was deleted"] if self.pending["agent"]["destroyed"] else []
        bad = {finding.path for finding in found}
        diff = repository.diff(self.state.tree, self.pending["agent"]["tree"])
        run.append(
            "guard", iteration=self.number, findings=findings, tree=tree,
            changed=sorted(change.path for change in changes if change.path not in bad),
            diff=without_secrets(diff, rules.secrets)[:LONGEST_DIFF],
        )  # fmt: skip
        return True

    # --- new tests ----------------------------------------------------------------------------------------------------

    def _new_tests(self) -> dict[str, bytes]:
        """New test files, by git path."""
        run = self.run
        patterns = run.rules().new_tests
        changes = run.repository.changes(self.state.tree, self.pending["guard"]["tree"])
        return {
            c.path: c.after for c in changes if c.before is None and c.after is not None and matches(c.path, patterns)
        }

    def _prove(self) -> bool:
        """Run new tests on the code before the edit."""
        run = self.run
        added = self._new_tests()
        names = [self._in_package(path) for path in added]
        before = Outcomes(())
        if added:
            contents: dict[str, bytes | None] = dict(added)
            tree = run.repository.with_files(self.state.tree, contents, run.scratch)
            before = run.tests(tree, [("l1", names)])
        run.append(
            "proof", iteration=self.number, added=names, before=before.as_json(), seconds=round(before.seconds, 3)
        )
        return True

    def _in_package(self, path: str) -> str:
        return path.removeprefix(f"{self.run.package}/")

    # --- the levels ---------------------------------------------------------------------------------------------------

    def _check(self) -> bool:
        """Run all tests that count, new ones too, on the edit."""
        run = self.run
        tree, added = self.pending["guard"]["tree"], self.pending["proof"]["added"]
        if tree == self.state.tree:
            outcomes = Outcomes((self.state.outcomes or Outcomes(())).tests)
        elif self.kind == "discriminate":
            outcomes = Outcomes.from_json(self.pending["proof"]["before"] | {"seconds": 0.0})
        else:
            chosen = run.scope()
            outcomes = run.tests(tree, [*chosen, ("l1", [name for name in added if not self._in_scope(name, chosen)])])
        unproven = self._unproven(outcomes)
        run.append(
            "check", iteration=self.number, outcomes=outcomes.as_json(), unproven=unproven,
            seconds=round(outcomes.seconds, 3),
        )  # fmt: skip
        return True

    @staticmethod
    def _in_scope(name: str, chosen: Sequence[tuple[str, list[str]]]) -> bool:
        return any(levels.selected(name, s) or s == name for _, selections in chosen for s in selections)

    def _unproven(self, after: Outcomes) -> dict[str, str]:
        """New test files that show nothing, and why."""
        before = Outcomes.from_json(self.pending["proof"]["before"])
        found = {}
        for name in self.pending["proof"]["added"]:
            if self.kind == "discriminate":
                wrong = [test for test in before.below([name]).failed if test.status == "assertion"]
                why = "" if wrong else "it shows no difference"
            else:
                mutated = self._mutated(name)
                why = proof.unproven(name, before, after, by_assertion=self.kind != "translate", mutated=mutated)
            if why:
                found[name] = why
        return found

    def _mutated(self, test: str) -> list[Callable[[], Outcomes]]:
        """Runs of a new test file, each with a known mistake of a module put into the edit."""
        run, tree = self.run, self.pending["guard"]["tree"]
        package = run.root / run.manifest.target.package

        def with_mistake(path: str, text: str) -> Callable[[], Outcomes]:
            broken = run.repository.with_files(tree, {path: text.encode()}, run.scratch, like=tree)
            return lambda: run.tests(broken, [("l1", [test])])

        runs = []
        for module in self._concerned():
            for mutation in proof.mutations(package, module):
                path = f"{run.package}/{mutation.file}"
                content = run.repository.read(tree, path)
                text = mutation.applied(content.decode()) if content is not None else None
                if text is not None:
                    runs.append(with_mistake(path, text))
        return runs

    def _concerned(self) -> list[Module]:
        """Modules whose files the edit changes."""
        changed = {self._in_package(path) for path in self.pending["guard"]["changed"]}
        return [module for module in self.run.manifest.module if changed & set(module.target)]

    # --- speed --------------------------------------------------------------------------------------------------------

    def _measure(self) -> bool:
        """Time a change beside the code before it; what is wrong, or no single change, is not worth the time."""
        tree = self.pending["guard"]["tree"]
        found: dict[str, object] = {"samples": {}, "problem": "", "seconds": 0.0}
        if len(concerned := self._concerned()) > 1:
            found["problem"] = f"it changes {len(concerned)} modules at once"
        elif tree != self.state.tree and not self.pending["check"]["outcomes"]["failed"]:
            found = optimising.measure(self.run, tree)
        self.run.append("measure", iteration=self.number, **found)
        return True

    # --- the decision -------------------------------------------------------------------------------------------------

    def _decide(self) -> bool:
        run, state = self.run, self.state
        phase = run.phase
        unproven: dict[str, str] = self.pending["check"]["unproven"]
        added = [name for name in self.pending["proof"]["added"] if name not in unproven]
        taken_out: dict[str, bytes | None] = {f"{run.package}/{name}": None for name in unproven}
        tree = run.repository.with_files(self.pending["guard"]["tree"], taken_out, run.scratch, like=state.tree)
        after = Outcomes.from_json(self.pending["check"]["outcomes"])
        after = Outcomes(tuple(t for t in after.tests if not any(levels.selected(t.test, name) for name in unproven)))
        before = state.outcomes or Outcomes(())
        agent = self.pending["agent"]
        kept, why = proof.decision(
            kind=self.kind,
            changed=tree != state.tree,
            lower_before=self._lower(before),
            before=before,
            after=after,
            proven=added,
            needs_test=self._needs_test(before) or (self.kind == "review" and not run.ablation),
            problem="" if agent["ok"] else f"{agent['how']} {agent['problem'][-300:]}".strip(),
            measured=self.pending.get("measure", {}),
        )
        if self.kind == "discriminate":
            after = Outcomes((*before.tests, *after.tests))
        refused = [*self.pending["guard"]["findings"], *(f"{name}: {reason}" for name, reason in unproven.items())]
        commit = run.repository.commit(tree, run.head, self._message(kept, why, refused))
        run.repository.point(f"refs/recipe/{run.name}/{self.number}", commit)
        run.append(
            "decision", iteration=self.number, phase=phase.name, kept=kept, why=why, refused=refused,
            added=added if kept else [], tree=tree, outcomes=after.as_json() | {"seconds": 0.0},
        )  # fmt: skip
        if kept:
            run.repository.point(run.branch, commit)
        run.repository.remove(run.folder / "agent")
        return True

    def _lower(self, before: Outcomes) -> Outcomes:
        """Tests of lower levels, or of earlier modules."""
        run = self.run
        if run.phase.module is not None:
            own = Outcomes(before.below(run.phase.module.tests).tests)
            return Outcomes(tuple(test for test in before.tests if test not in own.tests))
        chosen = run.scope()
        return Outcomes(tuple(test for test in before.tests if level_of(test.test, chosen) != run.phase.level))

    def _message(self, kept: bool, why: str, refused: Sequence[str]) -> str:
        """Of the commit; the journal has the whole of it."""
        agent, outcomes = self.pending["agent"], Outcomes.from_json(self.pending["check"]["outcomes"])
        head = f"{self.run.phase.name}: {self.kind}, iteration {self.number}"
        lines = [head, "", f"{'Kept' if kept else 'Not kept'}: {why}."]
        lines += [f"Tests: {len(outcomes.passed)} pass, {len(outcomes.failed)} fail."]
        told = agent["usage"]
        lines += [f"Agent: {agent['how']}, {agent['seconds']} s, {told['tokens']} tokens, {told['cost']} dollars."]
        lines += [f"Refused: {line}" for line in refused]
        return "\n".join(lines) + "\n"
