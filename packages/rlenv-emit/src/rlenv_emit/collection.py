"""No garbage collection while a program is traced and written."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Collect nothing inside: a trace makes millions of objects that last, and every collection looks at them again.

    The more programs a process holds, the more of its time that took: most of it where an engine's third was traced.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
