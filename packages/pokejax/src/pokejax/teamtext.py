"""Teams as people write them: Showdown's packed form and its export form, read into what `teams.constants` takes.

Packed, one team to a text: ``name|species|item|ability|moves|nature|evs|gender|ivs|shiny|level|…,…,…,…,…,teratype``,
Pokémon separated by ``]``.  Exported, one Pokémon to a paragraph::

    Pikachu (M) @ Life Orb
    Ability: Static
    Level: 88
    Tera Type: Electric
    EVs: 252 SpA / 4 SpD / 252 Spe
    Timid Nature
    - Thunderbolt

Both are read as Showdown reads them, nicknames with ``|``, ``]`` and ``@`` included; what it would pass over in silence
is refused.  Without other words a Pokémon has level 100, its species' gender or one that is drawn, no effort values and
individual values of 31; a generated team says what its Pokémon have.  What the engine does not play exactly is refused
by name, with line and field.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from pokejax import teams
from pokejax.effects import CROWNED, CROWNED_ABILITIES, CROWNED_MOVES
from pokejax.rows import STATS
from pokejax.state import MOVES, TEAM
from pokejax.tables import NAMES, table
from rlenv_shared import files
from rlenv_shared.errors import EnvError, InvalidParamsError, explain

MOST_LEVEL, MOST_EV, MOST_EVS, MOST_IV = 100, 255, 510, 31
GENDERS: Final = ("M", "F", "N")
SHORT: Final = dict(zip(("HP", "Atk", "Def", "SpA", "SpD", "Spe"), STATS, strict=True))
WITHOUT_EFFECT: Final = (  # on a battle of Gen 9
    "Shiny", "Happiness", "Hidden Power", "Pokeball", "Gigantamax", "Dynamax Level"
)  # fmt: skip
SLOTS: Final = ("", "0", "1", "h", "s")  # of an ability in packed form, which Showdown looks up
PACKED_FIELDS: Final = (
    "name", "species", "item", "ability", "moves", "nature", "evs", "gender", "ivs", "shiny", "level", "rest"
)  # fmt: skip


@dataclasses.dataclass
class Written:
    """A Pokémon as it was written; ``where`` says in which line, for errors."""

    where: str
    species: str
    item: str = ""
    ability: str = ""
    nature: str = ""
    gender: str = ""
    level: int = MOST_LEVEL
    tera: str = ""
    moves: list[str] = dataclasses.field(default_factory=list)
    evs: list[int] = dataclasses.field(default_factory=lambda: [0] * len(STATS))
    ivs: list[int] = dataclasses.field(default_factory=lambda: [MOST_IV] * len(STATS))


def pool(texts: Iterable[str], seed: int = 0) -> tuple[NDArray[np.uint32], ...]:
    """A pool of the teams written in these texts, packed or exported.

    Args:
        texts: one for each team.
        seed: of NumPy's generator, which draws genders that are left out; Showdown draws them before a battle.

    Raises:
        InvalidParamsError: a team that is malformed, impossible, or not played exactly; with team, line and field.
    """
    rng = np.random.default_rng(seed)
    return teams.constants([described(text, f"team {t}", rng) for t, text in enumerate(texts)])


class Draws(Protocol):
    """What draws genders, as NumPy's generators do."""

    def integers(self, below: int, /) -> Any:
        """A number on [0, below)."""


def described(text: str, where: str = "team", rng: Draws | None = None) -> list[Mapping[str, Any]]:
    """One team of one to six as `teams.constants` takes it; ``rng`` draws genders; errors as of `pool`."""
    written = _written(text, where)
    if not 1 <= len(written) <= TEAM:
        raise _refused(where, f"{len(written)} Pokémon", f"1 to {TEAM} Pokémon", "add or remove some")
    rng = np.random.default_rng(0) if rng is None else rng
    return [_described(one, rng) for one in written]


def read(path: str | Path) -> tuple[NDArray[np.uint32], ...]:
    """A pool of the teams in a file: exported, each under a line ``=== its name ===``, or packed, one to a line.

    Raises:
        InvalidParamsError: there is no such file, or it holds no text; else as of `pool`.
    """
    try:
        text = files.decoded(Path(path).read_bytes(), f"teams {path}")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, EnvError):
            raise
        raise InvalidParamsError(f"teams {path}", error, "a file of teams", "correct the path") from None
    lines = text.strip().splitlines()
    if all("|" in line for line in lines if line.strip()):
        texts = [line for line in lines if line.strip()]
    else:
        texts = [part for part in re.split(r"(?m)^\s*===.*$", text) if part.strip()]
    if not texts:
        raise InvalidParamsError(f"teams {path}", "0 teams", "at least one", "write one")
    return pool(texts)


def member(text: str, where: str = "Pokémon") -> dict[str, Any]:
    """The first Pokémon of a text as `teams.constants` takes it; errors as of `pool`."""
    written = _written(text, where)
    if not written:
        raise _refused(where, "nothing", "a Pokémon in packed or export form", "write one")
    return _described(written[0], np.random.default_rng(0))


