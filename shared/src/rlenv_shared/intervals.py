"""How far a share that was counted can be trusted."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

Z: Final = 1.96  # of 95 %


def wilson(share: float, num: int) -> tuple[float, float]:
    """The 95 % interval of a share of ``num`` games (Wilson 1927)."""
    middle, width = share + Z * Z / (2 * num), Z * (share * (1 - share) / num + Z * Z / (4 * num * num)) ** 0.5
    return (middle - width) / (1 + Z * Z / num), (middle + width) / (1 + Z * Z / num)


def counted(results: Any) -> dict[str, Any]:
    """Wins, ties and losses among results (1, 0 and -1), and the share of the points with its 95 % interval."""
    won = np.asarray(results, np.float64).ravel()
    points = float((won.mean() + 1) / 2)
    counts = {name: int((won == value).sum()) for name, value in (("wins", 1), ("ties", 0), ("losses", -1))}
    return {**counts, "points": points, "interval": [round(bound, 4) for bound in wilson(points, len(won))]}
