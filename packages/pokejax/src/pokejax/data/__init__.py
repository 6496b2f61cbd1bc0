"""Tables of Showdown's data in the engine's own numbers; ``python -m pokejax.verification.export`` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

DATA: Final = Path(__file__).resolve().parent
MANIFEST: Final = "MANIFEST.json"
SCHEMA: Final = 1
