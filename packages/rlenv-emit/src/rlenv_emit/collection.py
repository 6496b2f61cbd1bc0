"""No garbage collection while a program is traced and written."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Collect nothing inside: a trace makes many objects that last, and every collection looks at all of them again.

    So the more programs a process holds, the longer the next one took.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
