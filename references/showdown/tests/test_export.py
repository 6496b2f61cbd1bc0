"""The committed data are what the export writes, and they cover what battles show."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from references.showdown import adapter, export
from references.showdown.tables import DATA, load, load_teams, load_titles

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]


def node(program, *arguments):
    done = subprocess.run(adapter.command(program, *arguments), capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def committed(name):
    return json.loads((DATA / name).read_text())


def test_the_tables_are_what_the_export_writes():
    tables, again = load(), export.run("tables")
    assert {kind: tuple(names) for kind, names in again["names"].items()} == tables.names
    written = {
        f"{table}.{name}": column for table, columns in again["tables"].items() for name, column in columns.items()
    }
    assert set(written) == set(tables.arrays)
    for name, column in written.items():
        assert tables[name].dtype == column["dtype"]
        np.testing.assert_array_equal(tables[name], np.array(column["values"]), err_msg=name)


def test_titles_are_those_of_the_package():
    titles = load_titles()
    assert titles == export.run("titles")
    assert {kind: tuple(own) for kind, own in titles.items()} == {kind: load().names[kind][1:] for kind in titles}


def test_the_pool_is_what_the_generator_makes():
    teams, again = load_teams(), export.run("teams", export.POOL_FIRST, 30)["tables"]["teams"]
    assert set(again) == set(teams)
    for name, column in again.items():
        np.testing.assert_array_equal(teams[name][:30], np.array(column["values"]), err_msg=name)


def test_callbacks_and_handlers_are_those_of_the_package():
    export.check_callbacks(DATA / "callbacks.json", export.run("callbacks")["callbacks"])
    again = export.run("events", export.MEASURED_FIRST, 0)["events"]
    assert [event["event"] for event in again] == [event["event"] for event in committed("events.json")["events"]]
    assert again == committed("events.json")["events"]


def test_modifier_rows_say_what_the_callbacks_do():
    report = node("tests/modifiers.mjs", str(DATA / "callbacks.json"))
    assert report["callbacks"] == committed("MANIFEST.json")["counts"]["callbacks"]["modifier"]
    assert not report["wrong"]
    assert not report["never"]
    assert not report["always"]


def test_data_that_nothing_reads_are_refused():
    said = node("tests/unread.mjs")
    entries = ["species mew", "moves tackle", "abilities guts", "items leftovers", "conditions par", "types Fire"]
    assert said == [f"{entry}: nothing reads its brandNew" for entry in entries]


def test_everything_that_battles_show_is_listed(driver):
    tables, seen = load(), {kind: set() for kind in ("species", "move", "ability", "item", "condition")}
    specs = [{"episode": str(n), "policy": ("uniform", "attack")[n % 2]} for n in range(16)]
    for episode in driver.request("play", episodes=specs, include=["core"]):
        for core in (view["core"] for view in episode["views"]):
            seen["condition"] |= {effect[0] for effect in (core["weather"], core["terrain"]) if effect}
            seen["condition"] |= set(core["pseudo_weather"])
            for side in core["sides"]:
                seen["condition"] |= set(side["conditions"]) | set(side["slot_conditions"])
                for pokemon in side["pokemon"]:
                    for kind in ("species", "ability", "item"):
                        seen[kind].add(pokemon[kind])
                    seen["move"] |= {move for move, _ in pokemon["moves"]}
                    seen["condition"] |= set(pokemon["volatiles"]) | {pokemon["status"]}
    plural = {"species": "species", "move": "moves", "ability": "abilities", "item": "items", "condition": "conditions"}
    for kind, table in plural.items():
        scope = tables[f"{table}.scope"]
        listed = {name for name, part in zip(tables.names[kind], scope, strict=True) if part} | {"", "fnt"}
        assert seen[kind] <= listed, (kind, seen[kind] - listed)
        assert len(seen[kind]) > 20
