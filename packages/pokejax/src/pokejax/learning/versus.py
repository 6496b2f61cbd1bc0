"""One seat of random battles against scripted opponents, of which each battle draws one: where a learner trains."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Final, NamedTuple

import jax.numpy as jnp
import numpy as np

from pokejax import observation
from pokejax.env import RandomBattle, Step, gated_restart
from pokejax.learning import action_features
from pokejax.observation import NUMBERS
from pokejax.observation_table import IDS
from pokejax.opponents import PLAYERS
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION
from pokejax.state import MOVES, TEAM
from pokejax.tables import NAMES
from rlenv_shared import control, counter_rng, spaces
from rlenv_shared.env import Env, TurnOrder, select
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.generators import LCG64
from rlenv_shared.struct import Replaceable, pytree_dataclass


@dataclasses.dataclass(frozen=True)
class LearnersBattle(RandomBattle):
    """A random battle whose players see what small networks learn from.

    Of the observation these are ``numbers``, then what has few values (weather, terrain, statuses) as one of so many,
    and the ``species`` of both teams; besides, what public facts say of each action (`action_features`): ``actions``
    float32 ``[15, F]`` and ``action_ids`` int32 ``[15, 1]``.  What says how a battle stands of that is among the
    numbers, too: a value is made of them.
    """

    def observe(self, state: Any, player: Any, params: Any) -> dict[str, Any]:
        """What a player has seen, and what it says of the actions."""
        seen = super().observe(state, player, params)
        features, ids = action_features.of_actions(state, player, params)
        few = [(seen[IDS][place] == np.arange(limit, dtype=np.int32)).astype(jnp.float32) for place, limit in _FEW]
        return {
            "numbers": jnp.concatenate([seen[NUMBERS], *few, *_prospects(features)]),
            "species": jnp.stack([seen[IDS][place] for place in _SPECIES]),
            "actions": features,
            "action_ids": ids[:, None],
        }

    def refresh(self, params: Any, key: Any) -> Any:
        """The same, since another pool is drawn on the host, where no compiled training is."""
        return params

    def observation_space(self, params: Any) -> spaces.Space:
        """One player's."""
        shape = self.num_actions, len(action_features.FEATURES)
        numbers = observation.size(NUMBERS) + sum(limit for _, limit in _FEW)
        numbers += MOVES * len(OF_MOVES) + len(OF_STANDING) + TEAM * len(OF_MEMBERS)
        return spaces.Dict(
            {
                "numbers": spaces.Box(-3.0, 3.0, (numbers,)),
                "species": spaces.MultiDiscrete((len(NAMES["species"]),) * len(_SPECIES)),
                "actions": spaces.Box(-3.0, 3.0, shape),
                "action_ids": spaces.MultiDiscrete(np.full((self.num_actions, 1), action_features.MOST_IDS)),
            }
        )


OF_MOVES: Final = ("damage", "knocks out")
OF_STANDING: Final = ("danger", "faster", "offense")
OF_MEMBERS: Final = ("hp", "danger", "faster", "offense")
"""Features that are among the numbers: of the moves, of who stands there, and of who could come in."""


def _prospects(features: Any) -> list[Any]:
    """Those features, float32 ``[n]`` each."""
    column = {name: number for number, name in enumerate(action_features.FEATURES)}
    moves, members = features[:MOVES], features[SWITCH_ACTION:PASS]
    standing = [moves[:, column[name]].max()[None] for name in OF_STANDING]  # alike in all moves that are legal
    of_moves = [moves[:, column[name]] for name in OF_MOVES]
    return [*of_moves, *standing, *(members[:, column[name]] for name in OF_MEMBERS)]


_BY_PLACE: Final = [
    (observation.places()[entry.name][1].start, entry) for entry in observation.ENTRIES if entry.array == IDS
]
_FEW: Final = tuple((place, entry.limit) for place, entry in _BY_PLACE if not entry.names)
_SPECIES: Final = tuple(place for place, entry in _BY_PLACE if entry.name.endswith("].species"))
"""Places among the observation's ids."""


