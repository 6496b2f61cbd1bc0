"""What a function's trace depends on, as a hash; nothing where that cannot be told.

A trace follows from the code that runs and the values that it reads.  Both are looked at as they are in this process:
the code of the function and of all that it names, with closures, defaults, classes and objects, so that who replaces
something in a module has another identity.  What is found in other ways, by a name that is computed or in a file, is
covered by the content of every file of the packages that were met.  JAX, NumPy and Python count by their versions, and
JAX by its settings.
"""

from __future__ import annotations

import contextvars
import enum
import functools
import hashlib
import importlib.metadata
import inspect
import os
import platform
import re
import sys
import time
import types
import typing
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as jax_core

PINNED: Final = frozenset({"jax", "jaxlib", "numpy", "ml_dtypes", "builtins"}) | sys.stdlib_module_names
"""Top-level modules that count by their versions."""
OURS: Final = {"rlenv_emit", "rlenv_shared"}
"""Packages that make programs of traces."""
LARGEST: Final = 256 << 20
"""Bytes of a package's files; of a larger one it is not told what depends on it."""
_SETTINGS_ASIDE: Final = re.compile("cache|log|dump|traceback|explain|profil|captured|distributed|coordination|compil")
"""Settings of JAX that change no trace."""
_CLASS_ASIDE: Final = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__abstractmethods__", "_abc_impl",
     "__dataclass_params__", "__match_args__", "__firstlineno__", "__static_attributes__", "__slotnames__"}
)  # fmt: skip
PLAIN: Final = (type(None), bool, int, float, complex, str, bytes, range, slice)
TYPES: Final = (types.GenericAlias, types.UnionType, typing.TypeVar)
BUILT_IN: Final = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_BEGAN: Final = time.time()


class UntellableError(Exception):
    """It cannot be told what a value is."""


def identity_of(*values: Any) -> str | None:
    """A hash of functions, environments and settings with all that they depend on; None where that cannot be told."""
    teller = _Teller()
    try:
        teller.tell(values)
        packages = sorted(_content(top) for top in teller.packages | OURS)
    except (UntellableError, RecursionError, OSError):
        return None
    for part in (*packages, _settings()):
        teller.write(part)
    return teller.digest.hexdigest()[:40]


def _settings() -> str:
    """Versions, and what JAX has been told."""
    names = sorted(name for name in jax.config.values if not _SETTINGS_ASIDE.search(name))
    told = [(name, repr(getattr(jax.config, name, None))) for name in names]
    devices = (jax.default_backend(), jax.device_count())
    return repr(
        (
            jax.__version__,
            importlib.metadata.version("jaxlib"),
            np.__version__,
            platform.python_version(),
            devices,
            told,
        )
    )


