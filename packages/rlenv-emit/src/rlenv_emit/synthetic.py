"""A made-up step of any size with the mix of operations and the rare parts of a battle engine, for measurements.

The mix is that of an engine of 28,500 equations: selections, bit fields and comparisons for the most part, some
multiplications, table reads and draws.  Its rare parts are gates whose predicates are true as often as those of the
engine's: from one lane in five (a status move) to one in two hundred (a second hit).
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Final

import jax.numpy as jnp
import numpy as np

from rlenv_shared import compiling, control, counter_rng, spaces
from rlenv_shared.env import Env
from rlenv_shared.struct import pytree_dataclass

WORDS: Final = 34
"""Of the state, besides the generator."""
CHANCES: Final = (0.002, 0.002, 0.005, 0.007, 0.009, 0.04, 0.07, 0.08, 0.21)
"""How likely one lane needs each of the gates, which take turns."""
GATED: Final = 0.6
"""Share of the equations that lie in gates."""
GATE_EQUATIONS: Final = 60
TABLE: Final = 512
_MIX: Final = ("select",) * 9 + ("field",) * 7 + ("compare",) * 5 + ("add",) * 4 + ("mul", "take", "take", "divide")


@pytree_dataclass
class SyntheticState:
    """Words, a counter of steps and the generator."""

    words: Any  # tuple of int32
    time: Any
    rng: Any


@pytree_dataclass
class SyntheticParams:
    """The table that is read, and the time limit."""

    table: Any = dataclasses.field(
        default_factory=lambda: np.random.default_rng(5).integers(0, 2**16, TABLE).astype(np.int32)
    )
    max_steps_in_episode: Any = 100


@dataclasses.dataclass(frozen=True)
class Synthetic(Env):
    """A step of about ``equations`` equations; the same seed makes the same step.  One player, two actions."""

    equations: int = 20_000
    seed: int = 0

    version: ClassVar[int] = 0
    name: ClassVar[str] = "emit/Synthetic-v0"
    num_actions: ClassVar[int] = 2
    compile_options = compiling.WITHOUT_FUSION

    @property
    def default_params(self) -> SyntheticParams:
        """Its table."""
        return SyntheticParams()

    def begin(self, generator: Any, params: Any) -> SyntheticState:
        """Words drawn at random."""
        words = []
        for _ in range(WORDS):
            word, generator = counter_rng.bits(generator)
            words.append(word.astype(jnp.int32))
        return SyntheticState(tuple(words), jnp.int32(0), generator)

    def transition(
        self, state: SyntheticState, action: Any, params: Any
    ) -> tuple[SyntheticState, Any, Any, dict[str, Any]]:
        """The made-up step."""
        rng = np.random.default_rng([20, self.seed])
        words, generator = list(state.words), state.rng
        words[0] = words[0] + jnp.asarray(action, jnp.int32)
        gates = int(self.equations * GATED / GATE_EQUATIONS)
        between = max(1, int(self.equations * (1 - GATED)) // max(gates, 1))
        for number in range(gates):
            _mix(words, between, rng, params)
            draw, generator = counter_rng.bits(generator)
            chance = CHANCES[number % len(CHANCES)]
            wanted = draw < np.uint32(chance * 2**32)
            order = np.random.default_rng([21, self.seed, number])

            def rare(old: Any, wanted: Any = wanted, order: Any = order) -> Any:
                new = list(old)
                _mix(new, GATE_EQUATIONS, order, params)
                return tuple(jnp.where(wanted, a, b) for a, b in zip(new, old, strict=True))

            words = list(control.gate(f"rare{number % len(CHANCES)}", wanted, rare, tuple(words)))
        reward = (words[1] & 1).astype(jnp.float32)
        return SyntheticState(tuple(words), state.time + 1, generator), reward, (words[2] & 1023) == 0, {}

    def observe(self, state: SyntheticState, player: Any, params: Any) -> Any:
        """The first word."""
        return state.words[0]

    def action_space(self, params: Any) -> spaces.Space:
        """Two."""
        return spaces.Discrete(2)

    def observation_space(self, params: Any) -> spaces.Space:
        """Any word."""
        return spaces.Box(-(2**31), 2**31 - 1, (), np.int32)


def _mix(words: list[Any], equations: int, rng: np.random.Generator, params: Any) -> None:
    """Change words by about so many equations."""
    done = 0
    while done < equations:
        kind = _MIX[rng.integers(len(_MIX))]
        a, b, c, to = (int(i) for i in rng.integers(WORDS, size=4))
        shift, width = int(rng.integers(1, 20)), int(rng.integers(2, 12))
        mask = np.int32((1 << width) - 1)
        match kind:
            case "select":
                words[to] = jnp.where(words[a] < words[b], words[c], words[to] + np.int32(shift))
                done += 3
            case "field":
                field = (words[a] >> np.int32(shift)) & mask
                words[to] = (words[to] & ~(mask << np.int32(shift))) | (field ^ np.int32(width)) << np.int32(shift)
                done += 6
            case "compare":
                both = (words[a] == words[b]) | (words[c] > np.int32(shift))
                words[to] = words[to] ^ both.astype(jnp.int32)
                done += 5
            case "add":
                words[to] = words[to] + (words[a] ^ words[b])
                done += 2
            case "mul":
                words[to] = words[to] * np.int32(2 * shift + 1) + words[a]
                done += 2
            case "take":
                words[to] = words[to] ^ control.take(params.table, words[a] & np.int32(TABLE - 1))
                done += 3
            case "divide":
                words[to] = words[to] - (words[a] & mask) // np.int32(shift + 2)
                done += 9
