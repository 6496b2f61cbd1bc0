"""Where a run stands: what its journal adds up to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from env_recipe.journal import Event
from env_recipe.levels import Outcomes

STAGES = ("prompt", "agent", "guard", "proof", "check", "measure")
"""Events of an iteration before its decision, in order."""


@dataclasses.dataclass
class State:
    """The sum of the events so far."""

    tree: str = ""  # what was kept last
    phase: int = -1  # index in the list of phases
    phase_name: str = ""
    iteration: int = 0  # iterations decided, in the whole run
    in_phase: int = 0  # … in this phase, since it began or a person let the run go on
    stall: int = 0  # … in a row that were not kept
    pending: dict[str, Event] = dataclasses.field(default_factory=dict)  # stages of the iteration that is under way
    outcomes: Outcomes | None = None  # of the kept tree, in this phase's scope
    hidden: dict[str, int] | None = None  # of the kept tree: ``failing``, ``total``
    generated: int = 0  # rounds of the discriminator done
    tried: int = 0  # changes that were meant to be faster
    translated: bool = False  # this phase's module has been translated once
    extra: list[str] = dataclasses.field(default_factory=list)  # test files that were added and proven
    divergences: list[str] = dataclasses.field(default_factory=list)  # in words, for prompts
    refused: list[str] = dataclasses.field(default_factory=list)  # of the last edit
    dropped: str = ""  # why the last edit was not kept
    forbidden: int = 0  # forbidden edits so far, an iteration counts once
    answers: list[str] = dataclasses.field(default_factory=list)  # of the agent, last words of each call
    tokens: int = 0
    money: float = 0.0
    unknown_cost: bool = False  # some call told no money
    seconds: float = 0.0
    reason: str = ""  # why it stopped; empty while it runs
    finished: bool = False
    determinism: bool = False  # the reference has been run twice
    backup: bool = False

    def add(self, event: Event) -> None:
        """Take an event into account."""
        self.seconds += float(event.get("seconds") or 0.0)
        handler = getattr(self, f"_{event['event'].replace('-', '_')}", None)
        if event["event"] in STAGES and "iteration" in event:
            self.pending[event["event"]] = event
        if handler is not None:
            handler(event)

    def _run(self, event: Event) -> None:
        self.tree = event["tree"]

    def _reference(self, event: Event) -> None:
        self.determinism = True

    def _phase(self, event: Event) -> None:
        self.phase, self.phase_name = event["index"], event["name"]
        self.in_phase = self.stall = self.generated = self.tried = 0
        self.outcomes = self.hidden = None
        self.translated = False
        self.refused, self.dropped = [], ""

    def _agent(self, event: Event) -> None:
        usage: dict[str, Any] = event["usage"]
        self.answers.append(usage["answer"])
        self.tokens += usage["tokens"] or 0
        self.money += usage["cost"] or 0.0
        self.unknown_cost |= usage["cost"] is None

    def _guard(self, event: Event) -> None:
        self.forbidden += bool(event["findings"])

    def _check(self, event: Event) -> None:
        if "iteration" not in event:
            self.outcomes = Outcomes.from_json(event["outcomes"])
            self._note_divergences(self.outcomes)

    def _hidden(self, event: Event) -> None:
        self.hidden = {"failing": event["failing"], "total": event["total"]}

    def _generated(self, event: Event) -> None:
        self.generated += not event["outcomes"]["failed"]  # after a repair the same round is played again
        if event["outcomes"]["failed"]:
            found = Outcomes.from_json(event["outcomes"])
            known = self.outcomes or Outcomes(())
            self.outcomes = Outcomes((*known.tests, *found.failed), known.seconds)
            self._note_divergences(found)

    def _decision(self, event: Event) -> None:
        self.iteration += 1
        self.in_phase += 1
        self.translated |= self.pending["prompt"]["kind"] == "translate"
        self.generated += self.pending["prompt"]["kind"] == "discriminate"
        optimised = self.pending["prompt"]["kind"] == "optimise"
        self.tried += optimised
        self.refused = event["refused"]
        self.dropped = "" if event["kept"] else event["why"]
        self.stall = 0 if event["kept"] or optimised else self.stall + 1  # most ideas make nothing faster
        if event["kept"]:
            self.tree = event["tree"]
            self.extra += event["added"]
            self.hidden = None
            self.outcomes = Outcomes.from_json(event["outcomes"])
            self._note_divergences(self.outcomes)
        self.pending = {}

    def _stopped(self, event: Event) -> None:
        self.reason = event["reason"]

    def _resumed(self, event: Event) -> None:
        self.reason = ""
        self.in_phase = self.stall = self.forbidden = 0

    def _backup(self, event: Event) -> None:
        self.backup = True

    def _finished(self, event: Event) -> None:
        self.finished = True

    def _note_divergences(self, outcomes: Outcomes) -> None:
        for test in outcomes.failed:
            if found := test.divergence:
                line = f"step {found.step}, {found.field}: ours {found.entries.get('ours', '?')}"
                line += f", theirs {found.entries.get('theirs', '?')}"
                if line not in self.divergences:
                    self.divergences.append(line)


def state_of(events: Iterable[Event]) -> State:
    """The state after some events."""
    state = State()
    for event in events:
        state.add(event)
    return state
