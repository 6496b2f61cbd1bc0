"""What a package declares: found, resolved, run, written and read; and where references are looked for."""

import dataclasses
import json
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

from rlenv_shared import files
from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError, SnapshotVersionError
from rlenv_shared.verification import commands, verify
from rlenv_shared.verification.declaration import Declaration, RolloutSet, Transfer, find, resolve
from rlenv_shared.verification.locate import VARIABLE, reference, references_folder

pytestmark = pytest.mark.l1


class Toy(Declaration):
    """A declaration whose results go to a folder of its own."""

    results = property(lambda self: self.transfers[0].config.parent / "results")


def episodes(count, mismatches=0, problem=None):
    print(f"{count} episodes")
    found = verify.Findings({"ours = theirs": {"steps": 10 * count, "mismatches": mismatches}}, {"longest": 10})
    found.comparisons["by implementation"] = {"steps": 1, "mismatches": {"rust": 0, "jax": 0}}
    if problem:
        found.problems.append(problem)
    return found


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "toy_set", SimpleNamespace(episodes=episodes))
    rollouts = RolloutSet("rollouts", "toy_set:episodes", full={"count": 100}, quick={"count": 2})
    transfer = Transfer(tmp_path / "transfer.toml", "ppo")
    return Toy("toy", "toy/Toy-v0", (), smoke="builtins:str", rollouts=(rollouts,), transfers=(transfer,))


def changed(toy, **settings):
    (declared,) = toy.rollouts
    rollouts = RolloutSet(declared.name, declared.run, full={**declared.full, **settings})
    return Toy("toy", "toy/Toy-v0", (), smoke="", rollouts=(rollouts,), transfers=toy.transfers)


def test_verify_writes_what_a_set_found(toy):
    assert verify.main(toy, ["--skip-l4"]) == 0
    content = verify.load(toy.results / "rollouts.json")
    assert content["settings"] == {"count": 100}
    assert content["package"] == "toy"
    assert content["measured"] == {"longest": 10}
    assert sorted(verify.comparisons(content)) == [("by implementation", 1, 0), ("ours = theirs", 1000, 0)]


def test_results_of_one_set_are_no_change_of_the_sources_for_the_next(toy, tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    toy.results.mkdir()
    names = ("first", "second")
    for name in names:
        (toy.results / f"{name}.json").write_text("older")
    for arguments in (["init", "-q"], ["add", "results"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *arguments], check=True)
    sets = tuple(dataclasses.replace(toy.rollouts[0], name=name) for name in names)
    assert verify.main(dataclasses.replace(toy, rollouts=sets), names) == 0
    assert [verify.load(toy.results / f"{name}.json")["dirty"] for name in names] == [False, False]


def test_the_quick_sets_write_nothing(toy, capsys):
    assert verify.main(toy, ["--quick"]) == 0
    assert "21 steps compared, 0 mismatches" in capsys.readouterr().out
    assert not toy.results.exists()


@pytest.mark.parametrize("settings", [{"mismatches": 1}, {"problem": "too few ends"}])
def test_a_difference_or_a_problem_is_not_verified(toy, settings, capsys):
    assert verify.main(changed(toy, **settings), ["rollouts"]) == 1
    assert "NOT VERIFIED" in capsys.readouterr().out


def test_an_unknown_part_is_refused(toy):
    with pytest.raises(InvalidParamsError, match="there are rollouts, transfer"):
        verify.main(toy, ["replays"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 2}, "'rlenv-rollouts', 2"),
        ({"format": "other"}, "'other', 1"),
        ({"comparisons": {}}, "no comparison"),
        ({"comparisons": None}, "no comparison"),
        ({"comparisons": {"a": {"steps": None, "mismatches": 0}}}, "TypeError"),
    ],
)
def test_files_that_are_no_results_are_refused(toy, change, message):
    verify.main(toy, ["--skip-l4"])
    path = toy.results / "rollouts.json"
    files.write_json(path, {**json.loads(path.read_text()), **change})  # sealed again
    with pytest.raises(SnapshotVersionError, match=message):
        verify.load(path)


