"""Small games for two players, to carry the tests of everything that serves several players.

| game | turn order | what it is |
|---|---|---|
| `Standoff` | SIMULTANEOUS | charge, shield or fire at the same time; real masks, no dominant action |
| `TakeAway` | SEQUENTIAL | take one to three from a pile, the last one wins; the right move is known |
| `Skirmish` | SIMULTANEOUS | teams of six fighters with hidden reserves; a turn takes several steps to resolve |
| `Hand` | SEQUENTIAL | cards in hand, hidden from the other; effects that ask for a choice |
"""

from rlenv_shared.testing.games.hand import Hand, HandParams
from rlenv_shared.testing.games.skirmish import Skirmish, SkirmishParams
from rlenv_shared.testing.games.standoff_takeaway import (
    CHARGE,
    FIRE,
    FULL,
    MAX_PILE,
    MIN_PILE,
    SHIELD,
    Params,
    Standoff,
    StandoffState,
    TakeAway,
    TakeAwayState,
    duel,
)

__all__ = [
    "CHARGE",
    "FIRE",
    "FULL",
    "MAX_PILE",
    "MIN_PILE",
    "SHIELD",
    "Hand",
    "HandParams",
    "Params",
    "Skirmish",
    "SkirmishParams",
    "Standoff",
    "StandoffState",
    "TakeAway",
    "TakeAwayState",
    "duel",
]
