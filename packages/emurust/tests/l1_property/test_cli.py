"""The command line."""

import numpy as np
import pytest

from emurust import cli, recording, terminal
from emurust.errors import InvalidArgumentError

pytestmark = pytest.mark.l1


def test_info(capsys):
    assert cli.main(["info"]) == 0
    said = capsys.readouterr().out
    assert "WINDFALL" in said
    assert "ROM only" in said
    assert "checksums: header correct, ROM correct" in said


def test_run_and_bench(capsys):
    assert cli.main(["run", "--frames", "30"]) == 0
    assert "PC=0x" in capsys.readouterr().out
    assert cli.main(["bench", "--frames", "48", "--skip", "24", "--render", "none"]) == 0
    assert "frames per CPU second" in capsys.readouterr().out


def test_record_writes_a_gif(tmp_path, capsys):
    from PIL import Image

    path = tmp_path / "play.gif"
    assert cli.main(["record", "--frames", "40", "--skip", "4", "--scale", "1", "--out", str(path)]) == 0
    with Image.open(path) as image:
        assert image.size == (160, 144)
        assert image.n_frames > 1
    with pytest.raises(InvalidArgumentError, match="no pictures"):
        recording.save_gif([], path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "--rom", "no such file"], "no such file"),
        (["play"], "terminal"),
        (["record", "--frames", "4", "--skip", "0", "--out", "x.gif"], "skip"),
    ],
)
def test_errors_end_with_status_2_and_a_message(arguments, message, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert cli.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_bad_roms_end_with_status_2(tmp_path, capsys):
    (tmp_path / "bad.gb").write_bytes(b"x" * 100)
    assert cli.main(["info", "--rom", str(tmp_path / "bad.gb")]) == 2
    assert "invalid ROM" in capsys.readouterr().err


def test_terminal_pictures():
    picture = np.zeros((144, 160, 4), np.uint8)
    picture[:2, :, 0] = 255
    lines = terminal.picture_text(picture).split("\n")
    assert len(lines) == 36
    assert all(line.count("▀") == 80 for line in lines)
    assert lines[0].startswith("\x1b[38;2;255;0;0;48;2;0;0;0m▀")
