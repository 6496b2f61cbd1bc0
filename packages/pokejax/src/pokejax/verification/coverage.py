"""How much of what Showdown's generator makes can be played: ``python -m pokejax.verification.coverage``.

Counts the 10,000 teams of `gen9randombattle` that the reference ships, made by its own generator, and says what keeps
most Pokémon out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from pokejax.tables import NAMES
from rlenv_shared.verification.locate import reference

MOST_LISTED = 40


class Coverage(NamedTuple):
    """What of the generated teams can be played.

    Attributes:
        teams: how many there are.
        playable_teams: of which every Pokémon can be played.
        pokemon: how many there are.
        playable_pokemon: of which everything can be played.
        missing: what cannot, by how many Pokémon have it.
        alone: the same where nothing else of the Pokémon is missing, which is what adding it would unlock at once.
    """

    teams: int
    playable_teams: int
    pokemon: int
    playable_pokemon: int
    missing: Counter[str]
    alone: Counter[str]


def coverage() -> Coverage:
    """Count them."""
    tables = reference("showdown", "tables")
    source, teams = tables.load(), tables.load_teams()
    count, size = teams["species"].shape
    missing: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    playable_teams = playable_pokemon = 0
    for team in range(count):
        lacks = [set(_missing(source, teams, (team, place))) for place in range(size)]
        playable_teams += not any(lacks)
        playable_pokemon += sum(not one for one in lacks)
        for one in lacks:
            missing.update(one)
            alone.update(one if len(one) == 1 else ())
    return Coverage(count, playable_teams, count * size, playable_pokemon, missing, alone)


def _missing(source: Any, teams: Any, at: tuple[int, int]) -> Iterator[str]:
    """What of one Pokémon is not played, as "kind name"."""
    for kind, numbers in (
        ("ability", [teams["ability"][at]]),
        ("item", [teams["item"][at]]),
        ("move", teams["moves"][at]),
    ):
        names = (source.names[kind][number] for number in numbers)
        yield from (f"{kind} {name}" for name in names if name not in NAMES[kind])


def main() -> None:
    """Print it."""
    found = coverage()
    print(f"teams:   {found.playable_teams} of {found.teams}")
    print(f"pokemon: {found.playable_pokemon} of {found.pokemon}")
    print("missing, by Pokémon that have it, and of those in which nothing else is missing:")
    for name, count in found.missing.most_common(MOST_LISTED):
        print(f"  {name}: {count}, {found.alone[name]}")


if __name__ == "__main__":
    main()
