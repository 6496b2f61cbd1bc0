"""Damaged PyBoy states through the loader: each is refused by a typed error, or loads and runs.

python tests/compat/mutated_states.py [--count 5000] [--old]

With `--old` they are those that older releases saved, of every format.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from typing import Any, Final

import record
from handover import roms
from old_states import states
from pair import load, make_ours, state_of

from emurust.errors import LockedUp
from emurust.pyboy.utils import PyBoyAssertException

SLOW_SECONDS: Final = 2.0


def mutate(state: bytes, chance: random.Random) -> bytes:
    """A state with bytes changed, cut, doubled or shifted, mostly in its first part and in its registers."""
    data = bytearray(state)
    kind = chance.randrange(6)
    if kind == 0:
        return bytes(data[: chance.randrange(len(data))])
    if kind == 1:
        at = chance.randrange(len(data))
        return bytes(data[:at] + chance.randbytes(chance.randrange(1, 40)) + data[at:])
    if kind == 2:
        data[0] = chance.randrange(256)
        return bytes(data)
    for _ in range(chance.choice((1, 4, 60))):
        at = chance.randrange(64) if kind == 3 else chance.randrange(len(data))
        if kind == 5:  # sound, timer and cartridge lie around the large blocks
            at = min(len(data) - 1, chance.choice((8400, 9200, 11000, 126_400, 134_900)) + chance.randrange(400))
        data[at] = chance.choice((0, 0xFF, chance.randrange(256), data[at] ^ 1 << chance.randrange(8)))
    return bytes(data)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--old", action="store_true")
    options = parser.parse_args()
    chance, facts = random.Random(0), record.about()
    consoles = {}
    for name, rom in roms(None).items():
        console = make_ours(rom)
        console.tick(200)
        consoles[name] = (console, state_of(console))
    if options.old:
        consoles = {name: (consoles[name.split("-")[0]][0], states.read(f"{name}.state")) for name in states.names()}
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for number in range(options.count):
        console, state = consoles[chance.choice(sorted(consoles))]
        began = time.perf_counter()
        outcomes[outcome(console, mutate(state, chance))] += 1
        slowest = max(slowest, time.perf_counter() - began)
        if number % 50 == 0:
            load(console, state).tick(1)
    found = {"states": options.count, "untyped": 0, **outcomes, "slowest_seconds": round(slowest, 4)}
    print(found)
    wrong = outcomes["untyped"] or slowest > SLOW_SECONDS
    if options.count >= (3_000 if options.old else 5_000):
        record.write("mutated_old_states" if options.old else "mutated_states", found, facts)
    return int(bool(wrong))


def outcome(console: Any, state: bytes) -> str:
    """What becomes of a state."""
    try:
        load(console, state)
    except PyBoyAssertException:
        return "refused"
    except Exception as error:
        print(type(error), error)
        return "untyped"
    try:
        console.tick(3)
        console.game_area()
        state_of(console)
    except LockedUp:
        return "locked up"
    return "runs"


if __name__ == "__main__":
    sys.exit(main())
