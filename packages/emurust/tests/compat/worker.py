"""One side of the comparison: reads snippets as JSON, prints their results as JSON."""

from __future__ import annotations

import json
import sys
import warnings

from session import Console

from emurust.games import windfall
from rlenv_shared.verification.locate import reference

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    console = Console(sys.argv[1], windfall.rom(), windfall.symbols(), reference("pyboy").boot_rom(False))
    print(json.dumps(list(console.run(json.load(sys.stdin)))))
