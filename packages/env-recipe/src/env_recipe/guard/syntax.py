"""Reading Python: what names stand for, what strings add up to, which conditions are decided beforehand."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final

Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPARISONS: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
REFLEXIVE: Final = (ast.Eq, ast.Is, ast.LtE, ast.GtE)
"""Comparisons that hold of a value and itself."""


class Names:
    """What the names of a module stand for: ``np.load`` is ``numpy.load``, and so is ``from numpy import load``."""

    def __init__(self, tree: ast.AST) -> None:
        self.imports: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for name in node.names:
                    self.imports[name.asname or name.name.partition(".")[0]] = (
                        name.name if name.asname else name.name.partition(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for name in node.names:
                    self.imports[name.asname or name.name] = f"{node.module}.{name.name}"
        self.aliases: dict[str, ast.expr] = {}
        for node in ast.walk(tree):  # load = np.load
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Name | ast.Attribute | ast.Call):
                continue
            if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.aliases.setdefault(node.targets[0].id, node.value)

    def dotted(self, node: ast.AST, depth: int = 0) -> str:
        """The full name of an expression, ``""`` if it has none."""
        if isinstance(node, ast.Name):
            if node.id in self.imports:
                return self.imports[node.id]
            alias = self.aliases.get(node.id)
            if alias is not None and depth < 4:
                found = self.dotted(alias, depth + 1) if not _is_call(alias) else self._getattr(alias, depth + 1)
                if found.partition(".")[0] in self.roots() | {"builtins"} or found in ("open", "eval", "exec"):
                    return found
            return node.id
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value, depth)
            return f"{base}.{node.attr}" if base else ""
        if _is_call(node):
            return self._getattr(node, depth)
        return ""

    def _getattr(self, node: ast.AST, depth: int) -> str:
        """``getattr(np, "load")`` is ``numpy.load``; ``import_module("os")`` is ``os``."""
        assert isinstance(node, ast.Call)
        called = self.dotted(node.func, depth)
        if called in ("getattr", "builtins.getattr") and len(node.args) >= 2:
            base, name = self.dotted(node.args[0], depth), folded(node.args[1])
            return f"{base}.{name}" if base and isinstance(name, str) else ""
        if called in ("importlib.import_module", "__import__", "builtins.__import__") and node.args:
            name = folded(node.args[0])
            return name if isinstance(name, str) else ""
        return ""

    def roots(self) -> set[str]:
        """First parts of everything that is imported."""
        return {name.partition(".")[0] for name in self.imports.values()}


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that is imported, ``import_module("…")`` and ``__import__`` included."""
    names = Names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.lineno, f"{node.module}.{name.name}") for name in node.names)
        elif isinstance(node, ast.Call):
            called = names.dotted(node.func)
            if called.endswith(("import_module", "__import__", "find_spec")) and node.args:
                found = folded(node.args[0])
                yield node.lineno, found if isinstance(found, str) else "?"


