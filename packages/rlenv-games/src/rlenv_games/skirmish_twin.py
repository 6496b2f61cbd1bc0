"""Skirmish once more, in plain Python: what a player would write down who knows the rules and no arrays.

Run as a process it answers JSON lines (:mod:`rlenv_shared.verification.reference`)::

    python -S twin_process.py skirmish_twin

An episode is ``{"seed": [high, low], "actions": [[first, second], ...]}``, one pair for each step; who is not asked is
not listened to.  It needs the standard library alone and shares nothing with the other side but the tables.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

MULTIPLIER, INCREMENT = 0x5D588B656C078965, 0x0000000000269EC3
CHOOSE, FIRST, SECOND, END, REPLACE, PIVOT = "choose", "first", "second", "end", "replace", "pivot"
PHASES = (CHOOSE, FIRST, SECOND, END, REPLACE, PIVOT)
NAME, VERSION = "skirmish-twin", "1"
DTYPES = {"rng.0": "uint32", "rng.1": "uint32", "rng.2": "uint32", "reward": "float32", "terminated": "bool"}


def _tables() -> ModuleType:
    """The tables beside this file, without importing the package they lie in."""
    spec = importlib.util.spec_from_file_location("skirmish_tables", Path(__file__).with_name("skirmish_tables.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


T = _tables()
PASS = T.MOVES_PER_FIGHTER + T.TEAM


@dataclass
class Fighter:
    """One of six."""

    species: int
    hp: int = 0
    uses: list[int] = field(default_factory=list)
    burning: bool = False
    seen: bool = False
    dealt: int = 0
    taken: int = 0

    def __post_init__(self) -> None:
        self.hp = T.HEALTH[self.species]
        self.uses = [T.USES[move] for move in self.moves]

    @property
    def moves(self) -> tuple[int, ...]:
        """The three moves of its species."""
        first = self.species * T.MOVES_PER_FIGHTER
        return tuple(T.MOVES[first : first + T.MOVES_PER_FIGHTER])


@dataclass
class Side:
    """A player's half."""

    team: int
    fighters: list[Fighter]
    active: int = 0
    choice: int = 0
    stage: int = 0
    asked: bool = True
    pivots: bool = False

    @property
    def front(self) -> Fighter:
        """Who is in front."""
        return self.fighters[self.active]

    def reserves(self) -> list[int]:
        """Who could come out."""
        return [i for i, fighter in enumerate(self.fighters) if fighter.hp > 0 and i != self.active]

    def bring_out(self, slot: int) -> None:
        """A reserve comes to the front."""
        self.active, self.stage = slot, 0
        self.front.seen = True


