"""Recorded battles of Showdown, replayed on whatever device JAX has: Showdown itself is needed to record alone.

On a GPU the emitted kernel plays them, elsewhere native steps.  A row is a decision; the first brings both leads in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pokejax import teams
from pokejax.env import RandomBattle
from pokejax.rules.flow.queue import NUM_ACTIONS, PASS
from pokejax.state import LAYOUT, TEAM, Words
from pokejax.tables import Params, columns
from pokejax.verification.battles import play, programs
from pokejax.verification.rollouts import POLICIES
from pokejax.verification.view import action_number
from rlenv_emit.front.trace import program
from rlenv_emit.gpu.device import on_device
from rlenv_shared.generators import LCG64
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.differences import Differences
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.trajectory import Trajectory

BATTLES: Final = 1024
SEED: Final = 90
EVERYTHING: Final = (1 << NUM_ACTIONS) - 1
ENV: Final = RandomBattle()
FIELDS: Final[Mapping[str, tuple[Any, tuple[int, ...]]]] = {
    "rng": (np.uint64, ()),
    "state.draws": (np.uint16, ()),
    "state.turn": (np.uint16, ()),
    "state.hp": (np.uint16, (2 * TEAM,)),  # in the order of the original teams
    "state.legal": (np.uint16, (2,)),  # a bit for each action
    "reward": (np.float32, (2,)),
    "terminated": (np.bool_, ()),
}
"""What is compared, after each decision."""


def replay(trace: Trajectory) -> Differences:
    """Compare generator, draws, turn, hit points, legal actions, rewards and end after every decision."""
    seeds, actions = trace.initial["rng"], trace.steps["action"]
    params = jax.device_put(ENV.default_params)
    begun = jax.jit(jax.vmap(lambda high, low: ENV.begin(LCG64.from_words(high, low), params)))
    words = begun(*_halves(seeds))
    on_gpu = jax.default_backend() == "gpu"
    found = (_by_kernel if on_gpu else _by_native_steps)(words, jnp.asarray(actions, jnp.int32), params)
    ours = Trajectory(
        {"action": actions, "valid": trace.valid, **_named(jax.device_get(found))}, trace.initial, trace.metadata
    )
    return compare(ours, trace)


def _halves(seeds: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """High and low words."""
    return (seeds >> np.uint64(32)).astype(np.uint32), seeds.astype(np.uint32)


def _seen(words: Words, legal: Any) -> tuple[Any, ...]:
    """Generator, numbers and legal actions of one battle, as `_named` takes them."""
    view = LAYOUT.view(words)
    points = [
        jnp.where(side.order[0] == place, side.hp, side.member[place].hp) for side in view.side for place in range(TEAM)
    ]
    numbers = jnp.stack([jnp.asarray(one).astype(jnp.int32) for one in (view.draws, view.turn, *points)])
    bits = jnp.left_shift(jnp.int32(1), jnp.arange(NUM_ACTIONS, dtype=jnp.int32))
    return view.high, view.low, numbers, jnp.sum(jnp.where(legal, bits, 0), axis=1, dtype=jnp.int32)


def _named(found: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Fields of a trajectory."""
    high, low, numbers, legal, rewards, over = found
    generator = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
    columns = (generator, numbers[..., 0], numbers[..., 1], numbers[..., 2:], legal, rewards, over)
    return {name: column.astype(FIELDS[name][0]) for name, column in zip(FIELDS, columns, strict=True)}


def _by_native_steps(words: Words, actions: Any, params: Params) -> list[NDArray[Any]]:
    run, seen, rows = programs("native"), jax.jit(jax.vmap(_seen)), []
    for action in actions:
        words, *ends = run.step(words, action, params)
        rows.append(jax.device_get((*seen(words, run.look(words, params)), *ends)))
    return [np.stack(column) for column in zip(*rows, strict=True)]


