"""Weather: who brings it, and what follows."""

from __future__ import annotations

from typing import Any

from pokejax.battle import Battle
from pokejax.rules.paradox import notice_weather

WEATHER_TURNS = 5


def set_weather(b: Battle, weather: Any, where: Any) -> Any:
    """Change the weather; whether it was another before (``Field.setWeather``)."""
    changes = where & (weather != b.view.weather) & (weather != 0)
    b.view.set("weather", weather, where=changes)
    b.view.set("weather_turns", WEATHER_TURNS, where=changes)
    b.draw(changes & b.tied(), 2, "WeatherChange")
    for number in (0, 1):
        notice_weather(b, number, changes)
    return changes


def clear_weather(b: Battle, where: Any) -> None:
    """The weather ends."""
    b.view.set("weather", 0, where=where)
    b.view.set("weather_turns", 0, where=where)
    b.draw(where & b.tied(), 2, "WeatherChange")
    for number in (0, 1):
        notice_weather(b, number, where)
