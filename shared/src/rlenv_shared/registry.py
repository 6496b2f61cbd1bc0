"""Environment ids.  Packages register a factory; nothing is constructed before `make`."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any

from rlenv_shared.errors import InvalidParamsError, UnknownEnvError, explain

_ID = re.compile(r"[\w-]+/[\w-]+-v\d+")
_factories: dict[str, Callable[..., Any]] = {}


def register(env_id: str, factory: Callable[..., Any]) -> None:
    """Make ``factory`` reachable as ``make(env_id)``.

    Args:
        env_id: ``<import name>/<Name>-v<behaviour version>``, e.g. ``cartpole_jax/CartPole-v1``.
        factory: returns a new environment; its keyword arguments are those of `make`.

    Raises:
        InvalidParamsError: malformed id, or the id already belongs to another factory.
    """
    if not isinstance(env_id, str) or not _ID.fullmatch(env_id):
        raise InvalidParamsError(
            explain("environment id", got=repr(env_id), expected="'<package>/<Name>-v<number>'", remedy="rename it")
        )
    if _factories.setdefault(env_id, factory) is not factory:
        raise InvalidParamsError(
            explain(f"{env_id!r}", got=factory, expected=_factories[env_id], remedy="register under another id")
        )


def make(env_id: str, **kwargs: Any) -> Any:
    """Construct a registered environment.

    Raises:
        UnknownEnvError: no such id; the message lists near matches.
        InvalidParamsError: the environment takes no such keyword arguments.
    """
    if env_id not in _factories:
        near = difflib.get_close_matches(str(env_id), _factories, n=3, cutoff=0.4)
        raise UnknownEnvError(
            explain(
                "environment id",
                got=repr(env_id),
                expected=f"one of {near or registered()}",
                remedy="import the package that registers it, or correct the id",
            )
        )
    factory = _factories[env_id]
    signature = inspect.signature(factory)
    try:
        signature.bind(**kwargs)
    except TypeError as error:
        raise InvalidParamsError(
            explain(f"make({env_id!r})", got=sorted(kwargs), expected=str(signature), remedy=str(error))
        ) from None
    return factory(**kwargs)


def registered() -> list[str]:
    """All registered ids, sorted."""
    return sorted(_factories)
