"""Every rule and quirk on its own: one state on both sides, one step, everything equal to the original C.

A scenario also says what must happen, so that it cannot miss its rule and agree all the same.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from puffer_pong import PongVectorEnv
from puffer_pong.verification.rust import FLOATS_AND_COUNTS, expected_observation, record
from rlenv_shared import counter_rng
from rlenv_shared.verification.compare import compare
from rlenv_shared.verification.locate import reference

PufferPong = reference("puffer_pong").PufferPong

pytestmark = [pytest.mark.l2, pytest.mark.reference("puffer_pong")]

STILL, UP, DOWN = 0, 1, 2
MIDDLE = {
    "paddle_left_y": 285.0, "paddle_right_y": 285.0, "ball_x": 234.0, "ball_y": 300.0, "ball_vx": 10.0, "ball_vy": 0.0,
    "score_left": 3, "score_right": 5, "tick": 40, "bounces": 2,
}  # fmt: skip
# On the next frame the ball is beyond the edge, at the height of the paddle or far above it.
LEFT_HIT = {"ball_x": 5.0, "ball_vx": -10.0}
LEFT_MISS = {**LEFT_HIT, "paddle_left_y": 500.0}
RIGHT_HIT = {"ball_x": 465.0}
RIGHT_MISS = {**RIGHT_HIT, "paddle_right_y": 500.0}
SERVED = {"ball_x": 100.0, "ball_y": 304.0, "ball_vx": 10.0, "tick": 0, "bounces": 0}


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A state, what is done, and what must come of it."""

    name: str
    state: dict[str, float]
    expect: dict[str, float]  # state fields, reward, terminated
    action: float = STILL
    counter: int = 0  # of the generator: decides the next serve
    options: dict[str, Any] = dataclasses.field(default_factory=dict)


def serve_speed(counter: int) -> float:
    """Vertical speed of the serve that the generator draws at this counter under seed 0."""
    key0, key1, _ = counter_rng.from_seed(0, 1)
    bits, _ = counter_rng.bits((key0, key1, np.full(1, counter, np.uint32)))
    return float((bits[0] >> 1) % 2) - 1.0


HORIZONTAL_SERVE = next(counter for counter in range(64) if serve_speed(counter) == 0.0)
DOWNWARD_SERVE = next(counter for counter in range(64) if serve_speed(counter) == -1.0)

