"""Measures emitted rollouts against XLA's, block by block in turns: ``python -m rlenv_emit.speed --out FILE``.

Random legal play with auto-reset, ``--steps`` steps of each environment per call.  XLA takes part with its fusion pass
and without.  Emitted rollouts take part in three ways: all steps in one call; one step per call in XLA's loop, with
the draw of the action in the same native function; and the native step alone, whose actions XLA draws.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp

from rlenv_bench import harness, results, workloads
from rlenv_emit import emit, emit_env
from rlenv_emit.emit import chosen_form, emit_lazily
from rlenv_emit.env import environment
from rlenv_emit.rows import as_row, of_row
from rlenv_emit.synthetic import Synthetic
from rlenv_games import Hand, Skirmish
from rlenv_shared import compiling, machine
from rlenv_shared.wrapper import Wrapper

GAMES: Final = {"skirmish": Skirmish, "hand": Hand, "synthetic": Synthetic}
BATCHES: Final = (16, 256, 2048, 8192, 65536)


def emitted_rollout(env: Any, batch: int, steps: int, *, threads: int, name: str, **form: Any) -> workloads.JaxWorkload:
    """A whole rollout as one emitted function; equal checksums mean equal words."""
    params = env.default_params
    plain = workloads.jax_rollout(env, params, batch, steps, name=name, observe=False, **form)
    one, _ = workloads.rollout_function(env, params, 1, steps, observe=False, **form)
    start = jax.tree.map(lambda leaf: leaf.reshape(batch, 1, *leaf.shape[1:]), plain.start)
    example = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), start)
    emitted = emit(one, example, params, threads=threads)
    plain.rollout, plain.start, plain.options = jax.jit(jax.vmap(emitted, (0, None))), start, {}
    plain.settings = {**plain.settings, "threads": threads, "mode": "emitted rollout"}
    return plain


class _WithoutReset(Wrapper):
    """Steps leave an episode that is over as it is."""

    def advance(self, state: Any, action: Any, params: Any) -> tuple[Any, Any, Any, Any]:
        """The step inside, and whether the time is over."""
        state, reward, terminated, _ = self.transition(state, action, params)
        return state, reward, terminated, self.is_truncated(state, params)


def emitted_play(
    env: Any,
    batch: int,
    steps: int,
    *,
    threads: int,
    name: str,
    processor: str | None = None,
    before: int = 0,
    **form: Any,
) -> workloads.JaxWorkload:
    """A rollout whose every step is one emitted function: it takes the action that it was given, and draws the next.

    What is drawn is therefore known before a step, and a batch is worked on in the order of ``env.alike``.  Where there
    is one, episodes that end begin anew by a second emitted function: few do so in a step, and spread over the batch
    they would keep nearly every group waiting.  Within a call a carry is one row of words, so that neither costs
    scattered reads.

    Equal first parts of the carry mean equal words; the action, the generator after it and that order come after them.
    ``processor`` is a form's name, as of `emit`; XLA carries instructions out by one thread.  A block begins after
    ``before`` native steps.
    """
    params = env.default_params
    plain = workloads.jax_rollout(env, params, batch, steps, name=name, observe=False, **form)
    if before:
        plain.start = _in_the_midst(env, plain.start, batch, before, **form)
    alike = getattr(env, "alike", None)
    resets = alike is None
    inner = env if resets else _WithoutReset(env)
    parts = workloads.rollout_parts(inner, params, batch, observe=False, **form)

    def drawn(carry: Any, params: Any, parts: workloads.Parts = parts) -> tuple[Any, Any, Any]:
        action, rng = parts.choose(carry, params)
        return action, rng, jnp.int32(0) if alike is None else alike(carry[0], action, params)

    def play(row: Any, kind: Any, ended: Any, params: Any) -> tuple[Any, Any, Any]:
        before = of_row(row, one)
        after, _ = parts.take(before[:4], *before[4:], params)
        ended = after[2][-1] != before[2][-1]  # the last sum is of ended episodes
        *chosen, kind = drawn(after, params)
        return as_row((*after, *chosen)), kind, ended

    def begin(row: Any, kind: Any, ended: Any, params: Any) -> Any:
        state, *others = of_row(row, one)[:4]
        after = inner.begin(env.generator(state), params), *others
        *chosen, kind = drawn(after, params)
        return as_row((*after, *chosen)), kind, ended

    order = None if alike is None else lambda row, kind, ended, params: kind
    batched = jax.vmap(emit_lazily(play, processor, threads, order), (0, 0, 0, None))
    ended_only = emit_lazily(begin, processor, threads, where=lambda row, kind, ended, params: ended)
    begun = jax.vmap(ended_only, (0, 0, 0, None))

    def rollout(carry: Any, params: Any) -> tuple[Any, None]:
        def step(rows: Any, _: None) -> tuple[Any, None]:
            rows = batched(*rows, params)
            return rows if resets else begun(*rows, params), None

        *carry, kind = carry
        rows = jax.vmap(as_row)(carry), kind, jnp.zeros(batch, jnp.bool_)
        (row, kind, _), _ = jax.lax.scan(step, rows, None, steps)
        return (*jax.vmap(lambda row: of_row(row, one))(row), kind), None

    by_xla = workloads.rollout_parts(env, params, batch, observe=False, **form)
    first = compiling.jit(jax.vmap(lambda carry, params: drawn(carry, params, by_xla), (0, None)), env)
    plain.rollout, plain.options = jax.jit(rollout, donate_argnums=(0,)), {}
    plain.start = (*plain.start, *first(plain.start, params))
    one = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), plain.start[:-1])
    plain.settings = {**plain.settings, "threads": threads, "mode": "emitted play"}
    plain.settings |= {"form": chosen_form(processor).name, "steps_before": before}
    return plain


def _in_the_midst(env: Any, carry: Any, batch: int, before: int, **form: Any) -> Any:
    """Where native steps have brought a rollout's carry: in their first ones all environments do the same."""
    played = workloads.jax_rollout(emit_env(env), None, batch, before, donate=False, observe=False, **form)
    *reached, decisions = jax.block_until_ready(played.rollout(carry, played.params)[0])
    return *reached, jax.tree.map(jnp.zeros_like, decisions)


