"""What a run shows while it goes on, and what ``recipe status`` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from env_recipe import optimising
from env_recipe.journal import Event
from env_recipe.state import State

if TYPE_CHECKING:
    from env_recipe.run import Run


def cost(state: State) -> str:
    """Money and tokens; what no agent told is no zero."""
    money = f"${state.money:.2f}" + (" and calls of unknown cost" if state.unknown_cost else "")
    money = "cost not told" if state.unknown_cost and not state.money else money
    return f"{money}, {f'{state.tokens:,} tokens' if state.tokens else 'tokens not told'}"


def line(event: Event) -> str:
    """An event in one line; empty for those that nobody waits for."""
    match event["event"]:
        case "run":
            used = ", ".join(event["levels"])
            return f"run of {event['reference']} {event['version']} with {event['agent']}, levels {used}"
        case "reference":
            return f"reference: {event['steps']} steps played twice, the same" if event["steps"] else ""
        case "phase":
            return f"phase {event['name']}"
        case "prompt":
            about = f" ({', '.join(event['modules'])})" if event["modules"] else ""
            return f"  {event['iteration']}: {event['kind']}{about}"
        case "agent":
            return f"     agent: {event['how']}, {event['seconds']:.1f} s"
        case "guard" if event["findings"]:
            return "\n".join(f"     undone: {finding}" for finding in event["findings"])
        case "check":
            passed, failed = len(event["outcomes"]["passed"]), len(event["outcomes"]["failed"])
            return f"     {passed} tests pass, {failed} fail"
        case "measure" if event["samples"]:
            return "\n".join(f"     {ratio}" for ratio in optimising.ratios(event["samples"]))
        case "decision":
            refused = [one for one in event["refused"] if ".py: " in one]
            return "\n".join(
                [
                    f"     {'kept' if event['kept'] else 'not kept'}: {event['why']}",
                    *(f"     refused: {r}" for r in refused),
                ]
            )
        case "generated":
            return f"  built-in discriminator: {len(event['outcomes']['failed'])} differences"
        case "hidden":
            return f"  hidden: {event['failing']} of {event['total']} fail"
        case "backup":
            return f"backup tests: {event['failing']} of {event['total']} fail"
        case "stopped":
            return f"stopped in {event['phase']}: {event['reason']}; a person may look and run recipe resume"
        case "finished":
            return "finished"
    return ""


def reporter(console: Console) -> Callable[[Event, Run], None]:
    """Prints events; on a terminal a status line shows phase, iteration, tests and cost."""
    status = console.status("") if console.is_terminal else None

    def show(event: Event, run: Run) -> None:
        if text := line(event):
            console.print(text, markup=False, highlight=False)
        if status is not None and 0 <= run.state.phase < len(run.phases):
            outcomes = run.state.outcomes
            tests = f"{len(outcomes.passed)} of {len(outcomes.tests)} tests pass" if outcomes else "tests not run yet"
            head = f"{run.phase.name}, iteration {run.state.iteration + 1} ({run.state.in_phase} of {run.limit} here)"
            status.update(f"{head}, {tests}, {cost(run.state)}")
            status.start() if event["event"] not in ("finished", "stopped") else status.stop()

    return show


def summary(folder: Path, first: Event, state: State) -> Table:
    """Where a run stands, from its folder, its first event and its state."""
    table = Table(show_header=False, box=None)
    standing = "finished" if state.finished else f"stopped: {state.reason}" if state.reason else "under way"
    tests = state.outcomes
    rows = {
        "run": folder.name,
        "standing": standing,
        "phase": state.phase_name or "not begun",
        "iterations": f"{state.iteration}, {state.in_phase} of {first['limit']} in this phase, {state.stall} not kept",
        "tests": f"{len(tests.passed)} of {len(tests.tests)} pass" if tests else "not run yet",
        "hidden": f"{state.hidden['failing']} of {state.hidden['total']} fail"
        if state.hidden
        else "not run on this code",
        "forbidden edits": str(state.forbidden),
        "cost": f"{cost(state)}, {state.seconds / 60:.1f} min of agents and tests",
        "branch": f"recipe/{folder.name}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table
