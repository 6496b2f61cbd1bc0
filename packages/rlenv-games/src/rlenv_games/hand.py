"""Hand: a card game for two in turns, with what is hard about such games: hidden hands, draw piles, pending choices.

Each player has a pile of fourteen cards, shuffled, and draws four.  In a turn one plays a card: a *number* (1 to 5)
counts that many points; the *thief* discards a card of the other's hand, chosen blindly; the *scout* looks at the two
top cards of the own pile and takes one, the other goes to the bottom.  Then one draws a card.  Who reaches 12 points
has won; when nobody has a card left, who has more.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import counter_rng, masking, spaces
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass

NOTHING, THIEF, SCOUT = 0, 6, 7
"""No card, or no pending choice; the two cards that ask for one (1 to 5 are numbers)."""
DECK: Final = (1, 1, 2, 2, 3, 3, 4, 4, 5, THIEF, THIEF, SCOUT, SCOUT, 3)
PILE: Final = len(DECK)
HAND: Final = 4
GOAL: Final = 12  # points
NUM_ACTIONS: Final = 2 * HAND  # play a card of the hand, choose


@pytree_dataclass
class HandState(Replaceable):
    """State of `Hand`; the first axis of an array is the player."""

    hand: Any  # int32 [2, HAND], NOTHING where there is no card
    pile: Any  # int32 [2, PILE], the top is at `drawn`
    drawn: Any  # int32 [2], cards drawn
    buried: Any  # int32 [2, PILE], cards that a scout put under the pile, in order
    points: Any  # int32 [2]
    pending: Any  # int32 (), THIEF or SCOUT while its choice is asked for
    current_player: Any  # int32 ()
    time: Any  # int32 (), decisions
    over: Any  # bool ()
    rng: counter_rng.Rng


@pytree_dataclass
class HandParams(Replaceable):
    """Parameters of `Hand`."""

    max_steps_in_episode: Any = 200


@dataclasses.dataclass(frozen=True)
class Hand(Env):
    """See the module for the rules.

    Observation of a player: ``cards`` int32 [6]: own hand, and the two cards a scout sees (else 0); ``numbers`` float32
    [7]: own and the other's points / GOAL, cards in the other's hand / HAND, cards left in both piles / PILE, whether
    it is one's turn, and whether a thief waits for a choice.
    Actions: 0 to 3 play a card of the hand; 4 to 7 choose: a card of the other's hand, or (4, 5) one of two.
    Reward: +1 for the winner, -1 for the loser.
    """

    version: ClassVar[int] = 0
    name: ClassVar[str] = "game/Hand-v0"
    num_players: ClassVar[int] = 2
    turn_order: ClassVar[TurnOrder] = TurnOrder.SEQUENTIAL
    num_actions: ClassVar[int] = NUM_ACTIONS

    @property
    def default_params(self) -> HandParams:
        """A limit that no game reaches."""
        return HandParams()

    def begin(self, generator: Any, params: HandParams) -> HandState:
        """Both piles are shuffled, four cards drawn from each."""
        piles = []
        for _ in range(2):
            keys = []
            for _ in DECK:
                word, generator = counter_rng.bits(generator)
                keys.append(word)
            piles.append(_in_order(np.array(DECK, np.int32), jnp.stack(keys)))
        pile = jnp.stack(piles)
        first, generator = counter_rng.below(generator, 2)
        nothing = jnp.zeros((2,), jnp.int32)
        return HandState(
            hand=pile[:, :HAND],
            pile=pile,
            drawn=nothing + np.int32(HAND),
            buried=jnp.zeros((2, PILE), jnp.int32),
            points=nothing,
            pending=jnp.int32(NOTHING),
            current_player=first,
            time=jnp.int32(0),
            over=jnp.bool_(False),
            rng=generator,
        )

    def transition(
        self, state: HandState, action: Any, params: HandParams
    ) -> tuple[HandState, Any, Any, dict[str, Any]]:
        """One decision: a card is played, or what a card asks for is chosen; ``action`` is int32 ``()``."""
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        me = np.arange(2, dtype=np.int32) == state.current_player
        playing = state.pending == NOTHING
        slot = jnp.remainder(action, np.int32(HAND))
        chosen = np.arange(HAND, dtype=np.int32) == slot

        card = jnp.where(playing, _at(_of(state.hand, me), chosen), NOTHING)
        hand = jnp.where(playing & me[:, None] & chosen, NOTHING, state.hand)
        scored = jnp.where((card >= 1) & (card <= 5), card, 0)
        points = state.points + jnp.where(me, scored, 0)

        left = PILE - _of(state.drawn, me) + _count(_of(state.buried, me))
        thief_waits = (card == THIEF) & (_count(_of(hand, ~me)) > 0)
        scout_waits = (card == SCOUT) & (left >= 2)
        asks = jnp.where(scout_waits, jnp.int32(SCOUT), jnp.int32(NOTHING))
        pending = jnp.where(thief_waits, jnp.int32(THIEF), asks)

        stolen = state.pending == THIEF
        hand = jnp.where(stolen & ~me[:, None] & chosen, NOTHING, hand)
        state = state.replace(hand=hand, points=points, pending=pending, time=state.time + jnp.int32(1))
        scouted = _choose_of_two(state, me, slot == 0)
        state = _select(playing | stolen, state, scouted)

        done = pending == NOTHING  # with the turn
        state = _select(done, _draw(state, me), state)
        cards = jnp.stack([_count(state.hand[0]), _count(state.hand[1])])
        goal = (state.points >= GOAL).any()
        over = done & (goal | (cards == 0).all())
        other = jnp.int32(1) - state.current_player
        following = jnp.where(_of(cards, ~me) > 0, other, state.current_player)
        state = state.replace(current_player=jnp.where(done, following, state.current_player), over=over)
        lead = jnp.sign(state.points[0] - state.points[1]).astype(jnp.float32)
        reward = jnp.where(over, jnp.stack([lead, -lead]), jnp.float32(0))
        return state, reward, over, {"illegal_action": illegal}

    def observe(self, state: HandState, player: Any, params: Any) -> dict[str, Any]:
        """What a player knows; see the class."""
        me = np.arange(2, dtype=np.int32) == player
        mine = state.current_player == player
        first, second = _top_two(state, me)
        looks = mine & (state.pending == SCOUT)
        seen = jnp.where(looks, jnp.stack([first, second]), NOTHING)
        left = PILE - state.drawn + jnp.stack([_count(state.buried[0]), _count(state.buried[1])])
        numbers = [
            (_of(state.points, me), GOAL),
            (_of(state.points, ~me), GOAL),
            (_count(_of(state.hand, ~me)), HAND),
            (_of(left, me), PILE),
            (_of(left, ~me), PILE),
            (mine, 1),
            (mine & (state.pending == THIEF), 1),
        ]
        cards = jnp.concatenate([_of(state.hand, me), seen])
        return {"cards": cards, "numbers": jnp.stack([n.astype(jnp.float32) / np.float32(unit) for n, unit in numbers])}

    def legal_actions(self, state: HandState, params: Any) -> Any:
        """Bool ``[8]``."""
        me = np.arange(2, dtype=np.int32) == state.current_player
        play = (_of(state.hand, me) > 0) & (state.pending == NOTHING)
        steal = (_of(state.hand, ~me) > 0) & (state.pending == THIEF)
        pick = np.array([True, True, False, False]) & (state.pending == SCOUT)
        return jnp.concatenate([play, steal | pick]) | state.over

    def permute_hidden(self, state: HandState, key: Any, player: int) -> HandState:
        """The other's cards, in hand and pile, change places; so do those of the own pile that nobody has seen."""
        other, own = 1 - player, player
        k_other, k_own = jax.random.split(key)
        places = np.arange(PILE, dtype=np.int32)
        unseen = places >= state.drawn[other]
        held = jnp.concatenate([state.hand[other], state.pile[other]])
        moves = jnp.concatenate([state.hand[other] > 0, unseen])
        mixed = _mixed(held, moves, k_other)
        looks = (state.pending == SCOUT) & (state.current_player == player)
        below = places >= state.drawn[own] + jnp.where(looks, 2, 0)
        pile = _mixed(state.pile[own], below, k_own)
        return state.replace(
            hand=state.hand.at[other].set(mixed[:HAND]),
            pile=state.pile.at[other].set(mixed[HAND:]).at[own].set(pile),
        )

    def action_space(self, params: Any) -> spaces.Space:
        """Play or choose."""
        return spaces.Discrete(NUM_ACTIONS)

    def observation_space(self, params: Any) -> spaces.Space:
        """One player's."""
        cards = spaces.MultiDiscrete((SCOUT + 1,) * (HAND + 2))
        return spaces.Dict({"cards": cards, "numbers": spaces.Box(0.0, 5.0, (7,))})


