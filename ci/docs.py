"""Builds the documentation site from the READMEs: ``docs.py OUT``.

The pages are the READMEs and change logs of the repository, what they link to, the example notebooks, and a reference
of each package's modules, in a copy of the repository's own tree, so that relative links lead where they led.  A link
that leads nowhere is an error, and so is a notebook that ``make notebooks`` has not run: pages show what cells put out.
"""

from __future__ import annotations

import base64
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ci.workspace import REPO, Package, is_library, packages, shared

LINK = re.compile(r"(!?\[(?:[^\]\[]|\[[^\]]*\]\([^)]*\))*\]\()([^)\s#]+)(#[^)\s]*)?(\))")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
GUIDE = "translate-your-own-environment.md"
TABS = ("Overview", "Translate your own environment", "Environments", "Libraries", "Originals")
EXECUTED = "build/notebooks"
"""Where `make notebooks` runs its copies."""
PRIVATE = ("verification", "cli", "fuzz")
"""Modules of packages that the reference leaves out: commands, and what tests and commands alone use."""


class LinkError(Exception):
    """A link of a page leads nowhere."""


def notebook_page(path: Path, target: Path, relink: Callable[[str], str]) -> str:
    """A notebook's cells, and what they put out, as Markdown; pictures are written beside the page ``target``."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(relink(text))
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if picture := data.get("image/png"):
                file = target.with_name(f"{target.stem}-{len(parts)}.png")
                file.write_bytes(base64.b64decode("".join(picture)))
                parts.append(f"![What the cell shows]({file.name})")
            elif said := "".join(output.get("text", data.get("text/plain", ""))).strip():
                parts.append(f"```text\n{said}\n```")
    return "\n\n".join(parts) + "\n"


def reference_page(package: Package) -> str:
    """A page of directives from which mkdocstrings makes the reference of a package's public modules."""
    root = package.source / package.import_name
    lines = [f"# Modules of {package.import_name}"]
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(package.source).with_suffix("").parts
        names = parts[:-1] if parts[-1] == "__init__" else parts
        hidden = any(name.startswith("_") or name in PRIVATE for name in names)
        if not hidden and path.with_name("__init__.py").is_file():  # mkdocstrings finds no other folders
            lines.append(f"::: {'.'.join(names)}")
    return "\n\n".join(lines) + "\n"


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
        relink = functools.partial(relinked, path=path, repo=repo, found=pending)
        if path.suffix == ".md":
            target.write_text(relink((repo / path).read_text()))
        elif path.suffix == ".ipynb":
            executed = repo / EXECUTED / path
            target.write_text(notebook_page(executed if executed.is_file() else repo / path, target, relink))
        else:
            shutil.copyfile(repo / path, target)
    return [path for path in done if path.suffix in (".md", ".ipynb")]


def navigation(pages: list[Path]) -> list[dict]:
    """Tabs: the project, the guide, the environments, what they are made with, what they are compared with."""
    tabs: dict[str, dict[str, list]] = {}
    for page in pages:
        tab, section = _place(page)
        named = page.name != "README.md" or len(page.parts) > 3
        entry = {_title(page): str(page_name(page))} if named and section else str(page)
        tabs.setdefault(tab, {}).setdefault(section, []).append(entry)
    found = []
    for tab in (name for name in TABS if name in tabs):
        sections = [{name: entries if len(entries) > 1 else entries[0]} for name, entries in tabs[tab].items() if name]
        found.append({tab: sections or tabs[tab][""][0]})
    return found


def _place(page: Path) -> tuple[str, str]:
    """Tab and section of a page; a tab with one page has no section."""
    if page == Path("README.md"):
        return "Overview", ""
    if page.name == GUIDE:
        return "Translate your own environment", ""
    if page.parts[0] == "packages":
        return "Libraries" if is_library(page.parts[1]) else "Environments", page.parts[1]
    return ("Libraries", "shared") if page.parts[0] == "shared" else ("Originals", page.parts[0])


def _title(page: Path) -> str:
    name = page.parent.name if page.name == "README.md" else page.stem
    return {"CHANGELOG": "Changes"}.get(name, name.replace("-", " ").replace("_", " ").capitalize())


def not_executed(pages: list[Path], repo: Path) -> list[Path]:
    """Notebooks among the pages that have no executed copy, or one in which no cell has put anything out."""
    return [page for page in pages if page.suffix == ".ipynb" and not _has_outputs(repo / EXECUTED / page)]


def _has_outputs(path: Path) -> bool:
    return path.is_file() and any(cell.get("outputs") for cell in json.loads(path.read_text())["cells"])


def quoted_sessions(site: Path) -> list[Path]:
    """Pages that show a session (``>>>``) as a quotation in a quotation."""
    quoted = re.compile(r"<blockquote>\s*<blockquote>")
    return [path for path in sorted(site.rglob("*.html")) if quoted.search(path.read_text())]


def main(out: str) -> int:
    """Build the site into ``OUT/site``; the exit status is that of mkdocs."""
    build = Path(out).resolve()
    try:
        pages = assemble(REPO, build / "docs")
    except LinkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if bare := not_executed(pages, REPO):
        print(f"error: no outputs of {', '.join(map(str, bare))}; run make notebooks", file=sys.stderr)
        return 1
    (build / "docs" / "assets").mkdir()
    shutil.copyfile(REPO / "ci" / "docs.css", build / "docs" / "assets" / "site.css")
    documented = [shared(), *packages()]
    (build / "docs" / "reference").mkdir()
    for package in documented:
        (build / "docs" / "reference" / f"{package.import_name}.md").write_text(reference_page(package))
    reference = [{package.import_name: f"reference/{package.import_name}.md"} for package in documented]
    config = {
        "INHERIT": str(REPO / "ci" / "mkdocs.yml"),
        "docs_dir": str(build / "docs"),
        "site_dir": str(build / "site"),
        "nav": [*navigation(pages), {"Reference": reference}],
        "plugins": {"mkdocstrings": {"handlers": {"python": {"paths": [str(one.source) for one in documented]}}}},
    }
    (build / "mkdocs.yml").write_text(json.dumps(config, indent=2))  # JSON is YAML
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-f", str(build / "mkdocs.yml")]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # the theme recommends its successor at every build
    status = subprocess.run(command, env=quiet, check=False).returncode
    for page in quoted_sessions(build / "site"):
        print(f"error: {page} shows a session as quotations; see ci/fenced_doctests.py", file=sys.stderr)
        status = 1
    print(f"docs: {len(pages)} pages in {build / 'site'}" if status == 0 else "docs: not built")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
