"""The recorder: the same bytes every time, whatever else is recorded."""

from __future__ import annotations

import hashlib
import json
import subprocess

import pytest
from references.showdown import adapter

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]


def record(*arguments):
    done = subprocess.run(adapter.command("trace.mjs", *arguments), capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_battle_is_recorded_the_same_alone_and_among_others():
    together = record("--seeds", "10:14", "--policy", "attack", "--mode", "hash")
    alone = record("--seeds", "12:13", "--policy", "attack", "--mode", "hash", "--draw-log", "--messages")
    start = next(i for i, line in enumerate(together) if '"episode":"12"' in line)
    end = next(i for i, line in enumerate(together) if '"episode":"13"' in line)
    assert alone[0] == together[0]
    assert len(alone) == 1 + end - start
    for mine, line in zip(alone[1:], together[start:end], strict=True):
        assert json.loads(line).items() <= json.loads(mine).items()


def test_digests_are_those_of_the_full_recording():
    full = [json.loads(line) for line in record("--seeds", "7:8")]
    short = [json.loads(line) for line in record("--seeds", "7:8", "--mode", "hash")]
    assert full[0] == {**short[0], "mode": "full"}
    assert short[0]["reference"] == "pokemon-showdown@0.11.11"
    assert full[1] == short[1]
    assert short[-1]["kind"] == "end"
    for view, digests in zip(full[2:], short[2:], strict=True):
        for name in ("core", "aux", "legal"):
            text = json.dumps(view[name], separators=(",", ":"), ensure_ascii=False)
            assert digests[f"{name}_hash"] == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_teams_of_a_file_are_used_in_turn(tmp_path, driver):
    teams = driver.request("teams", seeds=["1", "2", "3", "4"])
    lines = [json.dumps({"teams": teams[:2]}), json.dumps({"teams": teams[2:]})]
    (tmp_path / "teams.jsonl").write_text("\n".join(lines))
    recorded = record("--seeds", "5:8", "--teams", str(tmp_path / "teams.jsonl"), "--max-decisions", "3")
    battles = [json.loads(line) for line in recorded if '"kind":"battle"' in line]
    assert [battle["teams"] for battle in battles] == [teams[2:], teams[:2], teams[2:]]
    assert all(json.loads(line)["capped"] for line in recorded if '"kind":"end"' in line)


@pytest.mark.parametrize("arguments", [[], ["--seeds", "5"], ["--seeds", "1:2", "--mode", "some"]])
def test_arguments_that_are_none_are_refused(arguments):
    done = subprocess.run(adapter.command("trace.mjs", *arguments), capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert "trace.mjs: --" in done.stderr
