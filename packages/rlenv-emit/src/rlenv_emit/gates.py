"""How often the gates of an environment are needed, which of them should branch, and whether they keep their promise.

A gate is a `control.gate` of the rules.  A committed file per environment names those that are better masked; it is
written by ``python -m rlenv_emit.gates MODULE:ENVIRONMENT FILE``.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import ir
from rlenv_emit.emit import emit, traced_program
from rlenv_emit.env import environment
from rlenv_emit.errors import GateError
from rlenv_emit.hooks import BRANCH, MASK, Policy
from rlenv_shared import counter_rng, masking, transforms
from rlenv_shared.errors import SnapshotVersionError, explain

GROUPS: Final = (1, 8, 16, 32)
"""Sizes of groups of which a profile says how often any of them needs a gate: lanes of processors, a GPU's warp."""
BRANCH_COST: Final = 30
"""Statements that a branch costs, mispredictions included: a gate pays if it saves more than that on average."""
SCHEMA: Final = 1


@dataclasses.dataclass(frozen=True)
class Gate:
    """What a profile says of one gate.

    Attributes:
        any_of: by size of the group, how often at least one of that many neighbours needs it.
        statements: that a branch skips, of all its places together.
    """

    any_of: Mapping[int, float]
    statements: int

    @property
    def policy(self) -> str:
        """That of 16 lanes."""
        return self.policy_of(16)

    def policy_of(self, lanes: int) -> str:
        """BRANCH where it saves more than it costs for so many lanes, one of `GROUPS`."""
        return BRANCH if (1 - self.any_of[lanes]) * self.statements > BRANCH_COST else MASK


Play = Callable[[Any], tuple[Any, dict[str, Any]]]


def _played(env: Any, params: Any, told: Callable[[transforms.Watched], dict[str, Any]]) -> Play:
    """``(state, rng) -> ((state, rng), what is told of a step)`` of one random legal step with reset."""

    def legal_step(state: Any, rng: Any) -> Any:
        mask = env.legal_actions(state, params)
        words = []
        for _ in range(int(np.prod(mask.shape[:-1], dtype=np.int64))):
            word, rng = counter_rng.bits(rng)
            words.append(word)
        action = masking.sample_legal_bits(jnp.stack(words).reshape(mask.shape[:-1]), mask)
        state, _, terminated, _ = env.transition(state, action, params)
        return state, terminated, rng

    def step(carry: Any) -> tuple[Any, dict[str, Any]]:
        (state, terminated, rng), seen = transforms.watch(legal_step)(*carry)
        state = env.restart(terminated | env.is_truncated(state, params), state, params)
        return (state, rng), told(seen)

    return step


def _rollout(env: Any, play: Play, batch: int, steps: int, seed: int) -> dict[str, np.ndarray]:
    """What the hooks saw in random play, [steps, batch] and more axes."""
    params = env.default_params
    words = tuple(map(jnp.asarray, counter_rng.seed_words(seed, batch)))
    state = jax.jit(jax.vmap(env.init, (0, None)))(words, params)
    carry = state, tuple(map(jnp.asarray, counter_rng.from_seed(seed + 1, batch)))
    one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), carry)
    emitted = jax.vmap(emit(play, one))
    return jax.device_get(jax.jit(lambda carry: jax.lax.scan(lambda c, _: emitted(c), carry, None, steps))(carry)[1])


def profile(env: Any, *, batch: int = 1024, steps: int = 64, seed: int = 0) -> dict[str, Gate]:
    """Play at random and count.

    Args:
        env: discrete actions with a mask.
        batch: environments, a multiple of the largest of `GROUPS`.
        steps: of each.
        seed: of environments and actions.
    """

    def asked(seen: transforms.Watched) -> dict[str, Any]:
        return {name: jnp.stack(flags) for name, flags in seen.asked.items()}

    found = _rollout(env, _played(env, env.default_params, asked), batch, steps, seed)
    sizes = statements(env)
    return {name: Gate(_shares(flags), sizes.get(name, 0)) for name, flags in found.items()}


def _shares(flags: np.ndarray) -> dict[int, float]:
    """Of flags [steps, batch, places]: how often a group of neighbours has one."""
    rows = flags.swapaxes(1, 2).reshape(-1, flags.shape[1])
    return {size: float(rows.reshape(len(rows), -1, size).any(-1).mean()) for size in GROUPS}


def statements(env: Any) -> dict[str, int]:
    """Statements inside each gate."""
    params = env.default_params
    word = jax.ShapeDtypeStruct((), jnp.uint32)
    state = jax.eval_shape(env.init, (word, word), params)
    mask = jax.eval_shape(lambda state: env.legal_actions(state, params), state)
    action = jax.ShapeDtypeStruct(mask.shape[:-1], jnp.int32)
    program = traced_program(lambda s, a: env.transition(s, a, params), state, action)
    names = {op.out: op.attr for op in ir.walk(program.block) if isinstance(op, ir.Op) and op.kind == "any"}
    counts: dict[str, int] = {}
    for statement in ir.walk(program.block):
        if isinstance(statement, ir.If) and names.get(statement.predicate):
            name = names[statement.predicate]
            counts[name] = counts.get(name, 0) + ir.size(statement.then)
    return counts


def check(env: Any, *, batch: int = 1024, steps: int = 64, seed: int = 0) -> None:
    """Play at random and see that no handler changes anything where its predicate is false.

    Raises:
        GateError: one does; the message names it.
    """
    found = _rollout(env, _played(env, env.default_params, lambda seen: seen.leaks), batch, steps, seed)
    leaking = sorted(name for name, leaks in found.items() if np.any(leaks))
    if leaking:
        remedy = "make the handler mask itself with its predicate"
        raise GateError(
            explain("gates", got=f"changes where the predicate is false: {leaking}", expected="none", remedy=remedy)
        )


def save(gates: Mapping[str, Gate], path: Path) -> None:
    """Write a policy file; equal profiles give equal files."""
    rows = {
        name: {
            "policy": gate.policy,
            "statements": gate.statements,
            **{f"any_of_{size}": round(share, 3) for size, share in gate.any_of.items()},
        }
        for name, gate in sorted(gates.items())
    }
    path.write_text(json.dumps({"schema": SCHEMA, "gates": rows}, indent=1) + "\n")


def load(path: Path) -> Policy:
    """The policy of a file that `save` wrote.

    Raises:
        SnapshotVersionError: it is no such file.
    """
    try:
        content = json.loads(path.read_text())
        policy = {name: row["policy"] for name, row in content["gates"].items()}
        good = content["schema"] == SCHEMA and set(policy.values()) <= {BRANCH, MASK}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        good = False
    if not good:
        remedy = "write it anew: python -m rlenv_emit.gates MODULE:ENVIRONMENT FILE"
        raise SnapshotVersionError(
            explain(f"policy file {path}", got="something else", expected="gates", remedy=remedy)
        )
    return policy


def main() -> None:
    """Profile an environment and write its policy file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment", help="MODULE:NAME of a class or function that makes it")
    parser.add_argument("file", type=Path)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=64)
    arguments = parser.parse_args()
    env = environment(arguments.environment)
    check(env, batch=arguments.batch, steps=arguments.steps)
    save(profile(env, batch=arguments.batch, steps=arguments.steps), arguments.file)


if __name__ == "__main__":
    main()
