"""Flat observations: ids stay one column each, and networks look them up."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlenv_shared import spaces as ours
from rlenv_shared.adapters.flat import Columns, FlatBox, FlatObservation, FlatVectorObservation, Layout, flatten
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1

SPACE = ours.Dict({
    "ids": ours.MultiDiscrete([5, 5, 7, 5]), "numbers": ours.Box(-4.0, 2.0, (2, 2)), "who": ours.Discrete(3),
})  # fmt: skip
OBS = {"ids": np.array([4, 0, 6, 1]), "numbers": np.array([[-4.0, 1.0], [2.0, 0.5]], np.float32), "who": 2}
FLAT = [4, 0, 6, 1, -4.0, 1.0, 2.0, 0.5, 2]


def test_the_layout_says_which_columns_are_ids_of_how_many_kinds():
    expected = (
        Columns("ids", 0, 2, 5), Columns("ids", 2, 3, 7), Columns("ids", 3, 4, 5), Columns("numbers", 4, 8, 0, 0.25),
        Columns("who", 8, 9, 3),
    )  # fmt: skip
    for space in (SPACE, SPACE.to_gymnasium()):
        layout = Layout.of(space)
        assert layout.columns == expected
        assert layout.size == 9
        assert {table: len(parts) for table, parts in layout.tables.items()} == {
            ("ids", 5): 2, ("ids", 7): 1, ("who", 3): 1,
        }  # fmt: skip


def test_observations_are_flattened_one_by_one_and_in_batches():
    assert flatten(SPACE, OBS).tolist() == FLAT
    batch = {name: np.stack([value, value]) for name, value in OBS.items()}
    assert flatten(SPACE, batch, batch=1).tolist() == [FLAT, FLAT]
    assert FlatBox(SPACE.to_gymnasium()).contains(flatten(SPACE, OBS))


class Shown(gymnasium.Env):
    observation_space, action_space = SPACE.to_gymnasium(), spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return {**OBS, "who": np.int64(2)}, {}

    def step(self, action):
        return {**OBS, "who": np.int64(action)}, 0.0, True, False, {}


def test_wrappers_of_one_environment_and_of_many():
    one = FlatObservation(Shown())
    assert one.reset()[0].tolist() == FLAT
    assert one.observation_space.contains(one.step(1)[0])
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    many = FlatVectorObservation(gymnasium.vector.SyncVectorEnv([Shown] * 2, autoreset_mode=mode))
    assert many.reset()[0].tolist() == [FLAT, FLAT]
    assert many.single_observation_space.layout.size == 9


@pytest.mark.parametrize("space", [spaces.Text(3), spaces.Tuple([spaces.Discrete(2)]), spaces.MultiDiscrete([2**25])])
def test_what_has_no_flat_form_is_refused(space):
    with pytest.raises(InvalidParamsError):
        Layout.of(space)


def test_torch_looks_ids_up():
    torch = pytest.importorskip("torch")
    from rlenv_shared.adapters.torch_embedding import Embedded

    module = Embedded(Layout.of(SPACE), width=3)
    found = module(torch.tensor([FLAT]))
    assert found.shape == (1, module.size) == (1, 4 + 3 * 5)
    assert found[0, :4].tolist() == [-1.0, 0.25, 0.5, 0.125]
    assert torch.equal(found[0, 4:7], module.tables[0].weight[4])
    assert sum(weights.numel() for weights in module.parameters()) == 3 * (5 + 7 + 3)


def test_stable_baselines3_s_features():
    pytest.importorskip("stable_baselines3")
    import torch

    from rlenv_shared.adapters.sb3_embedding import EmbeddingExtractor

    extractor = EmbeddingExtractor(FlatBox(SPACE), width=3, features=8)
    assert extractor(torch.tensor([FLAT])).shape == (1, 8)
    with pytest.raises(InvalidParamsError, match="FlatVectorObservation"):
        EmbeddingExtractor(spaces.Box(0, 1, (3,)))
