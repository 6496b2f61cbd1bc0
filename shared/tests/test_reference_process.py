"""Drivers that misbehave: every request ends by its deadline, and nothing of a driver outlives its client."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rlenv_shared.errors import InvalidParamsError, ReferenceUnavailableError
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.reference import CHUNK_BYTES, STDERR_TAIL, ReferenceProcess

pytestmark = [pytest.mark.l1, pytest.mark.timeout(30)]

PIN = Pin("toy", "1", "pypi", "MIT", None, (), ())
QUICK_S = 5.0  # far below the 60 s of whatever is started here

# argv: what it does after the handshake, the file for the process ids of it and of what it starts
DRIVER = r"""
import os, subprocess, sys, time

def note(pid):
    with open(sys.argv[2], "a") as file:
        file.write(f"{pid}\n")

def start(**options):
    note(subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"], **options).pid)

def hello():
    sys.stdin.readline()
    print('{"id": 0, "ok": true, "result": {"protocol": 1, "name": "toy", "version": "1"}}', flush=True)

def detach():
    start(start_new_session=True)

def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            note(os.getpid())
            time.sleep(60)
        os._exit(0)
    time.sleep(0.2)

note(os.getpid())
exec(sys.argv[1])
"""


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def noted(tmp_path):
    """The file of process ids; whatever is left of them when the test has ended is killed."""
    path = tmp_path / "pids"
    path.touch()
    yield path
    for pid in map(int, path.read_text().split()):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def start(noted, what, **options):
    return ReferenceProcess([sys.executable, "-S", "-c", DRIVER, what, str(noted)], PIN, **{"timeout_s": 0.5} | options)


def gone(noted, number, within_s=QUICK_S):
    """All of ``number`` processes end within a time."""
    deadline = time.monotonic() + within_s
    while True:
        pids = noted.read_text().split()
        if len(pids) == number and not any(map(running, pids)):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)


@pytest.mark.parametrize("child", ["start()", "detach()", "daemon()", "detach(); daemon(); start()"])
def test_a_deadline_holds_and_takes_every_descendant_down(noted, child):
    reference = start(noted, f"{child}; hello(); time.sleep(60)")
    begin = time.monotonic()
    with pytest.raises(ReferenceUnavailableError, match=r"no answer to 'any' in 0\.5 s"):
        reference.request("any")
    assert time.monotonic() - begin < QUICK_S
    assert gone(noted, 2 + child.count(";"))
    with pytest.raises(ReferenceUnavailableError, match="has ended, exit status 137"):
        reference.request("any")


@pytest.mark.parametrize("child", ["detach()", "daemon()"])
@pytest.mark.parametrize("end", ["", "sys.stdin.read()", "sys.exit(3)", "os.kill(os.getpid(), 9)"])
def test_nothing_is_left_when_the_driver_leaves_or_is_closed(noted, child, end):
    with start(noted, f"{child}; hello(); {end}"):
        pass
    assert gone(noted, 2)


def test_a_driver_that_does_not_leave_is_killed(noted, monkeypatch):
    monkeypatch.setattr("rlenv_shared.verification.reference.CLOSE_TIMEOUT_S", 0.5)
    begin = time.monotonic()
    with start(noted, "import signal; signal.signal(15, signal.SIG_IGN); detach(); hello(); time.sleep(60)"):
        pass
    assert time.monotonic() - begin < QUICK_S
    assert gone(noted, 2)


def test_the_request_too_must_be_read_by_the_deadline(noted):
    reference = start(noted, "hello(); time.sleep(60)")
    begin = time.monotonic()
    with pytest.raises(ReferenceUnavailableError, match="no answer"):
        reference.request("any", padding="x" * 10_000_000)
    assert time.monotonic() - begin < QUICK_S


FLOOD = "hello()\nwhile True: sys.{}.write('x' * 65536)"


def test_output_without_end_is_cut_off(noted):
    reference = start(noted, FLOOD.format("stdout"), timeout_s=20, max_answer_bytes=1 << 20)
    begin = time.monotonic()
    with pytest.raises(ReferenceUnavailableError, match=r"more than 1048576: b'x+'…") as caught:
        reference.request("any")
    assert int(re.search(r"(\d+) bytes, more", str(caught.value))[1]) <= (1 << 20) + CHUNK_BYTES
    assert time.monotonic() - begin < QUICK_S
    assert gone(noted, 1)


def test_errors_without_end_keep_their_tail_and_the_deadline(noted):
    reference = start(noted, FLOOD.format("stderr"))
    begin = time.monotonic()
    with pytest.raises(ReferenceUnavailableError, match=r"no answer.*standard error ends: x+$") as caught:
        reference.request("any")
    assert time.monotonic() - begin < QUICK_S
    assert len(str(caught.value)) < STDERR_TAIL + 300


def test_much_on_standard_error_stops_nobody(noted):
    answer = 'print("{\\"id\\": 1, \\"ok\\": true, \\"result\\": 7}", flush=True)'
    script = f"hello(); sys.stderr.write('x' * 500_000); sys.stdin.readline(); {answer}; sys.stdin.read()"
    with start(noted, script, timeout_s=10) as reference:
        assert reference.request("any") == 7


ANSWERS = {
    "deeply nested": ("'[' * 200_000", "RecursionError"),
    "nested and closed": ("'[' * 200_000 + ']' * 200_000", "RecursionError"),
    "no UTF-8": ("'\\udcff'", "UnicodeDecodeError"),
    "a key twice": ('\'{"id": 1, "id": 1, "ok": true}\'', "'id' twice"),
    "a long number": ("'1' * 10_000", "ValueError"),
    "a list": ("'[1]'", "TypeError"),
    "two lines": ('\'{"id": 0, "ok": true}\\n{"id": 1, "ok": true}\'', "answer 0 to request 1"),
    "nothing": ("''", "JSONDecodeError"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_answers_that_are_none_are_typed(noted, case):
    text, message = ANSWERS[case]
    script = f"hello(); sys.stdout.reconfigure(errors='surrogateescape'); print({text}, flush=True); time.sleep(60)"
    with pytest.raises(ReferenceUnavailableError, match=f"(?s){message}"):
        start(noted, script, timeout_s=5).request("any")
    assert gone(noted, 1)


def test_an_answer_that_was_not_asked_for_is_not_taken_for_the_next(noted):
    two = '\'{"id": 1, "ok": true}\\n{"id": 9, "ok": true}\''
    with start(noted, f"hello(); print({two}, flush=True); time.sleep(60)", timeout_s=5) as reference:
        assert reference.request("any") is None
        with pytest.raises(ReferenceUnavailableError, match="answer 9 to request 2"):
            reference.request("any")


CLIENT = f"""
import os, resource, signal, sys
from pathlib import Path
from rlenv_shared.errors import ReferenceUnavailableError
from rlenv_shared.verification.pinned import Pin
from rlenv_shared.verification.reference import ReferenceProcess
PIN, noted, what = {PIN!r}, *sys.argv[1:]
def start(**options):
    return ReferenceProcess([sys.executable, "-S", "-c", {DRIVER!r}, what, noted], PIN, **options)
"""


def client(noted, what, body):
    """A process that runs ``body``."""
    command = [sys.executable, "-c", CLIENT + body, str(noted), what]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_an_answer_beyond_memory_is_typed(noted):
    body = """
reference = start(timeout_s=20)
used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (used + 40 * 2**20, resource.RLIM_INFINITY))
try:
    reference.request("any")
