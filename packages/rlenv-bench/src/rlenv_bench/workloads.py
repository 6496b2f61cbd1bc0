"""What a benchmark measures.

A *workload* is one implementation at one batch size.  Within a block its calls continue one another; every block begins
from the same state, so that the checksums of its blocks must agree.
"""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import compiling, counter_rng, masking
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.reset_pool import ResetPool

ACTION_SALT: Final = 0x0BE7_5EED_0000_0000  # keeps action streams apart from the environments' streams


class Workload:
    """One implementation at one batch size, as the harness drives it; `begin`, `call` and `checksum` are its own."""

    name: str  # of the implementation: the same at every batch size
    batch: int  # environments
    steps: int  # of each environment per call
    settings: Mapping[str, Any]  # what the report should say: reset mode, frameskip, …
    deterministic: bool  # equal blocks give equal checksums

    def compile(self) -> None:
        """Prepare; timed apart from the blocks."""

    def begin(self) -> None:
        """Go to the start of a block and wait until it is reached; not timed."""
        raise NotImplementedError

    def call(self) -> None:
        """Advance `batch` environments by `steps`; may return before the work is done."""
        raise NotImplementedError

    def finish(self) -> None:
        """Wait until the work of all calls is done."""

    def decisions(self) -> int | None:
        """Steps since `begin` in which somebody was asked to act; None where that is all of them."""
        return None

    def checksum(self) -> float:
        """A number that depends on every output; not timed."""
        raise NotImplementedError

    def memory(self) -> Mapping[str, int | None]:
        """``peak_bytes`` and ``state_bytes_per_env``, None where unknown; asked after the blocks."""
        return {"peak_bytes": None, "state_bytes_per_env": None}


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Implementations that are measured in turns, e.g. ours and another's at one batch size."""

    name: str  # of the comparison
    workloads: Callable[[], Sequence[Any]]  # makes them; may raise `ReferenceUnavailableError`
    needs: tuple[str, ...] = ()  # modules it needs beyond the package's own
    gpu_only: bool = False  # leave it out without a GPU


@dataclasses.dataclass
class HostWorkload(Workload):
    """A host implementation."""

    name: str
    batch: int
    steps: int
    reset: Callable[[], Any]  # goes to the start of a block
    advance: Callable[[int], Any]  # runs that many steps of all environments, actions included
    read_checksum: Callable[[], float]  # a number that depends on every output since the reset
    deterministic: bool = True
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    state_bytes_per_env: int | None = None  # None if unknown

    def begin(self) -> None:
        """Reset."""
        self.reset()

    def call(self) -> None:
        """Advance by `steps`."""
        self.advance(self.steps)

    def checksum(self) -> float:
        """The host's own."""
        return float(self.read_checksum())

    def memory(self) -> Mapping[str, int | None]:
        """What is known."""
        return {**super().memory(), "state_bytes_per_env": self.state_bytes_per_env}


