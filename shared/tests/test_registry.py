"""Environment ids."""

from __future__ import annotations

import pytest

from rlenv_shared import registry
from rlenv_shared.errors import InvalidParamsError, UnknownEnvError

pytestmark = pytest.mark.l1


@pytest.fixture(autouse=True)
def _empty_registry(monkeypatch):
    monkeypatch.setattr(registry, "_factories", {})


def factory(size=3):
    return ("env", size)


def test_make_calls_the_factory_with_its_arguments():
    registry.register("toy/Walk-v0", factory)
    assert registry.make("toy/Walk-v0") == ("env", 3)
    assert registry.make("toy/Walk-v0", size=5) == ("env", 5)
    assert registry.registered() == ["toy/Walk-v0"]


def test_registering_the_same_factory_again_changes_nothing():
    registry.register("toy/Walk-v0", factory)
    registry.register("toy/Walk-v0", factory)
    with pytest.raises(InvalidParamsError, match="another id"):
        registry.register("toy/Walk-v0", lambda: None)
    assert registry.make("toy/Walk-v0") == ("env", 3)


@pytest.mark.parametrize("env_id", ["Walk-v0", "toy/Walk", "toy/Walk-v", "", "toy/Walk-v0 ", None, 3])
def test_malformed_ids_are_refused(env_id):
    with pytest.raises(InvalidParamsError, match="environment id"):
        registry.register(env_id, factory)


def test_an_unknown_id_names_its_neighbours():
    registry.register("toy/Walk-v0", factory)
    registry.register("other/Something-v3", factory)
    with pytest.raises(UnknownEnvError, match=r"got 'toy/Wlak-v0', expected one of \['toy/Walk-v0'\]"):
        registry.make("toy/Wlak-v0")
    with pytest.raises(KeyError, match="other/Something-v3"):
        registry.make("zzz")


def test_unknown_arguments_are_refused_before_the_factory_runs():
    registry.register("toy/Walk-v0", factory)
    with pytest.raises(InvalidParamsError, match="sice"):
        registry.make("toy/Walk-v0", sice=4)
