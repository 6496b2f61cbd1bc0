"""A second process traces nothing, and whatever a trace depends on is part of its key."""

from __future__ import annotations

import copy
import functools
import inspect
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rlenv_emit import emit, emit_env, folder, identity, warm
from rlenv_emit.emit import emit_lazily, kept_trace
from rlenv_emit.env import bytecode_env
from rlenv_emit.synthetic import Synthetic
from rlenv_games import Skirmish

pytestmark = [pytest.mark.l1, pytest.mark.timeout(900)]
CONSTANT = 3
TABLE = np.arange(4, dtype=np.int32)


def helper(x: Any) -> Any:
    return x + CONSTANT


def uses_helper(x: Any) -> Any:
    return helper(x) * jnp.asarray(TABLE)[x & 3]


class Thing:
    """An environment's stand-in."""

    def __init__(self, number: int) -> None:
        self.number = number

    def step(self, x: Any) -> Any:
        return x * self.number


def test_what_a_function_reads_is_part_of_its_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    of = identity.identity_of
    seen = [of(uses_helper), of(Thing(1).step), of(Thing(2).step), of(lambda x: x + 1), of(lambda x: x + 2)]
    assert seen == [of(uses_helper), of(Thing(1).step), of(Thing(2).step), *seen[3:]]
    closures = [(lambda table: lambda x: jnp.asarray(table)[x])(np.arange(n)) for n in (2, 3)]
    seen += map(of, closures)
    seen += [of(functools.partial(helper, x)) for x in (1, 1.0, True, np.int32(1), np.uint32(1), jnp.int32(1))]
    seen += [of(jax.ShapeDtypeStruct((), dtype)) for dtype in ("int32", "uint32", "float32")]
    seen += [of(emit_env(Synthetic(equations=n), form=form).step) for n in (40, 41) for form in (None, "bytecode")]
    this = sys.modules[__name__]
    for name, value in (("CONSTANT", 4), ("helper", lambda x: x - 1), ("TABLE", TABLE + 1)):
        monkeypatch.setattr(this, name, value)
        seen.append(of(uses_helper))
        monkeypatch.undo()
    monkeypatch.setattr(Thing, "step", lambda self, x: x)
    seen.append(of(Thing(1).step))
    monkeypatch.undo()
    monkeypatch.setattr(jnp, "asarray", lambda x: x)
    seen.append(of(uses_helper))
    monkeypatch.undo()
    with jax.enable_x64(True):
        seen.append(of(uses_helper))
    with jax.numpy_dtype_promotion("strict"):
        seen.append(of(uses_helper))
    monkeypatch.setattr(jax, "__version__", "0")
    seen.append(of(uses_helper))
    assert None not in seen
    assert len(set(seen)) == len(seen)


def test_what_python_notes_in_an_object_is_no_part_of_its_identity() -> None:
    """A class that was copied has another attribute, and a signature's text has addresses."""

    def told(signature: inspect.Signature) -> str | None:
        return identity.identity_of(lambda x: x + len(signature.parameters))

    before = identity.identity_of(Thing)
    copy.copy(Thing(1))
    assert "__slotnames__" in vars(Thing)
    assert identity.identity_of(Thing) == before is not None

    def made() -> Any:
        return lambda x, by=lambda y: y: by(x)

    first, again = inspect.signature(made()), inspect.signature(made())
    assert str(first) != str(again)
    assert told(first) == told(again) is not None
    assert told(first) != told(inspect.signature(lambda x, by=1: x))


class Table:
    """An object that works something out once."""

    def __init__(self, entries: dict[str, int]) -> None:
        self.entries = entries

    @functools.cached_property
    def total(self) -> int:
        return sum(self.entries.values())


def test_what_an_object_has_worked_out_is_no_part_of_its_identity_but_what_it_was_given_is() -> None:
    used, fresh, other = Table({"a": 1}), Table({"a": 1}), Table({"a": 1})
    assert used.total == 1
    other.__dict__["total"] = 2  # as a test may do, which must not meet the program of the true one
    found = [identity.identity_of(table) for table in (used, fresh, other)]
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_what_cannot_be_told_has_no_identity(tmp_path: Path) -> None:
    of = identity.identity_of
    assert of(np.array([object()])) is None
    assert of(line for line in ()) is None
    inside: list[Any] = []
    jax.make_jaxpr(lambda x: inside.append(of(lambda y: x + y)) or x)(1)
    assert inside == [None]


MODULE = """
from pathlib import Path
import jax.numpy as jnp
import numpy as np
TABLE = Path(__file__).parent / "table.txt"
def step(x, by={by}):
    print("traced")
    words = TABLE.read_text().split()  # which nothing but the file's content tells
    return jnp.asarray(np.array([int(word) for word in words], np.int32))[x & 1] + x * by
"""
PLAY = """
import sys
import jax, jax.numpy as jnp
from rlenv_emit import emit
from warm_tried import step
name, form, *dtype = sys.argv[1:]
f = emit(step, jnp.zeros((), dtype[0] if dtype else "int32"), form=form if form != "best" else None)
print(jax.jit(jax.vmap(f))(jnp.arange(int(name), dtype=dtype[0] if dtype else "int32")))
"""


