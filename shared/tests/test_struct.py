"""L1: dataclasses as pytrees: people's values are checked, JAX's are not."""

import dataclasses

import jax
import jax.numpy as jnp
import pytest

from rlenv_shared.struct import Replaceable, pytree_dataclass, static

pytestmark = pytest.mark.l1


@pytree_dataclass
class Plain(Replaceable):
    """Without checks."""

    mass: float
    name: str = static(default="plain")


@pytree_dataclass
class Checked(Replaceable):
    """A mass is positive."""

    mass: float
    name: str = static(default="checked")

    def __post_init__(self):
        if isinstance(self.mass, int | float) and self.mass <= 0:
            raise ValueError(f"mass: got {self.mass}, expected a number > 0")


@pytest.mark.parametrize("kind", [Plain, Checked])
def test_flatten_and_unflatten(kind):
    tree = kind(mass=2.0, name="other")
    leaves, structure = jax.tree.flatten(tree)
    assert leaves == [2.0]
    assert jax.tree.unflatten(structure, leaves) == tree
    assert structure != jax.tree.structure(tree.replace(name="another"))
    ((path, _),) = jax.tree_util.tree_leaves_with_path(tree)
    assert jax.tree_util.keystr(path) == ".mass"
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.mass = 1.0


def test_people_are_checked():
    for make in (lambda: Checked(mass=0), lambda: Checked(mass=1.0).replace(mass=-1.0)):
        with pytest.raises(ValueError, match="mass: got"):
            make()


@pytest.mark.parametrize("kind", [Plain, Checked])
def test_a_tree_of_axes_may_hold_what_no_parameter_may(kind):
    params = kind(mass=jnp.arange(1.0, 4.0))
    axes = jax.tree.map(lambda _: 0, params)
    assert jax.vmap(lambda p, x: p.mass * x, in_axes=(axes, None))(params, 2.0).tolist() == [2, 4, 6]
