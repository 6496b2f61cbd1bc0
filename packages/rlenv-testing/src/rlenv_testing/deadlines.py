"""A limit of its own for what is made once and used by many tests, as a compiled program.

The time limit of a test is for the test.  On a slow machine a first compile alone exceeds it, and every test of the
file that needs the program fails.  `apart` stops the test's clock and runs another one; fixtures of a module or session
have it by themselves, and `once` gives it to the first call of a function.
"""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import pytest

from rlenv_shared.errors import explain

LIMIT_S: Final = 3600.0
Made = TypeVar("Made")


@contextmanager
def apart(what: str, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Stop the clock of the test (pytest-timeout's, where it uses signals) and allow so many seconds.

    Raises:
        pytest.fail.Exception: the seconds are over.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expired(*_: object) -> None:
        pytest.fail(
            explain(
                f"make {what}",
                got=f"no result after {limit_s:g} s",
                expected="one within the limit for what is made once",
                remedy="see what it waits for, or raise LIMIT_S in rlenv_testing/deadlines.py",
            )
        )

    left, interval = signal.setitimer(signal.ITIMER_REAL, 0)
    handler = signal.signal(signal.SIGALRM, expired)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, left, interval)


def once(function: Callable[..., Made]) -> Callable[..., Made]:
    """`functools.cache`, and each first call is `apart` from the test that happens to be first."""

    @functools.cache
    @functools.wraps(function)
    def made(*args: Any, **kwargs: Any) -> Made:
        with apart(f"what {function.__name__} gives"):
            return function(*args, **kwargs)

    return made