@pytree_dataclass
class VersusParams(Replaceable):
    """Parameters of `Versus`."""

    battle: Any  # of the battle: its tables and the pool of teams
    shares: Any  # float32 [opponents]: the share of the battles in which each is met; they add up to 1
    stage: Any = np.int32(0)  # of `curriculum.Promotion`, and what share of the points was won in it, float32
    points: Any = np.float32(0)

    @property
    def max_steps_in_episode(self) -> Any:
        """The battle's."""
        return self.battle.max_steps_in_episode


class VersusState(NamedTuple):
    """A battle, the learner's seat, and the number of its opponent; int32 ``()``."""

    battle: Any
    seat: Any
    opponent: Any


class VersusStep(NamedTuple):
    """A step that is under way."""

    battle: Step
    seat: Any
    opponent: Any


@dataclasses.dataclass(frozen=True)
class Versus(Env):
    """A random battle for one player, on a seat that each battle draws, as its opponent.

    A step is a decision and what follows until the player is asked again; the first one of a battle brings both leads
    in, and nobody is asked for it (`to_act`).  Reward, actions and observation are those of the battle.

    Args:
        opponents: names in `pokejax.opponents.PLAYERS`.
        battle: the game.

    Raises:
        InvalidParamsError: no such opponent, or none.
    """

    opponents: tuple[str, ...] = ("heuristics",)
    battle: RandomBattle = LearnersBattle()

    version: ClassVar[int] = 0
    name: ClassVar[str] = "pokejax/Versus-v0"
    num_players: ClassVar[int] = 1
    turn_order: ClassVar[TurnOrder] = TurnOrder.SINGLE
    num_actions: ClassVar[int] = RandomBattle.num_actions
    random = LCG64
    compile_options = RandomBattle.compile_options

    def __post_init__(self) -> None:
        if not self.opponents or not set(self.opponents) <= set(PLAYERS):
            raise InvalidParamsError("opponents", self.opponents, f"some of {tuple(PLAYERS)}", "choose among them")

    @property
    def default_params(self) -> VersusParams:
        """Each opponent is met in as many battles."""
        count = len(self.opponents)
        return VersusParams(self.battle.default_params, np.full(count, 1 / count, np.float32))

    def generator(self, state: VersusState) -> Any:
        """The battle's."""
        return self.battle.generator(state.battle)

    def with_generator(self, state: VersusState, generator: Any) -> VersusState:
        """The same position with another generator."""
        return state._replace(battle=self.battle.with_generator(state.battle, generator))

    def elapsed(self, state: VersusState) -> Any:
        """Steps since the reset."""
        return self.battle.elapsed(state.battle)

    def to_act(self, state: VersusState) -> Any:
        """Whether the player is asked, bool ``[1]``."""
        return self.battle.to_act(state.battle)[state.seat][None]

    def alike(self, state: VersusState, action: Any, params: VersusParams) -> Any:
        """As of the battle."""
        return self.battle.alike(state.battle, action, params.battle)

    def begin(self, generator: Any, params: VersusParams) -> VersusState:
        """A battle before its leads come in."""
        battle = self.battle.begin(generator, params.battle)
        word, chance = counter_rng.bits(self._chance(battle))
        drawn, _ = counter_rng.bits(chance)
        share = (drawn >> np.uint32(8)).astype(jnp.float32) * counter_rng.UNIT_24
        bounds = jnp.cumsum(jnp.asarray(params.shares))[:-1]
        opponent = (share >= bounds).sum(dtype=jnp.int32)
        return VersusState(battle, (word >> np.uint32(31)).astype(jnp.int32), opponent)

    def restart(self, done: Any, state: VersusState, params: VersusParams) -> VersusState:
        """The next battle where one is over."""
        found: VersusState = gated_restart(self, done, state, params)
        return found

    def refresh(self, params: VersusParams, key: Any) -> VersusParams:
        """The same."""
        return params

    def _chance(self, battle: Any) -> counter_rng.Rng:
        """A generator of what the game does not decide, mixed from the battle's, which does not advance."""
        high, low, _ = self.battle.generator(battle)
        return counter_rng.from_words(high ^ self.battle.elapsed(battle).astype(jnp.uint32), low)

    # --- a step -----------------------------------------------------------------------------------------------------

    def transition(
        self, state: VersusState, action: Any, params: VersusParams
    ) -> tuple[VersusState, Any, Any, dict[str, Any]]:
        """The player's decision and what follows."""
        under_way = self.begin_step(state, action, params)
        under_way = control.loop(self.goes_on, lambda old: self.go_on(old, params), under_way, control.UNBOUNDED)
        return self.end_step(under_way, params)

    @property
    def steps_in_parts(self) -> bool:
        """As of the battle."""
        return self.battle.steps_in_parts

    def begin_step(self, state: VersusState, action: Any, params: VersusParams) -> VersusStep:
        """What a step is about to do."""
        asked = self.battle.to_act(state.battle)[1 - state.seat]
        reply = self._reply(state.battle, state.seat, state.opponent, asked, params)
        begun = self.battle.begin_step(state.battle, _joint(state.seat, action, reply), params.battle)
        return VersusStep(begun, state.seat, state.opponent)

    def goes_on(self, under_way: VersusStep) -> Any:
        """Whether the player is not asked yet, and the battle is not over."""
        return self.battle.goes_on(under_way.battle) | self._asks_the_other(under_way)

    def _asks_the_other(self, under_way: VersusStep) -> Any:
        asked = self.battle.to_act(under_way.battle.state)
        return ~self.battle.goes_on(under_way.battle) & asked.any() & ~asked[under_way.seat]

    def go_on(self, under_way: VersusStep, params: VersusParams) -> VersusStep:
        """One action of the turn, after what the other player alone was asked for."""
        asks, seat = self._asks_the_other(under_way), under_way.seat

        def replied(battle: Step) -> Step:
            reply = self._reply(battle.state, seat, under_way.opponent, asks, params)
            begun = self.battle.begin_step(battle.state, _joint(seat, np.int32(PASS), reply), params.battle)
            found: Step = select(asks, begun._replace(lead=battle.lead, illegal=battle.illegal), battle)
            return found

        battle = control.gate("choice of the opponent alone", asks, replied, under_way.battle)
        return under_way._replace(battle=self.battle.go_on(battle, params.battle))

    def kind_of_part(self, under_way: VersusStep, params: VersusParams) -> Any:
        """As of the battle."""
        return self.battle.kind_of_part(under_way.battle, params.battle)

    def end_step(self, under_way: VersusStep, params: VersusParams) -> tuple[VersusState, Any, Any, dict[str, Any]]:
        """What comes of a step."""
        seat = under_way.seat
        battle, reward, ended, info = self.battle.end_step(under_way.battle, params.battle)
        state = VersusState(battle, seat, under_way.opponent)
        return state, reward[seat], ended, {"illegal_action": info["illegal_action"][seat]}

    def _reply(self, battle: Any, seat: Any, opponent: Any, asked: Any, params: VersusParams) -> Any:
        """What the opponent chooses where it is asked, int32; else to pass."""
        word, _ = counter_rng.bits(self._chance(battle))
        reply = jnp.full_like(seat, PASS)
        for number, name in enumerate(self.opponents):
            met = asked & (opponent == number)

            def chosen(reply: Any, met: Any = met, name: str = name) -> Any:
                script: Any = PLAYERS[name]
                return jnp.where(met, script(battle, 1 - seat, params.battle, word), reply)

            reply = control.gate(f"opponent {name}", met, chosen, reply)
        return reply

    # --- what the player sees ---------------------------------------------------------------------------------------

    def observe(self, state: VersusState, player: None, params: VersusParams) -> dict[str, Any]:
        """What the player has seen."""
        return self.battle.observe(state.battle, state.seat, params.battle)

    def legal_actions(self, state: VersusState, params: VersusParams) -> Any:
        """The player's mask, bool ``[15]``."""
        return self.battle.legal_actions(state.battle, params.battle)[state.seat]

    def permute_hidden(self, state: VersusState, key: Any, player: int) -> VersusState:
        """Another truth that the player cannot tell from this one."""
        return state._replace(battle=self.battle.permute_hidden(state.battle, key, state.seat))

    def action_space(self, params: VersusParams) -> spaces.Space:
        """The battle's."""
        return self.battle.action_space(params.battle)

    def observation_space(self, params: VersusParams) -> spaces.Space:
        """The battle's, of one player."""
        return self.battle.observation_space(params.battle)


def _joint(seat: Any, action: Any, reply: Any) -> Any:
    """Both players' actions, int32 ``[2]``."""
    first = jnp.stack([jnp.asarray(action, jnp.int32), reply])
    return jnp.where(seat == 0, first, first[::-1])