class Battle:
    """A game; `step` is one step of it."""

    def __init__(self, seed: int) -> None:
        self.rng, self.draws, self.time = seed, 0, 0
        self.phase, self.resume, self.first = CHOOSE, CHOOSE, 0
        self.over, self.winner = False, 2
        self.sides: list[Side] = []
        for _ in range(2):
            team = self.draw(len(T.TEAMS) // T.TEAM)
            self.sides.append(Side(team, [Fighter(T.TEAMS[team * T.TEAM + slot]) for slot in range(T.TEAM)]))
        for side in self.sides:
            side.front.seen = True

    def draw(self, n: int) -> int:
        """A number below n."""
        self.rng = (self.rng * MULTIPLIER + INCREMENT) % 2**64
        self.draws += 1
        return (self.rng >> 32) * n >> 32

    def legal(self, player: int) -> list[int]:
        """What a player may choose: to pass, if not asked or if nothing else is left."""
        side = self.sides[player]
        if not side.asked:
            return [PASS]
        moves = [m for m in range(T.MOVES_PER_FIGHTER) if self.phase == CHOOSE and side.front.uses[m] > 0]
        return moves + [T.MOVES_PER_FIGHTER + slot for slot in side.reserves()] or [PASS]

    def step(self, choices: list[int]) -> None:
        """Take choices from who was asked, then carry out one part of the turn."""
        was = self.phase
        for side, choice in zip(self.sides, choices, strict=True):
            if side.asked:
                side.choice = choice
                if was in (REPLACE, PIVOT):
                    side.bring_out(choice - T.MOVES_PER_FIGHTER)
            side.asked = side.pivots = False
        if was == CHOOSE:
            self.first = self._who_is_first()
            self.phase = FIRST
        elif was == PIVOT:
            self.phase = self.resume
        if self.phase == FIRST:
            self._act(self.first)
        elif self.phase == SECOND:
            self._act(1 - self.first)
        elif self.phase == END:
            for side in self.sides:
                if side.front.burning:
                    side.front.hp = max(side.front.hp - T.FIRE_DAMAGE, 0)
        self._go_on()
        self.time += 1

    def _who_is_first(self) -> int:
        switching = [T.MOVES_PER_FIGHTER <= side.choice < PASS for side in self.sides]
        if any(switching):
            return 0 if switching[0] else 1
        speeds = [T.SPEED[side.front.species] for side in self.sides]
        if speeds[0] == speeds[1]:
            return self.draw(2)
        return int(speeds[1] > speeds[0])

    def _act(self, player: int) -> None:
        user, target = self.sides[player], self.sides[1 - player]
        if user.choice == PASS:
            return
        if user.choice >= T.MOVES_PER_FIGHTER:
            user.bring_out(user.choice - T.MOVES_PER_FIGHTER)
            return
        fighter = user.front
        if fighter.hp == 0:
            return
        move = fighter.moves[user.choice]
        fighter.uses[user.choice] -= 1
        if self.draw(100) >= T.ACCURACY[move]:
            return
        if T.POWER[move] and target.front.hp:
            self._damage(user, target.front, move)
        effect = T.EFFECT[move]
        if effect == T.SCORCH and target.front.hp > 0 and not target.front.burning:
            target.front.burning = self.draw(10) < 3
        elif effect == T.HARDEN:
            user.stage = min(user.stage + 1, 4)
        elif effect == T.REST:
            most = T.HEALTH[fighter.species]
            fighter.hp = min(fighter.hp + most // 2, most)
        elif effect == T.PIVOT:
            user.pivots = True

    def _damage(self, user: Side, target: Fighter, move: int) -> None:
        hits = 2 + self.draw(3) if T.EFFECT[move] == T.FLURRY else 1
        strength = T.STRENGTH[user.front.species] * (user.stage + 2) // 2
        factor = T.EFFECTIVENESS[T.MOVE_ELEMENT[move] * T.NUM_ELEMENTS + T.ELEMENT[target.species]]
        base = T.POWER[move] * strength // T.GUARD[target.species] * factor // 2
        for _ in range(hits):
            if target.hp == 0:
                break
            critical = self.draw(16) == 0
            percent = 85 + self.draw(16)
            amount = (base * 3 // 2 if critical else base) * percent // 100
            amount = min(max(amount, 1), target.hp)
            target.hp -= amount
            target.taken += amount
            user.front.dealt += amount

    def _go_on(self) -> None:
        """What comes next, and who is asked."""
        out = [side.front.hp == 0 for side in self.sides]
        lost = [all(fighter.hp == 0 for fighter in side.fighters) for side in self.sides]
        self.over = any(lost)
        self.winner = 2 if lost[0] == lost[1] else int(lost[0])
        following = {FIRST: SECOND, SECOND: END}.get(self.phase, CHOOSE)
        pivoting = [
            self.phase in (FIRST, SECOND) and side.pivots and not out[i] and bool(side.reserves())
            for i, side in enumerate(self.sides)
        ]
        if any(pivoting):
            self.resume, self.phase, asked = following, PIVOT, pivoting
        else:
            if following == SECOND and out[1 - self.first]:
                following = END
            if following == END and not any(s.front.burning and not out[i] for i, s in enumerate(self.sides)):
                following = CHOOSE
            if following == CHOOSE and any(out):
                following = REPLACE
            self.phase = following
            asked = out if following == REPLACE else [following == CHOOSE] * 2
        for side, is_asked in zip(self.sides, asked, strict=True):
            side.asked = is_asked and not self.over

    def fields(self) -> dict[str, Any]:
        """The whole state under the names of `Skirmish.decode`, with the generator."""
        found: dict[str, Any] = {
            "time": self.time,
            "phase": PHASES.index(self.phase),
            "first": self.first,
            "resume": PHASES.index(self.resume),
            "over": self.over,
            "winner": self.winner,
        }
        for s, side in enumerate(self.sides):
            for name in ("active", "choice", "stage", "asked", "pivots", "team"):
                found[f"side{s}.{name}"] = getattr(side, name)
            for f, fighter in enumerate(side.fighters):
                for name in ("species", "hp", "burning", "seen", "dealt", "taken"):
                    found[f"side{s}.fighter{f}.{name}"] = getattr(fighter, name)
                found[f"side{s}.fighter{f}.max_hp"] = T.HEALTH[fighter.species]
                found |= {f"side{s}.fighter{f}.uses{m}": uses for m, uses in enumerate(fighter.uses)}
        return {"state": found, "rng": {"0": self.rng >> 32, "1": self.rng % 2**32, "2": self.draws}}


def dtypes() -> dict[str, str]:
    """Of every field."""
    found = dict(DTYPES) | {"action": "int32"}
    for name, value in Battle(0).fields()["state"].items():
        counter = name.endswith(("dealt", "taken"))
        found[f"state.{name}"] = "bool" if isinstance(value, bool) else "uint32" if counter else "int32"
    return found


def play(number: int, seed: list[int], actions: list[list[int]]) -> list[dict[str, Any]]:
    """The canonical steps of one episode: the state after the reset, and after every step.

    What is illegal becomes the first legal choice.
    """
    battle = Battle(seed[0] << 32 | seed[1])
    steps = [{"episode": number, "t": -1, **battle.fields()}]
    for t, action in enumerate(actions):
        chosen = [
            choice if choice in battle.legal(player) else min(battle.legal(player))
            for player, choice in enumerate(action)
        ]
        battle.step(chosen)
        reward = [float((battle.winner == s) - (battle.winner == 1 - s)) for s in range(2)]
        end = {"action": action, "reward": reward, "terminated": battle.over}
        steps.append({"episode": number, "t": t, **battle.fields(), **end})
        if battle.over:
            break
    return steps
