"""The harness on a fake clock, and real workloads for a moment."""

from __future__ import annotations

import dataclasses
import time
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_bench import harness
from rlenv_bench.harness import Timing, exclusive, measure, sweep
from rlenv_bench.workloads import HostWorkload, host_rollout, jax_rollout
from rlenv_shared import counter_rng
from rlenv_shared.env import Env
from rlenv_shared.errors import DivergenceError, EnvError, InvalidParamsError
from rlenv_shared.reset_pool import ResetPool
from rlenv_shared.spaces import Box, Discrete
from rlenv_shared.struct import Replaceable, pytree_dataclass

pytestmark = pytest.mark.l1


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class FakeSide:
    """Takes a fixed time per call on the fake clock and writes down what is done to it."""

    deterministic = True

    def __init__(self, clock, journal, name="a", batch=4, steps=8, seconds=0.01):
        self.clock, self.journal, self.seconds = clock, journal, seconds
        self.name, self.batch, self.steps, self.settings = name, batch, steps, {"frameskip": 1}
        self.calls = self.blocks = 0

    def compile(self):
        self.clock.now += 3.0

    def begin(self):
        self.clock.now += 100.0  # must not be timed
        self.calls = 0
        self.journal.append(self.name)

    def call(self):
        self.clock.now += self.seconds
        self.calls += 1

    def finish(self):
        self.blocks += 1

    def decisions(self):
        return None

    def checksum(self):
        self.clock.now += 100.0  # must not be timed
        return float(self.calls)

    def memory(self):
        return {"peak_bytes": 7, "state_bytes_per_env": None}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timing(clock, tmp_path):
    return Timing(lock=tmp_path / "bench.lock", clock=clock)


def test_blocks_interleave_in_alternating_order_and_reach_their_length(clock, timing):
    journal = []
    workloads = [FakeSide(clock, journal, name, seconds=s) for name, s in (("a", 0.01), ("b", 0.03), ("c", 2.0))]
    runs = measure(workloads, timing, group=5)
    assert "".join(journal)[-30:] == "abccba" * 5
    for run, workload in zip(runs, workloads, strict=True):
        assert len(run.block_s) == 10
        assert min(run.block_s) >= 0.5
        np.testing.assert_allclose(run.block_s, run.repeats * workload.seconds)
        np.testing.assert_allclose(run.sps, 4 * 8 / workload.seconds)
        assert (run.compile_s, run.steps_per_call, run.group, run.peak_bytes) == (3.0, 32, 5, 7)
        assert (run.checksum, run.decisions_per_step) == (run.repeats, 1)
    assert [run.repeats for run in runs] == pytest.approx([60, 20, 1], abs=1)


def test_side_that_speeds_up_is_measured_again_with_longer_blocks(clock, timing):
    class Warming(FakeSide):
        def call(self):
            super().call()
            if self.blocks > 12:
                self.seconds = 0.004

    runs = measure([Warming(clock, []), FakeSide(clock, [], "b")], timing)
    assert min(runs[0].block_s) >= 0.5
    np.testing.assert_allclose(runs[0].sps, 32 / 0.004)

    class Racing(FakeSide):
        def finish(self):
            super().finish()
            self.seconds *= 0.9

    with pytest.raises(EnvError, match="blocks"):
        measure([Racing(clock, [])], timing)


def test_changing_checksums_are_a_divergence_unless_declared(clock, timing):
    class Leaky(FakeSide):
        def checksum(self):
            return float(self.blocks)

    with pytest.raises(DivergenceError, match="checksums"):
        measure([Leaky(clock, [])], timing)
    workload = Leaky(clock, [])
    workload.deterministic = False
    assert measure([workload], timing)[0].deterministic is False


def test_decisions_are_counted_in_the_steps_of_one_block(clock, timing):
    class Seldom(FakeSide):
        def decisions(self):
            return 6 * self.calls  # of the 4 * 8 steps of a call, since the block began

    seldom, always = measure([Seldom(clock, []), FakeSide(clock, [], "b")], timing)
    assert seldom.repeats > 1
    assert (seldom.decisions_per_step, always.decisions_per_step) == (6 / 32, 1)


def test_sweep_ends_when_too_little_is_gained(clock, timing):
    def make(batch):  # "wide" gains 3 % per doubling from 16 on, "tall" keeps doubling
        wide = FakeSide(clock, [], "wide", batch, 1, seconds=0.01 * max(1, batch / 16) ** np.log2(2 / 1.03))
        return [wide, FakeSide(clock, [], "tall", batch, 1, seconds=0.01)]

    seen = []
    runs = sweep(make, timing, [2**e for e in range(9)], seen.append)
    batches = {name: [run.batch for run in runs if run.workload == name] for name in ("wide", "tall")}
    assert batches == {"wide": [1, 2, 4, 8, 16, 32, 64], "tall": [2**e for e in range(9)]}
    assert seen == runs
    assert [run.group for run in runs if run.workload == "tall"] == list(range(9))


