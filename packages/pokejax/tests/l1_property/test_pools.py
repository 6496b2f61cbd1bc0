"""L1: pools of teams, and teams as people write them."""

import jax
import numpy as np
import pytest

from pokejax import pools, rows, teams, teamtext
from pokejax.env import RandomBattle
from pokejax.state import LAYOUT, TEAM
from pokejax.tables import LISTED, MOST, NAMES, capacity, columns, params, table
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

EXPORTED = """Sparky (Pikachu) (M) @ Life Orb
Ability: Static
Level: 88
Shiny: Yes
Tera Type: Electric
EVs: 4 Def / 252 SpA / 252 Spe
IVs: 0 Atk
Timid Nature
- Thunderbolt
- Surf
"""
PACKED = "|pikachu|lifeorb|static|thunderbolt,surf|timid|,,4,252,,252|M|,0,,,,||88|,,,,,Electric"


def decoded(pool):
    return rows.POKEMON.decode([np.asarray(word) for word in pool[: rows.POKEMON_WORDS]])


def test_generated_teams_are_whole_and_of_six_different_species():
    pool = decoded(pools.generated())
    bases = (table("species")[0][pool["species"]] >> np.uint32(12)).reshape(-1, TEAM)
    assert len(bases) >= 100
    assert all(len(set(team)) == TEAM for team in bases.tolist())
    assert (pool["max_hp"] > 1).all()
    assert columns("teams.npz")["teams.members"].max() < len(teams.pool()["species"])


def test_the_default_pool_has_the_size_that_is_stated():
    assert len(pools.default()[0]) == pools.SIZE * TEAM


def test_pools_are_joined_and_none_is_larger_than_a_state_can_number():
    few = pools.composed(2, seed=1)
    assert len(pools.joined([few, few])[0]) == 4 * TEAM
    with pytest.raises(InvalidParamsError, match="teams of a pool: got 10924, expected at most 10922"):
        pools.joined([few] * 5462)
    with pytest.raises(InvalidParamsError, match="teams of a pool: got 0"):
        pools.composed(0, seed=1)


def test_parameters_of_pools_of_any_size_have_the_same_shapes():
    shapes = [
        jax.tree.map(np.shape, params(pool)) for pool in (pools.default(), pools.composed(1, 1), of(200), of(4095))
    ]
    assert all(one == shapes[0] for one in shapes)
    assert [int(params(of(count)).num_teams) for count in (1, 200, pools.SIZE)] == [1, 200, pools.SIZE]
    assert [capacity(count) for count in (pools.SIZE + 1, MOST - 1, MOST)] == [2 * pools.SIZE, MOST, MOST]


def of(count):
    """So many teams of the default pool."""
    return tuple(column[: count * TEAM] for column in pools.default())


def test_only_teams_of_the_pool_are_drawn_and_refreshed():
    env, three = RandomBattle(), params(of(3))
    init = jax.jit(jax.vmap(env.init, (0, None)))
    words = init(tuple(np.arange(400, dtype=np.uint32) * factor for factor in (2654435761, 40503)), three)
    sides = LAYOUT.view(words).side
    for side in sides:
        assert set(np.asarray(side.member[0].row).tolist()) == {0, TEAM, 2 * TEAM}
    again = env.refresh(three, jax.random.key(1))
    assert int(again.num_teams) == 3
    assert (again.pokemon != three.pokemon).any()
    assert jax.tree.map(np.shape, again) == jax.tree.map(np.shape, three)


def test_rows_in_the_order_of_what_they_show_are_those_of_the_pool():
    three = params(of(3))
    shown = decoded(of(3))["shown"]
    assert (np.diff(shown[three.by_shown[: 3 * TEAM]]) >= 0).all()
    assert sorted(three.by_shown.tolist()) == list(range(three.room))
    assert (three.by_shown[3 * TEAM :] >= 3 * TEAM).all()


