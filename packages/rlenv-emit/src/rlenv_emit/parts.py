"""Steps in parts: each one is a native call of those of a batch who go on, in the order in which they are alike.

A step that ends when somebody is asked takes one environment two parts and another one twenty.  As one loop in one
native function, a group of lanes goes on until the last of them is done, and its lanes do different things by then.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.rows import as_row, of_row
from rlenv_shared import control
from rlenv_shared.wrapper import Wrapper

ENDS: Final = np.int32(-1)
"""The kind of who does not go on."""
FINAL: Final = "final_observation"


def in_parts(env: Any) -> bool:
    """Whether the steps of an environment are made of parts: its own, not those of one inside of a wrapper."""
    return hasattr(type(env), "begin_step") and bool(env.steps_in_parts)


class EndOfStep(Wrapper):
    """The environment whose transition is the end of a step that is under way."""

    def transition(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """The end of the step inside; the action is in what is under way."""
        found: tuple[Any, Any, Any, dict[str, Any]] = self.env.end_step(state, params)
        return found

    def _next_view(self, done: Any, state: Any, final_obs: Any, params: Any) -> Any:
        """It stands alone: the final one is a function of its own, see `Parts.step`."""
        return self.view(state, params)


@dataclasses.dataclass(frozen=True)
class _Functions:
    """The functions of one environment: they hold nothing but what their traces depend on (`rlenv_emit.identity`).

    What is under way is a row of words; beside it stands the kind of its next part, `ENDS` where it does not go on.
    """

    env: Any

    def begun(self, state: Any, action: Any, params: Any) -> tuple[Any, Any]:
        """``(row, kind)`` of a step that begins."""
        return self._as_row(self.env.begin_step(state, action, params), params)

    def gone_on(self, row: Any, kind: Any, params: Any) -> tuple[Any, Any]:
        """``(row, kind)`` one part later."""
        return self._as_row(self.env.go_on(self.under_way(row), params), params)

    def final(self, obs: Any, done: Any, row: Any, params: Any) -> Any:
        """The last observation of an episode."""
        state, *_ = self.env.end_step(self.under_way(row), params)
        return self.env.view(state, params)

    def stepped(self, inside: EndOfStep, under_way: Any, params: Any) -> Any:
        """The results of `Env.step` but for the last observation."""
        *found, info = inside.step(None, under_way, None, params)
        return *found, {name: value for name, value in info.items() if name != FINAL}

    def under_way(self, row: Any) -> Any:
        """What a row holds."""
        return of_row(row, _shapes(self.env))

    def _as_row(self, under_way: Any, params: Any) -> tuple[Any, Any]:
        kind = self.env.kind_of_part(under_way, params) & np.int32(0x7FFFFFFF)
        return as_row(under_way), jnp.where(self.env.goes_on(under_way), kind, ENDS)


@functools.lru_cache(maxsize=64)
def _shapes(env: Any) -> Any:
    """Shapes and dtypes of what is under way.  Not kept in an object, or the first trace changed its identity."""
    params = env.default_params
    word = jax.ShapeDtypeStruct((), jnp.uint32)
    state = jax.eval_shape(env.init, (word, word), params)
    actors = jax.eval_shape(env.legal_actions, state, params).shape[:-1]
    action = jax.ShapeDtypeStruct(actors, jnp.int32)
    return jax.eval_shape(env.begin_step, state, action, params)


class Parts:
    """A step in three functions: its beginning, what is repeated, and its end, of which there are several.

    Args:
        env: has ``begin_step(state, action, params) -> under way``, ``goes_on(under way) -> bool ()``,
            ``go_on(under way, params) -> under way``, ``end_step(under way, params)`` with the results of
            `Env.transition`, and ``kind_of_part(under way, params) -> int32 ()``, a number that environments have in
            common whose next part is alike.
        lazily: ``(function, alike, where)`` as a function of a batch, as `emit_lazily` makes them.
    """

    def __init__(self, env: Any, lazily: Callable[..., Any]) -> None:
        self._functions, self._lazily = _Functions(env), lazily
        self._begin = lazily(self._functions.begun)
        self._go_on = lazily(
            self._functions.gone_on, lambda row, kind, params: kind, lambda row, kind, params: kind != ENDS
        )

    def ending(self, end: Callable[[EndOfStep, Any, Any], Any]) -> Callable[..., Any]:
        """A whole step, ``(state, action, params)``, with the results of ``end(environment, under way, params)``."""
        last = self._last(end)
        return lambda state, action, params: last(self._carried_out(state, action, params), params)

    def step(self) -> Callable[..., Any]:
        """The step with auto-reset, ``(state, action, params)``, with the results of `Env.step`.

        The last observation of an episode is a function of its own, which a program that does not read it leaves out,
        and which is carried out where an episode has ended.
        """
        end = self._last(self._functions.stepped)
        last_seen = self._lazily(self._functions.final, None, lambda obs, done, row, params: done)

        def step(state: Any, action: Any, params: Any) -> Any:
            row = self._carried_out(state, action, params)
            obs, state, reward, terminated, truncated, info = end(row, params)
            info[FINAL] = last_seen(obs, terminated | truncated, row, params)
            return obs, state, reward, terminated, truncated, info

        return step

    def _last(self, end: Callable[[EndOfStep, Any, Any], Any]) -> Callable[..., Any]:
        functions = self._functions
        inside = EndOfStep(functions.env)
        emitted: Callable[..., Any] = self._lazily(lambda row, params: end(inside, functions.under_way(row), params))
        return emitted

    def _carried_out(self, state: Any, action: Any, params: Any) -> Any:
        """The row of a step of which nothing but the end is left."""
        started = self._begin(state, action, params)

        def more(under_way: Any) -> Any:
            return self._go_on(*under_way, params)

        row, _ = control.loop(lambda under_way: under_way[1] != ENDS, more, started, control.UNBOUNDED)
        return row
