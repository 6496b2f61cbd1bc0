"""How a battle stands, as the page shows it: of each side what its player observes, or what the viewer does.

Whatever stands here comes from observations, so that a page from one player's view holds nothing that this player has
not been told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pokejax import rows
from pokejax.effects import BUSTED, CHANGES, FORMS, TERASTALS
from pokejax.observation import FOE, GROWING, MOST_WEATHER, OWN
from pokejax.player_view import MOST_STAT
from pokejax.render import Values
from pokejax.state import MAX_PP, MAX_TURN, TEAM
from pokejax.tables import NAMES, table, titles
from pokejax.text import CONDITIONS, GROUND, LAYERS, Seen

Board = dict[str, Any]
"""Values of JSON: ``turn``, ``field`` and ``sides``, as `board` gives them."""
STATS: Final = dict(
    zip(rows.BOOSTS, ("Attack", "Defense", "Sp. Atk", "Sp. Def", "Speed", "accuracy", "evasiveness"), strict=True)
)
WEATHERS: Final = {"sunnyday": "Sun", "raindance": "Rain", "sandstorm": "Sandstorm", "snowscape": "Snow"}
TERRAINS: Final = {
    "electricterrain": "Electric Terrain", "grassyterrain": "Grassy Terrain", "psychicterrain": "Psychic Terrain",
}  # fmt: skip
TRICK_ROOM: Final = "Trick Room"
LASTING: Final = {
    "reflect": "reflect", "light_screen": "light_screen", "aurora_veil": "aurora_veil", "tailwind": "tailwind",
    "wish": "wish_turns", "foreseen": "future_turns",
}  # fmt: skip
"""Fields of a side that say how many turns something lasts, by its name in `text.GROUND`."""


def board(observations: Sequence[Any], viewer: int | None, state: Values) -> Board:
    """How the battle stands.

    Args:
        observations: of both players.
        viewer: the player whose view it is, or None for both sides as their own players see them.
        state: the fields by path, of which only what both players' view shows besides is read.

    Returns:
        ``turn``; ``field``, pairs of a name and the turns that it lasts, None where these are not told; ``sides``, the
        first player's first: ``team``, ``active`` (a place in it, or -1), ``boosts``, ``conditions``, ``ground``,
        ``hidden`` (how many Pokémon have not been seen) and ``tera``, whether it has not Terastallized yet.
    """
    seen = [Seen(observation) for observation in observations]
    told = seen[viewer or 0]
    field = []
    for kind, names, shown in (("weather", rows.WEATHERS, WEATHERS), ("terrain", rows.TERRAINS, TERRAINS)):
        if name := names[int(told.one(kind))]:
            field.append([shown[name], told.count(f"{kind}_turns", MOST_WEATHER) or None])
    if told.one("trick_room"):
        field.append([TRICK_ROOM, state["trick_room"] if viewer is None else None])
    sides = []
    for side in (0, 1):
        own = viewer in (None, side)
        open_ = {name: state[f"side[{side}].{path}"] for name, path in LASTING.items()} if viewer is None else {}
        sides.append(_side(seen[side], OWN, open_) if own else _side(told, FOE, open_))
    return {"turn": told.count("turn", MAX_TURN), "field": field, "sides": sides}


def _side(seen: Seen, side: str, lasts: Mapping[str, int]) -> dict[str, Any]:
    """One side, of which ``lasts`` says how many turns something on its ground lasts, where that is shown."""
    team = [_pokemon(seen, side, k) for k in range(TEAM) if _there(seen, side, k)]
    active = next((k for k, one in enumerate(team) if one["active"]), -1)
    standing = sum(not one["fainted"] for one in team)
    ground = [
        {"name": title, "layers": seen.count(f"{side}.{name}", LAYERS.get(name, 1)), "turns": lasts.get(name)}
        for name, title in GROUND.items()
        if seen.one(f"{side}.{name}")
    ]
    return {
        "team": team,
        "active": active,
        "boosts": [
            [STATS[stat], round(float(stage) * 6)]
            for stat, stage in zip(rows.BOOSTS, seen.all(f"{side}.boosts"), strict=True)
            if stage
        ],
        "conditions": _conditions(seen, side),
        "ground": ground,
        "hidden": seen.count(f"{side}.left", TEAM) - standing,
        "tera": bool(seen.one(f"{side}.may_terastallize")),
    }


def _there(seen: Seen, side: str, k: int) -> bool:
    at = f"{side}.pokemon[{k}]"
    return bool(seen.one(f"{at}.species") if side == OWN else seen.one(f"{at}.seen"))


def _conditions(seen: Seen, side: str) -> list[str]:
    found = [title for name, title in CONDITIONS.items() if seen.one(f"{side}.{name}")]
    grown = zip(GROWING, seen.all(f"{side}.grown"), strict=True)
    found += [f"{STATS[stat]} heightened" for stat, flag in grown if flag]
    if into := seen.named("species", f"{side}.transformed"):
        found.append(f"transformed into {titles()['species'][into]}")
    if side == OWN and (guise := seen.named("species", "own.feigned")):
        found.append(f"seems to be {titles()['species'][guise]}")
    return found


def _pokemon(seen: Seen, side: str, k: int) -> dict[str, Any]:
    at, active = f"{side}.pokemon[{k}]", bool(seen.one(f"{side}.pokemon[{k}].active"))
    species = _form(seen.named("species", f"{at}.species"), seen.count(f"{at}.form", 2))
    fainted, share = bool(seen.one(f"{at}.fainted")), float(seen.one(f"{at}.hp"))
    tera = seen.named("type", f"{at}.tera_type")
    terastallized = bool(seen.one(f"{at}.terastallized"))
    copied = seen.named("species", f"{side}.transformed") if active else ""
    types = [tera] if terastallized and tera != "Stellar" else _types(copied or species)
    item = int(seen.one(f"{at}.item"))
    ability = seen.named("ability", f"{at}.ability")
    return {
        "name": titles()["species"][species],
        "level": seen.count(f"{at}.level", 100),
        "types": types,
        "hp": 0.0 if fainted else round(100 * share, 1),
        "points": _points(seen, at, share) if side == OWN else "",
        "fainted": fainted,
        "active": active,
        "status": rows.STATUSES[int(seen.one(f"{at}.status"))],
        "ability": titles()["ability"][ability] if ability else None,
        "item": None if not item else _item(item - 1),
        "tera": tera or None,
        "terastallized": terastallized,
        "moves": _moves(seen, side, k),
    }


def _form(species: str, form: int) -> str:
    """The species of a form, as observations count them."""
    if not form:
        return species
    if species in FORMS:
        return FORMS[species][form - 1]
    if form == 2:
        return TERASTALS.get(species, species)
    return CHANGES.get(species) or BUSTED.get(species, species)


def _types(species: str) -> list[str]:
    word = int(table("species")[0][NAMES["species"].index(species)])
    return [NAMES["type"][code] for code in (word & 31, word >> 5 & 31) if code]


def _points(seen: Seen, at: str, share: float) -> str:
    """Hit points and the most of them, of one's own Pokémon."""
    most = round(float(seen.all(f"{at}.stats")[5]) * MOST_STAT)
    return f"{round(share * most)}/{most}" if most else ""


def _item(number: int) -> str:
    name = NAMES["item"][number]
    return titles()["item"][name] if name else ""


def _moves(seen: Seen, side: str, k: int) -> list[list[Any]]:
    """Names, with the power points left of one's own."""
    at = f"{side}.pokemon[{k}]"
    names = [NAMES["move"][int(number)] for number in seen.all(f"{at}.moves")]
    points = [round(float(share) * MAX_PP) for share in seen.all(f"{at}.pp")] if side == OWN else [None] * len(names)
    return [[titles()["move"][name], left] for name, left in zip(names, points, strict=True) if name]
