"""Environment ids."""

from __future__ import annotations

from typing import Any, Final

from rlenv_shared import registry

WINDFALL: Final = "emurust/Windfall-v0"


def windfall_env(**options: Any) -> Any:
    """One console of Windfall, for Gymnasium's registry."""
    from emurust.games import windfall

    return windfall.game().env(**options)


def windfall_vector_env(num_envs: int = 1, **options: Any) -> Any:
    """Many consoles of Windfall, for Gymnasium's registry."""
    from emurust.games import windfall

    return windfall.game().vector_env(num_envs, **options)


def register_with_gymnasium() -> None:
    """See `emurust.register_envs`."""
    import gymnasium

    if WINDFALL not in gymnasium.registry:
        gymnasium.register(
            WINDFALL,
            entry_point="emurust.ids:windfall_env",
            vector_entry_point="emurust.ids:windfall_vector_env",
        )


registry.register(WINDFALL, windfall_vector_env)
