"""What this package is compared with: `DECLARATION`."""

from typing import Final

from rlenv_shared.verification.declaration import Declaration

DECLARATION: Final = Declaration(
    package="tcgjax",
    environment="tcgjax/Tcg-v0",
    references=("tcg_engine",),
    smoke=f"{__name__}.smoke:smoke",
)
