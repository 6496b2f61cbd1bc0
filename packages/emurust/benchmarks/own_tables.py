"""Tables of README.md that only this package has, from committed results; `make report` fills them.

``compared`` sums up tests/l3_rollout/results, ``homebrew`` and ``profile`` the newest files in results/homebrew and
results/profile.
"""

from __future__ import annotations

import collections
import json
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

PACKAGE: Final = Path(__file__).resolve().parents[1]
SPEEDS: Final = PACKAGE / "benchmarks" / "results" / "homebrew"
PROFILES: Final = PACKAGE / "benchmarks" / "results" / "profile"
COMPARED: Final = PACKAGE / "tests" / "l3_rollout" / "results"
# what is measured: its name, and how many times PyBoy's speed is required and hoped for (geometric mean over the ROMs)
REQUIRED: Final = {
    "drawn_sound": ("every frame drawn, sound on", 5, 8),
    "skip24_sound": ("skip 24, sound on", 4, 5),
    "skip24_silent": ("skip 24, sound off", 3, 5),
    "reset": ("reset to a state, of 128 consoles, against `load_state`", 100, 100),
}


THREADS_REQUIRED: Final = 1.85  # times the speed of one thread, of two


def ratio(times: Mapping[str, list[float]]) -> float:
    """How many times faster than PyBoy, by medians."""
    return statistics.median(times["PyBoy"]) / statistics.median(times["emurust"])


def ratios(result: Mapping[str, Any]) -> dict[str, list[float]]:
    """Of every ROM, ascending, by what is measured."""
    measured = {**result["settings"], "reset": result["reset"]}
    return {name: sorted(map(ratio, measured[name].values())) for name in REQUIRED}


def scaling(result: Mapping[str, Any]) -> tuple[int, float, float]:
    """``(threads, their speed as a multiple of one thread's in the fastest blocks, in the median ones)``."""
    speeds = {int(count): found for count, found in result["threads"]["frames_per_s"].items()}
    most = max(speeds)
    return most, max(speeds[most]) / max(speeds[1]), statistics.median(speeds[most]) / statistics.median(speeds[1])


def homebrew(result: Mapping[str, Any]) -> str:
    """Geometric means over the ROMs, memory, and what threads give."""
    rows = ["| setting | times PyBoy's speed, geometric mean | slowest – fastest ROM | required | hoped for |"]
    rows.append("|---|---:|---:|---:|---:|")
    for name, found in ratios(result).items():
        label, required, hoped = REQUIRED[name]
        mean = statistics.geometric_mean(found)
        rows.append(f"| {label} | {mean:.2f}× | {found[0]:.2f}× – {found[-1]:.2f}× | {required}× | {hoped}× |")
    ours, theirs = (
        [sizes[name] / 1024 for sizes in result["bytes_per_console"].values()] for name in ("emurust", "PyBoy")
    )
    about = result["machine"]
    rows.append(
        f"\n{about['cpu']}, {about['cores']} cores.  A further console takes {statistics.median(ours):.0f} KiB, at "
        f"most {max(ours):.0f}, cartridge RAM included; a further PyBoy {statistics.median(theirs):,.0f} KiB (medians "
        f"over the ROMs of what a process grows by)."
    )
    (threads, best, typical), batch = scaling(result), result["threads"]["batch"]
    rows.append(
        f"{threads} threads step {batch} consoles of Windfall {best:.2f}× as fast as one (fastest blocks of each; "
        f"medians {typical:.2f}×; required {THREADS_REQUIRED}× on 2)."
    )
    return "\n".join(rows)


def comparisons(node: Any) -> Iterator[dict[str, int]]:
    """Every object with steps and mismatches below a JSON value."""
    if isinstance(node, dict) and {"steps", "mismatches"} <= set(node):
        yield node
    elif isinstance(node, dict):
        for child in node.values():
            yield from comparisons(child)


def compared(results: Mapping[str, Mapping[str, Any]]) -> str:
    """What L3 compared, a row each."""
    rows = ["| what | compared | steps | mismatches | raw counts |", "|---|---|---:|---:|---|"]

    def row(part: str, what: str, words: str, node: Any) -> None:
        found = list(comparisons(node))
        steps, wrong = (sum(one[key] for one in found) for key in ("steps", "mismatches"))
        link = f"[json]({(COMPARED / f'{part}.json').relative_to(PACKAGE).as_posix()})"
        rows.append(f"| {what} | {words} | {steps:,} | {wrong} | {link} |")

    if content := results.get("programs"):
        locked, sources = content["locked_up"], content["interrupt_sources_entered"]
        words = (
            f"{content['programs']:,} programs, and {locked['programs']:,} more up to the step in which they lock up "
            f"({locked['outside_rom']} of them outside the ROM; PyBoy seen hanging in all "
            f"{locked['pyboy_seen_hanging']} others that were tried); their instructions name {content['ports']} ports "
            f"({content['ports_written']} written, {content['ports_read']} read); "
            f"interrupts entered: {', '.join(sources)}"
        )
        row("programs", "generated programs", words, content)
    for group, name in (("homebrew", "homebrew games"), ("own", "own test programs and game")):
        if found := results.get("games", {}).get(group):
            settings = sum(len(rom["settings"]) for rom in found["roms"].values())
            pads = f"{len(found['pads'])} pads, {found['frames']:,} frames each"
            row("games", name, f"{len(found['roms'])} ROMs in {settings} settings, {pads}", found)
        if found := results.get("states", {}).get(group):
            words = f"{len(found['roms'])} ROMs, ours and PyBoy's at {found['moments']} random frames of each"
            row("states", f"saved states of {name}", words, found)
    return "\n".join(rows) if len(rows) > 2 else "Not run yet."


def profile(result: Mapping[str, Any]) -> str:
    """Mean shares of the core's parts in a frame, those above 1 %."""
    roms = result["instructions_per_frame"].values()
    shares = collections.Counter[str]()
    for counts in roms:
        for part, count in counts.items():
            shares[part] += count / sum(counts.values()) / len(roms)
    totals = sorted(sum(counts.values()) for counts in roms)
    rows = ["| part of the core | share of the machine instructions of a frame |", "|---|---:|"]
    rows += [f"| `{part}` | {share:.0%} |" for part, share in shares.most_common() if share > 0.01]
    rows.append(
        f"\nMeans over {len(roms)} ROMs at skip 24 with sound; {totals[0]:,} to {totals[-1]:,} instructions a frame, "
        f"median {statistics.median(totals):,.0f}."
    )
    return "\n".join(rows)


def tables() -> dict[str, str]:
    """Markdown by name of the table."""
    results = {path.stem: json.loads(path.read_text()) for path in sorted(COMPARED.glob("*.json"))}
    found = {"compared": compared(results), "homebrew": "Not measured yet.", "profile": "Not measured yet."}
    for name, folder, show in (("homebrew", SPEEDS, homebrew), ("profile", PROFILES, profile)):
        if paths := sorted(folder.glob("*.json")):
            link = f"[raw numbers]({paths[-1].relative_to(PACKAGE).as_posix()})"
            found[name] = f"{show(json.loads(paths[-1].read_text()))}  From {link}."
    return found
