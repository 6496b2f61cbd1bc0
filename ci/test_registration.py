"""``gymnasium.register_envs(package)``, which only takes the import, makes a package's ids known."""

from __future__ import annotations

import importlib

import gymnasium
import pytest

from ci.workspace import Package, environments
from rlenv_testing import memory

pytestmark = pytest.mark.l1


def ids(package: Package) -> list[str]:
    """What a package has registered."""
    gymnasium.register_envs(importlib.import_module(package.import_name))
    return [env_id for env_id in gymnasium.registry if env_id.startswith(f"{package.import_name}/")]


@pytest.mark.parametrize("package", environments(), ids=lambda package: package.name)
def test_packages_with_the_extra_register_ids_and_no_others_do(package: Package) -> None:
    assert bool(ids(package)) == ("gymnasium" in package.extras)


COMPILED_LONG = ("pokejax", "tcgjax")
"""Their steps take minutes to trace and compile."""
PLAYED = [
    pytest.param(
        package,
        id=package.name,
        marks=[pytest.mark.slow, pytest.mark.timeout(3600)] if package.name in COMPILED_LONG else [],
    )
    for package in environments()
]


@pytest.mark.parametrize("package", PLAYED)
def test_every_registered_id_makes_one_environment_and_many(package: Package) -> None:
    for env_id in ids(package):
        one = gymnasium.make(env_id)
        one.reset(seed=0)
        one.action_space.seed(0)
        one.step(one.action_space.sample())
        many = gymnasium.make_vec(env_id, num_envs=2, vectorization_mode="vector_entry_point")
        many.reset(seed=0)
        assert many.step(many.action_space.sample())[1].shape == (2,)
        many.close()
        memory.give_back()  # each is several programs
