"""The pytest plugin, exercised in pytest runs of its own."""

from __future__ import annotations

import os
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from rlenv_testing import memory, plugin

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.l1

REFERENCE_TESTS = """
    import pytest
    from rlenv_shared.errors import ReferenceUnavailableError

    @pytest.fixture
    def reference():
        raise ReferenceUnavailableError("no compiler; install one")

    @pytest.mark.reference("some")
    def test_fixture(reference):
        pass

    @pytest.mark.reference("some")
    def test_body():
        raise ReferenceUnavailableError("no compiler; install one")
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs pytest on a module, without the variable that requires references."""
    monkeypatch.delenv(plugin.REQUIRE_VARIABLE, raising=False)

    def run(module, *args, own_process=False):
        pytester.makepyfile(module)
        start = pytester.runpytest_subprocess if own_process else pytester.runpytest_inprocess
        return start("--strict-markers", "-rs", *args)

    return run


def test_a_missing_reference_skips(run):
    result = run(REFERENCE_TESTS)
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*no compiler; install one*"])


def test_the_files_that_may_take_longest_begin_where_workers_share_them_out(pytester):
    marked = "import pytest\n\n@pytest.mark.timeout({})\ndef test_it(): pass\n"
    texts = {"test_a": "def test_it(): pass\n", "test_b": marked.format(300), "test_c": marked.format(0)}
    pytester.makepyfile(**texts)
    alone, shared_out = (
        [line[5:6] for line in pytester.runpytest_subprocess("-v", "--tb=no", *args).outlines if "test_it" in line]
        for args in ((), ("-n", "1", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider"))
    )
    assert alone == ["a", "b", "c"]
    assert [name for name in shared_out if name.strip()] == ["c", "b", "a"]


def test_a_missing_reference_fails_where_required(run):
    result = run(REFERENCE_TESTS, "--require-references")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1, errors=1)


@pytest.mark.parametrize(("value", "outcomes"), [("1", {"failed": 1, "errors": 1}), ("0", {"skipped": 2})])
def test_the_variable_requires_references(run, monkeypatch, value, outcomes):
    monkeypatch.setenv(plugin.REQUIRE_VARIABLE, value)
    run(REFERENCE_TESTS).assert_outcomes(**outcomes)


def test_a_backend_reaches_the_tests(run):
    module = "from rlenv_testing import forms\ndef test_it():\n    assert forms.chosen() == 'emit'\n"
    run(module, "--backend", "emit", own_process=True).assert_outcomes(passed=1)
    run(module, own_process=True).assert_outcomes(failed=1)


def test_only_marked_tests_are_skipped_and_only_for_that_reason(run):
    run("""
        import pytest
        from rlenv_shared.errors import DivergenceError, ReferenceUnavailableError

        def test_unmarked():
            raise ReferenceUnavailableError("x")

        @pytest.mark.reference("some")
        def test_divergence():
            raise DivergenceError("x")

        @pytest.mark.reference("some")
        def test_passes():
            pass
    """).assert_outcomes(failed=2, passed=1)


def test_every_marker_is_registered(run):
    names = [marker.split(":")[0].split("(")[0] for marker in plugin.MARKERS]
    marks = "\n".join(f"@pytest.mark.{name}" + ("('x')" if name == "reference" else "") for name in names)
    run(f"import pytest\n{marks}\ndef test_it():\n    pass\n").assert_outcomes(passed=1)


def test_outside_this_repository_jax_is_left_alone(run, monkeypatch):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    run("import os\ndef test_it():\n    assert 'JAX_COMPILATION_CACHE_DIR' not in os.environ\n").assert_outcomes(
        passed=1
    )


def test_inside_it_programs_are_cached(pytester, run, monkeypatch):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_enable_fast_math=false")
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\n")
    (pytester.path / "shared" / "src" / "rlenv_shared").mkdir(parents=True)
    run(
        """
        import gc, os
        import jax
        from rlenv_testing import memory, plugin

        def test_it(pytestconfig):
            assert os.environ["XLA_FLAGS"] == f"--xla_cpu_enable_fast_math=false {plugin.ONE_PIECE}=1"
            assert gc.get_threshold() == plugin.COLLECTION
            assert jax.config.jax_compilation_cache_dir == str(pytestconfig.rootpath / ".cache" / "jax")
            assert jax.config.jax_persistent_cache_min_compile_time_secs == 0
            assert jax.default_backend() == "cpu"
    """,
        own_process=True,
    ).assert_outcomes(passed=1)


def test_what_the_user_set_wins(monkeypatch, tmp_path):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "elsewhere")
    monkeypatch.setenv("XLA_FLAGS", f"{plugin.ONE_PIECE}=4")
    before = jax.config.jax_compilation_cache_dir
    plugin.configure_jax(tmp_path)
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == "elsewhere"
    assert os.environ["XLA_FLAGS"] == f"{plugin.ONE_PIECE}=4"
    assert jax.config.jax_compilation_cache_dir == before


