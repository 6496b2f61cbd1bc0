"""Checks the shape of the repository: tree, sizes, headings, what may be tracked.

Layers are checked by `ci.layers`, declared dependencies by deptry.

Each rule is a function from a `Repository` to the violations it found, and states its reason in its docstring.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from ci.sources import imported
from ci.workspace import REPO, Package, environments, libraries, references

TOP_LEVEL = {"pyproject.toml", "packages", "references", "shared", "ci", "Makefile", "README.md", "LICENSE"}
PACKAGE_FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
REFERENCE_FILES = ("pin.json", "adapter.py", "README.md")
HEADINGS = (
    "What it is",
    "Install",
    "Quick start",
    "Verified against",
    "Speed",
    "Observation, action, reward",
    "Differences from the reference",
    "Train",
    "Cite",
)
LEDGER = "Feature ledger"
MAX_LINES = 600
MAX_LINES_ENV = 500  # env.py delegates
MAX_LINES_RULES = 400  # one family of mechanics per file
FOR_USERS = re.compile(r"\.adapters\b|\.__main__$|\.launcher$")
"""Modules of the shared package that nobody here need import: adapters to other libraries, commands, a script."""
LEVELS = {"l1_property": "l1", "l2_interaction": "l2", "l3_rollout": "l3", "l4_transfer": "l4"}
LOCK_FILES = {"Cargo.lock", "uv.lock", "poetry.lock", "pdm.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"}
REGISTRY_HOST = re.compile(
    # letters in brackets, so that this file does not name them itself
    r"\b(?:pypi\.o[r]g|pythonhos[t]ed\.o[r]g|crates\.i[o]|registry\.n[p]mjs|registry\.y[a]rnpkg|repo\d?\.m[a]ven)"
    r"|--(?:extra-)?index-url|--find-links[= ]+\w+://"
)
PATH_EDIT = re.compile(
    r"\bsys\.pa[t]h(?:\[[^\]]*\])?\s*(?:\+?=(?!=)|\.(?:insert|append|extend))|^pythonpa[t]h\b|\bsyspa[t]h_prepend\b"
)
NOTEBOOK_SMALL = "NOTEBOOK_SMALL"
MACHINE_PATH = re.compile(r"(?<![\w.$}~/-])/(?:home|root|work|tmp|Users|opt|mnt)/[\w.-]")


class Repository:
    """A working tree and the files in it that git tracks or would track."""

    def __init__(self, root: Path) -> None:
        self.root = root
        listing = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.files = sorted(path for path in set(listing.split("\0")) - {""} if (root / path).is_file())

    @cached_property
    def packages(self) -> list[Package]:
        """The environment packages."""
        return environments(self.root)

    @cached_property
    def libraries(self) -> list[Package]:
        """What environments are made with; the shared package first."""
        return libraries(self.root)

    @property
    def shared(self) -> Package:
        """The shared package."""
        return self.libraries[0]

    def under(self, directory: Path, suffix: str) -> Iterator[Path]:
        """Tracked files below a directory with this ending."""
        prefix = f"{directory.relative_to(self.root)}/"
        return (self.root / path for path in self.files if path.startswith(prefix) and path.endswith(suffix))

    def relative(self, path: Path) -> str:
        """Path as a message shows it."""
        return str(path.relative_to(self.root))

    def texts(self) -> Iterator[tuple[str, str]]:
        """Path and content of every text file."""
        for path in self.files:
            data = (self.root / path).read_bytes()
            if b"\0" not in data:
                yield path, data.decode(errors="replace")


def closed_top_level(repo: Repository) -> Iterator[str]:
    """A newcomer reads the whole top level at one glance."""
    present = {path.split("/")[0] for path in repo.files}
    for name in sorted(present - TOP_LEVEL):
        if not name.startswith("."):
            yield f"{name}: not part of the top level, which is closed"
    for name in sorted(TOP_LEVEL - present):
        yield f"{name}: missing from the top level"


def required_files(repo: Repository) -> Iterator[str]:
    """Every package and reference has the same files, so they can be found without looking."""
    wanted = [library.root / name for library in repo.libraries for name in PACKAGE_FILES]
    for package in repo.packages:
        wanted += [package.root / name for name in PACKAGE_FILES]
        wanted.append(package.root / "tests" / "mutations.toml")
        source = package.source / package.import_name
        wanted += [source / "py.typed", source / "verification" / "__init__.py"]
    for directory in {Path(path).parts[1] for path in repo.files if re.match("references/[^/]+/", path)}:
        wanted += [repo.root / "references" / directory / name for name in REFERENCE_FILES]
    for path in wanted:
        if repo.relative(path) not in repo.files:
            yield f"{repo.relative(path)}: missing"


def shared_needs_numpy_alone(repo: Repository) -> Iterator[str]:
    """`import rlenv_shared` must stay cheap: everything heavier is an extra, imported where it is used."""
    allowed = ["numpy", repo.shared.import_name]
    program = (
        "import sys\n"
        "class Guard:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        root = name.partition('.')[0]\n"
        "        if path is None and root not in sys.stdlib_module_names and root not in ALLOWED:\n"
        "            raise ImportError(f'it imports {root}')\n"
        "sys.meta_path.insert(0, Guard())\n"
        "import SHARED\n"
    ).replace("ALLOWED", repr(allowed))
    command = [sys.executable, "-c", program.replace("SHARED", repo.shared.import_name)]
    done = subprocess.run(command, env={"PYTHONPATH": str(repo.shared.source)}, capture_output=True, text=True)
    if done.returncode:
        yield f"shared: import {repo.shared.import_name} needs more than numpy: {done.stderr.strip().splitlines()[-1]}"


def no_path_edits(repo: Repository) -> Iterator[str]:
    """What is imported is a package: installed, or found by a loader that says where it looks."""
    for path in repo.files:
        if path.endswith((".py", ".ipynb", ".toml")):
            for number, line in enumerate((repo.root / path).read_text().splitlines(), start=1):
                if match := PATH_EDIT.search(line):
                    yield f"{path}:{number}: {match.group()}: make it a module of a package"


def sound_notebooks(repo: Repository) -> Iterator[str]:
    """Every environment has a notebook; it is committed without outputs and trains for seconds where CI runs it."""
    for package in repo.packages:
        found = list(repo.under(package.root / "examples", ".ipynb"))
        if not found:
            yield f"{package.place}: no examples/*.ipynb"
        for path in found:
            code = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
            if any(cell["outputs"] or cell["execution_count"] is not None for cell in code):
                yield f"{repo.relative(path)}: code cells keep outputs; clear them"
            if not any(NOTEBOOK_SMALL in line for cell in code for line in cell["source"]):
                yield f"{repo.relative(path)}: it does not ask for {NOTEBOOK_SMALL}"


def file_sizes(repo: Repository) -> Iterator[str]:
    """A file that no longer fits in a head is two files."""
    for path in repo.files:
        parts = Path(path).parts
        if not path.endswith((".py", ".rs")):
            continue
        limit = MAX_LINES_ENV if parts[-1] == "env.py" else MAX_LINES_RULES if "rules" in parts else MAX_LINES
        lines = (repo.root / path).read_text().count("\n")
        if lines > limit:
            yield f"{path}: {lines} lines, at most {limit}"


def shared_by_two(repo: Repository) -> Iterator[str]:
    """What one package alone uses lives in that package, so that the shared one stays small enough to be read."""
    source = repo.shared.source
    shared = {".".join(path.relative_to(source).with_suffix("").parts): path for path in repo.under(source, ".py")}
    shared = {name.removesuffix(".__init__"): path for name, path in shared.items()}
    inner = {name: set(imported(name, path)) & set(shared) for name, path in shared.items()}

    def reached(names: set[str]) -> set[str]:
        more = set().union(*(inner[name] for name in names)) - names
        return reached(names | more) if more else names

    counts = Counter(2 * list(reached({name for name in shared if FOR_USERS.search(name)})))
    packages = [package.root for package in (*repo.packages, *repo.libraries[1:])]
    for root in [*packages, *sorted((repo.root / "references").iterdir())]:
        counts.update(reached({name for path in repo.under(root, ".py") for name in imported("", path)} & set(shared)))
    for name, path in shared.items():
        if counts[name] < 2 and name != repo.shared.import_name:
            yield f"{repo.relative(path)}: used by {counts[name]} packages; move it to the one that needs it"


def readme_headings(repo: Repository) -> Iterator[str]:
    """Every package answers the same questions in the same order."""

    def plain(heading: str) -> str:
        return " ".join(re.findall("[a-z]+", heading.lower()))

    for package in repo.packages:
        readme = package.root / "README.md"
        if not readme.exists():
            continue  # required_files reports it
        text = re.sub(r"^```.*?^```", "", readme.read_text(), flags=re.MULTILINE | re.DOTALL)
        found = [plain(line) for line in re.findall(r"^## (.+)$", text, flags=re.MULTILINE)]
        wanted = [plain(heading) for heading in HEADINGS]
        missing = [heading for heading in (*HEADINGS, LEDGER) if plain(heading) not in found]
        if missing:
            yield f"{repo.relative(readme)}: no section {', '.join(missing)}"
        elif [heading for heading in found if heading in wanted] != wanted:
            yield f"{repo.relative(readme)}: sections out of order; expected {', '.join(HEADINGS)}"


def level_markers(repo: Repository) -> Iterator[str]:
    """A test without its level's marker would run in another stage and escape the mutation ledger."""
    for path in repo.files:
        match = re.fullmatch(r"packages/[^/]+/tests/(l\d_\w+)/(?:.*/)?test_\w+\.py", path)
        if match is None:
            continue
        marker = LEVELS.get(match.group(1))
        if marker is None:
            yield f"{path}: {match.group(1)} is no level; the levels are {', '.join(LEVELS)}"
        elif not re.search(rf"^pytestmark\b.*\bpytest\.mark\.{marker}\b", (repo.root / path).read_text(), re.MULTILINE):
            yield f"{path}: no pytestmark with pytest.mark.{marker}"


