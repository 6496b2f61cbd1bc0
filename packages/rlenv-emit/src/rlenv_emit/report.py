"""Where a step's statements come from, and which of them run: `python -m rlenv_emit.report MODULE:ENVIRONMENT`.

Statements decide how long the compiler takes; those that run decide how fast the step is.  With ``--steps`` the step is
interpreted (`interpret`) in random legal play of one group of lanes; games that end begin anew; nothing is compiled.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit import ir
from rlenv_emit.emit import chosen_form
from rlenv_emit.env import environment
from rlenv_emit.front.lines import Source
from rlenv_emit.front.trace import program
from rlenv_emit.interpret import Interpreter

OUTSIDE: Final = "outside of gates"


@dataclasses.dataclass
class Counts:
    """Statements by gate and by source line: how many there are, and how many ran."""

    there: Counter[str] = dataclasses.field(default_factory=Counter)
    ran: Counter[str] = dataclasses.field(default_factory=Counter)

    def table(self, most: int, steps: int) -> Iterator[str]:
        """Lines of text, those first that ran most."""
        for name in sorted(self.there, key=lambda name: (-self.ran[name], -self.there[name], name))[:most]:
            yield f"{self.there[name]:8} {self.ran[name] / max(steps, 1):10.0f}  {name}"


@dataclasses.dataclass
class Report:
    """What a step consists of."""

    statements: int
    ran: int
    gates: Counts
    lines: Counts


class Step:
    """The step of an environment, `Env.advance`, as a program.

    Args:
        env: the environment; its parameters are shared by all lanes.
    """

    def __init__(self, env: Any) -> None:
        self.env, self.params, word = env, env.default_params, jax.ShapeDtypeStruct((), jnp.uint32)
        self.words = (word, word)
        self.state = jax.eval_shape(env.init, self.words, self.params)
        mask = jax.eval_shape(env.legal_actions, self.state, self.params)
        action = jax.ShapeDtypeStruct(mask.shape[:-1], jnp.int32)
        self.program = self._program(env.advance, self.state, action)

    def _program(self, function: Callable[..., Any], *own: Any) -> ir.Program:
        """Of a function of what every lane has for itself, and the parameters."""
        closed = jax.make_jaxpr(function)(*own, self.params)
        count = len(jax.tree.leaves(own))
        return program(closed, [number < count for number in range(len(closed.in_avals))])

    def play(self, steps: int, lanes: int, seed: int = 0) -> Interpreter:
        """Random legal play of one group; counted after as many steps that are not, so that games are mixed."""
        env, params, rng = self.env, jax.tree.leaves(self.params), np.random.default_rng(seed)
        words = [rng.integers(0, 2**32, lanes, dtype=np.uint32) for _ in range(2)]
        begin = self._program(env.init, self.words)
        leaves, structure = Interpreter(begin, lanes)([*words, *params]), jax.tree.structure(self.state)
        legal = jax.jit(jax.vmap(env.legal_actions, (0, None)))
        interpreter = Interpreter(self.program, lanes)
        for step in range(2 * steps):
            if step == steps:
                interpreter.runs.clear()
            mask = np.asarray(legal(jax.tree.unflatten(structure, leaves), self.params))
            action = np.where(mask, rng.random(mask.shape), -1.0).argmax(-1).astype(np.int32)
            leaves = interpreter([*leaves, action, *params])[: len(leaves)]
        return interpreter

    def report(self, interpreter: Interpreter | None = None, helpers: Sequence[str] = ()) -> Report:
        """Count statements by gate and line.

        Args:
            interpreter: that ran the program, if what ran is wanted.
            helpers: names of files whose callers are meant instead of them.
        """
        made = Report(ir.size(self.program.block), 0, Counts(), Counts())
        names = {
            one.out: one.attr for one in ir.walk(self.program.block) if isinstance(one, ir.Op) and one.kind == "any"
        }

        def count(block: ir.Block, gate: str) -> None:
            runs = interpreter.runs[id(block)] if interpreter else 0
            for one in block.statements:
                line = _line(self.program.origins.get(one.out), helpers) if isinstance(one, ir.Op) else "branches"
                for counts, key in ((made.gates, gate), (made.lines, line)):
                    counts.there[key] += 1
                    counts.ran[key] += runs
                made.ran += runs
                if isinstance(one, ir.If):
                    count(one.then, names.get(one.predicate) or gate)
                    count(one.other, gate)
                else:
                    for inner in ir.blocks(one):
                        count(inner, gate)

        count(self.program.block, OUTSIDE)
        return made


def _line(origin: Any, helpers: Sequence[str]) -> str:
    """The innermost line of an operation's source that is in no helper."""
    lines = origin.lines() if isinstance(origin, Source) else []
    chosen = next((line for line in lines if line[0].name not in helpers), lines[0] if lines else None)
    return f"{Path(*chosen[0].parts[-2:])}:{chosen[1]}" if chosen else "what is known beforehand"


def main() -> None:
    """Print a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment", help="MODULE:NAME of a class or function that makes it")
    parser.add_argument("--steps", type=int, default=0, help="interpret that many, after as many that are not counted")
    parser.add_argument("--lanes", type=int, default=chosen_form(None).lanes)
    parser.add_argument("--most", type=int, default=40, help="lines of each table")
    parser.add_argument("--helpers", nargs="*", default=[], help="files whose callers are meant, such as xp.py")
    arguments = parser.parse_args()
    step = Step(environment(arguments.environment))
    played = step.play(arguments.steps, arguments.lanes) if arguments.steps else None
    report = step.report(played, arguments.helpers)
    ran = f", {report.ran / arguments.steps:.0f} run in a step of {arguments.lanes} lanes" if played else ""
    print(f"{report.statements} statements{ran}")
    for title, counts in (("gate", report.gates), ("line", report.lines)):
        print(f"\n{'there':>8} {'run':>10}  by {title}")
        print("\n".join(counts.table(arguments.most, arguments.steps)))


if __name__ == "__main__":
    main()
