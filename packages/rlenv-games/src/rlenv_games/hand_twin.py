"""Hand once more, in plain Python: lists of cards, and the generator of :mod:`rlenv_shared.counter_rng` on integers.

Run as a process it answers JSON lines (:mod:`rlenv_shared.verification.reference`)::

    python -S twin_process.py hand_twin

An episode is ``{"seed": [word, word], "actions": [action, ...]}``.  It needs the standard library alone and shares
nothing with the other side.
"""

from __future__ import annotations

from typing import Any

NAME, VERSION = "hand-twin", "1"
WORD = 2**32
DECK = (1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 3)
NOTHING, THIEF, SCOUT = 0, 6, 7
HAND, GOAL = 4, 12
DTYPES = {"reward": "float32", "terminated": "bool", "action": "int32", "state.over": "bool"}


def mixed(x: int, key: int) -> int:
    """The generator's hash."""
    x = ((x ^ x >> 16) * 0x7FEB352D + key) % WORD
    x = (x ^ x >> 15) * 0x846CA68B % WORD
    return x ^ x >> 16


class Game:
    """A game; `step` is one decision."""

    def __init__(self, word0: int, word1: int) -> None:
        self.key0 = mixed(word0 ^ mixed((word1 + 0x9E3779B9) % WORD, 0), 0)
        self.key1 = mixed(word1 ^ mixed((self.key0 + 0x85EBCA6B) % WORD, 0), 0)
        self.draws = self.time = 0
        self.dealt = [self._shuffled(), self._shuffled()]
        self.player = self._draw() * 2 // WORD
        self.hands = [pile[:HAND] for pile in self.dealt]
        self.piles = [pile[HAND:] for pile in self.dealt]
        self.drawn = [HAND, HAND]
        self.buried: list[list[int]] = [[], []]
        self.points = [0, 0]
        self.pending, self.over = NOTHING, False

    def _draw(self) -> int:
        self.draws += 1
        return mixed(((self.draws - 1) * 0x9E3779B9 + self.key0) % WORD, self.key1)

    def _shuffled(self) -> list[int]:
        keys = [self._draw() for _ in DECK]
        return [card for _, card in sorted(zip(keys, DECK, strict=True), key=lambda pair: pair[0])]

    def legal(self) -> list[int]:
        """What may be chosen."""
        if self.pending == SCOUT:
            return [HAND, HAND + 1]
        whose = self.hands[1 - self.player if self.pending == THIEF else self.player]
        return [(HAND if self.pending else 0) + slot for slot, card in enumerate(whose) if card]

    def step(self, action: int) -> int:
        """Play a card or choose; returns who leads when the game is over (1, 0, -1 from the first player), else 0."""
        me, other = self.player, 1 - self.player
        self.time += 1
        if self.pending == THIEF:
            self.hands[other][action - HAND] = NOTHING
            self.pending = NOTHING
        elif self.pending == SCOUT:
            kept = self._top(me)
            buried = self._top(me)
            if action == HAND + 1:
                kept, buried = buried, kept
            self._keep(me, kept)
            self.piles[me].append(buried)
            self.buried[me].append(buried)
            self.pending = NOTHING
        else:
            card, self.hands[me][action] = self.hands[me][action], NOTHING
            if card < THIEF:
                self.points[me] += card
            elif (card == THIEF and any(self.hands[other])) or (card == SCOUT and len(self.piles[me]) >= 2):
                self.pending = card
        if self.pending:
            return 0
        if self.piles[me] and NOTHING in self.hands[me]:
            self._keep(me, self._top(me))
        if max(self.points) >= GOAL or not any(map(any, self.hands)):
            self.over = True
        if any(self.hands[other]):
            self.player = other
        return ((self.points[0] > self.points[1]) - (self.points[0] < self.points[1])) if self.over else 0

    def _top(self, player: int) -> int:
        self.drawn[player] += 1
        return self.piles[player].pop(0)

    def _keep(self, player: int, card: int) -> None:
        self.hands[player][self.hands[player].index(NOTHING)] = card

    def fields(self) -> dict[str, Any]:
        """The whole state under the names of `Hand.decode`, with the generator."""
        buried = [cards + [NOTHING] * (len(DECK) - len(cards)) for cards in self.buried]
        found = {
            "hand": [list(cards) for cards in self.hands],
            "pile": [list(cards) for cards in self.dealt],
            "drawn": list(self.drawn),
            "buried": buried,
            "points": list(self.points),
            "pending": self.pending,
            "current_player": self.player,
            "time": self.time,
            "over": self.over,
        }
        return {"state": found, "rng": {"0": self.key0, "1": self.key1, "2": self.draws}}


def dtypes() -> dict[str, str]:
    """Of every field."""
    fields = Game(0, 0).fields()
    states = {f"state.{name}": "int32" for name in fields["state"]}
    return states | {f"rng.{name}": "uint32" for name in fields["rng"]} | DTYPES


def play(number: int, seed: list[int], actions: list[int]) -> list[dict[str, Any]]:
    """The canonical steps of one episode: the state after the reset, and after every decision.

    What is illegal becomes the first legal choice.
    """
    game = Game(*seed)
    steps = [{"episode": number, "t": -1, **game.fields()}]
    for t, action in enumerate(actions):
        lead = game.step(action if action in game.legal() else min(game.legal()))
        end = {"action": action, "reward": [float(lead), float(-lead)], "terminated": game.over}
        steps.append({"episode": number, "t": t, **game.fields(), **end})
        if game.over:
            break
    return steps
