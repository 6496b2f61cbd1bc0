"""L1: agents of every kind drive a whole run; those that misbehave are stopped, undone and reported."""

import os
import subprocess
import time

import pytest

from env_recipe import agents
from env_recipe.manifest import Agent, Limits
from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(180)]

PROGRAMS = {"claude-code": 0.4127, "codex": None, "gemini": None, "openhands": None, "mini-swe-agent": 0.0713}


@pytest.mark.parametrize("kind", PROGRAMS)
def test_an_agent_of_each_kind_drives_a_whole_run(toy, good, kind):
    toy.agent(good, kind)
    run = toy.go()
    assert toy.outcome == "finished"
    assert [event["ok"] for event in toy.events(run, "agent")] == [True, True]
    assert [event["usage"]["cost"] for event in toy.events(run, "agent")] == [PROGRAMS[kind]] * 2
    assert run.state.unknown_cost == (PROGRAMS[kind] is None)
    assert toy.git("show", "recipe/run:pkg/src/toy/twice.py").startswith("from toy.add")


def test_every_shipped_agent_is_driven_here():
    assert set(agents.SHIPPED) == set(PROGRAMS)


def test_prompts_reach_an_agent_and_leave_no_trace(toy, good):
    toy.agent(good + "assert 'Translate the module' in Path(sys.argv[1]).read_text()\n")
    run = toy.go()
    assert all(event["ok"] for event in toy.events(run, "agent"))
    assert not [event for event in toy.events(run, "guard") if event["findings"]]
    assert agents.PROMPT_FILE not in toy.git("ls-tree", "-r", "--name-only", "recipe/run")


def first(toy, run, kind="agent"):
    return toy.events(run, kind)[0]


