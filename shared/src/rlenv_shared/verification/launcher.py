"""Stands between a `reference.ReferenceProcess` and its driver: nothing that the driver starts outlives the client.

::

    python -I -S launcher.py LIFELINE COMMAND…

``LIFELINE`` is the reading end of a pipe whose other end the client alone holds; it ends when the client closes it or
dies, however it dies.  Then, and when the driver has left, everything the driver started is killed, and this process
leaves with the driver's exit status.  On Linux that includes what detached itself into other sessions, because orphans
become children of this process (PR_SET_CHILD_SUBREAPER), and the driver dies with this process, should that be killed
(PR_SET_PDEATHSIG; set here, not in the client, where it would fire when a mere thread ends).  Elsewhere it is the
driver's process group.  It imports little, since it delays every start.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NoReturn

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
PARENT_POLL_S: Final = 1.0  # for clients whose forks inherited the other end of the lifeline
REAP_POLL_S: Final = 0.005
NO_SUCH_PROGRAM: Final = 127  # as shells say it


def main(lifeline: int, command: Sequence[str]) -> int:
    """Run a command until it or the lifeline ends; returns its exit status, 128 + signal if it was killed."""
    parent = os.getppid()
    os.set_inheritable(lifeline, False)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # with a handler, it reaches the pipe
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    driver = os.fork()
    if driver == 0:
        become(command)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)  # the driver alone holds its streams: they end with it
    status = None
    while status is None and os.getppid() == parent:
        ready, _, _ = select.select([lifeline, ended], [], [], PARENT_POLL_S)
        if lifeline in ready:
            break
        if ended in ready:
            os.read(ended, 4096)
        status = reaped().get(driver)
    kill_all(driver, gone=status is not None)
    code = -signal.SIGKILL if status is None else os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def become(command: Sequence[str]) -> NoReturn:
    """Turn into the driver, in a session of its own."""
    launcher = os.getppid()
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == launcher:
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and execution would keep it so
            signal.signal(ignored, signal.SIG_DFL)
        try:
            os.execvp(command[0], list(command))
        except (OSError, ValueError) as error:
            os.write(2, f"cannot start {command[0]}: {error}".encode(errors="replace"))
    os._exit(NO_SUCH_PROGRAM)


def kill_all(driver: int, gone: bool) -> None:
    """Kill children until there are none: those of a killed one become ours."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(driver, signal.SIGKILL)
    listed = Path(f"/proc/self/task/{os.getpid()}/children")
    while not gone or (listed.exists() and listed.read_text()):
        for child in listed.read_text().split() if listed.exists() else []:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(child), signal.SIGKILL)
        time.sleep(REAP_POLL_S)
        gone = driver in reaped() or gone


def reaped() -> dict[int, int]:
    """Children that have ended, with their wait status."""
    found: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found[ended[0]] = ended[1]
    return found


def prctl(option: int, value: int) -> None:
    """Linux's prctl; nothing elsewhere."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1]), sys.argv[2:]))
