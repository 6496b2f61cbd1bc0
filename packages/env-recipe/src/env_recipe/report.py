"""One HTML page about one run, or several side by side: what passed when, what it took, which level caught what."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from env_recipe.journal import Event, read
from env_recipe.levels import Outcomes, level_of_name
from env_recipe.progress import cost
from env_recipe.prompts import TEMPLATES
from env_recipe.state import State
from rlenv_shared import files


def write(journals: Sequence[Path], out: Path) -> Path:
    """Write the page.  Raises SnapshotVersionError: a journal cannot be read; StorageError: no place to write to."""
    runs = [_run(path, read(path)) for path in journals]
    page = TEMPLATES.get_template("report.html.j2").render(runs=runs, plot=_plots(runs))
    with files.replacing(out) as file:
        file.write(page.encode())
    return out


def _run(path: Path, events: Sequence[Event]) -> dict[str, Any]:
    """What the page says of one run."""
    state, rows, points = State(), [], []
    hidden: list[dict[str, Any]] = []
    caught: dict[str, set[str]] = {}
    phases: list[dict[str, Any]] = []
    tokens = 0
    for event in events:
        state.add(event)
        kind = event["event"]
        if "outcomes" in event:  # what broke, as a module that is not translated yet does, has found no mistake
            for outcome in Outcomes.from_json(event["outcomes"]).failed:
                if outcome.status == "assertion":
                    caught.setdefault(level_of_name(outcome.test), set()).add(outcome.test)
        if kind == "phase":
            phases.append({"name": event["name"], "iterations": 0, "kept": 0, "seconds": 0.0, "caught": 0})
        if phases:
            phases[-1]["seconds"] += float(event.get("seconds") or 0.0)
        if kind == "prompt":
            rows.append(
                {
                    "number": event["iteration"],
                    "phase": event["phase"],
                    "kind": event["kind"],
                    "modules": event["modules"],
                }
            )
        elif kind == "agent":
            tokens += event["usage"]["tokens"] or 0
            rows[-1] |= {
                "how": event["how"],
                "seconds": event["seconds"],
                "cost": event["usage"]["cost"],
                "tokens": event["usage"]["tokens"],
            }
        elif kind == "guard":
            rows[-1] |= {"findings": event["findings"], "changed": event["changed"]}
        elif kind == "decision":
            outcomes = Outcomes.from_json(event["outcomes"])
            rows[-1] |= {
                "kept": event["kept"], "why": event["why"], 
                "refused": [line for line in event["refused"] if line not in rows[-1]["findings"]],
                "passed": len(outcomes.passed), "failed": len(outcomes.failed), "added": event["added"],
            }  # fmt: skip
            phases[-1]["iterations"] += 1
            phases[-1]["kept"] += event["kept"]
            points.append({"iteration": event["iteration"], "tokens": tokens, "levels": _by_level(outcomes)})
        elif kind == "check" and "iteration" not in event:  # at the beginning of a phase
            outcomes = Outcomes.from_json(event["outcomes"])
            phases[-1]["caught"] += len(outcomes.failed)
            points.append({"iteration": len(rows), "tokens": tokens, "levels": _by_level(outcomes)})
        elif kind == "generated":
            phases[-1]["caught"] += len(event["outcomes"]["failed"])
        elif kind in ("hidden", "backup"):
            visible = state.outcomes
            hidden.append({
                "phase": event.get("phase", "backup"), "failing": event["failing"], "total": event["total"],
                "visible_failing": len(visible.failed) if visible else 0,
                "visible_total": len(visible.tests) if visible else 0,
            })  # fmt: skip
    standing = "finished" if state.finished else f"stopped: {state.reason}" if state.reason else "under way"
    first = events[0]
    failed = state.outcomes.failed if state.outcomes else []
    return {
        "name": path.parent.name, "first": first, "standing": standing, "phases": phases, "rows": rows,
        "points": points,
        "hidden": hidden,
        "caught": {level: len(found) for level, found in sorted(caught.items())},
        "cost": cost(state), "minutes": state.seconds / 60,
        "iterations": state.iteration, "forbidden": state.forbidden, "tokens": state.tokens,
        "remaining": [test.test for test in failed],
        "messages": [(test.test, test.message) for test in failed][:5] if not state.finished else [],
    }  # fmt: skip


def _by_level(outcomes: Outcomes) -> dict[str, tuple[int, int]]:
    """Passing and all tests of each level."""
    found: dict[str, tuple[int, int]] = {}
    for outcome in outcomes.tests:
        level = level_of_name(outcome.test)
        passed, total = found.get(level, (0, 0))
        found[level] = passed + (outcome.status == "passed"), total + 1
    return dict(sorted(found.items()))


def _plots(runs: Sequence[dict[str, Any]]) -> str:
    """Tests passing over iterations and over tokens, per level, one column a run, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "env-recipe"  # the same picture gives the same bytes
    from matplotlib import pyplot
    from matplotlib.ticker import MaxNLocator

    told = any(run["tokens"] for run in runs)
    figure, axes = pyplot.subplots(1 + told, len(runs), figsize=(5.5 * len(runs), 3.2 * (1 + told)), squeeze=False)
    for column, run in enumerate(runs):
        for row, against in enumerate(("iteration", "tokens")[: 1 + told]):
            axis = axes[row][column]
            for level in sorted({level for point in run["points"] for level in point["levels"]}):
                chosen = [point for point in run["points"] if level in point["levels"]]
                share = [100 * point["levels"][level][0] / point["levels"][level][1] for point in chosen]
                axis.plot([point[against] for point in chosen], share, marker="o", markersize=3, label=level.upper())
            axis.set(
                xlabel="iterations so far" if against == "iteration" else "tokens so far",
                ylabel="tests passing, %",
                ylim=(-4, 104),
            )
            if against == "iteration":
                axis.set_xlim(-0.5, run["iterations"] + 0.5)  # whole numbers, also of a run of one iteration
            axis.set_title(f"{run['name']}: {run['standing'].partition(':')[0]}")
            axis.xaxis.set_major_locator(MaxNLocator(integer=True))
            if axis.lines:
                axis.legend(loc="lower right")
    figure.tight_layout()
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    text = out.getvalue()
    return text[text.index("<svg") :]
