"""Objects are known by the jaxpr: the front does not run for one that is there, and nothing else is taken for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import build, emit, key, processor
from rlenv_emit.errors import CacheWarning
from rlenv_emit.seal import is_sealed
from rlenv_emit.synthetic import Synthetic

pytestmark = pytest.mark.l1
TABLE = np.array([5, 6, 7], np.int32)


def of(function: Callable[..., Any], *example: Any, **other: Any) -> str:
    closed = jax.make_jaxpr(function)(*(example or (jnp.int32(0),)))
    given = {"varying": [True] * len(closed.in_avals), "form": processor.FORMS[0], "flags": build.FLAGS, **other}
    return key.key_of(closed, **given)


def made(compare: Any = jnp.less, minus: int = 1, table: Any = TABLE, mode: str = "clip", swap: bool = False) -> Any:
    """A function with a branch, a loop and a table."""

    def function(x: Any) -> Any:
        near = jax.lax.cond(x > 3, lambda x: x + 1, lambda x: x - minus, x)
        far = jax.lax.while_loop(lambda c: compare(c, 100), lambda c: c * 2 + 1, near)
        first, second = (far, near) if swap else (near, far)
        return first - second, jnp.asarray(table).at[far & 1].get(mode=mode)

    return function


CHANGED = {
    "equation": made(compare=jnp.less_equal),
    "literal in a branch": made(minus=2),
    "table": made(table=TABLE + np.array([0, 1, 0], np.int32)),
    "parameter": made(mode="fill"),
    "operands": made(swap=True),
}
plain = made()


@pytest.mark.parametrize("changed", CHANGED)
def test_a_changed_function_has_another_key(changed: str) -> None:
    assert of(plain) == of(made())
    assert of(plain) != of(CHANGED[changed])


def test_constants_of_a_function_inside_another_belong_to_the_key() -> None:
    """A jitted function keeps the tables that it closes over to itself."""

    def outer(table: Any) -> Any:
        inner = jax.jit(lambda x: jnp.asarray(table)[x])
        return lambda x: inner(x)

    assert of(outer(TABLE)) == of(outer(TABLE.copy()))
    assert of(outer(TABLE)) != of(outer(TABLE + 1))


def test_results_in_another_order_have_another_key() -> None:
    assert of(plain) != of(lambda x: plain(x)[::-1])


@pytest.mark.parametrize("numbers", [(0.0, -0.0), (1.5, np.float32(1.25)), (True, False)])
def test_numbers_that_compare_equal_may_differ(numbers: tuple[Any, Any]) -> None:
    keys = {of(lambda x, n=n: jnp.where(x > 0, x, n), jnp.float32(0)) for n in numbers}
    assert len(keys) == 2


def test_options_shapes_and_dtypes_are_part_of_the_key() -> None:
    keys = [of(plain)]
    keys += [of(plain, varying=[False]), of(plain, form=processor.FORMS[1]), of(plain, flags=("-O2",))]
    keys += [of(lambda x: x + x, example) for example in (jnp.int32(0), jnp.uint32(0), jnp.zeros(2, jnp.int32))]
    assert len(set(keys)) == len(keys)


def test_the_emitters_sources_are_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = of(plain)
    monkeypatch.setattr(key, "emitter_version", lambda: "another")
    assert of(plain) != before


def test_every_source_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte more in any file that makes code gives another version."""
    key.emitter_version.cache_clear()
    before, read, seen = key.emitter_version(), Path.read_bytes, set()
    for changed in ("front/shapes.py", "builder.py", "cpp/lanes.h", "cpp/plan.py", "passes.py"):
        monkeypatch.setattr(Path, "read_bytes", lambda path, c=changed: read(path) + b" " * str(path).endswith(c))
        key.emitter_version.cache_clear()
        seen.add(key.emitter_version())
    monkeypatch.undo()
    key.emitter_version.cache_clear()
    assert before == key.emitter_version()
    assert len(seen) == 5
    assert before not in seen


@pytest.mark.timeout(600)
def test_another_process_finds_the_same_key() -> None:
    """Nothing in a key depends on addresses or on the order of sets."""
    program = """
import jax, jax.numpy as jnp
from rlenv_emit import build, key, processor
from rlenv_emit.synthetic import Synthetic
env = Synthetic(equations=200)
state = jax.eval_shape(env.init, (jnp.uint32(0), jnp.uint32(0)), env.default_params)
closed = jax.make_jaxpr(lambda s, a: env.transition(s, a, env.default_params))(state, jnp.int32(0))
print(key.key_of(closed, [True] * len(closed.in_avals), processor.FORMS[0], build.FLAGS))
"""
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    env = Synthetic(equations=200)
    state = jax.eval_shape(env.init, (jnp.uint32(0), jnp.uint32(0)), env.default_params)
    here = of(lambda s, a: env.transition(s, a, env.default_params), state, jnp.int32(0))
    assert done.stdout.strip() == here


def test_objects_are_kept_and_found_without_the_front(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("the object is there")

    monkeypatch.setenv("RLENV_EMIT_CACHE", str(tmp_path))
    for _ in range(2):
        assert emit(lambda x: x + 53, jnp.int32(0))(jnp.int32(1)) == 54
        monkeypatch.setattr(build, "compile_text", refuse)
        monkeypatch.setattr(build, "program", refuse)
    assert len(list(tmp_path.glob("*.so"))) == 1


def test_a_large_step_is_found_in_half_a_second() -> None:
    env = Synthetic(equations=15_000)
    params = env.default_params
    state = jax.eval_shape(env.init, (jnp.uint32(0), jnp.uint32(0)), params)
    closed = jax.make_jaxpr(lambda s, a: env.transition(s, a, params))(state, jnp.int32(0))
    assert _equations(closed.jaxpr) > 30_000
    begin = time.process_time()  # which neighbours on the machine do not lengthen
    key.key_of(closed, [True] * len(closed.in_avals), processor.FORMS[0], build.FLAGS)
    assert time.process_time() - begin < 0.5


def _equations(jaxpr: Any) -> int:
    inner = [
        param.jaxpr
        for equation in jaxpr.eqns
        for params in equation.params.values()
        for param in (params if isinstance(params, tuple) else (params,))
        if hasattr(param, "jaxpr")
    ]
    return len(jaxpr.eqns) + sum(map(_equations, inner))


# --- files that are not what their name says -------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["truncated", "stale", "empty", "one bit"])
def test_an_object_that_is_damaged_or_of_another_program_is_made_again(
    damage: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RLENV_EMIT_CACHE", str(tmp_path))

    def made(number: int) -> Path:
        closed = jax.make_jaxpr(lambda x: x + number)(jnp.int32(0))
        return build.build(closed, [True], processor.best()).path

    path = made(43)
    content = bytearray(path.read_bytes())
    if damage == "truncated":
        content = content[:1000]
    elif damage == "empty":
        content = bytearray()
    elif damage == "one bit":
        content[len(content) // 2] ^= 1
    else:  # sealed, but of another program
        content = bytearray(made(47).read_bytes())
    path.unlink()  # this process has it in memory
    path.write_bytes(content)
    with pytest.warns(CacheWarning, match="made again") as warned:
        assert made(43) == path
    assert len(warned) == 1
    assert is_sealed(path.read_bytes(), path.name.split("-")[1])
