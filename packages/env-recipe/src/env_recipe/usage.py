"""Tokens and money of an agent's call, read from what its program printed.

Each parser knows one documented format and refuses any other: an output of unknown shape is an error, never zero.
What a format does not tell is None and stays so.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from rlenv_shared.errors import EnvError


class UnknownOutputError(EnvError, ValueError):
    """An output that is not in the format that the agent documents."""


@dataclasses.dataclass(frozen=True)
class Usage:
    """What one call took; None where the agent does not tell."""

    input_tokens: int | None = None  # cached ones included
    cached_tokens: int | None = None  # read from a cache
    output_tokens: int | None = None  # reasoning included
    cost: float | None = None  # US dollars
    model: str | None = None
    session: str | None = None
    turns: int | None = None
    answer: str = ""  # the agent's last words
    failed: str = ""  # why the agent itself says it failed

    @property
    def tokens(self) -> int | None:
        """Input and output together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens


def claude_code(text: str) -> Usage:
    """``claude -p … --output-format json`` (one object) or ``stream-json`` (its last line)."""
    objects = _objects("claude-code", text)
    results = [found for found in objects if found.get("type") == "result"]
    if len(results) != 1:
        raise _unknown("claude-code", f"{len(results)} objects of type result", "one")
    (result,) = results
    usage = _table("claude-code", result, "usage")
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    fresh, read, written = (_count("claude-code", usage, name) for name in names)
    failed = _field("claude-code", result, "is_error", bool)
    return Usage(
        input_tokens=fresh + read + written,
        cached_tokens=read,
        output_tokens=_count("claude-code", usage, "output_tokens"),
        cost=_amount("claude-code", result, "total_cost_usd"),
        session=_field("claude-code", result, "session_id", str),
        turns=_count("claude-code", result, "num_turns"),
        answer=str(result.get("result", "")),
        failed=str(result.get("subtype", "error")) if failed else "",
    )


def codex(text: str) -> Usage:
    """``codex exec --json``: JSON lines; usage of each turn in ``turn.completed``; no money."""
    session, answer, failed = None, "", ""
    counts = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0}
    turns = 0
    for event in _objects("codex", text):
        kind = _field("codex", event, "type", str)
        if kind == "thread.started":
            session = _field("codex", event, "thread_id", str)
        elif kind == "turn.completed":
            turns += 1
            usage = _table("codex", event, "usage")
            for name in counts:
                counts[name] += _count("codex", usage, name)
        elif kind == "turn.failed":
            failed = str(_table("codex", event, "error").get("message", "turn failed"))
        elif kind == "error":
            failed = _field("codex", event, "message", str)
        elif kind == "item.completed":
            item = _table("codex", event, "item")
            if _field("codex", item, "type", str) == "agent_message":
                answer = _field("codex", item, "text", str)
        elif kind not in ("turn.started", "item.started", "item.updated"):
            raise _unknown("codex", f"event {kind!r}", "an event that codex documents")
    if session is None or not (turns or failed):
        raise _unknown("codex", "no thread.started, or no turn that ended", "both")
    known = {"input_tokens": None, "cached_input_tokens": None, "output_tokens": None} if not turns else counts
    return Usage(
        input_tokens=known["input_tokens"],
        cached_tokens=known["cached_input_tokens"],
        output_tokens=known["output_tokens"],
        session=session,
        turns=turns,
        answer=answer,
        failed=failed,
    )


def gemini(text: str) -> Usage:
    """``gemini -p … --output-format json``: one object with the statistics of each model; no money."""
    objects = _objects("gemini", text)
    if len(objects) != 1:
        raise _unknown("gemini", f"{len(objects)} objects", "one")
    (result,) = objects
    error = result.get("error")
    if error is not None and "stats" not in result:
        return Usage(failed=str(_table("gemini", result, "error").get("message", "error")))
    models = _table("gemini", _table("gemini", result, "stats"), "models")
    if not models:
        raise _unknown("gemini", "stats without a model", "the statistics of at least one")
    sums = dict.fromkeys(("prompt", "candidates", "cached", "thoughts"), 0)
    requests = 0
    for name in models:
        model = _table("gemini", models, name)
        tokens = _table("gemini", model, "tokens")
        for kind in sums:
            sums[kind] += _count("gemini", tokens, kind)
        requests += _count("gemini", _table("gemini", model, "api"), "totalRequests")
    return Usage(
        input_tokens=sums["prompt"],
        cached_tokens=sums["cached"],
        output_tokens=sums["candidates"] + sums["thoughts"],
        model=next(iter(models)) if len(models) == 1 else None,
        session=result.get("session_id"),
        turns=requests,
        answer=_field("gemini", result, "response", str) if result.get("response") is not None else "",
        failed=str(error.get("message", "error")) if isinstance(error, dict) else "",
    )


