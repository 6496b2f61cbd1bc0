"""What users get wrong: every command answers bad options, and input or output that ends early, with one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ci.test_command_lines import COMMANDS, Run, run  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.l1, pytest.mark.timeout(600)]

PIKACHU = "|pikachu|lifeorb|static|thunderbolt|timid|,,,252,,252||||88|,,,,,Electric"
BINARY = sys.executable
DECKS = ("altaria", "blastoiseex")
HUGE = "99999999999999999999999"
BAD = {
    "acrobot_jax": [("play", "--episodes", "0"), ("gif", "--steps", "0"), ("gif", "--policy", BINARY)],
    "cartpole_jax": [
        ("play", "--episodes", "0"),
        ("play", "--seed", HUGE),
        ("gif", "--steps", "0"),
        ("gif", "--seed", "-1"),
        ("gif", "--policy", BINARY),
        ("train", "--ppo.num-envs", "0"),
        ("train", "--config", BINARY),
        ("train", "--config"),
        ("train", "--implementation", "c"),
        ("train", "--resume"),
        ("verify", "nothing"),
        ("transfer", "nothing"),
        ("bench", "--batches", "0"),
        ("smoke", "surplus"),
    ],
    "halfcheetah_jax": [("gif", "--steps", "-1"), ("gif", "--seed", "-1"), ("gif", "--length", "3")],
    "emurust": [
        (),
        ("run", "--frames", "0"),
        ("run", "--frames", "many"),
        ("run", "--rom", "."),
        ("record", "--out", "a.gif", "--scale", "0"),
        ("record", "--out", "a.gif", "--scale", "1000000", "--frames", "4"),
        ("record", "--out", "a.gif", "--seed", "-1"),
        ("record",),
        ("verify", "--skip", "0"),
    ],
    "pokejax": [
        ("train", "--resume"),
        ("transfer", "--seeds", "1000"),
        ("battle", "--seed", "-1"),
        ("battle", "--decisions", "0"),
        ("verify", "--seeds", "5:1"),
        ("verify", "--policy", "best"),
        ("page", "--log", "nowhere.log", "--out", "page.html"),
        ("page", "--log", BINARY, "--out", "page.html"),
        ("page", "--log", "nowhere.log", "--out", "page.html", "--view", "3"),
        ("damage", "--attacker", "", "--defender", PIKACHU, "--move", "thunderbolt"),
        ("damage", "--attacker", BINARY, "--defender", PIKACHU, "--move", "thunderbolt"),
        ("damage", "--attacker", PIKACHU, "--defender", PIKACHU, "--move", "nothing"),
    ],
    "tcgjax": [
        ("play", "altaria"),
        ("play", *DECKS, "--seed", "-1"),
        ("play", *DECKS, "--seed", HUGE),
        ("play", "altaria", BINARY),
        ("simulate", *DECKS, "--num", "0"),
        ("simulate", *DECKS, "--players", "one", "two"),
        ("simulate", "altaria", "nowhere"),
        ("deck", "check"),
        ("deck", "check", BINARY),
        ("deck", "list", "altaria"),
        ("deck", "shuffle"),
    ],
}
CASES = [
    pytest.param(name, arguments, id=f"{name}-{number}")
    for name, cases in BAD.items()
    for number, arguments in enumerate([*cases, ("dance",)])
]


def test_every_package_with_a_command_is_here() -> None:
    assert {package.import_name for package in COMMANDS} == set(BAD)


@pytest.mark.parametrize(("name", "arguments"), CASES)
def test_bad_input_is_one_line(name: str, arguments: tuple[str, ...], run: Run, tmp_path: Path) -> None:  # noqa: F811
    status, said = run(name, *arguments)
    assert (status, said.count("\n"), said[:7]) == (2, 1, "error: "), said
    assert not list(tmp_path.glob("*.gif"))


def started(name: str, *arguments: str, **streams: object) -> subprocess.Popen:
    # What a shell starts in the background ignores interrupts, and so would whatever the tests start.
    interruptible = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{interruptible}; import sys, {name}.cli; sys.argv[0] = {name!r}; sys.exit({name}.cli.main())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | {
        "PYTHONUTF8": "1"
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, env=environment, **streams
    )


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        (b"", "standard input ended"),
        (b"0\nx\n-1\n99\n\n", "standard input ended"),
        (b"\xff\xfe\n", "standard input ended"),
    ],
    ids=["nothing", "too little", "no text"],
)
def test_a_game_whose_input_ends_says_so(typed: bytes, why: str) -> None:
    game = started("tcgjax", "play", *DECKS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    _, said = game.communicate(typed)
    assert (game.returncode, said.count(b"\n"), why.encode() in said) == (2, 1, True), said.decode()


def test_an_emulator_without_a_terminal_says_so() -> None:
    game = started("emurust", "play", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    _, said = game.communicate()
    assert (game.returncode, said.count(b"\n"), b"not a terminal" in said) == (2, 1, True), said.decode()


@pytest.mark.parametrize("arguments", [("play", *DECKS), ("deck", "list")], ids=["play", "list"])
def test_output_that_nobody_reads_is_one_line(arguments: tuple[str, ...]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    game = started("tcgjax", *arguments, stdin=subprocess.DEVNULL, stdout=writer)
    os.close(writer)
    _, said = game.communicate()
    assert (game.returncode, said.count(b"\n"), b"Broken pipe" in said) == (2, 1, True), said.decode()


def test_a_game_that_is_interrupted_says_so() -> None:
    game = started("tcgjax", "play", *DECKS, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert game.stdout is not None
    while b"> " not in os.read(game.stdout.fileno(), 100_000):  # until it asks
        time.sleep(0.01)
    # Its input stays open, whose end may be seen before the signal.  Python's input() sleeps through a signal that
    # comes just before it waits, so a second one is sent, as a person would press the keys again.
    for seconds in (20, 60):
        game.send_signal(signal.SIGINT)
        try:
            game.wait(seconds)
            break
        except subprocess.TimeoutExpired:
            continue
    _, said = game.communicate()
    assert (game.returncode, said) == (130, b"interrupted\n")
