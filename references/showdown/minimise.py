"""Makes a battle that shows a difference small: fewest decisions first, then the smallest teams.

It knows nothing of simulators: ``diverges`` plays a case wherever it likes and says whether the difference is still
there.  A case that cannot be played (a choice is not legal any more) does not diverge.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

from rlenv_shared.errors import InvalidParamsError, explain

Choices = tuple[tuple[str, str], ...]
T = TypeVar("T")
_ITEM, _MOVES = 2, 4  # fields of a packed Pokémon


@dataclasses.dataclass(frozen=True)
class Case:
    """A battle.

    Attributes:
        seed: of the battle's generator, sixteen hexadecimal digits.
        teams: packed, one per side.
        choices: one text per side and decision, "" for a side that is not asked.  Switches name the Pokémon by its
            place in the original team, ``"switch #3"``, so that they mean the same in a smaller team.
    """

    seed: str
    teams: tuple[str, str]
    choices: Choices

    def as_episode(self) -> dict[str, Any]:
        """The case as ``driver.mjs`` plays it."""
        return {"seed": self.seed, "teams": list(self.teams), "choices": [list(pair) for pair in self.choices]}


def from_recording(episode: dict[str, Any]) -> Case:
    """The case of an episode that ``driver.mjs`` played with ``core`` in its views."""
    choices = []
    for pair, view in zip(episode["choices"], episode["views"], strict=False):
        orders = [side["order"] for side in view["core"]["sides"]]
        named = [_by_member(choice, order) for choice, order in zip(pair, orders, strict=True)]
        choices.append((named[0], named[1]))
    return Case(episode["seed"], tuple(episode["teams"]), tuple(choices))


def minimise(case: Case, diverges: Callable[[Case], bool]) -> Case:
    """The smallest case found that still diverges.

    Args:
        case: one that diverges.
        diverges: whether a case shows the difference; False too for one that cannot be played.

    Raises:
        InvalidParamsError: the case does not diverge.
    """
    if not diverges(case):
        raise InvalidParamsError(
            explain("case", got="no difference", expected="a case that diverges", remedy="pass the failing one")
        )
    case = _shortest_prefix(case, diverges)
    while True:
        smaller = _fewest_choices(case, diverges)
        smaller = _smallest_teams(smaller, diverges)
        if smaller == case:
            return case
        case = smaller


def _shortest_prefix(case: Case, diverges: Callable[[Case], bool]) -> Case:
    """The decisions up to the difference; what comes after it cannot matter."""
    low, high = 0, len(case.choices)  # a prefix of `high` diverges
    while low < high:
        middle = (low + high) // 2
        if diverges(dataclasses.replace(case, choices=case.choices[:middle])):
            high = middle
        else:
            low = middle + 1
    return dataclasses.replace(case, choices=case.choices[:high])


def _fewest_choices(case: Case, diverges: Callable[[Case], bool]) -> Case:
    """Leave out stretches of decisions, long ones first."""

    def without(choices: Sequence[tuple[str, str]]) -> bool:
        return diverges(dataclasses.replace(case, choices=tuple(choices)))

    return dataclasses.replace(case, choices=tuple(_leave_out(case.choices, without)))


def _leave_out(items: Sequence[T], still: Callable[[Sequence[T]], bool]) -> Sequence[T]:
    """Delta debugging by complements: no single item of the result can be left out."""
    size = max(1, len(items) // 2)
    while size:
        start = 0
        while start < len(items):
            rest = [*items[:start], *items[start + size :]]
            if still(rest):
                items = rest
            else:
                start += size
        size //= 2
    return items


def _smallest_teams(case: Case, diverges: Callable[[Case], bool]) -> Case:
    """Take the first reduction that keeps the difference, until none does."""
    while True:
        smaller = next((candidate for candidate in _reductions(case) if diverges(candidate)), None)
        if smaller is None:
            return case
        case = smaller


def _reductions(case: Case) -> Iterator[Case]:
    """Cases with one Pokémon, one move or one item less."""
    for side in (0, 1):
        members = case.teams[side].split("]")
        for place in reversed(range(len(members))):
            fewer = _without_member(case, side, place)
            if fewer is not None:
                yield fewer
        for place, member in enumerate(members):
            for changed in _poorer(member):
                yield _with_team(case, side, [*members[:place], changed, *members[place + 1 :]])


def _poorer(member: str) -> Iterator[str]:
    """A packed Pokémon without its item, or without one of several moves."""
    fields = member.split("|")
    if fields[_ITEM]:
        yield "|".join([*fields[:_ITEM], "", *fields[_ITEM + 1 :]])
    moves = fields[_MOVES].split(",")
    for index in reversed(range(len(moves) if len(moves) > 1 else 0)):
        kept = ",".join(moves[:index] + moves[index + 1 :])
        yield "|".join([*fields[:_MOVES], kept, *fields[_MOVES + 1 :]])


def _without_member(case: Case, side: int, place: int) -> Case | None:
    """The case without one Pokémon and the decisions that ask for it; None if it is the last one."""
    members = case.teams[side].split("]")
    if len(members) == 1:
        return None
    choices = []
    for pair in case.choices:
        match = _MEMBER.fullmatch(pair[side])
        target = int(match[1]) - 1 if match else -1
        if target == place:
            continue
        renamed = f"switch #{target + 1 - (target > place)}" if match else pair[side]
        choices.append((renamed, pair[1]) if side == 0 else (pair[0], renamed))
    fewer = _with_team(case, side, [*members[:place], *members[place + 1 :]])
    return dataclasses.replace(fewer, choices=tuple(choices))


def _with_team(case: Case, side: int, members: Sequence[str]) -> Case:
    team = "]".join(members)
    return dataclasses.replace(case, teams=(team, case.teams[1]) if side == 0 else (case.teams[0], team))


def _by_member(choice: str, order: Sequence[int]) -> str:
    """A choice with the Pokémon's place in the team for its present position."""
    match = re.fullmatch(r"switch ([1-6])", choice)
    return f"switch #{order[int(match[1]) - 1] + 1}" if match else choice


_MEMBER: Final = re.compile(r"switch #([1-6])")
