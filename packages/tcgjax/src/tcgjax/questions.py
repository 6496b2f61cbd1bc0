"""Asking a player; a question with one possible answer answers itself (RULES.md, sections 15 and 17)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import xp
from tcgjax.arrays import Record, at, lowest, word_of

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


def is_legal(words: Any, action: Any) -> Any:
    """Whether an action of any number is in a mask of five words."""
    inside = (action >= 0) & (action < NUM_ACTIONS)
    action = xp.clip(action, 0, NUM_ACTIONS - 1)
    return inside & (((at(words, action >> 5) >> (action & 31).astype(xp.uint32)) & np.uint32(1)) != 0)


def first_legal(words: Any) -> Any:
    """The first action of a mask of five words, which is not empty; int32."""
    found = xp.int32(0)
    for number in reversed(range(5)):
        found = xp.where(words[number] != 0, lowest(words[number]) + np.int32(32 * number), found)
    return found


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
    may_end, word = xp.asarray(may_end), word_of(options)
    single = xp.count_bits(word) + may_end == 1
    given = game.answer != UNANSWERED
    answered = where & (given | single)
    waits = where & ~given & ~single
    option = xp.where(given, xp.where(game.answer == END, NO_MORE, game.answer - CHOICE), lowest(word))
    none, low = xp.uint32(0), CHOICE % 32
    legal = xp.stack([may_end.astype(xp.uint32), none, none, word << np.uint32(low), word >> np.uint32(32 - low)])
    game.legal = xp.where(waits, legal, game.legal)
    game.actor = xp.where(waits, actor == 1, game.actor)
    game.asked = game.asked | waits
    game.answer = xp.where(answered, UNANSWERED, game.answer)
    return answered, option
