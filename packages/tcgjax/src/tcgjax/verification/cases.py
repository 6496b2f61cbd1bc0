"""The reference's scripted positions, played in both engines."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

import numpy as np

from rlenv_shared.verification import locate
from rlenv_shared.verification.verify import Findings
from tcgjax.codec import CODEC
from tcgjax.decks import Deck
from tcgjax.verification.compiled import ANSWER, BATCH, LOOK, Batch, Form, differences
from tcgjax.verification.positions import imported

META: Final = ("name", "verifies", "do", "expect", "can", "cannot")
"""Parts of a case that are not its position."""


def compare_cases(form: Form = "xla") -> Findings:
    """All scripted positions, by file; ``steps`` counts the decisions that were compared."""
    reference, found, text = locate.reference("tcg_engine"), Findings(), []
    for name, cases in reference.cases().items():
        wrong = compare(cases, reference.engine(), reference.part("position"), form)
        steps = sum(len(case["do"]) + 1 for case in cases)
        counts = {"cases": len(cases), "steps": steps, "mismatches": len(wrong)}
        found.comparisons[name] = {**counts, "differing": sorted(wrong), "first": next(iter(wrong.items()), None)}
        text.append(json.dumps(cases, sort_keys=True))
    found.measured["sha256"] = hashlib.sha256("".join(text).encode()).hexdigest()
    return found


def compare(cases: list[dict[str, Any]], reference: Any, position: Any, form: Form = "xla") -> dict[str, list[str]]:
    """Play scripted positions in both engines; after every action both must agree in everything.

    Args:
        cases: as in the reference's ``tests/cases``.
        reference: the module ``tcg_engine``.
        position: its module of positions in words.
        form: of the program that plays ours.

    Returns:
        The first differences of each case that has any, by its name.
    """
    found: dict[str, list[str]] = {}
    for begin in range(0, len(cases), BATCH):
        found |= _compare_batch(cases[begin : begin + BATCH], reference, position, form)
    return found


def _compare_batch(cases: list[dict[str, Any]], reference: Any, position: Any, form: Form) -> dict[str, list[str]]:
    games = [position.load({name: value for name, value in case.items() if name not in META}) for case in cases]
    decks = [Deck(tuple(game.cards[20 * side : 20 * side + 20]), 1) for game in games for side in (0, 1)]
    packed = [CODEC.pack(imported(game, (2 * i, 2 * i + 1))) for i, game in enumerate(games)]
    packed += [packed[0]] * (BATCH - len(packed))
    batch = Batch(decks, tuple(np.array(column, np.uint32) for column in zip(*packed, strict=True)), form)
    keys, two = np.zeros((2, BATCH), np.uint32), np.zeros((BATCH, 2), np.int32)
    found: dict[str, list[str]] = {}
    for number in range(-1, max(len(case["do"]) for case in cases)):
        what, actions = np.full((BATCH,), LOOK, np.int32), np.zeros((BATCH,), np.int32)
        here = [i for i, case in enumerate(cases) if number < len(case["do"])]
        for i in here if number >= 0 else ():
            what[i], actions[i] = ANSWER, position.action(games[i], cases[i]["do"][number])
        batch.begin(what, actions, keys, two)
        for i in here if number >= 0 else ():
            reference.step(games[i], int(actions[i]))
        numbers, views, overflow = batch.finish()
        for i in here:
            wrong = differences(numbers, views, i, games[i], reference) + ["overflow"] * bool(overflow[i])
            if wrong:
                found.setdefault(cases[i]["name"], [f"after action {number}", *wrong[:12]])
    return found
