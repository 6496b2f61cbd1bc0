"""L4: policies trained in JAX play the original C, and policies trained in C play JAX.

C draws its serves from glibc's generator, as PufferLib does.  ``python tests/l4_transfer/l4.py`` runs what config.toml
lays down and writes results/; a killed run continues.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from puffer_pong.jax import Pong
from rlenv_shared.bench import machine
from rlenv_shared.ppo import PPOConfig
from rlenv_shared.stats.transfer import TransferConfig, TransferVerdict
from rlenv_shared.transfer import host_backend, native_backend, run_transfer

HERE: Final = Path(__file__).resolve().parent
PACKAGE: Final = HERE.parents[1]
REPO: Final = PACKAGE.parents[1]
CONFIG: Final = HERE / "config.toml"
RESULTS: Final = HERE / "results" / "transfer.json"
FRAMESKIP: Final = 8


def main(config_path: Path = CONFIG, results: Path = RESULTS, cache: Path = REPO / ".cache/l4/puffer-pong") -> bool:
    """Run the experiment; True when both directions learned and are equivalent."""
    sys.path.insert(0, str(REPO))
    from references.puffer_pong.adapter import PufferPongVectorEnv

    ppo = PPOConfig.from_toml(PACKAGE / "training" / "configs" / "ppo.toml")
    backends = {
        "jax": native_backend(Pong(frameskip=FRAMESKIP), ppo),
        "c": host_backend(lambda n: PufferPongVectorEnv(n, rng="glibc", frameskip=FRAMESKIP), ppo),
    }
    verdict: TransferVerdict = run_transfer(
        TransferConfig.load(config_path), backends, results=results, cache=cache, machine=machine.describe()
    )
    print(verdict)
    return verdict.ok


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
