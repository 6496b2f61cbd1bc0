"""A program as LLVM IR, in the functions and with the frame of the C++ form, compiled in the process by llvmlite.

Of operations there are those that integer rules and CartPole need.
"""

from __future__ import annotations

import ctypes
import importlib
import struct
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from rlenv_emit.cpp.plan import REPEATED, Plan
from rlenv_emit.errors import UnsupportedError
from rlenv_emit.ir import Block, If, Loop, Op, Program, Value, defines, walk
from rlenv_shared.errors import explain

LANES: Final = 16
TYPES: Final = {"b1": "i1", "i32": "i32", "u32": "i32", "f32": "float"}
SLOT: Final = 64
"""Bytes of a place in the frame."""
INTEGER: Final = {"and": "and", "or": "or", "xor": "xor", "add": "add", "sub": "sub", "mul": "mul"}
FLOAT: Final = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
FLOAT_COMPARISONS: Final = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
SHIFTS: Final = {"shl": "shl", "shr": "lshr", "sar": "ashr"}
_ARGUMENTS: Final = "(ptr noalias %F, ptr noalias %in, ptr noalias %out, i64 %g)"
_ATTRIBUTES: Final = (
    'nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" "denormal-fp-math"="preserve-sign"'
)


class Text:
    """The IR of a program.

    Args:
        program: to be written.

    Raises:
        UnsupportedError: an operation is not among those that are compared.
    """

    def __init__(self, program: Program) -> None:
        self._program, self._plan = program, Plan(program, stores=None)
        self._repeated = {op.out: op for op in walk(program.block) if isinstance(op, Op) and op.kind in REPEATED}
        self._count = 0
        self._lines: list[str] = []
        self._entry: list[str] = []
        self._scopes: list[dict[Value, str]] = [{}]
        self._memory: dict[Value, str] = {}
        self._functions: list[str] = []
        self._declared: set[str] = set()
        self._offsets: dict[tuple[str, bool], int] = {}
        offset = 0
        for kind, count in sorted(self._plan.frame.items()):
            self._offsets[kind] = offset
            offset += count * SLOT
        self._results: dict[Value, list[tuple[int, int]]] = {}
        places = ((number, e) for number, array in enumerate(program.outputs) for e in range(array.size))
        for place, value in zip(places, program.block.results, strict=True):
            self._results.setdefault(value, []).append(place)
        self._block(program.block, outermost=True)
        for value in self._results:
            if value in self._repeated:
                self._store(value)
        self._functions.append(self._function("run_group", self._entry, self._lines, external=True))
        tables = [
            f"@table{n} = internal constant [{len(t)} x i32] [{', '.join(f'i32 {int(x)}' for x in t.view(np.int32))}]"
            for n, t in enumerate(program.tables)
        ]
        self.whole = "\n".join([*tables, *sorted(self._declared), *self._functions, _batch(offset + SLOT)])

    @staticmethod
    def _function(name: str, entry: Sequence[str], lines: Sequence[str], external: bool = False) -> str:
        how = "" if external else "internal "
        body = "\n".join((*entry, *lines, "ret void"))
        return f"define {how}void @{name}{_ARGUMENTS} noinline {_ATTRIBUTES} {{\n{body}\n}}"

    # --- values -----------------------------------------------------------------------------------------------------

    def _emit(self, text: str) -> str:
        self._count += 1
        self._lines.append(f"%x{self._count} = {text}")
        return f"%x{self._count}"

    def _label(self) -> str:
        self._count += 1
        return f"l{self._count}"

    def _call(self, result: str, name: str, *arguments: str) -> str:
        types = ", ".join(
            argument.rpartition(" ")[0] if "<" not in argument else _type(argument) for argument in arguments
        )
        self._declared.add(f"declare {result} @{name}({types})")
        return self._emit(f"call {result} @{name}({', '.join(arguments)})")

    @staticmethod
    def _type(value: Value, uniform: bool | None = None) -> str:
        scalar = TYPES.get(value.dtype)
        if scalar is None:
            remedy = "compile it with the C++ back end"
            raise UnsupportedError(explain("dtype", got=value.dtype, expected=sorted(TYPES), remedy=remedy))
        return scalar if (value.uniform if uniform is None else uniform) else f"<{LANES} x {scalar}>"

    def _name(self, value: Value) -> str:
        op = self._repeated.get(value)
        if op is not None and op.kind == "const":
            return _literal(op.attr)
        for scope in self._scopes:
            if value in scope:
                return scope[value]
        if op is not None:
            name = self._input(value, *op.attr)
        else:
            name = self._emit(f"load {self._type(value)}, ptr {self._place(value)}, align 4")
        self._scopes[-1][value] = name
        return name

    def _place(self, value: Value) -> str:
        if value in self._memory and value not in self._plan.places:
            return self._memory[value]
        offset = self._offsets[value.dtype, value.uniform] + self._plan.places[value] * SLOT
        return self._emit(f"getelementptr i8, ptr %F, i64 {offset}")

    def _read(self, value: Value, vector: bool) -> str:
        name = self._name(value)
        if not (vector and value.uniform):
            return name
        scalar = TYPES[value.dtype]
        if not name.startswith("%"):
            return f"<{', '.join([f'{scalar} {name}'] * LANES)}>"
        first = self._emit(f"insertelement <{LANES} x {scalar}> poison, {scalar} {name}, i32 0")
        kind = f"<{LANES} x {scalar}>"
        return self._emit(f"shufflevector {kind} {first}, {kind} poison, <{LANES} x i32> zeroinitializer")

    def _argument(self, side: str, number: int) -> str:
        return self._emit(f"load ptr, ptr {self._emit(f'getelementptr ptr, ptr %{side}, i64 {number}')}")

    def _lane(self, base: str, size: int, element: int, lane: int, stored: str) -> str:
        row = self._emit(f"mul i64 %g, {LANES * size}")
        return self._emit(
            f"getelementptr {stored}, ptr {base}, i64 {self._emit(f'add i64 {row}, {lane * size + element}')}"
        )

    def _input(self, value: Value, number: int, element: int) -> str:
        array, scalar = self._program.inputs[number], TYPES[value.dtype]
        stored = "i8" if scalar == "i1" else scalar
        base = self._argument("in", number)
        if value.uniform:
            found = self._emit(f"load {stored}, ptr {self._emit(f'getelementptr {stored}, ptr {base}, i64 {element}')}")
        else:
            found = "poison"
            for lane in range(LANES):
                one = self._emit(f"load {stored}, ptr {self._lane(base, array.size, element, lane, stored)}")
                found = self._emit(f"insertelement <{LANES} x {stored}> {found}, {stored} {one}, i32 {lane}")
        kind = stored if value.uniform else f"<{LANES} x {stored}>"
        return self._emit(f"trunc {kind} {found} to {self._type(value)}") if stored == "i8" else found

    def _store(self, value: Value) -> None:
        for number, element in self._results.get(value, ()):
            array, scalar = self._program.outputs[number], TYPES[value.dtype]
            name, base = self._read(value, True), self._argument("out", number)
            for lane in range(LANES):
                one, stored = self._emit(f"extractelement <{LANES} x {scalar}> {name}, i32 {lane}"), scalar
                if scalar == "i1":
                    one, stored = self._emit(f"zext i1 {one} to i8"), "i8"
                self._lines.append(f"store {stored} {one}, ptr {self._lane(base, array.size, element, lane, stored)}")

    # --- statements -------------------------------------------------------------------------------------------------

    def _block(self, block: Block, outermost: bool = False) -> None:
        parts = self._plan.cut(block)
        if parts is None:
            self._statements(block.statements, outermost)
            return
        for part in parts:
            outer = self._lines, self._entry, self._scopes, self._memory
            self._lines, self._entry, self._scopes, self._memory = [], [], [{}], {}
            self._statements(part.statements, outermost)
            self._functions.append(self._function(f"part{part.number}", self._entry, self._lines))
            self._lines, self._entry, self._scopes, self._memory = outer
            self._lines.append(f"call void @part{part.number}(ptr %F, ptr %in, ptr %out, i64 %g)")

    def _statements(self, statements: Sequence[Op | If | Loop], outermost: bool) -> None:
        for statement in statements:
            if isinstance(statement, If):
                self._if(statement)
            elif isinstance(statement, Loop):
                self._loop(statement)
            elif statement.kind not in REPEATED:
                name = self._operation(statement)
                self._scopes[-1][statement.out] = name
                if statement.out in self._plan.places:
                    kind, place = self._type(statement.out), self._place(statement.out)
                    self._lines.append(f"store {kind} {name}, ptr {place}, align 4")
            if outermost:
                for value in defines(statement):
                    if value not in self._repeated:
                        self._store(value)

    def _declare(self, values: Sequence[Value]) -> None:
        for value in values:
            if value not in self._plan.places:
                self._count += 1
                self._memory[value] = f"%x{self._count}"
                self._entry.append(f"%x{self._count} = alloca {self._type(value)}")

    def _assign(self, targets: Sequence[Value], values: Sequence[Value]) -> None:
        pairs = [(t, v) for t, v in zip(targets, values, strict=True) if not self._plan.same_place(t, v)]
        names = [self._read(value, not target.uniform) for target, value in pairs]
        for (target, _), name in zip(pairs, names, strict=True):
            self._lines.append(f"store {self._type(target)} {name}, ptr {self._place(target)}, align 4")

    def _if(self, branch: If) -> None:
        self._declare(branch.outs)
        then, other, end = self._label(), self._label(), self._label()
        self._lines.append(f"br i1 {self._name(branch.predicate)}, label %{then}, label %{other}")
        for label, inner in ((then, branch.then), (other, branch.other)):
            self._lines.append(f"{label}:")
            self._scopes.append({})
            self._block(inner)
            self._assign(branch.outs, inner.results)
            self._scopes.pop()
            self._lines.append(f"br label %{end}")
        self._lines.append(f"{end}:")

    def _loop(self, loop: Loop) -> None:
        self._declare(loop.carry)
        self._assign(loop.carry, loop.begin)
        again, body, end = self._label(), self._label(), self._label()
        self._lines += [f"br label %{again}", f"{again}:"]
        self._scopes.append({})
        self._block(loop.condition)
        self._lines += [f"br i1 {self._name(loop.condition.results[0])}, label %{body}, label %{end}", f"{body}:"]
        self._block(loop.body)
        self._assign(loop.carry, loop.body.results)
        self._scopes.pop()
        self._lines += [f"br label %{again}", f"{end}:"]

    # --- operations -------------------------------------------------------------------------------------------------

    def _operation(self, op: Op) -> str:
        if op.kind == "any":
            bits = self._emit(f"bitcast <{LANES} x i1> {self._read(op.args[0], True)} to i{LANES}")
            return self._emit(f"icmp ne i{LANES} {bits}, 0")
        uniform = op.out.uniform
        args = [self._read(arg, not uniform) for arg in op.args]
        of = op.args[0].dtype
        kind, out = self._type(op.args[0], uniform), self._type(op.out)
        if op.kind in FLOAT and of == "f32":
            return self._emit(f"{FLOAT[op.kind]} {kind} {args[0]}, {args[1]}")
        if op.kind in INTEGER:
            return self._emit(f"{INTEGER[op.kind]} {kind} {args[0]}, {args[1]}")
        if op.kind in FLOAT_COMPARISONS:
            if of == "f32":
                return self._emit(f"fcmp {FLOAT_COMPARISONS[op.kind]} {kind} {args[0]}, {args[1]}")
            sign = "" if op.kind in ("eq", "ne") else "s" if of == "i32" else "u"
            return self._emit(f"icmp {sign}{op.kind} {kind} {args[0]}, {args[1]}")
        match op.kind:
            case "select":
                flags = self._type(op.args[0], uniform)
                return self._emit(f"select {flags} {args[0]}, {out} {args[1]}, {out} {args[2]}")
            case "not":
                ones = _filled("true" if of == "b1" else "-1", TYPES[of], uniform)
                return self._emit(f"xor {kind} {args[0]}, {ones}")
            case "neg":
                return self._emit(
                    f"fneg {kind} {args[0]}" if of == "f32" else f"sub {kind} {_zero(uniform)}, {args[0]}"
                )
            case "abs" | "floor" if of == "f32":
                return self._call(
                    out, f"llvm.{'fabs' if op.kind == 'abs' else 'floor'}.{_mangled(kind)}", f"{kind} {args[0]}"
                )
            case "min" | "max" if of in ("i32", "u32"):
                name = f"llvm.{'s' if of == 'i32' else 'u'}{op.kind}.{_mangled(kind)}"
                return self._call(out, name, f"{kind} {args[0]}", f"{kind} {args[1]}")
            case "shl" | "shr" | "sar":
                return self._shift(op.kind, kind, uniform, *args)
            case "div" | "rem" if of == "i32":
                return self._divided(op.kind, kind, uniform, *args)
            case "sign" if of == "i32":
                above = self._emit(f"icmp sgt {kind} {args[0]}, {_zero(uniform)}")
                above = self._emit(f"zext {_flags(uniform)} {above} to {kind}")
                below = self._emit(f"ashr {kind} {args[0]}, {_filled('31', 'i32', uniform)}")
                return self._emit(f"or {kind} {above}, {below}")
            case "mulhi" if of == "u32":
                wide = "i64" if uniform else f"<{LANES} x i64>"
                a, b = (self._emit(f"zext {kind} {arg} to {wide}") for arg in args)
                high = self._emit(f"lshr {wide} {self._emit(f'mul {wide} {a}, {b}')}, {_filled('32', 'i64', uniform)}")
                return self._emit(f"trunc {wide} {high} to {kind}")
            case "convert":
                return self._converted(of, op.out.dtype, kind, out, args[0])
            case "table":
                return self._gathered(op, args[0], out)
        raise UnsupportedError(explain("operation", got=f"{op.kind} {of}", expected="another", remedy="use C++"))

    def _shift(self, name: str, kind: str, uniform: bool, a: str, distance: str) -> str:
        within = self._emit(f"icmp ult {kind} {distance}, {_filled('32', 'i32', uniform)}")
        limited = self._emit(f"and {kind} {distance}, {_filled('31', 'i32', uniform)}")
        shifted = self._emit(f"{SHIFTS[name]} {kind} {a}, {limited}")
        beyond = _zero(uniform) if name != "sar" else self._emit(f"ashr {kind} {a}, {_filled('31', 'i32', uniform)}")
        return self._emit(f"select {_flags(uniform)} {within}, {kind} {shifted}, {kind} {beyond}")

    def _divided(self, name: str, kind: str, uniform: bool, a: str, b: str) -> str:
        flags, one, minus = _flags(uniform), _filled("1", "i32", uniform), _filled("-1", "i32", uniform)
        none = self._emit(f"icmp eq {kind} {b}, {_zero(uniform)}")
        negates = self._emit(f"icmp eq {kind} {b}, {minus}")
        unsafe = self._emit(f"or {flags} {none}, {negates}")
        divisor = self._emit(f"select {flags} {unsafe}, {kind} {one}, {kind} {b}")
        plain = self._emit(f"s{name} {kind} {a}, {divisor}")
        if name == "rem":  # of -1 it is 0 as of 1; of 0 the number itself
            return self._emit(f"select {flags} {none}, {kind} {a}, {kind} {plain}")
        negated = self._emit(f"sub {kind} {_zero(uniform)}, {a}")
        signed = self._emit(f"select {flags} {negates}, {kind} {negated}, {kind} {plain}")
        return self._emit(f"select {flags} {none}, {kind} {minus}, {kind} {signed}")

    def _converted(self, before: str, after: str, kind: str, out: str, name: str) -> str:
        match before, after:
            case "b1", "i32" | "u32":
                return self._emit(f"zext {kind} {name} to {out}")
            case "i32" | "u32", "i32" | "u32":
                return name
            case "b1" | "u32", "f32":
                return self._emit(f"uitofp {kind} {name} to {out}")
            case "i32", "f32":
                return self._emit(f"sitofp {kind} {name} to {out}")
            case "f32", "i32":
                return self._call(out, f"llvm.fptosi.sat.{_mangled(out)}.{_mangled(kind)}", f"{kind} {name}")
        raise UnsupportedError(explain("conversion", got=f"{before} to {after}", expected="another", remedy="use C++"))

    def _gathered(self, op: Op, index: str, out: str) -> str:
        place, number = op.attr
        base, scalar = f"@table{number}" if place == "constant" else self._argument("in", number), TYPES[op.out.dtype]
        if op.out.uniform:
            return self._emit(f"load {scalar}, ptr {self._emit(f'getelementptr {scalar}, ptr {base}, i32 {index}')}")
        flags = f"<{', '.join(['i1 true'] * LANES)}>"
        pointers = self._emit(f"getelementptr {scalar}, ptr {base}, <{LANES} x i32> {index}")
        name = f"llvm.masked.gather.{_mangled(out)}.v{LANES}p0"
        return self._call(out, name, f"<{LANES} x ptr> {pointers}", "i32 4", f"<{LANES} x i1> {flags}", f"{out} poison")


