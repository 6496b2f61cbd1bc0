"""The command ``pokejax``: ``battle``, ``play``, ``replay``, ``page``, ``verify``, ``damage``, the declaration's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pokejax.verification import DECLARATION
from rlenv_shared.command_line import checked
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.verification import commands


def battle(seed: int = 0, decisions: int = 2000) -> None:
    """Watch a battle of random legal choices in words.

    Args:
        seed: of the battle, the teams and the choices.
        decisions: show at most so many.
    """
    from pokejax.verification.watching import battle_lines

    checked("--seed", seed, 0)
    checked("--decisions", decisions, 1)
    for line in battle_lines(seed, decisions):
        print(line)


def play(opponent: str = "heuristics", seed: int = 0) -> None:
    """Play a battle in the terminal: type an action's number, or its words, as "move 2" or "switch milotic".

    Args:
        opponent: random, attack, base-power, damage, heuristics, heuristics-meant, learned, or the file of a policy
            that `pokejax train` has written.
        seed: of the teams, the battle and the opponent.
    """
    from pokejax.terminal import play_against

    checked("--seed", seed, 0)
    print(play_against(opponent, seed))


def replay(log: Path) -> None:
    """Play a battle of Showdown again from its input log, with Showdown's own random numbers, in words.

    Args:
        log: the file: lines such as ">start {…}", ">player p1 {…}" and ">p1 move thunderbolt".
    """
    from pokejax.verification.watching import log_lines

    for line in log_lines(_read(log)):
        print(line)


def page(log: Path, out: Path, view: Literal["both", "1", "2"] = "both", policy: Path | None = None) -> None:
    """Make a page of a battle to look at in a browser: what everybody chose, what came of it, how it stood.

    Args:
        log: the battle's input log, as for `replay`.
        out: the HTML file to write; it needs no network.
        view: both sides, or what player 1 or 2 sees; then nothing else is in the file.
        policy: file that `pokejax train` has written; its chance of winning is drawn.
    """
    from pokejax import replay_page
    from rlenv_shared import files

    text, judge = _read(log), None
    if policy is not None:
        from rlenv_learn import Policy

        judge = Policy.load(policy)
    with files.replacing(out) as file:  # first of all: a place that takes no file is told at once
        file.write(replay_page.page(text, view, judge).encode())
    print(f"{out}: {out.stat().st_size / 1e3:.0f} KB; open it in a browser")


def _read(log: Path) -> str:
    """The text of an input log."""
    from rlenv_shared import files

    try:
        return files.decoded(log.read_bytes(), f"input log {log}")
    except OSError as error:
        raise InvalidParamsError(f"input log {log}", error, "a file that can be read", "correct the path") from None


def verify(seeds: str = "0:100", policy: Literal["uniform", "attack"] = "uniform", observations: bool = False) -> None:
    """Play battles of composed teams here and in Showdown, and compare every decision.

    Args:
        seeds: A:B, battles A up to, not including, B; everything random in a battle follows from its number.
        policy: who chooses: at random among all that is legal, or mostly attacks.
        observations: compare both players' observations with what Showdown tells them, in place of the state.
    """
    from pokejax.verification.rollouts import compare_numbered

    outcome = compare_numbered(seeds, policy, observations=observations)
    print(f"{outcome.battles} battles, {outcome.decisions} decisions, {len(outcome.mismatches)} battles differ")
    for number, decision, text in outcome.mismatches:
        print(f"battle {number}, decision {decision}: {text}")
    if outcome.mismatches:
        sys.exit(1)


def damage(
    attacker: str,
    defender: str,
    move: str,
    critical: bool = False,
    weather: Literal["", "sunnyday", "raindance", "sandstorm", "snowscape"] = "",
    terastallized: bool = False,
) -> None:
    """Print the sixteen damages of one hit of a move.

    Args:
        attacker: a Pokémon in Showdown's packed or export form, or a file that holds one.
        defender: the same.
        move: id of the move.
        critical: whether the hit is critical.
        weather: id of the weather.
        terastallized: whether the attacker is.
    """
    import numpy as np

    from pokejax.damage import move_number, rolls, situation
    from pokejax.teamtext import member

    one, other = (member(Path(text).read_text() if Path(text).is_file() else text) for text in (attacker, defender))
    words, tables = situation(one, other, weather=weather, terastallized=(terastallized, False))
    found = np.asarray(rolls(words, move_number(move), np.bool_(critical), tables))
    shares = found / other["maxhp"] * 100
    print(f"{one['species']} uses {move} on {other['species']}: {found.min()}-{found.max()} of {other['maxhp']} HP")
    print(f"{shares.min():.1f} % to {shares.max():.1f} %; by draw: {', '.join(map(str, found.tolist()))}")


def main() -> None:
    """Run the command that was asked for."""
    own: dict[str, Callable[..., None]] = {
        "battle": battle,
        "play": play,
        "replay": replay,
        "page": page,
        "verify": verify,
        "damage": damage,
    }
    sys.exit(commands.main(DECLARATION, own))
