"""What the references' adapters have in common: sdists, and single environments side by side."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import os
import tarfile

import gymnasium
import numpy as np
import pytest
from references.sdist import fetch_pypi_sdist
from references.side_by_side import side_by_side

from rlenv_learn.host import check_host_env
from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.verification.pinned import Pin

pytestmark = pytest.mark.l1

PIN = Pin("toy-game", "1.2.0", "pypi", "MIT", None, (), ("toy",))
STEPS = 30


@pytest.fixture(params=["setuptools.build_meta", "no_such_backend"])
def sdist(tmp_path, monkeypatch, request):
    """A source archive in a folder that stands for the index; its setup.py leaves a trace if anyone runs it."""
    files = {
        "PKG-INFO": "Metadata-Version: 2.1\nName: Toy_Game\nVersion: 1.2.0\n",
        "pyproject.toml": f'[build-system]\nrequires = []\nbuild-backend = "{request.param}"\n',
        "setup.py": f"open({str(tmp_path / 'ran')!r}, 'w')",
        "src/game.h": "int rules;\n",
    }
    index = tmp_path / "index"
    index.mkdir()
    archive = index / "toy_game-1.2.0.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        for name, text in files.items():
            member = tarfile.TarInfo(f"toy_game-1.2.0/{name}")
            member.size = len(text)
            packed.addfile(member, io.BytesIO(text.encode()))
    for variable in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    members = {"src/game.h": hashlib.sha256(b"int rules;\n").hexdigest()}
    pin = dataclasses.replace(PIN, sha256=hashlib.sha256(archive.read_bytes()).hexdigest(), members=members)
    return pin, archive, tmp_path


def test_sdist_is_fetched_verified_kept_and_not_run(sdist):
    pin, archive, tmp_path = sdist
    tree = fetch_pypi_sdist(pin, tmp_path / "cache")
    assert (tree / "src" / "game.h").read_text() == "int rules;\n"
    assert not (tmp_path / "ran").exists()
    archive.unlink()
    assert fetch_pypi_sdist(pin, tmp_path / "cache") == tree  # from the cache
    (tree / "src" / "game.h").write_text("int other_rules;\n")
    with pytest.raises(ReferenceUnavailableError, match=r"game\.h"):
        fetch_pypi_sdist(pin, tmp_path / "cache")


@pytest.mark.parametrize("change", [{"sha256": "0" * 64}, {"version": "9.9.9"}, {"name": "no-such-toy"}])
def test_sdist_that_is_not_the_pinned_one_is_refused(sdist, change):
    pin, _, tmp_path = sdist
    with pytest.raises(ReferenceUnavailableError, match="sdist of"):
        fetch_pypi_sdist(dataclasses.replace(pin, **change), tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*-*"))  # nothing half-done is left behind
    with pytest.raises(InvalidParamsError, match="pin"):
        fetch_pypi_sdist(dataclasses.replace(pin, sha256=None), tmp_path / "cache")


def test_final_observations_are_those_of_the_single_environment():
    envs = side_by_side("CartPole-v1", 2, sutton_barto_reward=True)
    check_host_env(envs)
    single = gymnasium.make("CartPole-v1", sutton_barto_reward=True)
    assert np.array_equal(envs.reset(seed=3)[0][0], single.reset(seed=3)[0])
    ends = 0
    for _ in range(STEPS):
        obs, reward, terminated, truncated, info = envs.step(np.ones(2, np.int64))
        expected, worth, ended, *_ = single.step(1)
        np.testing.assert_array_equal(info["final_obs"][0], expected)
        assert (reward[0], terminated[0], truncated[0]) == (worth, ended, False)
        assert info["final_obs"].dtype == obs.dtype
        if ended:
            ends += 1
            assert worth == -1
            assert not np.array_equal(obs[0], expected)
            assert np.array_equal(obs[0], single.reset()[0])
        else:
            np.testing.assert_array_equal(obs[0], expected)
    assert ends >= 2
