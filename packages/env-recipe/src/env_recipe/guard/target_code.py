"""What target code must not do: use the reference, read recordings, find out that it is tested, change the tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from typing import Final

from env_recipe.guard.syntax import Names, folded, imported

MANY_FLOATS: Final = 256
"""Fractional literals in one collection from which it counts as a recording."""
OUTSIDE: Final = {
    "subprocess": "starts programs", "multiprocessing": "starts programs", "pty": "starts programs",
    "ctypes": "calls compiled code", "cffi": "calls compiled code", "socket": "opens connections",
    "urllib": "opens connections", "http": "opens connections", "requests": "opens connections",
    "httpx": "opens connections", "asyncio": "starts programs", "runpy": "runs other code",
    "pytest": "uses the test framework", "unittest": "uses the test framework",
    "hypothesis": "uses the test framework", "_pytest": "uses the test framework",
    "tests": "uses the tests", "conftest": "uses the tests", "pickle": "reads recordings", "shelve": "reads recordings",
    "marshal": "reads recordings", "inspect": "looks at its callers", "traceback": "looks at its callers",
    "gc": "looks at its callers", "builtins": "reaches what Python is made of",
}  # fmt: skip
"""Modules that target code has no use for, and what it would do with them."""
CALLS: Final = {
    "open": "reads a file", "io.open": "reads a file", "os.open": "reads a file", "numpy.load": "reads a file",
    "numpy.loadtxt": "reads a file", "numpy.genfromtxt": "reads a file", "numpy.fromfile": "reads a file",
    "numpy.memmap": "reads a file", "jax.numpy.load": "reads a file", "json.load": "reads a file",
    "tomllib.load": "reads a file", "csv.reader": "reads a file", "pandas.read_csv": "reads a file",
    "importlib.resources.files": "reads a file", "importlib.resources.open_binary": "reads a file",
    "importlib.resources.read_text": "reads a file", "pkgutil.get_data": "reads a file",
    "eval": "runs text as code", "exec": "runs text as code", "compile": "runs text as code",
    "os.system": "starts programs", "os.popen": "starts programs", "os.fork": "starts programs",
    "os.getenv": "looks at the environment", "sys._getframe": "looks at its callers",
    "jax.pure_callback": "calls back to the host", "jax.experimental.io_callback": "calls back to the host",
    "jax.debug.callback": "calls back to the host", "os._exit": "ends the process", "sys.exit": "ends the process",
    "globals": "reaches names by text", "vars": "reaches names by text",
}  # fmt: skip
NAMES: Final = {
    "os.environ": "looks at the environment", "sys.modules": "looks at what is imported",
    "sys.argv": "looks at the command line", "sys.path": "changes what is imported",
    "sys.meta_path": "changes what is imported", "sys.settrace": "looks at its callers",
    "sys.setprofile": "looks at its callers",
}  # fmt: skip
READERS: Final = ("read_text", "read_bytes", "read_json", "load_npz")
EQUALITIES: Final = ("__eq__", "__ne__", "__le__", "__ge__", "__bool__", "__array_ufunc__", "__array_function__")
FIXED: Final = re.compile(r"(^|_)(ATOL|RTOL|TOL|TOLERANCE|EPSILON|MARGIN|SEED)S?(_|$|\d)", re.IGNORECASE)
"""Names of constants that were agreed before the translation."""


def findings(
    text: str, before: str | None, reference: Collection[str], data: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Line and complaint for everything in a target file that must not be there.

    Args:
        text: the file now; one that is no Python gives no findings, and its tests fail.
        before: the file before the edit, None for a new one.
        reference: import names of the reference.
        data: files that may be read, as tables.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    names = Names(tree)
    for line, name in imported(tree):
        root = name.partition(".")[0]
        if any(name == own or name.startswith(f"{own}.") for own in reference):
            yield line, f"calls the reference: imports {name}"
        elif root in OUTSIDE:
            yield line, f"{OUTSIDE[root]}: imports {name}"
        elif name == "?":
            yield line, "imports a module by a name that it makes up at run time"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _call(node, names, data)
        elif isinstance(node, ast.Attribute | ast.Name) and names.dotted(node) in NAMES:
            yield node.lineno, f"{NAMES[names.dotted(node)]}: {names.dotted(node)}"
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
            yield from patched(node, names)
        elif isinstance(node, ast.ClassDef):
            yield from _always_equal(node)
        elif isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set):
            floats = sum(
                isinstance(n, ast.Constant) and type(n.value) is float and n.value % 1 != 0 for n in ast.walk(node)
            )
            if floats > MANY_FLOATS:
                yield (
                    node.lineno,
                    f"{floats} recorded numbers in one collection: values belong in data files of the manifest",
                )
    yield from _fixed_constants(tree, before)


def _call(node: ast.Call, names: Names, data: Collection[str]) -> Iterator[tuple[int, str]]:
    called = names.dotted(node.func)
    what = CALLS.get(called) or CALLS.get(called.removeprefix("builtins."))
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    opens = method == "open" and called.partition(".")[0] not in names.roots()
    if what is None and (method in READERS or opens):
        what = "reads a file"
    if what == "reads a file" and _allowed(node, data):
        return
    if called in ("setattr", "delattr", "builtins.setattr") and node.args:
        owner = names.dotted(node.args[0])
        if owner.partition(".")[0] in names.roots():
            yield node.lineno, f"changes {owner}, which is not its own"
    if what is not None:
        yield node.lineno, f"{what}: {called or ast.unparse(node.func)}"


def _allowed(node: ast.Call, data: Collection[str]) -> bool:
    """Some string in the call names a file that the manifest lists as data."""
    parts = {value for inner in ast.walk(node) if isinstance(value := folded(inner), str)}
    return any(name in parts or name.rpartition("/")[2] in parts for name in data)


def patched(node: ast.stmt, names: Names) -> Iterator[tuple[int, str]]:
    """Assignments to attributes of imported modules and of what they define."""
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [node.target]  # type: ignore[attr-defined]
    for target in targets:
        for inner in target.elts if isinstance(target, ast.Tuple | ast.List) else [target]:
            owner = inner.value if isinstance(inner, ast.Attribute | ast.Subscript) else None
            if isinstance(owner, ast.Attribute) and owner.attr == "__dict__":
                owner = owner.value
            root = owner
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in names.imports and owner is not None:
                yield node.lineno, f"changes {names.dotted(inner) or ast.unparse(inner)}, which is not its own"


def _always_equal(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name in EQUALITIES:
            returned = [inner.value for inner in ast.walk(method) if isinstance(inner, ast.Return)]
            if returned and all(value is not None and folded(value) is True for value in returned):
                yield method.lineno, f"{node.name}.{method.name} is true whatever it is compared with"


def _constants(tree: ast.Module) -> dict[str, tuple[int, str]]:
    found = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and FIXED.search(target.id) and node.value is not None:  # type: ignore[attr-defined]
                found[target.id] = (node.lineno, ast.dump(node.value))  # type: ignore[attr-defined]
    return found


def _fixed_constants(tree: ast.Module, before: str | None) -> Iterator[tuple[int, str]]:
    """Tolerances, margins and seeds that were there before and are others now."""
    try:
        old = _constants(ast.parse(before or ""))
    except SyntaxError:
        return
    new = _constants(tree)
    for name, (_, value) in old.items():
        line, now = new.get(name, (1, ""))
        if now != value:
            yield line, f"changes {name}, which was fixed before the translation"
