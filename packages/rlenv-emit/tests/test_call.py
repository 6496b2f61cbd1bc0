"""The emitted function as part of JAX programs, and everything that it refuses."""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend import core as jax_core

from rlenv_emit import compiler, emit, processor
from rlenv_emit.emit import emit_lazily
from rlenv_emit.errors import CompilerError, DifferentiationError, ObjectFileError, UnsupportedError
from rlenv_emit.hooks import any_lane
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1
TABLE = jnp.array([5, 6, 7, 8], jnp.int32)


def step(x: Any, y: Any, table: Any) -> tuple[Any, Any, Any]:
    z = x * y + 3
    z = jnp.where(z > 5, z, table[z & 3])
    doubled = jax.lax.while_loop(lambda c: c < 100, lambda c: c * 2 + 1, jnp.abs(z) + 1)
    return z, {"far": doubled}, x < y


def emitted(**options: Any) -> Any:
    return emit(step, jnp.int32(0), jnp.int32(0), TABLE, **options)


def pairs(batch: int) -> tuple[Any, Any]:
    x = jnp.arange(batch, dtype=jnp.int32) - batch // 2
    return x, x * 7 + 1


def same(one: Any, other: Any) -> None:
    jax.tree.map(np.testing.assert_array_equal, one, other)


@pytest.mark.parametrize("batch", [1, 3, 16, 37])
@pytest.mark.parametrize("threads", [1, 3])
def test_any_batch_size_gives_the_functions_results(batch: int, threads: int) -> None:
    args = pairs(batch)
    found = jax.jit(jax.vmap(emitted(threads=threads), (0, 0, None)))(*args, TABLE)
    same(found, jax.vmap(step, (0, 0, None))(*args, TABLE))


