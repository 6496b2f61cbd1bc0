"""The comparison of a newer source tree with the pinned package: on the package itself, and on changed copies of it."""

from __future__ import annotations

import json
import shutil

import pytest
from references.showdown import adapter, drift

from rlenv_shared.errors import InvalidParamsError

pytestmark = [pytest.mark.l1, pytest.mark.reference("showdown"), pytest.mark.timeout(300)]

COMPARED = [*drift.KINDS, "sets", "teams", "battles"]


@pytest.fixture
def tree(tmp_path):
    """A copy of what simulating needs of the package."""
    root, copy = adapter.package(), tmp_path / "newer"
    copy.mkdir()
    shutil.copytree(root / "dist", copy / "dist", ignore=shutil.ignore_patterns("*.map", "server"))
    shutil.copy(root / "package.json", copy)
    (copy / "node_modules").symlink_to(root.parent)
    return copy


def change(tree, file, old, new):
    path = tree / "dist" / file
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def differing(tree, teams=20, battles=6):
    return {found.kind: found.differing for found in drift.drift(tree, teams=teams, battles=battles)}


def test_the_pinned_package_does_nothing_otherwise(capsys):
    assert drift.main([str(adapter.package()), "--teams", "20", "--battles", "4"]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == "nothing differs"
    assert [line.split(":")[0] for line in said.splitlines()[1:-1]] == COMPARED
    assert str(drift.PIN.commit) in said


def test_every_entry_is_found_in_the_package():
    found = drift.entries(adapter.package())
    assert {kind for kind, entries in found.items() for entry in entries.values() if not entry} <= {"condition"}
    assert "basePower" in found["move"]["ragefist"]
    assert "basePowerCallback" in found["move"]["ragefist"]


def test_a_changed_rule_is_found_in_data_and_battles(tree, capsys):
    change(tree, "data/moves.js", "return Math.min(350, 50 + 50 * pokemon.timesAttacked);", "return 50;")
    change(tree, "sim/battle.js", "return tr(tr(baseDamage * (100 - this.random(16))) / 100);", "return baseDamage;")
    assert drift.main([str(tree), "--teams", "2", "--battles", "2"]) == 1
    said = capsys.readouterr().out
    assert "move: 1 of 685 differ\n  ragefist: basePowerCallback" in said
    assert "battles: 2 of 2 differ\n  battle 0, decision" in said


def test_a_changed_set_is_found_in_teams(tree):
    path = tree / "dist" / "data" / "random-battles" / "gen9" / "sets.json"
    sets = json.loads(path.read_text())
    changed = [name for number, name in enumerate(sets) if number % 2]
    for name in changed:
        sets[name]["level"] += 1
    path.write_text(json.dumps(sets))
    found = differing(tree)
    assert found["sets"] == tuple(f"{name}: level" for name in changed)
    assert len(found["teams"]) > 10
    assert found["battles"] == ()  # of the pinned generator's teams


def test_teams_of_newer_sets_are_a_pool_without_a_new_release(tree, tmp_path, capsys):
    teamtext = pytest.importorskip("pokejax.teamtext")
    path, out = tree / "dist" / "data" / "random-battles" / "gen9" / "sets.json", tmp_path / "teams.txt"
    sets = json.loads(path.read_text())
    for one in sets.values():
        one["level"] = 41
    path.write_text(json.dumps(sets))
    assert drift.main([str(tree), "--teams", "12", "--write-teams", str(out)]) == 0
    assert f"12 teams of {drift.PIN.version}" in capsys.readouterr().out
    packed = out.read_text().splitlines()
    assert len(packed) == 12
    assert all(fields.split("|")[10] == "41" for team in packed for fields in team.split("]"))
    assert len(teamtext.read(out)[0]) == 12 * 6


def test_a_tree_that_plays_nothing_differs_in_every_battle(tree):
    change(tree, "sim/battle.js", "commitChoices() {", "commitChoices() { throw new Error('not yet');")
    assert all("cannot be played" in line for line in differing(tree)["battles"])
    assert len(differing(tree)["battles"]) == 6


@pytest.mark.parametrize(
    ("manifest", "built", "got", "remedy"),
    [
        (None, False, "No such file or directory", "make drift-showdown SRC=DIR"),
        ("{", False, "which names no package", "make drift-showdown SRC=DIR"),
        ('{"name": "another", "version": "1"}', True, "another 1", "make drift-showdown SRC=DIR"),
        (
            '{"name": "pokemon-showdown", "version": "1"}',
            False,
            "without dist/sim/index.js",
            "npm install && node build",
        ),
    ],
    ids=["nothing there", "no manifest", "another package", "not built"],
)
def test_what_is_no_built_tree_is_refused(tmp_path, capsys, manifest, built, got, remedy):
    if manifest is not None:
        (tmp_path / "package.json").write_text(manifest)
    if built:
        (tmp_path / "dist" / "sim").mkdir(parents=True)
        (tmp_path / drift.BUILT).write_text("")
    assert drift.main([str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert got in said
    assert remedy in said


def test_a_tree_whose_data_cannot_be_read_is_refused(tree):
    (tree / "dist" / "data" / "moves.js").write_text("no(")
    with pytest.raises(InvalidParamsError, match=r"(?s)data of .*node build"):
        list(drift.drift(tree))


def test_src_has_to_be_given(capsys):
    assert drift.main([""]) == 2
    assert "make drift-showdown SRC=DIR" in capsys.readouterr().err
