"""CPU time per frame against PyBoy 2.8.1: one process each, same ROM, same flags, interleaved.

Run as `python benchmarks/bench_pyboy.py --roms DIR [--out results/pyboy.json]` from the package folder.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from emurust import verify
from emurust.game_boy import make_machine

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from references.pyboy.adapter import PyBoyProcess, boot_rom

# name: frames per tick, drawn, sound emulated, repetitions of the frame count
MODES = {
    "draw_every_frame_sound": (1, True, True),
    "skip24_sound": (24, True, True),
    "skip24_no_sound": (24, True, False),
}
WARM_UP = 240


def ours(machine, frames: int, skip: int, render: bool, sound: bool) -> float:
    """CPU seconds for `frames` frames in ticks of `skip`."""
    start = time.process_time()
    for _ in range(frames // skip):
        for frame in range(skip):
            last = frame == skip - 1
            machine.run_frame(render and last, sound and last)
    return time.process_time() - start


def measure(rom: bytes, mode: str, frames: int, repeats: int) -> dict[str, float]:
    """Median CPU microseconds per frame of both, measured in turn."""
    skip, render, sound = MODES[mode]
    machine = make_machine(rom, boot_rom(bool(rom[0x143] & 0x80)), None, sound)
    follower = verify.Follower(machine)
    with PyBoyProcess(rom, None, sound) as reference:
        for mask in verify.pad_masks(1, WARM_UP // 8):
            follower.step(mask, 8, "none", sound)
            reference.call("step", mask, 8, "none", sound)
        times = {"emurust": [], "pyboy": []}
        for _ in range(repeats):
            times["emurust"].append(ours(machine, frames, skip, render, sound) / frames)
            times["pyboy"].append(reference.call("time_frames", frames, skip, render, sound) / frames)
    return {name: statistics.median(values) * 1e6 for name, values in times.items()}


def main() -> None:
    """Measures every ROM in every mode and prints the geometric means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--roms", type=Path, required=True)
    parser.add_argument("--frames", type=int, default=480)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    roms = sorted(path for path in options.roms.iterdir() if path.suffix in (".gb", ".gbc"))
    result = {"frames": options.frames, "repeats": options.repeats, "modes": {}}
    for mode in MODES:
        rows = {}
        for path in roms:
            row = measure(path.read_bytes(), mode, options.frames, options.repeats)
            rows[path.name] = row | {"speedup": row["pyboy"] / row["emurust"]}
        mean = statistics.geometric_mean(row["speedup"] for row in rows.values())
        result["modes"][mode] = {"geometric_mean_speedup": mean, "roms": rows}
        print(f"{mode}: {mean:.2f}x")
        for name, row in rows.items():
            print(f"  {name:45} {row['emurust']:7.1f} {row['pyboy']:7.1f} us  {row['speedup']:5.2f}x")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
