"""Network presets by name; the number in a name is the approximate parameter count."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

import flax.linen as nn


@dataclasses.dataclass(frozen=True)
class Preset:
    """Shape of a network: ``depth`` dense layers of ``width`` units, then optionally a GRU of the same width."""

    depth: int
    width: int
    recurrent: bool = False


PRESETS: Final[dict[str, Preset]] = {
    "mlp-tiny": Preset(2, 64),
    "mlp-2m": Preset(3, 1024),
    "mlp-20m": Preset(4, 2560),
    "mlp-200m": Preset(4, 8192),
    "gru-tiny": Preset(1, 64, recurrent=True),
    "gru-2m": Preset(1, 576, recurrent=True),
    "gru-20m": Preset(1, 1792, recurrent=True),
    "gru-200m": Preset(1, 5760, recurrent=True),
}

ACTIVATIONS: Final[dict[str, Callable[[Any], Any]]] = {"tanh": nn.tanh, "relu": nn.relu}
