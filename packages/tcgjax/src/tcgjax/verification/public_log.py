"""What a player sees happen in the reference's game, without asking what the engine thinks is known.

Everything that lies open, the own hand, and what cards show when they are used: each micro-op of `SHOWN` says from the
real cards, before it acts, what it shows to whom.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from tcgjax.codes import MANY, Op, Who

OPEN: Final = ("it has the effect of", "it uses", "player 0 draws", "player 1 draws")
"""How lines of the reference's log begin that both see.  A card that goes back and one that is drawn for it leave
the sizes of hand and deck as they were."""


def public(game: Any, viewer: int) -> tuple[Any, ...]:
    """What lies open to a player."""
    sides = []
    for side in game.players:
        slots = [
            pokemon and (pokemon.damage, tuple(pokemon.energy), pokemon.poison, pokemon.burned, pokemon.stupor)
            for pokemon in side.slots
        ]
        cards = [
            pokemon and tuple(game.cards[card] for card in (*pokemon.cards, -1, *pokemon.tools))
            for pokemon in side.slots
        ]
        pile = tuple(game.cards[card] for card in side.discard)
        sizes = (len(side.hand), len(side.deck), side.points, side.current, side.next, tuple(side.discard_energy))
        sides.append((tuple(slots), tuple(cards), pile, sizes, len(side.timed)))
    actor = game.choice.actor if game.choice else -1
    hand = tuple(game.cards[card] for card in game.players[viewer].hand)
    stadium = game.cards[game.stadium] if game.stadium >= 0 else -1
    lines = tuple(line for line in game.log if line.startswith(OPEN))
    return tuple(sides), stadium, game.turn, game.current, game.winner, actor, hand, lines, game.coin_heads


class Log:
    """What was shown to either player, and which micro-ops ran, since it was last asked."""

    def __init__(self) -> None:
        self.shown: tuple[list[Any], list[Any]] = ([], [])
        self.ops: Counter[str] = Counter()

    def take(self) -> tuple[tuple[list[Any], list[Any]], Counter[str]]:
        """What has come, which is forgotten."""
        found = self.shown, self.ops
        self.shown, self.ops = ([], []), Counter()
        return found


def _top(game: Any, program: Any, row: Any) -> dict[int, Any]:
    count = program.n if row.op == Op.REORDER or row.amount == MANY else row.amount
    return {program.me: _cards(game, game.players[_player(program, row)].deck[:count])}


def _player(program: Any, row: Any) -> int:
    return 1 - program.me if row.who in (Who.FOE_ALL, Who.FOE_ACTIVE, Who.FOE_BENCH) else program.me


def _cards(game: Any, instances: Any) -> list[int]:
    return [game.cards[card] for card in instances]


def _foes_hand(game: Any, program: Any, row: Any) -> dict[int, Any]:
    return {program.me: sorted(_cards(game, game.players[1 - program.me].hand))}


def _own_top(game: Any, program: Any, row: Any) -> dict[int, Any]:
    return {program.me: _cards(game, game.players[program.me].deck[: max(1, row.amount)])}


def _both(game: Any, program: Any, row: Any) -> dict[int, Any]:
    top = sorted(_cards(game, game.players[program.me].deck[: row.amount]))
    return {0: top, 1: top}


def _of_deck(game: Any, program: Any, row: Any) -> dict[int, Any]:
    lets_pass = game.table.matching(row.filter)
    return {program.me: sorted(card for card in _cards(game, game.players[1 - program.me].deck) if card in lets_pass)}


def _with_attack(game: Any, program: Any, row: Any) -> dict[int, Any]:
    hand = [card for card in game.players[program.me].hand if any(a.name == row.arg for a in game.card(card).attacks)]
    return {1 - program.me: sorted(_cards(game, hand))}


SHOWN: Final[dict[Op, Callable[[Any, Any, Any], dict[int, Any]]]] = {
    Op.LOOK_TOP: _top,
    Op.REORDER: _top,
    Op.PEEK_OR_BOTTOM: _own_top,
    Op.TAKE_TOP: _own_top,
    Op.REVEAL_HAND: _foes_hand,
    Op.FOE_CHOICE: _foes_hand,
    Op.KNOW_DECK: _of_deck,
    Op.REVEAL_TOP_COUNT: _both,
    Op.REVEAL_COUNT: _with_attack,
}
"""What micro-ops show before they act: to whom, and which cards."""
GIVES: Final = (Op.FOE_RANDOM_TO_DECK, Op.RANDOM_HAND_TO_DECK)
"""What leaves a hand by these is shown to both."""


@contextlib.contextmanager
def watched(bodies: dict[Any, Any], log: Log) -> Iterator[None]:
    """Let the micro-ops of the reference write what they show into a log."""
    before = dict(bodies)

    def watch(op: Any, body: Any) -> Any:
        def run(game: Any, program: Any, row: Any) -> Any:
            log.ops[Op(row.op).name] += 1
            for viewer, cards in SHOWN[op](game, program, row).items() if op in SHOWN else ():
                log.shown[viewer].append((int(op), cards))
            hands = [Counter(_cards(game, side.hand)) for side in game.players] if op in GIVES else []
            done = body(game, program, row)
            for side, hand in zip(game.players, hands, strict=False):
                gone = sorted((hand - Counter(_cards(game, side.hand))).elements())
                for viewer in (0, 1):
                    log.shown[viewer].append((int(op), gone))
            return done

        return run

    bodies.update({op: watch(op, body) for op, body in before.items()})
    try:
        yield
    finally:
        bodies.update(before)