def host_rollout(
    env: Any,
    steps: int,
    *,
    name: str,
    num_actions: int,
    deterministic: bool = True,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> HostWorkload:
    """Measure a host vector environment through the interface a trainer uses: random actions, drawn beforehand.

    ``env`` has ``num_envs``, ``reset(seed=)`` and ``step(actions)`` as Gymnasium's, with int32 actions below
    ``num_actions``; ``deterministic``: `reset` with a seed restores every generator.
    """
    actions = np.random.default_rng(seed).integers(0, num_actions, (steps, env.num_envs), np.int32)
    last: list[Any] = [None]

    def advance(steps: int) -> None:
        for t in range(steps):
            last[0] = env.step(actions[t])

    return HostWorkload(
        name,
        env.num_envs,
        steps,
        reset=lambda: env.reset(seed=seed),
        advance=advance,
        read_checksum=lambda: float(last[0][0].sum(dtype=np.float64)),
        deterministic=deterministic,
        settings=settings or {},
    )


@dataclasses.dataclass
class JaxWorkload(Workload):
    """A jitted scan of vmapped steps; made by `jax_rollout`."""

    name: str
    batch: int
    steps: int
    rollout: Any  # jitted ``(carry, params) -> (carry, outputs)``
    start: Any  # the carry at the start of a block
    params: Any  # of the environment
    settings: Mapping[str, Any]
    state_bytes: int  # of one environment
    options: dict[str, Any]  # of the compiler
    deterministic: bool = True
    _compiled: Any = None
    _carry: Any = None
    _outputs: Any = None

    def compile(self) -> None:
        """Trace, lower and compile, once."""
        if self._compiled is None:
            self._compiled = self.rollout.lower(self.start, self.params).compile(self.options)

    def begin(self) -> None:
        """Copy the start: a donated carry is consumed by the first call."""
        self._carry = jax.tree.map(jnp.copy, self.start)
        self.finish()

    def call(self) -> None:
        """Dispatch one rollout; it continues the one before."""
        self._carry, self._outputs = self._compiled(self._carry, self.params)

    def finish(self) -> None:
        """Wait for the device."""
        for leaf in jax.tree.leaves((self._carry, self._outputs)):
            leaf.block_until_ready()

    def decisions(self) -> int | None:
        """What the carry counted."""
        counted = jax.device_get(self._carry[3])
        return None if isinstance(counted, tuple) else int(np.sum(counted, dtype=np.int64))

    def checksum(self) -> float:
        """CRC-32 of every bit of the carry, and of the last call's outputs if they are kept."""
        crc = 0  # what follows the four parts of a carry is computed from them
        for leaf in jax.tree.leaves(jax.device_get((self._carry[:4], self._outputs))):
            crc = zlib.crc32(np.asarray(leaf).tobytes(), crc)
        return float(crc)

    def memory(self) -> Mapping[str, int | None]:
        """The compiler's own account of the rollout's buffers, and the size of one state."""
        analysis = self._compiled.memory_analysis()
        peak = None
        if analysis is not None:
            whole = analysis.argument_size_in_bytes + analysis.output_size_in_bytes + analysis.temp_size_in_bytes
            peak = int(whole - analysis.alias_size_in_bytes)
        return {"peak_bytes": peak, "state_bytes_per_env": self.state_bytes}


@dataclasses.dataclass(frozen=True)
class Form:
    """What a step of a rollout does besides the step.  Raises InvalidParamsError: an option is unknown."""

    actions: Literal["random_legal", "random"] = "random_legal"
    """``random_legal`` draws among the legal ones (no mask is computed where it is the constant True), ``random`` among
    all; continuous actions are uniform on their box."""
    reset_mode: Literal["fresh", "pool", "none"] = "fresh"  # ``step``, or for ``none`` ``step_env``, beyond ends
    observe: bool = True  # consume the observation; otherwise the compiler removes its computation
    keep_outputs: bool = False
    """Write observation, reward and done of every step to memory, [steps, batch, ...], as a learner needs; otherwise
    only sums per environment leave the loop."""
    mode: Literal["scan", "auto", "kernel", "interpreted"] = "scan"  # or one of `rlenv_bench.kernel.rollout`
    unroll: int = 1
    """Steps of one iteration of the scan.  A GPU then writes the outputs of that many steps by one kernel, and advances
    the loop once for all of them."""
    seed: int = 0  # of environments and actions

    def __post_init__(self) -> None:
        if self.actions not in ("random_legal", "random"):
            raise _bad("actions", self.actions, "random_legal or random", "choose one")
        if self.reset_mode not in ("fresh", "pool", "none"):
            raise _bad("reset_mode", self.reset_mode, "fresh, pool or none", "choose one")


def jax_rollout(
    env: Any,
    params: Any,
    batch: int,
    steps: int,
    *,
    name: str = "jax",
    donate: bool = True,
    fusion: bool = True,
    constant_params: bool = False,
    settings: Mapping[str, Any] | None = None,
    **form: Any,
) -> JaxWorkload:
    """Measure a JAX environment: ``scan(steps)`` of ``vmap(batch)``, actions drawn by a counter hash inside the body.

    Args:
        env: environment; a `ResetPool` for ``reset_mode="pool"``.
        params: its parameters, passed as an argument; the defaults when None.
        batch: environments.
        steps: steps per call.
        name: of the workload.
        donate: let a call reuse the memory of the state it was given.
        fusion: XLA's fusion pass; on CPU some programs are faster without.
        constant_params: make the parameters constants of the program, as where a function closes over them.
        settings: further facts for the report, e.g. the frameskip.
        form: fields of `Form`.

    Raises:
        InvalidParamsError: an option is unknown or does not fit the environment.
    """
    params = env.default_params if params is None else params
    rollout, start = rollout_function(env, params, batch, steps, **form)
    run = (lambda carry, _: rollout(carry, params)) if constant_params else rollout
    carry, facts = start(), dataclasses.asdict(Form(**form))
    del facts["seed"]
    facts |= {"policy": facts.pop("actions"), "outputs": "kept" if facts.pop("keep_outputs") else "summed"}
    return JaxWorkload(
        name,
        batch,
        steps,
        jax.jit(run, donate_argnums=(0,) if donate else ()),
        carry,
        params,
        {**facts, "donate": donate, "fusion": fusion, **(settings or {})},
        sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(carry[0])) // batch,
        compiling.options(env) if fusion else compiling.WITHOUT_FUSION["cpu"],
    )


