"""Looks at a reference that nobody has prepared: its modules, which uses which, and what would break the method."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from env_recipe.guard.syntax import Names

PYTHON: Final = (".py",)
OTHERS: Final = (".c", ".h", ".cc", ".cpp", ".hpp", ".rs", ".ts", ".js", ".java", ".go", ".cs", ".zig", ".lua")
SKIPPED: Final = re.compile(
    r"(^|/)(tests?|docs?|examples?|build|dist|node_modules|\.[^/]*)(/|$)|(^|/)test_|_test\.|setup\.py$"
)
LARGE: Final = 500  # lines; 100 to 500 work best
GLOBAL_RANDOM: Final = re.compile(
    r"^(random|numpy\.random|torch)\.(?!default_rng|Generator|SeedSequence|PCG64|Random\b|mtrand)\w+$"
)
UNSEEDED: Final = ("numpy.random.default_rng", "random.Random", "random.SystemRandom", "numpy.random.RandomState")
CLOCKS: Final = re.compile(
    r"^(time\.(time|time_ns|perf_counter|monotonic|sleep)|datetime\.(datetime\.)?(now|utcnow|today))$"
)
THREADS: Final = ("threading", "multiprocessing", "concurrent.futures", "asyncio")
NETWORK: Final = ("socket", "requests", "urllib", "http.client", "httpx", "aiohttp", "websockets")
IN_TEXT: Final = {
    r"\b(rand|random|drand48|rand_r|Math\.random)\s*\(": "draws from a generator of the whole process: {}",
    r"\b(time|clock|gettimeofday|clock_gettime|Date\.now|Instant::now|SystemTime::now)\s*\(": "reads a clock: {}",
    r"\b(pthread_create|std::thread|thread::spawn|omp_)\w*": "starts threads: {}",
    r"\b(socket|connect|fetch)\s*\(": "uses a network: {}",
    r"\b(srand)\s*\(": "seeds a generator of the whole process: {}",
}  # fmt: skip
"""What is looked for in other languages, outside comments and strings."""


@dataclasses.dataclass(frozen=True)
class Source:
    """A source file of the reference."""

    file: str  # below the source's folder
    lines: int
    uses: tuple[str, ...]  # other files of the reference that it imports
    functions: tuple[str, ...]  # what it defines, for the contract


@dataclasses.dataclass(frozen=True)
class Warned:
    """Something that would break the method."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}"


def source_files(folder: Path, chosen: list[str]) -> list[str]:
    """Files to translate: those that are named, else all sources but tests, examples and empty ones."""
    if chosen:
        return [file for file in chosen if (folder / file).is_file()]
    suffixes = (*PYTHON, *OTHERS)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in suffixes)
    return [file for file in found if not SKIPPED.search(file) and (folder / file).read_bytes().strip()]


def survey(folder: Path, files: list[str]) -> tuple[list[Source], list[Warned]]:
    """The files in dependency order, as far as it is known, and warnings."""
    sources, warnings = [], []
    for file in files:
        text = (folder / file).read_text(errors="replace")
        lines = text.count("\n") + (not text.endswith("\n"))
        if file.endswith(".py"):
            try:
                tree = ast.parse(text)
            except SyntaxError as error:
                warnings.append(Warned(file, error.lineno or 1, f"is no Python that this one reads: {error.msg}"))
                sources.append(Source(file, lines, (), ()))
                continue
            sources.append(Source(file, lines, tuple(_uses(tree, file, files, folder)), tuple(_defined(tree))))
            warnings += [Warned(file, line, what) for line, what in sorted(set(_python(tree)))]
        else:
            sources.append(Source(file, lines, tuple(_included(text, file, files)), ()))
            warnings += [Warned(file, line, what) for line, what in _text(text)]
        if lines > LARGE:
            warnings.append(Warned(file, 1, f"has {lines} lines; modules of 100 to {LARGE} work best: split it"))
    return _ordered(sources), warnings


def _ordered(sources: list[Source]) -> list[Source]:
    """Files after those that they use; files in a circle stay in the order of their names."""
    done: list[Source] = []
    waiting = list(sources)
    while waiting:
        names = {source.file for source in done}
        ready = next((s for s in waiting if set(s.uses) <= names), None)
        ready = ready or min(waiting, key=lambda s: (len(set(s.uses) - names), s.file))
        waiting.remove(ready)
        done.append(ready)
    return done


