"""L4: policies trained in emurust play PyBoy, and policies trained in PyBoy play emurust.

    python tests/l4_transfer/l4.py     some minutes on two cores; a killed run continues

Runs what config.toml lays down and writes results/; test_result.py recomputes the verdict from it.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import Final

from emurust.games import windfall
from rlenv_shared.bench import machine
from rlenv_shared.ppo import PPOConfig
from rlenv_shared.stats.transfer import TransferConfig, TransferVerdict
from rlenv_shared.transfer import host_backend, run_transfer

HERE: Final = Path(__file__).resolve().parent
PACKAGE: Final = HERE.parents[1]
REPO: Final = PACKAGE.parents[1]
CONFIG: Final = HERE / "config.toml"
RESULTS: Final = HERE / "results" / "transfer.json"
sys.path.insert(0, str(HERE.parent))
from pyboy_windfall import pyboy_vector_env  # noqa: E402


def main(config_path: Path = CONFIG, results: Path = RESULTS, cache: Path = REPO / ".cache/l4/emurust") -> bool:
    """Run the experiment; True when both directions learned and are equivalent."""
    ppo = PPOConfig.from_toml(PACKAGE / "training" / "configs" / "windfall.toml")
    # a PyBoy that is reset holds nothing of the episodes before, and constructing hundreds takes longer
    pyboy = functools.cache(functools.partial(pyboy_vector_env, processes=os.cpu_count() or 1))
    backends = {
        "emurust": host_backend(lambda n: windfall.game().vector_env(n), ppo),
        "pyboy": host_backend(pyboy, ppo),
    }
    verdict: TransferVerdict = run_transfer(
        TransferConfig.load(config_path), backends, results=results, cache=cache, machine=machine.describe()
    )
    print(verdict)
    return verdict.ok


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
