"""Makes `cheetah_rollouts` importable; tests/verify.py imports it too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
