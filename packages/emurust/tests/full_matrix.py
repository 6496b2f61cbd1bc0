"""Every homebrew ROM in every setting against PyBoy, one after the other, resumable.

`python tests/full_matrix.py --roms DIR --out results/matrix.jsonl [--frames 3600] [--seeds 1 2] [--only PART]`

A run is a ROM, pad seed, console, sound flag, frames per step and render mode; each appends one line to the
output when it is through, and those already there are not run again. At one frame per step `all` and `last` are
the same calls, so they share a run. `--summary FILE` writes the counts as JSON at the end.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY))

from references.pyboy.adapter import PyBoyProcess, ReferenceHung, boot_rom  # noqa: E402

from emurust import verify  # noqa: E402
from emurust.game_boy import make_machine  # noqa: E402

# frames per step and render mode
STEPPING = [(1, "all"), (1, "none"), (24, "all"), (24, "last"), (24, "none")]
COLOR_ONLY = 0xC0


def settings(roms: list[Path], seeds: list[int], frames: int) -> Iterator[dict[str, Any]]:
    """All runs; a cartridge that asks for a colour console is not put into a monochrome one."""
    for path in roms:
        flag = path.read_bytes()[0x143]
        for cgb in [True] if flag & COLOR_ONLY == COLOR_ONLY else [False, True]:
            for sound in (True, False):
                for seed in seeds:
                    for skip, render in STEPPING:
                        yield {
                            "rom": path.name,
                            "seed": seed,
                            "cgb": cgb,
                            "sound": sound,
                            "skip": skip,
                            "render": render,
                            "frames": frames,
                        }


def run(rom: bytes, setting: dict[str, Any]) -> dict[str, Any]:
    """Compares one setting; the record says what differs first, if anything."""
    cgb, sound, skip = setting["cgb"], setting["sound"], setting["skip"]
    masks = verify.pad_masks(setting["seed"], -(-setting["frames"] // skip))
    ours = verify.Follower(make_machine(rom, boot_rom(cgb), cgb, sound))
    start = time.process_time()
    with PyBoyProcess(rom, cgb, sound, timeout=600) as reference:
        try:
            found = verify.compare(
                ours,
                reference,
                masks,
                frames=skip,
                render=setting["render"],
                sound=sound,
                ram_banks=verify.declared_ram_banks(rom),
            )
        except ReferenceHung as error:
            found = error
    return setting | {
        "rom_sha256": hashlib.sha256(rom).hexdigest(),
        "steps": len(masks),
        "difference": None if found is None else str(found),
        "our_cpu_seconds": round(time.process_time() - start, 2),
    }


def key(record: dict[str, Any]) -> tuple:
    """What tells runs apart."""
    return tuple(record[name] for name in ("rom", "seed", "cgb", "sound", "skip", "render", "frames"))


def main() -> int:
    """Runs what is missing; exit status 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--roms", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--summary", type=Path)
    parser.add_argument("--frames", type=int, default=3600)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", default="", help="part of the ROM's name")
    options = parser.parse_args()
    os.nice(10)
    roms = sorted(p for p in options.roms.iterdir() if p.suffix in (".gb", ".gbc") and options.only in p.name)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    records = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    done = {key(record) for record in records}
    wanted = list(settings(roms, options.seeds, options.frames))
    with options.out.open("a") as out:
        for number, setting in enumerate(wanted):
            if key(setting) in done:
                continue
            record = run((options.roms / setting["rom"]).read_bytes(), setting)
            records.append(record)
            print(json.dumps(record), file=out, flush=True)
            verdict = record["difference"] or "identical"
            print(f"{number + 1}/{len(wanted)} {' '.join(map(str, key(setting)))}: {verdict}", flush=True)
    differing = [record for record in records if record["difference"]]
    summary = {
        "runs": len(records),
        "roms": len({record["rom_sha256"] for record in records}),
        "frames": sum(record["frames"] for record in records),
        "compared_steps": sum(record["steps"] for record in records if not record["difference"]),
        "differing": differing,
    }
    print(json.dumps(summary | {"differing": len(differing)}))
    if options.summary:
        options.summary.parent.mkdir(parents=True, exist_ok=True)
        options.summary.write_text(json.dumps(summary, indent=1) + "\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
