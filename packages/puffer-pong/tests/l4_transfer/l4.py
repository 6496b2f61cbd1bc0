"""L4: policies trained in JAX play the original C, and policies trained in C play JAX.

C draws its serves from glibc's generator, as PufferLib does.  ``python tests/l4_transfer/l4.py`` runs what config.toml
lays down and writes results/; a killed run continues.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from puffer_pong.jax import Pong
from rlenv_learn import PPOConfig
from rlenv_learn.transfer import experiment

HERE: Final = Path(__file__).resolve().parent
FRAMESKIP: Final = 8
sys.path.insert(0, str(HERE.parents[3]))  # references.<name>.adapter
from references.puffer_pong.adapter import PufferPongVectorEnv  # noqa: E402


def backends(ppo: PPOConfig) -> dict[str, experiment.Backend]:
    """Both implementations."""
    return {
        "jax": experiment.native_backend(Pong(frameskip=FRAMESKIP), ppo),
        "c": experiment.host_backend(lambda n: PufferPongVectorEnv(n, rng="glibc", frameskip=FRAMESKIP), ppo),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment; 0 if it shows equivalence in both directions."""
    return experiment.main(HERE, "ppo.toml", backends, argv)


if __name__ == "__main__":
    sys.exit(main())