def test_lists_of_numbers_have_room_in_common():
    given = params(of(1))
    assert {len(given.with_numbers(np.ones(count, np.uint32)).numbers) for count in (1, 2048, LISTED)} == {LISTED}
    more = given.with_numbers(np.ones(LISTED + 1, np.uint32)).numbers
    assert (len(more), more.sum()) == (2 * LISTED, LISTED + 1)


def test_both_forms_mean_the_same():
    assert teamtext.member(EXPORTED) == teamtext.member(PACKED)


def test_a_written_pokemon_has_the_stats_that_showdown_computes():
    found = teamtext.member(EXPORTED)  # by hand: base 35 55 40 50 50 90, level 88, Timid
    assert found["maxhp"] == (2 * 35 + 31) * 88 // 100 + 88 + 10
    attack = ((2 * 55 + 0) * 88 // 100 + 5) * 90 // 100
    speed = ((2 * 90 + 31 + 63) * 88 // 100 + 5) * 110 // 100
    assert (found["stats"][0], found["stats"][4]) == (attack, speed)
    assert found["tera"] == "Electric"


def test_a_written_team_becomes_a_pool():
    pool = decoded(teamtext.pool(["\n".join([EXPORTED] * TEAM), "]".join([PACKED] * TEAM)]))
    assert len(pool["species"]) == 2 * TEAM
    assert NAMES["move"][pool["moves"][1][0]] == "surf"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Thunderbolt", "Thunderbold"), r"move: got thunderbold"),
        (("Static", "Statik"), r"ability: got statik"),
        (("Life Orb", "Life Ork"), r"item: got lifeork"),
        (("(Pikachu)", "(Pikachoo)"), r"team 0, line 1: species: got 'Pikachoo'"),
        (("Timid Nature", "Timit Nature"), r"team 0, line 1: nature: got 'Timit'"),
        (("Level: 88", "Level: 888"), r"team 0, line 1: level: got 888, expected 1 to 100"),
        (("Level: 88", "Level: high"), r"team 0, line 3: level: got 'high', expected an integer"),
        (("252 SpA", "999 SpA"), r"team 0, line 1: EVs: got 999"),
        (("4 Def", "200 Def"), r"team 0, line 1: EVs: got 704 in all, expected at most 510"),
        (("4 Def", "4 Dex"), r"team 0, line 6: EVs: got 4 Dex"),
        (("0 Atk", "32 Atk"), r"team 0, line 1: IVs: got 32"),
        (("- Surf", "- Thunderbolt"), r"team 0, line 1: moves: got thunderbolt, thunderbolt"),
        (("Shiny: Yes", "Colour: red"), r"team 0, line 4: got Colour: red"),
        (("Electric", "Stellar"), r"tera type: got Stellar"),
    ],
)
def test_what_is_wrong_in_a_team_is_named_with_its_line(change, message):
    text = EXPORTED.replace(*change) + "\n" + "\n".join([EXPORTED] * (TEAM - 1))
    with pytest.raises(InvalidParamsError, match=message):
        teamtext.pool([text])


def test_a_packed_team_with_a_field_missing_is_refused():
    with pytest.raises(InvalidParamsError, match="team 0, Pokémon 5: got 11 fields, expected 12"):
        teamtext.pool(["]".join([*[PACKED] * 5, PACKED.rsplit("|", 1)[0]])])


@pytest.mark.parametrize(
    "change",
    [
        ("Sparky", "a | b"),
        ("Sparky", "a@b"),
        ("Sparky", "[a]"),
        ("Sparky ", ""),
        ("Sparky (Pikachu)", "Pikachu"),
        ("Shiny: Yes", "Pokeball: Dusk Ball\nGigantamax: Yes\nDynamax Level: 3"),
        ("Ability", "Trait"),
        ("Timid Nature", "Timid nature"),
        ("- Surf", "~ Surf"),
        ("- Surf", "-Surf"),
        ("Sparky", "\ufeffSparky"),
        ("\n", "\r\n"),
        ("\n", "  \n"),
    ],
)
def test_exported_forms_that_showdown_reads_alike(change):
    assert teamtext.member(EXPORTED.replace(*change)) == teamtext.member(EXPORTED)


