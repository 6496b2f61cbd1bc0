"""L1: the tables, the state's layout, and teams that are refused."""

import types

import jax.numpy as jnp
import numpy as np
import pytest

from pokejax import effects, rows, teams
from pokejax.data import DATA, MANIFEST
from pokejax.rules.mechanics.copying import bare_speed
from pokejax.rules.mechanics.numbers import chain, fraction, modify, staged
from pokejax.state import LAYOUT
from pokejax.tables import NAMES, _read, interleaved, likeness, separated, stride, table
from rlenv_shared.errors import InvalidParamsError, SnapshotVersionError

pytestmark = pytest.mark.l1


def member(**changes):
    found = {
        "species": "pikachu", "level": 80, "ability": "static", "item": "", "maxhp": 200,
        "stats": [100, 100, 100, 100, 100], "moves": [["thunderbolt", 24]], "tera": "Electric", "weight": 60,
        "gender": "N", "nature": "", "evs": [85] * 6, "ivs": [31] * 6,
    }  # fmt: skip
    return found | changes


def test_a_state_is_small():
    assert LAYOUT.num_words * 4 <= 416
    assert max(place.field.high for place in LAYOUT.places() if place.path.endswith(".item")) >= len(NAMES["item"]) - 1


def test_every_move_has_a_row_that_says_what_it_is():
    earthquake = NAMES["move"].index("earthquake")
    row = rows.MOVE.decode([word[earthquake] for word in table("moves")])
    assert (row["power"], row["accuracy"], NAMES["type"][row["type"]]) == (100, 100, "Ground")
    assert all(len(column) == len(NAMES["move"]) for column in table("moves"))


def test_rows_lie_whole_in_one_line_and_come_apart_again():
    columns, flat = table("moves"), interleaved(table("moves"))
    assert stride(rows.MOVE) == 16
    assert flat.shape == (16 * len(NAMES["move"]),)
    earthquake = NAMES["move"].index("earthquake")
    words = [flat[earthquake * stride(rows.MOVE) + number] for number in range(rows.MOVE.num_words)]
    assert [word.view(np.uint32) for word in words] == [column[earthquake] for column in columns]
    np.testing.assert_array_equal(separated(rows.MOVE, flat), columns)


def test_moves_that_need_the_same_rules_are_neighbours():
    places = likeness()
    assert sorted(places) == list(range(len(NAMES["move"])))
    moves = rows.MOVE.decode(table("moves"))
    in_order = moves["category"][np.argsort(places)]
    assert (np.diff(in_order) >= 0).all()  # those that do no damage together
    waves = [places[NAMES["move"].index(name)] for name in ("swordsdance", "nastyplot", "thunderwave")]
    assert abs(int(waves[0]) - int(waves[1])) < abs(int(waves[0]) - int(waves[2]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": [["transform", 16]]}, "team 0, Pokémon 2: Transform: got pikachu with static and transform"),
        ({"species": "ditto", "ability": "imposter"}, "team 0, Pokémon 2: Transform: got ditto with .* thunderbolt"),
        ({"moves": [["beatup", 16], ["sketch", 1]]}, "team 0, Pokémon 2: move: got sketch"),
        ({"ability": "neutralizinggas"}, "team 0, Pokémon 2: ability: got neutralizinggas"),
        ({"item": "bigroot"}, "team 0, Pokémon 2: item: got bigroot"),
        (
            {"species": "ogerpon", "item": "wellspringmask"},
            "item: got wellspringmask held by ogerpon, expected ogerponwell",
        ),
        ({"species": "ogerpon", "ability": "comatose"}, "ability: got comatose, expected one that an Ogerpon can lose"),
        ({"species": "terapagos"}, "team 0, Pokémon 2: ability: got static, expected terashift"),
        ({"species": "terapagos", "ability": "terashift"}, "team 0, Pokémon 2: tera type: got .*Stellar"),
        ({"species": "palafinhero"}, "team 0, Pokémon 2: species: got palafinhero, .*; write palafin"),
        ({"species": "zaciancrowned"}, "team 0, Pokémon 2: species: got zaciancrowned, .*; write zacian"),
        ({"tera": "Stellar"}, "team 0, Pokémon 2: tera type: got Stellar"),
    ],
)
def test_what_does_not_belong_to_the_format_is_refused_by_name(change, message):
    team = [member() for _ in range(6)]
    assert len(teams.constants([team])[0]) == 6
    team[2] = member(**change)
    with pytest.raises(InvalidParamsError, match=message):
        teams.constants([team])


def test_two_with_illusion_in_a_team_are_refused():
    one = member(species="zoroark", ability="illusion")
    assert len(teams.constants([[one, *[member()] * 5]])[0]) == 6
    with pytest.raises(InvalidParamsError, match="team 0: Illusion: got 2 Pokémon, expected one at most"):
        teams.constants([[one, *[member()] * 4, one | {"species": "zoroarkhisui"}]])


