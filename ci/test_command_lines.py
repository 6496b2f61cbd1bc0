"""Every command over what users run into: files that are missing, places that take nothing, extras left out."""

from __future__ import annotations

import importlib
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ci.workspace import environments

pytestmark = pytest.mark.l1

GIFS = {
    "acrobot_jax": ["gif", "--steps", "3"],
    "cartpole_jax": ["gif", "--steps", "3"],
    "halfcheetah_jax": ["gif", "--steps", "3"],
    "emurust": ["record", "--frames", "20"],
}
WITHOUT_PICTURES = {"pokejax", "tcgjax"}  # nothing that writes a file: a game in the terminal
COMMANDS = [package for package in environments() if "scripts" in package.project]
Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Call a package's command; returns its exit status and what it said on stderr."""
    monkeypatch.chdir(tmp_path)

    def call(name: str, *arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        try:
            status = importlib.import_module(f"{name}.cli").main()
        except SystemExit as end:
            status = end.code
        return status or 0, capsys.readouterr().err

    return call


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file grows beyond a hundred bytes."""
    limits, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


def test_every_package_with_a_command_is_here() -> None:
    assert {package.import_name for package in COMMANDS} == set(GIFS) | WITHOUT_PICTURES


@pytest.mark.parametrize("name", GIFS)
def test_a_missing_file_is_one_line(name: str, run: Run) -> None:
    missing = ["info", "--rom", "nowhere"] if name == "emurust" else ["gif", "--policy", "nowhere.npz"]
    status, said = run(name, *missing)
    assert (status, said.count("\n")) == (2, 1), said
    assert "nowhere" in said


@pytest.mark.parametrize("name", GIFS)
@pytest.mark.parametrize("place", ["/proc/picture.gif", "file/picture.gif", "."], ids=["read-only", "file", "folder"])
def test_a_place_that_takes_no_file_is_one_line(name: str, place: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    status, said = run(name, *GIFS[name], "--out", place)
    assert (status, said.count("\n")) == (2, 1), said


@pytest.mark.parametrize("name", GIFS)
def test_a_full_disk_is_one_line_and_leaves_nothing(name: str, run: Run, tmp_path: Path, full_disk: None) -> None:
    status, said = run(name, *GIFS[name], "--out", "picture.gif")
    assert (status, said.count("\n")) == (2, 1), said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", sorted(set(GIFS) - {"emurust"}))
def test_a_run_directory_that_is_a_file_is_one_line(name: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    status, said = run(name, "train", "--run-dir", "run")
    assert (status, said.strip().count("\n")) == (2, 0), said


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("cartpole_jax", "tyro", "cartpole-jax[train]"),
        ("cartpole_jax", "imageio.v3", "cartpole-jax[render]"),
        ("halfcheetah_jax", "tyro", "halfcheetah-jax[train]"),
        ("emurust", "PIL", "emurust[render]"),
    ],
)
def test_an_extra_that_was_left_out_is_named(
    name: str, module: str, extra: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    status, said = run(name, *GIFS[name], "--out", "picture.gif")
    assert (status, said) == (2, f"error: {module} is not installed; run: pip install '{extra}'\n")
