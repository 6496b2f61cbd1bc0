"""Loaded objects under the names by which XLA calls them."""

from __future__ import annotations

import ctypes
import functools

import jax

from rlenv_emit.build import Built


def target_of(key: str) -> str:
    """Name under which XLA knows an object."""
    return f"rlenv_emit_{key}"


@functools.cache
def _registered() -> set[str]:
    return set()


def is_registered(key: str) -> bool:
    """Whether XLA knows the object of a key."""
    return target_of(key) in _registered()


def register(made: Built) -> str:
    """The name of an object, which XLA knows from now on."""
    name = target_of(made.key)
    if name not in _registered():
        tell(name, made.handler, "cpu")
        _registered().add(name)
    return name


def tell(name: str, handler: int | None, platform: str) -> None:
    """Let XLA know the address of a function under a name."""
    create = ctypes.pythonapi.PyCapsule_New
    create.restype, create.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    jax.ffi.register_ffi_target(name, create(handler, None, None), platform=platform)