def test_jax_imported_earlier_is_configured_too(run):
    run(
        """
        import pathlib
        import jax
        from rlenv_testing import memory, plugin

        def test_it(tmp_path, monkeypatch):
            for name in ("JAX_PLATFORMS", "JAX_COMPILATION_CACHE_DIR", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"):
                monkeypatch.delenv(name, raising=False)
            plugin.configure_jax(tmp_path)
            assert jax.config.jax_compilation_cache_dir == str(tmp_path)
            assert jax.config.jax_persistent_cache_min_compile_time_secs == 0
    """,
        own_process=True,
    ).assert_outcomes(passed=1)


def test_strict_promotion_is_strict(strict_promotion):
    with pytest.raises(Exception, match="promotion"):
        jnp.int32(1) + jnp.float32(1)


def test_x64_is_on_and_strict(x64):
    assert jnp.zeros(()).dtype == jnp.float64
    with pytest.raises(Exception, match="promotion"):
        jnp.int32(1) + jnp.float32(1)


def test_every_dtype_has_its_x64(dtype, request):
    assert jnp.zeros(()).dtype == dtype
    assert request.node.name.endswith(f"[{dtype.__name__}]")
    with pytest.raises(Exception, match="promotion"):
        jnp.int32(1) + jnp.float32(1)


def test_without_the_fixtures_neither_is_on():
    assert (jnp.int32(1) + jnp.float32(1)).dtype == jnp.float32
    assert jnp.zeros(()).dtype == jnp.float32


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux alone has this file, and the limit")
@pytest.mark.parametrize("limit", ["MOST_AREAS", "MOST_RESIDENT_MIB"])
@pytest.mark.parametrize(("times", "in_file", "after_file"), [(2.0, 1, 1), (0.75, 1, 0), (0.25, 0, 0)])
def test_programs_are_dropped_when_they_fill_the_memory(request, monkeypatch, limit, times, in_file, after_file):
    now = {"MOST_AREAS": memory.areas(), "MOST_RESIDENT_MIB": memory.resident_mib()}[limit]
    monkeypatch.setattr(memory, "MOST_AREAS", 10**9)
    monkeypatch.setattr(memory, "MOST_RESIDENT_MIB", 10**9)
    monkeypatch.setattr(memory, limit, int(now * times))
    monkeypatch.setattr(memory, "_left", [0, 0])
    program = jax.jit(lambda x: x + 1)
    program(1.0)
    plugin.pytest_runtest_teardown(request.node, request.node)  # the next test is of this file
    assert program._cache_size() == in_file
    plugin.pytest_runtest_teardown(request.node, None)
    assert program._cache_size() == after_file


def test_what_cannot_be_dropped_is_not_dropped_for_after_every_test(monkeypatch):
    """A file that kept two gigabytes of recordings collected garbage for 5 s after each of 1,400 tests."""
    used = [3_000, 0]
    monkeypatch.setattr(memory, "_left", [0, 0])
    monkeypatch.setattr(memory, "MOST_RESIDENT_MIB", 1_000)
    monkeypatch.setattr(memory, "MOST_AREAS", 20_000)
    monkeypatch.setattr(memory, "resident_mib", lambda: used[0])
    monkeypatch.setattr(memory, "areas", lambda: used[1])
    assert [memory.give_back(), memory.give_back()] == [True, False]
    used[0] = 3_301  # more than 300 MiB beyond what was left
    assert [memory.give_back(), memory.give_back()] == [True, False]
    used[0] = 1_100  # the file has ended; from here it counts again
    assert not memory.give_back()
    used[0] = 1_401
    assert [memory.give_back(), memory.give_back()] == [True, False]
    used[1] = 20_001
    assert [memory.give_back(), memory.give_back()] == [True, False]
