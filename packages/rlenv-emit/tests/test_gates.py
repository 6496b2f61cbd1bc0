"""Gates: masked and branching forms agree, a broken promise is named, and a profile decides which of them branch."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit, emit_env, gates
from rlenv_emit.emit import traced_program
from rlenv_emit.errors import GateError
from rlenv_emit.hooks import BRANCH, MASK, under
from rlenv_emit.ir import If, Loop, walk
from rlenv_emit.synthetic import CHANCES, Synthetic
from rlenv_games import Hand, Skirmish
from rlenv_shared import control
from rlenv_shared.errors import SnapshotVersionError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]
SMALL = Synthetic(equations=400)


@dataclasses.dataclass(frozen=True)
class Leaking(Synthetic):
    """One of its handlers forgets its mask."""

    def transition(self, state: Any, action: Any, params: Any) -> Any:
        state, *rest = super().transition(state, action, params)
        rare = state.words[3] % 8 == 0
        first = control.gate("leaks", rare, lambda word: word + 1, state.words[0])
        return (dataclasses.replace(state, words=(first, *state.words[1:])), *rest)


def stepped(env: Any, **jit: Any) -> Any:
    params = env.default_params
    words = tuple(jnp.arange(53, dtype=jnp.uint32) * n for n in (7, 11))
    state = jax.vmap(env.init, (0, None))(words, params)
    action = jnp.arange(53, dtype=jnp.int32) % 2

    def body(state: Any, _: Any) -> Any:
        state, *rest = jax.vmap(env.advance, (0, 0, None))(state, action, params)
        return state, rest

    return jax.device_get(jax.jit(lambda state: jax.lax.scan(body, state, None, 12), **jit)(state))


def kinds(env: Any, policy: Any = None) -> set[type]:
    state = jax.eval_shape(env.init, (jnp.uint32(0), jnp.uint32(0)), env.default_params)
    program = traced_program(under(policy, lambda s: env.transition(s, jnp.int32(0), env.default_params)), state)
    return {type(statement) for statement in walk(program.block)} & {If, Loop}


def test_masked_and_branching_steps_are_equal_to_xla() -> None:
    expected = stepped(SMALL, compiler_options={"xla_disable_hlo_passes": "fusion"})
    everything_masked = {f"rare{i}": MASK for i in range(len(CHANCES))}
    for policy in (None, everything_masked):
        jax.tree.map(np.testing.assert_array_equal, stepped(emit_env(SMALL, policy=policy)), expected)
    assert kinds(SMALL) == {If}
    assert kinds(SMALL, everything_masked) == set()


def test_a_handler_that_breaks_its_promise_is_named() -> None:
    gates.check(SMALL, batch=64, steps=8)
    with pytest.raises(GateError, match=r"\['leaks'\]"):
        gates.check(Leaking(equations=400), batch=64, steps=8)


def test_a_profile_finds_the_chances_and_decides(tmp_path: Path) -> None:
    found = gates.profile(SMALL, batch=512, steps=16)
    assert set(found) == {f"rare{i}" for i in range(int(400 * 0.6 / 60))}
    for name, gate in found.items():
        chance = CHANCES[int(name[4:])]
        assert gate.any_of[1] == pytest.approx(chance, abs=0.004)
        assert gate.any_of[16] == pytest.approx(1 - (1 - chance) ** 16, abs=0.05)
        assert gate.any_of[1] <= gate.any_of[8] <= gate.any_of[16] <= gate.any_of[32]
        assert gate.statements > 20
    gates.save(found, tmp_path / "gates.json")
    assert gates.load(tmp_path / "gates.json") == {name: gate.policy for name, gate in found.items()}


@pytest.mark.parametrize(
    ("any_of_16", "statements", "policy"), [(0.1, 100, BRANCH), (0.9, 100, MASK), (0.9, 1000, BRANCH), (0.0, 10, MASK)]
)
def test_a_gate_branches_where_it_saves_more_than_it_costs(any_of_16: float, statements: int, policy: str) -> None:
    assert gates.Gate({16: any_of_16}, statements).policy == policy


@pytest.mark.parametrize(
    "text", ["", "{}", '{"schema": 9, "gates": {}}', '{"schema": 1, "gates": {"a": {"policy": "x"}}}']
)
def test_a_bad_policy_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "gates.json").write_text(text)
    with pytest.raises(SnapshotVersionError, match=r"rlenv_emit\.gates"):
        gates.load(tmp_path / "gates.json")


def test_the_committed_policy_names_the_gates_that_there_are() -> None:
    policy = gates.load(Path(__file__).parents[1] / "policies" / "skirmish.json")
    assert set(policy) >= set(gates.statements(Skirmish()))
    assert set(policy.values()) == {BRANCH, MASK}
    assert gates.statements(Hand()) == {}  # so that it needs no file


def test_loops_of_the_rules_are_loops() -> None:
    def count(x: Any) -> Any:
        return control.loop(lambda s: s[0] > 0, lambda s: (jnp.maximum(s[0] - 1, 0), s[1] + (s[0] > 0)), (x, x * 0), 50)

    assert {type(s) for s in walk(traced_program(count, jnp.int32(0)).block)} >= {Loop}
    x = jnp.arange(40, dtype=jnp.int32)
    assert jax.vmap(emit(count, jnp.int32(0)))(x)[1].tolist() == list(range(40))