def folded(node: ast.AST) -> Any:
    """The value of an expression of constants; `UNKNOWN` if it is none."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = folded(node.operand)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.BinOp):
        left, right = folded(node.left), folded(node.right)
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if isinstance(node.op, ast.Add) and (numbers or (isinstance(left, str) and isinstance(right, str))):
            return left + right
        if numbers:
            return _arithmetic(node.op, left, right)
    if isinstance(node, ast.JoinedStr):
        parts = [folded(v.value) if isinstance(v, ast.FormattedValue) else folded(v) for v in node.values]
        return "".join(map(str, parts)) if UNKNOWN not in parts else UNKNOWN
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
        glue = folded(node.func.value)
        if isinstance(glue, str) and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            parts = [folded(part) for part in node.args[0].elts]
            return glue.join(parts) if all(isinstance(part, str) for part in parts) else UNKNOWN
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float" and node.args:
        value = folded(node.args[0])
        try:
            return float(value) if isinstance(value, str | int | float) else UNKNOWN
        except ValueError:
            return UNKNOWN
    if isinstance(node, ast.Attribute) and node.attr in ("inf", "infty", "Inf"):
        return float("inf")
    return UNKNOWN


class _Unknown:
    def __repr__(self) -> str:
        return "?"


UNKNOWN: Final = _Unknown()


def _arithmetic(op: ast.operator, left: float, right: float) -> Any:
    try:
        if isinstance(op, ast.Mult):
            return left * right
        if isinstance(op, ast.Sub):
            return left - right
        if isinstance(op, ast.Div):
            return left / right
        if isinstance(op, ast.Pow) and abs(right) < 400:
            return left**right
    except (ArithmeticError, ValueError):
        pass
    return UNKNOWN


def decided(node: ast.expr) -> bool | None:
    """What a condition is whatever the program does; None if that is open."""
    value = folded(node)
    if value is not UNKNOWN:
        return bool(value)
    match node:
        case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
            return _display(node)
        case ast.Lambda():
            return True
        case ast.NamedExpr():
            return decided(node.value)
        case ast.UnaryOp(op=ast.Not()):
            inner = decided(node.operand)
            return None if inner is None else not inner
        case ast.BoolOp():
            parts = [decided(part) for part in node.values]
            absorbing = isinstance(node.op, ast.Or)
            if absorbing in parts:
                return absorbing
            return None if None in parts else not absorbing
        case ast.IfExp():
            outcomes = {decided(node.body), decided(node.orelse)}
            return outcomes.pop() if len(outcomes) == 1 else None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(left, op, right)
        case ast.Call():
            return _called(node)
    return None


def _display(node: ast.Tuple | ast.List | ast.Set | ast.Dict) -> bool | None:
    parts = node.keys if isinstance(node, ast.Dict) else node.elts
    return None if any(isinstance(part, ast.Starred) or part is None for part in parts) else bool(parts)


def _compared(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    a, b = folded(left), folded(right)
    if a is not UNKNOWN and b is not UNKNOWN:
        try:
            return bool(COMPARISONS[type(op)](a, b))
        except TypeError:
            return None
    if ast.dump(left) == ast.dump(right) and isinstance(op, REFLEXIVE):
        return True
    if isinstance(op, ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
        return True if ast.dump(left) in map(ast.dump, right.elts) else None
    size = isinstance(left, ast.Call) and _name(left.func) in ("len", "abs") and isinstance(b, int | float)
    if size and ((isinstance(op, ast.GtE) and b <= 0) or (isinstance(op, ast.Gt) and b < 0)):
        return True
    if isinstance(op, ast.IsNot) and b is None and isinstance(left, ast.Constant | ast.List | ast.Tuple | ast.Dict):
        return True
    return None


def _called(node: ast.Call) -> bool | None:
    name = _name(node.func)
    if name == "bool" and len(node.args) == 1:
        return decided(node.args[0])
    if name == "isinstance" and len(node.args) == 2 and _name(node.args[1]) == "object":
        return True
    if name in ("all", "any") and len(node.args) == 1:
        over = node.args[0]
        if isinstance(over, ast.List | ast.Tuple | ast.Set):
            if not over.elts:
                return name == "all"
            parts = {decided(part) for part in over.elts}
            return parts.pop() if len(parts) == 1 else None
        if isinstance(over, ast.GeneratorExp | ast.ListComp) and name == "all":
            return True if decided(over.elt) is True else None
    if name in ("array_equal", "allclose", "isclose", "equal") and len(node.args) >= 2:
        return True if ast.dump(node.args[0]) == ast.dump(node.args[1]) else None
    if isinstance(node.func, ast.Attribute) and name in ("all", "any", "item") and not node.args:
        inner = node.func.value
        return decided(inner) if isinstance(inner, ast.Compare | ast.Call) else None
    return None


def _name(node: ast.expr) -> str:
    """The last part of a name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_empty(node: ast.expr) -> bool:
    """True for what a loop runs over not once: ``[]``, ``range(0)``."""
    if isinstance(node, ast.Call) and _name(node.func) == "range":
        bounds = [folded(argument) for argument in node.args]
        return bool(bounds) and all(isinstance(b, int) for b in bounds) and len(range(*bounds)) == 0
    return decided(node) is False and isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict | ast.Constant)
