"""What a new test must not be: skipped, without an assertion, with one that cannot fail, wider than its level."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from env_recipe.guard.syntax import Function, Names, decided, folded, is_empty
from env_recipe.guard.target_code import patched

SKIPS: Final = re.compile(
    r"(^|\.)(mark\.(skip|skipif|xfail|slow|bench|gpu)|skip|skipIf|skipUnless|SkipTest|xfail|importorskip|exit)$"
    r"|(^|\.)skip\.Exception$"
)
OF_FRAMEWORKS: Final = ("pytest", "unittest", "_pytest")
ENDS: Final = ("os._exit", "sys.exit", "os.abort", "os.kill", "exit", "quit")
BROAD: Final = ("Exception", "BaseException", "AssertionError", "builtins.Exception")
CHECKING: Final = re.compile(r"^_?(assert|check|require|verify|expect|compare|raise_on|fail)")
CLOSE: Final = ("assert_allclose", "allclose", "isclose", "approx", "assert_almost_equal", "assert_array_almost_equal",
                "Tolerance", "assert_array_almost_equal_nulp", "assert_array_max_ulp")  # fmt: skip
TOLERANCES: Final = ("atol", "rtol", "abs", "rel", "abs_tol", "rel_tol")
WIDE: Final = 0.1
"""Largest tolerance of a new test where the manifest names none."""
PATCHES: Final = ("setattr", "setitem", "delattr", "delitem")
MARKING: Final = ("add_marker", "applymarker")


def findings(text: str, widest: float | None, protected: tuple[str, ...] = ()) -> Iterator[tuple[int, str]]:
    """Line and complaint for everything in a new test file that must not be there.

    Args:
        text: the file.
        widest: the largest tolerance of the manifest's levels; None if it names none.
        protected: import names whose attributes no test may replace, the target's among them.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        yield getattr(error, "lineno", None) or 1, f"is no Python: {error}"
        return
    names = Names(tree)
    tests = list(_tests(tree))
    if not tests:
        yield 1, "has no test"
    for node in ast.walk(tree):
        yield from _skips(node, names)
        yield from _replaces(node, names)
        if isinstance(node, ast.Call):
            yield from _wide(node, names, WIDE if widest is None else widest)
            yield from _empty_parameters(node, names)
        if isinstance(node, ast.Assert) and decided(node.test) is True:
            yield node.lineno, f"cannot fail: assert {ast.unparse(node.test)[:60]}"
        if isinstance(node, ast.Try) and _has_check(node.body, names, {}):
            for handler in node.handlers:
                if _catches_assertions(handler, names) and not any(isinstance(n, ast.Raise) for n in ast.walk(handler)):
                    yield handler.lineno, "cannot fail: catches what its own assertion raises"
        if isinstance(node, ast.With):
            yield from _swallowing(node, names)
    helpers = {node.name: node for node in tree.body if isinstance(node, Function)}
    for test in tests:
        if isinstance(test, ast.AsyncFunctionDef):
            yield test.lineno, f"{test.name} is async, so nobody runs it"
        elif any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(test)):
            yield test.lineno, f"{test.name} yields, so nobody runs it"
        elif not _has_check(test.body, names, helpers):
            yield test.lineno, f"cannot fail: {test.name} reaches no assertion"


def _tests(tree: ast.Module) -> Iterator[Function]:
    for node in tree.body:
        if isinstance(node, Function) and node.name.startswith("test"):
            yield node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from (inner for inner in node.body if isinstance(inner, Function) and inner.name.startswith("test"))


def _skips(node: ast.AST, names: Names) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Attribute | ast.Name | ast.Call):
        full = names.dotted(node)
        if SKIPS.search(full) and full.partition(".")[0] in OF_FRAMEWORKS:
            yield node.lineno, f"is skipped or may fail: {full}"
    if isinstance(node, ast.Call):
        called = names.dotted(node.func)
        if called in ENDS:
            yield node.lineno, f"ends the test run: {called}"
        if isinstance(node.func, ast.Attribute) and node.func.attr in MARKING:
            yield node.lineno, f"marks itself: {node.func.attr}"
        if called in ("hypothesis.assume", "assume") and node.args and decided(node.args[0]) is False:
            yield node.lineno, "is skipped: assumes what is false"
        if called.endswith("settings") and any(k.arg == "max_examples" and folded(k.value) == 0 for k in node.keywords):
            yield node.lineno, "is skipped: no examples"
        if called.endswith("warnings.catch_warnings"):
            return
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id in ("__test__", "collect_ignore", "pytest_plugins"):
                yield node.lineno, f"is not collected: {target.id}"
    if isinstance(node, ast.FunctionDef) and node.name.startswith("pytest_"):
        yield node.lineno, f"is a hook of the test framework: {node.name}"


