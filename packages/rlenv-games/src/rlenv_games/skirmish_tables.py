"""The fighters and moves of Skirmish, as flat tables; made by rule, so that nobody has to balance them by hand.

Standard library alone: the twin in plain Python (`skirmish_twin`) reads the same tables.
"""

from __future__ import annotations

from typing import Final

NUM_SPECIES: Final = 24
NUM_ELEMENTS: Final = 4
MOVES_PER_FIGHTER: Final = 3
TEAM: Final = 6
NUM_TEAMS: Final = 64  # of the pool that ships with the game

HIT, SCORCH, HARDEN, REST, FLURRY, PIVOT = range(6)
"""What a move does besides damage: nothing; may set the target on fire; raises the user's strength; heals half of the
user's hit points; hits two to four times; lets the user change places with a reserve."""

HEALTH: Final = tuple(120 + 13 * (s * 7 % 11) for s in range(NUM_SPECIES))  # hit points
STRENGTH: Final = tuple(40 + 5 * (s * 5 % 9) for s in range(NUM_SPECIES))
GUARD: Final = tuple(40 + 5 * (s * 3 % 8) for s in range(NUM_SPECIES))
SPEED: Final = tuple(30 + 4 * (s % 8) for s in range(NUM_SPECIES))  # eight values, so that ties are common
ELEMENT: Final = tuple(s % NUM_ELEMENTS for s in range(NUM_SPECIES))

EFFECT: Final = (HIT, HIT, HIT, HIT, SCORCH, SCORCH, HARDEN, REST, FLURRY, FLURRY, PIVOT, PIVOT)
POWER: Final = (60, 60, 60, 60, 45, 45, 0, 0, 22, 22, 40, 40)
ACCURACY: Final = (95, 95, 95, 95, 90, 90, 100, 100, 85, 85, 100, 100)  # percent
USES: Final = (9, 9, 9, 9, 6, 6, 4, 2, 7, 7, 5, 5)
MOVE_ELEMENT: Final = (0, 1, 2, 3, 0, 2, 1, 3, 1, 3, 0, 2)
NUM_MOVES: Final = len(EFFECT)
MOVES: Final = tuple(
    move for s in range(NUM_SPECIES) for move in (s % 4, 4 + s % 4, 8 + (s // 2) % 4)
)  # three for each species

EFFECTIVENESS: Final = tuple(  # in halves; row: element of the move, column: of the target
    4 if (defender - attacker) % NUM_ELEMENTS == 1 else 1 if (attacker - defender) % NUM_ELEMENTS == 1 else 2
    for attacker in range(NUM_ELEMENTS)
    for defender in range(NUM_ELEMENTS)
)
FIRE_DAMAGE: Final = 10  # hit points at the end of a turn
TEAMS: Final = tuple(
    (17 * team + 5 * slot + team // 3 * slot) % NUM_SPECIES for team in range(NUM_TEAMS) for slot in range(TEAM)
)
