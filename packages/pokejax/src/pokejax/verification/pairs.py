"""Pairs of battles that differ only in what one player cannot know: that player sees the same of both.

Both battles of a pair have the same seed and the same first team.  The second player's differ in a hidden part: what
some of its Pokémon know or have, who stands behind its lead, in which order, or what it has chosen for a Pokémon that
sleeps, is lamed, or has few hit points left.  Otherwise both players choose the same in both.  As long as Showdown has
told the first player the same of both, its observations and legal actions here must be equal.

Showdown lets a player try to switch and refuses it if an ability traps in secret; the request is then sent anew with
``trapped``, nothing else happens and the opponent is told nothing.  What can be found out for nothing before a choice
is made is in the mask: where Showdown would refuse the switches of one battle of a pair alone, masks may differ by the
switches, and by nothing else; observations never.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from pokejax.rules.flow.queue import SWITCH_ACTION
from pokejax.state import TEAM
from pokejax.verification.battles import CHUNK, Moment, programs, replay, scripted
from pokejax.verification.observations import VERSIONS, observe
from pokejax.verification.rollouts import LISTED
from pokejax.verification.soak import base_species, generated
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.verify import Findings

PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "moves": ("moves",),
    "item": ("item",),
    "ability": ("ability",),
    "tera type": ("tera_type",),
    "everything": ("moves", "item", "ability", "tera_type", "evs", "ivs"),
}
"""Columns of a Pokémon that are exchanged for those of another set of its species, level and gender."""
TRAPS: Final = ("shadowtag", "magnetpull", "arenatrap")
LOOKS: Final = ("species", "level", "gender")
KINDS: Final = (*PARTS, "trap", "bench", "order", "choice")
VIEWER, OTHER = 0, 1
DECISIONS: Final = 40
SLEEP: Final = ("spore", "sleeppowder", "hypnosis", "yawn")
SWITCHES: Final = slice(SWITCH_ACTION, SWITCH_ACTION + TEAM)


@dataclasses.dataclass
class Pair:
    """Two battles, of which the second differs from the first as its kind says.

    Attributes:
        kind: of `KINDS`.
        columns: of the four teams, by battle, then player.
        order: where each member of the second player's team in the first battle stands in that of the second battle.
    """

    kind: str
    columns: list[dict[str, Any]]
    order: list[int]


def made(kind: str, rng: np.random.Generator) -> Pair:
    """A pair of a kind."""
    first, second = _members(rng), _members(rng)
    while kind == "trap" and not (second[0] in _trappers() and _is_team(second)):
        second = _members(rng)
        second[0] = rng.choice(_trappers())
    while kind == "choice" and not (first[0] in _sleep_bringers() and _is_team(first)):
        first = _members(rng)
        first[0] = rng.choice(_sleep_bringers())
    order, other = list(range(TEAM)), second.copy()
    columns = [{name: column[members] for name, column in generated().items()} for members in (first, second)]
    if kind == "bench":
        while not _is_team(other) or (other[1:] == second[1:]).all():
            other[1:] = rng.integers(len(base_species()), size=TEAM - 1)
    if kind == "order":
        behind = 1 + rng.permutation(TEAM - 1)
        other[behind] = second[1:]
        order[1:] = behind.tolist()
    twin = {name: column[other].copy() for name, column in generated().items()}
    for place in np.flatnonzero(rng.random(TEAM) < 0.5) if kind in PARTS else ():
        _exchange(twin, int(place), int(other[place]), PARTS[kind], rng)
    if kind == "trap":
        _exchange(twin, 0, int(other[0]), PARTS["ability"], rng)
    return Pair(kind, [*columns, columns[0], twin], order)


def _members(rng: np.random.Generator) -> Any:
    while True:
        found = rng.integers(len(base_species()), size=TEAM)
        if _is_team(found):
            return found


def _is_team(members: Any) -> bool:
    return len(set(base_species()[members])) == TEAM


def _exchange(team: dict[str, Any], place: int, member: int, columns: Sequence[str], rng: np.random.Generator) -> None:
    """Give a member these columns of another set of its looks, of one that differs in them if there is any."""
    sets = generated()
    alike = np.flatnonzero(np.logical_and.reduce([sets[name] == sets[name][member] for name in LOOKS]))
    same = np.logical_and.reduce(
        [(sets[name][alike] == sets[name][member]).reshape(len(alike), -1).all(1) for name in columns]
    )
    chosen = int(rng.choice(alike[~same] if not same.all() else alike))
    for name in columns:
        team[name][place] = sets[name][chosen]


@functools.cache
def _trappers() -> Any:
    """Sets with an ability that traps, of species of which other sets have another one."""
    sets, tables = generated(), reference("showdown", "tables").load()
    traps = np.isin(sets["ability"], [tables.number("ability", name) for name in TRAPS])
    return np.flatnonzero(traps & np.isin(sets["species"], sets["species"][~traps]))


@functools.cache
def _sleep_bringers() -> Any:
    """Sets with a move that makes the target sleep."""
    tables = reference("showdown", "tables").load()
    wanted = [tables.number("move", name) for name in SLEEP]
    return np.flatnonzero(np.isin(generated()["moves"], wanted).any(1))


def record(pairs: Sequence[Pair], rng: np.random.Generator, decisions: int = DECISIONS) -> list[dict[str, Any]]:
    """The reference's recordings of both battles of each pair, one after the other, with what the players are told."""
    tables = reference("showdown", "tables")
    source = tables.load()
    settings = []
    for pair in pairs:
        seed = f"{int(rng.integers(2**63)):016x}"
        stacked = {name: np.stack([team[name] for team in pair.columns]) for name in pair.columns[0]}
        teams = [tables.packed(source, stacked, number) for number in range(4)]
        settings += [{"seed": seed, "teams": teams[:2]}, {"seed": seed, "teams": teams[2:]}]
    views: dict[int, Mapping[str, Any]] = {}  # the last ones in which somebody was asked
    chosen: dict[tuple[int, int], str] = {}
    told_apart: set[int] = set()

    def choose(battle: int, side: int, view: Mapping[str, Any], _: Any) -> str:
        number, twin = divmod(battle, 2)
        accepted, views[battle], pair = view["legal"][side]["accepted"], view, pairs[number]
        hinders = pair.kind == "choice" and side == OTHER and _is_hindered(view)
        if hinders:
            accepted = [choice for choice in accepted if choice.startswith("move")] or accepted
        if not twin:
            wanted = _sleep_moves(view, accepted) if pair.kind == "choice" and side == VIEWER else []
            chosen[number, side] = str(rng.choice(wanted or accepted))
            return chosen[number, side]
        seen = views[battle - 1]
        if seen["decision"] != view["decision"] or _told(seen) != _told(view):
            told_apart.add(number)
            return str(accepted[0])
        same = _same_choice(chosen[number, side], side, seen, view, pair.order) if (number, side) in chosen else ""
        usable = [choice for choice in accepted if (choice != same) == hinders]
        return str(rng.choice(usable or accepted))

    played = [decisions] * len(settings)
    return scripted(
        settings,
        choose,
        played,
        messages=True,
        include=("core", "legal", "moves"),
        enough=lambda battle, view: battle // 2 in told_apart,
    )


