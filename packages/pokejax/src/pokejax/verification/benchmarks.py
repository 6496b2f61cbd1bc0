"""Speed of random legal play here, emitted and as instructions, and in one process of Showdown."""

from __future__ import annotations

from typing import Any

from pokejax.env import RandomBattle
from pokejax.verification import EMITTED, INTERPRETED, REFERENCE, SEEN, TWO_THREADS, XLA_FORM
from rlenv_bench.workloads import HostWorkload, Workload, jax_rollout
from rlenv_emit import emit_env
from rlenv_emit.processor import BY_XLA, BYTECODE
from rlenv_emit.speed import emitted_play
from rlenv_shared.verification.locate import reference

STEPS = 64
"""Of each battle per call; an emitted step is one action of a turn, of which a decision needs four or five."""
FEW_STEPS = 4
"""The same as instructions, for which XLA needs a second."""
STEPS_SEEN = 16
"""Of each battle per call where both players observe: a step goes on until somebody is asked, who then observes."""
BEFORE = 500
"""Steps before those that are played as instructions."""
DECISIONS = 2048
"""Of the reference per call."""
TEAMS = 64
"""Of the reference's battles, from its own generator, as ours are."""


class ReferencePlay:
    """Random legal play in one Node process, one battle after the other; how many in turns would go was not tried."""

    def __init__(self) -> None:
        self.driver: Any = reference("showdown").driver()
        self.teams = self.driver.request("teams", seeds=[f"{seed:x}" for seed in range(TEAMS)])
        self.ended = 0

    def reset(self) -> None:
        """The first battle; afterwards Node has compiled what it compiles."""
        self.driver.request("random", begin={"teams": self.teams, "seed": 0}, decisions=0)

    def advance(self, steps: int) -> None:
        """Take that many decisions."""
        self.ended = self.driver.request("random", decisions=steps)


def showdown() -> Workload:
    """The reference, which is told nothing but how many decisions to take."""
    play = ReferencePlay()
    settings = {"policy": "random_legal", "reset_mode": "same_step", "outputs": "none", "observe": False}
    return HostWorkload(REFERENCE, 1, DECISIONS, play.reset, play.advance, lambda: play.ended, settings=settings)


def workloads(batch: int) -> list[Workload]:
    """Emitted on one core and on two, without observations and with both players'; and the reference."""
    env = RandomBattle(micro_steps=1)
    return [
        emitted_play(env, batch, STEPS, threads=1, name=EMITTED),
        emitted_play(env, batch, STEPS, threads=2, name=TWO_THREADS),
        jax_rollout(emit_env(RandomBattle(), threads=1), None, batch, STEPS_SEEN, name=SEEN),
        showdown(),
    ]


def instructions(batch: int) -> list[Workload]:
    """Instructions, carried out by the interpreter and by XLA, and the reference."""
    env = RandomBattle(micro_steps=1)
    carried_out = ((INTERPRETED, BYTECODE), (XLA_FORM, BY_XLA))
    return [
        *(
            emitted_play(env, batch, FEW_STEPS, threads=1, name=name, processor=form.name, before=BEFORE)
            for name, form in carried_out
        ),
        showdown(),
    ]
