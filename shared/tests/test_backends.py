"""Back ends are found among what is installed, and one that is not is named."""

import pytest

from rlenv_shared import backends
from rlenv_shared.errors import InvalidParamsError
from rlenv_testing.walk import Walk

pytestmark = pytest.mark.l1


@pytest.mark.parametrize("of", [backends.environment, backends.function])
def test_a_backend_that_is_not_installed_is_refused(of):
    with pytest.raises(InvalidParamsError, match=r"backend: got 'nothing', expected an installed one: \['"):
        of(Walk(), "nothing")


def test_what_is_installed_is_there():
    pytest.importorskip("rlenv_emit")
    walk = Walk()
    assert backends.environment(walk, "emit", threads=1).env is walk
    assert backends.function(abs, "emit", form="bytecode")(-3) == 3
    assert backends.installed("nothing") is None
    assert backends.default() == {"backend": "bytecode"}  # the tests' device is a CPU
