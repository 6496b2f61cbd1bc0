"""The kernel for GPUs, played by this machine lane by lane, has the bits of XLA's form and of the C++ form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_bench import workloads
from rlenv_emit import any_lane, emit, gates, ir
from rlenv_emit.bits import equal
from rlenv_emit.emit import traced_program
from rlenv_emit.env import environment
from rlenv_emit.errors import GateError
from rlenv_emit.front.trace import program
from rlenv_emit.fuzz.compare import WARP, compare
from rlenv_emit.gpu import compiler, device, host, machine, report, source, verify
from rlenv_emit.gpu.host import HostKernel
from rlenv_emit.gpu.rollout import Rollout, rollout
from rlenv_emit.hooks import MASK
from rlenv_games import Hand, Skirmish
from rlenv_shared import compiling
from rlenv_shared.errors import EnvError, InvalidParamsError, ReferenceUnavailableError

pytestmark = [pytest.mark.l1, pytest.mark.timeout(900)]
BATCH = 69
COMMITTED = Path(__file__).parents[1] / "results" / "gpu.json"
FORM: dict[str, Any] = {"observe": False, "keep_outputs": True}
GAMES = {"Skirmish": (Skirmish, 240), "Hand": (Hand, 60)}


def assert_equal(found: list[np.ndarray], expected: Any) -> None:
    for ours, theirs in zip(found, jax.tree.leaves(expected), strict=True):
        assert equal(ours.reshape(theirs.shape), theirs).all()


def of_xla(env: Any, played: Rollout, steps: int) -> Any:
    run, start = workloads.rollout_function(env, played.params, BATCH, steps, **FORM)
    compiled = jax.jit(run, compiler_options=compiling.WITHOUT_FUSION["cpu"])
    return jax.device_get(compiled(start(), played.params))


def of_cpp(env: Any, played: Rollout, steps: int) -> Any:
    one, _ = workloads.rollout_function(env, played.params, 1, 1, **FORM)
    params = jax.tree.map(jnp.asarray, played.params)
    carry = workloads.rollout_function(env, params, BATCH, 1, **FORM)[1]()
    carry = jax.tree.map(lambda leaf: leaf.reshape(BATCH, 1, *leaf.shape[1:]), carry)
    example = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), carry)
    emitted = jax.vmap(emit(one, example, params, threads=1), (0, None))
    run = jax.jit(lambda carry, params: jax.lax.scan(lambda c, _: emitted(c, params), carry, None, steps))
    return jax.device_get(run(carry, params))


@pytest.mark.parametrize("name", GAMES)
def test_random_games_of_a_kernel_are_xlas(name: str) -> None:
    env, steps = GAMES[name][0](), GAMES[name][1]
    played = rollout(env)
    found = HostKernel(played.program, played.carried)(played.start(BATCH), steps, BATCH)
    assert found[-1].any()  # some games ended, so resets were compared too
    assert_equal(found, of_xla(env, played, steps))


def test_masked_gates_change_no_bit() -> None:
    env = Skirmish()
    branched, masked = rollout(env), rollout(env, dict.fromkeys(gates.statements(env), MASK))
    kernels = [HostKernel(one.program, one.carried) for one in (branched, masked)]
    found = [kernel(branched.start(BATCH), 60, BATCH) for kernel in kernels]
    assert len(kernels[0].text.blocks) > len(kernels[1].text.blocks)
    for ours, theirs in zip(*found, strict=True):
        assert equal(ours, theirs).all()


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("spec", ["cartpole_jax:CartPole", "puffer_pong.jax:Pong", "halfcheetah_jax:HalfCheetah"])
def test_environments_of_a_kernel_are_the_cpp_forms(spec: str) -> None:
    pytest.importorskip(spec.partition(":")[0])
    env = environment(spec)
    played = rollout(env)
    found = HostKernel(played.program, played.carried)(played.start(BATCH), 300, BATCH)
    assert_equal(found, of_cpp(env, played, 300))
    assert_equal(found, of_xla(env, played, 300))


def test_a_large_gate_is_voted_on_by_the_block_which_stays_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All warps of a block run a large gate that any of its threads needs, and wait for each other after a stretch."""
    monkeypatch.setattr(source, "WIDE", 20)
    monkeypatch.setattr(source, "STRETCH", 4)

    def more(x: Any, times: int) -> Any:
        for _ in range(times):
            x = jnp.where(x > 100, x + 1, x)
        return x

    def step(x: Any) -> Any:
        x = jax.lax.cond(any_lane(x > 100, "large"), lambda x: more(x, 12), lambda x: x, x)
        return jax.lax.cond(any_lane(x > 100, "small"), lambda x: more(x, 2), lambda x: x, x)

    values = np.full(source.THREADS + 40, 50, np.int32)  # nobody of the second block needs a gate
    values[40] = 101  # of the second warp of the first one
    kernel = HostKernel(traced_program(step, jnp.int32(0)), 1)
    assert kernel.text.whole.count("any_of_block(") == 1
    assert "TOGETHER;" in kernel.text.whole
    (found,) = kernel([values], 2, len(values))
    assert found.tolist() == (values + np.where(values == 101, 28, 0)).tolist()
    ran, warps = dict(zip(kernel.text.blocks, kernel.runs.tolist(), strict=True)), source.THREADS // host.WARP
    assert kernel.text.blocks[:3] == ("", "large", "large")
    assert kernel.runs[:3].tolist() == [2 * (warps + 2), 2 * warps, 2 * 2], ran
    assert kernel.runs[3:].tolist() == [2, 2 * (warps + 1)], ran


