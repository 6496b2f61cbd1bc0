"""One seat against a script: every step is a decision of the learner's, and a step plays the opponent's turn too.

Everything that chance decides besides the rules comes from the keys of the game by the same hash: the decks, the
learner's seat, who the opponent is, and the opponent's word for each of its decisions.  So the same game can be played
in the reference (:mod:`tcgjax.verification.host_duel`).
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Final, Self

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_emit.emit import emit_lazily
from rlenv_shared import control, counter_rng, masking, spaces
from rlenv_shared.barrier import cpu_barrier
from rlenv_shared.env import TurnOrder
from rlenv_shared.struct import Replaceable, pytree_dataclass
from tcgjax import engine, heuristic, observation, rng
from tcgjax.arrays import Record, merged
from tcgjax.codec import CODEC
from tcgjax.env import Tcg
from tcgjax.questions import NUM_ACTIONS, as_mask
from tcgjax.tables import Cards, Tables
from tcgjax.verification import advice

GAME: Final = Tcg()
SEAT, OPPONENT, WORDS = (np.uint32(n) for n in (7 << 28, (7 << 28) + 1, 1 << 31))
"""Counters of the keys' words, which no stream of `tcgjax.rng` uses: for the seat, for who the opponent is, and from
the third on one for each decision of a game."""
MOST: Final = 4000
"""Decisions between two of the learner's, far more than there can be."""


@pytree_dataclass
class DuelParams(Replaceable):
    """Tables with the pool of decks, the opponents, and what is rewarded besides the result; numbers are arrays."""

    tables: Tables = dataclasses.field(default_factory=Tables)
    heuristic: Any = np.float32(1)  # share of the games in which the heuristic is the opponent; else random legal play
    points_weight: Any = np.float32(0)  # what a point of the lead is worth until the game is over


def chance(keys: tuple[Any, Any], counter: Any) -> Any:
    """The word of a game's keys at a counter, uint32."""
    return counter_rng.bits((*keys, counter))[0]


def seat_of(keys: tuple[Any, Any]) -> Any:
    """The learner's seat, int32: the highest bit of a word."""
    return (chance(keys, SEAT) >> np.uint32(31)).astype(np.int32)


def by_heuristic(keys: tuple[Any, Any], share: Any) -> Any:
    """Whether the heuristic is the opponent, bool; ``share`` float32."""
    return (chance(keys, OPPONENT) >> np.uint32(8)).astype(np.float32) * counter_rng.UNIT_24 < share


COMPILED_BY_XLA: Final = "xla"


def form_here() -> str | None:
    """The form of steps on this machine: native on a CPU, XLA's elsewhere."""
    return None if jax.default_backend() == "cpu" else COMPILED_BY_XLA


@dataclasses.dataclass(frozen=True)
class Duel:
    """The game as a batch of environments for one player, with `DuelParams`.

    The observation is the game's, seen from the learner's seat, with what the heuristic says of each legal action, and
    whom it is about (:mod:`tcgjax.verification.advice`).  An action is a place in the list of the legal ones.

    Reward: 1 for a win, -1 for a loss, 0 for a tie.  Besides, ``points_weight`` is paid for every point of the lead and
    taken back at the end (a potential), so that the return of a game is always its result.  No game is cut off.  A
    state is the words of a game, uint32 [W].
    """

    form: str | None = None
    """Of steps: one of `rlenv_emit`'s, for CPUs, None its best here; or `COMPILED_BY_XLA`."""
    threads: int | None = None
    """Of native steps: at most that many work on a batch; all processors when None."""
    heuristic: float = 1.0
    """Default of `DuelParams.heuristic`."""
    points_weight: float = 0.0
    """Default of `DuelParams.points_weight`."""

    name = GAME.name
    version = GAME.version
    num_players = 1
    turn_order = TurnOrder.SINGLE

    @property
    def compile_options(self) -> Any:
        """The game's where XLA compiles it."""
        return GAME.compile_options if self.form == COMPILED_BY_XLA else {}

    @property
    def default_params(self) -> DuelParams:
        """The pool that comes with the package."""
        return DuelParams(heuristic=np.float32(self.heuristic), points_weight=np.float32(self.points_weight))

    def action_space(self, params: DuelParams) -> Any:
        """Places in the list of legal actions."""
        return spaces.Discrete(advice.LISTED)

    def observation_space(self, params: DuelParams) -> Any:
        """One player's."""
        return advice.seen_spaces(GAME.observation_space(params), *Cards(params.tables).sizes)

    def refresh(self, params: DuelParams, key: Any) -> DuelParams:
        """The same."""
        return params

    def batched(self) -> Self:
        """Itself: its methods are batched already."""
        return self

    def reset(self, keys: Any, params: DuelParams) -> tuple[Any, Any]:
        """``(obs, state)`` of new games, one for each JAX key."""
        return self.deal(counter_rng.key_words(keys), params)

    def deal(self, words: tuple[Any, Any], params: DuelParams) -> tuple[Any, Any]:
        """``(obs, state)`` at the first decision in the games that belong to two words each, uint32 ``[B]``."""
        ended = jax.vmap(lambda word0, word1: jnp.stack(GAME.ended(GAME.seed_generator(word0, word1))))(*words)
        obs, state, *_ = self.answer(ended, jnp.zeros(ended.shape[:1], jnp.int32), params)
        return obs, state

    def step(self, state: Any, action: Any, params: DuelParams) -> tuple[Any, Any, Any, Any, Any, Any]:
        """``(obs, state, reward, terminated, truncated, final)``; the next game follows one that is over."""
        chosen = jnp.take_along_axis(_listed(state), action[:, None], axis=1, mode="fill", fill_value=NUM_ACTIONS)
        obs, state, reward, terminated = self.answer(state, chosen[:, 0], params)
        return obs, state, reward, terminated, jnp.zeros_like(terminated), obs

    def answer(self, state: Any, action: Any, params: DuelParams) -> tuple[Any, Any, Any, Any]:
        """``(obs, state, reward, terminated)`` after one of the game's own actions, int32 ``[B]``, listed or not."""
        obs, state, *others = jax.vmap(_program(self.form, self.threads), (0, 0, None))(state, action, params)
        cards = Cards(params.tables)
        return jax.vmap(lambda seen, actions: advice.listed(seen, actions, cards))(obs, _listed(state)), state, *others

    def final_observation(self, final: Any, params: DuelParams) -> Any:
        """Nobody asks for it, as no game is cut off; what is returned belongs to the next game."""
        return final

    def legal_actions(self, state: Any, params: DuelParams) -> Any:
        """Masks, bool ``[B, LISTED]``."""
        return _listed(state) < NUM_ACTIONS

    def asked(self, state: Any) -> Any:
        """Always, bool ``[B]``."""
        return jnp.ones(state.shape[:1], jnp.bool_)


