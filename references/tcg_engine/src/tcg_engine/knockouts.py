"""Knock Outs, points, promotion and the result (RULES.md, section 8)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tcg_engine import board, coins
from tcg_engine.actions import CHOICE, ask
from tcg_engine.codes import Kind
from tcg_engine.config import MAX_POINTS
from tcg_engine.modifiers import on_player, on_pokemon, remaining_hp, types_of
from tcg_engine.state import Game, Pokemon

TIE = 2


def unsettled(game: Game) -> bool:
    """Whether a Pokémon is Knocked Out or an Active Spot is empty."""
    return bool(knocked_out(game)) or any(game.active(player) is None for player in (0, 1))


def knocked_out(game: Game) -> list[Pokemon]:
    """Everybody without HP: the turn player's side first, by slot."""
    order = (game.current, 1 - game.current)
    return [pokemon for player in order for pokemon in game.board(player) if remaining_hp(game, pokemon) == 0]


@dataclass
class Settle:
    """Takes all Knock Outs of one resolution together, then the result, then promotions.

    Attributes:
        attacker: the attacking Pokémon, when an attack did it.
        damaged: everybody that attack damaged.
    """

    attacker: Pokemon | None = None
    damaged: list[Pokemon] = field(default_factory=list)
    answer: int | None = None

    def run(self, game: Game) -> None:
        """Until nothing is left to settle."""
        batch = knocked_out(game)
        worth = [points_for(game, pokemon, self.attacker if pokemon in self.damaged else None) for pokemon in batch]
        for pokemon, points in zip(batch, worth, strict=True):
            self.take(game, pokemon, points)
        if decide(game) or knocked_out(game):  # who loses HP by a Knock Out falls before anybody is promoted
            return
        for player in promotion_order(game):
            if game.active(player) is None:
                self.promote(game, player)
                return
        game.stack.remove(self)

    def take(self, game: Game, pokemon: Pokemon, points: int) -> None:
        """One Knock Out: points to the opponent, everything to the discard piles."""
        side = game.players[pokemon.owner]
        game.say(f"{game.name(pokemon)} of player {pokemon.owner} is Knocked Out: {points} points")
        game.players[1 - pokemon.owner].points += points
        side.lost_count += 1
        if self.attacker is not None and pokemon in self.damaged and self.attacker.owner != pokemon.owner:
            types = types_of(game, pokemon)
            side.lost_types = types | (side.lost_types if side.lost_turn == game.turn else 0)
            side.lost_turn = game.turn
            if any(True for _ in on_pokemon(game, Kind.TO_HAND, pokemon)):
                board.return_to_hand(game, pokemon)
                return
        board.discard_pokemon(game, pokemon)

    def promote(self, game: Game, player: int) -> None:
        """The owner chooses the new Active Pokémon."""
        if self.answer is None:
            options = [CHOICE + slot for slot in (1, 2, 3) if game.players[player].slots[slot] is not None]
            ask(game, self, player, "choose the new Active Pokémon", options)
            return
        slot, self.answer = self.answer - CHOICE, None
        new = game.players[player].slots[slot]
        if new is not None:
            board.switch(game, player, new)


def points_for(game: Game, pokemon: Pokemon, attacker: Pokemon | None) -> int:
    """1, 2 for an ex, 3 for a Mega ex; some effects change it."""
    for _ in on_pokemon(game, Kind.NO_POINTS_COIN, pokemon):
        if coins.flip(game, 1, f"points for {game.name(pokemon)}", pokemon.owner):
            return 0
    points = game.top(pokemon).points
    if attacker is not None and attacker.owner != pokemon.owner and game.is_active(pokemon):
        for source in on_player(game, Kind.MORE_POINTS, attacker.owner):
            if game.table.filters[source.modifier.filter].matches(game.top(attacker)):
                points += source.modifier.amount
    return points


def promotion_order(game: Game) -> tuple[int, int]:
    """Who promotes first when both Active Spots are empty."""
    return (0, 1) if game.rules.promotion == "seat" else (game.current, 1 - game.current)


def decide(game: Game) -> bool:
    """The result after a batch: each side counts its reasons to win; more reasons win, as many tie."""
    empty = [not game.board(player) for player in (0, 1)]
    reasons = [int(game.players[player].points >= MAX_POINTS) + int(empty[1 - player]) for player in (0, 1)]
    if not any(reasons):
        return False
    finish(game, TIE if reasons[0] == reasons[1] else int(reasons[1] > reasons[0]))
    return True


def finish(game: Game, winner: int) -> None:
    """End the game."""
    game.winner = winner
    game.stack.clear()
    game.choice = None
    game.say("the game is a tie" if winner == TIE else f"player {winner} wins")
