"""States in which a number that the rules compare is exactly on its threshold, or the nearest float32 beside it.

Every comparison of a frame is a row of `COMPARISONS`.  Its cases are found by bisection over the float32s of one
field of the state, so that what is compared crosses the threshold between two neighbours of that field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

F = np.float32
Floats = NDArray[np.float32]
Fields = dict[str, NDArray[Any]]
BASES: Final = 16  # random states for each comparison
PLACES: Final = ("below", "on", "above")


class Comparison(NamedTuple):
    """A number of a frame and what it is compared with, both as the reference computes them in float32."""

    chosen: Mapping[str, Any]  # fields of the state that bring the comparison about, (low, high) or a value
    vary: str  # field whose float32s are searched; the number grows with it
    number: Callable[[Fields], Any]
    threshold: Callable[[Fields], Any]


def _flown(s: Fields) -> Any:
    return s["ball_y"] + s["ball_vy"]


def _spun(s: Fields) -> Any:
    return s["ball_vy"] + F(3) * s["action"]


def _agent(s: Fields) -> Any:
    return s["paddle_right_y"] + F(8) * s["action"]


def _constant(value: float) -> Callable[[Fields], Any]:
    """A threshold as the reference writes it: a double, or a number that is exact in both widths."""
    return lambda _: np.float64(value)


_AT_RIGHT: Final = {"ball_vx": 10.0, "ball_x": 465.0, "ball_y": (200, 300), "ball_vy": (-3, 3)}
_AT_LEFT: Final = {"ball_vx": -10.0, "ball_x": 5.0, "ball_y": (200, 300), "ball_vy": (-3, 3)}
_HIT: Final = {**_AT_RIGHT, "paddle_right_y": (220, 240)}
_LEVEL: Final = {**_HIT, "ball_vy": 0.0, "action": (-0.3, 0.3)}
COMPARISONS: Final[Mapping[str, Comparison]] = {
    "agent at its lowest": Comparison({"action": (-1, 0)}, "paddle_right_y", _agent, _constant(-35)),
    "agent at its highest": Comparison({"action": (0, 1)}, "paddle_right_y", _agent, _constant(605)),
    "chase of at most 8 up": Comparison(
        {"paddle_left_y": (100, 400)}, "ball_y", lambda s: s["ball_y"] - (s["paddle_left_y"] + F(35)), _constant(8)
    ),
    "chase of at most 8 down": Comparison(
        {"paddle_left_y": (100, 400)}, "ball_y", lambda s: s["ball_y"] - (s["paddle_left_y"] + F(35)), _constant(-8)
    ),
    "opponent at its lowest": Comparison(
        {"ball_y": (0, 3)}, "paddle_left_y", lambda s: s["paddle_left_y"] + F(-8), _constant(-35)
    ),
    "opponent at its highest": Comparison(
        {"ball_y": (660, 670)}, "paddle_left_y", lambda s: s["paddle_left_y"] + F(8), _constant(605)
    ),
    "floor": Comparison({"ball_vy": (-13, -1)}, "ball_y", _flown, _constant(0)),
    "ceiling": Comparison({"ball_vy": (1, 13)}, "ball_y", lambda s: _flown(s) + F(32), _constant(640)),
    "left edge": Comparison({**_AT_LEFT}, "ball_x", lambda s: s["ball_x"] + F(-10), _constant(0)),
    "right edge": Comparison({**_AT_RIGHT}, "ball_x", lambda s: s["ball_x"] + F(10) + F(32), _constant(500)),
    "agent's lower edge": Comparison(
        {**_AT_RIGHT, "paddle_right_y": (100, 400), "action": 0.0},
        "ball_y",
        lambda s: _flown(s) + F(32),
        lambda s: s["paddle_right_y"],
    ),
    "agent's upper edge": Comparison(
        {**_AT_RIGHT, "paddle_right_y": (100, 400), "action": 0.0},
        "ball_y",
        _flown,
        lambda s: s["paddle_right_y"] + F(70),
    ),
    # The opponent is far from the ball, so it moves by 8.
    "opponent's lower edge": Comparison(
        {**_AT_LEFT, "paddle_left_y": (100, 400)},
        "ball_y",
        lambda s: _flown(s) + F(32),
        lambda s: s["paddle_left_y"] - F(8),
    ),
    "opponent's upper edge": Comparison(
        {**_AT_LEFT, "paddle_left_y": (100, 400)},
        "ball_y",
        _flown,
        lambda s: (s["paddle_left_y"] + F(8)) + F(70),
    ),
    "spin at its most": Comparison({**_HIT, "action": (-1, 1)}, "ball_vy", _spun, _constant(13)),
    "spin at its least": Comparison({**_HIT, "action": (-1, 1)}, "ball_vy", _spun, _constant(-13)),
    "level ball, rising": Comparison({**_HIT, "action": (-1, 1)}, "ball_vy", _spun, _constant(0.01)),
    "level ball, sinking": Comparison({**_HIT, "action": (-1, 1)}, "ball_vy", _spun, _constant(-0.01)),
    "ball made level by the paddle, rising": Comparison(_LEVEL, "action", _spun, _constant(0.01)),
    "ball made level by the paddle, sinking": Comparison(_LEVEL, "action", _spun, _constant(-0.01)),
    "hit below the floor": Comparison(
        {**_HIT, "ball_vy": (-13, -1), "paddle_right_y": -20.0}, "ball_y", _flown, _constant(0)
    ),
    "hit above the ceiling": Comparison(
        {**_HIT, "ball_vy": (1, 13), "paddle_right_y": 590.0}, "ball_y", _flown, _constant(608)
    ),
    "hit beyond the edge": Comparison({**_HIT}, "ball_x", lambda s: s["ball_x"] + F(10), _constant(468)),
    "direction at its most": Comparison({}, "action", lambda s: s["action"], _constant(1)),
    "direction at its least": Comparison({}, "action", lambda s: s["action"], _constant(-1)),
}
_RANGES: Final = {
    "paddle_left_y": (-35, 605), "paddle_right_y": (-35, 605), "ball_x": (100, 400), "ball_y": (40, 560),
    "ball_vx": 10.0, "ball_vy": (-13, 13), "action": (-1, 1),
}  # fmt: skip


def _draw(rng: np.random.Generator, chosen: Mapping[str, Any]) -> Fields:
    """Random states [BASES] of float32s that are no integers."""
    drawn = {}
    for name, bounds in {**_RANGES, **chosen}.items():
        values = rng.uniform(bounds[0], bounds[1], BASES) if isinstance(bounds, tuple) else np.full(BASES, bounds)
        drawn[name] = values.astype(F)
    return drawn


def _ordered(values: Floats) -> NDArray[np.int64]:
    """Float32s numbered in their order; the zeros share a number."""
    bits = values.view(np.int32).astype(np.int64)
    return np.where(bits >= 0, bits, -(bits & 0x7FFFFFFF))


def _float(order: NDArray[np.int64]) -> Floats:
    bits = np.where(order >= 0, order, (-order) | 0x80000000)
    return bits.astype(np.uint32).view(F)


def _first(state: Fields, case: Comparison, reached: Callable[[Any, Any], Any]) -> NDArray[np.int64]:
    """The lowest float32 of the varied field, by number, for which a growing condition holds."""
    low, high = (np.full(BASES, _ordered(np.array([edge], F))[0]) for edge in (-2000.0, 2000.0))
    while (high - low > 1).any():
        middle = (low + high) // 2
        changed = {**state, case.vary: _float(middle)}
        holds = reached(case.number(changed).astype(np.float64), case.threshold(changed))
        low, high = np.where(holds, low, middle), np.where(holds, middle, high)
    return high


def cases(name: str, seed: int) -> tuple[Fields, Floats]:
    """States [3 * BASES] of a comparison, first all below, then on (or nearest), then above, and their actions.

    ``on`` is the lowest float of the field whose number is not below the threshold.
    """
    case = COMPARISONS[name]
    state = _draw(np.random.default_rng([seed, *name.encode()]), case.chosen)
    on, above = _first(state, case, np.greater_equal), _first(state, case, np.greater)
    varied = [_float(order) for order in (on - 1, on, above)]
    fields = {key: np.tile(values, len(PLACES)) for key, values in state.items()}
    fields[case.vary] = np.concatenate(varied)
    number, threshold = case.number(fields).astype(np.float64), np.broadcast_to(case.threshold(fields), 3 * BASES)
    assert (number[:BASES] < threshold[:BASES]).all()
    assert (number[BASES : 2 * BASES] >= threshold[BASES : 2 * BASES]).all()
    assert (number[2 * BASES :] > threshold[2 * BASES :]).all()
    return fields, fields.pop("action")
