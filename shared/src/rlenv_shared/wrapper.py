"""Base of wrappers: environments that change something about another one."""

from __future__ import annotations

from typing import Any, Final

from rlenv_shared.env import Env
from rlenv_shared.ops import XLA, Ops

CONSTANTS: Final = (
    "name", "version", "num_players", "turn_order", "num_actions", "random", "observes_state"
)  # fmt: skip


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
        if name == "env" or callable(value):
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

    def begin(self, generator: Any, params: Any, ops: Ops = XLA) -> Any:
        """State of a new episode."""
        return self.env.begin(generator, self.inner_params(params), ops)

    def transition(self, state: Any, action: Any, params: Any, ops: Ops = XLA) -> tuple[Any, Any, Any, dict[str, Any]]:
        """The step inside."""
        inner, *rest = self.env.transition(self.inner(state), action, self.inner_params(params), ops)
        return (self.with_inner(state, inner), *rest)

    def step_env(
        self, key: Any, state: Any, action: Any, params: Any, ops: Ops = XLA
    ) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """The raw step inside."""
        if self.observes_state:
            return super().step_env(key, state, action, params, ops)
        obs, inner, *rest = self.env.step_env(key, self.inner(state), action, self.inner_params(params), ops)
        return (obs, self.with_inner(state, inner), *rest)

    def restart(self, done: Any, state: Any, params: Any, ops: Ops = XLA) -> Any:
        """The restart inside."""
        return self.with_inner(state, self.env.restart(done, self.inner(state), self.inner_params(params), ops))

    def observe(self, state: Any, player: Any, params: Any, ops: Ops = XLA) -> Any:
        """What a player knows."""
        return self.env.observe(self.inner(state), player, self.inner_params(params), ops)

    def view(self, state: Any, params: Any, ops: Ops = XLA) -> Any:
        """What those see who act next."""
        return self.env.view(self.inner(state), self.inner_params(params), ops)

    def legal_actions(self, state: Any, params: Any, ops: Ops = XLA) -> Any:
        """Mask of legal actions."""
        return self.env.legal_actions(self.inner(state), self.inner_params(params), ops)

    def generator(self, state: Any) -> Any:
        """The generator inside."""
        return self.env.generator(self.inner(state))

    def with_generator(self, state: Any, generator: Any) -> Any:
        """The same position with another generator."""
        return self.with_inner(state, self.env.with_generator(self.inner(state), generator))

    def seed_generator(self, word0: Any, word1: Any) -> Any:
        """The generator that belongs to two uint32 words."""
        return self.env.seed_generator(word0, word1)

    def elapsed(self, state: Any) -> Any:
        """Steps since the reset."""
        return self.env.elapsed(self.inner(state))

    def current_player(self, state: Any) -> Any:
        """Whose turn it is."""
        return self.env.current_player(self.inner(state))

    def to_act(self, state: Any) -> Any:
        """Who is asked to decide now."""
        return self.env.to_act(self.inner(state))

    def decode(self, state: Any) -> dict[str, Any]:
        """The state inside as named arrays."""
        return self.env.decode(self.inner(state))

    def permute_hidden(self, state: Any, key: Any, player: int) -> Any:
        """Another truth that the player cannot tell from this one."""
        return self.with_inner(state, self.env.permute_hidden(self.inner(state), key, player))

    def is_truncated(self, state: Any, params: Any) -> Any:
        """True when the time limit is reached."""
        return self.env.is_truncated(self.inner(state), self.inner_params(params))

    def refresh(self, params: Any, key: Any) -> Any:
        """Parameters with new pools."""
        return self.env.refresh(params, key)

    def action_space(self, params: Any) -> Any:
        """One player's actions."""
        return self.env.action_space(self.inner_params(params))

    def observation_space(self, params: Any) -> Any:
        """One player's observations."""
        return self.env.observation_space(self.inner_params(params))
