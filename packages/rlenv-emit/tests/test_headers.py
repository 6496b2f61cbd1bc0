"""The headers that all objects have in common are compiled once, and objects are the same without that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import compiler, emit, folder, headers, processor

pytestmark = [pytest.mark.l1, pytest.mark.timeout(300)]
NUMBERS = np.arange(40, dtype=np.int32)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path / "cache"))
    headers._compiled.cache_clear()
    yield tmp_path / "cache"
    headers._compiled.cache_clear()


def results(added: int) -> Any:
    return jax.jit(jax.vmap(emit(lambda x: x * 3 + added, jnp.int32(0))))(NUMBERS)


def compiled(cache: Path) -> list[Path]:
    return sorted(cache.glob("headers-*.gch"))


def commands(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command lines of compilers from here on."""
    run, seen = compiler.run, []

    def noting(given: Any, work: Path) -> None:
        lines = [list(line) for line in given]
        seen.extend(" ".join(line) for line in lines)
        run(lines, work)

    for module in ("rlenv_emit.build", "rlenv_emit.headers"):
        monkeypatch.setattr(f"{module}.run", noting)
    return seen


@pytest.mark.skipif(not compiler.is_gcc(), reason="another compiler than GCC reads the headers themselves")
def test_they_are_compiled_once_and_read_by_each_object(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = commands(monkeypatch)
    for added in (1001, 1002):
        np.testing.assert_array_equal(results(added), NUMBERS * 3 + added)
    assert len(compiled(own_cache)) == 1
    assert sum("c++-header" in line for line in seen) == 1
    assert sum("-include common.h" in line for line in seen) == 2
    inode = compiled(own_cache)[0].stat().st_ino
    headers._compiled.cache_clear()  # another process
    np.testing.assert_array_equal(results(1003), NUMBERS * 3 + 1003)
    assert compiled(own_cache)[0].stat().st_ino == inode


def test_one_that_is_gone_is_passed_over(own_cache: Path) -> None:
    np.testing.assert_array_equal(results(2001), NUMBERS * 3 + 2001)
    for path in compiled(own_cache):
        path.unlink()
    np.testing.assert_array_equal(results(2002), NUMBERS * 3 + 2002)


def test_other_compilers_read_the_headers(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "is_gcc", lambda: False)
    seen = commands(monkeypatch)
    np.testing.assert_array_equal(results(3001), NUMBERS * 3 + 3001)
    assert compiled(own_cache) == []
    assert [line for line in seen if "common.h" in line] == []


@pytest.mark.skipif(not compiler.is_gcc(), reason="another compiler than GCC reads the headers themselves")
def test_each_form_has_its_own(own_cache: Path) -> None:
    forms = [form for form in processor.here() if processor.runs(form)]
    work = own_cache.parent / "work"
    for form in forms:
        (work / form.name).mkdir(parents=True)
        assert headers.include(form, work / form.name) == ("-include", "common.h")
    assert len(compiled(own_cache)) == len(forms)