def cases(env: Any, batch: int, steps: int, threads: int) -> list[workloads.JaxWorkload]:
    """What is measured at one batch size."""
    params = env.default_params
    step = workloads.jax_rollout(
        emit_env(env, threads=threads), params, batch, steps, name=f"emitted step, {threads} threads", observe=False
    )
    return [
        emitted_rollout(env, batch, steps, threads=threads, name=f"emitted rollout, {threads} threads"),
        emitted_play(env, batch, steps, threads=threads, name=f"emitted play, {threads} threads"),
        step,
        workloads.jax_rollout(env, params, batch, steps, name="xla without fusion", observe=False, fusion=False),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", nargs="+", default=list(GAMES), help=f"of {list(GAMES)}, or MODULE:NAME of another")
    parser.add_argument("--batches", nargs="+", type=int, default=BATCHES)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--threads", nargs="+", type=int, default=(1, 2))
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--block-s", type=float, default=0.5)
    parser.add_argument("--fusion", action="store_true", help="XLA with its fusion pass too; slow to compile")
    given = parser.parse_args(arguments)
    if given.blocks < results.MIN_BLOCKS or given.block_s < results.MIN_BLOCK_S:
        least = f"at least {results.MIN_BLOCKS} blocks of {results.MIN_BLOCK_S} s"
        parser.error(
            f"got {given.blocks} blocks of {given.block_s} s, expected {least}, without which no report is kept"
        )
    timing = harness.Timing(blocks=given.blocks, block_s=given.block_s)
    about, state = machine.describe(), machine.git_state(Path(__file__).parent)
    runs: list[harness.Run] = []
    group = 0
    for game in given.games:
        env = GAMES[game]() if game in GAMES else environment(game)
        for batch in given.batches:
            made: dict[str, workloads.JaxWorkload] = {}
            for threads in given.threads:
                made.update({case.name: case for case in cases(env, batch, given.steps, threads)})
            if given.fusion:
                fused = workloads.jax_rollout(env, None, batch, given.steps, name="xla", observe=False)
                fused.options = {}
                made[fused.name] = fused
            for case in made.values():
                case.settings = {**case.settings, "game": game}
            found = harness.measure(list(made.values()), timing, group)
            runs += found
            group += 1
            for run in found:
                speed = sorted(run.sps)[len(run.sps) // 2] / 1e6
                print(f"{game:10} {run.batch:6} {run.workload:28} {speed:9.3f} M steps/s", flush=True)
        results.save(results.build("rlenv-emit", runs, about, state, machine.command_line()), given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
