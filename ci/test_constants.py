"""Arrays of the environments' modules are of 32 bits at most, so that a step is traced alike with and without x64."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ci.workspace import Package, environments

pytestmark = pytest.mark.l1


def modules(package: Package) -> Iterator[ModuleType]:
    """What is imported to play; verification computes in 64 bits where it likes."""
    root = importlib.import_module(package.import_name)
    yield root
    for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
        if "verification" not in found.name and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def wide(value: Any) -> Iterator[str]:
    """Dtypes of 64 bits of an array, or of arrays in tuples, lists and dicts."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and value.dtype.itemsize > 4:
        yield str(value.dtype)
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from wide(part)
    elif isinstance(value, dict):
        yield from wide(list(value.values()))


OF_JAX = [
    package for package in environments() if any(name.startswith("jax") for name in package.project["dependencies"])
]


@pytest.mark.parametrize("package", OF_JAX, ids=lambda package: package.name)
def test_arrays_of_modules_have_at_most_32_bits(package: Package) -> None:
    """An int64 index that JAX had made an int32 once, in an earlier trace, met an int64 under x64."""
    found = [
        (module.__name__, name)
        for module in modules(package)
        for name, value in vars(module).items()
        if any(wide(value))
    ]
    assert found == []


def test_wide_arrays_are_found_wherever_they_are() -> None:
    assert list(wide(({"a": [np.zeros(1)]}, np.zeros(1, np.int32), np.int64(1), (np.arange(2),)))) == [
        "float64",
        "int64",
    ]
