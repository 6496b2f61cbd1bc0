"""Lets tests import what both sides share."""

import importlib.util
import sys
from pathlib import Path

spec = importlib.util.spec_from_file_location("both_sides", Path(__file__).with_name("both_sides.py"))
sys.modules["both_sides"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["both_sides"])