def test_one_that_hangs_is_ended_with_all_it_started(toy):
    toy.agent(
        "import subprocess\nchild = subprocess.Popen(['sleep', '300'])\nprint(child.pid, flush=True)\ntime.sleep(300)\n"
    )
    toy.manifest((toy.root / "recipe.toml").read_text().replace("agent_timeout_s = 20", "agent_timeout_s = 3"))
    toy.commit()
    started = time.monotonic()
    run = toy.go(limit=1)
    assert time.monotonic() - started < 60
    event = first(toy, run)
    assert event["how"] == "time limit of 3 s"
    time.sleep(0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(int(event["output"]), 0)
    assert first(toy, run, "decision")["why"].startswith("time limit of 3 s")


def test_one_that_prints_gigabytes_is_stopped(toy):
    toy.agent("while True:\n    os.write(1, b'y' * 65536)\n")
    run = toy.go(limit=1)
    event = first(toy, run)
    assert event["how"] == "more than 1,000,000 bytes of output"
    assert len(event["output"]) < 40_000
    assert "characters left out" in event["output"]


def test_one_that_crashes_is_reported_and_what_it_wrote_counts(toy, good):
    toy.agent(good + "if number == 0:\n    print('oops', file=sys.stderr)\n    sys.exit(7)\n")
    run = toy.go()
    event = first(toy, run)
    assert (event["how"], event["ok"]) == ("exit status 7", False)
    assert "oops" in event["problem"]
    assert toy.outcome == "finished"


def test_one_that_deletes_the_work_tree_is_survived(toy, good):
    toy.agent("import shutil\nif number == 0:\n    shutil.rmtree(os.getcwd())\n    sys.exit(0)\nnumber -= 1\n" + good)
    run = toy.go()
    assert first(toy, run)["destroyed"]
    assert "the work tree was deleted" in first(toy, run, "guard")["findings"]
    assert not first(toy, run, "decision")["kept"]
    assert toy.outcome == "finished"


def test_one_that_changes_nothing_is_not_kept_and_stops_the_run(toy):
    toy.agent("")
    run = toy.go(limit=2)
    assert toy.outcome == "stopped"
    assert [event["why"] for event in toy.events(run, "decision")] == ["nothing was changed"] * 2
    assert run.state.reason == "2 iterations in one phase"


def test_one_that_commits_is_judged_by_what_is_there(toy, good):
    commit = "git add -A && git -c user.name=a -c user.email=a@b commit -qm x"
    toy.agent(good + f"import subprocess\nsubprocess.run({commit!r}, shell=True)\n")
    run = toy.go()
    assert toy.outcome == "finished"
    assert [event["kept"] for event in toy.events(run, "decision")] == [True, True]


@pytest.mark.parametrize("path", ["reference/add.py", "recipe.toml", ".recipe/run/journal.jsonl", ".git/config"])
def test_one_that_writes_outside_is_found_and_undone(toy, good, path):
    toy.agent(good + f"with open({str(toy.root / path)!r}, 'a') as file:\n    file.write('#')\n")
    before = (toy.root / path).read_text() if "journal" not in path else None
    run = toy.go()
    findings = [finding for event in toy.events(run, "guard") for finding in event["findings"]]
    assert any("outside the work tree" in finding for finding in findings)
    assert before is None or (toy.root / path).read_text() == before
    assert toy.outcome == "finished"


def test_one_that_edits_the_main_tree_instead_is_told(toy, good):
    toy.agent(good + f"Path({str(toy.root / 'pkg/src/toy/other.py')!r}).write_text('x = 1')\n")
    run = toy.go(limit=1)
    assert any("other.py: outside" in finding for finding in first(toy, run, "guard")["findings"])
    assert (toy.root / "pkg/src/toy/other.py").exists(), "nothing of a person's is deleted"


def test_one_that_speaks_in_an_unknown_format_is_no_zero(toy, good, monkeypatch):
    toy.agent(good + "print('surprise')\n", "claude-code")
    run = toy.go()
    event = first(toy, run)
    assert event["how"] == "output of an unknown format"
    assert event["usage"]["cost"] is None
    assert run.state.unknown_cost


def test_secrets_are_not_written_down(toy, good, monkeypatch):
    monkeypatch.setenv("TOY_KEY", "s3cr3t-0123456789")
    toy.agent(good + "print(os.environ['TOY_KEY'])\n")
    run = toy.go()
    assert "s3cr3t" not in (run.folder / "journal.jsonl").read_text()
    assert first(toy, run)["output"].strip() == "[TOY_KEY]"


def test_only_variables_of_the_list_are_passed_on(toy, good, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "not for agents")
    toy.agent(good + "print('OTHER_KEY' in os.environ, 'HOME' in os.environ)\n")
    assert first(toy, toy.go())["output"].strip() == "False True"


@pytest.mark.parametrize(
    ("agent", "limits", "message"),
    [
        (Agent(kind="cursor"), Limits(), "agent.kind"),
        (Agent(kind="command", command=["no-such-program"]), Limits(), "no program 'no-such-program'"),
        (Agent(kind="command", command=["true"], output="xml"), Limits(), "agent.output"),
        (Agent(kind="replay", directory="nowhere"), Limits(), "a folder of patches"),
        (Agent(kind="command", command=["true"]), Limits(money=5.0), "limits.money"),
    ],
)
def test_wrong_settings_say_what_to_do(tmp_path, agent, limits, message):
    with pytest.raises(InvalidParamsError, match=message):
        agents.settings(agent, tmp_path, limits)


def test_a_spent_budget_stops_the_run(toy, good):
    toy.agent(good, "claude-code")
    toy.manifest((toy.root / "recipe.toml").read_text().replace("[limits]", "[limits]\nmoney = 0.4"))
    toy.commit()
    run = toy.go()
    assert toy.outcome == "stopped"
    assert run.state.reason == "the money is spent: $0.41"
    assert len(toy.events(run, "agent")) == 1


def test_forbidden_edits_stop_the_run(toy, good):
    toy.agent(good + "edit('pkg/tests/tolerances.py', 'STEP = 1')\n")
    toy.manifest((toy.root / "recipe.toml").read_text().replace("[limits]", "[limits]\nforbidden_edits = 1"))
    toy.commit()
    run = toy.go()
    assert run.state.reason == "1 forbidden edits"
    assert run.repository.read(run.state.tree, "pkg/tests/tolerances.py") == b"STEP = 1e-9\n"


def test_no_program_of_ours_is_left(toy):
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "sleep 300" not in found
