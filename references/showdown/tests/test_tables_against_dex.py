"""Every entry of every table against the live Dex; stats against those of Showdown's Pokémon."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from references.showdown import adapter
from references.showdown.tables import load, load_teams, packed, stats

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]

STATS = ("hp", "atk", "def", "spa", "spd", "spe")
BOOSTS = (*STATS[1:], "accuracy", "evasion")


@pytest.fixture(scope="module")
def tables():
    return load()


@pytest.fixture(scope="module")
def facts(tables):
    line = adapter.command("tests/dex_facts.mjs", *tables.names["condition"][1:])
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout)


class Reader:
    """Turns numbers of the tables back into what the Dex says."""

    def __init__(self, tables, table, kind):
        self.tables, self.table, self.kind = tables, table, kind
        self.ids = tables.names[kind]

    def rows(self):
        return enumerate(self.ids[1:], start=1)

    def value(self, column, row):
        return self.tables[f"{self.table}.{column}"][row].tolist()

    def name(self, kind, number):
        return self.tables.names[kind][number]

    def named(self, column, kind, row):
        value = self.value(column, row)
        return [self.name(kind, n) for n in value] if isinstance(value, list) else self.name(kind, value)

    def boosts(self, column, row):
        return {stat: value for stat, value in zip(BOOSTS, self.value(column, row), strict=True) if value}

    def flags(self, kind, row):
        words = self.value("flags", row)
        mask = words if isinstance(words, int) else words[0] | words[1] << 32
        return {name for n, name in enumerate(self.tables.names[kind][1:]) if mask >> n & 1}


def to_id(name):
    return "".join(c for c in str(name or "").lower() if c.isascii() and c.isalnum())


def non_zero(boosts):
    return {stat: value for stat, value in (boosts or {}).items() if value}


def test_the_same_entries(tables, facts):
    for kind, table in (("move", "moves"), ("ability", "abilities"), ("item", "items")):
        assert set(tables.names[kind][1:]) == set(facts[table])
    cosmetic = {name for name, species in facts["species"].items() if species.get("isCosmeticForme")}
    assert set(tables.names["species"][1:]) - cosmetic == set(facts["species"]) - cosmetic
    assert set(tables.names["nature"][1:]) == set(facts["natures"])
    assert list(tables.names["type"][1:]) == facts["types"]


def test_every_number_of_every_move(tables, facts):
    read = Reader(tables, "moves", "move")
    for row, name in read.rows():
        move = facts["moves"][name]
        got = {
            "num": read.value("num", row),
            "type": read.named("type", "type", row),
            "category": read.named("category", "category", row),
            "power": read.value("base_power", row),
            "accuracy": read.value("accuracy", row) or True,
            "pp": [read.value("pp", row), read.value("max_pp", row)],
            "priority": read.value("priority", row),
            "target": read.named("target", "target", row),
            "non-ghost": read.named("non_ghost_target", "target", row),
            "flags": read.flags("move_flag", row),
            "crit": [read.value("crit_ratio", row), read.value("will_crit", row)],
            "hits": read.value("multihit", row),
            "fractions": [read.value(column, row) for column in ("drain", "recoil", "heal")],
            "defensive": read.named("defensive_stat", "stat", row),
            "offensive": read.named("offensive_stat", "stat", row),
            "foul play": read.value("offense_of_target", row),
            "damage": {0: None, 255: "level"}.get(read.value("fixed_damage", row), read.value("fixed_damage", row)),
            "ohko": {0: None, 1: True, 2: "Ice"}[read.value("ohko", row)],
            "selfdestruct": {0: None, 1: "always", 2: "ifHit"}[read.value("selfdestruct", row)],
            "immunity": read.value("ignore_immunity", row),
        }
        hits = move.get("multihit", 1)
        boosted = move["pp"] if move.get("noPPBoosts") else move["pp"] * 8 // 5
        assert got == {
            "num": max(move["num"], 0),
            "type": move["type"],
            "category": move["category"],
            "power": move["basePower"],
            "accuracy": move["accuracy"],
            "pp": [move["pp"], boosted],
            "priority": move["priority"],
            "target": move["target"],
            "non-ghost": move["nonGhostTarget"] if move.get("nonGhostTarget") else "",
            "flags": set(move["flags"]),
            "crit": [move["critRatio"], move.get("willCrit", False)],
            "hits": hits if isinstance(hits, list) else [hits, hits],
            "fractions": [move.get(key, [0, 1]) for key in ("drain", "recoil", "heal")],
            "defensive": move.get("overrideDefensiveStat", ""),
            "offensive": move.get("overrideOffensiveStat", ""),
            "foul play": move.get("overrideOffensivePokemon") == "target",
            "damage": move.get("damage"),
            "ohko": move.get("ohko"),
            "selfdestruct": move.get("selfdestruct"),
            "immunity": move["ignoreImmunity"],
        }, name


def test_every_effect_of_every_move(tables, facts):
    read = Reader(tables, "moves", "move")
    given = {
        "status": ("status", "status"),
        "volatile": ("volatileStatus", "condition"),
        "side_condition": ("sideCondition", "condition"),
        "slot_condition": ("slotCondition", "condition"),
        "pseudo_weather": ("pseudoWeather", "condition"),
        "weather": ("weather", "condition"),
        "terrain": ("terrain", "condition"),
    }
    for row, name in read.rows():
        move = facts["moves"][name]
        own = move.get("self") or {}
        for column, (key, kind) in given.items():
            assert read.named(column, kind, row) == to_id(move.get(key)), (name, column)
        assert read.named("own_condition", "condition", row) == (name if "condition" in move else "")
        assert read.boosts("boosts", row) == non_zero(move.get("boosts")), name
        assert read.boosts("self_boost", row) == non_zero((move.get("selfBoost") or {}).get("boosts")), name
        assert read.boosts("self_boosts", row) == non_zero(own.get("boosts")), name
        assert read.value("self_chance", row) == own.get("chance", 0)
        assert read.value("has_self", row) == bool(move.get("self"))
        assert read.named("self_volatile", "condition", row) == to_id(own.get("volatileStatus"))
        assert read.named("self_switch", "self_switch", row) == str(move.get("selfSwitch", "")).lower()
        hits = move.get("secondaries") or []
        assert read.value("secondaries", row) == len(hits)
        for k in range(2):
            hit = hits[k] if k < len(hits) else {}
            inner = hit.get("self") or {}
            assert read.value("secondary_chance", row)[k] == hit.get("chance", 0), name
            assert read.named("secondary_status", "status", row)[k] == hit.get("status", "")
            assert read.named("secondary_volatile", "condition", row)[k] == to_id(hit.get("volatileStatus"))
            assert read.named("secondary_self_volatile", "condition", row)[k] == to_id(inner.get("volatileStatus"))
            boosts = read.value("secondary_boosts", row)[k], read.value("secondary_self_boosts", row)[k]
            for got, expected in zip(boosts, (hit, inner), strict=True):
                assert {s: v for s, v in zip(BOOSTS, got, strict=True) if v} == non_zero(expected.get("boosts")), name
            assert read.value("secondary_calls", row)[k] == ("onHit" in hit or "onHit" in inner)


def test_every_switch_of_every_move(tables, facts):
    switches = {
        "multiaccuracy": "multiaccuracy",
        "force_switch": "forceSwitch",
        "ignore_ability": "ignoreAbility",
        "ignore_defensive": "ignoreDefensive",
        "ignore_evasion": "ignoreEvasion",
        "crash_damage": "hasCrashDamage",
        "mind_blown_recoil": "mindBlownRecoil",
        "chloroblast_recoil": "chloroblastRecoil",
        "struggle_recoil": "struggleRecoil",
        "sheer_force": "hasSheerForceBoost",
        "thaws_target": "thawsTarget",
        "stalling": "stallingMove",
        "sleep_usable": "sleepUsable",
        "calls_move": "callsMove",
        "breaks_protect": "breaksProtect",
        "smart_target": "smartTarget",
        "tracks_target": "tracksTarget",
    }
    for column, key in switches.items():
        got = {name for name, on in zip(tables.names["move"], tables[f"moves.{column}"], strict=True) if on}
        assert got == {name for name, move in facts["moves"].items() if move.get(key)}, column
        assert got


def test_every_species(tables, facts):
    read = Reader(tables, "species", "species")
    for row, name in read.rows():
        species = facts["species"][name]
        abilities = [to_id(species["abilities"].get(slot)) for slot in ("0", "1", "H", "S")]
        first = species.get("battleOnly") or ""
        assert read.value("num", row) == species["num"]
        assert read.named("types", "type", row) == (species["types"] + [""])[:2]
        assert read.value("base_stats", row) == [species["baseStats"][stat] for stat in STATS]
        assert read.value("weight_hg", row) == species["weighthg"]
        assert read.named("abilities", "ability", row) == [a if a in facts["abilities"] else "" for a in abilities]
        assert read.named("gender", "gender", row) == species["gender"]
        assert read.value("male_of_1000", row) == round(species["genderRatio"]["M"] * 1000)
        assert read.named("base_species", "species", row) == to_id(species["baseSpecies"])
        assert read.named("battle_only_from", "species", row) == to_id(first[0] if isinstance(first, list) else first)
        assert read.named("changes_from", "species", row) == to_id(species.get("changesFrom"))
        item = to_id((species.get("requiredItems") or [""])[0])
        assert read.named("required_item", "item", row) == (item if item in facts["items"] else "")
        assert read.named("required_tera_type", "type", row) == species.get("requiredTeraType", "")
        assert read.value("can_evolve", row) == species["nfe"]
        assert read.value("fixed_max_hp", row) == species.get("maxHP", 0)


def test_every_ability_item_nature_and_condition(tables, facts):
    read = Reader(tables, "abilities", "ability")
    for row, name in read.rows():
        ability = facts["abilities"][name]
        assert read.value("num", row) == ability["num"]
        assert read.flags("ability_flag", row) == set(ability["flags"])
        assert read.value("suppress_weather", row) == ability["suppressWeather"]
        assert read.named("own_condition", "condition", row) == (name if "condition" in ability else "")
    read = Reader(tables, "items", "item")
    for row, name in read.rows():
        item = facts["items"][name]
        fling = item.get("fling") or {}
        switches = [read.value(column, row) for column in ("berry", "choice", "gem", "ignore_klutz")]
        assert switches == [bool(item.get(key)) for key in ("isBerry", "isChoice", "isGem", "ignoreKlutz")]
        assert read.value("num", row) == max(item["num"], 0)
        assert read.value("fling_power", row) == fling.get("basePower", 0)
        assert read.named("fling_status", "status", row) == fling.get("status", "")
        assert read.named("fling_volatile", "condition", row) == fling.get("volatileStatus", "")
        assert read.named("plate_type", "type", row) == (item.get("onPlate") or "")
        assert read.named("forced_forme", "species", row) == to_id(item.get("forcedForme"))
        assert read.boosts("boosts", row) == non_zero(item.get("boosts") or {})
        gift = item.get("naturalGift") or {"basePower": 0, "type": ""}
        power, kind = read.value("natural_gift", row)
        assert [power, tables.names["type"][kind]] == [gift["basePower"], gift["type"]]
        assert read.named("own_condition", "condition", row) == (name if "condition" in item else "")
    read = Reader(tables, "natures", "nature")
    for row, name in read.rows():
        nature = facts["natures"][name]
        assert [read.named(c, "stat", row) for c in ("plus", "minus")] == [nature.get(c, "") for c in ("plus", "minus")]
    read = Reader(tables, "conditions", "condition")
    for row, name in read.rows():
        condition = facts["conditions"][name]
        kind = condition["effectType"] if condition["effectType"] in tables.names["condition_kind"] else "Condition"
        assert read.named("kind", "condition_kind", row) == kind
        assert read.value("duration", row) == condition.get("duration", 0)
        assert read.value("no_copy", row) == bool(condition.get("noCopy"))
        assert read.value("counter_max", row) == condition.get("counterMax", 0)
        assert read.value("affects_fainted", row) == bool(condition.get("affectsFainted"))


def test_the_type_chart_for_one_and_two_types(tables, facts):
    effectiveness, immune = tables["types.effectiveness"], tables["types.immune"]
    assert len(facts["chart"]) == 19 + 19 * 18 // 2
    for entry in facts["chart"]:
        rows = [tables.number("type", name) for name in entry["defending"]]
        for name, (not_immune, exponent) in zip(facts["types"], entry["attacking"], strict=True):
            column = tables.number("type", name)
            assert immune[rows, column].any() != not_immune
            assert effectiveness[rows, column].sum() == exponent
        for effect, not_immune in entry["others"]:
            known = effect in tables.names["immunity"]
            got = tables["types.immune_to"][rows, tables.number("immunity", effect)].any() if known else False
            assert got != not_immune, (entry["defending"], effect)


CROWNED = (("rustedsword", "zaciancrowned", "behemothblade"), ("rustedshield", "zamazentacrowned", "behemothbash"))


def once_begun(tables, teams):
    """Teams as they are in a battle: who holds a rusted item is another species, whose Iron Head is another move."""
    species, moves = teams["species"].copy(), teams["moves"].copy()
    for item, crowned, move in CROWNED:
        holds = teams["item"] == tables.number("item", item)
        species[holds] = tables.number("species", crowned)
        moves[holds[..., None] & (moves == tables.number("move", "ironhead"))] = tables.number("move", move)
    return {**teams, "species": species, "moves": moves}


def test_stats_of_the_pool_are_those_of_showdown(tables, driver):
    given = load_teams()
    teams = once_begun(tables, given)
    ours = stats(tables, teams)
    rng = np.random.default_rng(0)
    fixed = np.flatnonzero((tables["species.fixed_max_hp"][teams["species"]] > 0).any(1))[:2]
    crowned = np.flatnonzero((teams["species"] != given["species"]).any(1))[:4]
    chosen = [*fixed.tolist(), *crowned.tolist(), *rng.choice(len(ours), 194, replace=False).tolist()]
    pairs = list(zip(chosen[::2], chosen[1::2], strict=True))
    specs = [{"seed": "1", "teams": [packed(tables, given, i) for i in pair], "choices": []} for pair in pairs]
    for pair, battle in zip(pairs, driver.request("play", episodes=specs, include=[]), strict=True):
        for index, members in zip(pair, battle["constants"], strict=True):
            for slot, member in enumerate(members):
                assert [member["maxhp"], *member["stats"]] == ours[index, slot].tolist(), member["species"]
                assert member["species"] == tables.names["species"][teams["species"][index, slot]]
                assert member["level"] == teams["level"][index, slot]
                assert member["ability"] == tables.names["ability"][teams["ability"][index, slot]]
                assert member["item"] == tables.names["item"][teams["item"][index, slot]]
                assert member["gender"] == tables.names["gender"][teams["gender"][index, slot]]
                assert member["tera"] == tables.names["type"][teams["tera_type"][index, slot]]
                moves = [m for m in teams["moves"][index, slot].tolist() if m]
                assert member["moves"] == [[tables.names["move"][m], tables["moves.max_pp"][m]] for m in moves]
                assert member["weight"] == tables["species.weight_hg"][teams["species"][index, slot]]


def test_every_nature_changes_stats_as_in_showdown(tables, driver):
    names = tables.names["nature"][1:]
    teams = load_teams()
    base = packed(tables, teams, 3)
    for number, nature in enumerate(names, start=1):
        members = ["|".join([*m.split("|")[:5], nature, *m.split("|")[6:]]) for m in base.split("]")]
        spec = {"seed": "1", "teams": ["]".join(members)] * 2, "choices": []}
        played = driver.request("play", episodes=[spec], include=[])[0]
        ours = stats(tables, teams, number)[3]
        assert [[m["maxhp"], *m["stats"]] for m in played["constants"][0]] == ours.tolist(), nature
