"""What this package is compared with and how: `DECLARATION`."""

from typing import Final

from rlenv_shared.verification.declaration import Declaration, RolloutSet

DECLARATION: Final = Declaration(
    package="pokejax",
    environment="pokejax/Gen9RandomBattle-v0",
    references=("showdown",),
    smoke=f"{__name__}.smoke:smoke",
    rollouts=(
        RolloutSet(
            "battles",
            f"{__name__}.rollouts:compare_battles",
            full={"battles": {"uniform": 2000, "attack": 2000}, "seed": 1000},
            quick={"battles": {"uniform": 40, "attack": 60}, "seed": 7},
        ),
        RolloutSet(
            "observations",
            f"{__name__}.rollouts:compare_observations",
            full={"battles": {"uniform": 500, "attack": 500}, "seed": 30_000},
            quick={"battles": {"uniform": 20, "attack": 30}, "seed": 8},
        ),
    ),
)
