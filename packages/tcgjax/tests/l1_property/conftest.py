"""Most programs of these tests run a few times."""

import pytest


@pytest.fixture(autouse=True)
def _soon_compiled(compiled_barely):
    """Their compiler does not optimise."""
