"""Two views of a battle, ours and the reference's: the first thing in which they differ.

Views are those of ``driver.mjs``.  Tiers are looked at from the cheapest sign of a difference to the subtlest; the
first one that differs names the decision's problem.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import marshal
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from rlenv_shared.errors import InvalidParamsError, explain

TIERS: Final = {
    "draws": ("draws", "generator"),
    "outcome": ("ended", "winner", "turn", "kinds"),
    "core": ("core",),
    "legal": ("legal",),
    "aux": ("aux",),
}
"""Keys of a view by tier, in the order in which they are compared."""
_MISSING: Final = object()
_WITHOUT_SHARING: Final = 2
"""The serialiser's version that writes a value each time that it occurs."""
_SCALARS: Final = frozenset({int, str, bool, float})
_CONTAINERS: Final = frozenset({dict, list, tuple})


@dataclasses.dataclass(frozen=True)
class Difference:
    """Where two views differ.

    Attributes:
        tier: one of `TIERS`.
        path: e.g. ``"core.sides.0.pokemon.3.hp"``.
        ours: our value; "missing" if there is none.
        theirs: the reference's.
    """

    tier: str
    path: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        return f"{self.tier}: {self.path} is {self.ours!r}, in the reference {self.theirs!r}"


def first_difference(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], *, not_carried: Collection[str] = ()
) -> Difference | None:
    """The first difference, or None.

    Args:
        ours: a view with every key of `TIERS`.
        theirs: the reference's view.
        not_carried: patterns (`fnmatch`) of paths that we do not have, such as ``"aux.sides.*.pokemon.*.weight"``.

    Raises:
        InvalidParamsError: a view lacks a tier; comparing nothing would find no difference.
    """
    return next(differences(ours, theirs, not_carried=not_carried), None)


def differences(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], *, not_carried: Collection[str] = ()
) -> Iterator[Difference]:
    """All differences, tier by tier; arguments and errors as for `first_difference`."""
    for whose, view in (("ours", ours), ("theirs", theirs)):
        absent = [key for keys in TIERS.values() for key in keys if key not in view]
        if absent:
            raise InvalidParamsError(
                explain(
                    f"view ({whose})",
                    got=f"no {', '.join(absent)}",
                    expected="every tier",
                    remedy='ask for it with include=["core", "aux", "legal"]',
                )
            )
    for tier, keys in TIERS.items():
        for key in keys:
            if _are_the_same(ours[key], theirs[key]):
                continue
            for path, mine, other in _walk(key, ours[key], theirs[key]):
                if not any(fnmatch.fnmatchcase(path, pattern) for pattern in not_carried):
                    yield Difference(tier, path, mine, other)


def _are_the_same(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal in kinds, values and order, which Python's serialiser tells soonest."""
    try:
        return marshal.dumps(ours, _WITHOUT_SHARING) == marshal.dumps(theirs, _WITHOUT_SHARING)
    except ValueError:  # something that it does not know
        return False


def _walk(path: str, ours: Any, theirs: Any) -> Iterator[tuple[str, Any, Any]]:
    """Leaves that differ; booleans and numbers are different things."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key, other in theirs.items():
            mine = ours.get(key, _MISSING)
            if not _alike(mine, other):
                yield from _walk(f"{path}.{key}", mine, other)
        for key in (key for key in ours if key not in theirs):
            yield from _walk(f"{path}.{key}", ours[key], _MISSING)
    elif isinstance(ours, list | tuple) and isinstance(theirs, list | tuple):
        if len(ours) != len(theirs):
            yield path, list(ours), list(theirs)
            return
        for index, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            if not _alike(mine, other):
                yield from _walk(f"{path}.{index}", mine, other)
    elif not _alike(ours, theirs):
        yield path, _shown(ours), _shown(theirs)


def _alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal, looked at before any path is written down, since nearly all are."""
    if ours is theirs:
        return True
    kind = type(ours)
    if kind in _SCALARS:
        return kind is type(theirs) and bool(ours == theirs)
    if kind not in _CONTAINERS or kind is not type(theirs) or len(ours) != len(theirs):
        return False
    pairs = ((ours[key], theirs.get(key, _MISSING)) for key in ours) if kind is dict else zip(ours, theirs, strict=True)
    return all(mine is other or _alike(mine, other) for mine, other in pairs)


def _shown(value: Any) -> Any:
    return "missing" if value is _MISSING else value
