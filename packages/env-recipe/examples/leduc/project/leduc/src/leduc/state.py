"""A game of Leduc hold'em: what is carried from step to step."""

from typing import NamedTuple

from jax import Array

CALL, RAISE, FOLD, CHECK = range(4)
SMALL_BLIND, BIG_BLIND = 1, 2  # chips


class State(NamedTuple):
    """One game; all int32 but ``folded``.  Cards are 0 … 5: jack, queen, king, of spades and hearts in turns."""

    hands: Array  # [2]
    public: Array  # the card that is shown from the second round on
    chips: Array  # [2], put in so far
    raised: Array  # [2], of these in this round
    folded: Array  # bool [2]
    player: Array  # who is asked
    raises: Array  # in this round
    quiet: Array  # players in a row that did not raise, the one who raised counted
    round: Array  # 0 or 1, 2 when both are done
