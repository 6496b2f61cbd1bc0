"""Input logs: Showdown plays them to the battle that they are of, and says what replays show."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from references.showdown import adapter

from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]


@pytest.fixture(scope="module")
def battle(driver):
    return driver.request("play", episodes=[{"episode": "4"}], input_log=True, messages=True)[0]


def test_a_log_is_played_to_the_battle_that_it_is_of(driver, battle):
    again = driver.request("logs", texts=[battle["input_log"]], messages=True, official=True)[0]
    assert again["constants"] == battle["constants"]
    assert again["views"] == battle["views"]
    assert again["official"][-1].startswith(("|win|p", "|tie"))
    assert "|gametype|singles" in again["official"]
    assert not any(line.startswith(("|t:|", "|split|")) for line in again["official"])
    health = [line.split("|")[4] for line in again["official"] if line.startswith("|switch|")]
    assert all(one.split()[0].endswith("/100") for one in health)  # as spectators see it


def test_a_log_that_is_cut_off_is_played_to_its_last_line(driver, battle):
    lines = battle["input_log"].splitlines()
    choices = [n for n, line in enumerate(lines) if line.startswith((">p1 ", ">p2 "))]
    cut = driver.request("logs", texts=["\r\n".join(lines[: choices[6] + 1])])[0]["views"]
    assert 3 <= len(cut) <= 8
    assert [view["core"] for view in cut] == [view["core"] for view in battle["views"][: len(cut)]]


@pytest.mark.parametrize(
    ("change", "kind", "told"),
    [
        (lambda log: [*log[:6], ">eval process.exit(3)", *log[6:]], InvalidParamsError, "line 7: .*eval"),
        (lambda log: [*log[:6], "|move|p1a: X|Tackle"], InvalidParamsError, "line 7: "),
        (lambda log: [*log[:6], ">p1 move 9"], IllegalActionError, "line 7: "),
        (lambda log: log[:2], InvalidParamsError, "no battle begins"),
        (lambda log: [], InvalidParamsError, "no battle begins"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(driver, battle, change, kind, told):
    with pytest.raises(EnvError) as refused:  # whatever the driver does instead is compared, even if it dies
        driver.request("logs", texts=["\n".join(change(battle["input_log"].splitlines()))])
    assert type(refused.value) is kind
    assert re.search(told, str(refused.value))


def test_the_official_log_is_printed(battle, tmp_path):
    (tmp_path / "battle.log").write_text(battle["input_log"])
    command = [sys.executable, "-m", "references.showdown.official_log", str(tmp_path / "battle.log")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout == adapter.official_log(battle["input_log"])
    assert done.stdout.splitlines()[-1].startswith(("|win|p", "|tie"))
    (tmp_path / "battle.log").write_text(">eval 1")
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 2
    assert "line 1" in done.stderr