def test_random_programs_in_a_warp() -> None:
    with jax.enable_x64(True):
        assert compare(range(60, 68), 203, [WARP]).differences == []


def test_a_vote_is_that_of_the_warp_and_blocks_are_counted() -> None:
    def step(x: Any) -> Any:
        return jax.lax.cond(any_lane(x > 100, "rare"), lambda x: x + 1, lambda x: x, x)

    values = np.arange(70, dtype=np.int32)
    values[40] = 1000  # of the second warp
    kernel = HostKernel(traced_program(step, jnp.int32(0)), 1)
    (found,) = kernel([values], 3, 70)
    assert found.tolist() == (values + np.where(np.arange(70) // 32 == 1, 3, 0)).tolist()
    assert dict(zip(kernel.text.blocks, kernel.runs.tolist(), strict=True)) == {"": 9, "rare": 6}
    assert kernel.runs.tolist() == [9, 3, 6]


def test_results_of_every_step_are_kept_and_its_arguments_read() -> None:
    step = traced_program(lambda total, x: (total + x, total * 2), jnp.int32(0), jnp.int32(0))
    given = np.arange(4 * 33, dtype=np.int32).reshape(4, 33)
    last, doubled = HostKernel(step, 1)([np.zeros(33, np.int32), given], 4, 33)
    before = np.concatenate([np.zeros((1, 33), np.int32), given.cumsum(0)])
    assert last.tolist() == before[-1].tolist()
    assert doubled.tolist() == (2 * before[:-1]).tolist()


def test_what_is_carried_may_change_places() -> None:
    swap = traced_program(lambda a, b: (b, a), jnp.int32(0), jnp.int32(0))
    a, b = np.arange(33, dtype=np.int32), np.arange(33, 66, dtype=np.int32)
    found = HostKernel(swap, 2)([a, b], 3, 33)
    assert [one.tolist() for one in found] == [b.tolist(), a.tolist()]


def test_lanes_that_part_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch that an environment decides by itself: the front makes none, so the text is changed."""
    step = traced_program(lambda x: x + any_lane(x > 100).astype(jnp.int32), jnp.int32(0))
    whole = source.kernel(step, 1).whole
    apart = whole.replace("BLOCK(0);", "BLOCK(0); if (thread == 3) continue;")
    assert apart != whole
    monkeypatch.setattr(host, "kernel", lambda *_: source.Text(apart, ("",)))
    with pytest.raises(GateError, match="different votes"):
        HostKernel(step, 1)([np.zeros(32, np.int32)], 2, 32)


@pytest.mark.parametrize(
    ("array", "message"),
    [(np.zeros(5, np.int64), "int64"), (np.zeros((5, 1), np.int32), r"\[5, 1\]"), (np.zeros(4, np.int32), r"\[4\]")],
)
def test_arrays_that_do_not_fit_are_refused(array: np.ndarray, message: str) -> None:
    kernel = HostKernel(traced_program(lambda x: x + 1, jnp.int32(0)), 1)
    with pytest.raises(InvalidParamsError, match=message):
        kernel([array], 1, 5)


def test_a_carry_that_changes_its_shape_is_refused() -> None:
    step = traced_program(lambda x: x.astype(jnp.float32), jnp.int32(0))
    with pytest.raises(InvalidParamsError, match="carry of a kernel"):
        source.kernel(step, 1)
    closed = jax.make_jaxpr(lambda x: x + 1)(jnp.int32(0))
    with pytest.raises(InvalidParamsError, match="carry of a kernel"):
        source.kernel(program(closed, [False]), 1)


def test_without_nvidias_compiler_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiler, "wheels", lambda: tmp_path)
    compiler.library.cache_clear()
    with pytest.raises(EnvError, match=r"pip install rlenv-emit\[gpu\]"):
        compiler.ptx("", "sm_90a")
    compiler.library.cache_clear()


def test_xla_is_asked_to_launch_the_kernel_with_all_that_it_needs() -> None:
    """What XLA would call on a GPU compiles, is registered, and gets its arrays and attributes."""
    device.register()
    play = device.called(traced_program(lambda a, b: (a + b, a * 2), jnp.int32(0), jnp.int32(0)), 1, Path("x.cubin"))
    scalars = [jax.ShapeDtypeStruct(shape, jnp.int32) for shape in ((33,), (4, 33))]
    traced = jax.jit(lambda *arrays: play(arrays, 4, 33)).trace(*scalars)
    lowered = traced.lower(lowering_platforms=("cuda",)).as_text()
    assert f"custom_call @{device.TARGET}(%arg0, %arg1)" in lowered
    assert 'batch = 33 : i64, image = "x.cubin", steps = 4 : i64, threads = 512 : i64' in lowered
    assert "-> (tensor<33xi32>, tensor<4x33xi32>)" in lowered


def test_without_a_gpu_the_error_and_the_report_say_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(*_: Any) -> Any:
        raise RuntimeError("Unknown backend cuda")

    monkeypatch.setattr(device.jax, "devices", none)
    with pytest.raises(ReferenceUnavailableError, match="CUDA device: got Unknown backend"):
        device.on_device(traced_program(lambda x: x, jnp.int32(0)), 1)
    assert verify.main(["--out", str(tmp_path / "emit.json"), "--environments", "skirmish"]) == 0
    assert "not run" in json.loads((tmp_path / "emit.json").read_text())["environments"]["skirmish"]
    assert "CUDA device" in capsys.readouterr().out


def test_native_steps_expect_what_xla_does() -> None:
    env = Hand()
    by_xla, native = (verify.expected(env, BATCH, 6, form) for form in ("xla", "native"))
    assert len(native) == len(by_xla) > 5
    assert all(equal(ours, theirs).all() for ours, theirs in zip(native, by_xla, strict=True))
    assert any(ours.any() for ours in native)


LISTING = """
	.section	.text.rlenv_kernel,"ax",@progbits
	//## File "/x/kernel.cu", line 2
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
	//## File "/x/scalars.h", line 3 inlined at "/x/kernel.cu", line 6
	//## File "/x/kernel.cu", line 6
        /*0010*/                   IADD3 R0, R0, R1, RZ ;
        /*0020*/                   VOTE.ANY P0, P0 ;
	//## File "/x/kernel.cu", line 8
        /*0030*/                   IADD3 R0, R0, R1, RZ ;
        /*0040*/              @!P0 BRA `(.L_x_2) ;
        /*0050*/                   IADD3 R0, R0, R1, RZ ;
        /*0060*/                   FADD R0, R0, R1 ;
.L_x_2:
	//## File "/x/kernel.cu", line 10
        /*0070*/              @P1  BRA `(.L_x_1) ;
        /*0080*/                   NOP ;
"""
LINES = source.Text("{\nbegin\nfor {\nBLOCK(0);\na\nb\nif {\nBLOCK(1);\n}\nc\n}\n}", ("", "rare"))


def test_basic_blocks_belong_to_the_block_of_most_of_their_instructions() -> None:
    assert dict(LINES.lines()) == {4: 0, 5: 0, 6: 0, 7: 0, 8: 1, 9: 0, 10: 0}
    code = machine.Code(20, 0, tuple(machine.parts(LISTING, dict(LINES.lines()))))
    assert code.by_block() == {machine.OUTSIDE: 1, 0: 5, 1: 2}
    issued = code.issued([1.0, 0.25], 4)
    assert issued.total() == pytest.approx(0.25 + 5 + 2 * 0.25)
    assert issued["IADD3"] == pytest.approx(2 + 0.25)


def test_traffic_and_warps() -> None:
    step = traced_program(lambda x, y: (x + 1, x.astype(jnp.int8)), jnp.float32(0), jnp.float32(0))
    assert report.traffic(step, 1, 10) == (4, 14)
    assert [report.warps_of_a_scheduler(registers) for registers in (129, 128, 121, 32)] == [0, 4, 4, 16]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_report_on_skirmish(tmp_path: Path) -> None:
    """Needs NVIDIA's compiler (the extra gpu); its machine code is that of the committed report."""
    if not compiler.wheels().exists():
        pytest.skip("needs NVIDIA's compiler: pip install rlenv-emit[gpu]")
    out = tmp_path / "report.json"
    words = ["--environments", "skirmish", "--batch", "256", "--packages", str(COMMITTED.parents[2])]
    assert report.main(["--out", str(out), *words]) == 0
    forms = json.loads(out.read_text())["environments"]["skirmish"]["forms"]
    for name, one in json.loads(COMMITTED.read_text())["environments"]["skirmish"]["forms"].items():
        assert [forms[name][key] for key in ("registers", "instructions")] == [one["registers"], one["instructions"]]
    assert all(one["spill_bytes"] == 0 and one["registers"] <= 255 for one in forms.values())
    assert forms["branched"]["issued_per_step"] < forms["branched"]["instructions"]


def test_the_committed_report_is_of_the_present_program() -> None:
    found = json.loads(COMMITTED.read_text())["environments"]
    assert set(found) == set(report.ENVIRONMENTS)
    assert all(one["spill_bytes"] == 0 for each in found.values() for one in each["forms"].values())
    env = Skirmish()
    masked = dict.fromkeys(gates.statements(env), MASK)
    for gate, policy in (("branched", {}), ("masked", masked)):
        assert found["skirmish"]["forms"][gate]["statements"] == ir.size(rollout(env, policy).program.block)