@pytest.mark.parametrize("batch", [1, 16, 40, 64])
@pytest.mark.parametrize("threads", [1, 3])
def test_environments_that_are_alike_go_together_and_results_stay_in_place(batch: int, threads: int) -> None:
    def seen(x: Any) -> tuple[Any, Any, Any]:
        return any_lane(x % 4 == 0), x * 3, jnp.stack([x, -x])

    def alike(x: Any) -> Any:
        return (x % 4).astype(jnp.int32)

    x = jnp.arange(batch, dtype=jnp.int32)
    lanes = processor.best().lanes
    flags, tripled, both = jax.jit(jax.vmap(emit_lazily(seen, threads=threads, alike=alike)))(x)
    same((tripled, both), (x * 3, jnp.stack([x, -x], 1)))
    shares = min(threads, -(-batch // lanes))  # each thread sorts a stretch
    cuts = [batch * share // shares for share in range(shares + 1)]
    expected = 0
    for begin, end in itertools.pairwise(cuts):
        quarter = sum(number % 4 == 0 for number in range(begin, end))
        expected += min(end - begin, -(-quarter // lanes) * lanes)
    assert int(flags.sum()) == expected


@pytest.mark.parametrize("left_out", [None, False, True])
def test_a_single_environment_is_alike_to_nobody(left_out: bool | None) -> None:
    where = None if left_out is None else lambda x: jnp.asarray(not left_out)
    single = jax.jit(emit_lazily(lambda x: x * 3, threads=1, alike=lambda x: x, where=where))
    assert int(single(jnp.int32(5))) == (5 if left_out else 15)


@pytest.mark.parametrize("most", [1, 200, 70_000, 2**31 - 1])
def test_kinds_of_any_size_are_sorted(most: int) -> None:
    def seen(x: Any, limit: Any) -> Any:
        return any_lane(x < limit), x

    x = jnp.asarray(np.random.default_rng(most).integers(0, most, 1000), jnp.int32)
    sorted_ = jax.jit(jax.vmap(emit_lazily(seen, threads=1, alike=lambda x, limit: x), (0, None)))
    lanes = processor.best().lanes
    for limit in (1, most // 3, most):
        flags, same_x = sorted_(x, jnp.int32(limit))
        same(same_x, x)
        below = int((x < limit).sum())
        assert int(flags.sum()) == min(len(x), -(-below // lanes) * lanes)


@pytest.mark.parametrize("batch", [1, 16, 40, 3000])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("alike", [None, lambda rows, number: -number])
def test_left_out_environments_keep_their_arguments(batch: int, threads: int, alike: Any) -> None:
    def seen(rows: Any, number: Any) -> Any:
        return rows[::-1] + number, number + 1

    def where(rows: Any, number: Any) -> Any:
        return number % 3 == 0

    rng = np.random.default_rng(batch)
    kept = rng.integers(0, 1000, (batch, 21)).astype(np.int32)
    rows = jnp.asarray(kept)
    for numbers in (rng.integers(0, 100, batch), np.ones(batch), np.zeros(batch)):
        number = jnp.asarray(numbers, jnp.int32)
        found = jax.jit(jax.vmap(emit_lazily(seen, threads=threads, alike=alike, where=where)))(rows, number)
        wanted = where(rows, number)
        same(found[0], jnp.where(wanted[:, None], rows[:, ::-1] + number[:, None], rows))
        same(found[1], jnp.where(wanted, number + 1, number))
        same(rows, kept)


def test_left_out_environments_may_share_an_argument() -> None:
    some = jax.vmap(emit_lazily(lambda x, y: (x + y, y), where=lambda x, y: y > 1), (None, 0))
    same(some(jnp.int32(5), jnp.arange(4)), (jnp.asarray([5, 5, 7, 8]), jnp.arange(4)))


def test_what_may_be_left_out_returns_its_first_arguments() -> None:
    with pytest.raises(InvalidParamsError, match="return each of the first arguments"):
        emit_lazily(lambda x: x > 0, where=lambda x: x > 0)(jnp.int32(1))


SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)  # around the lanes of each form
DTYPES = (jnp.bool_, jnp.uint8, jnp.int16, jnp.int32, jnp.float32, jnp.uint64, jnp.float64)


@pytest.mark.parametrize("form", [form.name for form in processor.here()])
def test_arrays_of_any_size_and_dtype_come_and_go_whole(form: str, x64: None) -> None:
    """Large ones are turned; every row and element comes back, in place and reversed, beside one another and apart."""
    sizes = [(size, dtype) for size in SIZES for dtype in DTYPES]

    def seen(*arrays: Any) -> Any:
        return [array[::-1] for array in arrays], [array for array in arrays[::5]]

    def alike(*arrays: Any) -> Any:
        return (arrays[0][0]).astype(jnp.int32)

    apart = jax.jit(jax.vmap(emit_lazily(seen, form=form, threads=2, alike=alike)))
    beside = jax.jit(jax.vmap(emit_lazily(seen, form=form, threads=2)))
    for batch in (1, 16, 37):
        rng = np.random.default_rng(batch)
        args = [rng.integers(0, 2 if dtype == jnp.bool_ else 256, (batch, size)).astype(dtype) for size, dtype in sizes]
        for found in (beside(*args), apart(*args)):
            same(found, ([array[:, ::-1] for array in args], args[::5]))


def test_a_single_environment_and_no_environment() -> None:
    same(emitted()(jnp.int32(4), jnp.int32(-2), TABLE), step(jnp.int32(4), jnp.int32(-2), TABLE))
    empty = jnp.zeros(0, jnp.int32)
    assert jax.vmap(emitted(), (0, 0, None))(empty, empty, TABLE)[0].shape == (0,)


@pytest.mark.parametrize("axes", [(0, None, None), (None, 0, None), (0, 0, 0)])
def test_what_is_not_mapped_is_shared(axes: tuple[Any, ...]) -> None:
    x, y = pairs(21)
    tables = jnp.stack([TABLE + i for i in range(21)])
    args = (x if axes[0] == 0 else x[3], y if axes[1] == 0 else y[3], tables if axes[2] == 0 else TABLE)
    same(jax.vmap(emitted(), axes)(*args), jax.vmap(step, axes)(*args))


def test_nested_vmap_axes_anywhere() -> None:
    x, y = (array.reshape(5, 7) for array in pairs(35))
    inner = jax.vmap(jax.vmap(emitted(), (0, 0, None)), (0, 0, None), out_axes=1)
    same(inner(x, y, TABLE), jax.vmap(jax.vmap(step, (0, 0, None)), (0, 0, None), out_axes=1)(x, y, TABLE))
    outer = jax.vmap(jax.vmap(emitted(), (0, None, None)), (1, 0, None))
    same(outer(x, y[0], TABLE), jax.vmap(jax.vmap(step, (0, None, None)), (1, 0, None))(x, y[0], TABLE))


def test_in_a_scan() -> None:
    x, y = pairs(19)

    def many(function: Any) -> Any:
        def body(x: Any, _: Any) -> Any:
            return jax.vmap(function, (0, 0, None))(x, y, TABLE)[0] % 1000, x

        return jax.jit(lambda x: jax.lax.scan(body, x, None, 9))(x)

    same(many(emitted()), many(step))


def test_sharded_over_devices() -> None:
    program = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, PartitionSpec as P
from rlenv_emit import emit
def step(x): return jnp.where(x > 3, x * 3, x - 1)
e = emit(step, jnp.int32(0), threads=1)
x = jnp.arange(40, dtype=jnp.int32)
mesh = Mesh(np.array(jax.devices()), ("d",))
f = jax.jit(jax.shard_map(jax.vmap(e), mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))
assert jax.device_count() == 4 and (f(x) == jax.vmap(step)(x)).all()
"""
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


@pytest.mark.parametrize("name", [form.name for form in processor.FORMS if processor.runs(form)])
def test_every_form_that_this_processor_runs(name: str) -> None:
    args = pairs(37)
    same(jax.vmap(emitted(form=name), (0, 0, None))(*args, TABLE), jax.vmap(step, (0, 0, None))(*args, TABLE))


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("collects", [True, False])
def test_nothing_is_collected_while_a_function_is_traced(
    collects: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RLENV_EMIT_CACHE", str(tmp_path))  # so it is traced
    during: list[bool] = []

    def function(x: Any) -> Any:
        during.append(gc.isenabled())
        return jax.lax.sort(x) if x.shape == (2,) else x + 1  # sorting is not known

    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        assert emit(function, np.int32(0))(np.int32(1)) == 2
        assert gc.isenabled() == collects
        with pytest.raises(UnsupportedError):
            emit(function, np.zeros(2, np.int32))(np.zeros(2, np.int32))
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
    assert during == [False, False]


@pytest.mark.parametrize("form", [None, processor.BYTECODE.name])
def test_what_is_compiled_gives_its_jaxpr_up_and_is_traced_again_for_other_shared_arguments(
    form: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RLENV_EMIT_CACHE", str(tmp_path))  # where nothing is kept that would not be traced
    traces = 0

    def counted_step(x: Any, y: Any, table: Any) -> Any:
        nonlocal traces
        traces += 1
        return step(x, y, table)[0]

    def alive() -> int:
        jax.clear_caches()  # JAX keeps what it traces until then
        gc.collect()
        jaxprs = (one for one in gc.get_objects() if isinstance(one, jax_core.Jaxpr))
        return sum("counted_step" in str(one.debug_info.func_src_info) for one in jaxprs)

    args, once = (*pairs(8), TABLE), emit(counted_step, jnp.int32(0), jnp.int32(0), TABLE, form=form)
    same(jax.vmap(once, (0, 0, None))(*args), jax.vmap(step, (0, 0, None))(*args)[0])
    assert (traces, alive()) == (1, 0)
    shared = args[0], jnp.int32(7), TABLE
    same(jax.vmap(once, (0, None, None))(*shared), jax.vmap(step, (0, None, None))(*shared)[0])
    assert (traces, alive()) == (2, 0)


def test_derivatives_are_refused() -> None:
    square = emit(lambda x: x * x, jnp.float32(0))
    with pytest.raises(DifferentiationError, match="differentiate the function itself"):
        jax.grad(square)(jnp.float32(3))


def test_an_unknown_primitive_is_named_with_its_line() -> None:
    def waves(x: Any) -> Any:
        return jnp.tan(x)

    with pytest.raises(UnsupportedError, match=r"emit tan at .*test_call\.py:\d+: got a primitive without a rule"):
        emit(waves, jnp.float32(0))(jnp.float32(1))


def test_an_array_too_large_for_a_lane_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="at most 8192 elements"):
        emit(lambda x, t: x + t, jnp.int32(0), jnp.zeros(9000, jnp.int32))(jnp.int32(1), jnp.zeros(9000, jnp.int32))


def test_a_long_scan_with_outputs_is_refused() -> None:
    def function(x: Any) -> Any:
        return jax.lax.scan(lambda c, _: (c + 1, c), x, None, 1000)[1]

    with pytest.raises(UnsupportedError, match="at most 64 passes"):
        emit(function, jnp.int32(0))(jnp.int32(0))


@pytest.mark.parametrize("bad", [jnp.float32(1), jnp.zeros(2, jnp.int32)])
def test_other_arguments_than_the_example(bad: Any) -> None:
    with pytest.raises(InvalidParamsError, match="emit it for such arguments"):
        emitted()(bad, jnp.int32(1), TABLE)


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_below_one(threads: int) -> None:
    with pytest.raises(InvalidParamsError, match="threads: got"):
        emitted(threads=threads)


def test_a_form_that_does_not_exist_or_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ObjectFileError, match="expected one of"):
        emitted(form="avx1024")
    monkeypatch.setattr(processor, "flags", lambda: frozenset({"sse2"}))
    with pytest.raises(ObjectFileError, match="a processor without"):
        emitted(form="avx2")
    assert processor.best().name in ("sse2", "neon")


def test_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler.compiler.cache_clear()
    compiler.identity.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("RLENV_EMIT_CACHE", str(tmp_path))
    with pytest.raises(CompilerError, match="none on PATH"):
        emit(lambda x: x + 41, jnp.int32(0))(jnp.int32(1))
    compiler.compiler.cache_clear()
