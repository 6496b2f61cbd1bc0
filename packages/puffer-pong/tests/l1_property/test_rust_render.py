"""Pictures show what the state says."""

from __future__ import annotations

import imageio.v3 as imageio
import numpy as np
import pytest

from puffer_pong import PongConfig, PongVectorEnv
from puffer_pong.render import BALL, LEFT_PADDLE, RIGHT_PADDLE, SCORE, render_state, save_gif
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

STATE = {
    "paddle_left_y": 100.0, "paddle_right_y": 300.0, "ball_x": 200.0, "ball_y": 50.0, "score_left": 7, "score_right": 20
}  # fmt: skip


def box(picture, colour):
    """First row, last row + 1, first column, last column + 1 of a colour."""
    rows, columns = np.nonzero((picture == colour).all(axis=-1))
    return rows.min(), rows.max() + 1, columns.min(), columns.max() + 1


def test_everything_is_where_the_state_says():
    picture = render_state(STATE)
    assert picture.shape == (640, 620, 3)
    assert box(picture, LEFT_PADDLE) == (640 - 170, 640 - 100, 40, 60)
    assert box(picture, RIGHT_PADDLE) == (640 - 370, 640 - 300, 560, 580)
    assert box(picture, BALL) == (640 - 82, 640 - 50, 260, 292)


def test_scores_differ():
    pictures = [render_state({**STATE, "score_left": points}) for points in range(21)]
    assert len({picture.tobytes() for picture in pictures}) == 21
    assert (pictures[0] == SCORE).all(axis=-1).any()


def test_a_paddle_half_out_of_the_field_is_cut_off():
    low, high = (render_state({**STATE, "paddle_right_y": y}) for y in (-35.0, 605.0))
    assert box(low, RIGHT_PADDLE)[:2] == (605, 640)
    assert box(high, RIGHT_PADDLE)[:2] == (0, 35)


def test_vector_environments_render_every_game():
    envs = PongVectorEnv(3, render_mode="rgb_array", height=320, width=300)
    envs.reset(seed=0)
    frames = envs.render()
    assert [frame.shape for frame in frames] == [(320, 420, 3)] * 3
    assert PongVectorEnv(3).render() is None


def test_gif_of_states_and_of_pictures(tmp_path):
    states = [{**STATE, "ball_x": float(x)} for x in range(0, 400, 100)]
    one = save_gif(states, tmp_path / "states.gif")
    two = save_gif([render_state(state, PongConfig(), reduce=2) for state in states], tmp_path / "pictures.gif")
    assert imageio.imread(one).shape[:3] == (4, 320, 310)
    np.testing.assert_array_equal(imageio.imread(one), imageio.imread(two))


def test_gif_of_nothing(tmp_path):
    with pytest.raises(InvalidParamsError, match="frames: got none"):
        save_gif([], tmp_path / "none.gif")
