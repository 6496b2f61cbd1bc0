"""L1: what a learner is told of each action: it shows nothing hidden, and says what the rules make of what is known."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pokejax import damage, stages
from pokejax.learning.action_features import FEATURES, of_actions
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import ASK_MOVES, LAYOUT, MOVES
from pokejax.tables import NAMES
from pokejax.teamtext import member
from rlenv_emit.emit import emit_lazily

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
COLUMN = {name: number for number, name in enumerate(FEATURES)}


@functools.cache
def told():
    """``(states, params) -> (features [CHUNK, 2, 15, F], ids [CHUNK, 2, 15])``."""

    def both(state, params):
        found = [of_actions(state, player, params) for player in (0, 1)]
        return tuple(jnp.stack(leaves) for leaves in zip(*found, strict=True))

    return jax.jit(jax.vmap(emit_lazily(both, "bytecode"), (0, None)))


def test_nothing_is_told_of_what_is_not_legal_and_kinds_of_actions_are_apart(played):
    for words, masks in zip(played.words[1::6], played.masks[1::6], strict=False):
        features, ids = map(np.asarray, told()(words, played.params))
        np.testing.assert_array_equal(features[..., COLUMN["legal"]] == 1, masks)
        assert (features[~masks] == 0).all()
        assert (ids[~masks] == 0).all()
        assert np.isfinite(features).all()
        assert (np.abs(features) <= 3).all()
        kinds = {"move": slice(0, SWITCH_ACTION), "terastallizes": slice(TERA_ACTION, SWITCH_ACTION),
                 "switch": slice(SWITCH_ACTION, PASS)}  # fmt: skip
        for name, actions in kinds.items():
            assert (features[:, :, actions, COLUMN[name]] == masks[:, :, actions]).all(), name
            assert features[..., COLUMN[name]].sum() == masks[:, :, actions].sum(), name
        switches = ids[:, :, SWITCH_ACTION:PASS]
        assert (switches[masks[:, :, SWITCH_ACTION:PASS]] > len(NAMES["move"])).all()


def test_what_a_player_has_not_been_told_changes_nothing(played, another_truth):
    changed = 0
    for number, words in enumerate(played.words[1::4]):
        here = told()(words, played.params)
        for player in (0, 1):
            other = another_truth(words, played.params, player, number)
            changed += sum(np.any(np.asarray(a) != np.asarray(b)) for a, b in zip(words, other, strict=True)) > 0
            for one, another in zip(here, told()(other, played.params), strict=True):
                np.testing.assert_array_equal(np.asarray(one)[:, player], np.asarray(another)[:, player])
    assert changed


def standing(attacker, defender, **others):
    """What the first player is told of its moves where two Pokémon face each other."""
    words, tables = damage.situation(attacker, defender, **others)
    view = LAYOUT.view(words)
    view.request = ASK_MOVES
    for side in view.side:
        side.asked = True
    features, _ = compiled_one()(view.words(), tables)
    return np.asarray(features)


@functools.cache
def rolls():
    return jax.jit(emit_lazily(damage.rolls, "bytecode"))


@functools.cache
def compiled_one():
    return jax.jit(emit_lazily(lambda words, params: of_actions(words, 0, params), "bytecode"))


def pokemon(species, moves, tera="Normal"):
    """As the generator makes it but for its ability, which has no part in damage."""
    efforts = ",".join(["84"] * 6)
    return member(f"|{species}|leftovers|pressure|{','.join(moves)}|Serious|{efforts}||||80|,,,,,{tera}")


ATTACKERS = {
    "garchomp": ["earthquake", "dragonclaw", "fireblast", "stoneedge"],
    "gengar": ["shadowball", "sludgewave", "psychic", "thunderbolt"],
    "blissey": ["seismictoss", "softboiled", "flamethrower", "icebeam"],
}
DEFENDERS = {"slowbro": ["surf"], "corviknight": ["bravebird"], "blissey": ["icebeam"]}


@pytest.mark.parametrize("user", ATTACKERS)
@pytest.mark.parametrize("target", DEFENDERS)
@pytest.mark.parametrize("weather", ["", "sunnyday", "raindance"])
@pytest.mark.parametrize("stage", [0, 2])
def test_expected_damage_is_that_of_the_calculator(user, target, weather, stage):
    attacker, defender = pokemon(user, ATTACKERS[user]), pokemon(target, DEFENDERS[target])
    boosts = ((stage, 0, stage, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0))
    features = standing(attacker, defender, weather=weather, boosts=boosts)
    words, tables = damage.situation(attacker, defender, weather=weather, boosts=boosts)
    assert int(stages.one(np.int32(LAYOUT.view(words).side[0].boosts), 0)) == stage
    for slot, name in enumerate(ATTACKERS[user]):
        row = features[slot]
        exact = np.asarray(rolls()(words, damage.move_number(name), np.bool_(False), tables)).mean()
        most = int(LAYOUT.view(words).side[1].hp)
        expected = exact / most * row[COLUMN["accuracy"]]
        assert row[COLUMN["damage"]] == pytest.approx(min(expected, 2), rel=0.08, abs=0.01), name
        assert row[COLUMN["no effect"]] == (exact == 0 and name != "softboiled"), name


def test_burns_and_screens_halve_and_paralysis_slows():
    attacker, defender = pokemon("garchomp", ATTACKERS["garchomp"]), pokemon("slowbro", ["surf"])
    plain = standing(attacker, defender)
    burnt = standing(attacker, defender, statuses=("brn", ""))
    screened = standing(attacker, defender, screens=((), ("reflect",)))
    at = COLUMN["damage"]
    for halved in (burnt, screened):
        assert halved[0, at] == pytest.approx(plain[0, at] / 2, rel=1e-5)
        assert halved[2, at] == plain[2, at]
    for status, faster in (("", 1), ("brn", 1), ("par", 0)):
        features = standing(attacker, pokemon("corviknight", ["bravebird"]), statuses=(status, ""))
        assert features[0, COLUMN["faster"]] == faster


def test_terastallizing_strengthens_its_type():
    attacker = pokemon("garchomp", ATTACKERS["garchomp"], tera="Ground")
    features = standing(attacker, pokemon("blissey", ["icebeam"]))
    at = COLUMN["damage"]
    assert features[TERA_ACTION, at] == pytest.approx(features[0, at] * 4 / 3, rel=1e-5)
    assert features[TERA_ACTION + 2, at] == features[2, at]
    assert (features[TERA_ACTION : TERA_ACTION + MOVES, COLUMN["terastallizes"]] == 1).all()


def test_hit_points_left_make_a_knock_out():
    attacker, defender = pokemon("garchomp", ATTACKERS["garchomp"]), pokemon("blissey", ["icebeam"])
    words, _ = damage.situation(attacker, defender)
    most = int(LAYOUT.view(words).side[1].hp)
    weak = standing(attacker, defender, hp=(None, most // 20))
    assert weak[0, COLUMN["knocks out"]] == 1
    assert weak[0, COLUMN["damage"]] < 1
    assert weak[0, COLUMN["offense"]] == 1
