"""Lets these tests import what the visible ones share; they run in the package's folder."""

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("both_sides", Path.cwd() / "tests" / "both_sides.py")
sys.modules["both_sides"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["both_sides"])
