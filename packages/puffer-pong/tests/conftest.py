"""Makes `rust_side` importable for the tests of every level."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
