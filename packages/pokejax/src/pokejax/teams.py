"""Teams for the engine: from columns of the reference's generator, checked and packed.

What does not belong to the format is refused here, by name.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pokejax import rows
from pokejax.effects import (
    BOUND,
    CHANGED_ABILITIES,
    CHANGES,
    CROWNED,
    MASKED,
    MASKED_TYPES,
    REVERTING,
    SHOWN,
    TERASTALS,
    TRANSFORMERS,
    beat_power,
)
from pokejax.tables import NAMES, NUMBERS_OF, columns, table
from rlenv_shared.errors import InvalidParamsError, explain

Arrays = Mapping[str, NDArray[Any]]
TEAM = 6
_NOBODY: Mapping[str, int] = {"max_hp": 1, "level": 1}
"""Fields of who is not there, but for zeros."""
ORDINARY_TYPES = tuple(name for name in NAMES["type"] if name not in ("", "Stellar"))


def pool() -> Arrays:
    """The generated Pokémon that ship with the package: columns ``[pokemon, ...]`` in the reference's numbers."""
    return {name.removeprefix("pokemon."): column for name, column in columns("pokemon.npz").items()}


def described_pool() -> Arrays:
    """The same without the words that the engine reads, as the reference takes them."""
    return {name: column for name, column in pool().items() if not name.startswith("word")}


def shipped(count: int, seed: int) -> tuple[NDArray[np.uint32], ...]:
    """Columns of `rows.POKEMON` for random teams of the shipped Pokémon, six different species each.

    Args:
        count: of teams.
        seed: of NumPy's generator.
    """
    found = pool()
    bases = table("species")[0][found["species"]] >> np.uint32(12)
    rng = np.random.default_rng(seed)
    members: list[int] = []
    for _ in range(count):
        team: list[int] = []
        while len(team) < TEAM:
            candidate = int(rng.integers(len(bases)))
            if bases[candidate] not in bases[team]:
                team.append(candidate)
        members += team
    words = sum(name.startswith("word") for name in found)
    return tuple(found[f"word{k}"][members] for k in range(words))


def constants(described: list[list[Mapping[str, Any]]]) -> tuple[NDArray[np.uint32], ...]:
    """Columns of `rows.POKEMON` for teams, and the same columns twice more for what they may become.

    A team of less than six is filled up with rows of no species, who are not there.

    Args:
        described: per team, as the reference describes it at the start of a battle, one to six mappings with
            ``species``, ``level``, ``gender``, ``ability``, ``item``, ``maxhp``, five ``stats``, ``moves`` (pairs of id
            and PP), ``tera``, ``weight`` in hg; who can become another species or transform also six ``evs`` and
            ``ivs`` and its ``nature``.

    Raises:
        InvalidParamsError: something that the engine does not play, with the team, the Pokémon and the field.
    """
    for t, team in enumerate(described):
        check(team, f"team {t}")
    found = _columns(described)
    for becomes in (CHANGES, CHANGES | TERASTALS):
        found += _columns([[changed(member, becomes) for member in team] for team in described])
    return found


def changed(member: Mapping[str, Any], becomes: Mapping[str, str] = CHANGES) -> Mapping[str, Any]:
    """What a described Pokémon may become (`effects.CHANGES`); itself if it stays what it is."""
    species = becomes.get(member["species"])
    if species is None:
        return member
    number = NUMBERS_OF["species"][species]
    third = int(table("species")[2][number])
    nature = NUMBERS_OF["nature"][member["nature"].lower()] if member["nature"] else 0
    stats = stats_of(
        base_stats(number), member["level"], member["evs"], member["ivs"], int(table("natures")[0][nature])
    )
    ability = CHANGED_ABILITIES.get(species, member["ability"])
    other = {"species": species, "maxhp": stats[0], "stats": stats[1:], "weight": third >> 16 & 0x7FFF}
    return {**member, **other, "ability": ability}


def base_stats(species: int) -> list[int]:
    """HP, Attack, Defense, Special Attack, Special Defense and Speed of a species, by its number."""
    second, third = (int(column[species]) for column in table("species")[1:])
    return [second >> 8 * k & 255 for k in range(4)] + [third & 255, third >> 8 & 255]


