"""Objects of the tests are kept in the repository's cache."""

import os
from pathlib import Path

os.environ.setdefault("RLENV_EMIT_CACHE", str(Path(__file__).parents[3] / ".cache" / "emit"))