def _select(condition: Any, if_true: Any, if_false: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), if_true, if_false)


def _of(values: Any, flags: Any) -> Any:
    """The row of the flagged player."""
    first = flags[0]
    return jnp.where(first, values[0], values[1])


def _at(row: Any, flags: Any) -> Any:
    """The flagged entry of a row, 0 where none is."""
    return jnp.sum(jnp.where(flags, row, 0), dtype=jnp.int32)


def _count(cards: Any) -> Any:
    """How many cards there are."""
    return jnp.sum(cards > 0, dtype=jnp.int32)


def _in_order(cards: Any, keys: Any) -> Any:
    """The cards in the order of their keys, equal ones as they lie."""
    place = np.arange(len(cards))
    before = (keys[None, :] < keys[:, None]) | ((keys[None, :] == keys[:, None]) & (place[None, :] < place[:, None]))
    rank = jnp.sum(before, axis=1, dtype=jnp.int32)
    return jnp.sum(jnp.where(rank[None, :] == place[:, None].astype(np.int32), cards[None, :], 0), 1, dtype=jnp.int32)


def _card_at(state: HandState, me: Any, ahead: Any) -> Any:
    """The card that far below the top of a player's pile: what was buried follows after the rest."""
    place = _of(state.drawn, me) + ahead
    index = np.arange(PILE, dtype=np.int32)
    return _at(_of(state.pile, me), index == place) + _at(_of(state.buried, me), index == place - PILE)


