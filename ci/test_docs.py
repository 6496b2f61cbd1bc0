"""The documentation's pages, on toy repositories, and the committed notebooks."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from pathlib import Path

import pytest

from ci import docs, fenced_doctests
from ci.workspace import REPO, Package, environments, packages

pytestmark = pytest.mark.l1


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "[read](../README.md)"]},
        {"cell_type": "code", "source": ["print(1)"], "outputs": [], "execution_count": None},
    ]
    files = {
        "README.md": "See [toy](packages/toy#what), ![it](packages/toy/docs/a.gif), [all](packages) and [out](https://example.org).\n",
        "packages/toy/pyproject.toml": "",
        "packages/toy/README.md": "[n](examples/a.ipynb) [d](docs/more.md)\n\n```sh\n[x](nowhere)\n```\n",
        "packages/toy/docs/more.md": "[back](../README.md#n)\n",
        "packages/toy/docs/a.gif": "gif",
        "packages/toy/examples/a.ipynb": json.dumps({"cells": cells}),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_pages_and_what_they_link_to_are_collected(repo, tmp_path):
    pages = docs.assemble(repo, tmp_path / "docs")
    assert sorted(map(str, pages)) == [
        "README.md",
        "packages/toy/README.md",
        "packages/toy/docs/more.md",
        "packages/toy/examples/a.ipynb",
    ]
    site = tmp_path / "docs"
    assert (site / "README.md").read_text() == (
        "See [toy](packages/toy/README.md#what), ![it](packages/toy/docs/a.gif), all and [out](https://example.org).\n"
    )
    assert (site / "packages/toy/docs/a.gif").read_text() == "gif"
    text = (site / "packages/toy/README.md").read_text()
    assert text == "[n](examples/a.md) [d](docs/more.md)\n\n```sh\n[x](nowhere)\n```\n"
    notebook = (site / "packages/toy/examples/a.md").read_text()
    assert notebook == "# Title\n[read](../README.md)\n\n```python\nprint(1)\n```\n"
    assert docs.navigation(pages)[0] == {"Overview": "README.md"}
    guide = Path("a/docs") / docs.GUIDE
    assert docs.navigation([*pages, guide])[1] == {"Translate your own environment": str(guide)}
    assert docs.navigation(pages)[1]["Environments"][0]["toy"][0] == "packages/toy/README.md"


def test_what_an_executed_notebook_put_out_is_shown(repo, tmp_path):
    png = base64.b64encode(b"picture").decode()
    outputs = [
        {"output_type": "stream", "text": ["one\n", "two\n"]},
        {"output_type": "display_data", "data": {"image/png": png, "text/plain": ["<Figure>"]}},
        {"output_type": "execute_result", "data": {"text/plain": ["3"]}},
    ]
    cells = [{"cell_type": "code", "source": ["f()"], "outputs": outputs}]
    executed = repo / docs.EXECUTED / "packages/toy/examples/a.ipynb"
    executed.parent.mkdir(parents=True)
    executed.write_text(json.dumps({"cells": cells}))
    docs.assemble(repo, tmp_path / "docs")
    page = tmp_path / "docs/packages/toy/examples/a.md"
    shown = "```python\nf()\n```\n\n```text\none\ntwo\n```\n\n![What the cell shows](a-2.png)\n\n```text\n3\n```\n"
    assert page.read_text() == shown
    assert page.with_name("a-2.png").read_bytes() == b"picture"


def test_a_notebook_that_was_not_executed_is_found(repo):
    page = Path("packages/toy/examples/a.ipynb")
    pages = [Path("README.md"), page]
    assert docs.not_executed(pages, repo) == [page]
    executed = repo / docs.EXECUTED / page
    executed.parent.mkdir(parents=True)
    for outputs, bare in (([], [page]), ([{"output_type": "stream", "text": ["1"]}], [])):
        executed.write_text(json.dumps({"cells": [{"cell_type": "code", "source": ["1"], "outputs": outputs}]}))
        assert docs.not_executed(pages, repo) == bare


def test_docs_are_not_built_without_what_notebooks_put_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(docs, "EXECUTED", tmp_path / "none")
    assert docs.main(str(tmp_path / "build")) == 1
    assert "cartpole.ipynb" in capsys.readouterr().err


def test_make_runs_a_notebook_that_changed_before_it_builds_the_docs():
    changed = "packages/cartpole-jax/examples/cartpole.ipynb"
    command = ["make", "-n", "-W", changed, "docs"]
    made = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout
    assert 0 < made.index("--nbmake") < made.index("-m ci.docs build")


def test_the_landing_page_shows_every_environment():
    """A picture each, small and made by a committed program."""
    text = (REPO / "README.md").read_text()
    for package in environments():
        shown = re.findall(rf"!\[[^\]]+\]\((packages/{package.name}/docs/\S+\.gif)\)", text)
        assert shown, f"README.md shows no picture of {package.name}"
        assert all((REPO / path).stat().st_size < 300_000 for path in shown)


def test_the_reference_names_public_modules(tmp_path):
    root = tmp_path / "packages" / "toy"
    for name in ("__init__", "game", "_hidden", "cli", "rules/__init__", "rules/fire", "verification/__init__"):
        (root / "src/toy" / f"{name}.py").parent.mkdir(parents=True, exist_ok=True)
        (root / "src/toy" / f"{name}.py").touch()
    page = docs.reference_page(Package(root))
    assert page == "# Modules of toy\n\n::: toy\n\n::: toy.game\n\n::: toy.rules\n\n::: toy.rules.fire\n"


SESSION = """Adds.