def no_lock_files(repo: Repository) -> Iterator[str]:
    """Lock files record where a registry was; versions are pinned in the manifests and ci/constraints-*.txt."""
    for path in repo.files:
        if Path(path).name in LOCK_FILES:
            yield f"{path}: lock files are not tracked"


def no_hosts_or_machine_paths(repo: Repository) -> Iterator[str]:
    """A clone works behind any mirror and in any directory."""
    for path, text in repo.texts():
        for number, line in enumerate(text.splitlines(), start=1):
            for what, pattern in (("address of a registry", REGISTRY_HOST), ("path of one machine", MACHINE_PATH)):
                match = pattern.search(line)
                if match:
                    yield f"{path}:{number}: {what}: {match.group()}"


def warnings_are_errors(repo: Repository) -> Iterator[str]:
    """The filters of pytest name every import, or warnings of a new package would pass unseen."""
    text = (repo.root / "pyproject.toml").read_text()
    for package in [*repo.libraries, *repo.packages]:
        if f'"error:::{package.import_name}"' not in text:
            yield f"pyproject.toml: filterwarnings lacks error:::{package.import_name}"


def known_pins(repo: Repository) -> Iterator[str]:
    """A reference says which packages it serves."""
    names = {package.name for package in repo.packages}
    for name, pin in references(repo.root).items():
        for user in sorted(set(pin.get("used_by", [])) - names):
            yield f"references/{name}/pin.json: used_by names {user}, which is no package"


RULES: tuple[Callable[[Repository], Iterator[str]], ...] = (
    closed_top_level,
    required_files,
    shared_needs_numpy_alone,
    no_path_edits,
    sound_notebooks,
    file_sizes,
    shared_by_two,
    readme_headings,
    level_markers,
    no_lock_files,
    no_hosts_or_machine_paths,
    warnings_are_errors,
    known_pins,
)


def main() -> int:
    """Print every violation; the exit status says whether there was one."""
    repo = Repository(REPO)
    count = 0
    for rule in RULES:
        for violation in rule(repo):
            count += 1
            print(f"{violation}  [{rule.__name__}]")
    print(f"layout: {len(RULES)} rules, {len(repo.files)} files, {count} violations")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