def _is_hindered(view: Mapping[str, Any]) -> bool:
    """Whether the second player's Pokémon may well not come to what is chosen for it."""
    one = view["core"]["sides"][OTHER]
    active = one["pokemon"][one["order"][0]]
    return active["status"] in ("slp", "frz", "par") or 3 * active["hp"] < active["maxhp"]


def _sleep_moves(view: Mapping[str, Any], accepted: Sequence[str]) -> list[str]:
    """Choices of the viewer that make a target sleep that has no status yet."""
    one = view["core"]["sides"][OTHER]
    moves = [choice for choice in accepted if choice.startswith("move")]
    sleeps = [choice for choice in moves if view["moves"][VIEWER][int(choice.split(" ")[1]) - 1] in SLEEP]
    return [] if one["pokemon"][one["order"][0]]["status"] else sleeps


def _same_choice(choice: str, side: int, seen: Mapping[str, Any], view: Mapping[str, Any], order: Sequence[int]) -> str:
    """A choice of the first battle in the second one, where another place may have who comes in."""
    word, *rest = choice.split(" ")
    if side != OTHER or word != "switch":
        return choice
    member = seen["core"]["sides"][side]["order"][int(rest[0]) - 1]
    return f"switch {view['core']['sides'][side]['order'].index(order[member]) + 1}"


@dataclasses.dataclass
class Compared:
    """What was found in pairs of one kind.

    Attributes:
        pairs: whose teams or choices differed while the viewer was told the same of both, for a decision at least.
        steps: such decisions; at them the viewer was compared.
        mismatches: what differed, the first of each pair.
        refused: decisions at which Showdown would have refused the switches of one of the two alone.
        told_apart: pairs that messages told apart.
    """

    pairs: int = 0
    steps: int = 0
    refused: int = 0
    told_apart: int = 0
    mismatches: list[str] = dataclasses.field(default_factory=list)


