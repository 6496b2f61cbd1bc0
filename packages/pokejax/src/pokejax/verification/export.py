"""Writes ``pokejax/data`` from the exported data of the reference: ``python -m pokejax.verification.export``.

Keeps what `pokejax.effects` lists and packs it as `pokejax.rows` declares; what it does not keep has no row, and a team
that uses it is refused.  The same input gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from pokejax import effects, rows
from pokejax.callbacks import CALLBACKS
from pokejax.data import DATA, MANIFEST, SCHEMA
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.verification.locate import reference

Tables = Any  # references.showdown.tables.Tables
TARGETS: Final = {
    "normal": rows.AT_FOE, "any": rows.AT_FOE, "randomNormal": rows.AT_FOE, "adjacentFoe": rows.AT_FOE,
    "allAdjacentFoes": rows.AT_ALL_ADJACENT, "allAdjacent": rows.AT_ALL_ADJACENT, "self": rows.AT_SELF,
    "all": rows.AT_FIELD, "foeSide": rows.AT_FOE_SIDE, "allySide": rows.AT_OWN_SIDE, "allyTeam": rows.AT_OWN_SIDE,
}  # fmt: skip
NOT_PLAYED: Final = (
    "multiaccuracy", "force_switch", "selfdestruct", "ohko", "crash_damage", "mind_blown_recoil",
    "chloroblast_recoil", "calls_move", "breaks_protect", "smart_target", "side_condition", "slot_condition",
    "pseudo_weather", "terrain", "own_condition", "self_volatile", "stalling", "sleep_usable", "ignore_ability",
)  # fmt: skip
"""Columns of moves that no rule reads: a move in which one is set is left out."""
CONTEXT: Final = {  # conditions of modifiers, as facts
    ("move_category", "Physical"): "physical", ("move_category", "Special"): "special",
    ("move_flag", "contact"): "contact", ("move_flag", "sound"): "sound", ("move_flag", "punch"): "punch",
    ("move_flag", "bite"): "bite", ("move_flag", "pulse"): "pulse", ("move_flag", "slicing"): "slicing",
    ("super_effective",): "super_effective", ("not_very_effective",): "not_very_effective",
    ("critical",): "critical", ("hp_at_most_third", "user"): "third_of_hp", ("has_status", "user"): "has_status",
    ("hp_full", "target"): "target_full_hp", ("not", ("turns_active", "target")): "target_fresh",
    ("weather_one_of_for", "sunnyday|desolateland", "user"): "sun",
    ("weather_one_of_for", "raindance|primordialsea", "user"): "rain",
    ("field_weather", "sandstorm"): "sand", ("field_weather_one_of", "hail|snowscape"): "snow",
    ("can_evolve", "target"): "can_evolve", ("accuracy_is_number",): "has_accuracy",
    ("not", ("accuracy_is_no_number",)): "has_accuracy",
    ("or", ("move_has", "recoil"), ("move_has", "hasCrashDamage")): "recoil",
    ("or", ("move_has", "hasSheerForce"), ("move_has", "hasSheerForceBoost")): "forced",
    ("or", ("status_is", "user", "psn"), ("status_is", "user", "tox")): "poisoned",
    ("field_terrain", "electricterrain"): "current", ("type_changed_by_this",): "retyped", ("own_counter",): "slow",
}  # fmt: skip
SPEED: Final = rows.STATS.index("spe")
BY_SPECIES: Final = ("species_number", "base_species", "species_begins")
"""Conditions that ask who holds an item."""
ALWAYS: Final = (("not", ("has_volatile", "user", "dynamax")), ("always",))
"""Conditions that always hold in this format."""


class Stages:
    """Numbers of stage changes, as rows of one table."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = [(0,) * 7]
        self.number({"atk": -1})  # Intimidate
        self.number({"spe": 1})  # Speed Boost
        self.number({"spe": -1})  # Sticky Web
        self.number({"evasion": -1})  # Defog
        self.number({"def": -1})  # Gulp Missile
        self.number({"atk": 2, "spa": 2})  # Weakness Policy
        self.number({"atk": 6})  # half of Belly Drum
        self.number({"atk": -1, "spa": -1})  # Parting Shot
        self.number({"atk": 1, "spe": 1})  # Tidy Up
        self.number({"atk": 1})  # Download
        self.number({"spa": 1})  # the same, and Soul-Heart

    def number(self, change: Sequence[int] | Mapping[str, int]) -> int:
        """The row of seven stages, or of stages by name."""
        named = change if isinstance(change, Mapping) else dict(zip(rows.BOOSTS, change, strict=True))
        row = tuple(int(named.get(stat, 0)) for stat in rows.BOOSTS)
        if row not in self.rows:
            self.rows.append(row)
        return self.rows.index(row)

    def words(self) -> np.ndarray[Any, Any]:
        """uint32 ``[n]``: seven signed stages of four bits."""
        return np.array([sum((s & 15) << (4 * i) for i, s in enumerate(row)) for row in self.rows], np.uint32)


