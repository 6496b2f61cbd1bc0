"""Tables of README.md that only this package has, from committed results; `make report` fills them.

``compared`` sums up the rollout sets, ``homebrew`` and ``profile`` the newest files in results/homebrew and
results/profile.
"""

from __future__ import annotations

import collections
import itertools
import json
import statistics
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from emurust.verification import DECLARATION
from rlenv_shared.verification import verify

RESULTS: Final = DECLARATION.results
PACKAGE: Final = RESULTS.parent
SPEEDS: Final = RESULTS / "homebrew"
PROFILES: Final = RESULTS / "profile"
# what is measured: its name, and how many times PyBoy's speed is required and hoped for (geometric mean over the ROMs)
REQUIRED: Final = {
    "drawn_sound": ("every frame drawn, sound on", 5, 8),
    "skip24_sound": ("skip 24, sound on", 4, 5),
    "skip24_silent": ("skip 24, sound off", 3, 5),
    "reset": ("reset to a state, of 128 consoles, against `load_state`", 100, 100),
}
THREADS_REQUIRED: Final = 1.85  # times the speed of one thread, of two
WHOLE_CORE: Final = 1.1  # times its shortest time hashing takes at most on a whole core; 1.7 where a neighbour has half


def ratio(times: Mapping[str, list[float]]) -> float:
    """How many times faster than PyBoy, by medians."""
    return statistics.median(times["PyBoy"]) / statistics.median(times["emurust"])


def ratios(result: Mapping[str, Any]) -> dict[str, list[float]]:
    """Of every ROM, ascending, by what is measured."""
    measured = {**result["settings"], "reset": result["reset"]}
    return {name: sorted(map(ratio, measured[name].values())) for name in REQUIRED}


class Scaling(NamedTuple):
    """Speed of several threads as a multiple of one thread's, by medians.

    Attributes:
        threads: how many.
        whole: the multiple in the turns in which the machine gave its cores whole; None if it never did.
        whole_turns: how many turns those are.
        all: the multiple in all turns.
        turns: how many.
    """

    threads: int
    whole: float | None
    whole_turns: int
    all: float
    turns: int


def undisturbed(yardstick: Mapping[str, list[float]]) -> list[bool]:
    """The turns before and after which hashing on one thread, and on each of several, took as long as it must."""
    longest = WHOLE_CORE * min(yardstick["1"])
    calm = [max(seconds) <= longest for seconds in zip(*yardstick.values(), strict=True)]
    return [before and after for before, after in itertools.pairwise(calm)]


def scaling(result: Mapping[str, Any]) -> Scaling:
    """What `thread_scaling` found."""
    speeds = {int(count): found for count, found in result["threads"]["frames_per_s"].items()}
    one, several = speeds[1], speeds[max(speeds)]
    calm = undisturbed(result["threads"]["yardstick_s"])
    whole = [statistics.median(itertools.compress(found, calm)) for found in (several, one)] if any(calm) else []
    return Scaling(
        threads=max(speeds),
        whole=whole[0] / whole[1] if whole else None,
        whole_turns=sum(calm),
        all=statistics.median(several) / statistics.median(one),
        turns=len(one),
    )


def homebrew(result: Mapping[str, Any]) -> str:
    """Geometric means over the ROMs, memory, and what threads give."""
    rows = ["| setting | times PyBoy's speed, geometric mean | slowest – fastest ROM | required | hoped for |"]
    rows.append("|---|---:|---:|---:|---:|")
    for name, times in ratios(result).items():
        label, required, hoped = REQUIRED[name]
        mean = statistics.geometric_mean(times)
        rows.append(f"| {label} | {mean:.2f}× | {times[0]:.2f}× – {times[-1]:.2f}× | {required}× | {hoped}× |")
    ours, theirs = (
        [sizes[name] / 1024 for sizes in result["bytes_per_console"].values()] for name in ("emurust", "PyBoy")
    )
    about = result["machine"]
    rows.append(
        f"\n{about['cpu']}, {about['cores']} cores.  A further console takes {statistics.median(ours):.0f} KiB, at "
        f"most {max(ours):.0f}, cartridge RAM included; a further PyBoy {statistics.median(theirs):,.0f} KiB (medians "
        f"over the ROMs of what a process grows by)."
    )
    found, batch = scaling(result), result["threads"]["batch"]
    whole = "not measured" if found.whole is None else f"{found.whole:.2f}×"
    rows.append(
        f"{found.threads} threads against one, {batch} consoles of Windfall: {whole} in the {found.whole_turns} turns "
        f"in which hashing showed that the machine gave its cores whole, {found.all:.2f}× in all {found.turns}; "
        f"medians, required {THREADS_REQUIRED}× on 2."
    )
    return "\n".join(rows)


def compared(results: Mapping[str, Mapping[str, Any]]) -> str:
    """What L3 compared, a row each."""
    rows = ["| what | compared | steps | mismatches | raw counts |", "|---|---|---:|---:|---|"]

    def row(part: str, what: str, words: str, node: Any) -> None:
        _, *counts = zip(*verify.comparisons({"comparisons": node}), strict=True)
        steps, wrong = map(sum, counts)
        link = f"[json]({(RESULTS / f'{part}.json').relative_to(PACKAGE).as_posix()})"
        rows.append(f"| {what} | {words} | {steps:,} | {wrong} | {link} |")

    if content := results.get("programs", {}).get("generated programs"):
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
    files = [RESULTS / f"{declared.name}.json" for declared in DECLARATION.rollouts]
    results = {path.stem: verify.load(path)["comparisons"] for path in files if path.exists()}
    found = {"compared": compared(results), "homebrew": "Not measured yet.", "profile": "Not measured yet."}
    for name, folder, show in (("homebrew", SPEEDS, homebrew), ("profile", PROFILES, profile)):
        if paths := sorted(folder.glob("*.json")):
            link = f"[raw numbers]({paths[-1].relative_to(PACKAGE).as_posix()})"
            found[name] = f"{show(json.loads(paths[-1].read_text()))}  From {link}."
    return found
