"""L4: train ten policies here and ten in Gymnasium, evaluate each in both, judge by ``config.toml``.

    python tests/l4_transfer/l4.py     about a quarter of an hour on two cores; a killed run continues

Writes ``results/transfer.json`` with every return; ``test_result.py`` recomputes the verdict from it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cartpole_jax import CartPole
from rlenv_learn import PPOConfig
from rlenv_learn.transfer import experiment

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3]))  # references.<name>.adapter
from references.gymnasium_classic.adapter import vector_env  # noqa: E402


def backends(ppo: PPOConfig) -> dict[str, experiment.Backend]:
    """Both implementations."""
    return {"jax": experiment.native_backend(CartPole(), ppo), "gymnasium": experiment.host_backend(vector_env, ppo)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment; 0 if it shows equivalence in both directions."""
    return experiment.main(HERE, "transfer.toml", backends, argv)


if __name__ == "__main__":
    sys.exit(main())
