"""Command line: `emurust info|run|play|record|verify|bench`."""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust.errors import EmurustError
from emurust.game_boy import GameBoy, make_machine
from rlenv_shared import command_line

MAPPERS: Final = {
    **dict.fromkeys((0x00, 0x08, 0x09), "ROM only"),
    **dict.fromkeys(range(0x01, 0x04), "MBC1"),
    **dict.fromkeys((0x05, 0x06), "MBC2"),
    **dict.fromkeys((0x0F, 0x10), "MBC3 with clock"),
    **dict.fromkeys(range(0x11, 0x14), "MBC3"),
    **dict.fromkeys(range(0x19, 0x1C), "MBC5"),
    **dict.fromkeys(range(0x1C, 0x1F), "MBC5 with rumble"),
}


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit status: 0, 1 for a difference found by `verify`, 2 for an error."""
    parser = command_line.Parser(prog="emurust", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action, text in (
        ("info", _info, "header, mapper and checksums of a ROM"),
        ("run", _run, "run frames and print registers"),
        ("play", _play, "play in a terminal with 24-bit colour"),
        ("record", _record, "write a GIF of the random pad, or of a list of buttons"),
        ("verify", _verify, "compare every step with PyBoy 2.8.1"),
        ("bench", _bench, "frames per CPU second"),
    ):
        command = commands.add_parser(name, help=text)
        command.set_defaults(action=action)
        command.add_argument("--rom", type=Path, help="default: Windfall, the game of this package")
        if name == "info":
            continue
        command.add_argument("--cgb", choices=["auto", "0", "1"], default="auto", help="console")
        command.add_argument("--sound", type=int, choices=[0, 1], default=1, help="emulate sound registers")
        if name == "play":
            continue
        command.add_argument("--frames", type=int, default=600)
        if name == "record":
            command.add_argument("--out", type=Path, required=True, help="GIF to write")
            command.add_argument("--scale", type=int, default=2)
        if name != "run":
            command.add_argument("--skip", type=int, default=2 if name == "record" else 1, help="frames per step")
        if name in ("verify", "bench"):
            command.add_argument("--render", choices=["all", "last", "none"], default="last")
        if name in ("verify", "record"):
            command.add_argument("--seed", type=int, default=1, help="of the random pad")

    def asked() -> int:
        options = parser.parse_args(arguments)
        for name, least in (("frames", 1), ("skip", 1), ("seed", 0)):
            command_line.checked(f"--{name}", getattr(options, name, least), least)
        return int(options.action(options))

    return command_line.guarded(asked, "emurust")


def _rom(options: argparse.Namespace) -> bytes:
    if options.rom is not None:
        return bytes(options.rom.read_bytes())
    from emurust.games import windfall

    return windfall.rom()


def _name(options: argparse.Namespace) -> str:
    return "Windfall" if options.rom is None else str(options.rom.name)


def _cgb(options: argparse.Namespace) -> bool | None:
    return {"auto": None, "0": False, "1": True}[options.cgb]


def _game(options: argparse.Namespace) -> GameBoy:
    return GameBoy(_rom(options), cgb=_cgb(options), sound_emulated=bool(options.sound))


def _info(options: argparse.Namespace) -> int:
    rom = _rom(options)
    machine = make_machine(rom)
    kind, rom_banks, ram_code, ram_banks, color = machine.header
    total = (sum(rom) - rom[0x14E] - rom[0x14F]) & 0xFFFF
    right = "correct" if total == int.from_bytes(rom[0x14E:0x150], "big") else "wrong (no console checks it)"
    print(f"title:     {machine.title}")
    print(f"mapper:    {MAPPERS.get(kind, 'unknown')} (type {kind:#04x})")
    print(f"ROM:       {rom_banks} banks of 16 KiB")
    print(f"RAM:       code {ram_code}, {ram_banks} banks of 8 KiB emulated")
    print(f"colour:    {'yes' if color else 'no'}")
    print(f"checksums: header correct, ROM {right}")
    return 0


def _run(options: argparse.Namespace) -> int:
    game = _game(options)
    game.tick(options.frames)
    print(", ".join(f"{name}={value:#x}" for name, value in game.registers.items()))
    return 0


def _play(options: argparse.Namespace) -> int:
    from emurust import terminal

    if not sys.stdin.isatty():
        raise EmurustError("play: standard input is not a terminal; use `emurust record` instead")
    print(f"{terminal.play(_game(options))} frames")
    return 0


def _record(options: argparse.Namespace) -> int:
    from emurust import recording, verify

    game = _game(options)
    steps = -(-options.frames // options.skip)

    def pictures() -> Iterator[NDArray[np.uint8]]:
        for mask in verify.pad_masks(options.seed, steps):
            game._machine.set_buttons(mask)
            game.tick(options.skip)
            yield game.screen.ndarray.copy()

    count = recording.save_gif(pictures(), options.out, skip=options.skip, scale=options.scale)
    print(f"{count} pictures in {options.out}")
    return 0


def _adapter() -> Any:
    """The reference adapter of the repository this package belongs to."""
    for parent in Path(__file__).resolve().parents:
        path = parent / "references" / "pyboy" / "adapter.py"
        if path.exists():
            spec = importlib.util.spec_from_file_location("emurust_pyboy_adapter", path)
            if spec is None or spec.loader is None:
                break
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise EmurustError("verify needs references/pyboy/adapter.py: run it from a checkout of the repository")


def _verify(options: argparse.Namespace) -> int:
    from emurust import verify

    adapter, rom, sound = _adapter(), _rom(options), bool(options.sound)
    adapter.check()
    color = make_machine(rom, cgb=_cgb(options)).color
    machine = make_machine(rom, adapter.boot_rom(color), _cgb(options), sound)
    masks = verify.pad_masks(options.seed, -(-options.frames // options.skip))
    banks = verify.declared_ram_banks(rom)
    with adapter.PyBoyProcess(rom, color, sound, timeout=300) as reference:
        difference = verify.compare(
            verify.Follower(machine),
            reference,
            masks,
            frames=options.skip,
            render=options.render,
            sound=sound,
            ram_banks=banks,
        )
        if difference is None:
            print(f"{_name(options)}: {len(masks)} steps of {options.skip} frames identical to PyBoy 2.8.1")
            return 0
        print(f"{_name(options)}: {difference}")
        reference.reopen(rom, color, sound)
        reference.call("run", masks[: difference.step + 1], options.skip, options.render, sound, color, banks)
        values = ", ".join(f"{name}={value:#x}" for name, value in reference.call("registers").items())
        print(f"PyBoy's registers: {values}")
    return 1


def _bench(options: argparse.Namespace) -> int:
    game = _game(options)
    render = options.render != "none"
    start = time.process_time()
    steps = -(-options.frames // options.skip)
    for _ in range(steps):
        game.tick(options.skip, render, bool(options.sound) and render)
    spent = time.process_time() - start
    print(f"{steps * options.skip / spent:,.0f} frames per CPU second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
