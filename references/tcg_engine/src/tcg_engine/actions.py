"""The flat action space: 144 ids (RULES.md, section 17)."""

from __future__ import annotations

from typing import Any, Final

from tcg_engine.state import Choice, Game

NUM_ACTIONS: Final = 144
END: Final = 0  # end the turn; in a choice: no more
PLAY: Final = 1  # + 9 * hand position + target (0 none, 1 to 4 own slots, 5 to 8 the opponent's)
TARGETS: Final = 9
HAND: Final = 10
ATTACH: Final = 91  # + own slot
RETREAT: Final = 95  # + own Bench slot - 1
ATTACK: Final = 98  # + number of the attack
ATTACKS: Final = 6
ABILITY: Final = 104  # + own slot
STADIUM: Final = 108
FOSSIL: Final = 109  # + own slot: discard it from play
CHOICE: Final = 113  # + option: slot (own 0 to 3, the opponent's 4 to 7), card, energy type, attack, yes 1 / no 0
OPTIONS: Final = 24
FOE_SLOT: Final = 4
NO, YES = CHOICE, CHOICE + 1


def ask(game: Game, frame: Any, actor: int, what: str, options: list[int]) -> None:
    """Ask a player; a question with one possible answer answers itself."""
    if len(options) == 1:
        frame.answer = options[0]
    else:
        game.choice = Choice(actor, what, sorted(options))


def play(hand: int, target: int = 0) -> int:
    """The id for playing a card of the hand on a target."""
    return PLAY + TARGETS * hand + target


def describe(action: int) -> str:
    """An id in words, without the state."""
    if action == END:
        return "end turn / no more"
    if action < ATTACH:
        hand, target = divmod(action - PLAY, TARGETS)
        where = "" if not target else f" on {'own' if target <= 4 else 'opposing'} slot {(target - 1) % 4}"
        return f"play card {hand} of the hand{where}"
    for start, text in (
        (CHOICE, "option"),
        (FOSSIL, "discard the Fossil of slot"),
        (STADIUM, "use the Stadium"),
        (ABILITY, "use the Ability of slot"),
        (ATTACK, "attack"),
        (RETREAT, "retreat for Bench place"),
        (ATTACH, "attach energy to slot"),
    ):
        if action >= start:
            return f"{text} {action - start}"
    return str(action)