def _replaces(node: ast.AST, names: Names) -> Iterator[tuple[int, str]]:
    """Monkeypatches: what a test compares must be what users get."""
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
        yield from patched(node, names)
    if isinstance(node, ast.Import | ast.ImportFrom):
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        found = [f"{module}.{name.name}" if module else name.name for name in node.names]
        if any(name.startswith(("unittest.mock", "mock")) for name in found):
            yield node.lineno, "replaces what it tests: imports mock"
    if isinstance(node, ast.Call):
        called = names.dotted(node.func)
        if called in ("setattr", "delattr") and node.args:
            owner = names.dotted(node.args[0])
            if owner.partition(".")[0] in names.roots():
                yield node.lineno, f"changes {owner}, which is not its own"
        method = node.func if isinstance(node.func, ast.Attribute) else None
        owner_name = method.value.id if method is not None and isinstance(method.value, ast.Name) else ""
        if method is not None and method.attr in PATCHES and owner_name in ("monkeypatch", "patch", "mp"):
            yield node.lineno, f"replaces what it tests: {ast.unparse(method)}"
    if isinstance(node, Function) and any(argument.arg == "mocker" for argument in node.args.args):
        yield node.lineno, "replaces what it tests: mocker"


def _wide(node: ast.Call, names: Names, widest: float) -> Iterator[tuple[int, str]]:
    called = names.dotted(node.func).rpartition(".")[2]
    if called in CLOSE:
        for keyword in node.keywords:
            value = folded(keyword.value)
            if keyword.arg in TOLERANCES and isinstance(value, int | float) and value > widest:
                yield node.lineno, f"allows {keyword.arg}={value:g}, more than {widest:g}"
        for position, value in enumerate(map(folded, node.args[2:4])):
            if (
                called in ("assert_allclose", "allclose", "isclose")
                and isinstance(value, int | float)
                and value > widest
            ):
                yield node.lineno, f"allows {('rtol', 'atol')[position]}={value:g}, more than {widest:g}"
    if called.startswith("assert_") and len(node.args) >= 2 and ast.dump(node.args[0]) == ast.dump(node.args[1]):
        yield node.lineno, f"cannot fail: compares {ast.unparse(node.args[0])[:40]} with itself"


def _empty_parameters(node: ast.Call, names: Names) -> Iterator[tuple[int, str]]:
    if names.dotted(node.func).endswith("mark.parametrize"):
        values = (
            node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords if k.arg == "argvalues"), None)
        )
        if values is not None and is_empty(values):
            yield node.lineno, "is skipped: no parameters"


def _swallowing(node: ast.With, names: Names) -> Iterator[tuple[int, str]]:
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call):
            called, first = names.dotted(call.func), [names.dotted(argument) for argument in call.args]
            broad = [name for name in first if name in BROAD]
            if called.endswith("suppress") and broad and _has_check(node.body, names, {}):
                yield node.lineno, f"cannot fail: suppresses {broad[0]}"
            if called.endswith("raises") and broad:
                yield node.lineno, f"cannot tell one error from another: raises {broad[0]}"


def _catches_assertions(handler: ast.ExceptHandler, names: Names) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or names.dotted(kind) in BROAD for kind in kinds)


def _has_check(body: list[ast.stmt], names: Names, helpers: dict[str, Function], depth: int = 0) -> bool:
    """True when some statement that can be reached may fail the test."""
    for statement in body:
        match statement:
            case ast.Return() | ast.Continue() | ast.Break():
                return False
            case ast.Raise():
                return True
            case ast.Assert():
                if decided(statement.test) is not True:
                    return True
            case ast.If():
                truth = decided(statement.test)
                if truth is not False and _has_check(statement.body, names, helpers, depth):
                    return True
                if truth is not True and _has_check(statement.orelse, names, helpers, depth):
                    return True
                taken = {True: statement.body, False: statement.orelse}.get(truth, []) if truth is not None else []
                if any(isinstance(inner, ast.Return) for inner in taken):
                    return False
            case ast.For() | ast.AsyncFor():
                if not is_empty(statement.iter) and _has_check(statement.body, names, helpers, depth):
                    return True
            case ast.While():
                if decided(statement.test) is not False and _has_check(statement.body, names, helpers, depth):
                    return True
            case ast.With() | ast.AsyncWith():
                if any(_is_check(item.context_expr, names, helpers, depth) for item in statement.items):
                    return True
                if _has_check(statement.body, names, helpers, depth):
                    return True
            case ast.Try():
                parts = [statement.body, statement.orelse, statement.finalbody]
                if any(_has_check(part, names, helpers, depth) for part in parts):
                    return True
            case ast.Match():
                if any(_has_check(case.body, names, helpers, depth) for case in statement.cases):
                    return True
            case ast.FunctionDef():
                if _has_check(statement.body, names, helpers, depth):  # a property that hypothesis runs, or a closure
                    return True
            case _:
                if any(_is_check(n, names, helpers, depth) for n in ast.walk(statement) if isinstance(n, ast.Call)):
                    return True
    return False


def _is_check(node: ast.AST, names: Names, helpers: dict[str, Function], depth: int) -> bool:
    if not isinstance(node, ast.Call):
        return False
    full = names.dotted(node.func)
    last = node.func.attr if isinstance(node.func, ast.Attribute) else full.rpartition(".")[2]
    if isinstance(node.func, ast.Name) and node.func.id in helpers and depth < 3:
        return _has_check(helpers[node.func.id].body, names, helpers, depth + 1)
    if last in ("raises", "warns", "fail") or CHECKING.match(last):
        same = len(node.args) >= 2 and ast.dump(node.args[0]) == ast.dump(node.args[1])
        return not same
    return False
