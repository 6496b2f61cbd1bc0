"""A wheel with objects in an empty environment: emitted CartPole and Skirmish run where no compiler is."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

import jax
import pytest

from rlenv_emit import build, folder, processor
from rlenv_emit.errors import ObjectFileError
from rlenv_emit.objects import make_objects

PACKAGE = Path(__file__).parents[1]
REPOSITORY = PACKAGE.parents[1]
pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]
STEPPED = ("cartpole_jax:CartPole", "rlenv_games:Skirmish")
PLAY = """
import functools, sys
import gymnasium, jax, jax.numpy as jnp, numpy as np
import cartpole_jax
from rlenv_emit import emit, emit_env, processor
from rlenv_emit.errors import CompilerError
from rlenv_shared import compiling, counter_rng
from rlenv_games import Skirmish

form, *lacks = sys.argv[1:]
left = frozenset(flag for flag in processor.flags() if not flag.startswith(tuple(lacks)))
processor.flags = lambda: left
assert processor.best().name == form, processor.best()

gymnasium.register_envs(cartpole_jax)
name = "cartpole_jax/CartPole-v1"
for make, actions in ((gymnasium.make, [1] * 8), (functools.partial(gymnasium.make_vec, num_envs=2), [[1, 0]] * 8)):
    envs = [make(name, **options) for options in ({"backend": "emit"}, {})]
    first = [env.reset(seed=3)[0] for env in envs]
    np.testing.assert_array_equal(*first)
    for action in actions:
        after = [env.step(np.asarray(action)) for env in envs]
        np.testing.assert_allclose(after[0][0], after[1][0], atol=1e-6)

game = Skirmish()
params = game.default_params
seeds = tuple(map(jnp.asarray, counter_rng.seed_words(3, 37)))
begin = jax.vmap(game.init, (0, None))(seeds, params)

def play(env, **options):
    step = jax.jit(jax.vmap(env.step, (None, 0, 0, None)), **options)
    state, seen = begin, []
    for number in range(20):
        mask = jax.vmap(game.legal_actions, (0, None))(state, params)
        _, state, *rest = step(None, state, jnp.argmax(jnp.roll(mask, number % 3, -1), -1).astype(jnp.int32), params)
        seen.append((state, rest))
    return seen

expected = play(game, compiler_options=compiling.WITHOUT_FUSION["cpu"])
jax.tree.map(np.testing.assert_array_equal, play(emit_env(game)), expected)
try:
    emit(lambda x: x + 1, jnp.int32(0))(jnp.int32(1))
except CompilerError as error:
    print("refused:", error)
"""
FORMS = {"avx512": (), "avx2": ("avx512",), "sse2": ("avx", "fma")}


def test_objects_that_came_with_the_package_are_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path / "cache"))
    brought = make_objects(["rlenv_games.small_games:Standoff"], tmp_path / "brought")
    assert {path.name.partition("-")[0] for path in brought} == {
        form.name for form in processor.FORMS if processor.runs(form)
    }
    monkeypatch.setattr(build, "BROUGHT", tmp_path / "brought")
    monkeypatch.setattr(build, "compile_text", lambda *arguments: pytest.fail("the object is there"))
    make_objects(["rlenv_games.small_games:Standoff"], tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("win32", "AMD64"), ("darwin", "x86_64")])
def test_elsewhere_the_error_says_what_to_do(system: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(processor.platform, "machine", lambda: machine)
    with pytest.raises(ObjectFileError, match=f"{system} on {machine}.*XLA compiles the step"):
        processor.best()


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment in which the wheels are installed, and nothing that they do not ask for."""
    wheels = tmp_path_factory.mktemp("wheels")
    package = shutil.copytree(PACKAGE, wheels / "rlenv-emit")
    make_objects(STEPPED, package / "src" / "rlenv_emit" / "objects")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    needed = [REPOSITORY / "packages" / name for name in ("cartpole-jax", "rlenv-games")]
    sources = (package, REPOSITORY / "shared", *needed)
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", wheels / "made", *sources], check=True)
    (wheel,) = (wheels / "made").glob("rlenv_emit-*.whl")
    assert wheel.name.endswith("-py3-none-linux_x86_64.whl")
    venv.create(wheels / "env", with_pip=True)
    python = wheels / "env" / "bin" / "python"
    asked = [f"rlenv-emit @ {wheel.as_uri()}", "cartpole-jax[gymnasium]", "rlenv-games", f"jax=={jax.__version__}"]
    install = (python, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    subprocess.run([*install, "--find-links", wheels / "made", *asked], check=True)
    return python


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("form", FORMS)
def test_an_empty_environment_needs_no_compiler(form: str, empty_environment: Path, tmp_path: Path) -> None:
    if not processor.runs(processor.known(form)):
        pytest.skip(f"this processor does not run {form}")
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), folder.CACHE_VARIABLE: str(tmp_path / "cache")}
    done = subprocess.run(
        [empty_environment, "-c", PLAY, form, *FORMS[form]],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert "refused: " in done.stdout
    assert 'leave out backend="emit"' in done.stdout
    assert not list(tmp_path.rglob("*.so"))
