"""L1: phases, decisions, hidden tests, proofs of new tests, bad input, and runs that were killed."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from env_recipe import run as runs
from env_recipe.atif import trajectory
from env_recipe.journal import read, without_times
from env_recipe.levels import Outcome, Outcomes
from env_recipe.manifest import ManifestError
from env_recipe.proof import unproven
from env_recipe.reference import NotDeterministicError
from env_recipe.report import write
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]

WRONG_ADD = "def add(a, b):\n    return abs(a) + b\n"
ADD = "def add(a, b):\n    return a + b\n"
TWICE = "from toy.add import add\n\n\ndef twice(a):\n    return add(a, a)\n"
LATE = "def add(a, b):\n    return a + b if a < 100 else 0\n"
SHOWS_LATE = "from toy.add import add\n\n\ndef test_large():\n    assert add(150, 1) == 151\n"
SHOWS_NOTHING = "from toy.add import add\n\n\ndef test_small():\n    assert add(1, 1) == 2\n"
A, B, TEST = "pkg/src/toy/add.py", "pkg/src/toy/twice.py", "pkg/tests/l1_property/test_new.py"


def why(toy, run):
    return [event["why"] for event in toy.events(run, "decision")]


def test_an_error_is_caught_at_its_level(toy):
    toy.patches(**{"1_translate_add": {A: WRONG_ADD}, "2_translate_twice": {B: TWICE}, "3_fix": {A: ADD}})
    run = toy.go()
    assert toy.outcome == "finished"
    kinds = [(event["phase"], event["kind"]) for event in toy.events(run, "prompt")]
    assert kinds == [("l1:add", "translate"), ("l1:twice", "translate"), ("l2", "repair")]
    assert why(toy, run)[-1] == "0 tests fail instead of 1"
    subjects = toy.git("log", "--format=%s", "recipe/run").splitlines()
    assert subjects[:3] == [
        "l2: repair, iteration 3",
        "l1:twice: translate, iteration 2",
        "l1:add: translate, iteration 1",
    ]


def test_a_module_is_repaired_by_its_own_tests(toy):
    wrong = "def add(a, b):\n    return a\n"
    toy.patches(**{"1_translate_add": {A: wrong}, "2_fix": {A: ADD}, "3_translate_twice": {B: TWICE}})
    run = toy.go()
    assert toy.outcome == "finished"
    kinds = [(event["phase"], event["kind"]) for event in toy.events(run, "prompt")]
    assert kinds == [("l1:add", "translate"), ("l1:add", "repair"), ("l1:twice", "translate")]


def test_a_repair_that_breaks_a_lower_level_does_not_count(toy):
    broken = "def add(a, b):\n    return a + b if a < 0 else 7\n"
    toy.patches(
        **{"1_translate_add": {A: WRONG_ADD}, "2_translate_twice": {B: TWICE}, "3_bad": {A: broken}, "4_fix": {A: ADD}}
    )
    run = toy.go()
    assert why(toy, run)[2].startswith("it breaks 3 tests of lower levels")
    assert toy.outcome == "stopped", "patch 4 was made on top of patch 3, which was not kept"


def test_a_rollout_is_repaired_with_a_lower_test_alone(toy):
    toy.patches(
        **{"1_translate_add": {A: LATE}, "2_translate_twice": {B: TWICE}, "3_alone": {A: ADD}},
    )
    run = toy.go(limit=2)
    assert run.phase.name == "l3"
    assert why(toy, run)[2] == "no new L1 or L2 test that fails before and passes after"
    prompt = toy.events(run, "prompt")[2]
    assert prompt["modules"] == ["add"]
    assert "`state.sum` differs" in prompt["prompt"]


@pytest.mark.parametrize(
    ("test", "kept", "reason"),
    [(SHOWS_LATE, True, ""), (SHOWS_NOTHING, False, "passes without the repair")],
    ids=["shows", "shows-nothing"],
)
def test_a_new_test_must_fail_before_and_pass_after(toy, test, kept, reason):
    toy.patches(**{"1_translate_add": {A: LATE}, "2_translate_twice": {B: TWICE}, "3_fix": {A: ADD, TEST: test}})
    run = toy.go(limit=2)
    last = toy.events(run, "decision")[2]
    assert last["kept"] is kept
    assert any(reason in line for line in last["refused"]) or kept
    assert (toy.outcome == "finished") is kept
    assert bool(run.repository.read(run.state.tree, TEST)) is kept


def test_a_new_test_must_catch_a_known_mistake(toy):
    toy.write("pkg/tests/mutations.toml", (
        '[[mutation]]\nid = "m"\nfile = "src/toy/add.py"\nfind = "return a + b"\n'
            'replace = "return a - b if a < 9 else a + b"\n'
        'kills = ["x"]\n'
    ))  # fmt: skip
    toy.commit()
    toy.patches(**{"1_translate_add": {A: LATE}, "2_translate_twice": {B: TWICE}, "3_fix": {A: ADD, TEST: SHOWS_LATE}})
    text = (toy.root / "recipe.toml").read_text()
    toy.manifest(text.replace('fields = ["state.sum"]', 'fields = ["state.sum"]\nmutations = "tests/mutations.toml"'))
    toy.commit()
    run = toy.go(limit=2)
    refused = toy.events(run, "decision")[2]["refused"]
    assert any("catches none of 1 known mistakes" in line for line in refused)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("assertion", "passed", ""),
        ("assertion", "skipped", "is skipped"),
        ("assertion", "error", "fails on the repair, too"),
        ("passed", "passed", "passes without the repair"),
        ("error", "passed", "but by no assertion"),
    ],
)
def test_a_new_test_proves_what_it_found_wrong_by_an_assertion(before, after, reason):
    outcomes = [Outcomes((Outcome("a.py::test_x", status),)) for status in (before, after)]
    found = unproven("a.py", *outcomes, by_assertion=True)
    assert reason in found
    assert bool(found) is bool(reason)


def hide(toy, text, name="hidden"):
    place = toy.place / f"{name}-tests" / "l2_interaction"
    place.mkdir(parents=True)
    (place / "test_hidden.py").write_text(text)
    manifest = (toy.root / "recipe.toml").read_text()
    key = "tests" if name == "hidden" else "backup"
    table = "" if "[hidden]" in manifest else "\n[hidden]\nrerun_l3 = false\n"
    toy.manifest(manifest.replace("[limits]", f"{table}[limits]") if table else manifest)
    text = (toy.root / "recipe.toml").read_text()
    toy.manifest(text.replace("rerun_l3 = false\n", f'rerun_l3 = false\n{key} = "../{name}-tests"\n'))
    toy.commit()


def test_hidden_tests_are_told_as_a_count_and_reviewed(toy):
    wrong = "def add(a, b):\n    return a + b if b < 50 else 0\n"
    shows = SHOWS_LATE.replace("add(150, 1)", "add(1, 150)")
    toy.patches(**{"1_translate_add": {A: wrong}, "2_translate_twice": {B: TWICE}, "3_fix": {A: ADD, TEST: shows}})
    secret = "from toy.add import add\n\n\ndef test_secret():\n    assert add(2, 77) == 79\n"
    hide(toy, secret)
    hide(toy, secret.replace("77", "78").replace("79", "80"), "backup")
    run = toy.go()
    assert toy.outcome == "finished"
    counts = [(e["phase"], e["failing"], e["total"]) for e in toy.events(run, "hidden")]
    assert ("l2", 1, 1) in counts
    assert counts[-1] == ("l3", 0, 1)
    (review,) = [event for event in toy.events(run, "prompt") if event["kind"] == "review"]
    assert "1 of 1 fail" in review["prompt"].replace("\n", " ")
    assert "test_secret" not in (run.folder / "journal.jsonl").read_text()
    assert [(e["failing"], e["total"]) for e in toy.events(run, "backup")] == [(0, 1)]


def test_hidden_tests_that_agents_would_see_are_refused(toy, good):
    toy.agent(good)
    toy.write("hidden/l2_interaction/test_x.py", "def test_x():\n    assert 1\n")
    toy.manifest((toy.root / "recipe.toml").read_text().replace("[limits]", '[hidden]\ntests = "hidden"\n[limits]'))
    toy.commit()
    with pytest.raises(ManifestError, match="which git tracks"):
        toy.begin()


def test_l3_alone_keeps_less(toy):
    both = {"1_translate_add": {A: WRONG_ADD}, "2_translate_twice": {B: TWICE}, "3_fix": {A: ADD}}
    toy.patches(**both)
    run = toy.go(chosen=("l3",))
    assert toy.outcome == "finished", "the rollout of the toy adds no negative numbers"
    assert len(toy.events(run, "agent")) == 2


def test_the_discriminators_of_an_agent_and_built_in(toy, good):
    late = "def add(a, b):\n    return a + b if a < 100_000_000 else 0\n"
    shows = SHOWS_LATE.replace("add(150, 1) == 151", "add(200_000_000, 1) == 200_000_001")
    toy.agent(
        f"texts = [({A!r}, {late!r}), ({B!r}, {TWICE!r})]\n"
        f"edit(*texts[number]) if number < 2 else (edit({A!r}, {ADD!r}), edit({TEST!r}, {shows!r}))\n"
    )
    text = (toy.root / "recipe.toml").read_text()
    toy.manifest(text.replace("enabled = false", "enabled = true"))
    toy.commit()
    run = toy.go()
    assert toy.outcome == "finished"
    assert [len(event["outcomes"]["failed"]) for event in toy.events(run, "generated")] == [2, 0]


def test_l4_runs_the_command_of_the_package(toy, good):
    """One command, whose status says whether policies transfer."""
    toy.agent(good)
    toy.write("pkg/transfer.py", "import sys\nfrom toy.twice import twice\n\nsys.exit(twice(3) != 6)\n")
    text = (toy.root / "recipe.toml").read_text()
    toy.manifest(text.replace("[limits]", '[l4]\ncommand = ["python", "transfer.py"]\nmargin = 0.1\n\n[limits]'))
    toy.commit()
    run = toy.go()
    assert toy.outcome == "finished"
    assert toy.events(run, "phase")[-1]["name"] == "l4"
    assert "python transfer.py" in toy.events(run, "check")[-1]["outcomes"]["passed"]


def test_a_person_edits_between_two_commands(toy):
    text = (toy.root / "recipe.toml").read_text()
    toy.manifest(text + '\n[agent]\nkind = "human"\n')
    toy.commit()
    run = toy.go()
    assert toy.outcome == "waiting"
    assert "Translate the module `add`" in (run.folder / "prompt.md").read_text()
    for path, content in ((None, ""), (A, ADD), (B, TWICE)):
        if path is not None:
            assert (run.folder / "agent" / path).exists()
            (run.folder / "agent" / path).write_text(content)
        run = runs.open_run(toy.root, run.folder)
        runs.let_go_on(run)
        with runs.closing(run):
            toy.outcome = run.go()
        if path is None:  # nothing was edited: the same prompt still waits
            assert toy.outcome == "waiting"
            assert not toy.events(run, "agent")
    assert toy.outcome == "finished"


def test_a_reference_that_is_not_deterministic_is_refused(toy, good):
    toy.agent(good)
    toy.write("adapter.py", (
        "import random\n\nimport numpy as np\n\n\nclass Reference:\n    def __init__(self, n):\n        self.t = 0\n"
        "    def reset(self, seed):\n        self.t = 0\n    def step(self, actions):\n        self.t += 1\n"
        "    def snapshot(self):\n        noise = random.random() if self.t == 5 else 0.0\n"
        "        return {'state.x': np.array([noise]), 'state.t': np.array([self.t])}\n"
    ))  # fmt: skip
    text = (toy.root / "recipe.toml").read_text()
    toy.manifest(
        text.replace('source = "reference"', 'source = "reference"\nadapter = "adapter:Reference"\nimport_path = ["."]')
    )
    toy.commit()
    with pytest.raises(NotDeterministicError, match=r"state.x = .* at step 5 of seed 0"):
        toy.go()


def test_bad_beginnings_say_what_to_do(toy, good, monkeypatch, tmp_path):
    toy.agent(good)
    toy.write("pkg/src/toy/draft.py", "X = 1\n")
    with pytest.raises(InvalidParamsError, match=r"uncommitted changes: pkg/src/toy/draft.py"):
        toy.begin()
    toy.commit()
    with pytest.raises(InvalidParamsError, match="levels"):
        toy.begin(chosen=("l5",))
    with pytest.raises(SnapshotVersionError, match="recipe run"):
        runs.open_run(toy.root, toy.root / ".recipe" / "none")
    folder = toy.root / ".recipe" / "run"
    with runs.held(folder), pytest.raises(InvalidParamsError, match="held by another run"), runs.held(folder):
        pass
    toy.go()
    with pytest.raises(InvalidParamsError, match="recipe resume"):
        toy.begin()
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "recipe.toml").write_text((toy.root / "recipe.toml").read_text())
    (tmp_path / "plain" / "reference").symlink_to(toy.root / "reference")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with pytest.raises(InvalidParamsError, match="git init"):
        runs.begin(tmp_path / "plain", tmp_path / "plain" / ".recipe" / "run")


def test_a_run_that_was_killed_at_random_moments_is_the_same(toy):
    toy.patches(
        **{
            "1_translate_add": {A: LATE},
            "2_translate_twice": {B: TWICE},
            "3_tolerance": {"pkg/tests/tolerances.py": "STEP = 1\n"},
        }
    )
    toy.git("commit", "--quiet", "--allow-empty", "-m", "x")
    fix = toy.place / "patches" / "4-fix.patch"
    added = "".join(f"+{line}\n" for line in SHOWS_LATE.splitlines())
    fix.write_text(
        f"--- a/{A}\n+++ b/{A}\n@@ -1,2 +1,2 @@\n def add(a, b):\n"
        "-    return a + b if a < 100 else 0\n+    return a + b\n"
        f"--- /dev/null\n+++ b/{TEST}\n@@ -0,0 +1,{len(SHOWS_LATE.splitlines())} @@\n{added}"
    )
    alone = toy.go("alone")
    assert toy.outcome == "finished"
    generator = random.Random(3)
    command = [sys.executable, "-m", "env_recipe.cli"]
    kills = 0
    while True:
        there = (toy.root / ".recipe" / "killed" / "journal.jsonl").exists()
        process = subprocess.Popen([*command, "resume" if there else "run", "--name", "killed"], cwd=toy.root,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        if kills < 8:
            time.sleep(generator.uniform(0.2, 2.5))
            process.send_signal(signal.SIGKILL)
        status = process.wait()
        kills += status == -signal.SIGKILL
        if status == 0:
            break
        assert status in (-signal.SIGKILL, 2)
    again = read(toy.root / ".recipe" / "killed" / "journal.jsonl")
    assert kills >= 3
    assert without_times(again) == without_times(alone.journal.events)
    assert toy.git("rev-parse", "recipe/killed^{tree}") == toy.git("rev-parse", "recipe/alone^{tree}")


def test_a_journal_as_a_trajectory_and_as_a_page(toy, good):
    toy.agent(good, "claude-code")
    run = toy.go()
    found = json.loads(json.dumps(trajectory(run.journal.events)))
    assert found["schema_version"] == "ATIF-v1.7"
    assert [step["step_id"] for step in found["steps"]] == list(range(1, len(found["steps"]) + 1))
    assert {step["source"] for step in found["steps"]} == {"user", "agent", "system"}
    assert found["final_metrics"]["total_cost_usd"] == pytest.approx(2 * 0.4127)
    assert found["final_metrics"]["total_prompt_tokens"] == 2 * 320509
    page = write([run.folder / "journal.jsonl"] * 2, toy.place / "report.html").read_text()
    for part in ("<svg", "translate", "Visible against hidden", "$0.413", "finished"):
        assert part in page
    assert os.sep + "tmp" not in page


def test_the_commands(toy, good, tmp_path):
    toy.agent(good)

    def recipe(*arguments):
        command = [sys.executable, "-m", "env_recipe.cli", *arguments]
        return subprocess.run(command, cwd=toy.root, capture_output=True, text=True)

    assert recipe("run").returncode == 0
    assert "finished" in recipe("status").stdout
    assert "lacks: hidden tests" in recipe("plan").stdout
    for kind in ("translate", "repair", "review", "discriminate", "l1-tests", "l2-tests", "optimise"):
        assert "## What you may write" in recipe("prompt", "--kind", kind).stdout, kind
    assert recipe("export", "--journal", ".recipe/run", "--out", str(tmp_path / "t.json")).returncode == 0
    for wrong in (
        ("fly",),
        ("run",),
        ("status", "--name", "../x"),
        ("prompt", "--kind", "x"),
        ("run", "--levels", "9"),
    ):
        done = recipe(*wrong)
        assert done.returncode == 2, wrong
        assert done.stderr.startswith("error: ")
        assert done.stderr.count("\n") == 1