@pytest.mark.parametrize("content", ["", "[]", "{}", "null"])
def test_files_that_are_no_json_objects_are_refused(tmp_path, content):
    (tmp_path / "rollouts.json").write_text(content)
    for name in ("rollouts.json", "missing.json"):
        with pytest.raises(SnapshotVersionError, match="run verify"):
            verify.load(tmp_path / name)


def test_a_package_that_declares_nothing_is_named():
    with pytest.raises(InvalidParamsError, match=r"no-such-package.*no_such_package\.verification"):
        find("no-such-package")
    with pytest.raises(InvalidParamsError, match="rlenv_learn"):
        find("rlenv-learn")


def test_a_declaration_whose_own_import_fails_says_so(monkeypatch, tmp_path):
    """The missing module is not the declaration."""
    broken = ModuleType("broken_package")
    broken.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "broken_package", broken)
    (tmp_path / "verification.py").write_text("import no_such_module\n")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        find("broken-package")


def test_entries_are_resolved(toy):
    assert resolve("rlenv_shared.verification.declaration:Declaration.results") is Declaration.results
    assert [resolve(entry) for entry in toy.entries()] == [str, episodes]


def test_an_unknown_rollout_set_is_named(toy):
    assert toy.rollout_set("rollouts").quick == {"count": 2}
    with pytest.raises(InvalidParamsError, match=r"one of \['rollouts'\]"):
        toy.rollout_set("replays")


def test_the_command_line_runs_commands_of_the_package_and_of_the_declaration(toy, capsys):
    def greet(name: str) -> None:
        print(f"hello {name}")

    assert commands.main(toy, {"greet": greet}, ["greet", "--name", "you"]) == 0
    assert commands.main(toy, {}, ["smoke"]) == 0
    assert commands.main(toy, {"greet": greet}, ["--help"]) == 0
    out = capsys.readouterr().out
    assert "hello you" in out
    assert "commands: greet, " in out
    assert "smoke" in out
    assert commands.main(toy, {}, ["dance"]) == 2
    assert "command: got dance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fields", "lacking"),
    [({"benchmarks": ()}, "bench"), ({"hyperparameters": {}}, "train"), ({"rollouts": ()}, "verify")],
)
def test_what_a_package_declares_nothing_for_is_not_offered(toy, fields, lacking, capsys):
    all_of_it = {"implementations": {"a": "b"}, "hyperparameters": {"c": {}}, "benchmarks": ("d",)}
    declared = dataclasses.replace(toy, **(all_of_it | fields))
    assert {"smoke", "verify", "train", "transfer", "bench"} - set(commands.offered(declared)) == {lacking}
    assert commands.main(declared, {"play": print}, [lacking]) == 2
    said = capsys.readouterr().err
    assert all(f"'{known}'" in said for known in ["play", *commands.offered(declared)])
    assert f"declares no {next(iter(fields))}" in said


def test_a_command_of_the_package_s_own_takes_the_place_of_a_common_one(toy, capsys):
    assert commands.main(toy, {"verify": print}, ["--help"]) == 0
    assert capsys.readouterr().out.count("verify") == 1


def test_references_are_found_where_the_variable_says(monkeypatch, tmp_path):
    (tmp_path / "toy").mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(ReferenceUnavailableError, match=f"set {VARIABLE} to its references folder"):
        references_folder()
    (tmp_path / "toy" / "pin.json").write_text("{}")
    (tmp_path / "toy" / "adapter.py").write_text("from references.toy.rules import ANSWER\n")
    (tmp_path / "toy" / "rules.py").write_text("ANSWER = 42\n")
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "references"}
    for name in before:
        monkeypatch.delitem(sys.modules, name)
    search_path = list(sys.path)
    try:
        assert reference("toy").ANSWER == 42
        with pytest.raises(ReferenceUnavailableError, match=r"reference chess: got no chess/adapter\.py"):
            reference("chess")
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "references"]:
            del sys.modules[name]
        sys.modules.update(before)
    assert sys.path == search_path


def test_without_the_variable_the_clone_is_searched(monkeypatch, tmp_path):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    assert (references_folder() / "gymnasium_classic" / "adapter.py").is_file()
