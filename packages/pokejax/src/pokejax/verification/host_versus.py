"""One seat of a battle as an environment, played in Showdown: the same battles as `learning.versus` for the same words.

Battles, legal choices and results are Showdown's.  The player's observation is what a `Spectator` makes of the messages
and requests that Showdown sends that player, and the opponent decides by its own request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from pokejax import rows, teams
from pokejax.learning.versus import Versus
from pokejax.rules.flow.queue import NUM_ACTIONS, PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.showdown.spectator import Spectator
from pokejax.state import LAYOUT, MOVES, TEAM
from pokejax.tables import NAMES, columns, table
from pokejax.verification.view import action_number
from rlenv_shared import counter_rng
from rlenv_shared.masking import sample_legal_bits
from rlenv_shared.verification.locate import reference

OPPONENT: Final = "base-power"
"""Of `pokejax.opponents`, which needs nothing but its own request."""
_POWER: Final = dict(
    zip(NAMES["move"], np.asarray(rows.MOVE.view(table("moves")).power).tolist(), strict=False)
)  # fmt: skip


class Battles:
    """Battles of one process of Showdown.

    Args:
        env: whose battles for the same words they are.
    """

    def __init__(self, env: Versus) -> None:
        self.driver: Any = reference("showdown").driver()
        self._begin = jax.jit(jax.vmap(env.init, (0, None)))
        self._params, self._most = jax.device_put(env.default_params), 0
        tables = reference("showdown", "tables")
        self._packed, self._source = tables.packed, tables.load()
        self._pool, self._members = teams.described_pool(), columns("teams.npz")["teams.members"]

    def open(self, words: Sequence[tuple[Any, Any]]) -> list[Battle]:
        """Battles that belong to pairs of words, at the player's first decision."""
        self._most = max(self._most, len(words))
        padded = [*words, *[words[0]] * (self._most - len(words))]  # one program for every size
        columns_ = tuple(np.array(column, np.uint32) for column in zip(*padded, strict=True))
        state = jax.device_get(self._begin(columns_, self._params))
        view, settings = LAYOUT.view(state.battle), []
        first = [np.asarray(side.member[0].row) // TEAM for side in view.side]
        for n in range(len(words)):
            seed = int(view.high[n]) << 32 | int(view.low[n])
            settings.append({"seed": f"{seed:016x}", "teams": [self._team(int(row[n])) for row in first]})
        opened = self.driver.request("open", battles=settings, messages=True, include=["legal"])
        return [Battle(view_, int(seat)) for view_, seat in zip(opened, state.seat, strict=False)]

    def _team(self, number: int) -> str:
        described = {name: column[self._members[number]][None] for name, column in self._pool.items()}
        packed: str = self._packed(self._source, described, 0)
        return packed

    def go_on(self, actions: Mapping[Battle, int]) -> None:
        """The player's decision in each battle, and what follows until it is asked again, or the end."""
        choices = {battle: battle.choices(action) for battle, action in actions.items()}
        while choices:
            steps = [{"battle": battle.number, "choices": both} for battle, both in choices.items()]
            views = self.driver.request("step", steps=steps, include=["legal"])
            for battle, view in zip(choices, views, strict=True):
                battle.hear(view)
            waiting = [battle for battle in choices if not battle.over and not battle.legal().any()]
            choices = {battle: battle.choices(PASS) for battle in waiting}
        for battle in actions:
            battle.steps += 1

    def close(self, battles: Sequence[Battle]) -> None:
        """Forget them."""
        self.driver.request("close", battles=[battle.number for battle in battles])


class Battle:
    """One battle, as a player in one seat and its opponent have it.

    Attributes:
        over: whether it has ended.
        reward: the player's result then.
    """

    def __init__(self, view: Mapping[str, Any], seat: int) -> None:
        self.number, self.seat, self.steps = view["battle"], seat, 1  # the first one brings both leads in
        self.over, self.reward = False, 0.0
        self.spectator = Spectator(seat)
        self._teams: list[list[str]] = [[], []]
        self.hear(view)

    def hear(self, view: Mapping[str, Any]) -> None:
        """What Showdown says after a decision."""
        self.view, told = view, view["messages"]
        if view["ended"]:
            self.over, winner = True, view["winner"]
            self.reward = 0.0 if winner == 0 else 1.0 if winner == self.seat + 1 else -1.0
            return
        self.spectator.hear(told[f"p{self.seat + 1}"], told["requests"][self.seat])
        for team, request in zip(self._teams, told["requests"], strict=True):
            team[:] = team or [entry["ident"] for entry in request["side"]["pokemon"]]

    def legal(self, side: int | None = None) -> NDArray[np.bool_]:
        """What a side, by default the player, may do, bool ``[15]``; nothing where it is not asked."""
        side = self.seat if side is None else side
        legal = np.zeros(NUM_ACTIONS, np.bool_)
        if accepted := self.view["legal"][side]["accepted"]:
            entries = self.view["messages"]["requests"][side]["side"]["pokemon"]
            order = [self._teams[side].index(entry["ident"]) for entry in entries]
            legal[[action_number(choice, order) for choice in accepted]] = True
        return legal

    def choices(self, action: int) -> list[str]:
        """Both sides' as Showdown takes them."""
        other = 1 - self.seat
        both = [action, action]
        both[other] = self._reply(other) if self.legal(other).any() else PASS
        return [_text(choice) for choice in both]

    def _reply(self, side: int) -> int:
        """The first of the legal moves of the highest base power; at random who comes in."""
        legal = self.legal(side)
        if not legal[:MOVES].any():
            high, low = _words(self.view["generator"])
            chance = counter_rng.from_words(np.uint32(high) ^ np.uint32(self.steps), np.uint32(low))
            return int(_drawn(counter_rng.bits(chance)[0], jnp.asarray(legal)))
        names = [move["id"] for move in self.view["messages"]["requests"][side]["active"][0]["moves"]]
        power = [_POWER.get(name, 0) if can else -1 for name, can in zip(names, legal, strict=False)]
        return int(np.argmax(power))


_drawn = jax.jit(sample_legal_bits)


def _words(generator: str) -> tuple[int, int]:
    """High and low word of sixteen hexadecimal digits."""
    return int(generator[:8], 16), int(generator[8:], 16)


def _text(action: int) -> str:
    if action == PASS:
        return ""
    if action >= SWITCH_ACTION:
        return f"switch #{action - SWITCH_ACTION + 1}"
    return f"move {action % TERA_ACTION + 1}{' terastallize' if action >= TERA_ACTION else ''}"


class ShowdownVectorEnv:
    """The seat as a vector environment with same-step auto-reset (`rlenv_learn.host.HostVecEnv`).

    Args:
        num_envs: how many battles go on at a time.
        env: ours, whose spaces and battles they have.
    """

    def __init__(self, num_envs: int, env: Versus) -> None:
        params = env.default_params
        self.num_envs = num_envs
        self.single_observation_space = env.observation_space(params)
        self.single_action_space = env.action_space(params)
        self._battles = Battles(env)
        self._going: list[Battle] = []

    def reset(self, *, seed: int | None = None) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """``(obs, info)``; environment i begins with stream i of the seed."""
        if self._going:
            self._battles.close(self._going)
        self._going = self._battles.open(list(zip(*counter_rng.seed_words(seed or 0, self.num_envs), strict=True)))
        return self._seen()

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """One decision in every environment; where a battle ends, the observation is the next one's."""
        self._battles.go_on({battle: int(action) for battle, action in zip(self._going, actions, strict=True)})
        rewards = np.array([battle.reward for battle in self._going], np.float32)
        ended = np.array([battle.over for battle in self._going], np.bool_)
        if ended.any():
            over = [battle for battle in self._going if battle.over]
            new = iter(self._battles.open([_words(battle.view["generator"]) for battle in over]))
            self._battles.close(over)
            self._going = [next(new) if battle.over else battle for battle in self._going]
        obs, info = self._seen()
        return obs, rewards, ended, np.zeros_like(ended), info

    def _seen(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        views = [battle.spectator.observation() for battle in self._going]
        obs = {name: np.stack([view[name] for view in views]) for name in views[0]}
        return obs, {"action_mask": np.stack([battle.legal() for battle in self._going])}
