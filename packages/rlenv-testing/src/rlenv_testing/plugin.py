"""Pytest plugin of the verified environments (installed with ``rlenv-testing``, entry point ``rlenv_testing``).

* Marker ``reference(name)``: the test compares with ``references/<name>``.  Where the reference raises
  `ReferenceUnavailableError` the test is skipped, or fails with ``--require-references`` (or
  ``RLENV_REQUIRE_REFERENCES=1``), so that CI cannot pass without having compared anything.
* Fixtures ``strict_promotion``, ``x64`` (strict, too) and ``dtype``: the test runs under that JAX setting, with
  ``dtype`` once for float32 and once for float64.
* Fixture ``compiled_barely``: `rlenv_shared.compiling.jit` compiles quickly (`quick`).
* Compiled and traced programs are dropped between tests when they fill the process's memory (`memory`).
* Fixtures of a class, module or session have a time limit of their own, and the test's clock stands still meanwhile
  (`deadlines`).
* Beside other workers the files begin that take longest, by what was recorded (`progress`), else by their ``timeout``
  marks: a long file that comes last keeps one worker busy and the others idle.
* A run of more than a minute says once a minute how far it is, and at its end what took longest.
* In this repository JAX runs on the CPU unless ``JAX_PLATFORMS`` says otherwise and keeps compiled programs in
  ``.cache/jax``, XLA compiles a program in one piece, and Python looks for cyclic garbage rarely; Hypothesis has no
  deadline; ``references.<name>`` can be imported.  L1 tests, which compare nothing with a reference, compile quickly
  but for those marked ``optimised``; the others compile as users do.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from rlenv_shared.errors import ReferenceUnavailableError
from rlenv_shared.verification.locate import make_importable
from rlenv_testing import deadlines, forms, memory, progress

ONE_PIECE = "--xla_cpu_parallel_codegen_split_count"  # 32 by default: of use to idle cores, a tenth more work
COLLECTION = (100_000, 50, 100)  # tracing makes many objects that last; by default each is looked at again and again
REQUIRE_VARIABLE = "RLENV_REQUIRE_REFERENCES"
MARKERS = (
    "l1: self-consistency: properties and conformance, no reference",
    "l2: one mechanic at a time against the reference",
    "l3: whole episodes against the reference",
    "l4: transfer of learning to the reference and back",
    "optimised: of L1, compiled as for users: it runs for longer than it compiles, or looks at what is compiled",
    "slow: minutes; left out unless asked for",
    "bench: measures speed; needs a quiet machine",
    "gpu: needs an accelerator",
    "reference(name): needs references/<name>; skipped without it unless --require-references is given",
    "regression: a failing case that was fixed, kept in tests/fixtures/regressions",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--require-references`` and ``--backend``."""
    group = parser.getgroup("rlenv")
    group.addoption(
        "--backend",
        metavar="NAME",
        help=f"test steps in the form of this backend, as `emit`, where a test offers it (default: ${forms.VARIABLE})",
    )
    group.addoption(
        "--require-references",
        action="store_true",
        default=os.environ.get(REQUIRE_VARIABLE, "") not in ("", "0"),
        help=f"fail, instead of skip, a test whose reference is unavailable (default: ${REQUIRE_VARIABLE})",
    )
    group.addoption(
        "--record-seconds",
        metavar="FILE",
        type=Path,
        help=f"write the processor seconds of each test file, as {progress.RECORD} has them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers; configure JAX before a test module imports it."""
    if config.getoption("--backend"):  # read by `forms`, also in workers
        os.environ[forms.VARIABLE] = config.getoption("--backend")
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(progress.InWorker())
    else:
        config.pluginmanager.register(progress.Progress(config))
        if not config.getoption("numprocesses", None):
            config.pluginmanager.register(progress.InWorker())
    if _is_ours(config):
        configure_jax(config.rootpath / ".cache" / "jax")
        configure_hypothesis()
        gc.set_threshold(*COLLECTION)
        make_importable(config.rootpath / "references")


def _is_ours(config: pytest.Config) -> bool:
    """Whether tests of this repository run."""
    return (config.rootpath / "shared" / "src" / "rlenv_shared").is_dir()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long files first, where tests are shared out among workers (they collect them, each all)."""
    if hasattr(config, "workerinput"):
        known = progress.known_seconds(config.rootpath)
        longest: dict[str, float] = {}
        for item in items:
            path = progress.file_of(item.nodeid)
            longest[path] = known[path] if path in known else max(longest.get(path, 0.0), _time_limit(item))
        items.sort(key=lambda item: -longest[progress.file_of(item.nodeid)])


def _time_limit(item: pytest.Item) -> float:
    """Seconds that a test's mark allows it: none 0, no limit infinity."""
    mark = item.get_closest_marker("timeout")
    return 0.0 if mark is None else float(mark.args[0] or "inf")


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """What many tests share is not made in the time of the first of them."""
    if fixturedef.scope == "function":
        return (yield)
    with deadlines.apart(f"the fixture {fixturedef.argname}"):
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """After each test, see to the memory."""
    same_file = nextitem is not None and nextitem.path == item.path
    memory.give_back(memory.WITHIN_A_FILE if same_file else 1)


def configure_jax(cache: Path) -> None:
    """CPU, a persistent compilation cache and programs in one piece, where the environment does not say otherwise."""
    flags = os.environ.get("XLA_FLAGS", "")
    if ONE_PIECE not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {ONE_PIECE}=1".strip()
    settings: dict[str, str | float] = {
        "jax_platforms": "cpu",
        "jax_compilation_cache_dir": str(cache),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
    }
    for name, value in settings.items():
        if name.upper() in os.environ:
            continue
        os.environ[name.upper()] = str(value)  # read when JAX is imported, also by subprocesses
        if "jax" in sys.modules:
            sys.modules["jax"].config.update(name, value)


def configure_hypothesis() -> None:
    """No deadline: the first example pays for a compilation."""
    import hypothesis  # late, because the plugin is loaded in every run of pytest

    hypothesis.settings.register_profile("rlenv", deadline=None)
    hypothesis.settings.load_profile("rlenv")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
    """Skip, instead of fail, a ``reference`` test for want of its reference, unless references are required."""
    report = yield
    marker = item.get_closest_marker("reference")
    unavailable = call.excinfo is not None and call.excinfo.errisinstance(ReferenceUnavailableError)
    if marker is not None and unavailable and not item.config.getoption("--require-references"):
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, line or 0, f"Skipped: {call.excinfo.value}")  # type: ignore[union-attr]
    return report