def _by_kernel(words: Words, actions: Any, params: Params) -> Any:
    steps, battles = actions.shape[:2]
    one = [jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype) for leaf in words]
    leaves, tree = jax.tree.flatten(params)

    def flat(*given: Any) -> list[Any]:
        tables = jax.tree.unflatten(tree, given[len(one) + 1 :])
        words, rewards, over, _ = ENV.transition(given[: len(one)], given[len(one)], tables)
        return [*words, *_seen(words, ENV.legal_actions(words, tables)), rewards, over]

    closed = jax.make_jaxpr(flat)(*one, jax.ShapeDtypeStruct((2,), jnp.int32), *leaves)
    run = on_device(program(closed, [True] * (len(one) + 1) + [False] * len(leaves)), len(one))
    return jax.jit(lambda *arrays: run(arrays, steps, battles))(*words, actions, *leaves)[len(one) :]


# --- recording -------------------------------------------------------------------------------------------------------


def record(battles: int = BATTLES) -> Trajectory:
    """Battles of the pool's teams, half of them by each policy; always the same ones."""
    seeds = np.random.default_rng(SEED).integers(2**64, size=battles, dtype=np.uint64)
    recordings = list(play(_settings(seeds)))
    longest = max(len(recording["views"]) for recording in recordings)
    kinds = {**FIELDS, "action": (np.int8, (2,)), "valid": (np.bool_, ())}
    steps = {name: np.zeros((longest, battles, *shape), dtype) for name, (dtype, shape) in kinds.items()}
    steps["action"][:] = PASS
    for number, recording in enumerate(recordings):
        for row, view in enumerate(recording["views"]):
            for name, value in _fields(view).items():
                steps[name][row, number] = value
            if row:
                before = recording["views"][row - 1]
                steps["action"][row, number] = _actions(recording["choices"][row - 1], before)
    about = {"environment": ENV.name, "seed": SEED, "reference": "pokemon-showdown 0.11.11"}
    return Trajectory(steps, {"rng": seeds}, about)


def _settings(seeds: NDArray[np.uint64]) -> list[dict[str, Any]]:
    """Battles as the driver takes them: the teams that the environment draws, and the generator after that."""
    generator, drawn = LCG64.from_words(*_halves(seeds)), []
    for _ in range(2):
        team, generator = LCG64.below(generator, ENV.default_params.num_teams)
        drawn.append(team)
    members = columns("teams.npz")["teams.members"][np.stack(drawn, axis=1).reshape(-1)]
    described = {name: column[members] for name, column in teams.described_pool().items()}
    tables = reference("showdown", "tables")
    source = tables.load()
    return [
        {
            "episode": str(number),
            "seed": f"{int(high) << 32 | int(low):016x}",
            "teams": [tables.packed(source, described, 2 * number + side) for side in (0, 1)],
            "policy": POLICIES[number % 2],
        }
        for number, (high, low) in enumerate(zip(*generator[:2], strict=True))
    ]


def _actions(choices: Sequence[str], view: Mapping[str, Any]) -> list[int]:
    sides = view["core"]["sides"]
    return [action_number(choice, side["order"]) for choice, side in zip(choices, sides, strict=True)]


def _fields(view: Mapping[str, Any]) -> dict[str, Any]:
    """What a view of Showdown's says."""
    sides, ended = view["core"]["sides"], view["ended"]
    first = float(view["winner"] == 1) - float(view["winner"] == 2) if ended else 0.0
    legal = []
    for side, choices in zip(sides, view["legal"], strict=True):
        taken = {action_number(choice, side["order"]) for choice in choices["accepted"]} or {PASS}
        legal.append(EVERYTHING if ended else sum(1 << action for action in taken))
    return {
        "rng": int(view["generator"], 16),
        "state.draws": view["draws"],
        "state.turn": view["turn"],
        "state.hp": [pokemon["hp"] for side in sides for pokemon in side["pokemon"]],
        "state.legal": legal,
        "reward": [first, -first],
        "terminated": ended,
        "valid": True,
    }
