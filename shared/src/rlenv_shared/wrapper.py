"""Base of wrappers: environments that change something about another one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

from rlenv_shared.env import Env

CONSTANTS: Final = (
    "name", "version", "num_players", "turn_order", "num_actions", "random", "observes_state"
)  # fmt: skip


FORWARDED: Final = (
    "begin", "seed_generator", "observe", "view", "legal_actions", "generator", "elapsed", "current_player", "to_act",
    "decode", "is_truncated", "refresh", "action_space", "observation_space", "restart", "with_generator",
    "permute_hidden",
)  # fmt: skip
STATE_CHANGES: Final = ("restart", "with_generator", "permute_hidden")


class Wrapper(Env):
    """Forwards the whole contract to the environment inside; a subclass overrides what it changes.

    A wrapper with another state or other parameters says how to reach those inside: `inner`, `with_inner`,
    `inner_params`.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        for name in CONSTANTS:
            setattr(self, name, getattr(env, name))
        setattr(self, "compile_options", dict(env.compile_options))  # noqa: B010 - a dict can be copied, a view cannot

    def __getattr__(self, name: str) -> Any:
        """What is no part of the contract is forwarded too, except methods: they take the inner state and params."""
        value = getattr(self.env, name) if name != "env" else None  # no env yet while being copied
        if name == "env" or (callable(value) and not isinstance(value, type)):  # a dtype is a type
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; try .env.{name}")
        return value

    def inner(self, state: Any) -> Any:
        """State of the environment inside."""
        return state

    def with_inner(self, state: Any, inner: Any) -> Any:
        """The state with another one inside."""
        return inner

    def inner_params(self, params: Any) -> Any:
        """Parameters of the environment inside."""
        return params

    @property
    def default_params(self) -> Any:
        """The environment's own."""
        return self.env.default_params

    def transition(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """The step inside."""
        inner, *rest = self.env.transition(self.inner(state), action, self.inner_params(params))
        return (self.with_inner(state, inner), *rest)

    def step_env(self, key: Any, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """The raw step inside."""
        if self.observes_state:
            return super().step_env(key, state, action, params)
        obs, inner, *rest = self.env.step_env(key, self.inner(state), action, self.inner_params(params))
        return (obs, self.with_inner(state, inner), *rest)


def _forwarded(name: str) -> Callable[..., Any]:
    """A method of the contract that asks the environment inside, with its state and its parameters."""
    contract = getattr(Env, name)
    signature = inspect.signature(contract)

    @functools.wraps(contract)
    def method(self: Wrapper, *args: Any, **options: Any) -> Any:
        given = signature.bind(self, *args, **options).arguments
        del given["self"]
        state = given.get("state")
        if "state" in given:
            given["state"] = self.inner(state)
        if "params" in given:
            given["params"] = self.inner_params(given["params"])
        found = getattr(self.env, name)(**given)
        return self.with_inner(state, found) if name in STATE_CHANGES else found

    return method


for _name in FORWARDED:
    setattr(Wrapper, _name, _forwarded(_name))