def compare(pairs: Sequence[Pair], recordings: Sequence[dict[str, Any]], form: str = "native") -> dict[str, Compared]:
    """Play both battles of each pair here and compare what the viewer gets; by kind."""
    found = {kind: Compared() for kind in dict.fromkeys(pair.kind for pair in pairs)}
    for start in range(0, len(pairs), CHUNK // 2):
        part = recordings[2 * start : 2 * start + CHUNK]
        _compare_chunk(pairs[start : start + CHUNK // 2], part, start, found, form)
    return found


def _differ(two: Sequence[Mapping[str, Any]], decision: int) -> bool:
    """Whether two battles differ in a hidden part when this decision is to be made."""
    return two[0]["teams"] != two[1]["teams"] or two[0]["choices"][:decision] != two[1]["choices"][:decision]


def _compare_chunk(
    pairs: Sequence[Pair], recordings: Sequence[dict[str, Any]], first: int, found: Mapping[str, Compared], form: str
) -> None:
    going, counted = dict.fromkeys(range(len(pairs)), True), set[int]()
    for moment in replay(recordings, form):
        masks = np.asarray(programs(form).look(moment.words, moment.params))[:, VIEWER]
        shown = {name: array[:, VIEWER] for name, array in _observed(moment, form).items()}
        for number, pair in enumerate(pairs):
            both = (2 * number, 2 * number + 1)
            if not going[number] or not set(both) <= set(moment.going):
                continue
            counts = found[pair.kind]
            views = [recordings[n]["views"][moment.decision] for n in both]
            if views[0]["ended"] or views[1]["ended"] or _told(views[0]) != _told(views[1]):
                going[number], counts.told_apart = False, counts.told_apart + 1
                continue
            if not _differ([recordings[n] for n in both], moment.decision):
                continue
            counts.pairs += number not in counted
            counts.steps += 1
            counted.add(number)
            unequal = [name for name, array in shown.items() if not np.array_equal(array[both[0]], array[both[1]])]
            mine, other = (masks[n].copy() for n in both)
            if _refuses_switches(views[0]) != _refuses_switches(views[1]):
                mine[SWITCHES] = other[SWITCHES] = False
                counts.refused += 1
            unequal += [] if np.array_equal(mine, other) else ["legal actions"]
            if unequal:
                going[number] = False
                counts.mismatches.append(f"pair {first + number}, decision {moment.decision}: {', '.join(unequal)}")


def _observed(moment: Moment, form: str) -> Mapping[str, Any]:
    """All versions of the observation, arrays ``[CHUNK, 2, ...]`` by version and name."""
    seen = {version: observe(version, moment, form) for version in VERSIONS}
    return {f"{version} {name}": array for version, arrays in seen.items() for name, array in arrays.items()}


def _told(view: Mapping[str, Any]) -> Any:
    """What Showdown has told the viewer since the last decision, and what it asks."""
    return view["messages"]["p1"], view["messages"]["requests"][VIEWER]


def _refuses_switches(view: Mapping[str, Any]) -> bool:
    """Whether Showdown would refuse a switch that the viewer's request offers."""
    legal = view["legal"][VIEWER]
    return bool(legal["requested"] != legal["accepted"])


def _parts(pairs: int, seed: int) -> Iterator[tuple[list[Pair], np.random.Generator]]:
    for start in range(0, pairs, CHUNK // 2):
        rng = np.random.default_rng((seed, start))
        kinds = [KINDS[(start + number) % len(KINDS)] for number in range(min(CHUNK // 2, pairs - start))]
        yield [made(kind, rng) for kind in kinds], rng


def compare_pairs(pairs: int, seed: int, form: str = "native") -> Findings:
    """Pairs of all kinds, one kind after the other.

    Args:
        pairs: how many; not all of them differ.
        seed: of teams, generators and choices.
        form: of the environment, one of `battles.FORMS`.
    """
    totals = {kind: Compared() for kind in KINDS}
    for part, rng in _parts(pairs, seed):
        for kind, one in compare(part, record(part, rng), form).items():
            total = totals[kind]
            for name, value in vars(one).items():
                setattr(total, name, getattr(total, name) + value)
        print(
            *(f"{kind}: {total.pairs} pairs, {total.steps} steps" for kind, total in totals.items()),
            sep="; ",
            flush=True,
        )
    found = Findings()
    for kind, total in totals.items():
        failing = total.mismatches[:LISTED]
        found.comparisons[kind] = {**vars(total), "mismatches": len(total.mismatches), "failing": failing}
    return found
