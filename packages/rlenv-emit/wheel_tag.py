"""Names the wheel after the platform where it brings objects for one; without them it is for every platform."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """What hatchling calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Decide the tag."""
        if any(Path(self.root, "src", "rlenv_emit", "objects").glob("*.so")):
            build_data.update(pure_python=False, tag="py3-none-linux_x86_64")
