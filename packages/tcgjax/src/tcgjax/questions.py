"""Asking a player; a question with one possible answer answers itself (RULES.md, sections 15 and 17)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import xp
from tcgjax.arrays import Record, first, total

NUM_ACTIONS: Final = 144
END: Final = 0  # end the turn; in a choice: no more
PLAY: Final = 1  # + 9 * position in the hand + target (0 none, 1 to 4 own slots, 5 to 8 the opponent's)
TARGETS: Final = 9
ATTACH: Final = 91  # + own slot
RETREAT: Final = 95  # + own Bench slot - 1
ATTACK: Final = 98  # + number of the attack
ATTACKS: Final = 6
ABILITY: Final = 104  # + own slot
STADIUM: Final = 108
FOSSIL: Final = 109  # + own slot: discard it from play
CHOICE: Final = 113  # + option
OPTIONS: Final = 24
UNANSWERED: Final = -1
NO_MORE: Final = -1  # the option that END stands for


def as_words(legal: Any) -> Any:
    """A mask of actions in five words; uint32 [5]."""
    padded = xp.concatenate([legal, xp.zeros((160 - NUM_ACTIONS,), xp.bool_)]).reshape(5, 32)
    return xp.sum(padded.astype(xp.uint32) << np.arange(32, dtype=np.uint32), axis=1, dtype=xp.uint32)


def as_mask(words: Any) -> Any:
    """The mask of actions, bool [144]."""
    return ((words[:, None] >> np.arange(32, dtype=np.uint32)) & 1).reshape(-1)[:NUM_ACTIONS] != 0


def ask(game: Record, where: Any, actor: Any, options: Any, may_end: Any = False) -> tuple[Any, Any]:
    """Ask where a flag holds, or take the answer that is there.

    Args:
        game: changed: `asked` if the game waits, the answer is used up.
        where: whether there is something to ask; then some option must be possible.
        actor: who decides.
        options: bool [24].
        may_end: whether END is possible too.

    Returns:
        Whether there is an answer, and which option, `NO_MORE` for END.
    """
    may_end = xp.asarray(may_end)
    single = total(options) + may_end == 1
    given = game.answer != UNANSWERED
    answered = where & (given | single)
    waits = where & ~given & ~single
    option = xp.where(given, xp.where(game.answer == END, NO_MORE, game.answer - CHOICE), first(options))
    mask = xp.concatenate([may_end[None], xp.zeros((CHOICE - 1,), xp.bool_), options, xp.zeros((7,), xp.bool_)])
    game.legal = xp.where(waits, as_words(mask), game.legal)
    game.actor = xp.where(waits, actor == 1, game.actor)
    game.asked = game.asked | waits
    game.answer = xp.where(answered, UNANSWERED, game.answer)
    return answered, option
