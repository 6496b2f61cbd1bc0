"""L2: one rule at a time, JAX against the original C: both are put into the same states and step once.

Every test also asserts that its rule was at work in the C code.
"""

import numpy as np
import pytest

from puffer_pong.jax import EnvParams, Pong
from puffer_pong.verification.rollouts import STEP_TOLERANCES
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.record import jax_step_from, record_jax
from rlenv_shared.verification.teacher import teacher_forced
from rlenv_testing import deadlines, forms

PufferPong = reference("puffer_pong").PufferPong

pytestmark = [pytest.mark.l2, pytest.mark.reference("puffer_pong")]

N = 1024
STAY, UP, DOWN = 0, 1, 2
NARROW = (("width", 64.0), ("ball_width", 10.0), ("ball_initial_speed_x", 12.0))


def states(seed, **chosen):
    """Random states of the middle of a game, except for the chosen fields (values or (low, high) of integers)."""
    rng = np.random.default_rng(seed)
    ranges = {
        "paddle_left_y": (-35, 605),
        "paddle_right_y": (-35, 605),
        "ball_x": (100, 400),
        "ball_y": (13, 595),
        "ball_vx": (-10, 10),
        "ball_vy": (-13, 13),
        "score_left": (0, 19),
        "score_right": (0, 19),
        "tick": (0, 500),
        "bounces": (0, 20),
    }
    fields = {}
    for name, bounds in {**ranges, **chosen}.items():
        dtype = np.int32 if name in ("score_left", "score_right", "tick", "bounces") else np.float32
        low, high = bounds if isinstance(bounds, tuple) else (0, 0)
        values = rng.integers(low, high, N, endpoint=True) if isinstance(bounds, tuple) else bounds
        fields[f"state.{name}"] = np.broadcast_to(np.asarray(values, dtype), N).copy()
    if "ball_vx" not in chosen:
        fields["state.ball_vx"] = np.where(fields["state.ball_vx"] < 0, np.float32(-10), np.float32(10))
    for i in range(3):
        fields[f"rng.{i}"] = rng.integers(0, 2**32, N, dtype=np.uint32)
    return fields


def observed(fields, width=500.0):
    """What the reference would have observed of these states in the default field, by NumPy's division."""
    f = {name.removeprefix("state."): values for name, values in fields.items()}
    columns = [
        (f["paddle_left_y"] + 35) / np.float32(640),
        (f["paddle_right_y"] + 35) / np.float32(640),
        f["ball_x"] / np.float32(width),
        f["ball_y"] / np.float32(640),
        (f["ball_vx"] + 10) / np.float32(20),
        (f["ball_vy"] + 13) / np.float32(26),
    ]
    return np.stack([*columns, np.zeros(N, np.float32), np.zeros(N, np.float32)], axis=1).astype(np.float32)


@deadlines.once
def ours(frameskip, continuous, geometry):
    params = EnvParams(**dict(geometry))
    return jax_step_from(forms.in_form(Pong(frameskip, continuous)), params, auto_reset=True, fill={"state.time": 0})


def after_one_step(fields, action, frameskip=1, continuous=False, geometry=()):
    """Step both once, require equality in every bit, return C's outcome."""
    reference = PufferPong(N, frameskip, continuous, **dict(geometry))
    reference.reset()
    reference.set_state({**fields, "obs": observed(fields)} if not geometry else fields)
    dtype = np.float32 if continuous else np.int32
    actions = np.broadcast_to(np.asarray(action, dtype), (1, N))
    recording = reference.rollout(actions)
    step = ours(frameskip, continuous, geometry)
    # A native step rounds both products of a quotient, XLA one: the same for integers, an ulp apart for some others.
    tolerances = STEP_TOLERANCES if continuous and forms.chosen() else {}
    teacher_forced(recording, step, tolerances=tolerances, ignore=("state.time",)).raise_on_divergence()
    return {name.removeprefix("state."): values[0] for name, values in recording.steps.items()}


def changed(fields, after, name):
    return after[name] - fields[f"state.{name}"]


def test_agent_paddle_moves_and_stops_half_outside():
    moves = np.arange(N) % 3
    after = after_one_step(fields := states(1), moves)
    free = changed(fields, after, "paddle_right_y")[(after["paddle_right_y"] > -35) & (after["paddle_right_y"] < 605)]
    assert set(free) == {-8, 0, 8}
    for edge, action, bounds in ((605, UP, (598, 605)), (-35, DOWN, (-35, -28))):
        after = after_one_step(states(2, paddle_right_y=bounds), action)
        assert (after["paddle_right_y"] == edge).all()


