"""What a command's user can mend is one line and exit status 2."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rlenv_shared import command_line
from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1


def raising(error: BaseException):
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InvalidParamsError("policy", "no such file", "a policy", "train one"), "error: policy: got no such file"),
        (FileNotFoundError(2, "No such file or directory", "x.toml"), "error: [Errno 2] No such file"),
        (OSError(28, "No space left on device"), "error: [Errno 28] No space left"),
        (NotADirectoryError("a\nb"), "error: a b"),
        (EOFError(), "error: standard input ended"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "error: 'utf-8' codec can't decode"),
        (MemoryError(), "error: out of memory"),
    ],
)
def test_what_can_be_mended_is_one_line(error, line, capsys):
    assert command_line.guarded(raising(error)) == 2
    out, err = capsys.readouterr()
    assert err.startswith(line)
    assert err.count("\n") == 1
    assert not out


def test_an_interruption_is_one_line_and_the_shell_s_status(capsys):
    assert command_line.guarded(raising(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize("parser", ["argparse", "tyro"])
@pytest.mark.parametrize("argv", [["--num", "x"], ["--nun", "1"], ["surplus"], ["--num"]])
def test_a_wrong_option_is_one_line(parser, argv, capsys):
    def command(num: int = 1) -> None:
        pass

    own = command_line.Parser(prog="toy")
    own.add_argument("--num", type=int)
    asked = own.parse_args if parser == "argparse" else lambda argv: command_line.call(command, "toy", argv)
    assert command_line.guarded(lambda: asked(argv) or 0) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert said.endswith("run toy --help\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize("value", [-1, 11])
def test_a_value_out_of_range_is_named(value):
    assert command_line.checked("--num", 5, 0, 10) == 5
    with pytest.raises(InvalidParamsError, match=f"--num: got {value}, expected at "):
        command_line.checked("--num", value, 0, 10)


@pytest.mark.parametrize("status", [0, 1])
def test_a_command_s_own_status_is_kept(status):
    assert command_line.guarded(lambda: status) == status


def test_a_defect_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError):
        command_line.guarded(raising(ZeroDivisionError()))
    with pytest.raises(ModuleNotFoundError):
        command_line.guarded(raising(ModuleNotFoundError("no", name="no_such_module")))


def test_a_missing_module_s_extra_is_named(capsys):
    error = ModuleNotFoundError("No module named 'tyro'", name="tyro.conf")
    assert command_line.guarded(raising(error)) == 2
    assert capsys.readouterr().err == "error: tyro.conf is not installed; run: pip install 'rlenv-shared[cli]'\n"


@pytest.mark.parametrize(
    ("distribution", "module", "extra"),
    [
        ("rlenv-shared", "tyro", "cli"),
        ("rlenv-shared", "PIL", "render"),
        ("rlenv-shared", "jax", "jax"),
        ("rlenv-shared", "pettingzoo", "pettingzoo"),
        ("rlenv-shared", "numpy", None),
        ("no-such-distribution", "tyro", None),
    ],
)
def test_the_extra_with_a_module_is_found(distribution, module, extra):
    assert command_line.extra_with(distribution, module) == extra


def test_output_that_nobody_takes_is_an_error_without_traceback():
    code = "from rlenv_shared.command_line import guarded; raise SystemExit(guarded(lambda: print('x' * 100) or 0))"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: [Errno 28] No space left on device\n"
