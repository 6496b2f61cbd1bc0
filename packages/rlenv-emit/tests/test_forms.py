"""Tests of other packages in the form that ``pytest --backend`` names."""

import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import EmittedEnv
from rlenv_games import Hand
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing import forms

NUMBERS = np.arange(5, dtype=np.int32)


def shifted(x):
    """XLA and native code agree; NumPy, which would shift by the width and more as it likes, does not count."""
    return jnp.left_shift(x, 30 + x)


def test_nothing_is_changed_without_a_choice(monkeypatch):
    monkeypatch.delenv(forms.VARIABLE, raising=False)
    env = Hand()
    assert forms.chosen() is None
    assert forms.in_form(env) is env
    np.testing.assert_array_equal(forms.batched(shifted)(NUMBERS), [0, -(2**31), 0, 0, 0])
    assert "custom_call" not in forms.batched(shifted).lower(NUMBERS).as_text()


def test_the_native_form(monkeypatch):
    monkeypatch.setenv(forms.VARIABLE, "emit")
    assert forms.chosen() == "emit"
    assert isinstance(forms.in_form(Hand()), EmittedEnv)
    native = forms.batched(shifted)
    np.testing.assert_array_equal(native(NUMBERS), [0, -(2**31), 0, 0, 0])
    assert "custom_call" in native.lower(NUMBERS).as_text()


def test_an_unknown_backend_is_refused(monkeypatch):
    monkeypatch.setenv(forms.VARIABLE, "fortran")
    with pytest.raises(InvalidParamsError, match="fortran"):
        forms.in_form(Hand())
    with pytest.raises(InvalidParamsError, match="fortran"):
        forms.batched(shifted)
