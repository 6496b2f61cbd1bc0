"""L1: tokens and money, read from each agent's documented output; anything else is refused."""

import dataclasses
import json
import tomllib
from pathlib import Path

import pytest

from env_recipe import usage

pytestmark = pytest.mark.l1

FILES = Path(__file__).parent / "fixtures" / "agents"
EXPECTED = tomllib.loads((FILES / "expected.toml").read_text())


@pytest.mark.parametrize("name", EXPECTED)
def test_recorded_outputs_are_read(name):
    expected = dict(EXPECTED[name])
    found = usage.PARSERS[expected.pop("parser")]((FILES / name).read_text())
    told = dataclasses.asdict(found)
    assert {key: told[key] for key in expected} == expected
    for untold in {"input_tokens", "output_tokens", "cost"} - set(expected):
        assert told[untold] is None, "what an agent does not tell is no zero"


def test_every_parser_has_a_recorded_output():
    assert {entry["parser"] for entry in EXPECTED.values()} == set(usage.PARSERS) - {"none"}


def damaged(name):
    """Outputs of another shape: each number, table and type of the recorded one missing or changed."""
    text = (FILES / name).read_text()
    yield "nothing", ""
    yield "words", "All done!"
    yield "a list", "[1, 2]"
    yield "another agent's", '{"type": "message_stop"}'
    yield "cut off", text[: len(text) - len(text) // 5]
    for key in ("usage", "total_cost_usd", "output_tokens", "input_tokens", "type", "stats", "models", "tokens",
                "prompt", "model_stats", "instance_cost", "trajectory_format", "api_calls", "exit_status"):  # fmt: skip
        if f'"{key}"' in text:
            yield f"{key} renamed", text.replace(f'"{key}"', f'"{key}_v2"')
    for number in ("6120", "0.4127", "122", "24939", "0.0713", "9}"):
        if number in text and number != "9}":
            yield f"{number} as text", text.replace(number, f'"{number}"')
            yield f"{number} as null", text.replace(number, "null")


GOOD = [name for name in EXPECTED if not EXPECTED[name].get("failed")]
DAMAGED = [(name, what, text) for name in GOOD for what, text in damaged(name)]


@pytest.mark.parametrize(("name", "what", "text"), DAMAGED, ids=[f"{n}: {w}".replace(" ", "-") for n, w, _ in DAMAGED])
def test_unknown_shapes_are_refused(name, what, text):
    with pytest.raises(usage.UnknownOutputError, match="expected"):
        usage.PARSERS[EXPECTED[name]["parser"]](text)


@pytest.mark.parametrize("name", GOOD)
def test_an_output_is_read_by_its_own_parser_alone(name):
    for parser in set(usage.PARSERS) - {"none", EXPECTED[name]["parser"]}:
        with pytest.raises(usage.UnknownOutputError):
            usage.PARSERS[parser]((FILES / name).read_text())


def test_a_price_table_gives_what_the_agent_does_not_tell():
    found = usage.codex((FILES / "codex-0.145.jsonl").read_text())
    price = {"gpt": {"input": 2.0, "cached": 0.5, "output": 10.0}}
    cost = usage.priced(found, "gpt", price).cost
    assert cost == pytest.approx(((25763 - 24448) * 2.0 + 24448 * 0.5 + 132 * 10.0) / 1e6)
    assert usage.priced(found, "another", price).cost is None
    told = usage.claude_code((FILES / "claude-code-2.json").read_text())
    assert usage.priced(told, "gpt", price).cost == 0.4127


def test_a_negative_or_infinite_cost_is_refused():
    good = json.loads((FILES / "claude-code-2.json").read_text())
    for cost in (-1, float("inf"), True):
        with pytest.raises(usage.UnknownOutputError):
            usage.claude_code(json.dumps(good | {"total_cost_usd": cost}))