S = Scenario
CONTINUOUS = {"continuous": True}
SCENARIOS = [
    # paddles
    S("paddle_still", {}, {"paddle_right_y": 285.0, "tick": 41}),
    S("paddle_up", {}, {"paddle_right_y": 293.0}, UP),
    S("paddle_down", {}, {"paddle_right_y": 277.0}, DOWN),
    S("paddle_clamped_above", {"paddle_right_y": 601.0}, {"paddle_right_y": 605.0}, UP),
    S("paddle_clamped_below", {"paddle_right_y": -30.0}, {"paddle_right_y": -35.0}, DOWN),
    S("computer_follows_up", {"ball_y": 500.0}, {"paddle_left_y": 293.0}),
    S("computer_follows_down", {"ball_y": 50.0}, {"paddle_left_y": 277.0}),
    S("computer_follows_lower_edge_of_the_ball", {"ball_y": 324.0}, {"paddle_left_y": 289.0}),
    S("computer_follows_before_the_ball_moves", {"ball_y": 324.0, "ball_vy": 5.0}, {"paddle_left_y": 289.0}),
    S("computer_clamped_below", {"ball_y": -9.0, "paddle_left_y": -31.0}, {"paddle_left_y": -35.0}),
    S("computer_clamped_above", {"ball_y": 700.0, "paddle_left_y": 601.0}, {"paddle_left_y": 605.0}),
    S("continuous_direction", {}, {"paddle_right_y": 289.0}, 0.5, options=CONTINUOUS),
    S("continuous_direction_clipped", {}, {"paddle_right_y": 277.0}, -3.0, options=CONTINUOUS),
    # ball and walls
    S("ball_moves", {"ball_vy": 7.0}, {"ball_x": 244.0, "ball_y": 307.0, "ball_vy": 7.0}),
    S("lower_wall_unclipped", {"ball_y": 4.0, "ball_vy": -9.0}, {"ball_y": -5.0, "ball_vy": 9.0}),
    S("lower_wall_touched", {"ball_y": 9.0, "ball_vy": -9.0}, {"ball_y": 0.0, "ball_vy": -9.0}),
    S("upper_wall_unclipped", {"ball_y": 604.0, "ball_vy": 9.0}, {"ball_y": 613.0, "ball_vy": -9.0}),
    S("upper_wall_touched", {"ball_y": 599.0, "ball_vy": 9.0}, {"ball_y": 608.0, "ball_vy": 9.0}),
    # left edge
    S("left_hit", LEFT_HIT, {"ball_x": -5.0, "ball_vx": 10.0, "ball_vy": 0.0, "bounces": 3, "reward": 0.0}),
    S("left_edge_touched", {"ball_x": 10.0, "ball_vx": -10.0, "paddle_left_y": 500.0}, {"ball_x": 0.0, "reward": 0.0}),
    S("left_miss", LEFT_MISS, {**SERVED, "score_right": 6, "score_left": 3, "reward": 1.0, "paddle_left_y": 285.0}),
    # the computer's paddle moves down 8 first, so that it is 8 lower than here
    S("left_ball_touches_from_below", {**LEFT_HIT, "paddle_left_y": 340.0}, {"reward": 1.0}),
    S("left_ball_overlaps_from_below", {**LEFT_HIT, "paddle_left_y": 339.0}, {"reward": 0.0, "bounces": 3}),
    S("left_ball_touches_from_above", {**LEFT_HIT, "paddle_left_y": 222.0}, {"reward": 1.0}),
    S("left_ball_overlaps_from_above", {**LEFT_HIT, "paddle_left_y": 223.0}, {"reward": 0.0, "bounces": 3}),
    # right edge
    S("right_edge_touched", {"ball_x": 458.0, "paddle_right_y": 500.0}, {"ball_x": 468.0, "reward": 0.0}),
    S("right_hit_still", {**RIGHT_HIT, "ball_vy": 2.0}, {"ball_x": 468.0, "ball_vx": -10.0, "ball_vy": 2.0,
                                                         "bounces": 3, "reward": np.float32(0.1)}),
    S("right_hit_upwards", {**RIGHT_HIT, "ball_vy": 2.0}, {"ball_vy": 5.0}, UP),
    S("right_hit_downwards", {**RIGHT_HIT, "ball_vy": 2.0}, {"ball_vy": -1.0}, DOWN),
    S("right_hit_limited_above", {**RIGHT_HIT, "ball_vy": 12.0}, {"ball_vy": 13.0}, UP),
    S("right_hit_limited_below", {**RIGHT_HIT, "ball_vy": -12.0}, {"ball_vy": -13.0}, DOWN),
    S("right_hit_horizontal_replaced", {**RIGHT_HIT, "ball_vy": 3.0}, {"ball_vy": 3.0}, DOWN),
    S("right_hit_at_threshold_replaced", {**RIGHT_HIT, "ball_vy": float(np.float32(0.01))}, {"ball_vy": 3.0}),
    S("right_hit_above_threshold_kept", {**RIGHT_HIT, "ball_vy": 0.010000001}, {"ball_vy": np.float32(0.010000001)}),
    S("right_hit_continuous", {**RIGHT_HIT, "ball_vy": 1.0}, {"ball_vy": 1.75}, 0.25, options=CONTINUOUS),
    S("right_hit_clipped_below", {**RIGHT_HIT, "ball_y": 5.0, "ball_vy": -9.0, "paddle_right_y": -35.0},
      {"ball_y": 0.0, "ball_vy": 9.0}),
    S("right_hit_clipped_above", {**RIGHT_HIT, "ball_y": 605.0, "ball_vy": 9.0, "paddle_right_y": 600.0},
      {"ball_y": 608.0, "ball_vy": -9.0}),
    S("right_miss", RIGHT_MISS, {**SERVED, "score_left": 4, "score_right": 5, "reward": -1.0, "paddle_right_y": 285.0}),
    S("right_ball_touches_from_below", {**RIGHT_HIT, "paddle_right_y": 332.0}, {"reward": -1.0}),
    S("right_ball_overlaps_from_below", {**RIGHT_HIT, "paddle_right_y": 331.0}, {"bounces": 3}),
    S("right_ball_touches_from_above", {**RIGHT_HIT, "paddle_right_y": 230.0}, {"reward": -1.0}),
    S("right_ball_overlaps_from_above", {**RIGHT_HIT, "paddle_right_y": 231.0}, {"bounces": 3}),
    # rounds and episodes
    S("serve_horizontal", LEFT_MISS, {**SERVED, "ball_vy": 0.0}, counter=HORIZONTAL_SERVE),
    S("serve_downwards", LEFT_MISS, {**SERVED, "ball_vy": -1.0}, counter=DOWNWARD_SERVE),
    S("won", {**LEFT_MISS, "score_right": 20}, {"score_left": 0, "score_right": 0, "reward": 1.0, "terminated": 1}),
    S("lost", {**RIGHT_MISS, "score_left": 20}, {"score_left": 0, "score_right": 0, "reward": -1.0, "terminated": 1}),
    S("max_score", {**LEFT_MISS, "score_right": 6}, {"score_right": 0, "terminated": 1}, options={"max_score": 7}),
    S("scores_observed_as_zero", {"score_left": 20, "score_right": 20}, {"score_left": 20, "score_right": 20}),
    # frameskip
    S("frameskip_moves", {}, {"ball_x": 264.0, "paddle_right_y": 309.0, "tick": 41}, UP, options={"frameskip": 3}),
    S("frameskip_stops_at_a_point", {**LEFT_MISS, "ball_x": 15.0}, {**SERVED, "paddle_right_y": 285.0, "reward": 1.0},
      UP, options={"frameskip": 8}),
    S("frameskip_keeps_the_hit_reward", RIGHT_HIT, {"reward": np.float32(0.1), "ball_x": 428.0},
      options={"frameskip": 5}),
    S("last_reward_wins_against_a_hit", {**RIGHT_HIT, "ball_vy": 5.0}, {"score_left": 4, "reward": -1.0}, DOWN,
      options={"frameskip": 120}),
    S("last_reward_wins_for_a_hit", {**RIGHT_HIT, "ball_vy": 5.0}, {"score_right": 6, "reward": 1.0}, UP,
      options={"frameskip": 60, "paddle_speed": 1.0}),
]  # fmt: skip


