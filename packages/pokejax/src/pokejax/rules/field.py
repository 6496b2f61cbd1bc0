"""Weather, terrains and Trick Room: who brings them, and what follows."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import GRASS, Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.forms import freeze_faces
from pokejax.rules.numbers import NEUTRAL, chain
from pokejax.rules.paradox import notice_terrain, notice_weather

WEATHER_TURNS = ROOM_TURNS = TERRAIN_TURNS = 5
TERRAIN_TYPES = {
    rows.ELECTRIC_TERRAIN: number_of("type", "Electric"),
    rows.GRASSY_TERRAIN: GRASS,
    rows.PSYCHIC_TERRAIN: number_of("type", "Psychic"),
}
STRENGTHENED, ONE_AND_A_HALF = 5325, 6144


def set_weather(b: Battle, weather: Any, where: Any) -> Any:
    """Change the weather; whether it was another before (``Field.setWeather``)."""
    changes = where & (weather != b.view.weather) & (weather != 0)
    b.view.set("weather", weather, where=changes)
    b.view.set("weather_turns", WEATHER_TURNS, where=changes)
    b.shuffle(changes & b.tied(), "WeatherChange")
    for number in (0, 1):
        notice_weather(b, number, changes)
    freeze_faces(b, changes)
    return changes


def set_terrain(b: Battle, terrain: Any, where: Any) -> Any:
    """Change the terrain; whether it was another before (``Field.setTerrain``)."""
    changes = where & (terrain != b.view.terrain) & (terrain != 0)
    lay_terrain(b, terrain, TERRAIN_TURNS, changes)
    return changes


def clear_terrain(b: Battle, where: Any) -> None:
    """The terrain ends, if there is one."""
    lay_terrain(b, 0, 0, where & (b.view.terrain != 0))


def lay_terrain(b: Battle, terrain: Any, turns: int, where: Any) -> None:
    """Put another terrain, or none, in place of what is there, and let everybody notice (``TerrainChange``)."""
    b.view.set("terrain", terrain, where=where)
    b.view.set("terrain_turns", turns, where=where)
    b.shuffle(where & b.tied(), "TerrainChange")
    for number in (0, 1):
        notice_terrain(b, number, where)


def terrain_multiplier(b: Battle, move: Any) -> Any:
    """What the terrain makes of a move's power, in 4096ths; those who do not touch the ground have nothing of it."""
    terrain, stands = b.view.terrain, b.grounded(0)
    helped = any_of((terrain == code) & (move.type == type_) for code, type_ in TERRAIN_TYPES.items()) & stands
    dampened = (terrain == rows.GRASSY_TERRAIN) & move.quakes & b.grounded(1)
    by = pick(dampened, NEUTRAL // 2, pick(helped, STRENGTHENED, NEUTRAL))
    expands = move.expands & (terrain == rows.PSYCHIC_TERRAIN) & stands
    return pick(expands, chain(by, ONE_AND_A_HALF), by)


def twist(b: Battle, where: Any) -> Any:
    """Trick Room: for five turns the slower ones come first, or no longer."""
    room = b.view.trick_room
    b.view.set("trick_room", pick(room > 0, 0, ROOM_TURNS), where=where)
    return where


def clear_weather(b: Battle, where: Any) -> None:
    """The weather ends."""
    b.view.set("weather", 0, where=where)
    b.view.set("weather_turns", 0, where=where)
    b.shuffle(where & b.tied(), "WeatherChange")
    for number in (0, 1):
        notice_weather(b, number, where)