def rollout_function(
    env: Any, params: Any, batch: int, steps: int, **form: Any
) -> tuple[Callable[[Any, Any], Any], Callable[..., Any]]:
    """``(rollout(carry, params) -> (carry, outputs), start() -> carry)``; arguments and errors are `jax_rollout`'s.

    Nothing is computed before `start` is called, and ``start(abstract=True)`` is to be traced, so a compiler can be
    asked about any batch size.
    """
    if steps < 1:
        raise _bad("steps", steps, "an integer >= 1", "correct it")
    parts, how = rollout_parts(env, params, batch, **form), Form(**form)

    def step(carry: Any, params: Any) -> Any:
        return parts.take(carry, *parts.choose(carry, params), params)

    def rollout(carry: Any, params: Any) -> Any:
        batched = jax.vmap(step, (0, None))
        return jax.lax.scan(lambda carry, _: batched(carry, params), carry, None, steps, unroll=how.unroll)

    def in_kernel(carry: Any, params: Any) -> Any:
        from rlenv_bench import kernel  # its compiler is announced to leave JAX

        return kernel.rollout(step, carry, steps, params=params, mode=how.mode)

    return rollout if how.mode == "scan" else in_kernel, parts.start


class Parts(NamedTuple):
    """A rollout in parts: a step is ``take(carry, *choose(carry, params), params)``.

    A carry is ``(state, generator of the actions, sums, decisions)``, of a batch from ``start(abstract=False)``;
    ``choose`` and ``take`` are of one environment.
    """

    start: Callable[..., Any]
    choose: Callable[..., tuple[Any, Any]]  # the next action, and the generator after it
    take: Callable[..., tuple[Any, Any]]  # ``(carry, action, generator, params) -> (carry, outputs)``