@pytest.mark.parametrize("where", ["make", "call"])
def test_sweep_ends_where_memory_ends(clock, timing, where):
    class Large(FakeSide):
        def call(self):
            super().call()
            if where == "call" and self.batch > 4:
                raise RuntimeError("RESOURCE_EXHAUSTED: out of memory allocating")

    def make(batch):
        if where == "make" and batch > 4:
            raise MemoryError
        return [Large(clock, [], "a", batch, 1, seconds=0.01)]

    assert [run.batch for run in sweep(make, timing, [1, 2, 4, 8, 16])] == [1, 2, 4]

    def broken(batch):
        raise RuntimeError("a bug, not memory")

    with pytest.raises(RuntimeError, match="a bug"):
        sweep(broken, timing, [1])


def test_senseless_measurements_are_refused(clock, timing):
    with pytest.raises(InvalidParamsError, match="workloads"):
        measure([], timing)
    with pytest.raises(InvalidParamsError, match="workloads"):
        measure([FakeSide(clock, []), FakeSide(clock, [])], timing)
    for change in ({"blocks": 0}, {"block_s": 0.0}, {"block_s": float("nan")}):
        with pytest.raises(InvalidParamsError, match="timing"):
            dataclasses.replace(timing, **change)


def test_two_measurements_never_run_at_once(tmp_path):
    path = tmp_path / "deep" / "bench.lock"
    with ThreadPoolExecutor() as pool:
        with exclusive(path):
            other = pool.submit(_enter, path)
            with pytest.raises(TimeoutError):
                other.result(timeout=0.2)
        assert other.result(timeout=60)


def _enter(path):
    with exclusive(path):
        return True


@pytree_dataclass
class CountState(Replaceable):
    total: jax.Array  # int32, sum of the actions
    rng: tuple[jax.Array, jax.Array, jax.Array]
    time: jax.Array  # int32


@pytree_dataclass
class CountParams:
    max_steps_in_episode: int = 10


class Count(Env):
    """Adds actions up; action 1 is illegal if ``masked``."""

    name, version, num_actions = "test/Count-v0", 0, 3
    default_params = CountParams()

    def __init__(self, masked=False):
        self.masked = masked

    def begin(self, generator, params):
        _, generator = counter_rng.bits(generator)
        return CountState(total=jnp.int32(0), rng=generator, time=jnp.int32(0))

    def observe(self, state, player, params):
        return jnp.stack([state.total, state.time]).astype(jnp.float32)

    def transition(self, state, action, params):
        state = state.replace(total=state.total + action, time=state.time + jnp.int32(1))
        return state, (action == 1).astype(jnp.float32), jnp.bool_(False), {}

    def legal_actions(self, state, params):
        return jnp.array([True, state.time < 0, True]) if self.masked else jnp.ones(3, jnp.bool_)

    def action_space(self, params):
        return Discrete(3)


class Waiting(Count):
    """Asks for an action in every fifth step, the first of ten included."""

    def to_act(self, state):
        return (state.time % 5 == 0)[..., None]


class Push(Count):
    """Two continuous actions."""

    num_actions = 0

    def action_space(self, params):
        return Box(-2.0, 1.0, (2,), jnp.float32)

    def transition(self, state, action, params):
        state = state.replace(time=state.time + jnp.int32(1))
        return state, action.sum(), jnp.bool_(False), {}


def outcome(workload):
    """One block of one call: (carry, outputs)."""
    workload.compile()
    workload.begin()
    workload.call()
    workload.finish()
    return workload._carry, workload._outputs


def test_rollout_counts_what_the_environment_does():
    (state, _, (obs, reward, done), decisions), outputs = outcome(jax_rollout(Count(), None, 6, 50))
    assert (outputs, decisions) == (None, ())
    np.testing.assert_array_equal(done, 5)  # a time limit of 10 in 50 steps
    np.testing.assert_array_equal(state.time, 0)
    assert 0.2 < np.mean(reward) / 50 < 0.5
    kept = outcome(jax_rollout(Count(), None, 6, 50, keep_outputs=True))[1]
    assert [leaf.shape for leaf in kept] == [(50, 6, 2), (50, 6), (50, 6)]
    np.testing.assert_allclose(kept[0].sum(axis=(0, 2)), obs)  # the same episodes, kept or summed
    np.testing.assert_allclose(kept[1].sum(axis=0), reward)


