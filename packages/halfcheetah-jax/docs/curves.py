"""Learning curves of the L4 runs: reads their metrics, writes ``docs/learning.csv`` and draws ``docs/learning.svg``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

PACKAGE = Path(__file__).resolve().parents[1]
CACHE = PACKAGE.parents[1] / ".cache" / "l4" / PACKAGE.name
NAMES = {"jax": "trained in JAX", "mujoco": "trained in MuJoCo"}


def read() -> list[tuple[str, int, int, float]]:
    """Rows ``(backend, seed, step, mean return of the episodes that ended)`` of the newest experiment."""
    newest = max(CACHE.iterdir(), key=lambda folder: folder.stat().st_mtime)
    rows = []
    for folder in sorted(newest.iterdir()):
        backend, seed = folder.name.rsplit("-", 1)
        for line in (folder / "metrics.jsonl").read_text().splitlines():
            record = json.loads(line)
            if record["episode_return"] is not None:
                rows.append((backend, int(seed), record["step"], round(record["episode_return"], 1)))
    return rows


def draw(rows: list[tuple[str, int, int, float]], path: Path) -> None:
    """Every seed thin, their mean thick."""
    figure, axes = plt.subplots(figsize=(7, 4))
    for colour, (backend, label) in zip(("tab:blue", "tab:orange"), NAMES.items(), strict=True):
        curves = {}
        for name, seed, step, value in rows:
            if name == backend:
                curves.setdefault(seed, []).append((step, value))
        for curve in curves.values():
            axes.plot(*zip(*curve, strict=True), color=colour, alpha=0.25, linewidth=0.8)
        steps = sorted({step for curve in curves.values() for step, _ in curve})
        mean = np.mean([np.interp(steps, *zip(*curve, strict=True)) for curve in curves.values()], axis=0)
        axes.plot(steps, mean, color=colour, linewidth=2, label=f"{label}, mean of {len(curves)} seeds")
    axes.set(xlabel="environment steps", ylabel="return of an episode")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Write both files."""
    rows = read()
    with (PACKAGE / "docs" / "learning.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("backend", "seed", "step", "return"))
        writer.writerows(rows)
    plt.rcParams["svg.hashsalt"] = "halfcheetah"
    draw(rows, PACKAGE / "docs" / "learning.svg")


if __name__ == "__main__":
    main()
