"""L1: errors of a manifest name the file, the line and the field."""

import pytest

from env_recipe.manifest import ManifestError, load, missing_sources, source_folder
from env_recipe.planning import lacking, rows

pytestmark = pytest.mark.l1

GOOD = """\
[reference]
name = "toy"
version = "1"
source = "reference"

[target]
language = "jax"
package = "pkg"

[[module]]
name = "a"
source = ["a.py"]
target = ["src/a.py"]

[[module]]
name = "b"
source = ["b.py"]
target = ["src/b.py"]
depends_on = ["a"]
"""
BAD = {
    "no TOML": ('name = "toy"', "name = toy", "expected TOML"),
    "no version": ('version = "1"\n', "", r"line 1, reference.version: got nothing"),
    "a version that is a number": ('version = "1"', "version = 1", r"line 3, reference.version: got 1"),
    "an unknown field": ('version = "1"', 'version = "1"\nvresion = "2"', r"line 4, reference.vresion"),
    "an unknown table": ("[target]", "[targets]\n[target]", r"line 6, targets"),
    "an unknown language": ('"jax"', '"cuda"', r"line 7, target.language: got 'cuda'"),
    "no module": (GOOD[GOOD.index("[[module]]") :], "", r"module"),
    "a name with blanks": ('name = "b"', 'name = "b b"', r"line 16, module\[1\].name"),
    "two of one name": ('name = "b"', 'name = "a"', r"line 16, module\[1\].name"),
    "one target twice": ('["src/b.py"]', '["src/a.py"]', r"line 18, module\[1\].target"),
    "a target outside": ('["src/b.py"]', '["../b.py"]', r"line 18, module\[1\].target"),
    "an absolute target": ('["src/b.py"]', '["/b.py"]', r"line 18, module\[1\].target"),
    "an unknown module": ('["a"]', '["c"]', r"line 19, module\[1\].depends_on: got 'c'"),
    "a circle": ('target = ["src/a.py"]', 'target = ["src/a.py"]\ndepends_on = ["b"]', "a -> b -> a"),
    "itself": ('["a"]', '["b"]', "b -> b"),
    "a limit of 0": ("[target]", "[limits]\niterations = 0\n[target]", r"line 7, limits.iterations"),
    "an empty command": ("[target]", '[agent]\nkind = "command"\n[target]', "agent.command"),
    "no patches": ("[target]", '[agent]\nkind = "replay"\n[target]', "agent.directory"),
}


def write(tmp_path, text):
    (tmp_path / "recipe.toml").write_text(text)
    return tmp_path / "recipe.toml"


@pytest.mark.parametrize("case", BAD)
def test_bad_manifests(tmp_path, case):
    old, new, message = BAD[case]
    assert GOOD.count(old) >= 1
    path = write(tmp_path, new.join(GOOD.rsplit(old, 1)))
    with pytest.raises(ManifestError, match=message) as raised:
        load(path)
    assert str(path) in str(raised.value)


def test_a_missing_manifest(tmp_path):
    with pytest.raises(ManifestError, match="recipe init"):
        load(tmp_path / "recipe.toml")


def test_modules_come_after_those_they_depend_on(tmp_path):
    parts = GOOD.split("[[module]]")
    manifest = load(write(tmp_path, parts[0] + "[[module]]" + parts[2] + "[[module]]" + parts[1]))
    assert [module.name for module in manifest.module] == ["b", "a"]
    assert [module.name for module in manifest.ordered()] == ["a", "b"]


def test_owners_of_a_field(tmp_path):
    manifest = load(write(tmp_path, GOOD + 'fields = ["state.*", "reward"]\n'))
    assert manifest.owners("state.x") == manifest.owners("reward") == ["b"]
    assert manifest.owners("obs[3]") == []


def test_missing_sources_are_named(tmp_path):
    manifest = load(write(tmp_path, GOOD))
    with pytest.raises(ManifestError, match="a folder"):
        source_folder(manifest, tmp_path)
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "a.py").write_text("X = 1\n")
    assert missing_sources(manifest, source_folder(manifest, tmp_path)) == ["b: b.py"]


def test_plan_says_what_a_level_lacks(tmp_path):
    manifest = load(write(tmp_path, GOOD))
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "a.py").write_text("X = 1\n")
    said = list(lacking(manifest, tmp_path))
    for part in ("b: no source file b.py", "L1 of a: no test file", "L2: no tests", "hidden tests: none", "no adapter"):
        assert any(part in line for line in said), part
    assert [row[:2] for row in rows(manifest, tmp_path)] == [("a", "1"), ("b", "0")]