def _uses(tree: ast.AST, file: str, files: list[str], folder: Path) -> Iterator[str]:
    """Other files of the reference that a Python file imports, absolute or relative, or from a package of its own."""
    here = Path(file).parent
    wanted: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted += [name.name.replace(".", "/") for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here
            for _ in range(max(0, node.level - 1)):
                base = base.parent
            module = (node.module or "").replace(".", "/")
            start = (base / module).as_posix() if node.level else module
            wanted += [start, *(f"{start}/{name.name}" for name in node.names)]
            wanted += _passed_on(folder, start, {name.name for name in node.names})
    found = []
    for other in files:
        stem = other.removesuffix(".py").removesuffix("/__init__")
        if other != file and any(name == stem or name.endswith(f"/{stem}") for name in wanted if name not in ("", ".")):
            found.append(other)
    yield from dict.fromkeys(found)


def _passed_on(folder: Path, package: str, names: set[str]) -> Iterator[str]:
    """Modules from which a package's ``__init__`` has what is imported from it."""
    inside = package.removeprefix(f"{folder.name}/")
    path = folder / inside / "__init__.py"
    if not path.is_file():
        return
    for node in ast.walk(ast.parse(path.read_text(errors="replace"))):
        if isinstance(node, ast.ImportFrom) and names & {name.asname or name.name for name in node.names}:
            module = (node.module or "").replace(".", "/")
            yield f"{package}/{module}" if node.level else module


def _included(text: str, file: str, files: list[str]) -> Iterator[str]:
    """Other files that ``#include "…"`` names."""
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
        yield from (other for other in files if other != file and (other == name or other.endswith(f"/{name}")))


def _defined(tree: ast.Module) -> Iterator[str]:
    """Signatures of public functions and classes."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield f"{node.name}({ast.unparse(node.args)})"
        elif isinstance(node, ast.ClassDef):
            methods = [f for f in node.body if isinstance(f, ast.FunctionDef) and not f.name.startswith("_")]
            yield f"class {node.name}: " + ", ".join(f"{f.name}({ast.unparse(f.args)})" for f in methods)


def _python(tree: ast.Module) -> Iterator[tuple[int, str]]:
    names = Names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
            for name in module:
                if any(name == one or name.startswith(f"{one}.") for one in THREADS):
                    yield node.lineno, f"starts threads or processes: imports {name}"
                if any(name == one or name.startswith(f"{one}.") for one in NETWORK):
                    yield node.lineno, f"uses a network: imports {name}"
        elif isinstance(node, ast.Call):
            called = names.dotted(node.func)
            if called in UNSEEDED and not node.args and not node.keywords:
                yield node.lineno, f"makes a generator without a seed: {called}()"
            elif GLOBAL_RANDOM.match(called) and called.partition(".")[0] in names.roots() and _draws(called):
                yield node.lineno, f"draws from a generator of the whole process: {called}"
            elif CLOCKS.match(called) and called.partition(".")[0] in names.roots():
                yield node.lineno, f"reads a clock: {called}"
        elif isinstance(node, ast.Set) or (isinstance(node, ast.For) and isinstance(node.iter, ast.Call)):
            yield from _order(node, names)
        elif isinstance(node, ast.ClassDef):
            yield from _growing(node)


def _draws(called: str) -> bool:
    root, _, name = called.rpartition(".")
    if root == "torch":
        return name in ("rand", "randn", "randint", "randperm", "multinomial", "bernoulli")
    return name not in ("seed", "set_state", "get_state", "getstate", "setstate", "Generator")


def _order(node: ast.AST, names: Names) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and names.dotted(node.iter.func) == "set":
        yield node.lineno, "goes over a set, whose order may differ from process to process"


def _growing(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """Attributes that a step appends to and that no method empties."""
    grown: dict[str, int] = {}
    emptied: set[str] = set()
    for method in (inner for inner in node.body if isinstance(inner, ast.FunctionDef)):
        for inner in ast.walk(method):
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
                name = _own(inner.func.value)
                if name and inner.func.attr in ("append", "extend", "add") and method.name != "__init__":
                    grown.setdefault(name, inner.lineno)
                if name and inner.func.attr in ("clear", "pop", "popleft", "remove"):
                    emptied.add(name)
            elif isinstance(inner, ast.Assign) and method.name != "__init__":
                emptied |= {name for target in inner.targets if (name := _own(target))}
            elif isinstance(inner, ast.AnnAssign) and method.name != "__init__" and (name := _own(inner.target)):
                emptied.add(name)
    for name, line in grown.items():
        if name not in emptied:
            yield line, f"{node.name}.{name} grows without a bound: nothing empties it"


def _own(node: ast.AST) -> str:
    """The attribute in ``self.x`` and ``self.x[i]``."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return (
        node.attr
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        else ""
    )


def _text(text: str) -> Iterator[tuple[int, str]]:
    blank = re.sub(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL
    )
    for pattern, what in IN_TEXT.items():
        seen = set()
        for match in re.finditer(pattern, blank):
            name = match[0].rstrip("( ")
            if name not in seen:
                seen.add(name)
                yield 1 + blank[: match.start()].count("\n"), what.format(name)