@pytest.mark.parametrize(("nature", "code"), [("", 0), ("jolly", 1), ("brave", 2), ("hardy", 0)])
def test_a_transformer_s_speed_is_that_of_the_other_species_with_its_own_effort(nature, code):
    evs, ivs = [0, 0, 0, 0, 0, 252], [31, 31, 31, 31, 31, 30]
    ditto = member(species="ditto", ability="imposter", moves=[["transform", 16]], nature=nature, evs=evs, ivs=ivs)
    words = teams.constants([[ditto, *[member()] * 5]])[: rows.POKEMON_WORDS]
    row = rows.POKEMON.decode([word[0] for word in words])
    assert (row["spe_effort"], row["spe_nature"], row["base_spe"]) == (93, code, 48)
    itself = types.SimpleNamespace(**row)
    number = int(table("natures")[0][NAMES["nature"].index(nature)]) if nature else 0
    for base in (5, 48, 142, 200):
        assert bare_speed(itself, jnp.int32(base)) == teams.stats_of([0] * 5 + [base], 80, evs, ivs, number)[5]


@pytest.mark.parametrize("count", [0, 7])
def test_a_team_of_none_or_seven_is_refused(count):
    with pytest.raises(InvalidParamsError, match=f"team 0: got {count} Pokémon, expected 1 to 6"):
        teams.constants([[member()] * count])


def test_a_team_of_two_is_filled_up_with_nobody():
    columns = teams.constants([[member()] * 2, [member()] * 6])
    rows_ = rows.POKEMON.decode(columns[: rows.POKEMON_WORDS])
    assert (rows_["species"] > 0).tolist() == [True] * 2 + [False] * 4 + [True] * 6


@pytest.mark.parametrize(
    ("species", "ability", "works"),
    [("mimikyu", "disguise", True), ("pikachu", "disguise", False), ("ogerpon", "embodyaspectteal", False)],
)
def test_an_ability_of_another_species_does_nothing(species, ability, works):
    number = teams.ability_of(member(species=species, ability=ability))
    row = rows.ABILITY.decode([word[number] for word in table("abilities")])
    assert NAMES["ability"][number] == ability
    assert bool(row["disguise"] or row["entry_boosts"]) == works
    assert row["breakable"] == (ability == "disguise")


@pytest.mark.parametrize(
    ("species", "item", "ability", "types"),
    [
        ("arceus", "flameplate", "multitype", "Fire"),
        ("arceusfire", "splashplate", "multitype", "Water"),
        ("arceusfire", "", "multitype", "Normal"),
        ("arceusfire", "splashplate", "protean", "Fire"),
    ],
)
def test_multitype_alone_makes_a_type_of_a_plate(species, item, ability, types):
    one = member(species=species, item=item, ability=ability)
    assert teams.types_of(one) == (NAMES["type"].index(types), 0)


def test_a_changed_file_is_refused(tmp_path):
    for name in (MANIFEST, "names.json"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    assert _read("names.json", tmp_path)
    (tmp_path / "names.json").write_text("{}")
    with pytest.raises(SnapshotVersionError, match=r"names\.json"):
        _read("names.json", tmp_path)


def test_multipliers_are_rounded_as_showdown_rounds_them():
    value = jnp.arange(1, 70000, 7, dtype=jnp.int32)
    for by in (2048, 3072, 4915, 5324, 5325, 6144, 8192):
        expected = (np.asarray(value, np.int64) * by + 2047) // 4096
        np.testing.assert_array_equal(modify(value, jnp.full_like(value, by)), expected)
        assert chain(4096, by) == by
    assert chain(5324, 6144) == (5324 * 6144 + 2048) // 4096


def test_stages_and_fractions():
    stat = jnp.arange(1, 700, dtype=jnp.int32)
    table_ = [1, 1.5, 2, 2.5, 3, 3.5, 4]
    for stage in range(-6, 7):
        factor = table_[abs(stage)]
        expected = [int(s * factor) if stage >= 0 else int(s / factor) for s in np.asarray(stat).tolist()]
        np.testing.assert_array_equal(staged(stat, jnp.int32(stage)), expected)
    for code, (above, below) in enumerate(rows.FRACTIONS):
        expected = [int(s * above / below + 0.5) for s in np.asarray(stat).tolist()]
        np.testing.assert_array_equal(fraction(stat, jnp.int32(code)), expected)


EFFECTS = {
    "ability": (effects.ABILITIES, rows.ABILITY),
    "move": (effects.MOVES, rows.MOVE),
    "item": (effects.ITEMS, rows.ITEM),
}


@pytest.mark.parametrize("kind", EFFECTS)
def test_a_flag_that_one_effect_alone_has_is_called_as_that_effect_is(kind):
    """So a rule says ``ability.sheer_force``; what several have is called after what they do."""
    entries, layout = EFFECTS[kind]
    flags = {place.path for place in layout.places() if place.field.dtype == np.bool_}
    row = layout.view(table({"ability": "abilities", "move": "moves", "item": "items"}[kind]))
    for flag in {name for entry in entries.values() for name in entry} & flags:
        having = [name for name, entry in entries.items() if entry.get(flag) is True]
        if len(having) == 1 and np.asarray(getattr(row, flag)).sum() == 1:
            assert flag.replace("_", "") == having[0]
