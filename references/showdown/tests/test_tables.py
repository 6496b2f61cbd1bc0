"""The data files: complete, checked, and looked up by name."""

from __future__ import annotations

import hashlib
import json
import shutil

import numpy as np
import pytest
from references.showdown import mechanics
from references.showdown import tables as module
from references.showdown.tables import DATA, load, load_teams, packed

from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = pytest.mark.l1


@pytest.fixture(scope="module")
def tables():
    return load()


def test_every_column_has_a_row_per_name(tables):
    kinds = {"species": "species", "moves": "move", "abilities": "ability", "items": "item", "natures": "nature"}
    kinds |= {"types": "type", "conditions": "condition"}
    for name, array in tables.arrays.items():
        table = name.partition(".")[0]
        if table in kinds:
            assert len(array) == len(tables.names[kinds[table]]), name
    assert len({len(array) for name, array in tables.arrays.items() if name.startswith("sets.")}) == 1


def test_counts_are_those_of_the_manifest(tables):
    manifest = json.loads((DATA / "MANIFEST.json").read_text())
    assert manifest["source"]["version"] == tables.version == "0.11.11"
    for table, count in manifest["counts"]["entries"].items():
        scope = tables[f"{table}.scope"]
        assert len(scope) == count + 1
        kind = {"species": "formes"}.get(table, table)
        assert (scope > 0).sum() == manifest["counts"]["format"][kind]
        assert scope[0] == 0
        inside = np.flatnonzero(scope)
        assert inside.tolist() == list(range(1, len(inside) + 1))  # the format's entries come first
    assert manifest["counts"]["format"] == {
        "formes": 577, "moves": 350, "abilities": 209, "items": 59, "conditions": 71
    }  # fmt: skip
    assert len(tables["sets.species"]) == manifest["counts"]["sets"]


def test_row_0_is_nothing(tables):
    for name, array in tables.arrays.items():
        if name.partition(".")[0] in ("sets", "moves"):
            continue
        assert not array[0].any(), name
    fractions = {"moves.drain", "moves.recoil", "moves.heal", "moves.multihit"}
    for name, array in tables.arrays.items():
        if name.startswith("moves.") and name not in fractions:
            assert not array[0].any(), name


def test_names_have_numbers_and_numbers_names(tables):
    for kind, names in tables.names.items():
        assert names[0] == ""
        assert len(set(names)) == len(names)
        for number in (1, len(names) - 1):
            assert tables.number(kind, names[number]) == number


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda t: t.number("move", "tackel"), r"move: got 'tackel', expected one of \['tackle'"),
        (lambda t: t.number("pokemon", "mew"), "kind: got 'pokemon'"),
        (lambda t: t["moves.basepower"], r"expected one of \['moves.base_power'"),
    ],
)
def test_an_unknown_name_is_refused_with_a_near_one(tables, ask, message):
    with pytest.raises(InvalidParamsError, match=message):
        ask(tables)


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(DATA, tmp_path / "data")
    return tmp_path / "data"


@pytest.mark.parametrize("name", ["tables.npz", "names.json", "teams.npz"])
def test_a_changed_or_missing_file_is_refused(copy, name):
    load_any = load_teams if name == "teams.npz" else load
    load_any(copy)
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(SnapshotVersionError, match=f"{name}: got sha256 .* expected sha256"):
        load_any(copy)
    (copy / name).unlink()
    with pytest.raises(SnapshotVersionError, match=r"python -m references\.showdown\.export"):
        load_any(copy)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": 2, "source": {"version": "1"}, "files": {}}', None])
def test_a_manifest_that_is_none_is_refused(copy, content):
    if content is None:
        (copy / "MANIFEST.json").unlink()
    else:
        (copy / "MANIFEST.json").write_text(content)
    with pytest.raises(SnapshotVersionError, match="MANIFEST"):
        load(copy)


def test_a_listed_file_of_another_kind_is_refused(copy):
    (copy / "tables.npz").write_bytes(b"no archive")
    manifest = json.loads((copy / "MANIFEST.json").read_text())
    manifest["files"]["tables.npz"]["sha256"] = hashlib.sha256(b"no archive").hexdigest()
    (copy / "MANIFEST.json").write_text(json.dumps(manifest))
    with pytest.raises(SnapshotVersionError, match="an archive of arrays"):
        load(copy)


def test_the_pool_is_of_the_format(tables):
    teams = load_teams()
    manifest = json.loads((DATA / "MANIFEST.json").read_text())
    assert teams["species"].shape == (manifest["teams"]["count"], module.TEAM_SIZE)
    assert teams["moves"].shape[2] == 4
    for column, table in (("species", "species"), ("ability", "abilities"), ("item", "items"), ("moves", "moves")):
        numbers = teams[column]
        assert (tables[f"{table}.scope"][numbers[numbers > 0]] == 1).all()  # what a team can hold
    assert (teams["species"] > 0).all()
    assert (teams["moves"][..., 0] > 0).all()
    assert len(np.unique(teams["species"], axis=0)) == len(teams["species"])


def test_a_packed_team_names_everything(tables):
    text = packed(tables, load_teams(), 0)
    assert len(text.split("]")) == 6
    for member in text.split("]"):
        fields = member.split("|")
        assert len(fields) == 12
        assert fields[0] in tables.names["species"]
        assert all(move in tables.names["move"] for move in fields[4].split(","))


def test_the_ledger_lists_the_whole_format(tables):
    ledger = json.loads((DATA / "ledger.json").read_text())
    assert ledger["teams"] >= 20_000
    for kind, table, single in (
        ("formes", "species", "species"),
        ("moves", "moves", "move"),
        ("abilities", "abilities", "ability"),
        ("items", "items", "item"),
    ):
        inside = {name for name, scope in zip(tables.names[single], tables[f"{table}.scope"], strict=True) if scope}
        assert set(ledger[kind]) == inside
        uses = [entry["uses"] for entry in ledger[kind].values()]
        assert uses == sorted(uses, reverse=True)
        assert all((entry["uses"] > 0) <= (entry["from"] == "team") for entry in ledger[kind].values())
    assert sum(entry["uses"] for entry in ledger["abilities"].values()) == ledger["teams"] * 6


def test_the_document_is_that_of_the_data():
    names = ("callbacks.json", "events.json", "ledger.json", "MANIFEST.json")
    listing, events, ledger, manifest = (json.loads((DATA / name).read_text()) for name in names)
    text = mechanics.document(listing["callbacks"], events, ledger, manifest)
    assert (DATA.parent / "MECHANICS.md").read_text() == text


def test_every_tie_that_battles_showed_is_foreseen():
    events = json.loads((DATA / "events.json").read_text())
    groups = {event["event"]: event["groups"] for event in events["events"]}
    kinds = 0
    for seen in events["measured"]["policies"].values():
        for entry in seen:
            for tie in entry["ties"]:
                members = set(tie["members"].split(" + "))
                if entry["event"] == "queue" or members == {"pokemon"}:
                    continue  # actions, or the active Pokémon themselves
                kinds += 1
                able = [group for group in groups[entry["event"]] if group["ties"]]
                assert any(members <= {effect["id"] for effect in group["effects"]} for group in able), (entry, tie)
    assert kinds > 10
