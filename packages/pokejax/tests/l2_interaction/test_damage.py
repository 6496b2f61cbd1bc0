"""L2: the damage calculator against Showdown's own formula, all sixteen draws, with and without a critical hit."""

import jax
import numpy as np
import pytest

from pokejax import damage
from pokejax.effects import CHANGES
from pokejax.engine import ENGINE
from pokejax.rows import STATUSES, WEATHERS
from pokejax.verification.battles import composed_teams
from rlenv_shared import compiling
from rlenv_shared.verification.locate import reference

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown"), pytest.mark.timeout(600)]
BATTLES = 40
BRINGERS = ("drizzle", "drought", "sandstream", "snowwarning")


def setup_of(rng, leads):
    """A situation before the first decision, in the driver's words; the weather stays that of leads who bring one."""
    changes = [["boosts", side, rng.integers(-6, 7, 7).tolist()] for side in (0, 1)]
    weather = WEATHERS[rng.integers(len(WEATHERS))]
    brought = any(ability in lead for ability in BRINGERS for lead in leads)
    return changes + ([["weather", weather]] if weather and not brought else [])


def grown(volatiles):
    """The stat that Protosynthesis or Quark Drive has made grow."""
    return "".join(volatiles[name]["bestStat"] for name in ("protosynthesis", "quarkdrive") if name in volatiles)


def seen_situation(view):
    """The words and tables of a view's position."""
    fronts = [side["pokemon"][side["order"][0]] for side in view["core"]["sides"]]
    described = [
        team[side["order"][0]] | {"item": front["item"]}  # an entry may have used it up
        for team, side, front in zip(view["constants"], view["core"]["sides"], fronts, strict=True)
    ]
    weather, terrain = view["core"]["weather"], view["core"]["terrain"]
    return damage.situation(
        *described,
        weather=weather[0] if weather else "",
        terrain=terrain[0] if terrain else "",
        boosts=tuple(front["boosts"] for front in fronts),
        hp=tuple(front["hp"] for front in fronts),
        statuses=tuple(front["status"] if front["status"] in STATUSES else "" for front in fronts),
        grown=tuple(grown(front["volatiles"]) for front in fronts),
        slow=tuple(front["ability"] == "slowstart" for front in fronts),  # they have just come in
        changed=tuple(
            front["species"] == CHANGES.get(one["species"]) for one, front in zip(described, fronts, strict=True)
        ),
    )


def test_all_sixteen_damages_are_showdown_s():
    rng = np.random.default_rng(11)
    packed = composed_teams(2 * BATTLES, seed=77)
    pairs = [packed[2 * n : 2 * n + 2] for n in range(BATTLES)]
    setups = [setup_of(rng, [team.split("]")[0] for team in pair]) for pair in pairs]
    settings = [
        {"seed": f"{n + 1:x}", "teams": pair, "setup": setup}
        for n, (pair, setup) in enumerate(zip(pairs, setups, strict=True))
    ]
    cases, theirs = [], []
    with reference("showdown").driver() as driver:
        for view in driver.request("open", battles=settings):
            words, own = seen_situation(view)
            for slot, (name, _) in enumerate(view["constants"][0][0]["moves"]):
                for critical in (False, True):
                    cases.append((words, own, name, critical))
                    attack = {"battle": view["battle"], "side": 0, "slot": slot, "critical": critical}
                    theirs += driver.request("rolls", attacks=[attack])
    words, tables, names, critical = zip(*cases, strict=True)

    shared, pokemon = tables[0], [own.pokemon for own in tables]  # tables are the same but for the two Pokémon

    def one(words, pokemon, move, critical):
        return damage.rolls(words, move, critical, shared.replace(pokemon=pokemon))

    numbers = np.array([damage.move_number(name) for name in names])
    stacked = [jax.tree.map(lambda *leaves: np.stack(leaves), *trees) for trees in (words, pokemon)]
    ours = compiling.jit(jax.vmap(one), ENGINE)(*stacked, numbers, np.array(critical))
    assert len(cases) > 6 * BATTLES
    for case, mine, other in zip(cases, np.asarray(ours).tolist(), theirs, strict=True):
        assert mine == other, case[2:]
    assert sum(max(rolls) > 0 for rolls in theirs) > BATTLES
