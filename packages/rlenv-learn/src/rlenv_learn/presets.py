"""Network presets by name; the number in a name is the approximate parameter count."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

import flax.linen as nn


@dataclasses.dataclass(frozen=True)
class Convolution:
    """One square convolution, padded so that an image of any size passes: H × W becomes ⌈H/stride⌉ × ⌈W/stride⌉."""

    features: int
    kernel: int  # pixels
    stride: int  # pixels


@dataclasses.dataclass(frozen=True)
class Preset:
    """Shape of a network: convolutions, if any; ``depth`` dense layers of ``width`` units; optionally a GRU as wide."""

    depth: int
    width: int
    recurrent: bool = False
    convolutions: tuple[Convolution, ...] = ()


_SMALL: Final = (Convolution(16, 8, 4), Convolution(32, 4, 2))  # Mnih et al. (2013)
_NATURE: Final = (Convolution(32, 8, 4), Convolution(64, 4, 2), Convolution(64, 3, 1))  # Mnih et al. (2015)
_NATURE_TWICE_AS_WIDE: Final = (Convolution(64, 8, 4), Convolution(128, 4, 2), Convolution(128, 3, 1))

PRESETS: Final[dict[str, Preset]] = {
    "mlp-tiny": Preset(2, 64),
    "mlp-small": Preset(2, 256),
    "mlp-2m": Preset(3, 1024),
    "mlp-20m": Preset(4, 2560),
    "mlp-200m": Preset(4, 8192),
    "gru-tiny": Preset(1, 64, recurrent=True),
    "gru-2m": Preset(1, 576, recurrent=True),
    "gru-20m": Preset(1, 1792, recurrent=True),
    "gru-200m": Preset(1, 5760, recurrent=True),
    # For pixels; the numbers are those of 84 × 84 images with four channels.
    "cnn-tiny": Preset(1, 64, convolutions=_SMALL),
    "cnn-2m": Preset(1, 256, convolutions=_NATURE),
    "cnn-20m": Preset(1, 1280, convolutions=_NATURE_TWICE_AS_WIDE),
    "cnn-gru-2m": Preset(1, 208, recurrent=True, convolutions=_NATURE),
}

ACTIVATIONS: Final[dict[str, Callable[[Any], Any]]] = {"tanh": nn.tanh, "relu": nn.relu}