def _listed(state: Any) -> Any:
    """The first legal actions of each game of a batch, then `NUM_ACTIONS`; int32 ``[B, LISTED]``."""
    legal = jax.vmap(lambda row: as_mask(CODEC.unpack(tuple(row)).legal))(state)
    return jnp.sort(jnp.where(legal, np.arange(NUM_ACTIONS, dtype=np.int32), NUM_ACTIONS), axis=1)[:, : advice.LISTED]


@functools.cache
def _program(form: str | None, threads: int | None) -> Any:
    """`learner_step` of one environment, emitted or as it is."""
    if form == COMPILED_BY_XLA:
        return learner_step
    return emit_lazily(learner_step, form, threads, _alike)


def _alike(row: Any, action: Any, params: DuelParams) -> Any:
    """The game's own order; so turns that end lie together, after which the opponent plays a whole one."""
    return GAME.alike(tuple(row), action, params)  # type: ignore[arg-type]  # it reads the tables alone


def learner_step(row: Any, action: Any, params: DuelParams) -> tuple[Any, Any, Any, Any]:
    """The learner's decision and all of the opponent's up to the learner's next, in the next game if this one ends.

    A game that is over already is followed by the next one, whatever the action.

    Args:
        row: words of a game, uint32 [W].
        action: int32; an illegal one becomes the first legal one.
        params: of `Duel`.

    Returns:
        ``(obs, row, reward, terminated)``, the reward float32, of one environment.
    """
    cards = Cards(params.tables)

    def goes_on(carry: Any) -> Any:
        is_first, words, _, _ = carry
        game = CODEC.unpack(words)
        return is_first | (game.winner >= 0) | (game.actor != (seat_of((game.key0, game.key1)) == 1))

    def once(carry: Any) -> Any:
        is_first, words, reward, ended = carry
        going, game = goes_on(carry), CODEC.unpack(words)
        over = game.winner >= 0
        keys = (game.key0, game.key1)
        seat, replies = seat_of(keys), going & ~is_first & ~over
        chosen = control.gate(
            "reply", replies, lambda old: jnp.where(replies, _reply(game, seat, params, cards), old), action
        )
        lead = _lead(game)
        begun = merged(over, _next(game, cards), game)
        answered, _ = engine.answer(begun.copy(), chosen)
        game = engine.advance(merged(going & ~over, answered, begun), cards)
        of_first = result(game.winner) + (_lead(game) - lead) * params.points_weight
        counts = going & ~over & ~ended  # a following game may end before the learner is asked
        reward = reward + jnp.where(counts, jnp.where(seat == 0, of_first, -of_first), np.float32(0))
        return jnp.bool_(False), CODEC.pack(game), reward, ended | (game.winner >= 0)

    start = (jnp.bool_(True), tuple(row[i] for i in range(CODEC.words)), jnp.float32(0), jnp.bool_(False))
    _, words, reward, ended = control.loop(goes_on, once, start, MOST)
    words = cpu_barrier(words)
    game = engine.unpack(words, cards)
    seat = seat_of((game.key0, game.key1))
    obs = observation.observe(game, seat, cards)
    obs |= {"actions": heuristic.advice(game, seat, cards), "action_ids": advice.action_ids(obs)}
    return obs, jnp.stack(words), reward, ended


def result(winner: Any) -> Any:
    """What a game brings player 0, float32: 1, -1, or 0 for a tie and while it goes on."""
    return (winner == 0).astype(np.float32) - (winner == 1).astype(np.float32)


def _lead(game: Record) -> Any:
    """Points of player 0 less those of player 1, float32; 0 when the game is over."""
    return jnp.where(game.winner >= 0, 0, game.points[0] - game.points[1]).astype(np.float32)


def _reply(game: Record, seat: Any, params: DuelParams, cards: Cards) -> Any:
    """The opponent's action."""
    keys = (game.key0, game.key1)
    word = chance(keys, WORDS + game.time.astype(np.uint32))
    best = heuristic.best(engine.with_work(game.copy(), cards), np.int32(1) - seat, cards)
    return masking.sample_legal_bits(word, as_mask(game.legal) & (best | ~by_heuristic(keys, params.heuristic)))


def _next(game: Record, cards: Cards) -> Record:
    """The game that follows, not dealt yet; the first one if nothing has been drawn with these keys."""
    keys = (game.key0, game.key1)
    used = game.draws.sum() > 0
    new = rng.following(keys)
    keys = jnp.where(used, new[0], keys[0]), jnp.where(used, new[1], keys[1])
    return engine.fresh(keys, engine.pair(keys, cards))
