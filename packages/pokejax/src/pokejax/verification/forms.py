"""The environment as one native function against its other forms: every word after every decision."""

from __future__ import annotations

from typing import Any, Final

import jax
import numpy as np

from pokejax import pools
from pokejax.rules.flow.queue import PASS
from pokejax.tables import params
from pokejax.verification.battles import CHUNK, Programs, programs, random_legal
from pokejax.verification.rollouts import LISTED
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification.verify import Findings

MOST_DECISIONS: Final = 1000
"""Of a battle; random play ends long before."""


OTHERS: Final = {"emitted, XLA": "xla", "emitted, instructions": "bytecode"}
"""What is compared with native steps: the program compiled by XLA, and instructions that XLA carries out."""


def compare_forms(battles: int, seed: int) -> Findings:
    """Battles of random legal choices, the same in all forms: words, rewards, ends, legal actions and observations.

    Args:
        battles: a multiple of `CHUNK`.
        seed: of teams, generators and choices.

    Raises:
        InvalidParamsError: no such multiple.
    """
    if battles % CHUNK or battles <= 0:
        raise InvalidParamsError("battles", battles, f"a multiple of {CHUNK}", "choose another number")
    found = Findings()
    for name, other in OTHERS.items():
        counts: dict[str, Any] = {"battles": 0, "steps": 0, "mismatches": 0, "unfinished": 0, "failing": []}
        found.comparisons[name] = counts
        for start in range(0, battles, CHUNK):
            decisions, failing, unfinished = _play(other, np.random.default_rng((seed, start)))
            counts["battles"] += CHUNK
            counts["steps"] += decisions
            counts["mismatches"] += len(failing)
            counts["unfinished"] += unfinished
            counts["failing"] = (counts["failing"] + [f"chunk {start // CHUNK}, {text}" for text in failing])[:LISTED]
            shown = ", ".join(f"{counts[key]} {key}" for key in ("battles", "steps", "mismatches"))
            print(f"{name}: {shown}", *failing, flush=True)
    return found


def _play(other: str, rng: np.random.Generator) -> tuple[int, list[str], int]:
    """Decisions of `CHUNK` battles, the first difference of each, and how many have not ended."""
    forms = programs("native"), programs(other)
    tables = jax.device_put(params(pools.composed(2 * CHUNK, seed=int(rng.integers(2**31)))))
    high, low = rng.integers(2**32, size=(2, CHUNK), dtype=np.uint32)
    numbers = np.arange(CHUNK, dtype=np.int32)
    begun = [form.begin(2 * numbers, 2 * numbers + 1, high, low, tables) for form in forms]
    actions = np.full((CHUNK, 2), PASS, np.int32)
    after = [form.step(words, actions, tables) for form, words in zip(forms, begun, strict=True)]
    going, agrees = np.ones(CHUNK, bool), np.ones(CHUNK, bool)
    decisions, failing = 0, []
    for decision in range(MOST_DECISIONS):
        seen = [_seen(form, step, tables) for form, step in zip(forms, after, strict=True)]
        alike = np.ones(CHUNK, bool)
        for one, other in zip(*map(jax.tree.leaves, seen), strict=True):
            alike &= (one == other).reshape(CHUNK, -1).all(axis=1)
        decisions += int((going & agrees).sum())
        failing += [f"battle {n}, decision {decision}" for n in np.flatnonzero(going & agrees & ~alike)]
        agrees &= alike
        going &= ~seen[0]["over"].astype(bool)
        if not (going & agrees).any():
            break
        actions = random_legal(rng, seen[0]["legal"])
        after = [form.step(step[0], actions, tables) for form, step in zip(forms, after, strict=True)]
    return decisions, failing, int(going.sum())


def _seen(form: Programs, step: Any, tables: Any) -> dict[str, Any]:
    """What a step of one of the forms gives, on the host."""
    words, rewards, over = step
    more = {"legal": form.look(words, tables), "observation": form.observe(words, tables)}
    found: dict[str, Any] = jax.device_get({"words": words, "rewards": rewards, "over": over, **more})
    return found