def _top_two(state: HandState, me: Any) -> tuple[Any, Any]:
    return _card_at(state, me, 0), _card_at(state, me, 1)


def _take(state: HandState, me: Any, card: Any) -> HandState:
    """A card comes into the first free place of the hand."""
    hand = _of(state.hand, me)
    free = hand == NOTHING
    first = free & (masking.running_sum(free.astype(jnp.int32)) == 1)
    return state.replace(hand=jnp.where(me[:, None] & first, card, state.hand))


def _draw(state: HandState, me: Any) -> HandState:
    """The top card, if there is one, for a hand that has place."""
    card = _card_at(state, me, 0)
    can = (card > 0) & (_count(_of(state.hand, me)) < HAND)
    taken = _take(state.replace(drawn=state.drawn + jnp.where(me, 1, 0)), me, card)
    return _select(can, taken, state)


def _choose_of_two(state: HandState, me: Any, takes_first: Any) -> HandState:
    """One of the two top cards comes into the hand, the other under the pile."""
    first, second = _top_two(state, me)
    card, rest = jnp.where(takes_first, first, second), jnp.where(takes_first, second, first)
    state = _take(state.replace(drawn=state.drawn + jnp.where(me, 2, 0)), me, card)
    index = np.arange(PILE, dtype=np.int32)
    end = me[:, None] & (index == _count(_of(state.buried, me)))
    return state.replace(buried=jnp.where(end, rest, state.buried))


def _mixed(cards: Any, moves: Any, key: Any) -> Any:
    """The cards of the places that ``moves`` names, in another order."""
    keys = jnp.where(moves, jax.random.bits(key, cards.shape, jnp.uint32) >> 1, jnp.uint32(2**32 - 1))
    shuffled = cards[jnp.argsort(keys)]  # those that move come first
    rank = masking.running_sum(moves.astype(jnp.int32)) - 1
    return jnp.where(moves, shuffled[jnp.maximum(rank, 0)], cards)
