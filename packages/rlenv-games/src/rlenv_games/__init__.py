"""Two real though small games for two players: what cannot serve them could not serve an engine.

| game | turn order | what it is |
|---|---|---|
| `Skirmish` | SIMULTANEOUS | teams of six fighters with hidden reserves; a turn takes several steps to resolve |
| `Hand` | SEQUENTIAL | cards in hand, hidden from the other; effects that ask for a choice |

Each has a twin in plain Python, its reference (`rlenv_games.twins`).
"""

from rlenv_games.hand import Hand, HandParams
from rlenv_games.skirmish import Skirmish, SkirmishParams

__version__ = "0.1.0"

__all__ = ["Hand", "HandParams", "Skirmish", "SkirmishParams"]