>>> add(1, 2)
3
>>> for number in range(2):
...     number
0
1

Args:
    a: a number, for example

        >>> 1
        1

```python
>>> stays
```"""
FENCED = """Adds.


```pycon
>>> add(1, 2)
3
>>> for number in range(2):
...     number
0
1
```


Args:
    a: a number, for example


        ```pycon
        >>> 1
        1
        ```


```python
>>> stays
```"""


def test_sessions_of_docstrings_are_code():
    assert fenced_doctests.fenced(SESSION) == FENCED
    assert fenced_doctests.fenced("Nothing here: a >> b.") == "Nothing here: a >> b."


def test_a_session_shown_as_quotations_is_found(tmp_path):
    (tmp_path / "good.html").write_text("<blockquote>one</blockquote><pre>&gt;&gt;&gt; 1</pre>")
    assert docs.quoted_sessions(tmp_path) == []
    (tmp_path / "bad.html").write_text(
        "<blockquote>\n<blockquote>\n<blockquote>1</blockquote></blockquote></blockquote>"
    )
    assert docs.quoted_sessions(tmp_path) == [tmp_path / "bad.html"]


@pytest.mark.parametrize("target", ["missing.md", "../outside.md", "../.."])
def test_links_that_lead_nowhere_are_errors(repo, tmp_path, target):
    (tmp_path / "outside.md").write_text("not ours")
    (repo / "README.md").write_text(f"[x]({target})")
    with pytest.raises(docs.LinkError, match="leads nowhere"):
        docs.assemble(repo, tmp_path / "docs")


def test_this_repository_s_links_lead_somewhere(tmp_path):
    pages = docs.assemble(REPO, tmp_path / "docs")
    assert {Path(package.place) / "README.md" for package in packages()} <= set(pages)


def test_committed_notebooks_keep_no_outputs_and_can_be_small():
    found = [path for package in packages() for path in package.root.glob("examples/*.ipynb")]
    assert found
    for path in found:
        cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        kept = [number for number, cell in enumerate(cells) if cell["outputs"] or cell["execution_count"]]
        assert kept == [], f"{path}: code cells {kept} keep outputs"
        assert any("NOTEBOOK_SMALL" in "".join(cell["source"]) for cell in cells), f"{path} does not ask for it"
