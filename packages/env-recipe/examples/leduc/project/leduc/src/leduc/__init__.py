"""PettingZoo's leduc_holdem_v4 in JAX."""

from leduc.state import State

__all__ = ["State"]
