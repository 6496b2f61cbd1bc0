"""The game as an environment for two players in turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_shared import compiling, control, counter_rng, masking, spaces
from rlenv_shared.barrier import cpu_barrier
from rlenv_shared.env import Env, TurnOrder, select
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.generators import Generator
from rlenv_shared.struct import Replaceable, pytree_dataclass
from tcgjax import board, engine, observation, rng
from tcgjax.arrays import Record, at
from tcgjax.codec import CODEC
from tcgjax.decks import Deck, tables_of
from tcgjax.hidden import permuted
from tcgjax.knockouts import TIE
from tcgjax.layout import HAND, LAYOUT
from tcgjax.observation import CARDS, MODIFIERS, NUMBERS, QUESTIONS
from tcgjax.questions import (
    ABILITY,
    ATTACH,
    ATTACK,
    CHOICE,
    END,
    NUM_ACTIONS,
    PLAY,
    RETREAT,
    STADIUM,
    TARGETS,
    as_mask,
)
from tcgjax.tables import Cards, Tables
from tcgjax.zones import card_at

Words = tuple[Any, ...]
"""A packed game: the words of `layout.LAYOUT`, uint32 ``()`` each."""
STREAMS: Final = 5
KINDS_OF_ACTIONS: Final = (PLAY, ATTACH, RETREAT, ATTACK, ABILITY, CHOICE)
"""Where each kind of main action begins, after ending the turn."""


def _below(generator: Any, n: Any, mulhi: Any = counter_rng.mulhi) -> tuple[Any, Any]:
    """A draw of the first stream."""
    key0, key1, first, *others = generator
    word = counter_rng.bits((key0, key1, first))[0]
    bound = np.uint32(n) if isinstance(n, int) else n.astype(np.uint32)
    return mulhi(word, bound).astype(np.int32), (key0, key1, first + np.uint32(1), *others)


def _from_words(word0: Any, word1: Any) -> Any:
    key0, key1, counter = counter_rng.from_words(word0, word1)
    return (key0, key1, *(counter for _ in range(STREAMS)))


def _draws(generator: Any) -> Any:
    return sum(generator[2:])


COUNTED: Final = Generator("counter, five streams", _from_words, _below, _draws)
"""Two key words, and the counters of the five streams (`rng.Stream`)."""


def _both_drawn() -> np.ndarray:
    return np.full((2,), -1, np.int32)


@pytree_dataclass
class TcgParams(Replaceable):
    """Tables with the pool of decks, the time limit, and what is rewarded besides the result.

    Numbers are arrays, so that an emitted step is one native function whatever they are.
    """

    tables: Tables = dataclasses.field(default_factory=Tables)
    pair: Any = dataclasses.field(default_factory=_both_drawn)  # int32 [2], the players' decks; -1: drawn for each game
    max_steps_in_episode: Any = np.int32(4000)  # no game is so long: it ends after 30 turns
    points_weight: Any = np.float32(0)  # reward for each point scored, and lost for each that the opponent scores
    knock_out_weight: Any = np.float32(0)  # the same for each Pokémon of the opponent's that is Knocked Out

    @classmethod
    def of(cls, decks: Iterable[Deck], **settings: Any) -> TcgParams:
        """Parameters with a pool of decks."""
        return cls(tables_of(decks), **settings)


@control.traced_once
def _run(words: Words, tables: Tables, most: int) -> Words:
    """The game after so many passes at most."""
    game = CODEC.unpack(words)
    return CODEC.repack(words, game, engine.advance(game, Cards(tables), most))


@dataclasses.dataclass(frozen=True)
class Tcg(Env):
    """Pokémon TCG Pocket for two; both play a deck of the pool, drawn for every game.

    Observation: see `tcgjax.observation`.  Actions: `tcgjax.questions`.  Reward: 1 for a win, -1 for a loss, 0 for a
    tie; the weights of the parameters add to it.

    Args:
        micro_steps: passes of the engine that a call carries out at most.  A game that is not done by then asks nobody
            (`to_act`), and goes on with the next call; until then only action 0 is legal, and is not looked at.  So
            nobody waits for the slowest game of a batch.  None: until somebody is asked.

    Raises:
        InvalidParamsError: ``micro_steps`` below 1.
    """

    micro_steps: int | None = None

    version: ClassVar[int] = 0
    name: ClassVar[str] = "tcgjax/Tcg-v0"
    num_players: ClassVar[int] = 2
    turn_order: ClassVar[TurnOrder] = TurnOrder.SEQUENTIAL
    num_actions: ClassVar[int] = NUM_ACTIONS
    random: ClassVar[Generator] = COUNTED
    compile_options = compiling.WITHOUT_FUSION

    def __post_init__(self) -> None:
        if self.micro_steps is not None and self.micro_steps < 1:
            remedy = "pass None to go on until somebody is asked"
            raise InvalidParamsError("micro_steps", self.micro_steps, "an integer >= 1, or None", remedy)

    @property
    def default_params(self) -> TcgParams:
        """The pool that comes with the package."""
        return TcgParams()

    # --- what is read from a state ----------------------------------------------------------------------------------

    def generator(self, state: Words) -> Any:
        """Two keys and five counters, uint32."""
        game = CODEC.unpack(state)
        return (game.key0, game.key1, *(game.draws[stream].astype(np.uint32) for stream in range(STREAMS)))

    def with_generator(self, state: Words, generator: Any) -> Words:
        """The same position with another generator; counters are kept to 16 bits."""
        if not generator:
            return state
        game = CODEC.unpack(state)
        game.key0, game.key1, *counters = generator
        game.draws = jnp.stack(counters).astype(np.int32)
        return CODEC.pack(game)

    def elapsed(self, state: Words) -> Any:
        """Decisions since the deal."""
        return CODEC.unpack(state).time

    def current_player(self, state: Words) -> Any:
        """Who is asked; whoever was asked last when the game is over."""
        return CODEC.unpack(state).actor.astype(np.int32)

    def to_act(self, state: Words) -> Any:
        """Who is asked, bool ``[2]``; nobody while an action is still being carried out, and after the end."""
        game = CODEC.unpack(state)
        return (np.arange(2, dtype=np.int32) == game.actor.astype(np.int32)) & engine.waits(game)

    def winner(self, state: Words) -> Any:
        """0 or 1; 2 for a tie; -1 while the game goes on; int32 ``()``."""
        return CODEC.unpack(state).winner

    def decode(self, state: Words) -> dict[str, Any]:
        """All fields by name but the generator's."""
        game = CODEC.unpack(state)
        hidden = ("key0", "key1", "draws")
        return {name: value for name, value in game.__dict__.items() if name not in hidden}

    def permute_hidden(self, state: Words, key: Any, player: Any, params: TcgParams | None = None) -> Words:
        """Another truth: see `hidden.permuted`.  ``params``: of the game; `default_params` when None."""
        tables = (self.default_params if params is None else params).tables
        return CODEC.pack(permuted(engine.unpack(state, Cards(tables)), key, player))

    def alike(self, state: Words, action: Any, params: TcgParams) -> Any:
        """A number that games have in common whose next step goes a similar way; int32 ``()``.

        First what kind of action it is, then the card that is played or whose Ability or attack is used, then the deck
        of the player whose turn it is afterwards: from it come the cards that are looked at for what is legal.
        Of a game that asks nobody, which layer runs next, and at which step or with which program.
        """
        game, cards = CODEC.unpack(state), Cards(params.tables)
        waiting = (game.programs > 0, game.attacking, game.retreating, game.settling)
        inside = sum(flag.astype(np.int32) << i for i, flag in enumerate(waiting))
        acts = game.main & (inside == 0)
        kind = sum((action >= first).astype(np.int32) for first in KINDS_OF_ACTIONS)
        targets = (kind == 1) & ((action - PLAY) % TARGETS > 0)
        player = game.current.astype(np.int32)
        user = board.active_place(player) + jnp.where(action >= ABILITY, action - ABILITY, 0)
        user = at(board.top_instances(game), user)
        instance = jnp.where(kind == 1, card_at(game, HAND, player, (action - PLAY) // TARGETS), user)
        names_a_card = acts & ((kind == 1) | ((action >= ATTACK) & (action < STADIUM)))
        card = jnp.where(names_a_card, board.card_of(game, cards, instance), 0)
        passes_on = acts & ((action == END) | ((action >= ATTACK) & (action < ABILITY)))
        deck = at(game.deck, jnp.where(passes_on, 1 - player, player))
        after_actions = 2 * len(KINDS_OF_ACTIONS) + 2
        kind = jnp.where(acts, 2 * kind + targets, after_actions + inside)
        if self.micro_steps is not None:
            layer, detail = engine.next_work(game)
            unfinished = engine.unfinished(game)
            kind = jnp.where(unfinished, after_actions + 2 ** len(waiting) + layer, kind)
            card = jnp.where(unfinished, detail, card)
        return (kind * np.int32(cards.sizes[0]) + card) * np.int32(cards.tables.num_decks) + deck

    # --- the rules --------------------------------------------------------------------------------------------------

    def ended(self, generator: Any) -> Words:
        """A game that is over: a step with auto-reset goes on to the game that `begin` makes of this generator."""
        game = CODEC.empty()
        game.winner = np.int32(TIE)
        return self.with_generator(CODEC.pack(game), generator)

    def begin(self, generator: Any, params: TcgParams) -> Words:
        """A new game up to its first decision; a generator that has drawn goes on with the keys that follow."""
        words = self._fresh(generator, params)
        return words if self.micro_steps is not None else self._advanced(words, params)

    def _fresh(self, generator: Any, params: TcgParams) -> Words:
        """A game whose cards will be dealt."""
        key0, key1, *counters = generator
        following = rng.following((key0, key1))
        used = sum(counters[1:], counters[0]) > 0
        keys = jnp.where(used, following[0], key0), jnp.where(used, following[1], key1)
        two = jnp.where(params.pair >= 0, params.pair, engine.pair(keys, Cards(params.tables)))
        return CODEC.pack(engine.fresh(keys, two))

    def _advanced(self, words: Words, params: TcgParams) -> Words:
        most = engine.MOST_PASSES if self.micro_steps is None else self.micro_steps
        advanced: Words = _run(words, params.tables, most)
        return advanced

    def transition(self, state: Words, action: Any, params: TcgParams) -> tuple[Words, Any, Any, dict[str, Any]]:
        """One decision and what follows from it; an illegal action becomes the first legal one."""
        before = CODEC.unpack(state)
        answered, illegal = engine.answer(before.copy(), masking.as_index(action))
        state = self._advanced(CODEC.repack(state, before, answered), params)
        return state, *self._result(before, CODEC.unpack(state), illegal, params)

    def _result(self, before: Record, after: Record, illegal: Any, params: TcgParams) -> tuple:
        over, was_over = engine.over(after), engine.over(before)
        won = (after.winner == np.arange(2, dtype=np.int32)).astype(np.float32)
        gains = (after.points - before.points).astype(np.float32) * params.points_weight
        losses = (after.lost_count - before.lost_count).astype(np.float32) * params.knock_out_weight
        more = gains - losses
        ended = jnp.where(over & ~was_over, won - won[::-1], np.float32(0))
        reward = ended + jnp.where(was_over, np.float32(0), more - more[::-1])
        return reward, over, {"illegal_action": illegal, "overflow": after.overflow}

    def _step(self, state: Words, action: Any, params: TcgParams) -> tuple[Words, Words, Any]:
        """The state after a step with auto-reset, the one before the reset, and whether the action was illegal.

        What runs the game is compiled once, for the step and for the next game's deal.
        """
        before = CODEC.unpack(state)
        answered, illegal = engine.answer(before.copy(), masking.as_index(action))

        def goes_on(carry: Any) -> Any:
            return carry[0] | carry[1]

        def once(carry: Any) -> Any:
            is_first, ends, words, final = carry
            words = select(ends, self._fresh(self.generator(words), params), words)
            words = self._advanced(words, params)
            final = select(is_first, words, final)
            ended = engine.over(CODEC.unpack(words)) | self.is_truncated(words, params)
            return no, is_first & ended, words, final

        no = jnp.bool_(False)
        start = (~no, no, CODEC.repack(state, before, answered), state)
        _, _, after, final = control.loop(goes_on, once, start, 2)
        return after, final, illegal

    def step(
        self, key: Any, state: Words, action: Any, params: Any = None
    ) -> tuple[Any, Any, Any, Any, Any, dict[str, Any]]:
        """As of any environment."""
        if self.micro_steps is not None:  # what begins anew is dealt by the next step
            return super().step(key, state, action, params)
        params = self.default_params if params is None else params
        after, final, illegal = self._step(state, action, params)
        reward, terminated, info = self._result(CODEC.unpack(state), CODEC.unpack(final), illegal, params)
        after = cpu_barrier(after)
        info |= {"terminated": terminated, "truncated": self.is_truncated(final, params)}
        obs, info["final_observation"] = self._views(after, final, terminated | info["truncated"], params)
        info |= {"current_player": self.current_player(after), "final_player": self.current_player(final)}
        return obs, after, reward, terminated, info["truncated"], info

    def _views(self, after: Words, final: Words, ended: Any, params: TcgParams) -> tuple[Any, Any]:
        """What those see who are asked after a step, and before its reset: one program, run again where games ended."""

        def once(carry: Any) -> Any:
            is_first, _, words, _, seen = carry
            view = self.view(words, params)
            seen = {name: jnp.where(is_first, leaf, seen[name]) for name, leaf in view.items()}
            return no, is_first & ended, after, view, seen

        no, nothing = jnp.bool_(False), observation.nothing_seen()
        start = (~no, ~no, final, nothing, nothing)
        *_, obs, seen = control.loop(lambda carry: carry[1], once, start, 2)
        return obs, seen

    def advance(self, state: Words, action: Any, params: TcgParams) -> tuple[Any, Any, Any, Any]:
        """As of any environment."""
        if self.micro_steps is not None:
            return super().advance(state, action, params)
        after, final, illegal = self._step(state, action, params)
        reward, terminated, _ = self._result(CODEC.unpack(state), CODEC.unpack(final), illegal, params)
        return after, reward, terminated, self.is_truncated(final, params)

    def legal_actions(self, state: Words, params: Any) -> Any:
        """Bool ``[144]``; everything when the game is over, action 0 while nobody is asked."""
        game = CODEC.unpack(state)
        return as_mask(jnp.where(engine.unfinished(game), engine.FIRST_ALONE, game.legal))

    def observe(self, state: Words, player: Any, params: Any) -> dict[str, Any]:
        """What a player knows."""
        cards = Cards(params.tables)
        return observation.observe(engine.unpack(state, cards), player, cards)

    def observe_full(self, state: Words) -> dict[str, Any]:
        """The whole truth, in words of the layout, for debugging; of one game on the host."""
        return LAYOUT.decode(jax.device_get(state))

    def action_space(self, params: Any) -> spaces.Space:
        """Ids of actions."""
        return spaces.Discrete(NUM_ACTIONS)

    def observation_space(self, params: Any) -> spaces.Dict:
        """One player's."""
        cards, modifiers = Cards(params.tables).sizes
        parts = {
            "cards": spaces.MultiDiscrete((cards + 1,) * sum(CARDS.values())),
            "modifiers": spaces.MultiDiscrete((modifiers,) * sum(MODIFIERS.values())),
            "numbers": spaces.Box(0.0, 16.0, (sum(count for count, _ in NUMBERS.values()),)),
            "question": spaces.MultiDiscrete((QUESTIONS,)),
        }
        return spaces.Dict(parts)