def described_set(fields: Mapping[str, Any], gender: str, where: str = "set") -> dict[str, Any]:
    """One of Showdown's sets, an object with ``species``, ``moves`` and so on, as `teams.constants` takes it.

    Args:
        fields: of the set; ``evs`` and ``ivs`` are objects by stat, and what is left out is Showdown's default.
        gender: M, F or N, which a set may leave out.
        where: for errors, which are those of `pool`, but that a set of a battle may have more effort in all.
    """

    def numbers(name: str, default: int) -> list[int]:
        given = fields.get(name)
        given = given if isinstance(given, Mapping) else {}
        return [_integer(str(given.get(stat, default)), f"{where}{name}") for stat in STATS]

    def text(name: str) -> str:
        return str(fields.get(name) or "")

    moves = fields.get("moves")
    written = Written(
        where, text("species") or text("name"), text("item"), text("ability"), text("nature"), gender,
        _integer(text("level") or str(MOST_LEVEL), f"{where}level"), text("teraType"),
        [str(move) for move in moves] if isinstance(moves, list) else [], numbers("evs", 0), numbers("ivs", MOST_IV),
    )  # fmt: skip
    return _described(written, np.random.default_rng(0), most_evs=len(STATS) * MOST_EV)


def to_id(name: str) -> str:
    """A name as ids are written; Flabébé is flabebe."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", name).lower())


# --- the two forms --------------------------------------------------------------------------------------------------


def _written(text: str, where: str) -> list[Written]:
    """A text of one line with bars is packed, as for Showdown; bars of longer ones belong to nicknames."""
    text = text.lstrip("\ufeff")
    lines = text.strip().splitlines()
    if re.match(r"\s*\[\s*\{", text):
        raise _refused(f"{where}, line 1", "JSON", "Showdown's packed or export form", "export the team")
    return _packed(lines[0], where) if len(lines) == 1 and "|" in lines[0] else _exported(text, where)


def _packed(text: str, where: str) -> list[Written]:
    """Fields are cut off one after the other: a nickname may hold what separates Pokémon."""
    found: list[Written] = []
    more = "]"
    while more:
        at = f"{where}, Pokémon {len(found)}"
        parts = text.split("|", len(PACKED_FIELDS) - 1)
        if len(parts) < len(PACKED_FIELDS):
            raise _fields(at, len(parts))
        last, more, text = parts[-1].partition("]")
        if "|" in last:
            raise _fields(at, len(PACKED_FIELDS) + last.count("|"))
        found.append(_packed_member(dict(zip(PACKED_FIELDS, [*parts[:-1], last], strict=True)), at))
    return found


def _fields(where: str, count: int) -> InvalidParamsError:
    expected = f"{len(PACKED_FIELDS)}, {'|'.join(PACKED_FIELDS)}"
    return _refused(where, f"{count} fields", expected, "add or remove bars")


def _packed_member(field: Mapping[str, str], where: str) -> Written:
    rest = field["rest"].split(",")
    return Written(
        where,
        species=field["species"] or field["name"],
        item=field["item"],
        ability=field["ability"],
        nature=field["nature"],
        gender=field["gender"],
        level=_integer(field["level"] or str(MOST_LEVEL), f"{where}: level"),
        tera=rest[5] if len(rest) > 5 else "",
        moves=[move for move in field["moves"].split(",") if move],
        evs=_six(field["evs"], 0, f"{where}: evs"),
        ivs=_six(field["ivs"], MOST_IV, f"{where}: ivs"),
    )


def _six(text: str, default: int, where: str) -> list[int]:
    if not text.strip(","):
        return [default] * len(STATS)
    parts = text.split(",")
    if len(parts) != len(STATS):
        raise _refused(where, f"{len(parts)} numbers", f"{len(STATS)}, separated by commas", "leave none out")
    return [_integer(part, where) if part else default for part in parts]


def _exported(text: str, where: str) -> list[Written]:
    found: list[Written] = []
    current: Written | None = None
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line.startswith("==="):
            continue
        if line in ("", "---"):
            current = None
            continue
        at = f"{where}, line {number}"
        if current is None:
            current = _heading(line, at)
            found.append(current)
        else:
            _read_line(current, line, at)
    return found


def _heading(line: str, where: str) -> Written:
    """``Nickname (Species) (M) @ Item``."""
    who, *items = line.split(" @ ")
    if len(items) > 1:
        raise _refused(where, line, "one ' @ ', before the item", "take it out of the nickname")
    marked = re.search(r" \((M|F|N)\)$", who.strip())
    who = who.strip()[: marked.start()] if marked else who.strip()
    species = who
    if who.endswith(")") and "(" in who:
        species = who[:-1].split("(")[1]
    return Written(where, species=species, item=items[0] if items else "", gender=marked.group(1) if marked else "")


def _read_line(one: Written, line: str, where: str) -> None:
    if line.startswith(("-", "~")):
        one.moves.append(line[1:].strip())
        return
    if nature := re.fullmatch("([A-Za-z]+) [Nn]ature", line):
        one.nature = nature[1]
        return
    key, colon, value = (part.strip() for part in line.partition(":"))
    if key in ("EVs", "IVs") and colon:
        values = one.evs if key == "EVs" else one.ivs
        for part in value.split("/"):
            amount, _, stat = part.strip().partition(" ")
            if stat.strip() not in SHORT:
                raise _refused(f"{where}: {key}", part.strip(), f"a number and one of {', '.join(SHORT)}", "mend it")
            values[STATS.index(SHORT[stat.strip()])] = _integer(amount, f"{where}: {key}")
    elif key in ("Ability", "Trait") and colon:
        one.ability = value
    elif key == "Level" and colon:
        one.level = _integer(value, f"{where}: level")
    elif key == "Tera Type" and colon:
        one.tera = value
    elif key == "Gender" and colon:
        one.gender = value
    elif key not in WITHOUT_EFFECT or not colon:
        expected = "a move after a dash, a nature, or Ability, Level, Tera Type, EVs, IVs"
        raise _refused(where, line, expected, "leave the line out or mend it")


# --- what they mean -------------------------------------------------------------------------------------------------


def _described(one: Written, rng: Draws, most_evs: int = MOST_EVS) -> dict[str, Any]:
    written = _known("species", one.species, one.where)
    if before := NAMES["species"][table("battle_only")[0][NAMES["species"].index(written)]]:
        raise _refused(f"{one.where}: species", written, "what it is before a battle", f"write {before}")
    species = CROWNED.get((written, to_id(one.item)), written)
    number = NAMES["species"].index(species)
    word, _, rest = (int(column[number]) for column in table("species"))
    _check_range(f"{one.where}: level", [one.level], 1, MOST_LEVEL)
    _check_range(f"{one.where}: EVs", one.evs, 0, MOST_EV)
    _check_range(f"{one.where}: IVs", one.ivs, 0, MOST_IV)
    if sum(one.evs) > most_evs:
        raise _refused(f"{one.where}: EVs", f"{sum(one.evs)} in all", f"at most {most_evs}", "lower some")
    own_gender = ("", *GENDERS)[int(table("genders")[0][number])]
    gender = one.gender.strip().upper() or own_gender or "MF"[int(rng.integers(2))]
    if to_id(one.ability) in SLOTS:
        got = f"slot {one.ability}" if one.ability else "none"
        raise _refused(f"{one.where}: ability", got, "the name of its ability", "write it")
    if gender not in GENDERS:
        raise _refused(f"{one.where}: gender", repr(one.gender), "M, F or N", "correct it, or leave it out")
    moves = [to_id(move) for move in one.moves]
    moves = [CROWNED_MOVES[species] if move == "ironhead" and species in CROWNED_MOVES else move for move in moves]
    ability = CROWNED_ABILITIES.get(species, to_id(one.ability))
    if not 1 <= len(moves) <= MOVES or len(set(moves)) < len(moves):
        raise _refused(f"{one.where}: moves", ", ".join(moves) or "none", f"1 to {MOVES} different ones", "choose")
    base = teams.base_stats(number)
    nature = _known("nature", one.nature, one.where) if one.nature else ""
    values = teams.stats_of(base, one.level, one.evs, one.ivs, int(table("natures")[0][NAMES["nature"].index(nature)]))
    first_type = NAMES["type"][word & 31]
    return {
        "species": species, "level": one.level, "ability": ability,
        "item": to_id(one.item).removeprefix("noitem"),
        "maxhp": 1 if rest >> 31 else values[0], "stats": values[1:], "moves": [[move, 0] for move in moves],
        "tera": one.tera.strip().title() or first_type, "weight": rest >> 16 & 0x7FFF,
        "evs": one.evs, "ivs": one.ivs, "nature": nature, "gender": gender,
    }  # fmt: skip


def _known(kind: str, name: str, where: str) -> str:
    found = to_id(name)
    if not found or found not in NAMES[kind]:
        expected = f"one of Gen 9's {len(set(NAMES[kind])) - 1}"
        raise _refused(f"{where}: {kind}", repr(name), expected, "correct the name")
    return found


def _check_range(what: str, values: Sequence[int], low: int, high: int) -> None:
    for value in values:
        if not low <= value <= high:
            raise _refused(what, value, f"{low} to {high}", "mend it")


def _integer(text: str, where: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]{1,9}\s*", text):
        raise _refused(where, repr(text[:40]), "an integer", "mend it")
    return int(text)


def _refused(what: str, got: object, expected: object, remedy: str) -> InvalidParamsError:
    return InvalidParamsError(explain(what, got=got, expected=expected, remedy=remedy))
