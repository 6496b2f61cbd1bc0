"""The policy that ships plays a battle here; Showdown plays the same one, decision for decision; and a page shows it.

python packages/pokejax/examples/demo.py --output build/demo --seed 1        about a minute on two cores
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from pokejax import policies, replay_page
from pokejax.verification.input_logs_out import ENV, Written, played, verify_played
from rlenv_shared.errors import EnvError

FORM: Final = "bytecode"
"""Of the steps: without a C++ compiler."""
POLICY: Final = policies.SHIPPED[0]


def play(opponent: str, seed: int) -> Written:
    """One battle to its end: the policy in the first seat."""
    params = jax.device_put(ENV.default_params)
    deciders = [policies.decider(name, seat, params) for seat, name in enumerate((POLICY, opponent))]

    def choose(number: int, words: Any, masks: Any, rng: np.random.Generator) -> list[int]:
        state = tuple(word[number] for word in words)
        drawn = rng.integers(2**32, size=2, dtype=np.uint32)
        return [decide(state, mask, word) for decide, mask, word in zip(deciders, masks, drawn, strict=True)]

    return played([{"episode": seed}], FORM, choose)


def main() -> int:
    """Run the demo; 0 when Showdown plays the battle alike."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("build") / "demo", help="where everything goes")
    parser.add_argument("--opponent", default="heuristics", help="who has the other seat (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the battle")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    print(f"pokejax: the policy that ships plays against {given.opponent}", flush=True)
    battle = play(given.opponent, given.seed)
    result = int(np.sign(battle.moments[-1].rewards[0, 0]))
    print(f"  {len(battle.moments)} decisions; it {['ties', 'wins', 'loses'][result]}", flush=True)
    outcome = verify_played(battle, FORM)
    for _, decision, text in outcome.mismatches:
        print(f"  decision {decision}: {text}")
    print(f"  the same battle in Showdown: {outcome.decisions} decisions compared, {len(outcome.mismatches)} differ")
    log, page = given.output / "battle.log", given.output / "battle.html"
    log.write_text(battle.logs[0])
    page.write_text(replay_page.page(battle.logs[0], policy=policies.load(POLICY)))
    print(f"written:\n  {page}\n  {log}")
    return 1 if outcome.mismatches else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EnvError as error:
        sys.exit(f"{shlex.join(sys.argv)}: {error}")