def rollout_parts(env: Any, params: Any, batch: int, **form: Any) -> Parts:
    """What `rollout_function` repeats; arguments and errors are `jax_rollout`'s."""
    how, pooled = Form(**form), isinstance(env, ResetPool)
    if batch < 1:
        raise _bad("batch", batch, "an integer >= 1", "correct it")
    if (how.reset_mode == "pool") != pooled and how.reset_mode != "none":
        got = f"{how.reset_mode!r} with {'a' if pooled else 'no'} ResetPool"
        raise _bad("reset_mode", got, "'pool' exactly for a ResetPool", "wrap the environment or change the mode")
    params = env.default_params if params is None else params

    begin = jax.vmap(env.init, (0, None))
    word = jax.ShapeDtypeStruct((), jnp.uint32)
    one_state = jax.eval_shape(env.init, (word, word), params)
    draw = _random_actions(env, how, one_state, params)
    counts = compiling.depends_on(env.to_act, one_state)  # elsewhere every step is a decision

    def start(abstract: bool = False) -> Any:
        make = begin if abstract else compiling.jit(begin, env)  # compile options are for what is outermost
        state = make(tuple(map(jnp.asarray, counter_rng.seed_words(how.seed, batch))), params)
        sums = () if how.keep_outputs else tuple(jnp.zeros(batch, jnp.float32) for _ in range(2 + how.observe))
        decisions = jnp.zeros(batch, jnp.int32) if counts else ()
        return state, tuple(map(jnp.asarray, counter_rng.from_seed(how.seed ^ ACTION_SALT, batch))), sums, decisions

    def choose(carry: Any, params: Any) -> tuple[Any, Any]:
        state, rng, *_ = carry
        return draw(state, rng, params)

    def take(carry: Any, action: Any, rng: Any, params: Any) -> tuple[Any, Any]:
        state, _, sums, decisions = carry
        if counts:
            decisions = decisions + env.to_act(state).any().astype(jnp.int32)
        if how.reset_mode == "none":
            obs, state, reward, done, _ = env.step_env(None, state, action, params)
        elif how.observe:
            obs, state, reward, terminated, truncated, _ = env.step(None, state, action, params)
            done = terminated | truncated
        else:
            state, reward, terminated, truncated = env.advance(state, action, params)
            done = terminated | truncated
        outputs = ((obs,) if how.observe else ()) + (reward, done)
        if how.keep_outputs:
            return (state, rng, sums, decisions), outputs
        sums = tuple(total + _total(part) for total, part in zip(sums, outputs, strict=True))
        return (state, rng, sums, decisions), None

    return Parts(start, choose, take)


def _total(tree: Any) -> Any:
    """Sum of all numbers of one environment's output, float32."""
    return sum((jnp.sum(leaf.astype(jnp.float32)) for leaf in jax.tree.leaves(tree)), jnp.float32(0))


def _random_actions(env: Any, how: Form, state: Any, params: Any) -> Callable[[Any, Any, Any], tuple[Any, Any]]:
    """``(state, rng, params) -> (action, rng)`` of one environment; ``state`` is abstract."""
    space = env.action_space(params)
    if env.num_actions == 0:
        low, high = np.broadcast_to(space.low, space.shape), np.broadcast_to(space.high, space.shape)
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise _bad("action space", f"{low} .. {high}", "finite bounds", "measure it in another way")

        def uniform(state: Any, rng: Any, params: Any) -> tuple[Any, Any]:
            word, rng = _words(rng, space.shape)
            unit = (word >> np.uint32(8)).astype(jnp.float32) * counter_rng.UNIT_24
            return low.astype(np.float32) + unit * (high - low).astype(np.float32), rng

        return uniform
    shape = jax.eval_shape(env.legal_actions, state, params).shape[:-1]
    masked = how.actions == "random_legal" and not _always_all_legal(env, state, params)

    def discrete(state: Any, rng: Any, params: Any) -> tuple[Any, Any]:
        word, rng = _words(rng, shape)
        if masked:
            return masking.sample_legal_bits(word, env.legal_actions(state, params)), rng
        return counter_rng.mulhi(word, np.uint32(env.num_actions)).astype(jnp.int32), rng

    return discrete


def _words(rng: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Random words of a static shape, uint32."""
    if not shape:
        return counter_rng.bits(rng)
    words = []
    for _ in range(math.prod(shape)):
        word, rng = counter_rng.bits(rng)
        words.append(word)
    return jnp.stack(words).reshape(shape), rng


def _always_all_legal(env: Any, state: Any, params: Any) -> bool:
    """Whether the mask is True everywhere and depends on neither state nor parameters, so it need not be computed."""
    if compiling.depends_on(lambda both: env.legal_actions(*both), (state, params)):
        return False
    zeros = jax.tree.map(lambda leaf: jax.numpy.zeros(leaf.shape, leaf.dtype), state)
    return bool(np.all(env.legal_actions(zeros, params)))  # any state does: the mask does not read it


def _bad(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(f"benchmark: {what}", got, expected, remedy)
