"""Lets tests import what both sides share."""

import importlib.util
import sys
from pathlib import Path

for name in ("tolerances", "both_sides"):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
