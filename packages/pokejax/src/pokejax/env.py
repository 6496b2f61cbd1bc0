"""Gen 9 random battles as an environment: two players who choose at the same time and see only what they are told."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import battle, engine, hidden, observation, observation_v1, pools
from pokejax.rules.flow.queue import NUM_ACTIONS, PASS
from pokejax.rules.mechanics.faint import finished
from pokejax.state import LAYOUT, Words
from pokejax.tables import Params, params
from rlenv_shared import control, masking, spaces
from rlenv_shared.env import Env, TurnOrder, select
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.generators import LCG64

GENERATOR = ("high", "low", "draws")
OBSERVATIONS: Final[Mapping[str, Any]] = {"v0": observation, "v1": observation_v1}
"""Versions of the observation: each has ``observe`` and ``space``."""
_INT_BOUND = np.int32(2**30)


class Step(NamedTuple):
    """A step that is under way.

    Attributes:
        state: of the battle.
        action: what both players do, int32 ``[2]``.
        illegal: whether they chose something else, bool ``[2]``.
        lead: what the first player's lead was worth before the step, float32 ``()``.
        begins: whether nothing has been done yet of what there is to do, bool ``()``.
    """

    state: Words
    action: Any
    illegal: Any
    lead: Any
    begins: Any


@dataclasses.dataclass(frozen=True)
class RandomBattle(Env):
    """A Gen 9 random battle, as Pokémon Showdown plays it, for two players.

    Actions (`pokejax.rules.flow.queue`): 0-3 use a move of this slot, 4-7 the same after Terastallizing, 8-13 bring in
    this member of the original team (or back, by Revival Blessing), 14 pass, the only choice of who is not asked. In a
    rampage like Outrage only 0 is legal, whatever the slot of the move that goes on. Observation:
    `pokejax.observation`, or `pokejax.observation_v1`.
    Reward: 1 for the winner, -1 for the loser, 0 for both in a tie; and, if wanted, shares for faints and hit points.
    A battle ends as Showdown ends it, also by its limit of 1,000 turns.  An episode begins with two teams drawn from
    the pool (``params.pokemon``); its first step brings both leads in, and nobody is asked for it.

    Args:
        micro_steps: steps of the program (one action of a turn each) that a call carries out at most.  A battle that is
            not done by then asks nobody (`to_act`), and goes on with the next call.  None: until somebody is asked.
        faint_reward: reward for each Pokémon of the other side that faints, taken from the other player.
        hp_reward: reward for the other side's loss of hit points by one whole Pokémon, taken from the other player.
        observation: its version, "v0" or "v1": shares of the most that a number can be, or natural numbers and more.

    Raises:
        InvalidParamsError: ``micro_steps`` below 1, or no such observation.
    """

    micro_steps: int | None = None
    faint_reward: float = 0.0
    hp_reward: float = 0.0
    observation: str = "v0"

    version: ClassVar[int] = 0
    name: ClassVar[str] = "pokejax/Gen9RandomBattle-v0"
    num_players: ClassVar[int] = 2
    turn_order: ClassVar[TurnOrder] = TurnOrder.SIMULTANEOUS
    num_actions: ClassVar[int] = NUM_ACTIONS
    random = LCG64
    compile_options = engine.ENGINE.compile_options

    def __post_init__(self) -> None:
        if self.micro_steps is not None and self.micro_steps < 1:
            remedy = "pass None to go on until somebody is asked"
            raise InvalidParamsError("micro_steps", self.micro_steps, "an integer >= 1, or None", remedy)
        if self.observation not in OBSERVATIONS:
            raise InvalidParamsError("observation", self.observation, f"one of {tuple(OBSERVATIONS)}", "choose one")

    @property
    def default_params(self) -> Params:
        """The tables, and the pool that ships with the package."""
        return _default_params()

    # --- what is read from a state ----------------------------------------------------------------------------------

    def generator(self, state: Words) -> Any:
        """Showdown's: high word, low word, draws of this battle."""
        view = LAYOUT.view(state)
        return tuple(getattr(view, name) for name in GENERATOR)

    def with_generator(self, state: Words, generator: Any) -> Words:
        """The same position with another generator."""
        view = LAYOUT.view(state)
        for name, word in zip(GENERATOR, generator, strict=False):
            view.set(name, word)
        return view.words()

    def elapsed(self, state: Words) -> Any:
        """Steps since the reset."""
        return LAYOUT.view(state).time

    def to_act(self, state: Words) -> Any:
        """Who is asked: both for a move, one or both for who comes in, nobody while a turn resolves."""
        view = LAYOUT.view(state)
        return jnp.stack([side.asked & ~view.over for side in view.side])

    def decode(self, state: Words) -> dict[str, Any]:
        """Every field but the generator's by name."""
        values = {}
        for place in LAYOUT.places():
            if place.path not in GENERATOR:
                word = state[LAYOUT.tables[place.table].start + place.word]
                values[place.path] = place.field.decode(word, place.shift)
        return values

    def permute_hidden(self, state: Words, key: Any, player: Any, params: Params | None = None) -> Words:
        """Another truth that a player cannot tell from this one; see `pokejax.hidden`."""
        return hidden.permute(state, key, player, self.default_params if params is None else params)

    def alike(self, state: Words, action: Any, params: Params) -> Any:
        """A number that battles have in common whose next step goes a similar way; int32 ``()``.

        First what is next in the queue, or what is asked; then of a move what it does, of the end of a turn what hurts.
        """
        return engine.likeness(state, params)

    # --- the rules --------------------------------------------------------------------------------------------------

    def begin(self, generator: Any, params: Params) -> Words:
        """Two teams are drawn from the pool; the battle's draws are counted from here."""
        count, random = params.num_teams, battle.generator(params)
        first, generator = random.below(generator, count, control.mulhi)
        second, (high, low, draws) = random.below(generator, count, control.mulhi)
        return engine.opening((first, second), (high, low, draws ^ draws), params)

    def restart(self, done: Any, state: Words, params: Params) -> Words:
        """The next battle where one is over; teams are read anew only where a form of the program can leave it out."""
        words: Words = gated_restart(self, done, state, params)
        return words

    def refresh(self, params: Params, key: Any) -> Params:
        """Another pool of the same size, composed of the Pokémon of this one; host only."""
        seed = int(jax.random.randint(key, (), 0, _INT_BOUND))
        return params.with_pool(pools.composed(int(params.num_teams), seed))

    def legal_actions(self, state: Words, params: Params) -> Any:
        """Bool ``[2, 15]``: what Showdown accepts; who is not asked may only pass, at the end everything is legal."""
        return engine.masks(state, params)

    def transition(self, state: Words, action: Any, params: Params) -> tuple[Words, Any, Any, dict[str, Any]]:
        """Take the choices of who is asked, and go on; see the class."""
        under_way = self.begin_step(state, action, params)
        choices = under_way.action[0], under_way.action[1]
        state = engine.resolve(under_way.state, choices, params, self.micro_steps)
        return self.end_step(under_way._replace(state=state), params)

    @property
    def steps_in_parts(self) -> bool:
        """Whether a step is made of the parts below, and so many of them as it takes until somebody is asked."""
        return self.micro_steps is None

    def begin_step(self, state: Words, action: Any, params: Params) -> Step:
        """What a step is about to do."""
        action, illegal = self._accepted(state, action, params)
        return Step(state, action, illegal, self._lead(state, params), ~finished(LAYOUT.view(state)))

    def goes_on(self, under_way: Step) -> Any:
        """Whether nobody is asked yet, and the battle is not over."""
        return under_way.begins | ~engine.ready(under_way.state)

    def go_on(self, under_way: Step, params: Params) -> Step:
        """One action of the turn."""
        choices = under_way.action[0], under_way.action[1]
        state = engine.micro_step(under_way.state, choices, params)
        return under_way._replace(state=state, begins=jnp.zeros_like(under_way.begins))

    def kind_of_part(self, under_way: Step, params: Params) -> Any:
        """`alike` of what the next part does."""
        return engine.likeness(under_way.state, params)

    def end_step(self, under_way: Step, params: Params) -> tuple[Words, Any, Any, dict[str, Any]]:
        """What comes of a step, as of `transition`."""
        view = LAYOUT.view(under_way.state)
        view.time = view.time + 1
        state = view.words()
        end = finished(view)
        won = [(end & (view.winner == player)).astype(jnp.float32) for player in (0, 1)]
        first = won[0] - won[1] + self._lead(state, params) - under_way.lead
        return state, jnp.stack([first, -first]), end, {"illegal_action": under_way.illegal}

    def _accepted(self, state: Words, action: Any, params: Params) -> tuple[Any, Any]:
        """Actions that can be taken, and whether others were asked for; who is not asked and passes needs no look."""
        action = masking.as_index(action)
        looked_at = finished(LAYOUT.view(state)) | self.to_act(state).any() | (action != PASS).any()

        def sanitised(_: Any) -> tuple[Any, Any]:
            return masking.sanitise(action, self.legal_actions(state, params))

        unchanged = action, jnp.zeros(action.shape, jnp.bool_)
        accepted: tuple[Any, Any] = control.gate("choices accepted", looked_at, sanitised, unchanged)
        return accepted

    def _lead(self, state: Words, params: Params) -> Any:
        """What the first player's lead in Pokémon and hit points is worth."""
        view, lead = LAYOUT.view(state), jnp.float32(0)
        if self.faint_reward:
            lead += np.float32(self.faint_reward) * (view.side[0].left - view.side[1].left).astype(jnp.float32)
        if self.hp_reward:
            shares = [observation.hp_shares(view, number, params) for number in (0, 1)]
            lead += np.float32(self.hp_reward) * (sum(shares[0]) - sum(shares[1]))
        return lead

    def observe(self, state: Words, player: Any, params: Params) -> dict[str, Any]:
        """What a player has seen; see `pokejax.observation` and `pokejax.observation_v1`."""
        seen: dict[str, Any] = OBSERVATIONS[self.observation].observe(state, player, params)
        return seen

    def action_space(self, params: Any) -> spaces.Space:
        """Four moves, the same after Terastallizing, six members, pass."""
        return spaces.Discrete(NUM_ACTIONS)

    def observation_space(self, params: Any) -> spaces.Space:
        """One player's: ids and numbers, or ids and counts."""
        found: spaces.Space = OBSERVATIONS[self.observation].space()
        return found


def gated_restart(env: Env, done: Any, state: Any, params: Any) -> Any:
    """`Env.restart` of an environment that begins its next battle with the state's generator, behind a gate."""

    def again(state: Any) -> Any:
        return select(done, env.begin(env.generator(state), params), state)

    return control.gate("restart", done, again, state)


@functools.cache
def _default_params() -> Params:
    return params(pools.default())
