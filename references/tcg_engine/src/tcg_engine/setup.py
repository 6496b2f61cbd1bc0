"""Setup: who goes first, opening hands, first Pokémon (RULES.md, section 2)."""

from __future__ import annotations

from dataclasses import dataclass

from tcg_engine import board, energy
from tcg_engine.actions import CHOICE, END, ask
from tcg_engine.codes import Stage
from tcg_engine.config import DECK_SIZE, OPENING_HAND
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Pokemon
from tcg_engine.turn import Turn


def is_basic(game: Game, instance: int) -> bool:
    """A Basic Pokémon card; Fossils are none outside play."""
    card = game.card(instance)
    return card.is_pokemon and card.stage == Stage.BASIC


def deal(game: Game) -> None:
    """Coin flip, decks, opening hands, next energies, in this order of draws."""
    game.first = game.random.draw(Stream.SETUP) >> 31
    game.current = game.first
    game.say(f"player {game.first} goes first")
    for player in (0, 1):
        game.players[player].deck = list(range(DECK_SIZE * player, DECK_SIZE * (player + 1)))
        board.shuffle(game, player)
        if game.rules.opening == "basic_first":
            basic_first(game, player)
        else:
            draw_opening(game, player)
    for player in (0, 1):
        game.players[player].next = energy.roll(game, player)


def draw_opening(game: Game, player: int) -> None:
    """Five cards; a hand without a Basic swaps one of them for one of the deck, both at random (2.2)."""
    side = game.players[player]
    board.draw(game, player, OPENING_HAND)
    if any(is_basic(game, instance) for instance in side.hand):
        return
    basics = sorted(instance for instance in side.deck if is_basic(game, instance))
    away = side.hand.pop(game.random.below(Stream.SETUP, OPENING_HAND))
    basic = basics[game.random.below(Stream.SETUP, len(basics))]
    side.deck.remove(basic)
    side.hand.append(basic)
    side.deck.append(away)
    board.shuffle(game, player)
    game.say(f"player {player} had no Basic Pokémon and swaps one card")


def basic_first(game: Game, player: int) -> None:
    """As deckgym: a random Basic, then four cards."""
    side = game.players[player]
    basics = sorted(instance for instance in side.deck if is_basic(game, instance))
    basic = basics[game.random.below(Stream.SETUP, len(basics))]
    side.deck.remove(basic)
    side.hand.append(basic)
    board.draw(game, player, OPENING_HAND - 1)


@dataclass
class Setup:
    """Player 0, then player 1, places the Active and the Bench; the other one does not see it (2.3)."""

    player: int = 0
    answer: int | None = None

    def run(self, game: Game) -> None:
        """Ask for the next Basic, or begin the first turn."""
        if self.player > 1:
            game.stack[:] = [Turn()]
            return
        side = game.players[self.player]
        slot = next((number for number, pokemon in enumerate(side.slots) if pokemon is None), -1)
        if self.answer is not None:
            action, self.answer = self.answer, None
            if action == END:
                self.player += 1
            else:
                instance = side.hand.pop(action - CHOICE)
                side.slots[slot] = Pokemon(self.player, [instance])
                game.say(f"player {self.player} places a Basic Pokémon")
            return
        basics = options(game, self.player) if slot >= 0 else []
        if slot == 0:
            ask(game, self, self.player, "choose the Active Pokémon", basics)
        elif basics:
            ask(game, self, self.player, "choose a Pokémon for the Bench", [END, *basics])
        else:
            self.player += 1


def options(game: Game, player: int) -> list[int]:
    """The different Basics of the hand."""
    seen, found = set(), []
    for position, instance in enumerate(game.players[player].hand):
        if is_basic(game, instance) and game.cards[instance] not in seen:
            seen.add(game.cards[instance])
            found.append(CHOICE + position)
    return found
