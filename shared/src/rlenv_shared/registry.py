"""Environment ids.  Packages register a factory; nothing is constructed before `make`.

``backend`` may name one of `rlenv_shared.backends`.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any

from rlenv_shared import backends
from rlenv_shared.errors import InvalidParamsError, UnknownEnvError

_ID = re.compile(r"[\w-]+/[\w-]+-v\d+")
_factories: dict[str, Callable[..., Any]] = {}


def register(env_id: str, factory: Callable[..., Any]) -> None:
    """Make a factory of environments reachable as ``make(env_id)``; its keyword arguments are those of `make`.

    ``env_id`` is ``<import name>/<Name>-v<behaviour version>``, e.g. ``cartpole_jax/CartPole-v1``.  Raises
    InvalidParamsError: another form, or the id already belongs to another factory.
    """
    if not isinstance(env_id, str) or not _ID.fullmatch(env_id):
        raise InvalidParamsError("environment id", repr(env_id), "'<package>/<Name>-v<number>'", "rename it")
    if _factories.setdefault(env_id, factory) is not factory:
        raise InvalidParamsError(f"{env_id!r}", factory, _factories[env_id], "register under another id")


def make(env_id: str, **kwargs: Any) -> Any:
    """Construct a registered environment; ``backend`` may also name an installed backend, whose form is then returned.

    Raises UnknownEnvError: no such id (the message lists near matches); InvalidParamsError: the environment takes no
    such keyword arguments, or there is no such backend.
    """
    if env_id not in _factories:
        near = difflib.get_close_matches(str(env_id), _factories, n=3, cutoff=0.4)
        remedy = "import the package that registers it, or correct the id"
        raise UnknownEnvError("environment id", repr(env_id), f"one of {near or registered()}", remedy)
    return construct(_factories[env_id], f"make({env_id!r})", **kwargs)


def construct(factory: Callable[..., Any], call: str, **kwargs: Any) -> Any:
    """What a factory makes of keywords as `make` takes and refuses them; ``call`` names it in errors."""
    form = backends.installed(str(kwargs["backend"])) if "backend" in kwargs else None
    if form is not None:
        del kwargs["backend"]
    signature = inspect.signature(factory)
    try:
        signature.bind(**kwargs)
    except TypeError as error:
        raise InvalidParamsError(call, sorted(kwargs), str(signature), str(error)) from None
    env = factory(**kwargs)
    return env if form is None else form(env)


def registered() -> list[str]:
    """All registered ids, sorted."""
    return sorted(_factories)
