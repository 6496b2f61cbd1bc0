"""What is asked of a host vector environment."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from rlenv_learn.interface import Interface
from rlenv_shared.errors import InvalidParamsError


@runtime_checkable
class HostVecEnv(Protocol):
    """A Gymnasium vector environment with same-step auto-reset.

    ``step`` returns ``(obs, reward, terminated, truncated, info)``, where ``info["final_obs"]`` holds final
    observations in the rows of environments that ended; ``info["action_mask"]`` (bool ``[N, A]``) is used if there.
    """

    num_envs: int
    single_observation_space: Any
    single_action_space: Any

    def reset(self, *, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        """``(obs, info)``."""

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One step of every environment."""


def check_host_env(env: Any) -> Interface:
    """Sizes of a host environment.  Raises InvalidParamsError: no HostVecEnv, or unfit auto-reset or spaces."""
    mode = (getattr(env, "metadata", None) or {}).get("autoreset_mode")
    valid = all(hasattr(env, name) for name in ("num_envs", "single_observation_space", "reset", "step"))
    if not valid or (mode is not None and getattr(mode, "name", mode) != "SAME_STEP"):
        got = f"{type(env).__name__} with autoreset_mode {mode}"
        remedy = "gymnasium.make_vec(…, vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP})"
        raise InvalidParamsError("host environment", got, "a vector environment with autoreset_mode SAME_STEP", remedy)
    return Interface.from_spaces(env.single_observation_space, env.single_action_space)


def env_name(env: Any) -> str:
    """Id of a host environment, or its class name."""
    return getattr(getattr(env, "spec", None), "id", None) or type(env).__name__