@pytest.mark.parametrize("form", ["best", "bytecode"])
def test_another_process_traces_only_what_is_new(form: str, tmp_path: Path) -> None:
    package = tmp_path / "warm_tried"
    package.mkdir()

    def write(by: int, table: str) -> None:
        (package / "__init__.py").write_text(MODULE.replace("{by}", str(by)))
        (package / "table.txt").write_text(table)
        for path in package.iterdir():
            os.utime(path, (1e9 + by, 1e9 + by))

    def play(count: int = 3, *dtype: str, place: Path = tmp_path, **variables: str) -> tuple[bool, str]:
        path = os.pathsep.join((str(place), os.environ.get("PYTHONPATH", "")))
        given = {**os.environ, "PYTHONPATH": path, folder.CACHE_VARIABLE: str(tmp_path / "cache"), **variables}
        command = [sys.executable, "-c", PLAY, str(count), form, *dtype]
        done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        *traced, result = done.stdout.splitlines()
        return bool(traced), result

    write(2, "5 7")
    assert play() == (True, "[5 9 9]")
    assert play() == (False, "[5 9 9]")
    assert play(2) == (False, "[5 9]")  # another batch is another program, which calls the same code
    assert play(3, "int16") == (True, "[5 9 9]")
    assert play(JAX_ENABLE_X64="1")[0]
    write(2, "5 8")
    assert play() == (True, "[ 5 10  9]")
    write(3, "5 8")
    assert play() == (True, "[ 5 11 11]")
    assert play() == (False, "[ 5 11 11]")
    for kept in (tmp_path / "cache").glob("*.npz"):  # what is damaged is made again
        kept.write_bytes(kept.read_bytes()[:-9])
    assert play() == (True, "[ 5 11 11]")
    assert play() == (False, "[ 5 11 11]")
    shutil.copytree(package, tmp_path / "elsewhere" / package.name)
    assert play(place=tmp_path / "elsewhere") == (False, "[ 5 11 11]")
    other = tmp_path / "elsewhere" / package.name / "table.txt"
    other.write_text("5 9")
    os.utime(other, (1e9, 1e9))
    assert play(place=tmp_path / "elsewhere") == (True, "[ 5 12 11]")


FACES = """
import sys
from rlenv_emit import emit_env
from rlenv_emit.synthetic import Synthetic
from rlenv_shared.adapters.gymnasium import GymEnv, GymVectorEnv
class Told(Synthetic):
    def transition(self, *arguments):
        print("traced", file=sys.stderr)
        return super().transition(*arguments)
env = emit_env(Told(equations=40))
for face in (GymVectorEnv(env, 3), GymEnv(env)):
    print(face.reset(seed=1)[0].tolist(), [face.step(face.action_space.sample() * 0)[0].tolist() for _ in range(3)])
"""


def test_faces_of_gymnasium_trace_nothing_in_another_process(tmp_path: Path) -> None:
    script = tmp_path / "faces.py"
    script.write_text(FACES)
    os.utime(script, (1e9, 1e9))
    given = {**os.environ, folder.CACHE_VARIABLE: str(tmp_path / "cache")}

    def play() -> tuple[int, str]:
        done = subprocess.run([sys.executable, script], env=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr.count("traced"), done.stdout

    traces, first = play()
    assert traces >= 2  # the vector's step and the single one's
    assert play() == (0, first)


def test_a_file_that_is_newer_than_the_process_is_not_trusted(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("")
    os.utime(file, (identity._BEGAN + 100,) * 2)
    with pytest.raises(identity.UntellableError):
        identity._files(file)


def test_an_object_that_is_gone_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept program calls objects; without them it is of no use."""
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    asked: list[str] = []

    def load(name: str, key: str) -> bool:
        asked.append(name)
        return False

    def function(x: Any) -> list[Any]:
        warm.note({("name", "key")})
        return [x + 1]

    one = [jax.ShapeDtypeStruct((), jnp.int32)]
    for _ in range(2):
        made = warm.program("identity", function, one, one, load)
        assert jax.jit(made.call)(jnp.int32(1))[0] == 2
    assert asked == ["name"]


MAKERS: dict[str, Callable[[Any], Any]] = {"native": emit_env, "instructions": bytecode_env}


@pytest.mark.parametrize("maker", MAKERS)
def test_a_kept_program_plays_as_a_fresh_one(maker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    game = Skirmish()
    params = game.default_params

    def played() -> list[Any]:
        env = MAKERS[maker](game)
        obs, state = jax.jit(jax.vmap(env.reset, (0, None)))(jax.random.split(jax.random.key(5), 37), params)
        step, legal = jax.jit(jax.vmap(env.step, (None, 0, 0, None))), jax.jit(jax.vmap(env.legal_actions, (0, None)))
        seen: list[Any] = [obs]
        rng = np.random.default_rng(1)
        for _ in range(60):
            mask = np.asarray(legal(state, params))
            action = np.where(mask, rng.random(mask.shape), -1).argmax(-1).astype(np.int32)
            obs, state, *rest = step(None, state, action, params)
            seen.append((obs, state, rest))
        return seen

    fresh = played()
    assert list(tmp_path.glob("program-*.npz"))
    without = types.SimpleNamespace(**{**vars(jax), "make_jaxpr": None})
    monkeypatch.setattr(sys.modules[emit_lazily.__module__], "jax", without)  # nothing is traced again
    jax.tree.map(np.testing.assert_array_equal, played(), fresh)


def test_a_kept_trace_has_derivatives_and_an_emitted_function_of_one_is_whole() -> None:
    square = kept_trace(lambda x, y: {"found": x * x + y})
    value, slope = jax.value_and_grad(lambda x: square(x, jnp.float32(1))["found"])(jnp.float32(3))
    assert (value, slope) == (10, 6)
    batch = jax.vmap(square, (0, None))(jnp.arange(3.0), jnp.float32(1))["found"]
    np.testing.assert_array_equal(batch, [1, 2, 5])
    outer = emit(lambda x: square(x, x)["found"], jnp.float32(0))
    assert outer(jnp.float32(3)) == 12