def test_opponent_follows_the_lower_edge_of_the_ball():
    after = after_one_step(fields := states(3), STAY)
    moved = changed(fields, after, "paddle_left_y")
    assert {-8, 8} <= set(moved)
    after = after_one_step(fields := states(4, paddle_left_y=(265, 275), ball_y=(300, 310)), STAY)
    assert np.array_equal(changed(fields, after, "paddle_left_y"), np.clip(after_chase(fields), -8, 8))
    assert len(set(changed(fields, after, "paddle_left_y"))) > 10


def after_chase(fields):
    return fields["state.ball_y"] - (fields["state.paddle_left_y"] + 35)


def test_ball_bounces_off_floor_and_ceiling_without_being_put_back():
    for ball_y, vy, outside in (((0, 12), (-13, 0), -1), ((596, 608), (0, 13), 609)):
        after = after_one_step(fields := states(5, ball_y=ball_y, ball_vy=vy), STAY)
        beyond = after["ball_y"] <= outside if outside < 0 else after["ball_y"] >= outside
        assert np.array_equal(after["ball_vy"] == -fields["state.ball_vy"], beyond | (fields["state.ball_vy"] == 0))
        assert beyond.sum() > 100


def test_opponent_returns_the_ball_without_reward():
    near = np.random.default_rng(6).integers(-20, 60, N)
    fields = states(6, ball_x=(0, 9), ball_vx=-10, ball_y=(100, 500), ball_vy=(-5, 5))
    fields["state.paddle_left_y"] = fields["state.ball_y"] - near.astype(np.float32)
    after = after_one_step(fields, STAY)
    returned = after["ball_vx"] == 10
    assert returned.all()
    assert (changed(fields, after, "bounces") == 1).all()
    assert (after["ball_x"] < 0).all()
    assert (after["reward"] == 0).all()


def test_agent_scores_past_the_opponent():
    fields = states(7, ball_x=(0, 9), ball_vx=-10, ball_y=(100, 250), paddle_left_y=(300, 600))
    after = after_one_step(fields, STAY)
    assert (after["reward"] == 1).all()
    assert (changed(fields, after, "score_right") == 1).all()
    assert (after["ball_x"] == 100).all()
    assert (after["tick"] == 0).all()


def test_agent_hits_the_ball_and_gives_it_spin():
    fields = states(8, ball_x=(459, 468), ball_vx=10, ball_y=(40, 560), ball_vy=(-13, 13))
    fields["state.paddle_right_y"] = fields["state.ball_y"] - 20
    for action, spin in ((STAY, 0), (UP, 3), (DOWN, -3)):
        after = after_one_step(fields, action)
        spun = np.clip(fields["state.ball_vy"] + spin, -13, 13)
        assert np.array_equal(after["ball_vy"], np.where(spun == 0, 3, spun))
        assert (after["ball_vx"] == -10).all()
        assert (after["ball_x"] == 468).all()
        assert (after["reward"] == np.float32(0.1)).all()


def test_a_hit_puts_the_ball_back_on_the_field():
    for ball_y, vy, paddle in (((0, 5), -10, -20), ((603, 608), 10, 600)):
        after = after_one_step(
            states(9, ball_x=460, ball_vx=10, ball_y=ball_y, ball_vy=vy, paddle_right_y=paddle), STAY
        )
        assert (after["reward"] == np.float32(0.1)).all()
        assert np.isin(after["ball_y"], (0, 608)).all()


def test_opponent_scores_past_the_agent():
    fields = states(10, ball_x=(459, 468), ball_vx=10, ball_y=(100, 250), paddle_right_y=(300, 600))
    after = after_one_step(fields, STAY)
    assert (after["reward"] == -1).all()
    assert (changed(fields, after, "score_left") == 1).all()


@pytest.mark.parametrize("side", ["left", "right"])
def test_touching_edges_do_not_meet(side):
    """The paddle's edges from one pixel apart to one pixel of overlap, above and below."""
    x, vx = (5, -10) if side == "left" else (465, 10)
    fields = states(11, ball_x=x, ball_vx=vx, ball_y=300, ball_vy=0)
    after_move = np.array([300 + 32, 300 - 70])[np.arange(N) % 2] + np.array([-1, 0, 1])[np.arange(N) % 3]
    # The opponent moves first: up by 8 when below the ball's lower edge, down by 8 when above it.
    moves = np.where(np.arange(N) % 2, 8, -8) if side == "left" else 0
    fields[f"state.paddle_{side}_y"] = (after_move - moves).astype(np.float32)
    after = after_one_step(fields, STAY)
    overlap = np.array([[True, False, False], [False, False, True]])[np.arange(N) % 2, np.arange(N) % 3]
    assert np.array_equal(np.abs(after["reward"]) != 1, overlap)