@pytest.mark.parametrize("keep_outputs", [False, True])
def test_steps_in_which_nobody_acts_are_no_decisions(tmp_path, keep_outputs):
    timing = Timing(blocks=2, block_s=1e-3, lock=tmp_path / "lock")
    workloads = [
        jax_rollout(env, None, 6, 30, name=name, keep_outputs=keep_outputs)
        for name, env in (("waiting", Waiting()), ("count", Count()))
    ]
    waiting, count = measure(workloads, timing)
    assert workloads[0].decisions() == waiting.repeats * 6 * 30 // 5  # of all calls of the last block
    assert workloads[1].decisions() is None
    assert (waiting.decisions_per_step, count.decisions_per_step) == (1 / 5, 1)


def test_reset_modes_and_unobserved_rollouts():
    (state, _, sums, _), _ = outcome(jax_rollout(Count(), None, 3, 25, reset_mode="none", observe=False))
    np.testing.assert_array_equal(state.time, 25)
    assert len(sums) == 2
    pool = ResetPool(Count(), size=4)
    (state, _, (_, _, done), _), _ = outcome(jax_rollout(pool, None, 3, 25, reset_mode="pool"))
    np.testing.assert_array_equal(state.time, 5)
    np.testing.assert_array_equal(done, 2)


@pytest.mark.parametrize(("actions", "ones"), [("random_legal", False), ("random", True)])
def test_illegal_actions_are_drawn_only_when_asked_for(actions, ones):
    (_, _, (_, reward, _), _), _ = outcome(jax_rollout(Count(masked=True), None, 4, 40, actions=actions))
    assert bool(np.sum(reward) > 0) is ones


def test_continuous_actions_fill_their_box():
    reward = outcome(jax_rollout(Push(), None, 8, 300, keep_outputs=True))[1][1]
    assert -4 <= reward.min() < -3.5
    assert 1.5 < reward.max() < 2
    np.testing.assert_allclose(np.mean(reward), -1, atol=0.1)


def test_donation_and_fusion_do_not_change_outputs():
    checksums = set()
    for options in ({}, {"donate": False}, {"fusion": False}):
        workload = jax_rollout(Count(), None, 5, 30, **options)
        workload.compile()
        for _ in range(2):  # the start survives donation
            workload.begin()
            workload.call()
            workload.call()
            workload.finish()
            checksums.add(workload.checksum())
    assert len(checksums) == 1
    memory = workload.memory()
    assert memory["state_bytes_per_env"] == 20
    assert memory["peak_bytes"] >= 5 * 20
    other = jax_rollout(Count(), None, 5, 30, seed=1)
    outcome(other)
    assert other.checksum() not in checksums


@pytest.mark.parametrize(
    "options",
    [
        {"batch": 0},
        {"steps": 0},
        {"actions": "greedy"},
        {"reset_mode": "sometimes"},
        {"reset_mode": "pool"},
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidParamsError, match="benchmark"):
        jax_rollout(Count(), None, **{"batch": 2, "steps": 2, **options})
    with pytest.raises(InvalidParamsError, match="ResetPool"):
        jax_rollout(ResetPool(Count(), 2), None, 2, 2, reset_mode="fresh")


def test_host_and_jax_sides_on_the_real_clock(tmp_path):
    totals = {"steps": 0}
    host = HostWorkload(
        name="host",
        batch=4,
        steps=25,
        reset=lambda: totals.update(steps=0),
        advance=lambda n: totals.update(steps=totals["steps"] + n) or time.sleep(1e-4),
        read_checksum=lambda: totals["steps"],
    )
    timing = Timing(blocks=3, block_s=0.01, lock=tmp_path / "lock")
    ours, theirs = measure([jax_rollout(Count(), None, 4, 25), host], timing)
    assert theirs.checksum == 25 * theirs.repeats
    assert ours.compile_s > 0
    assert min(ours.sps + theirs.sps) > 0
    assert theirs.peak_bytes is None


class AddingHost:
    """Three environments that add up their actions."""

    num_envs = 3

    def reset(self, seed):
        assert seed == 7
        self.sums = np.zeros(self.num_envs)

    def step(self, actions):
        self.sums = self.sums + actions
        return self.sums, None, None, None, {}


def test_a_host_environment_is_stepped_as_by_a_trainer(tmp_path):
    workload = host_rollout(AddingHost(), 5, name="host", num_actions=4, settings={"skip": 4}, seed=7)
    (run,) = measure([workload], Timing(blocks=2, block_s=1e-3, lock=tmp_path / "lock"))
    assert (run.batch, run.steps_per_call, run.settings) == (3, 15, {"skip": 4})
    assert run.checksum == run.repeats * np.random.default_rng(7).integers(0, 4, (5, 3), np.int32).sum()


def test_module_defaults_are_the_protocol():
    assert (Timing().blocks, Timing().block_s, harness.MIN_GAIN) == (10, 0.5, 0.05)
    assert harness.BATCHES[0] == 1
    assert harness.BATCHES[-1] == 2**18
