"""Functions that XLA:CPU expands into arithmetic of its own instead of calling the C library.

Each is written here with the roundings that XLA's compiled code has on a processor with fused multiply-add: there
LLVM contracts a product with the sum that is its only use.  Of what JAX 0.10.2 compiles, that is `log` of float32;
sine, cosine and powers of both dtypes, and `log` of float64, are calls of the C library.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_emit.builder import Builder
from rlenv_emit.ir import Value

SMALLEST: Final = float(np.finfo(np.float32).smallest_normal)
SQRT_HALF: Final = 0.707106781186547524
LN2: Final = (-2.12194440e-4, 0.693359375)
"""What is added to the second, which has few bits, so that products with a small integer are exact."""
LOG: Final = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip


def log_f32(build: Builder, x: Value) -> Value:
    """The natural logarithm of a float32.

    ``x = m * 2**e`` with m in [sqrt(1/2), sqrt(2)); a polynomial of degree 8 in ``m - 1``, in three interleaved parts.
    Zeros, and denormal numbers with them, give -inf, negative numbers NaN.

    Source: Cephes Mathematical Library 2.2, ``logf.c`` (Stephen Moshier), evaluated in the order of XLA's
    ``GenerateVF32Log`` (xla/backends/cpu/codegen/polynomial_approximations.cc).
    """

    def number(value: float) -> Value:
        return build.constant(value, "f32")

    def word(value: int) -> Value:
        return build.constant(value, "i32")

    def fma(a: Value, b: Value, c: Value) -> Value:
        return build.op("fma", a, b, c)

    one, zero = number(1.0), number(0.0)
    normal = build.op("select", build.op("gt", x, number(SMALLEST)), x, number(SMALLEST))
    bits = build.op("bitcast", normal, dtype="i32")
    exponent = build.op("sub", build.op("shr", bits, word(23)), word(127))
    exponent = build.op("add", one, build.op("convert", exponent, dtype="f32"))
    mantissa = build.op("or", build.op("and", bits, word(0x807FFFFF - (1 << 32))), word(0x3F000000))
    mantissa = build.op("bitcast", mantissa, dtype="f32")
    low = build.op("lt", mantissa, number(SQRT_HALF))
    exponent = build.op("sub", exponent, build.op("select", low, one, zero))
    r = build.op("add", build.op("sub", mantissa, one), build.op("select", low, mantissa, zero))

    r2 = build.op("mul", r, r)
    r3 = build.op("mul", r2, r)
    thirds = zip(LOG[::3], LOG[1::3], LOG[2::3], strict=True)
    parts = [fma(fma(r, number(a), number(b)), r, number(c)) for a, b, c in thirds]
    y = fma(fma(parts[0], r3, parts[1]), r3, parts[2])
    y = fma(y, r3, build.op("mul", number(LN2[0]), exponent))
    y = build.op("add", fma(r2, number(-0.5), r), y)
    y = fma(exponent, number(LN2[1]), y)

    def instead(predicate: Value, found: Any) -> Value:
        return build.op("select", predicate, number(found), y)

    y = instead(build.op("not", build.op("ge", x, zero)), np.nan)
    y = instead(build.op("eq", x, zero), -np.inf)
    return instead(build.op("eq", x, number(np.inf)), np.inf)
