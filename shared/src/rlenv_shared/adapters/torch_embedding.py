"""A PyTorch module that looks ids up, built from the layout of flat observations; needs PyTorch."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from rlenv_shared.adapters.flat import Layout


class Embedded(nn.Module):
    """Flat observations float32 ``[B, layout.size]`` as features ``[B, size]``: vectors of ids, and scaled numbers.

    Args:
        layout: of the observations.
        width: numbers that stand for an id.

    Attributes:
        size: features of an observation.
        scales: by which numbers are multiplied, float32 ``[numbers]``.
    """

    scales: torch.Tensor

    def __init__(self, layout: Layout, width: int = 16) -> None:
        super().__init__()
        self.layout = layout
        self.places = [[i for part in parts for i in range(part.start, part.stop)] for parts in layout.tables.values()]
        self.tables = nn.ModuleList(nn.Embedding(kinds, width) for _, kinds in layout.tables)
        self.numbers = [i for part in layout.numbers for i in range(part.start, part.stop)]
        scales = [part.scale for part in layout.numbers for _ in range(part.start, part.stop)]
        self.register_buffer("scales", torch.tensor(scales, dtype=torch.float32), persistent=False)
        self.size = len(self.numbers) + width * sum(len(places) for places in self.places)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The features."""
        found: list[Any] = [observations[:, self.numbers] * self.scales]
        for places, table in zip(self.places, self.tables, strict=True):
            found.append(table(observations[:, places].long()).flatten(1))
        return torch.cat(found, dim=1)