except ReferenceUnavailableError as error:
    print(str(error)[:200])
"""
    output, _ = client(noted, FLOOD.format("stdout"), body).communicate(timeout=20)
    assert "MemoryError" in output
    assert "Traceback" not in output
    assert gone(noted, 1)


WAIT = """
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background of a shell ignore it
start(timeout_s=60).request("any")
"""


@pytest.mark.parametrize("what", ["time.sleep(60)", "detach(); hello(); time.sleep(60)"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_the_driver_ends_with_its_client_however_that_ends(noted, what, number):
    process = client(noted, what, WAIT)
    deadline = time.monotonic() + 20
    while len(noted.read_text().split()) < 1 + what.count("detach") and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.1)
    process.send_signal(number)
    output, _ = process.communicate(timeout=20)
    assert ("KeyboardInterrupt" in output) == (number == signal.SIGINT)
    assert gone(noted, 1 + what.count("detach"))


def test_the_driver_ends_with_its_launcher(noted):
    with start(noted, "hello(); time.sleep(60)") as reference:
        os.kill(reference._process.pid, signal.SIGKILL)
        assert gone(noted, 1)
        with pytest.raises(ReferenceUnavailableError, match="exit status -9"):
            reference.request("any")


def test_an_interrupted_request_ends_the_driver(noted):
    with start(noted, "detach(); hello(); time.sleep(60)", timeout_s=20) as reference:
        signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            reference.request("any")
        assert gone(noted, 2)


def test_an_object_that_nobody_holds_ends_its_driver(noted):
    with pytest.warns(ResourceWarning):
        start(noted, "detach(); hello(); time.sleep(60)")
    assert gone(noted, 2)


@pytest.mark.parametrize("limit_s", [0, -1, float("nan"), float("inf")])
def test_senseless_limits_are_refused(noted, limit_s):
    with start(noted, "hello(); time.sleep(60)") as reference:
        with pytest.raises(InvalidParamsError, match="timeout_s"):
            reference.request("any", limit_s)
        with pytest.raises(InvalidParamsError, match="JSON values"):
            reference.request("any", value=float("nan"))
        with pytest.raises(InvalidParamsError, match="JSON values"):
            reference.request("any", value=object())
        reference._kill()