@pytest.fixture
def strict_promotion() -> Iterator[None]:
    """The test runs under ``jax_numpy_dtype_promotion="strict"``."""
    import jax

    with jax.numpy_dtype_promotion("strict"):
        yield


@pytest.fixture
def x64(strict_promotion: None) -> Iterator[None]:
    """The test runs with 64-bit types enabled, under strict promotion."""
    import jax

    with jax.enable_x64(True):
        yield


@pytest.fixture(params=["float32", "float64"])
def dtype(request: pytest.FixtureRequest, strict_promotion: None) -> Iterator[Any]:
    """``jnp.float32``, then ``jnp.float64`` with 64-bit types enabled; both under strict promotion."""
    import jax

    with jax.enable_x64(request.param == "float64"):
        yield getattr(jax.numpy, request.param)


@pytest.fixture(autouse=True)
def _compiled_as_its_level_asks(request: pytest.FixtureRequest) -> None:
    """L1 tests compile quickly."""
    marked = request.node.get_closest_marker
    if _is_ours(request.config) and marked("l1") and not marked("optimised") and "jax" in sys.modules:
        request.getfixturevalue("compiled_barely")


@pytest.fixture
def compiled_barely() -> Iterator[None]:
    """`compiling.jit` compiles without LLVM's optimisations and XLA's fusion emitters."""
    from rlenv_testing import quick

    with quick.compiled_with(quick.BARELY):
        yield