def test_packed_nicknames_may_hold_what_separates_pokemon():
    team = "]".join([f"a]b{PACKED}", *[PACKED] * 5])
    assert teamtext.described(f"\ufeff{team}\r\n") == teamtext.described("]".join([PACKED] * TEAM))


@pytest.mark.parametrize("name", ["Flabébé", "Flabe\u0301be\u0301", "Flabebe"])
def test_accents_are_no_part_of_an_id(name):
    assert teamtext.to_id(name) == "flabebe"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EXPORTED.replace("Sparky", "a @ b"), r"Pokémon, line 1: got a @ b .*, expected one ' @ '"),
        (EXPORTED.replace("Ability: Static\n", ""), r"Pokémon, line 1: ability: got none"),
        (EXPORTED.replace("Level: 88", "Level: 8_8"), r"line 3: level: got '8_8'"),
        (PACKED.replace("static", ""), r"Pokémon, Pokémon 0: ability: got none"),
        (PACKED.replace("static", "H"), r"Pokémon, Pokémon 0: ability: got slot H"),
        (PACKED.replace("|88|", "|" + "9" * 5000 + "|"), r"Pokémon 0: level: got '9{40}'"),
        (PACKED + "|", r"Pokémon 0: got 13 fields"),
        ('[{"species": "Pikachu"}]', r"line 1: got JSON"),
    ],
)
def test_what_showdown_would_guess_is_refused(text, message):
    with pytest.raises(InvalidParamsError, match=message):
        teamtext.member(text)


def test_files_of_teams(tmp_path):
    path, one = tmp_path / "teams.txt", "\n".join([EXPORTED] * TEAM)
    wanted = [column.tolist() for column in teamtext.pool([one, one])]
    for content in (
        f"=== [gen9] first ===\n\n{one}\n=== second ===\n{one}".encode("utf-16"),
        f"{']'.join([PACKED] * TEAM)}\r\n{']'.join([PACKED] * TEAM)}\r\n".encode("utf-8-sig"),
    ):
        path.write_bytes(content)
        assert [column.tolist() for column in teamtext.read(path)] == wanted
    path.write_bytes(b"Pikachu\n\xff")
    with pytest.raises(InvalidParamsError, match=r"teams .*, line 2: .*save it as UTF-8"):
        teamtext.read(path)
    with pytest.raises(InvalidParamsError, match="a file of teams"):
        teamtext.read(tmp_path / "missing")
    path.write_bytes(b"")
    with pytest.raises(InvalidParamsError, match="got 0 teams"):
        teamtext.read(path)


def test_seven_are_no_team():
    with pytest.raises(InvalidParamsError, match="team 0: got 7 Pokémon"):
        teamtext.pool(["]".join([PACKED] * 7)])


def test_a_gender_that_is_left_out_is_the_species_own_or_drawn():
    def genders(species, seed):
        one = f"{species}||lifeorb|static|surf|||{{}}||||,,,,,Water"
        teams_ = ["]".join([one.format("")] * TEAM)] * 8
        return {int(gender) for gender in decoded(teamtext.pool(teams_, seed))["gender"]}

    assert genders("pikachu", 0) == {1, 2}
    assert genders("chansey", 0) == {2}
    assert genders("magnezone", 0) == {0}


def test_who_holds_a_rusted_sword_is_crowned_with_the_ability_that_comes_with_it():
    one = teamtext.member("zacian||rustedsword|thickfat|ironhead,surf||||||50|,,,,,Steel")
    assert (one["species"], one["ability"]) == ("zaciancrowned", "intrepidsword")
    assert [move for move, _ in one["moves"]] == ["behemothblade", "surf"]
    with pytest.raises(InvalidParamsError, match=r"species: got zaciancrowned, .*; write zacian"):
        teamtext.member("zaciancrowned||rustedsword|thickfat|ironhead||||||50|,,,,,Steel")
