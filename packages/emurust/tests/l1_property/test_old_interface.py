"""What scripts written for PyBoy 1.x, or with old names, meet."""

import copy
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest

from emurust.games import windfall
from emurust.pyboy import PyBoy, WindowEvent, v1
from emurust.pyboy.errors import PyBoyException, PyBoyKeyError

pytestmark = pytest.mark.l1


@pytest.fixture
def path(tmp_path):
    """The path of a ROM."""
    file = tmp_path / "windfall.gb"
    file.write_bytes(windfall.rom())
    return str(file)


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ({"window_type": "null"}, "pyboy.pyboy                    ERROR    'window_type'"),
        ({"window_type": "headless"}, "pyboy.plugins.window_null      ERROR    'headless'"),
        ({"bootrom_file": None}, "'bootrom_file'"),
        ({"sound": True}, "'sound'"),
    ],
)
def test_old_names_of_arguments_are_taken_and_told(old, said, path, capsys):
    options = {"window": "null"} | old
    assert PyBoy(path, **options).tick()
    assert said in capsys.readouterr().out
    assert PyBoy(path, log_level="CRITICAL", **options).tick()
    assert capsys.readouterr().out == ""


def test_sound_that_is_off_says_nothing(path, capsys):
    assert PyBoy(path, window="null", sound=False).tick()
    assert capsys.readouterr().out == ""
    with pytest.raises(PyBoyKeyError):
        PyBoy(path, window="null", hide_window=True)


def test_events_are_plain_integers():
    assert type(WindowEvent.PRESS_BUTTON_A) is int
    assert str(WindowEvent.PRESS_BUTTON_A) == "5"
    assert (str(WindowEvent(5)), int(WindowEvent(5)), WindowEvent(5) == 5) == ("PRESS_BUTTON_A", 5, True)
    for wrong in (45, -1, True, "a", None):
        with pytest.raises(PyBoyException):
            WindowEvent(wrong)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies_are_refused(way, path):
    with pytest.raises(TypeError, match="save_state"):
        way(PyBoy(path, window="null"))


def test_the_console_of_1_x_is_that_of_2_x(path):
    old = v1.PyBoy(path, window_type="headless", debugging=False, disable_input=False, hide_window=True)
    new = PyBoy(path, window="null")
    screen = old.botsupport_manager().screen()
    for frame in range(150):
        if frame == 70:
            old.send_input(WindowEvent.PRESS_BUTTON_START)
            new.send_input(WindowEvent.PRESS_BUTTON_START)
        old._rendering(frame % 3 == 0)
        assert old.tick() is False
        assert new.tick(1, frame % 3 == 0) is True
        if frame == 70:
            assert old.get_input() == [WindowEvent.PRESS_BUTTON_START]
        np.testing.assert_array_equal(screen.screen_ndarray(), new.screen.ndarray[:, :, [2, 1, 0]])
    assert [old.get_memory_value(address) for address in range(0xC000, 0xC100)] == new.memory[0xC000:0xC100]
    old.set_memory_value(0xC000, 77)
    old.override_memory_value(1, 0x4000, 78)
    assert (old.get_memory_value(0xC000), old._console.memory[1, 0x4000]) == (77, 78)
    assert old.cartridge_title() == new.cartridge_title
    assert screen.tilemap_position_list() == new.screen.tilemap_position_list
    manager = old.botsupport_manager()
    assert str(manager.sprite(0)) == str(new.get_sprite(0))
    assert manager.tilemap_background()[0:20, 0:18] == new.tilemap_background[0:20, 0:18]
    state = io.BytesIO()
    old.save_state(state)
    assert state.getvalue()[0] == 9
    old.load_state(io.BytesIO(state.getvalue()))
    old.stop(False)
    assert old.tick() is True


SCRIPTS = {
    "2.x": "import pyboy.pyboy\nfrom pyboy import PyBoy\nfrom pyboy.utils import WindowEvent\n"
    "p = PyBoy(sys.argv[1], window='null'); p.send_input(WindowEvent.PRESS_BUTTON_A); p.tick(9)\n"
    "assert pyboy.pyboy.PyBoy is PyBoy\nprint(PyBoy.__module__, p.frame_count)",
    "1.x": "from pyboy import PyBoy, WindowEvent\nfrom pyboy.logger import log_level\nlog_level('ERROR')\n"
    "p = PyBoy(sys.argv[1], window_type='headless'); p.tick(); print(PyBoy.__module__, p.get_memory_value(0))",
}


@pytest.mark.parametrize("face", SCRIPTS)
def test_scripts_run_as_they_are(face, path, tmp_path):
    script = tmp_path / "script.py"
    (tmp_path / "beside.py").write_text("import sys")
    script.write_text("from beside import sys\n" + SCRIPTS[face])
    options = ["--v1"] if face == "1.x" else []
    command = [sys.executable, "-m", "emurust.as_pyboy", *options, str(script), path]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert found == (["emurust.pyboy.v1", "0"] if face == "1.x" else ["emurust.pyboy.console", "9"])


def test_bad_command_lines_are_told(tmp_path):
    wrong = [[str(tmp_path / "none.py")], ["--bootrom", str(tmp_path), __file__]]
    for arguments in wrong:
        command = [sys.executable, "-m", "emurust.as_pyboy", *arguments]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert found.returncode != 0
        assert "expected" in found.stderr
