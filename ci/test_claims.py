"""The READMEs claim nothing that is not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from ci import claims
from ci.workspace import environments

pytestmark = pytest.mark.l1


@pytest.mark.parametrize("package", claims.claimed_packages())
def test_every_claim_is_shown_and_every_number_is_claimed(package):
    assert not claims.problems(package)


def test_every_environment_and_the_emitter_have_claims():
    assert {*(package.name for package in environments()), "rlenv-emit"} <= set(claims.claimed_packages())


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A package whose README claims four things."""
    package = tmp_path / "packages" / "toy"
    (package / "docs").mkdir(parents=True)
    (package / "results").mkdir()
    (package / "tests").mkdir()
    (package / "README.md").write_text(
        "# toy\n\nPlays 12 games a second, exactly\nas the original; see `step_3`.\n\n```sh\nmake 99\n```\n"
        "<!-- begin speed: filled -->\n7 times\n<!-- end speed -->\n"
    )
    (package / "results" / "speed.json").write_text('{"games": 12}')
    (package / "tests" / "test_toy.py").write_text("def test_equal():\n    pass\n")
    (package / "docs" / "claims.toml").write_text(CLAIMS)
    return tmp_path


CLAIMS = """
[[claim]]
says = "Plays 12 games a second,"
result = "speed.json"
holds = "r['games'] == 12"
[[claim]]
says = "exactly as the original"
test = ["test_equal"]
"""


def test_what_is_shown_passes(repo):
    assert claims.problems("toy", repo) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("README.md", "12 games", "13 games", "not in the README: 'Plays 12"),
        ("README.md", "original;", "original, 5 times;", "no claim covers: .*5 times"),
        ("README.md", "# toy", "# toy\n\nAlways equal.", "no claim covers: .*Always equal"),
        ("results/speed.json", "12", "11", r"does not hold \(False\)"),
        ("results/speed.json", "games", "plays", r"does not hold \(KeyError"),
        ("tests/test_toy.py", "test_equal", "test_other", "no such test: .'test_equal'"),
        ("docs/claims.toml", 'test = ["test_equal"]', "", "one must show something"),
        ("docs/claims.toml", 'test = ["test_equal"]', 'source = { "README" = "x" }', "README does not have 'x'"),
    ],
)
def test_what_is_not_shown_is_named(repo, file, old, new, problem):
    path = repo / "packages" / "toy" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    claims._test_names.cache_clear()
    with pytest.raises(AssertionError, match=problem):
        assert "\n".join(claims.problems("toy", repo)) == ""
