"""L4: train ten policies here and ten in MuJoCo, evaluate each in both, judge by ``config.toml``.

    python tests/l4_transfer/l4.py     about a quarter of an hour on two cores; a killed run continues

Writes ``results/<config>.json`` with every return; ``test_result.py`` recomputes the verdict from it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from halfcheetah_jax import HalfCheetah
from rlenv_shared.bench import machine
from rlenv_shared.ppo import PPOConfig
from rlenv_shared.stats.transfer import TransferConfig
from rlenv_shared.transfer import host_backend, native_backend, run_transfer

HERE: Final = Path(__file__).resolve().parent
PACKAGE: Final = HERE.parents[1]
REPO: Final = PACKAGE.parents[1]
sys.path.insert(0, str(REPO))  # references.<name>.adapter
from references.gymnasium_mujoco.adapter import vector_env  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """Run the experiment; 0 if it shows equivalence in both directions."""
    parser = argparse.ArgumentParser(description="L4 of halfcheetah-jax")
    parser.add_argument("--config", type=Path, default=HERE / "config.toml")
    parser.add_argument("--ppo", type=Path, default=PACKAGE / "training" / "configs" / "transfer.toml")
    parser.add_argument("--results", type=Path, default=HERE / "results" / "transfer.json")
    parser.add_argument("--cache", type=Path, default=REPO / ".cache" / "l4" / PACKAGE.name)
    options = parser.parse_args(arguments)
    ppo = PPOConfig.from_toml(options.ppo)
    verdict = run_transfer(
        TransferConfig.load(options.config),
        {"jax": native_backend(HalfCheetah(), ppo), "mujoco": host_backend(vector_env, ppo)},
        results=options.results,
        cache=options.cache,
        machine=machine.describe(),
    )
    print(verdict)
    return 0 if verdict.ok else 1


if __name__ == "__main__":
    sys.exit(main())
