"""What Python files import, read from their syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

IMPORTING_CALLS = {"importlib.import_module", "import_module", "__import__", "pytest.importorskip"}


def of_file(path: Path) -> dict[str, int]:
    """Top-level names of the modules a file imports anywhere, with the first line that does."""
    found: dict[str, int] = {}
    for module, line in _modules(ast.parse(path.read_text(), str(path))):
        found.setdefault(module.partition(".")[0], line)
    return found


def at_import(source: Path, package: str) -> dict[Path, set[str]]:
    """Foreign top-level names imported when ``package`` is, by the file of the package that imports them.

    Args:
        source: directory on the import path.
        package: name of the package in it.
    """
    found: dict[Path, set[str]] = {}
    pending = [package]
    seen: set[str] = set()
    while pending:
        module = pending.pop()
        path = _file(source, module)
        if module in seen or path is None:
            continue
        seen.add(module)
        found[path] = set()
        pending += [module.rpartition(".")[0]] if "." in module else []
        for name in _run_at_import(path, module):
            if name.partition(".")[0] == package:
                pending.append(name)
            else:
                found[path].add(name.partition(".")[0])
    return found


def _file(source: Path, module: str) -> Path | None:
    base = source.joinpath(*module.split("."))
    return next((path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()), None)


def _run_at_import(path: Path, module: str) -> Iterator[str]:
    """Absolute names, submodules included, that the module's own statements import when it is executed."""
    pending: list[ast.AST] = [ast.parse(path.read_text(), str(path))]
    parent = module if path.name == "__init__.py" else module.rpartition(".")[0]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue  # runs later
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Try) and any("ImportError" in ast.unparse(h.type) for h in node.handlers if h.type):
            continue  # optional, and handled
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                ancestor = ".".join(parent.split(".")[: len(parent.split(".")) - node.level + 1])
                base = f"{ancestor}.{base}" if base else ancestor
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        pending += ast.iter_child_nodes(node)


def _modules(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module, node.lineno
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in IMPORTING_CALLS
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield node.args[0].value, node.lineno