def _content(name: str) -> str:
    """Hash of all files of a package, or of a module that is one file."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not file:
        raise UntellableError(name)
    path = Path(file)
    return _files(path.parent if path.name == "__init__.py" else path)


@functools.cache
def _files(path: Path) -> str:
    """Hash of the files below a folder, which must be older than this process: it has read them as they are."""
    files = [path] if path.is_file() else sorted(_below(path))
    digest, total = hashlib.sha256(), 0
    for file in files:
        about = file.stat()
        total += about.st_size
        if total > LARGEST or about.st_mtime > _BEGAN:
            raise UntellableError(f"{file}")
        digest.update(f"\0{file.relative_to(path.parent)}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(here, name) for name in names if not name.endswith((".so", ".pyc")))


def _top(name: str | None) -> str:
    return (name or "").partition(".")[0]


class _Teller:
    """Writes what values are to a digest; what was met before is named by its number."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.packages: set[str] = set()
        self._met: dict[int, int] = {}
        self._held: list[Any] = []

    def write(self, text: str) -> None:
        """One more part."""
        self.digest.update(text.encode(errors="surrogatepass") + b"\0")

    def tell(self, value: Any) -> None:
        """What a value is, and all that it depends on.  Raises UntellableError."""
        if isinstance(value, PurePath):
            self._path(value)
            return
        if isinstance(value, PLAIN) and not isinstance(value, enum.Enum):
            self.write(f"{type(value).__name__} {value!r}")
            return
        if id(value) in self._met:
            self.write(f"met {self._met[id(value)]}")
            return
        self._met[id(value)] = len(self._met)
        self._held.append(value)  # or another object could get its number
        self._tell_new(value)

    def _tell_new(self, value: Any) -> None:
        if isinstance(value, jax.core.Tracer):
            raise UntellableError("a tracer")
        if isinstance(value, enum.Enum):
            self.write(f"enum {type(value).__module__}.{type(value).__qualname__} {value.name} {value.value!r}")
        elif isinstance(value, np.ndarray | np.generic | jax.Array):
            self._array(value)
        elif isinstance(value, jax.tree_util.PyTreeDef):
            self.write(f"tree {value!r}")
            self._all((value.node_data(), value.children()))
        elif isinstance(value, inspect.Signature):  # not by its text, which names functions by their addresses
            self.write("signature")
            self._all((one.name, int(one.kind), one.default) for one in value.parameters.values())
        elif isinstance(value, np.dtype | jax.ShapeDtypeStruct | re.Pattern):
            self.write(f"{type(value).__name__} {value!r} {getattr(value, 'weak_type', '')}")
        elif isinstance(value, tuple | list | set | frozenset):
            self.write(f"{type(value).__module__}.{type(value).__qualname__} {len(value)}")
            ordered = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
            self._all(ordered)
        elif isinstance(value, dict | types.MappingProxyType):
            self.write(f"dict {len(value)}")
            for key, one in value.items():
                self._all((key, one))
        elif isinstance(value, types.ModuleType):
            self.write(f"module {value.__name__}")
            self._package(value.__name__)
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.MethodType):
            self.write("method")
            self._all((value.__func__, value.__self__))
        elif isinstance(value, functools.partial):
            self.write("partial")
            self._all((value.func, value.args, value.keywords))
        elif isinstance(value, property):
            self.write("property")
            self._all((value.fget, value.fset))
        elif isinstance(value, staticmethod | classmethod):
            self.write(type(value).__name__)
            self.tell(value.__func__)
        elif isinstance(value, functools.cached_property):
            self.write("cached property")
            self.tell(value.func)
        elif isinstance(value, type):
            self._class(value)
        elif hasattr(value, "__wrapped__"):  # by functools.cache, jax.jit and the like
            self.write(f"{type(value).__module__}.{type(value).__qualname__}")
            self.tell(value.__wrapped__)
        else:
            self._object(value)

    def _path(self, path: PurePath) -> None:
        """What lies in a package that counts by its content is the same wherever the package lies."""
        for top in sorted(self.packages | OURS):
            file = getattr(sys.modules.get(top), "__file__", None)
            if file and Path(file).name == "__init__.py" and path.is_relative_to(Path(file).parent):
                self.write(f"{type(path).__name__} {top} {path.relative_to(Path(file).parent)}")
                return
        self.write(f"{type(path).__name__} {path!r}")

    def _all(self, values: Any) -> None:
        for value in values:
            self.tell(value)

    def _array(self, value: Any) -> None:
        if isinstance(value, jax.Array):
            if not value.is_fully_addressable:
                raise UntellableError("an array on other hosts")
            if jnp.issubdtype(value.dtype, jax.dtypes.extended):
                self.write(f"{value.dtype}")
                value = jax.random.key_data(value)
            self.write(f"jax {getattr(value, 'weak_type', False)}")
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise UntellableError("an array of objects")
        self.write(f"{type(value).__name__} {array.dtype!r} {array.shape}")
        self.digest.update(np.ascontiguousarray(array).tobytes())

    def _package(self, name: str) -> bool:
        """Whether a module counts by its content."""
        top = _top(name)
        if top in PINNED or top.startswith("namedtuple_"):  # as which named tuples make their constructors
            return False
        self.packages.add(top if getattr(sys.modules.get(top), "__file__", None) else name)
        return True

    def _function(self, function: types.FunctionType) -> None:
        where = function.__globals__.get("__name__", "")
        self.write(f"function {where} {function.__module__} {function.__qualname__}")
        for cell in function.__closure__ or ():
            try:
                self.tell(cell.cell_contents)
            except ValueError:  # it is empty
                self.write("empty")
        if where != "__main__" and not self._package(where):
            return
        if where == "__main__":
            self._main()
        names = self._code(function.__code__)
        self._all((function.__defaults__, function.__kwdefaults__))
        for name in sorted(names & function.__globals__.keys()):
            self.write(name)
            self._named(function.__globals__[name], names)

    def _main(self) -> None:
        """A script counts by its content, if it has any."""
        if getattr(sys.modules["__main__"], "__file__", None):
            self.packages.add("__main__")

    def _named(self, value: Any, names: set[str]) -> None:
        """A global; of a module, what code that has these names may read."""
        if not isinstance(value, types.ModuleType):
            self.tell(value)
            return
        self.write(f"module {value.__name__}")
        ours = self._package(value.__name__)
        for name in sorted(names & vars(value).keys()):
            found = vars(value)[name]
            self.write(name)
            if ours:
                if not isinstance(found, types.ModuleType):
                    self.tell(found)
            else:  # not what is in it, but whether somebody put it there
                module = getattr(found, "__module__", None)
                self.write(f"{module} {getattr(found, '__qualname__', '')}")
                if isinstance(found, types.FunctionType) and _top(found.__globals__.get("__name__")) not in PINNED:
                    self.tell(found)

    def _code(self, code: types.CodeType) -> set[str]:
        """What code does; the names in it."""
        plain = (code.co_flags, code.co_argcount, code.co_kwonlyargcount, code.co_varnames, code.co_freevars)
        self.write(f"{plain} {code.co_names} {code.co_cellvars} {code.co_exceptiontable!r}")
        self.digest.update(code.co_code)
        names = set(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                names |= self._code(constant)
            elif isinstance(constant, frozenset):
                self.write(f"{sorted(map(repr, constant))}")
            else:
                self.write(repr(constant))
        return names

    def _class(self, found: type) -> None:
        self.write(f"class {found.__module__}.{found.__qualname__}")
        if not self._package(found.__module__):
            return
        self._all(found.__bases__)
        for name, value in vars(found).items():
            if name not in _CLASS_ASIDE and not isinstance(value, types.MemberDescriptorType):
                self.write(name)
                self._all(value.values()) if name == "__dataclass_fields__" else self.tell(value)

    def _object(self, value: Any) -> None:
        kind = type(value)
        module = _top(getattr(kind, "__module__", ""))
        if kind.__name__ == "Field" and module == "dataclasses":
            self.write(f"field {value.name}")
            self._all((value.default, value.default_factory))
        elif module == "dataclasses":  # what says that something is missing
            self.write(kind.__name__)
        elif isinstance(value, BUILT_IN):
            self.write(f"{kind.__name__} {getattr(value, '__module__', '')} {value.__qualname__}")
        elif isinstance(value, jax_core.Primitive | np.errstate):
            self.write(f"{kind.__name__} {getattr(value, 'name', '')}")
        elif isinstance(value, contextvars.ContextVar):
            self.write(f"context {value.name}")
            self.tell(value.get(None))
        elif module in ("typing", "_collections") or isinstance(value, TYPES):
            self.write(repr(value))
        elif isinstance(value, np.ufunc) or (module in ("jax", "jaxlib") and hasattr(value, "__name__")):
            self.write(f"{module} {kind.__qualname__} {value.__name__}")
        elif module in PINNED:
            raise UntellableError(f"{kind.__module__}.{kind.__qualname__}")
        elif module == "rlenv_emit" and "made_of" in vars(value):  # an emitted environment; see `OURS`
            self.write(f"{kind.__module__}.{kind.__qualname__}")
            self.tell(value.made_of)
        else:
            self.tell(kind)
            slots = [name for one in kind.__mro__ for name in _slots(one)]
            self.tell({name: getattr(value, name) for name in slots if hasattr(value, name)})
            self._attributes(value)

    def _attributes(self, value: Any) -> None:
        """What an object has been given; not what it has worked out of that, or its first use changed its identity."""
        found = dict(getattr(value, "__dict__", {}))
        for name in list(found):
            derived = getattr(type(value), name, None)
            if isinstance(derived, functools.cached_property) and _are_alike(found[name], derived.func(value)):
                del found[name]
        self.tell(found)


def _are_alike(*values: Any) -> bool:
    """Whether all values are told in the same words."""
    told = set()
    for value in values:
        teller = _Teller()
        teller.tell(value)
        told.add(teller.digest.digest())
    return len(told) == 1


def _slots(kind: type) -> tuple[str, ...]:
    found = vars(kind).get("__slots__", ())
    names = (found,) if isinstance(found, str) else found
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))
