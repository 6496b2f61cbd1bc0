"""Weather, terrains and Trick Room: who brings them, and what follows."""

from __future__ import annotations

from typing import Any

from pokejax import rows
from pokejax.battle import GRASS, Battle, any_of, number_of
from pokejax.picking import pick
from pokejax.rules.mechanics.formes import freeze_faces
from pokejax.rules.mechanics.numbers import NEUTRAL, chain
from pokejax.rules.mechanics.paradox import notice_terrain, notice_weather

WEATHER_TURNS = ROOM_TURNS = TERRAIN_TURNS = 5
TERRAIN_TYPES = {
    rows.ELECTRIC_TERRAIN: number_of("type", "Electric"),
    rows.GRASSY_TERRAIN: GRASS,
    rows.PSYCHIC_TERRAIN: number_of("type", "Psychic"),
}
STRENGTHENED, ONE_AND_A_HALF = 5325, 6144


def set_weather(b: Battle, weather: Any) -> Any:
    """Change the weather; whether it was another before (``Field.setWeather``)."""
    with b.when((weather != b.view.weather) & (weather != 0)) as changes:
        b.view.weather = weather
        b.view.weather_turns = WEATHER_TURNS
        _weather_has_changed(b)
        freeze_faces(b)
    return changes


def clear_weather(b: Battle) -> None:
    """The weather ends."""
    b.view.weather = 0
    b.view.weather_turns = 0
    _weather_has_changed(b)


def _weather_has_changed(b: Battle) -> None:
    """Everybody notices (``WeatherChange``)."""
    with b.when(b.tied()):
        b.shuffle("WeatherChange")
    for number in (0, 1):
        notice_weather(b, number)


def set_terrain(b: Battle, terrain: Any) -> Any:
    """Change the terrain; whether it was another before (``Field.setTerrain``)."""
    with b.when((terrain != b.view.terrain) & (terrain != 0)) as changes:
        lay_terrain(b, terrain, TERRAIN_TURNS)
    return changes


def clear_terrain(b: Battle) -> None:
    """The terrain ends, if there is one."""
    with b.when(b.view.terrain != 0):
        lay_terrain(b, 0, 0)


def lay_terrain(b: Battle, terrain: Any, turns: int) -> None:
    """Put another terrain, or none, in place of what is there, and let everybody notice (``TerrainChange``)."""
    b.view.terrain = terrain
    b.view.terrain_turns = turns
    with b.when(b.tied()):
        b.shuffle("TerrainChange")
    for number in (0, 1):
        notice_terrain(b, number)


def terrain_multiplier(b: Battle, move: Any) -> Any:
    """What the terrain makes of a move's power, in 4096ths; those who do not touch the ground have nothing of it."""
    terrain, stands = b.view.terrain, b.grounded(0)
    helped = any_of((terrain == code) & (move.type == type_) for code, type_ in TERRAIN_TYPES.items()) & stands
    dampened = (terrain == rows.GRASSY_TERRAIN) & move.quakes & b.grounded(1)
    by = pick(dampened, NEUTRAL // 2, pick(helped, STRENGTHENED, NEUTRAL))
    expands = move.expanding_force & (terrain == rows.PSYCHIC_TERRAIN) & stands
    return pick(expands, chain(by, ONE_AND_A_HALF), by)


def twist(b: Battle) -> Any:
    """Trick Room: for five turns the slower ones come first, or no longer."""
    room = b.view.trick_room
    b.view.trick_room = pick(room > 0, 0, ROOM_TURNS)
    return b.here