def callbacks() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Callbacks of the reference by kind and id."""
    found = defaultdict(list)
    for entry in json.loads((reference("showdown", "tables").DATA / "callbacks.json").read_text())["callbacks"]:
        found[entry["kind"], entry["id"]].append(entry)
    return found


def playable_moves(source: Tables, known: Mapping[tuple[str, str], Any]) -> list[str]:
    """Ids of the format's moves that columns describe wholly, Struggle first."""
    condition = source.names["condition"]

    def fits(name: str) -> bool:
        number = source.number("move", name)

        def column(what: str) -> Any:
            return source[f"moves.{what}"][number]

        if name in effects.MOVES:
            return True
        conditions = [column("volatile"), *column("secondary_volatile"), *column("secondary_self_volatile")]
        return (
            not known.get(("move", name))
            and not any(column(what) for what in NOT_PLAYED)
            and not any(column("secondary_calls"))
            and column("self_switch") <= 1
            and column("fixed_damage") in (0, 255)
            and {condition[number] for number in conditions} <= {"", "flinch", "confusion"}
            and not any(column("secondary_self_volatile"))
        )

    scope = source["moves.scope"]
    names = [name for name, inside in zip(source.names["move"], scope, strict=True) if inside == 1 and fits(name)]
    return ["struggle", *names]