@pytest.mark.parametrize("winner", ["left", "right"])
def test_the_last_point_ends_the_episode(winner):
    past = {"ball_x": 5, "ball_vx": -10, "paddle_left_y": 500} if winner == "right" else {"ball_x": 465, "ball_vx": 10}
    fields = states(12, ball_y=100, paddle_right_y=500, **past, **{f"score_{winner}": 20})
    after = after_one_step(fields, STAY)
    assert after["terminated"].all()
    assert (after["score_left"] == 0).all()
    assert (after["score_right"] == 0).all()
    assert np.array_equal(after["rng.2"] - fields["rng.2"], np.ones(N, np.uint32))
    served = {name: after[name.removeprefix("state.")] for name in fields}
    assert np.array_equal(after["obs"], observed(served))  # the only point that shows the serve


def test_parity_of_the_draw_decides_the_serve():
    after = after_one_step(states(13, ball_x=465, ball_vx=10, ball_y=100, paddle_right_y=500), STAY)
    assert 400 < (after["ball_vy"] == -1).sum() < 624
    assert np.isin(after["ball_vy"], (-1, 0)).all()


def test_a_point_leaves_the_observation_of_the_frame_before():
    fields = states(14, ball_vx=10, ball_y=100, paddle_right_y=500, ball_vy=1, paddle_left_y=65)
    on_first_frame, on_third_frame = dict(fields), dict(fields)
    on_first_frame["state.ball_x"] = np.full(N, 465, np.float32)
    on_third_frame["state.ball_x"] = np.full(N, 445, np.float32)
    after = after_one_step(on_first_frame, STAY, frameskip=3)
    assert np.array_equal(after["obs"], observed(on_first_frame))
    after = after_one_step(on_third_frame, STAY, frameskip=3)
    assert (after["reward"] == -1).all()
    assert (after["obs"][:, 2] == np.float32(465 / 500)).all()


def test_a_point_ends_the_step():
    fields = states(15, ball_x=(440, 468), ball_vx=10, ball_y=100, paddle_right_y=500, ball_vy=0)
    after = after_one_step(fields, UP, frameskip=8)
    assert (after["reward"] == -1).all()
    assert (after["ball_x"] == 100).all()
    assert (after["paddle_right_y"] == 285).all()


def test_the_last_reward_of_a_step_counts():
    """In a narrow field the ball is hit and passes the opponent within one step."""
    fields = states(16, ball_x=45, ball_vx=12, ball_y=100, paddle_right_y=80, paddle_left_y=500, ball_vy=0)
    after = after_one_step(fields, STAY, frameskip=8, geometry=NARROW)
    assert (after["reward"] == 1).all()
    hit = after_one_step(fields, STAY, frameskip=2, geometry=NARROW)
    assert (hit["reward"] == np.float32(0.1)).all()


def test_continuous_directions_are_fractions_of_a_step():
    actions = np.random.default_rng(17).uniform(-1.5, 1.5, N).astype(np.float32)
    fields = states(17, paddle_right_y=(100, 500))
    after = after_one_step(fields, actions, continuous=True)
    assert np.allclose(changed(fields, after, "paddle_right_y"), 8 * np.clip(actions, -1, 1), atol=1e-4)
    fields = states(18, ball_x=460, ball_vx=10, ball_y=300, paddle_right_y=290, ball_vy=(4, 9))
    after = after_one_step(fields, actions, continuous=True)
    assert np.allclose(changed(fields, after, "ball_vy"), 3 * np.clip(actions, -1, 1), atol=1e-5)
    assert (after["reward"] == np.float32(0.1)).all()


def test_resets_agree():
    reference = PufferPong(N)
    obs = reference.reset(seed=19)
    ours = record_jax(forms.in_form(Pong()), np.zeros((1, N), np.int32), seed=19).initial
    theirs = reference.snapshot()
    assert np.array_equal(ours["obs"], obs)
    for name in ours:
        if name != "state.time":
            assert np.array_equal(ours[name], theirs[name]), name
    assert 400 < (theirs["state.ball_vy"] == 0).sum() < 624