def stats_of(base: Sequence[int], level: int, evs: Sequence[int], ivs: Sequence[int], nature: int) -> list[int]:
    """HP, Attack, Defense, Special Attack, Special Defense and Speed.

    Args:
        base: base stats in this order; `evs` and `ivs` likewise.
        level: 1 to 100.
        evs: effort values.
        ivs: individual values.
        nature: what it raises, and above three bits what it lowers; 0 for none.
    """
    raised, lowered = nature & 7, nature >> 3
    found = []
    for k, (own, effort, individual) in enumerate(zip(base, evs, ivs, strict=True), start=1):
        grown = (2 * own + individual + effort // 4) * level // 100
        percent = 100 + 10 * (k == raised) - 10 * (k == lowered)
        found.append(grown + level + 10 if k == 1 else (grown + 5) * percent // 100)
    return found


@functools.cache
def _beat_power(species: str) -> int:
    """The power of its blow in Beat Up; a species counts as what it was when the team was made."""
    before = {after: species for table_ in (CHANGES, TERASTALS) for species, after in table_.items()}
    before |= {crowned: base for (base, _), crowned in CROWNED.items()}
    own = NUMBERS_OF["species"][before.get(species, species)]
    return int(beat_power(int(table("species")[1][own]) >> 8 & 255))


def types_of(member: Mapping[str, Any]) -> tuple[int, int]:
    """Both types of a described Pokémon, by number; an Arceus with Multitype has that of its plate."""
    if member["ability"] == "multitype" and member["species"].startswith("arceus"):
        item = rows.ITEM.decode([word[NUMBERS_OF["item"][member["item"]]] for word in table("items")])
        return int(item["plate"]) or NUMBERS_OF["type"]["Normal"], 0
    word = int(table("species")[0][NUMBERS_OF["species"][member["species"]]])
    return word & 31, word >> 5 & 31


def ability_of(member: Mapping[str, Any]) -> int:
    """The number of a described Pokémon's ability; one that is bound to another species does nothing (`BOUND`)."""
    names, name = NAMES["ability"], member["ability"]
    if member["species"] in BOUND.get(name, (member["species"],)):
        return names.index(name)
    return len(names) - 1 - names[::-1].index(name)


def _columns(described: list[list[Mapping[str, Any]]]) -> tuple[NDArray[np.uint32], ...]:
    """Rows of six to a team; what is refused has been before."""
    fields: dict[str, list[int]] = {place.path: [] for place in rows.POKEMON.places()}
    species = table("species")[0]
    for team in described:
        for member in team:
            number = NUMBERS_OF["species"][member["species"]]
            word = int(species[number])
            first, second = types_of(member)
            values = {
                "max_hp": member["maxhp"],
                **dict(zip(("atk", "def_", "spa", "spd", "spe"), member["stats"], strict=True)),
                "level": member["level"], "species": number,
                "ability": ability_of(member), "item": NUMBERS_OF["item"][member["item"]],
                "type1": first, "type2": second,
                "tera_type": NUMBERS_OF["type"][member["tera"]], "can_evolve": word >> 10 & 1,
                "weight": member["weight"], "base": word >> 12,
                "reverts": NAMES["species"][word >> 12] in REVERTING,
                "masked": NAMES["species"][word >> 12] in MASKED, "paradox": word >> 11 & 1,
                "beat_power": _beat_power(member["species"]),
                "gender": rows.GENDERS.index(member["gender"].strip("N")),
                "shown": NUMBERS_OF["species"][SHOWN.get(member["species"], member["species"])],
                "base_spe": int(table("species")[2][number]) >> 8 & 255, **_speed_of_another(member),
            }  # fmt: skip
            moves = [NUMBERS_OF["move"][name] for name, _ in member["moves"]]
            values |= {f"moves[{k}]": (moves + [0] * 4)[k] for k in range(4)}
            for name, column in fields.items():
                column.append(values[name])
        for column_name, column in fields.items():
            column += [_NOBODY.get(column_name, 0)] * (TEAM - len(team))
    arrays: dict[str, Any] = {name: np.array(column, np.int32) for name, column in fields.items() if "[" not in name}
    for flag in ("can_evolve", "reverts", "masked", "paradox"):
        arrays[flag] = arrays[flag].astype(bool)
    arrays["moves"] = [np.array(fields[f"moves[{k}]"], np.int32) for k in range(4)]
    words = rows.POKEMON.encode(arrays, (len(fields["level"]),))
    return tuple(np.asarray(word, np.uint32) for word in words)


def _speed_of_another(member: Mapping[str, Any]) -> dict[str, int]:
    """What a transformer's Speed hangs on besides the other's species; of anybody else nobody asks."""
    if member["species"] not in TRANSFORMERS:
        return {"spe_effort": 0, "spe_nature": 0}
    nature = NUMBERS_OF["nature"][member["nature"].lower()] if member["nature"] else 0
    plus, minus = (int(table("natures")[0][nature]) >> shift & 7 for shift in (0, 3))
    spe = rows.STATS.index("spe")
    return {
        "spe_effort": member["ivs"][spe] + member["evs"][spe] // 4,
        "spe_nature": 0 if plus == minus else (plus == spe + 1) + 2 * (minus == spe + 1),
    }


def check(team: Sequence[Mapping[str, Any]], where: str) -> None:
    """Refuse what is not played; arguments and errors as of `constants`, of one team."""
    if not 1 <= len(team) <= TEAM:
        raise _refused(where, f"{len(team)} Pokémon", f"1 to {TEAM}", "add or remove some")
    feigning = sum(member["ability"] == "illusion" for member in team)
    if feigning > 1:
        raise _refused(f"{where}: Illusion", f"{feigning} Pokémon", "one at most", "choose another")
    for m, member in enumerate(team):
        at = f"{where}, Pokémon {m}"
        base = int(table("species")[0][_known("species", member["species"], at)]) >> 12
        for kind in ("ability", "item"):
            _known(kind, member[kind], at)
        for name, _ in member["moves"]:
            _known("move", name, at)
            if name == "struggle":
                raise _refused(f"{at}: move", name, "one that somebody can learn", "choose another")
        _known("type", member["tera"], at)
        _check_species(member, at)
        if NAMES["species"][base] == "ogerpon":
            _check_ogerpon(member, at)
        _check_shell(member, NAMES["species"][base], at)
        _check_transformer(member, at)
        _check_tera_type(member["tera"], NAMES["species"][base], at)


def _check_species(member: Mapping[str, Any], where: str) -> None:
    """Nobody begins as what it only becomes in a battle; who has been crowned when it began is."""
    before = NAMES["species"][table("battle_only")[0][NUMBERS_OF["species"][member["species"]]]]
    if before and CROWNED.get((before, member["item"])) != member["species"]:
        raise _refused(f"{where}: species", member["species"], "what it is before a battle", f"write {before}")


def _check_ogerpon(member: Mapping[str, Any], where: str) -> None:
    """An Ogerpon wears its own mask or none, and its ability is one that it can lose when it Terastallizes."""
    name = member["item"].removesuffix("mask")
    if name != member["item"] and member["species"] != f"ogerpon{name}":
        got, expected = f"{member['item']} held by {member['species']}", f"ogerpon{name} to hold it"
        raise _refused(f"{where}: item", got, expected, "choose another")
    ability = rows.ABILITY.decode([word[NUMBERS_OF["ability"][member["ability"]]] for word in table("abilities")])
    if ability["stays"]:
        raise _refused(f"{where}: ability", member["ability"], "one that an Ogerpon can lose", "choose another")


def _check_shell(member: Mapping[str, Any], base: str, where: str) -> None:
    """A Terapagos that never unfolds would strengthen each type once, when it is Stellar, as nobody else does."""
    if base == "terapagos" and member["ability"] != "terashift":
        raise _refused(f"{where}: ability", member["ability"], "terashift of a Terapagos", "choose it")


def _check_transformer(member: Mapping[str, Any], where: str) -> None:
    """Who transforms must not be of a species that changes, nor know anything else."""
    moves = [name for name, _ in member["moves"]]
    if "transform" not in moves and member["ability"] != "imposter":
        return
    expected = TRANSFORMERS.get(member["species"], ())
    if member["ability"] not in expected or moves != ["transform"]:
        got = f"{member['species']} with {member['ability']} and {', '.join(moves)}"
        raise _refused(f"{where}: Transform", got, "Ditto with Imposter or Limber and no other move", "choose another")


def _check_tera_type(tera: str, base: str, where: str) -> None:
    """Some species only have some tera types, and others have theirs to themselves."""
    allowed = MASKED_TYPES.get(base)
    if tera not in (allowed or ORDINARY_TYPES):
        expected = f"one of {', '.join(allowed)}" if allowed else "an ordinary type"
        raise _refused(f"{where}: tera type", tera, expected, "choose another")


def _known(kind: str, name: str, where: str) -> int:
    if name not in NAMES[kind]:
        count = len(set(NAMES[kind])) - 1
        raise _refused(f"{where}: {kind}", name, f"one of the {count} that are played", "choose another")
    return NUMBERS_OF[kind][name]


def _refused(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(what, got=got, expected=expected, remedy=remedy))
