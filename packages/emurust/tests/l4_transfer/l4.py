"""L4: policies trained in emurust play PyBoy, and policies trained in PyBoy play emurust.

    python tests/l4_transfer/l4.py     some minutes on two cores; a killed run continues

Runs what config.toml lays down and writes results/; test_result.py recomputes the verdict from it.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from emurust.games import windfall
from rlenv_learn import PPOConfig
from rlenv_learn.transfer import experiment

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from pyboy_windfall import pyboy_vector_env  # noqa: E402


def backends(ppo: PPOConfig) -> dict[str, experiment.Backend]:
    """Both implementations."""
    # a PyBoy that is reset holds nothing of the episodes before, and constructing hundreds takes longer
    pyboy = functools.cache(functools.partial(pyboy_vector_env, processes=os.cpu_count() or 1))
    return {
        "emurust": experiment.host_backend(lambda n: windfall.game().vector_env(n), ppo),
        "pyboy": experiment.host_backend(pyboy, ppo),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment; 0 if it shows equivalence in both directions."""
    return experiment.main(HERE, "windfall.toml", backends, argv)


if __name__ == "__main__":
    sys.exit(main())