def _batch(frame: int) -> str:
    return f"""define void @batch(ptr %in, ptr %out, i64 %groups) {_ATTRIBUTES} {{
entry:
%F = alloca [{frame} x i8], align 64
br label %again
again:
%g = phi i64 [0, %entry], [%next, %again]
call void @run_group(ptr %F, ptr %in, ptr %out, i64 %g)
%next = add i64 %g, 1
%more = icmp slt i64 %next, %groups
br i1 %more, label %again, label %end
end:
ret void
}}"""


def _literal(number: Any) -> str:
    if number.dtype == np.bool_:
        return "true" if number else "false"
    if number.dtype == np.float32:  # LLVM writes the bits of the same number as a double
        return f"0x{struct.unpack('<Q', struct.pack('<d', float(number)))[0]:016X}"
    return str(int(number))


def _filled(number: str, scalar: str, uniform: bool) -> str:
    return number if uniform else f"<{', '.join([f'{scalar} {number}'] * LANES)}>"


def _zero(uniform: bool) -> str:
    return "0" if uniform else "zeroinitializer"


def _flags(uniform: bool) -> str:
    return "i1" if uniform else f"<{LANES} x i1>"


def _type(argument: str) -> str:
    """The type of an argument whose type is a vector."""
    return argument[: argument.index(">") + 1]


def _mangled(kind: str) -> str:
    name = "f32" if "float" in kind else kind.strip("<>").rpartition(" ")[2]
    return f"v{LANES}{name}" if kind.startswith("<") else name


class Compiled:
    """A program in machine code of this process, for batches that are multiples of `LANES`."""

    def __init__(self, program: Program) -> None:
        binding = importlib.import_module("llvmlite.binding")
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        target = binding.Target.from_default_triple()
        machine = target.create_target_machine(cpu="x86-64-v4", opt=1, jit=True)
        module = binding.parse_assembly(Text(program).whole)
        module.verify()
        tuning = binding.create_pipeline_tuning_options(speed_level=1)
        builder = binding.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
        self._engine = binding.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        address = self._engine.get_function_address("batch")
        self._run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(address)

    def __call__(self, arguments: Sequence[np.ndarray], results: Sequence[np.ndarray], batch: int) -> None:
        """Compute the results, which are written in place."""
        self._run(pointers(arguments), pointers(results), batch // LANES)


def pointers(arrays: Sequence[np.ndarray]) -> Any:
    """The addresses of arrays, for a function of C."""
    return (ctypes.c_void_p * (len(arrays) + 1))(*(array.ctypes.data for array in arrays))
