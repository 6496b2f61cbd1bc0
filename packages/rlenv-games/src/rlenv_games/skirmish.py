"""Skirmish: two teams of six fighters, one of each in front, the others hidden until they come out.

A game as small as it can be and still have what makes a battle engine hard: both decide at the same time; a turn takes
one to four steps to resolve, in which nobody is asked; who lost a fighter is asked alone; state in packed words; a
foreign generator whose every draw counts; tables; teams by id from a pool.  `skirmish_twin` is the same game in plain
Python.

Rules.  Each player chooses a move of the fighter in front (0, 1, 2) or a reserve to bring out (3 to 8), and passes (9)
only if no move has uses left and no reserve stands.  Reserves come out first, the first player's before the second's,
then the faster fighter moves; a draw decides between equals.  A move hits if a draw of 100 is below its accuracy.
Damage is ``power * strength // guard * effectiveness // 2``, one hit in 16 half as much again, times 85 to 100 percent,
at least 1.  What moves do besides is said in `skirmish_tables`.
Who burns loses 10 hit points at the end of a turn.  A fighter at 0 hit points is out, and its player brings out another
after the turn; who has none left has lost.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from rlenv_games import skirmish_rules as rules
from rlenv_games import skirmish_tables as t
from rlenv_games.skirmish_rules import LAYOUT, MAX_STAGE, NUM_ACTIONS, Words
from rlenv_shared import compiling, control, masking, spaces
from rlenv_shared.env import Env, TurnOrder
from rlenv_shared.generators import LCG64
from rlenv_shared.struct import Replaceable, pytree_dataclass


def _table(values: tuple[int, ...]) -> Any:
    return np.array(values, np.int32)


@pytree_dataclass
class SkirmishParams(Replaceable):
    """Tables, the pool of teams, and the time limit."""

    health: Any = dataclasses.field(default_factory=lambda: _table(t.HEALTH))
    strength: Any = dataclasses.field(default_factory=lambda: _table(t.STRENGTH))
    guard: Any = dataclasses.field(default_factory=lambda: _table(t.GUARD))
    speed: Any = dataclasses.field(default_factory=lambda: _table(t.SPEED))
    element: Any = dataclasses.field(default_factory=lambda: _table(t.ELEMENT))
    moves: Any = dataclasses.field(default_factory=lambda: _table(t.MOVES))
    effect: Any = dataclasses.field(default_factory=lambda: _table(t.EFFECT))
    power: Any = dataclasses.field(default_factory=lambda: _table(t.POWER))
    accuracy: Any = dataclasses.field(default_factory=lambda: _table(t.ACCURACY))
    uses: Any = dataclasses.field(default_factory=lambda: _table(t.USES))
    move_element: Any = dataclasses.field(default_factory=lambda: _table(t.MOVE_ELEMENT))
    effectiveness: Any = dataclasses.field(default_factory=lambda: _table(t.EFFECTIVENESS))
    teams: Any = dataclasses.field(default_factory=lambda: _table(t.TEAMS))  # int32 [NUM_TEAMS * TEAM]
    max_steps_in_episode: Any = 400


@dataclasses.dataclass(frozen=True)
class Skirmish(Env):
    """See the module for the rules.

    Observation of each player: ``species`` int32 [14], own and the other's fighter in front, own team, the other's, 0
    for who has not been seen, else species + 1; ``numbers`` float32 [42]: hit points as fractions, on fire, in front,
    for each of the twelve (0 for the unseen), own uses left, both stages, and whether one is asked.
    Reward: +1 for the winner, -1 for the loser; the time limit makes a draw.
    """

    version: ClassVar[int] = 0
    name: ClassVar[str] = "game/Skirmish-v0"
    num_players: ClassVar[int] = 2
    turn_order: ClassVar[TurnOrder] = TurnOrder.SIMULTANEOUS
    num_actions: ClassVar[int] = NUM_ACTIONS
    random = LCG64
    compile_options = compiling.WITHOUT_FUSION_EMITTERS

    @property
    def default_params(self) -> SkirmishParams:
        """The pool that ships with the game."""
        return SkirmishParams()

    # --- what is read from a state ----------------------------------------------------------------------------------

    def generator(self, state: Words) -> Any:
        """Three words: high, low, draws."""
        view = LAYOUT.view(state)
        return view.high, view.low, view.draws

    def with_generator(self, state: Words, generator: Any) -> Words:
        """The same position with another generator."""
        view = LAYOUT.view(state)
        if generator:
            view.high, view.low, view.draws = generator
        return view.words()

    def elapsed(self, state: Words) -> Any:
        """Steps since the reset."""
        return LAYOUT.view(state).time

    def to_act(self, state: Words) -> Any:
        """Both while they choose; one while a fighter is to be replaced; else nobody."""
        view = LAYOUT.view(state)
        return jnp.stack([view.side[0].asked, view.side[1].asked])

    def decode(self, state: Words) -> dict[str, Any]:
        """Every field but the generator's by name."""
        view, fields = LAYOUT.view(state), {}
        for name in ("time", "phase", "first", "resume", "over", "winner"):
            fields[name] = getattr(view, name)
        for s, side in enumerate(view.side):
            for name in ("active", "choice", "stage", "asked", "pivots", "team"):
                fields[f"side{s}.{name}"] = getattr(side, name)
            for f, fighter in enumerate(side.fighter):
                at = f"side{s}.fighter{f}"
                for name in ("species", "hp", "burning", "seen", "max_hp", "dealt", "taken"):
                    fields[f"{at}.{name}"] = getattr(fighter, name)
                fields |= {f"{at}.uses{m}": fighter.uses[m] for m in range(t.MOVES_PER_FIGHTER)}
        return fields

    def permute_hidden(self, state: Words, key: Any, player: int) -> Words:
        """Other fighters, from another team, among the other player's unseen reserves."""
        view = LAYOUT.view(state)
        other = view.side[1 - player]
        other.team = jax.random.randint(jax.random.fold_in(key, 6), (), 0, t.NUM_TEAMS, jnp.int32)
        health = _table(t.HEALTH)
        for slot, fighter in enumerate(other.fighter):
            species = jax.random.randint(jax.random.fold_in(key, slot), (), 0, t.NUM_SPECIES, jnp.int32)
            hidden = ~fighter.seen
            fighter.set("species", species, where=hidden)
            fighter.set("hp", control.take(health, species), where=hidden)
            fighter.set("max_hp", control.take(health, species), where=hidden)
        return view.words()

    # --- the rules --------------------------------------------------------------------------------------------------

    def begin(self, generator: Any, params: SkirmishParams) -> Words:
        """Two teams are drawn from the pool."""
        zero = generator[0] ^ generator[0]
        view = LAYOUT.view((zero,) * LAYOUT.num_words)
        view.high, view.low, view.draws = generator
        rules.hand_out(view, params)
        return view.words()

    def refresh(self, params: SkirmishParams, key: Any) -> SkirmishParams:
        """A new pool of random teams of the same size."""
        return params.replace(teams=jax.random.randint(key, params.teams.shape, 0, t.NUM_SPECIES, jnp.int32))

    def legal_actions(self, state: Words, params: Any) -> Any:
        """Bool ``[2, 10]``; who is not asked may only pass, and at the end everything is legal."""
        view = LAYOUT.view(state)
        choosing, over = view.phase == rules.CHOOSE, view.over
        rows = []
        for side in view.side:
            front = side.fighter[side.active]
            usable = [side.asked & choosing & (front.uses[m] > 0) for m in range(t.MOVES_PER_FIGHTER)]
            ready = [side.asked & (fighter.hp > 0) & (side.active != slot) for slot, fighter in enumerate(side.fighter)]
            anything = usable[0]
            for option in (*usable[1:], *ready):
                anything = anything | option
            rows.append(jnp.stack([*(option | over for option in (*usable, *ready)), ~anything | over]))
        return jnp.stack(rows)

    def transition(self, state: Words, action: Any, params: SkirmishParams) -> tuple[Words, Any, Any, dict[str, Any]]:
        """One step: choices are taken if somebody was asked, then one action, or the end of a turn, is carried out."""
        action, illegal = masking.sanitise(action, self.legal_actions(state, params))
        state = rules.take_choices(state, action, params)
        state = rules.act(state, params)
        state = rules.end_turn(state)
        state = rules.go_on(state)
        view = LAYOUT.view(state)
        wins = [(view.winner == s).astype(jnp.float32) for s in range(2)]
        reward = jnp.stack([wins[0] - wins[1], wins[1] - wins[0]])
        return state, reward, view.over, {"illegal_action": illegal}

    def observe(self, state: Words, player: Any, params: Any) -> dict[str, Any]:
        """What a player knows; see the class."""
        view = LAYOUT.view(state)
        second = jnp.asarray(player) == 1
        own = _either(second, *(_side_seen(side, own=True) for side in list(view.side)[::-1]))
        other = _either(second, *(_side_seen(side, own=False) for side in view.side))
        asked = jnp.where(second, view.side[1].asked, view.side[0].asked).astype(jnp.float32)
        numbers = [*own["numbers"], *other["numbers"], *own["uses"], own["stage"], other["stage"], asked]
        species = [own["front"], other["front"], *own["species"], *other["species"]]
        return {"species": jnp.stack(species), "numbers": jnp.stack(numbers)}

    def action_space(self, params: Any) -> spaces.Space:
        """Three moves, six reserves, pass."""
        return spaces.Discrete(NUM_ACTIONS)

    def observation_space(self, params: Any) -> spaces.Space:
        """One player's."""
        count = 2 * t.TEAM * 3 + t.MOVES_PER_FIGHTER + 3
        ids = spaces.MultiDiscrete((t.NUM_SPECIES + 1,) * (2 + 2 * t.TEAM))
        return spaces.Dict({"species": ids, "numbers": spaces.Box(0.0, 1.0, (count,))})


def _either(condition: Any, if_true: Any, if_false: Any) -> Any:
    return jax.tree.map(lambda a, b: jnp.where(condition, a, b), if_true, if_false)


def _side_seen(side: Any, own: bool) -> dict[str, Any]:
    """A side as its owner, or the other player, sees it."""
    species, numbers = [], []
    for slot, fighter in enumerate(side.fighter):
        known = jnp.ones_like(fighter.seen) if own else fighter.seen
        shown = known.astype(jnp.float32)
        species.append(jnp.where(known, fighter.species + 1, 0))
        numbers.append(shown * fighter.hp.astype(jnp.float32) / fighter.max_hp.astype(jnp.float32))
        numbers.append(shown * fighter.burning.astype(jnp.float32))
        numbers.append((side.active == slot).astype(jnp.float32))
    front = side.fighter[side.active]
    uses = [front.uses[m].astype(jnp.float32) / np.float32(15) for m in range(t.MOVES_PER_FIGHTER)]
    stage = side.stage.astype(jnp.float32) / np.float32(MAX_STAGE)
    return {"front": front.species + 1, "species": species, "numbers": numbers, "uses": uses, "stage": stage}
