"""Fills the table of homebrew speeds in README.md from the newest file in results/homebrew."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = PACKAGE / "benchmarks" / "results" / "homebrew"
LABELS: Final = {
    "drawn_sound": "every frame drawn, sound on",
    "skip24_sound": "skip 24, sound on",
    "skip24_silent": "skip 24, sound off",
    "reset": "reset to a state, of 128 consoles, against `load_state`",
}


def ratio(times: Mapping[str, list[float]]) -> float:
    """How many times faster than PyBoy, by medians."""
    return statistics.median(times["PyBoy"]) / statistics.median(times["emurust"])


def table(result: Mapping[str, Any]) -> str:
    """Geometric means over the ROMs as Markdown."""
    rows = ["| setting | times PyBoy's speed, geometric mean | slowest – fastest ROM |", "|---|---:|---:|"]
    for name, times in {**result["settings"], "reset": result["reset"]}.items():
        ratios = sorted(map(ratio, times.values()))
        mean = statistics.geometric_mean(ratios)
        rows.append(f"| {LABELS[name]} | {mean:.2f}× | {ratios[0]:.2f}× – {ratios[-1]:.2f}× |")
    size = statistics.median(result["bytes_per_instance"].values()) / 1024
    about = result["machine"]
    rows.append(f"\n{about['cpu']}, {about['cores']} cores; a console takes {size:.0f} KiB (median over the ROMs).")
    return "\n".join(rows)


def filled(text: str) -> str:
    """The README with the table of the newest result."""
    paths = sorted(RESULTS.glob("*.json"))
    content = "Not measured yet."
    if paths:
        link = f"[raw samples]({paths[-1].relative_to(PACKAGE)})"
        content = f"{table(json.loads(paths[-1].read_text()))}  Medians of {link}."
    pattern = r"(<!-- begin homebrew\b[^>]*-->\n).*?(<!-- end homebrew -->)"
    return re.sub(pattern, lambda match: f"{match.group(1)}\n{content}\n\n{match.group(2)}", text, flags=re.DOTALL)


def main() -> None:
    path = PACKAGE / "README.md"
    path.write_text(filled(path.read_text()))


if __name__ == "__main__":
    main()