def move_rows(source: Tables, names: Sequence[str], stages: Stages) -> dict[str, np.ndarray[Any, Any]]:
    """Fields of `rows.MOVE` for "none" and the named moves."""
    numbers = np.array([0, *(source.number("move", name) for name in names)])
    flags = source.names["move_flag"]

    def column(name: str) -> Any:
        return source[f"moves.{name}"][numbers]

    def recoded(name: str, kind: str, codes: Sequence[str]) -> Any:
        return np.array([codes.index(source.names[kind][number]) for number in column(name)])

    def fraction(name: str) -> Any:
        return np.array([rows.FRACTIONS.index(tuple(map(int, pair))) for pair in column(name)])

    def changes(values: Any) -> Any:
        return np.array([stages.number([int(v) for v in value]) for value in values])

    words = column("flags")
    types = column("type").astype(np.int32)
    types[1] = 0  # Struggle has no type by the time it is used
    out = {
        name: column(name).astype(np.int32)
        for name in ("category", "accuracy", "priority", "crit_ratio", "status", "secondaries", "self_chance")
    }
    out["type"] = types
    secondary_volatile = column("secondary_volatile")
    condition = source.names["condition"]
    for k in (0, 1):
        out[f"chance{k}"] = column("secondary_chance")[:, k].astype(np.int32)
        out[f"status{k}"] = column("secondary_status")[:, k].astype(np.int32)
        out[f"volatile{k}"] = np.array([rows.VOLATILES.index(condition[v]) for v in secondary_volatile[:, k]])
        out[f"boosts{k}"] = changes(column("secondary_boosts")[:, k])
        out[f"self_boosts{k}"] = changes(column("secondary_self_boosts")[:, k])
    for name in rows.MOVE_FLAGS:
        bit = flags.index(name) - 1
        out[name] = (words[:, bit // 32] >> np.uint32(bit % 32) & 1).astype(bool)
    target = [TARGETS.get(source.names["target"][t], rows.AT_FOE) for t in column("target")]
    out |= {
        "power": column("base_power").astype(np.int32),
        "target": np.array(target),
        "always_crits": column("will_crit"),
        "least_hits": np.maximum(column("multihit")[:, 0], 1).astype(np.int32),
        "most_hits": np.maximum(column("multihit")[:, 1], 1).astype(np.int32),
        "drain": fraction("drain"),
        "recoil": fraction("recoil"),
        "heal_share": fraction("heal"),
        "self_switch": column("self_switch") > 0,
        "weather": recoded("weather", "condition", rows.WEATHERS),
        "volatile": recoded("volatile", "condition", rows.VOLATILES),
        "level_damage": column("fixed_damage") == 255,
        "defends_physically": (column("defensive_stat") == 3) & (column("category") == rows.SPECIAL),
        "attacks_with_defense": column("offensive_stat") == 3,
        "attacks_with_targets": column("offense_of_target"),
        "ignores_defense_boosts": column("ignore_defensive"),
        "ignores_evasion": column("ignore_evasion"),
        "thaws_target": column("thaws_target"),
        "toxic": np.array([False, *(name == "toxic" for name in names)]),
        "boosts": changes(column("boosts")),
        "self_boosts": changes(column("self_boosts")),
        "once_boosts": changes(column("self_boost")),
        "side_condition": recoded("side_condition", "condition", rows.SIDE_CONDITIONS),
        "ignores_immunity": column("ignore_immunity"),
        "struggle": column("struggle_recoil"),
        "hydro_steam": np.array([False, *(name == "hydrosteam" for name in names)]),
    }
    return out | special_fields(names, out, stages, source.names["species"])


def special_fields(
    names: Sequence[str], columns: Mapping[str, np.ndarray[Any, Any]], stages: Stages, species: Sequence[str]
) -> dict[str, np.ndarray[Any, Any]]:
    """Fields that `effects.MOVES` gives, for "none" and the named moves; where it gives none, those of ``columns``."""
    out: dict[str, Any] = {}
    for field in sorted({field for fields in effects.MOVES.values() for field in fields}):
        out[field] = np.array(columns.get(field, np.zeros(len(names) + 1, np.int32)))
        for number, name in enumerate(names, start=1):
            value = effects.MOVES.get(name, {}).get(field)
            if field == "follows_breed" and value is not None:
                value = species.index(value)
            elif isinstance(value, str):
                value = rows.FACTS.index(value) + 1
            if value is not None:
                out[field][number] = stages.number(value) if isinstance(value, Mapping) else value
    return out


def effect_rows(
    kind: str,
    entries: Mapping[str, effects.Fields],
    source: Tables,
    known: Mapping[Any, Any],
    stages: Stages,
    dormant: Iterable[str] = (),
) -> tuple[dict[str, np.ndarray[Any, Any]], list[list[dict[str, Any]]]]:
    """Fields of `rows.ABILITY` or `rows.ITEM` and, per entry and event, rows of `rows.MODIFIER`.

    ``dormant`` entries come once more, behind all, as what does nothing (`effects.BOUND`).
    """
    layout = rows.ABILITY if kind == "ability" else rows.ITEM
    names = {place.path for place in layout.places()}
    fields: dict[str, list[Any]] = {name: [0] for name in names}
    modifiers: list[list[dict[str, Any]]] = [[] for _ in rows.EVENTS]
    asleep = [(name, {k: v for k, v in entries[name].items() if k in effects.DORMANT_FIELDS}) for name in dormant]
    for place, (name, entry) in enumerate([*entries.items(), *asleep]):
        source.number(kind, name)
        own = known.get((kind, name), []) if place < len(entries) else []
        _check_callbacks(kind, name, entry, own)
        values = dict(entry)
        if kind == "ability":
            values["breakable"] = _flagged(source, name, "breakable")
            values["untraceable"] = _flagged(source, name, "notrace")
            values["stays"] = _flagged(source, name, "cantsuppress")
            values |= attack_ranks(name)
            values["inborn"] = values.get("inborn", False) or _flagged(source, name, "notransform")
        for callback in own:
            event = callback["callback"].removeprefix("on")
            if callback["class"] == "modifier" and event in rows.EVENTS:
                if event == "ModifyDamage":
                    values["changes_damage"] = True
                if event == "SourceModifyDamage":
                    values["changes_damage_taken"] = True
        for field in names:
            value = values.get(field, 0)
            if isinstance(value, Mapping):
                value = stages.number(value)
            elif isinstance(value, tuple):
                numbers = source.names["type"] if field == "hit_types" else rows.BOOSTS
                value = sum(1 << numbers.index(name_) for name_ in value)
            elif isinstance(value, str):
                value = source.number("species" if field.startswith("suits") else "type", value)
            fields[field].append(value)
        for number, event in enumerate(rows.EVENTS):
            found = [
                row
                for callback in own
                if callback["class"] == "modifier" and callback["callback"] == f"on{event}"
                for entry_row in callback["rows"]
                if callback["callback"] not in _meant(entry)
                for row in modifier_rows(entry_row, source)
            ]
            if len(found) > rows.ROWS_PER_EVENT:
                raise _bad(f"{kind} {name}, {event}", f"{len(found)} rows", f"at most {rows.ROWS_PER_EVENT}")
            modifiers[number].append({"effect": len(fields[next(iter(names))]) - 1, "rows": found})
    booleans = {place.path for place in layout.places() if place.field.dtype == np.bool_}
    arrays = {name: np.array(value, bool if name in booleans else np.int32) for name, value in fields.items()}
    return arrays, modifiers


def modifier_rows(row: Mapping[str, Any], source: Tables) -> list[dict[str, Any]]:
    """One exported row as one row per type that it asks for."""
    types, facts = _parse(_frozen(row["when"]))
    bits = sum(1 << rows.FACTS.index(fact) for fact in facts)
    base = {"by": row["by"], "direct": row["op"] == "modify", "facts": bits}
    return [{**base, "type": source.number("type", name) if name else 0} for name in types or [""]]


def _parse(tree: Any) -> tuple[list[str], list[str]]:
    """Types, any of which is asked for, and facts, all of which are."""
    if tree in ALWAYS:
        return [], []
    if tree in CONTEXT:
        return [], [CONTEXT[tree]]
    if tree[0] == "move_type":
        return [tree[1]], []
    if tree[0] in ("species_number", "base_species", "species_begins") or (
        tree[0] == "or" and tree[1][0] == "species_number"
    ):
        return [], ["item_suits"]  # which they are, the entry says
    if tree[0] == "or" and all(part[0] == "move_type" for part in tree[1:]):
        return [part[1] for part in tree[1:]], []
    if tree[0] == "and":
        parts = [_parse(part) for part in tree[1:]]
        return [name for types, _ in parts for name in types], [fact for _, facts in parts for fact in facts]
    raise _bad("condition of a modifier", tree, "types and facts")


def _frozen(tree: Any) -> Any:
    return tuple(map(_frozen, tree)) if isinstance(tree, list) else tree


def _meant(entry: effects.Fields) -> set[str]:
    """Callbacks that an entry's fields stand for."""
    return {callback for field in entry for callback in CALLBACKS.get(field, ())}


def attack_ranks(ability: str) -> dict[str, int]:
    """Its fields of `rows.ATTACK_RANKS`, by the reference's table of events."""
    found = dict.fromkeys(rows.ATTACK_RANKS.values(), 0)
    listed = json.loads((reference("showdown", "tables").DATA / "events.json").read_text())["events"]
    for bit, stat in enumerate(("Atk", "SpA")):
        (groups,) = (entry["groups"] for entry in listed if entry["event"] == f"Modify{stat}")
        for group in groups:
            for effect in group["effects"]:
                field = rows.ATTACK_RANKS.get((group["priority"], effect["callback"].removesuffix(stat)))
                if field and (effect["kind"], effect["id"]) == ("ability", ability):
                    found[field] |= 1 << bit
    return found


def _flagged(source: Tables, name: str, flag: str) -> bool:
    """Whether an ability has a flag: Mold Breaker and its like pass by what is "breakable"."""
    bit = source.names["ability_flag"].index(flag) - 1
    words = source["abilities.flags"][source.number("ability", name)]
    return bool(np.atleast_1d(words)[bit // 32] >> np.uint32(bit % 32) & 1)


def _check_callbacks(kind: str, name: str, entry: effects.Fields, own: Iterable[Mapping[str, Any]]) -> None:
    """Every callback is a modifier of a known event, only a message, or what a field stands for."""
    meant = _meant(entry)
    for callback in own:
        event = callback["callback"].removeprefix("on")
        by_row = callback["class"] == "modifier" and event in rows.EVENTS
        if not (by_row or callback["class"] == "message" or callback["callback"] in meant):
            raise _bad(f"{kind} {name}", callback["callback"], f"one of {sorted(meant)}")


def modifier_words(parts: Sequence[tuple[int, list[list[dict[str, Any]]]]], count: int) -> list[np.ndarray[Any, Any]]:
    """Columns of `rows.MODIFIER`, by effect, event and row; ``parts`` are first effects and their modifiers."""
    values = {name: np.zeros((count, len(rows.EVENTS), rows.ROWS_PER_EVENT), np.int64) for name in _modifier_fields()}
    values["by"][:] = 4096
    for first, modifiers in parts:
        for event, entries in enumerate(modifiers):
            for entry in entries:
                for k, row in enumerate(entry["rows"]):
                    for name, value in row.items():
                        values[name][first + entry["effect"], event, k] = value
    flat = {name: value.reshape(-1) for name, value in values.items()}
    return encode(rows.MODIFIER, flat)


def _modifier_fields() -> list[str]:
    return [place.path for place in rows.MODIFIER.places()]


def encode(layout: Any, fields: Mapping[str, np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Columns of words of a table."""
    count = len(next(iter(fields.values())))
    dtypes = {place.path: place.field.dtype for place in layout.places()}
    typed = {name: value.astype(dtypes.get(name, np.int32)) for name, value in fields.items()}
    return [np.asarray(word, np.uint32) for word in layout.encode(typed, (count,))]


def export(out: Path = DATA) -> dict[str, Any]:
    """Write the tables, their names and their manifest; returns the manifest.

    Raises:
        InvalidParamsError: a listed effect has a callback that its fields do not account for.
        SnapshotVersionError: the reference's data are missing or corrupt.
    """
    tables, archive = reference("showdown", "tables"), reference("showdown", "export").archive
    source, known, stages = tables.load(), callbacks(), Stages()
    moves = playable_moves(source, known)
    content: dict[str, list[np.ndarray[Any, Any]]] = {"moves": encode(rows.MOVE, move_rows(source, moves, stages))}
    abilities, ability_modifiers = effect_rows("ability", effects.ABILITIES, source, known, stages, effects.BOUND)
    items, item_modifiers = effect_rows("item", effects.ITEMS, source, known, stages)
    content["abilities"], content["items"] = encode(rows.ABILITY, abilities), encode(rows.ITEM, items)
    first_item = len(effects.ABILITIES) + len(effects.BOUND) + 1
    count = first_item + len(effects.ITEMS) + 1
    content["modifiers"] = modifier_words([(0, ability_modifiers), (first_item, item_modifiers)], count)
    content["stages"] = [stages.words()]
    code = np.where(source["types.immune"], 3, source["types.effectiveness"] % 3)  # 0, 1 weak, 2 resistant, 3 immune
    content["types"] = [code.astype(np.uint32).reshape(-1)]
    immunity = source["types.immune_to"].astype(np.uint32)
    content["immunities"] = [(immunity << np.arange(immunity.shape[1], dtype=np.uint32)).sum(1).astype(np.uint32)]
    names = {
        "move": ["", *moves], "ability": ["", *effects.ABILITIES, *effects.BOUND], "item": ["", *effects.ITEMS],
        "type": list(source.names["type"]), "immunity": list(source.names["immunity"]),
        "species": list(source.names["species"]), "nature": list(source.names["nature"]),
    }  # fmt: skip
    numbers = np.array([0, *(source.number("move", name) for name in moves)])
    content["power_points"] = [source["moves.max_pp"][numbers].astype(np.uint32)]
    content["species"] = [species_words(source), *stat_words(source)]
    content["genders"] = [source["species.gender"].astype(np.uint32)]
    content["battle_only"] = [source["species.battle_only_from"].astype(np.uint32)]
    content["natures"] = [(source["natures.plus"] | source["natures.minus"] << 3).astype(np.uint32)]
    columns = {
        name: {str(k): {"values": word, "dtype": "uint32"} for k, word in enumerate(words)}
        for name, words in content.items()
    }
    pool, whole = playable_pokemon(source, names)
    files = {
        "tables.npz": archive(columns),
        "names.json": (json.dumps(names, indent=0) + "\n").encode(),
        "titles.json": (json.dumps(titles(names), indent=0, ensure_ascii=False) + "\n").encode(),
        "pokemon.npz": archive({"pokemon": {k: {"values": v, "dtype": v.dtype} for k, v in pool.items()}}),
        "teams.npz": archive({"teams": {"members": {"values": whole, "dtype": "uint16"}}}),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / name).write_bytes(data)
    written = {name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in files.items()}
    manifest = {
        "schema": SCHEMA,
        "source": tables.read_manifest(tables.DATA)["source"],
        "counts": {kind: len(set(names[kind])) - 1 for kind in ("move", "ability", "item")}
        | {"pokemon": len(pool["species"]), "teams": len(whole)},
        "files": written,
    }
    (out / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")
    return manifest


def titles(names: Mapping[str, Sequence[str]]) -> dict[str, dict[str, str]]:
    """How Showdown writes the ids that have a number here."""
    written = reference("showdown", "tables").load_titles()
    return {kind: {one: title for one, title in own.items() if one in names[kind]} for kind, own in written.items()}


def species_words(source: Tables) -> np.ndarray[Any, Any]:
    """uint32 per species: two types of five bits, whether it evolves and is called paradox, its base species."""
    types = source["species.types"].astype(np.uint32)
    base = source["species.base_species"].astype(np.uint32)
    return (
        types[:, 0]
        | types[:, 1] << np.uint32(5)
        | source["species.can_evolve"].astype(np.uint32) << np.uint32(10)
        | source["species.paradox"].astype(np.uint32) << np.uint32(11)
        | base << np.uint32(12)
    ).astype(np.uint32)


def stat_words(source: Tables) -> list[np.ndarray[Any, Any]]:
    """Two uint32 per species: base stats of eight bits, then the weight in hg, and whether HP is always 1."""
    base = source["species.base_stats"].astype(np.uint32)
    shifts = np.arange(4, dtype=np.uint32) * np.uint32(8)
    rest = source["species.weight_hg"].astype(np.uint32) << np.uint32(16)
    one_hp = (source["species.fixed_max_hp"] == 1).astype(np.uint32) << np.uint32(31)
    return [(base[:, :4] << shifts).sum(1).astype(np.uint32), base[:, 4] | base[:, 5] << np.uint32(8) | rest | one_hp]


def playable_pokemon(
    source: Tables, names: Mapping[str, Sequence[str]]
) -> tuple[dict[str, np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    """Those of the reference's generated Pokémon that the engine plays: a pool to draw teams from.

    Returns:
        The reference's columns of teams, ``[pokemon, ...]``, with numbers of this package's names; and ``[teams, 6]``,
        which of these Pokémon are a whole generated team.
    """
    teams = reference("showdown", "tables").load_teams()
    chosen = reference("showdown", "subset").usable(
        source, teams, moves=names["move"][1:], abilities=names["ability"][1:], items=names["item"][1:]
    )
    pool = {name: column[chosen] for name, column in teams.items()}
    numbers = (np.cumsum(chosen) - 1).reshape(chosen.shape)
    words = [
        word
        for becomes in ({}, effects.CHANGES, effects.CHANGES | effects.TERASTALS)
        for word in pokemon_words(source, pool, names, becomes)
    ]
    pool |= {f"word{k}": word for k, word in enumerate(words)}
    return pool, numbers[chosen.all(1)]


def pokemon_words(
    source: Tables, pool: Mapping[str, Any], names: Mapping[str, Sequence[str]], becomes: Mapping[str, str]
) -> list[np.ndarray[Any, Any]]:
    """Columns of `rows.POKEMON` for generated Pokémon, of whom some species are others by now."""
    own_species, species = pool["species"], pool["species"].copy()
    for (base, item), crowned in effects.CROWNED.items():
        holds = (species == source.number("species", base)) & (pool["item"] == source.number("item", item))
        species[holds] = source.number("species", crowned)
    after = np.arange(len(source.names["species"]))
    for name, other in becomes.items():
        after[source.number("species", name)] = source.number("species", other)
    species = after[species].astype(species.dtype)
    pool = {**pool, "species": species}
    stats = reference("showdown", "tables").stats(source, pool)
    word = species_words(source)[species]

    def own(kind: str, numbers: Any) -> Any:
        table = np.array([names[kind].index(n) if n in names[kind] else 0 for n in source.names[kind]])
        return table[numbers].astype(np.int32)

    moves, ability = own("move", pool["moves"]), own("ability", pool["ability"])
    transforms = np.isin(own_species, [source.number("species", name) for name in effects.TRANSFORMERS])
    gender = np.array([rows.GENDERS.index(name.strip("N")) for name in source.names["gender"]], np.int32)
    shown = np.arange(len(source.names["species"]))
    for name, called in effects.SHOWN.items():
        shown[source.number("species", name)] = source.number("species", called)
    for name, brought in effects.CHANGED_ABILITIES.items():
        ability = np.where(species == source.number("species", name), names["ability"].index(brought), ability)
    fields = {
        **dict(zip(("max_hp", "atk", "def_", "spa", "spd", "spe"), stats.T, strict=True)),
        "level": pool["level"].astype(np.int32),
        "species": species.astype(np.int32),
        "ability": ability,
        "item": own("item", pool["item"]),
        "type1": (word & 31).astype(np.int32),
        "type2": (word >> 5 & 31).astype(np.int32),
        "tera_type": pool["tera_type"].astype(np.int32),
        "can_evolve": (word >> 10 & 1).astype(bool),
        "weight": source["species.weight_hg"][pool["species"]].astype(np.int32),
        "base": (word >> 12).astype(np.int32),
        "reverts": np.isin(word >> 12, [source.number("species", name) for name in effects.REVERTING]),
        "masked": np.isin(word >> 12, [source.number("species", name) for name in effects.MASKED]),
        "paradox": (word >> 11 & 1).astype(bool),
        "beat_power": effects.beat_power(source["species.base_stats"][own_species, 1].astype(np.int32)),
        "gender": gender[pool["gender"]],
        "shown": shown[species].astype(np.int32),
        "moves": [moves[:, k] for k in range(moves.shape[1])],
        "base_spe": source["species.base_stats"][species, SPEED].astype(np.int32),
        "spe_effort": np.where(transforms, (pool["ivs"][:, SPEED] + pool["evs"][:, SPEED] // 4).astype(np.int32), 0),
        "spe_nature": np.zeros(len(moves), np.int32),
    }
    return [np.asarray(column, np.uint32) for column in rows.POKEMON.encode(fields, (len(moves),))]


def _bad(what: str, got: object, expected: object) -> InvalidParamsError:
    return InvalidParamsError(explain(what, got=got, expected=expected, remedy="mend pokejax/effects.py or its rules"))


if __name__ == "__main__":
    print(json.dumps(export()["counts"]))