def both_sides(scenario: Scenario) -> tuple[PongVectorEnv, PufferPong]:
    """The scenario's state in Rust and in C."""
    rust, original = PongVectorEnv(1, num_threads=1, **scenario.options), PufferPong(1, **scenario.options)
    rust.reset(seed=0)
    original.reset(0)
    states = rust.get_state()
    for field, value in {**MIDDLE, **scenario.state}.items():
        states[field] = value
    states["rng"][:, 2] = scenario.counter
    rust.set_state(states)
    fields = {f"state.{name}": states[name] for name in FLOATS_AND_COUNTS}
    words = {f"rng.{word}": states["rng"][:, word] for word in range(3)}
    # What the C code would have left in the buffer when it reached this state.
    original.set_state({**fields, **words, "obs": expected_observation(rust)})
    return rust, original


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_rule(scenario):
    rust, original = both_sides(scenario)
    actions = np.full((1, 1), scenario.action, np.float32 if scenario.options.get("continuous") else np.int64)
    theirs = original.rollout(actions)
    ours = record(rust, rust.observe(), actions)
    compare(ours, theirs).raise_on_divergence()
    fields = {name.removeprefix("state."): values for name, values in ours.steps.items()}
    assert {name: fields[name].item() for name in scenario.expect} == scenario.expect


def named(name: str) -> Scenario:
    return next(scenario for scenario in SCENARIOS if scenario.name == name)


@pytest.mark.parametrize(
    ("name", "frames_before"), [("left_miss", 0), ("right_miss", 0), ("frameskip_stops_at_a_point", 1)]
)
def test_scoring_step_shows_the_frame_before_the_point(name, frames_before):
    """The stale observation: neither the point nor the new round can be seen in it."""
    scenario = named(name)
    rust, original = both_sides(scenario)
    # the same start, stopped one frame earlier
    one_frame = dataclasses.replace(scenario, options={**scenario.options, "frameskip": 1})
    before, _ = both_sides(one_frame)
    for _ in range(frames_before):
        before.step([int(scenario.action)])
    expected = expected_observation(before)
    obs, reward, _, _, _ = rust.step([int(scenario.action)])
    theirs, _, _ = original.step(np.array([int(scenario.action)]))
    assert abs(reward[0]) == 1.0
    np.testing.assert_array_equal(obs.view(np.uint32), theirs.view(np.uint32))
    np.testing.assert_array_equal(obs.view(np.uint32), expected.view(np.uint32))
    assert not np.array_equal(obs, rust.observe())


@pytest.mark.parametrize("name", ["won", "lost"])
def test_terminal_step_shows_the_new_episode_and_keeps_the_old_observation(name):
    rust, original = both_sides(named(name))
    last_seen = expected_observation(rust)
    obs, _, terminated, _, info = rust.step([STILL])
    original.step(np.array([STILL]))
    assert terminated[0]
    np.testing.assert_array_equal(obs, original.observations)
    np.testing.assert_array_equal(obs, expected_observation(rust))
    np.testing.assert_array_equal(info["_final_obs"], [True])
    np.testing.assert_array_equal(info["final_obs"], last_seen)
    np.testing.assert_array_equal(info["final_obs"], original.last_observations)


def test_float_scores_are_the_only_difference_of_that_option():
    """With the option the scores are seen as fractions; without it they are the original's zeros."""
    rust, original = both_sides(named("scores_observed_as_zero"))
    option = PongVectorEnv(1, float_scores=True)
    option.set_state(rust.get_state())
    rust.step([UP])
    theirs, _, _ = original.step(np.array([UP]))
    obs, *_ = option.step([UP])
    np.testing.assert_array_equal(rust.observe(), theirs)
    np.testing.assert_array_equal(obs[:, :6], theirs[:, :6])
    np.testing.assert_array_equal(obs[:, 6:], np.float32([[20 / 21, 20 / 21]]))