def openhands(text: str) -> Usage:
    """``openhands --headless --json``: JSON lines of actions and observations, which tell neither tokens nor money."""
    last, actions = "", 0
    for event in _objects("openhands", text):
        kind = _field("openhands", event, "type", str)
        if kind == "action":
            actions += 1
            _field("openhands", event, "action", str)
        elif kind == "observation":
            last = _field("openhands", event, "content", str)
        elif kind not in ("message", "error"):
            raise _unknown("openhands", f"event {kind!r}", "action, observation, message or error")
    if not actions:
        raise _unknown("openhands", "no action", "at least one")
    return Usage(turns=actions, answer=last)


def mini_swe_agent(text: str) -> Usage:
    """mini-swe-agent's trajectory file ``….traj.json``: money and calls in ``info.model_stats``."""
    objects = _objects("mini-swe-agent", text)
    if len(objects) != 1:
        raise _unknown("mini-swe-agent", f"{len(objects)} objects", "one")
    (result,) = objects
    version = _field("mini-swe-agent", result, "trajectory_format", str)
    if not version.startswith("mini-swe-agent-1"):
        raise _unknown("mini-swe-agent", f"trajectory_format {version!r}", "mini-swe-agent-1 or 1.1")
    info = _table("mini-swe-agent", result, "info")
    stats = _table("mini-swe-agent", info, "model_stats")
    status = _field("mini-swe-agent", info, "exit_status", str)
    return Usage(
        cost=_amount("mini-swe-agent", stats, "instance_cost"),
        turns=_count("mini-swe-agent", stats, "api_calls"),
        answer=str(info.get("submission", "")),
        failed="" if status == "Submitted" else status,
    )


def none(text: str) -> Usage:
    """An output that says nothing of tokens or money."""
    return Usage(answer=text[-2000:])


PARSERS: Final[Mapping[str, Callable[[str], Usage]]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "openhands": openhands,
    "mini-swe-agent": mini_swe_agent,
    "none": none,
}


def priced(usage: Usage, model: str | None, prices: Mapping[str, Mapping[str, float]]) -> Usage:
    """The usage with its cost, from dollars per million tokens, where the agent does not tell and a price is known."""
    price = prices.get(usage.model or model or "")
    if usage.cost is not None or price is None or usage.input_tokens is None or usage.output_tokens is None:
        return usage
    cached = usage.cached_tokens or 0
    dear = usage.input_tokens - cached
    total = dear * price["input"] + cached * price.get("cached", price["input"]) + usage.output_tokens * price["output"]
    return dataclasses.replace(usage, cost=total / 1e6)


def _objects(agent: str, text: str) -> list[dict[str, Any]]:
    """One JSON object, or one a line."""
    try:
        found = [json.loads(text)]
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise _unknown(agent, f"{error} in {text[:60]!r}", "JSON, or JSON lines") from None
    if not found or not all(isinstance(one, dict) for one in found):
        raise _unknown(agent, repr(text[:60]), "JSON objects")
    return found


def _field(agent: str, table: Mapping[str, Any], name: str, kind: type) -> Any:
    value = table.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise _unknown(agent, f"{name} = {value!r:.60}", f"{kind.__name__} {name}")
    return value


def _table(agent: str, table: Mapping[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = _field(agent, table, name, dict)
    return found


def _count(agent: str, table: Mapping[str, Any], name: str) -> int:
    value: int = _field(agent, table, name, int)
    if value < 0:
        raise _unknown(agent, f"{name} = {value}", "0 or more")
    return value


def _amount(agent: str, table: Mapping[str, Any], name: str) -> float:
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise _unknown(agent, f"{name} = {value!r:.60}", f"a number {name} >= 0")
    return float(value)


def _unknown(agent: str, got: object, expected: str) -> UnknownOutputError:
    remedy = 'record this output as a fixture and extend the parser, or use output = "none" without limits on money'
    return UnknownOutputError(f"output of {agent}", got, expected, remedy)
