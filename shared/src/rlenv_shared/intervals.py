"""How far a share that was counted can be trusted."""

from __future__ import annotations

from typing import Final

Z: Final = 1.96  # of 95 %


def wilson(share: float, num: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``num`` games (Wilson 1927)."""
    middle, width = share + Z * Z / (2 * num), Z * (share * (1 - share) / num + Z * Z / (4 * num * num)) ** 0.5
    return (middle - width) / (1 + Z * Z / num), (middle + width) / (1 + Z * Z / num)
