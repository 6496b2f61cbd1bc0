"""What this package is compared with and how: `DECLARATION`."""

from typing import Final

from rlenv_shared.verification.declaration import Declaration, RolloutSet

SOAKED: Final = ("transform", "illusion", "dancer", "ties", "equals", "items", "chains")
DECLARATION: Final = Declaration(
    package="pokejax",
    environment="pokejax/Gen9RandomBattle-v0",
    references=("showdown",),
    smoke=f"{__name__}.smoke:smoke",
    rollouts=(
        RolloutSet(
            "battles",
            f"{__name__}.rollouts:compare_battles",
            full={"seeds": {"uniform": "0:10000", "attack": "0:10000"}, "processes": 2},
            quick={"seeds": {"uniform": "1000000:1000040", "attack": "1000000:1000060"}},
        ),
        RolloutSet(
            "fresh",
            f"{__name__}.rollouts:compare_battles",
            full={"seeds": {"uniform": "20000:25000", "attack": "25000:30000"}, "processes": 2},
            quick={"seeds": {"uniform": "1000200:1000205", "attack": "1000200:1000205"}},
        ),
        RolloutSet(
            "soak",
            f"{__name__}.rollouts:compare_soaked",
            full={"kinds": SOAKED, "battles": 2000, "seed": 50, "processes": 2},
            quick={"kinds": SOAKED, "battles": 8, "seed": 51},
        ),
        RolloutSet(
            "observations",
            f"{__name__}.rollouts:compare_observations",
            full={"seeds": {"uniform": "30000:30500", "attack": "30000:30500"}, "processes": 2},
            quick={"seeds": {"uniform": "1000100:1000120", "attack": "1000100:1000130"}},
        ),
    ),
)
