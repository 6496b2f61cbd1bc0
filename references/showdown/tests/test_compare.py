"""The comparator finds every change of a view, and names it."""

from __future__ import annotations

import copy

import pytest
from references.showdown.compare import TIERS, Difference, differences, first_difference

from rlenv_shared.errors import InvalidParamsError


def leaves(value, path=()):
    """Paths of everything that can be changed in a view, empty containers included."""
    if isinstance(value, dict) and value:
        return [leaf for key, part in value.items() for leaf in leaves(part, (*path, key))]
    if isinstance(value, list) and value:
        return [leaf for index, part in enumerate(value) for leaf in leaves(part, (*path, index))]
    return [path]


def changed(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value}x"
    return {"new": 1} if value == {} else [1] if value == [] else 0


def put(view, path, value):
    view = copy.deepcopy(view)
    part = view
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return view


@pytest.fixture(scope="module")
def views(driver):
    return driver.request("play", episodes=[{"episode": "11"}])[0]["views"]


@pytest.mark.l2
@pytest.mark.reference("showdown")
def test_any_change_is_found_and_named(views):
    view = views[len(views) // 2]
    assert first_difference(copy.deepcopy(view), view) is None
    compared = {key for keys in TIERS.values() for key in keys}
    paths = [path for path in leaves(view) if path[0] in compared]
    assert len(paths) > 500
    for path in paths:
        old = view
        for key in path:
            old = old[key]
        found = first_difference(put(view, path, changed(old)), view)
        assert found is not None, path
        assert found.path.startswith(".".join(map(str, path)))
        assert path[0] in TIERS[found.tier]


@pytest.mark.l2
@pytest.mark.reference("showdown")
def test_asking_for_the_state_changes_nothing(driver):
    specs = [{"episode": str(n), "policy": ("attack", "uniform")[n % 2]} for n in range(20, 26)]
    blind = driver.request("play", episodes=specs, include=[])
    seeing = driver.request("play", episodes=specs, include=["core", "aux", "legal", "hash"])
    for one, other in zip(blind, seeing, strict=True):
        assert one["choices"] == other["choices"]
        assert [view["generator"] for view in one["views"]] == [view["generator"] for view in other["views"]]


VIEW = {
    **{"draws": 3, "generator": "00", "ended": False, "winner": None, "turn": 1, "kinds": ["move", "wait"]},
    **{"core": {"hp": [10, 20]}, "legal": [[], []], "aux": {"speed": 5}},
}


@pytest.mark.l1
@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"draws": 4, "core": {"hp": [9, 20]}}, Difference("draws", "draws", 4, 3)),
        ({"core": {"hp": [10, 21]}, "aux": {"speed": 6}}, Difference("core", "core.hp.1", 21, 20)),
        ({"core": {"hp": [10]}}, Difference("core", "core.hp", [10], [10, 20])),
        ({"core": {}}, Difference("core", "core.hp", "missing", [10, 20])),
        ({"aux": {"speed": 5, "more": 1}}, Difference("aux", "aux.more", 1, "missing")),
        ({"ended": 0}, Difference("outcome", "ended", 0, False)),
        ({"winner": 0}, Difference("outcome", "winner", 0, None)),
    ],
)
def test_the_first_difference_by_tier(change, found):
    assert first_difference({**VIEW, **change}, VIEW) == found
    assert str(found).startswith(f"{found.tier}: {found.path} is ")


@pytest.mark.l1
def test_what_is_not_carried_is_left_out_and_nothing_else():
    ours = {**VIEW, "aux": {}, "core": {"hp": [11, 20]}}
    paths = [difference.path for difference in differences(ours, VIEW, not_carried=["aux.*"])]
    assert paths == ["core.hp.0"]


@pytest.mark.l1
@pytest.mark.parametrize("missing", ["draws", "core", "legal", "aux"])
def test_a_view_without_a_tier_is_refused(missing):
    short = {key: value for key, value in VIEW.items() if key != missing}
    for pair in ((short, VIEW), (VIEW, short)):
        with pytest.raises(InvalidParamsError, match=rf"no {missing}.*include="):
            first_difference(*pair)
