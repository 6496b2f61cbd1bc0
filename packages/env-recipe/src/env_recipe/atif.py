"""A journal as a trajectory in the Agent Trajectory Interchange Format, version 1.7 (Harbor's RFC 0001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from env_recipe import __version__
from env_recipe.journal import Event
from env_recipe.state import state_of

VERSION: Final = "ATIF-v1.7"


def trajectory(events: Sequence[Event]) -> dict[str, Any]:
    """The trajectory: prompts are the user's steps, edits the agent's, everything else the system's."""
    first, state = events[0], state_of(events)
    steps: list[dict[str, Any]] = []

    def add(event: Event, source: str, message: str, **more: Any) -> None:
        steps.append(
            {"step_id": len(steps) + 1, "timestamp": event["time"], "source": source, "message": message, **more}
        )

    prompt = cached = completion = 0
    for event in events:
        match event["event"]:
            case "prompt":
                add(event, "user", event["prompt"])
            case "agent":
                usage = event["usage"]
                metrics = {
                    "prompt_tokens": usage["input_tokens"],
                    "completion_tokens": usage["output_tokens"],
                    "cached_tokens": usage["cached_tokens"],
                    "cost_usd": usage["cost"],
                }
                prompt += usage["input_tokens"] or 0
                completion += usage["output_tokens"] or 0
                cached += usage["cached_tokens"] or 0
                known = {name: value for name, value in metrics.items() if value is not None}
                extra = {"how": event["how"], "tree": event["tree"], "iteration": event["iteration"]}
                more = {"model_name": usage["model"]} if usage["model"] else {}
                add(
                    event,
                    "agent",
                    usage["answer"] or event["output"],
                    **more,
                    extra=extra,
                    **({"metrics": known} if known else {}),
                )
            case _:
                rest = {key: value for key, value in event.items() if key not in ("n", "time", "event", "diff")}
                add(event, "system", event["event"], extra=rest)
    return {
        "schema_version": VERSION,
        "session_id": f"recipe-{first['tree'][:12]}-{first['time']}",
        "agent": {"name": first["agent"], "version": __version__},
        "steps": steps,
        "final_metrics": {
            "total_prompt_tokens": prompt,
            "total_completion_tokens": completion,
            "total_cached_tokens": cached,
            **({} if state.unknown_cost else {"total_cost_usd": state.money}),
            "total_steps": len(steps),
        },
        "extra": {"reference": first["reference"], "version": first["version"], "levels": first["levels"]},
    }
