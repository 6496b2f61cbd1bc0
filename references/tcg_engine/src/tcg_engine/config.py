"""Rule choices: where sources disagree, each choice is a named setting with its grade (RULES.md, section 15)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

from tcg_engine.errors import TableError, explain

MAX_POINTS: Final = 3
DECK_SIZE: Final = 20
MAX_COPIES: Final = 2
HAND_LIMIT: Final = 10
OPENING_HAND: Final = 5
MAX_ENERGY_TYPES: Final = 3
WEAKNESS_BONUS: Final = 20
POISON_DAMAGE: Final = 10
BURN_DAMAGE: Final = 20

CHOICES: Final = {
    "opening": ("swap_one", "basic_first"),
    "damage_order": ("official", "legacy"),
    "checkup_ko": ("together", "immediate"),
    "promotion": ("turn_player", "seat"),
    "stadiums_per_turn": ("one", "any"),
    "conditions_block": ("yes", "no"),
}


@dataclass(frozen=True)
class Rules:
    """The rules of one game; the defaults are the ones of RULES.md.

    Attributes:
        turn_limit: turns of both players together until a tie (30 in versus games [C], 50 in solo games).
        opening: ``swap_one`` [C]: no mulligan, a hand without a Basic swaps one card; ``basic_first``: as deckgym,
            one Basic, then four random cards.
        damage_order: ``official`` [O]: attacker, Weakness, defender, one floor at the end; ``legacy``: as deckgym,
            Weakness after the reductions and their floor.
        checkup_ko: ``together`` [O]: Knock Outs at the end of the whole Checkup; ``immediate``: after each damage.
        promotion: ``turn_player`` [S]: the player whose turn it is (or just was) promotes first; ``seat``: player 0.
        stadiums_per_turn: ``one`` [O]; ``any``: as deckgym.
        conditions_block: ``yes`` [O]: Asleep and Paralyzed stop attacks and retreats; ``no``: as deckgym.
    """

    turn_limit: int = 30
    opening: str = "swap_one"
    damage_order: str = "official"
    checkup_ko: str = "together"
    promotion: str = "turn_player"
    stadiums_per_turn: str = "one"
    conditions_block: str = "yes"

    def __post_init__(self) -> None:
        for item in fields(self):
            allowed = CHOICES.get(item.name)
            value = getattr(self, item.name)
            if allowed and value not in allowed:
                raise TableError(explain(f"rule {item.name}", got=value, expected=allowed, remedy="pass one of these"))


OFFICIAL: Final = Rules()
LEGACY: Final = Rules(
    opening="basic_first",
    damage_order="legacy",
    checkup_ko="immediate",
    promotion="seat",
    stadiums_per_turn="any",
    conditions_block="no",
)
