"""What a kernel plays: random legal steps of an environment with auto-reset, as `rlenv_bench` measures them."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax

from rlenv_bench import workloads
from rlenv_emit.front.trace import program
from rlenv_emit.hooks import Policy, under
from rlenv_emit.ir import Program


@dataclasses.dataclass(frozen=True)
class Rollout:
    """One random step of an environment as a program.

    Attributes:
        program: its results are the carry, then reward and done.
        carried: leaves of the carry.
        counts: whether the last of them counts decisions; elsewhere every step is one.
        env: of which it is.
        params: its parameters, shared by all.
    """

    program: Program
    carried: int
    counts: bool
    env: Any
    params: Any

    def start(self, batch: int) -> list[Any]:
        """The arguments at the beginning, [batch, 1, ...], and the parameters."""
        carry = workloads.rollout_function(self.env, self.params, batch, 1, observe=False, keep_outputs=True)[1]()
        rows = [leaf.reshape(batch, 1, *leaf.shape[1:]) for leaf in jax.tree.leaves(carry)]
        return jax.device_get([*rows, *map(jax.numpy.asarray, jax.tree.leaves(self.params))])


def rollout(env: Any, policy: Policy | None = None) -> Rollout:
    """The rollout of an environment with its default parameters; ``policy`` says which gates branch."""
    params = env.default_params
    form: dict[str, Any] = {"observe": False, "keep_outputs": True}
    one, start = workloads.rollout_function(env, params, 1, 1, **form)
    carry = jax.eval_shape(functools.partial(start, abstract=True))
    closed = jax.make_jaxpr(under(policy, one))(carry, params)
    carried = len(jax.tree.leaves(carry))
    varying = [number < carried for number in range(len(closed.in_avals))]
    counts = not isinstance(carry[3], tuple)
    return Rollout(program(closed, varying), carried, counts, env, params)
