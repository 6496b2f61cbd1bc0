"""poke-env and pokejax: a player for a live server of Showdown, and poke-env's players inside pokejax.

Needs poke-env (``pip install pokejax[poke-env]``).
"""

import importlib.util

if importlib.util.find_spec("poke_env") is None:
    raise ModuleNotFoundError("pokejax.poke_env needs poke-env; run: pip install 'pokejax[poke-env]'", name="poke_env")

from pokejax.poke_env.connection import ServerError
from pokejax.poke_env.local_battles import LocalBattles, Result
from pokejax.poke_env.local_singles_env import LocalSinglesEnv
from pokejax.poke_env.player import PokejaxPlayer

__all__ = ["LocalBattles", "LocalSinglesEnv", "PokejaxPlayer", "Result", "ServerError"]
