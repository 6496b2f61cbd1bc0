"""Command line: `emurust info|run|verify|bench`."""

import argparse
import importlib.util
import sys
import time
from pathlib import Path

from emurust.errors import EmurustError
from emurust.game_boy import GameBoy, make_machine

MAPPERS = {
    0x00: "ROM only",
    0x01: "MBC1",
    0x02: "MBC1",
    0x03: "MBC1",
    0x05: "MBC2",
    0x06: "MBC2",
    0x08: "ROM only",
    0x09: "ROM only",
    0x0F: "MBC3 with clock",
    0x10: "MBC3 with clock",
    0x11: "MBC3",
    0x12: "MBC3",
    0x13: "MBC3",
} | dict.fromkeys(range(0x19, 0x1F), "MBC5")


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="emurust", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action, text in (
        ("info", _info, "header, mapper and checksum of a ROM"),
        ("run", _run, "run frames and print registers"),
        ("verify", _verify, "compare every step with PyBoy 2.8.1"),
        ("bench", _bench, "frames per CPU second"),
    ):
        command = commands.add_parser(name, help=text)
        command.set_defaults(action=action)
        command.add_argument("--rom", required=True, type=Path)
        if name == "info":
            continue
        command.add_argument("--frames", type=int, default=600)
        command.add_argument("--cgb", choices=["auto", "0", "1"], default="auto", help="console")
        command.add_argument("--sound", type=int, choices=[0, 1], default=1, help="emulate sound registers")
        command.add_argument("--skip", type=int, default=1, help="frames per step")
        command.add_argument("--render", choices=["all", "last", "none"], default="last")
        command.add_argument("--seed", type=int, default=1, help="of the random pad")
    options = parser.parse_args(arguments)
    try:
        return options.action(options)
    except (EmurustError, OSError) as error:
        print(f"emurust: {error}", file=sys.stderr)
        return 2


def _cgb(options: argparse.Namespace) -> bool | None:
    return {"auto": None, "0": False, "1": True}[options.cgb]


def _info(options: argparse.Namespace) -> int:
    machine = make_machine(options.rom)
    kind, rom_banks, ram_code, ram_banks, color = machine.header
    print(f"title:     {machine.title}")
    print(f"mapper:    {MAPPERS.get(kind, 'unknown')} (type {kind:#04x})")
    print(f"ROM:       {rom_banks} banks of 16 KiB; header checksum correct")
    print(f"RAM:       code {ram_code}, {ram_banks} banks of 8 KiB emulated")
    print(f"colour:    {'yes' if color else 'no'}")
    return 0


def _run(options: argparse.Namespace) -> int:
    game = GameBoy(options.rom, cgb=_cgb(options), sound_emulated=bool(options.sound))
    game.tick(options.frames)
    print(", ".join(f"{name}={value:#x}" for name, value in game.registers.items()))
    return 0


def _adapter():
    """The reference adapter of the repository this package belongs to."""
    for parent in Path(__file__).resolve().parents:
        path = parent / "references" / "pyboy" / "adapter.py"
        if path.exists():
            spec = importlib.util.spec_from_file_location("emurust_pyboy_adapter", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise FileNotFoundError("references/pyboy/adapter.py: run verify from a checkout of the repository")


def _verify(options: argparse.Namespace) -> int:
    from emurust import verify

    adapter = _adapter()
    if not adapter.available():
        print("emurust: verify needs pyboy==2.8.1 (pip install 'emurust[verify]')", file=sys.stderr)
        return 2
    rom = options.rom.read_bytes()
    color = make_machine(rom, cgb=_cgb(options)).color
    machine = make_machine(rom, adapter.boot_rom(color), _cgb(options), bool(options.sound))
    masks = verify.pad_masks(options.seed, -(-options.frames // options.skip))
    with adapter.PyBoyProcess(rom, color, bool(options.sound), timeout=300) as reference:
        difference = verify.compare(
            verify.Follower(machine),
            reference,
            masks,
            frames=options.skip,
            render=options.render,
            sound=bool(options.sound),
            ram_banks=verify.declared_ram_banks(rom),
        )
        if difference is None:
            print(f"{options.rom.name}: {len(masks)} steps of {options.skip} frames identical to PyBoy 2.8.1")
            return 0
        print(f"{options.rom.name}: {difference}")
        steps = masks[: difference.step + 1]
        reference.call("open", rom, color, bool(options.sound))
        reference.call(
            "run", steps, options.skip, options.render, bool(options.sound), color, verify.declared_ram_banks(rom)
        )
        values = ", ".join(f"{name}={value:#x}" for name, value in reference.call("registers").items())
        print(f"PyBoy's registers: {values}")
    return 1


def _bench(options: argparse.Namespace) -> int:
    game = GameBoy(options.rom, cgb=_cgb(options), sound_emulated=bool(options.sound))
    render = options.render != "none"
    start = time.process_time()
    for _ in range(options.frames // options.skip):
        game.tick(options.skip, render, bool(options.sound) and render)
    spent = time.process_time() - start
    print(f"{options.frames / spent:,.0f} frames per CPU second")
    return 0


if __name__ == "__main__":
    sys.exit(main())
