"""Compiles a whole environment step, written once in JAX, into one native function.

>>> import jax, jax.numpy as jnp
>>> from rlenv_emit import emit
>>> halve = emit(lambda x: jnp.where(x % 2 == 0, x // 2, 3 * x + 1), jnp.int32(0))
>>> jax.vmap(halve)(jnp.arange(5, dtype=jnp.int32)).tolist()
[0, 4, 1, 10, 2]
"""

from rlenv_emit.emit import emit
from rlenv_emit.env import EmittedEnv, emit_env
from rlenv_emit.errors import Missing
from rlenv_emit.hooks import any_lane
from rlenv_emit.missing import unsupported

__version__ = "0.1.0"
__all__ = [
    "EmittedEnv", "Missing", "__version__", "any_lane", "emit", "emit_env", "unsupported",
]  # fmt: skip
