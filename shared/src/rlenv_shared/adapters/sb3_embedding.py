"""stable-baselines3's features of flat observations; needs stable-baselines3.

MaskablePPO("MlpPolicy", envs, policy_kwargs={"features_extractor_class": EmbeddingExtractor})
"""

from __future__ import annotations

from typing import Any

import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from rlenv_shared.adapters.flat import FlatBox
from rlenv_shared.adapters.torch_embedding import Embedded
from rlenv_shared.errors import InvalidParamsError


class EmbeddingExtractor(BaseFeaturesExtractor):
    """Vectors of ids and scaled numbers, through one layer.

    Args:
        observation_space: a `FlatBox`.
        width: numbers that stand for an id.
        features: of the layer.

    Raises:
        InvalidParamsError: a space without a layout.
    """

    def __init__(self, observation_space: Any, width: int = 16, features: int = 256) -> None:
        if not isinstance(observation_space, FlatBox):
            remedy = "wrap the environments with FlatVectorObservation"
            raise InvalidParamsError("observation space", observation_space, "a FlatBox", remedy)
        super().__init__(observation_space, features)
        self.embedded = Embedded(observation_space.layout, width)
        self.layer = nn.Sequential(nn.Linear(self.embedded.size, features), nn.ReLU())

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Float32 ``[B, features]``."""
        found: torch.Tensor = self.layer(self.embedded(observations))
        return found
