"""Positions in which cards are at hand that show, move or reorder cards of hands and decks: what `pairs` plays."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any, Final

from tcgjax.codes import ENERGY, Op, Use

SECRET: Final = (Op.HAND_PICK_TO_DECK, Op.SWAP_HAND_DECK, Op.REORDER)
"""Choices that only their player sees."""
OF_HAND: Final = (*SECRET[:2], Op.DISCARD_HAND, Op.FOE_DISCARD_TO, Op.CANDY)
"""Choices whose options are cards of the own hand."""
MOVES: Final = (
    *(
        Op.DRAW,
        Op.DRAW_N,
        Op.DRAW_TO,
        Op.SEARCH_HAND,
        Op.SEARCH_BENCH,
        Op.EVOLVE_FROM_DECK,
        Op.RECOVER,
        Op.PICK_DISCARD,
    ),
    *(Op.MILL, Op.LOOK_TOP, Op.TAKE_TOP, Op.PEEK_OR_BOTTOM, Op.REORDER, Op.SHUFFLE_DECK, Op.REVEAL_TOP_COUNT),
    *(Op.KNOW_DECK, Op.HAND_TO_DECK, Op.FOE_RANDOM_TO_DECK, Op.FOE_RANDOM_DISCARD, Op.FOE_CHOICE, Op.REVEAL_HAND),
    *(Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK, Op.SWAP_HAND_DECK, Op.FOE_DISCARD_TO, Op.RANDOM_HAND_TO_DECK),
    *(Op.REVEAL_COUNT, Op.FOE_DISCARD_TO_BENCH, Op.RETURN_HAND, Op.RETURN_DECK, Op.DEVOLVE, Op.CANDY, Op.RETURN_TOOLS),
    *(Op.TOOLS_TO_DECK, Op.KEEP_THIS, Op.COPY_ATTACK, Op.COPY_SUPPORTER),
)
"""Micro-ops that show, move or reorder cards of hands and decks."""
SHOWS: Final = (Op.REVEAL_HAND, Op.FOE_CHOICE, Op.LOOK_TOP, Op.KNOW_DECK, Op.REVEAL_COUNT, Op.REORDER)
TOOL, SUPPORTER, LINE = "A2-147", "A1-223", ("A1-001", "A1-003", "A3-144")
"""Cards that others ask for: a Tool, a Supporter in a discard pile, a Basic with its Stage 2 and Rare Candy."""
TRIGGERS: Final = 60
"""From this kind on a modifier runs a program."""
FLIPS: Final = 7
"""The first coins of a position come out one way or the other: a position without them has the same seed as all."""


class Dealer:
    """Positions in which cards of `MOVES` are at hand.

    Args:
        table: the reference's.
    """

    def __init__(self, table: Any) -> None:
        def ops(number: int) -> set[Any]:
            return {Op(row.op) for row in table.programs[number]} & set(MOVES) if number else set()

        self.of_card = {card.id: ops(card.program) for card in table.cards}
        for card in table.cards:
            for modifier in card.modifiers:
                rule = table.modifiers[modifier]
                self.of_card[card.id] |= ops(rule.program if rule.kind >= TRIGGERS else 0)
        by_name = {card.name: card for card in reversed(table.cards)}
        self.trainers = [card.id for card in table.cards if not card.is_pokemon and self.of_card[card.id]]
        self.attackers, self.evolving = [], []
        for card in table.cards:
            moving = set().union(*(ops(attack.program) for attack in card.attacks), self.of_card[card.id])
            if card.is_pokemon and moving and not card.unsupported:
                line = [card]
                while line[0].evolves_from and line[0].evolves_from in by_name:
                    line.insert(0, by_name[line[0].evolves_from])
                if line[0].stage == 0:
                    self.attackers.append((">".join(card.id for card in line), moving))
                if card.use == Use.ON_EVOLVE and card.stage == 1 and line[0].stage == 0:
                    self.evolving.append((line[0].id, card.id))
        self.secret = [card for card in self.trainers if self.of_card[card] & set(SECRET)]
        self.looking = [card for card in self.trainers if Op.LOOK_TOP in self.of_card[card]]
        self.showing = [card for card in self.trainers if self.of_card[card] & set(SHOWS)]
        self.basics = [card.id for card in table.cards if card.is_pokemon and card.stage == 0][:60]
        self.lines = _by_op(self.attackers)
        self.kinds = _by_op((card, self.of_card[card]) for card in self.trainers)
        self.counted = {}
        for card in self.secret:  # what has to be in play for a card that puts as many cards in order
            rows = table.programs[table.find(card).program]
            if any(row.op == Op.REORDER for row in rows):
                passes = table.matching(next(row.filter for row in rows if row.op == Op.COUNT_POKEMON))
                self.counted[card] = [c.id for c in table.cards if c.index in passes and c.stage == 0]

    def line(self, generator: random.Random) -> str:
        """A Pokémon whose attack or Ability moves cards, each micro-op alike."""
        energy = "".join(generator.choice(ENERGY[:8]) for _ in range(3)) + "GRWLPFDM"
        more = generator.choice(("", " damage=10", f" tool={TOOL}", f" damage=20 tool={TOOL}"))
        return f"{generator.choice(generator.choice(self.lines))} {energy}{more}"

    def position(self, generator: random.Random) -> dict[str, Any]:
        """A position of the reference in words."""
        words: dict[str, Any] = {"turn": 5, "coins": [generator.choice("HT") for _ in range(FLIPS)]}
        secret = generator.choice(self.secret)
        shows = generator.choice(self.looking if secret in self.counted else self.showing)
        for name in ("me", "foe"):
            few = [self.showing, self.secret, self.basics, *self.kinds]
            first = shows if name == "me" else secret
            there = self.counted.get(first, self.basics)
            active = self.line(generator)
            bench = [generator.choice(there) for _ in range(generator.choice((2, 3)))]
            if generator.random() < 0.5:
                bench[0] = self.line(generator)
            kinds = [generator.choice(generator.choice(few)) for _ in range(6)]
            waits = generator.random()
            if waits < 0.2:
                bench[-1], kinds[:2] = LINE[0], LINE[1:]
            elif waits < 0.4:
                bench[-1], evolution = generator.choice(self.evolving)
                kinds[:2] = evolution, evolution
            hand = [first, *(generator.choice(kinds) for _ in range(generator.randrange(2, 6)))]
            in_play = sum(len(text.split()[0].split(">")) + ("tool" in text) for text in (active, *bench))
            deck = [generator.choice(kinds) for _ in range(20 - in_play - len(hand) - 2)]
            discard = [generator.choice(self.basics), SUPPORTER]
            words[name] = {"active": active, "bench": bench, "hand": hand, "deck": deck, "discard": discard}
        return words


def _by_op(cards: Iterable[tuple[str, set[Any]]]) -> list[list[str]]:
    """Cards in groups, one for each micro-op."""
    found: dict[Any, list[str]] = {}
    for card, ops in cards:
        for op in sorted(ops):
            found.setdefault(op, []).append(card)
    return [group for _, group in sorted(found.items())]
