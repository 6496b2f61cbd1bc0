"""Builds the documentation site from the READMEs: ``docs.py OUT``.

The pages are the READMEs and change logs of the repository, what they link to, and the example notebooks, in a copy of
the repository's own tree, so that relative links lead where they led.  A link that leads nowhere is an error.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ci.workspace import REPO, packages

LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\]\([^)]*\))*\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


class LinkError(Exception):
    """A link of a page leads nowhere."""


def notebook_page(path: Path) -> str:
    """A notebook's cells as Markdown."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def page_name(path: Path) -> Path:
    """Where a file's page is, relative to the site."""
    return path.with_suffix(".md") if path.suffix == ".ipynb" else path


def relinked(text: str, path: Path, repo: Path, found: list[Path]) -> str:
    """The text of the page at ``path`` with links to pages; adds the files it links to to ``found``.

    Raises:
        LinkError: a link leads nowhere.
    """

    def replace(match: re.Match[str]) -> str:
        before, target, anchor, after = match.groups()
        if re.match(r"\w+:", target):
            return match.group()
        file = (repo / path.parent / target).resolve()
        if file.is_dir() and (file / "README.md").is_file():
            file, target = file / "README.md", f"{target.rstrip('/')}/README.md"
        if file.is_dir() and file.is_relative_to(repo):
            return before[1:-2]  # sources are no page: the words stay, the link goes
        if not file.is_file() or not file.is_relative_to(repo):
            raise LinkError(f"{path}: {target} leads nowhere that a page can show")
        found.append(file.relative_to(repo))
        return f"{before}{page_name(Path(target)) if target.endswith('.ipynb') else target}{anchor or ''}{after}"

    return "".join(
        part if i % 2 else LINK.sub(replace, part)  # code stays as it is
        for i, part in enumerate(FENCE.split(text))
    )


def first_pages(repo: Path) -> Iterator[Path]:
    """The pages that need no link to be found."""
    yield Path("README.md")
    for package in packages(repo):
        root = Path(package.place)
        yield root / "README.md"
        yield from sorted(path.relative_to(repo) for path in (repo / root).glob("examples/*.ipynb"))
        yield root / "CHANGELOG.md"
    yield from (Path("shared/README.md"), Path("shared/CHANGELOG.md"), Path("references/README.md"))


def assemble(repo: Path, docs: Path) -> list[Path]:
    """Copy pages, and what they show, into ``docs``; returns the pages in reading order.

    Raises:
        LinkError: a link leads nowhere.
    """
    shutil.rmtree(docs, ignore_errors=True)
    pending, done = list(first_pages(repo)), []
    while pending:
        path = pending.pop(0)
        if path in done or not (repo / path).is_file():
            continue
        done.append(path)
        target = docs / page_name(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in (".md", ".ipynb"):
            text = notebook_page(repo / path) if path.suffix == ".ipynb" else (repo / path).read_text()
            target.write_text(relinked(text, path, repo, pending))
        else:
            shutil.copyfile(repo / path, target)
    return [path for path in done if path.suffix in (".md", ".ipynb")]


def navigation(pages: list[Path]) -> list[dict]:
    """Sections: the project, each package, what is shared, the references."""
    sections: dict[str, list] = {}
    for page in pages:
        parts = page.parts
        if page == Path("README.md"):
            sections["Overview"] = [str(page)]
            continue
        section = parts[1] if parts[0] == "packages" else parts[0]
        sections.setdefault(section, []).append(
            {_title(page): str(page_name(page))} if page.name != "README.md" or len(parts) > 3 else str(page)
        )
    return [{name: entries if len(entries) > 1 else entries[0]} for name, entries in sections.items()]


def _title(page: Path) -> str:
    name = page.parent.name if page.name == "README.md" else page.stem
    return {"CHANGELOG": "Changes"}.get(name, name.replace("-", " ").replace("_", " ").capitalize())


def main(out: str) -> int:
    """Build the site into ``OUT/site``; the exit status is that of mkdocs."""
    build = Path(out).resolve()
    try:
        pages = assemble(REPO, build / "docs")
    except LinkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    config = {
        "INHERIT": str(REPO / "ci" / "mkdocs.yml"),
        "docs_dir": str(build / "docs"),
        "site_dir": str(build / "site"),
        "nav": navigation(pages),
    }
    (build / "mkdocs.yml").write_text(json.dumps(config, indent=2))  # JSON is YAML
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-f", str(build / "mkdocs.yml")]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # the theme recommends its successor at every build
    status = subprocess.run(command, env=quiet, check=False).returncode
    print(f"docs: {len(pages)} pages in {build / 'site'}" if status == 0 else "docs: not built")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
