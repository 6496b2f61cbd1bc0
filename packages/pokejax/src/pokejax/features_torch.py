"""Version 1 of the observation as numbers for a network, in PyTorch, which it needs: as `pokejax.features`."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from pokejax.features import LIMITS, PLACES, SCALES, size
from pokejax.observation_table import IDS
from pokejax.observation_v1 import COUNTS


class Features(nn.Module):
    """Observations as features ``[B, size]``: scaled counts, then the vectors of the ids, kind by kind.

    Args:
        width: numbers that stand for an id.

    Attributes:
        size: features of an observation.
        tables: vectors of ids, in the order of `features.LIMITS`.
    """

    scales: torch.Tensor

    def __init__(self, width: int = 16) -> None:
        super().__init__()
        self.size = size(width)
        self.tables = nn.ModuleList(nn.Embedding(limit, width) for limit in LIMITS.values())
        self.register_buffer("scales", torch.from_numpy(SCALES), persistent=False)

    def forward(self, observation: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """The features, float32, of ``ids`` and ``counts``, integers ``[B, n]``."""
        ids, counts = observation[IDS].long(), observation[COUNTS]
        found = [counts.float() * self.scales]
        for table, places in zip(self.tables, PLACES.values(), strict=True):
            found.append(table(ids[:, places.tolist()]).flatten(1))
        return torch.cat(found, dim=1)
