"""The Pong environment."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Num
from numpy.typing import NDArray

from puffer_pong.jax import observation, physics
from puffer_pong.jax.types import EnvParams, Rng, State
from rlenv_shared import spaces
from rlenv_shared.env import Env, select
from rlenv_shared.errors import InvalidParamsError, explain

STAY, UP, DOWN = 0, 1, 2
LOOPS = ("auto", "fori", "inline")


@dataclasses.dataclass(frozen=True)
class Pong(Env):
    """PufferLib's Pong: keep the ball from passing the right paddle; first to 21 points.

    `step` equals the reference's ``c_step``: state, reward, terminal, observation bits and generator.

    **Observation** — float32 [8]:

    | index | meaning                               | scaled by                  |
    |-------|---------------------------------------|----------------------------|
    | 0, 1  | opponent's paddle, agent's paddle     | range of a paddle          |
    | 2, 3  | ball x, ball y                        | width, height of the field |
    | 4, 5  | ball's speed in x and y               | [-largest, largest]        |
    | 6, 7  | 0 (scores of opponent and agent with ``float_scores``) | max_score |

    The observation of a step that scored a point is that of the *last frame before* the point, although the state is
    the new serve already; that of a step that ended the episode is the new episode's (``info["final_observation"]`` has
    the last frame).  So `observe` differs from what `step` returned after a point.

    **Action** — int32 scalar: 0 stay, 1 up, 2 down; any other value acts as 0 and sets ``info["illegal_action"]``.
    Continuous: float32 scalar, the paddle's direction, clipped to [-1, 1] as PufferLib does; NaN acts as 0 and sets the
    flag.

    **Reward** — float32: 1 for a point, -1 for a point lost, 0.1 for a hit; the last event of a step counts alone.
    **Termination** — a side has ``max_score`` points.  **Truncation** — none unless ``max_steps_in_episode`` is set.
    **Reset** — a serve; whether the ball flies level or downward is drawn.

    Args:
        frameskip: frames per step, at least 1.  A point ends the step early.
        continuous: take float actions.
        float_scores: observe the scores as fractions; the reference divides integers and always shows 0.
        loop: how frames are repeated.  ``"fori"`` compiles one frame and loops: on CPU, where XLA recomputes unrolled
            frames for every output, many times faster to compile and run.  ``"inline"`` unrolls, which saves a GPU the
            launches of a loop; on CPU its compile time explodes beyond four frames.  ``"auto"`` decides by JAX's
            default backend.  Results are the same.

    Raises:
        InvalidParamsError: an argument is out of range.

    Example:
        >>> env = Pong(frameskip=8)
        >>> obs, state = env.reset(jax.random.key(0))
        >>> obs, state, reward, terminated, truncated, info = env.step(jax.random.key(1), state, jnp.int32(1))
        >>> obs.shape, float(reward), float(state.paddle_right_y)
        ((8,), 0.0, 349.0)
    """

    frameskip: int = 1
    continuous: bool = False
    float_scores: bool = False
    loop: Literal["auto", "fori", "inline"] = "auto"

    name: ClassVar[str] = "puffer_pong/PongJax-v0"
    version: ClassVar[int] = 0
    observes_state: ClassVar[bool] = False  # the observation of a point is older than the state

    def __post_init__(self) -> None:
        """Reject constructor arguments no step could work with."""
        if isinstance(self.frameskip, bool) or not isinstance(self.frameskip, int) or self.frameskip < 1:
            remedy = "pass frameskip=1 for every frame"
            raise InvalidParamsError(
                explain("frameskip", got=self.frameskip, expected="an integer >= 1", remedy=remedy)
            )
        if self.loop not in LOOPS:
            raise InvalidParamsError(explain("loop", got=self.loop, expected=f"one of {LOOPS}", remedy="leave it out"))

    @property
    def num_actions(self) -> int:
        """3, or 0 for continuous actions."""
        return 0 if self.continuous else 3

    @property
    def default_params(self) -> EnvParams:
        """PufferLib's defaults."""
        return EnvParams()

    def begin(self, generator: Rng, params: EnvParams) -> State:
        """State of a new episode; draws the first serve."""
        zero = jnp.int32(0)
        return physics.serve(generator, zero, zero, zero, _cast(params))

    def transition(
        self, state: State, action: Num[Array, ""], params: EnvParams
    ) -> tuple[State, Float[Array, ""], Bool[Array, ""], dict[str, Array]]:
        """One step, without time limit or new episode: ``(state, reward, terminated, info)``.

        A point within the episode is followed by its serve; a terminal state is the last frame before the point, with
        the final score.
        """
        _, state, reward, terminated, info = self._play(state, action, _cast(params))
        return state, reward, terminated, info

    def step_env(
        self, key: Any, state: State, action: Num[Array, ""], params: EnvParams
    ) -> tuple[Float[Array, " 8"], State, Float[Array, ""], Bool[Array, ""], dict[str, Array]]:
        """As `transition`, with the observation of the last frame: ``(obs, state, reward, terminated, info)``."""
        p = _cast(params)
        last_frame, state, reward, terminated, info = self._play(state, action, p)
        return observation.observation(last_frame, p, self.float_scores), state, reward, terminated, info

    def _play(
        self, state: State, action: Num[Array, ""], p: EnvParams
    ) -> tuple[State, State, Float[Array, ""], Bool[Array, ""], dict[str, Array]]:
        """``(last frame, state, reward, terminated, info)``."""
        direction, illegal = self._direction(jnp.asarray(action))
        one, zero = jnp.int32(1), jnp.int32(0)
        state = state.replace(tick=state.tick + one, time=state.time + one)
        state, reward, agent_scored, opponent_scored = self._frames(state, direction, p)
        last_frame = state
        state = state.replace(
            score_left=state.score_left + jnp.where(opponent_scored, one, zero),
            score_right=state.score_right + jnp.where(agent_scored, one, zero),
        )
        scored = agent_scored | opponent_scored
        terminated = scored & ((state.score_left == p.max_score) | (state.score_right == p.max_score))
        next_round = physics.serve(state.rng, state.score_left, state.score_right, state.time, p)
        state = select(scored & ~terminated, next_round, state)
        return last_frame, state, reward, terminated, {"illegal_action": illegal}

    def observe(self, state: State, player: None, params: EnvParams) -> Float[Array, " 8"]:
        """The observation of a state.  See the class for steps with a point."""
        return observation.observation(state, _cast(params), self.float_scores)

    def action_space(self, params: EnvParams) -> spaces.Space:
        """Three actions, or one direction."""
        return spaces.Box(-1.0, 1.0, (), jnp.float32) if self.continuous else spaces.Discrete(3)

    def observation_space(self, params: EnvParams) -> spaces.Box:
        """[0, 1], and what the ball flies beyond an edge before it turns back (PufferLib declares [0, 1])."""
        p = params
        fastest = max(abs(p.ball_max_speed_y), abs(p.ball_initial_speed_y))
        low, high = np.zeros(observation.SIZE, np.float32), np.ones(observation.SIZE, np.float32)
        beyond = np.array([abs(p.ball_initial_speed_x) / p.width, fastest / p.height])
        low[2:4] -= beyond
        high[2:4] += beyond
        low[5], high[5] = 0.5 - 0.5 * fastest / p.ball_max_speed_y, 0.5 + 0.5 * fastest / p.ball_max_speed_y
        return spaces.Box(low, high, (observation.SIZE,), jnp.float32)

    def render(self, state: State, params: EnvParams | None = None) -> NDArray[np.uint8]:
        """Picture of one (unbatched) state, uint8 [height, width + 6 paddle widths, 3]."""
        from puffer_pong.config import PongConfig
        from puffer_pong.render import render_state

        fields = dataclasses.asdict(self.default_params if params is None else params)
        geometry = {name: value for name, value in fields.items() if name != "max_steps_in_episode"}
        return render_state(vars(state), PongConfig(**geometry))

    def _direction(self, action: Num[Array, ""]) -> tuple[Float[Array, ""], Bool[Array, ""]]:
        """``(direction of the agent's paddle, whether the action was illegal)``."""
        if self.continuous:
            action = action.astype(jnp.float32)  # whatever it was: a float64 would widen the state
            illegal = jnp.isnan(action)
            return jnp.where(illegal, jnp.float32(0), jnp.clip(action, jnp.float32(-1), jnp.float32(1))), illegal
        up, down = action == UP, action == DOWN
        return up.astype(jnp.float32) - down.astype(jnp.float32), ~(up | down | (action == STAY))

    def _frames(self, state: State, direction: Float[Array, ""], p: EnvParams) -> tuple[State, Array, Array, Array]:
        """Up to ``frameskip`` frames: ``(state of the last frame without a point, reward, agent, opponent scored)``."""

        def body(_: Any, carry: tuple[State, Array]) -> tuple[State, Array]:
            state, reward = carry
            after, hit, agent_scored, opponent_scored = physics.frame(state, direction, p)
            reward = jnp.where(hit, jnp.float32(physics.REWARD_HIT), reward)
            reward = jnp.where(opponent_scored, jnp.float32(physics.REWARD_LOST), reward)
            reward = jnp.where(agent_scored, jnp.float32(physics.REWARD_WON), reward)
            # The state waits before the frame with the point; further frames repeat that frame and change nothing.
            return select(agent_scored | opponent_scored, state, after), reward

        carry = (state, jnp.float32(0))
        fori = self.loop == "fori" or (self.loop == "auto" and jax.default_backend() == "cpu")
        if fori and self.frameskip > 1:
            carry = jax.lax.fori_loop(0, self.frameskip, body, carry)
        else:
            for i in range(self.frameskip):
                carry = body(i, carry)
        state, reward = carry
        return state, reward, reward == jnp.float32(physics.REWARD_WON), reward == jnp.float32(physics.REWARD_LOST)


def _cast(params: EnvParams) -> EnvParams:
    """Parameters as JAX scalars: integers for the counts, float32 for everything else."""
    integers = {name: jnp.asarray(getattr(params, name), jnp.int32) for name in ("max_score", "max_steps_in_episode")}
    return jax.tree.map(lambda value: jnp.asarray(value, jnp.float32), params).replace(**integers)
