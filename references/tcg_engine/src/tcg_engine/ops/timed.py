"""Effects that last (RULES.md, section 11)."""

from __future__ import annotations

from tcg_engine.codes import Duration, Op, Row, Who
from tcg_engine.effects import Program, micro_op, targets
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Timed

FOREVER = 10_000


def timed(game: Game, program: Program, row: Row) -> Timed:
    """The effect of a row: Modifier arg for the Duration amount."""
    turn = game.turn
    start, end = {
        Duration.THIS_TURN: (turn, turn),
        Duration.FOES_NEXT_TURN: (turn + 1, turn + 1),
        Duration.MY_NEXT_TURN: (turn + 2, turn + 2),
        Duration.WHILE_ACTIVE: (turn, FOREVER),
        Duration.THROUGH_FOES_TURN: (turn, turn + 1),
    }[Duration(row.amount)]
    return Timed(row.arg, start, end, program.me)


@micro_op(Op.TIMED)
def on_pokemon(game: Game, program: Program, row: Row) -> bool:
    """Put a modifier on each of who."""
    for pokemon in targets(game, program, row):
        pokemon.timed.append(timed(game, program, row))
        game.say(f"an effect lies on {game.name(pokemon)}")
    return True


@micro_op(Op.TIMED_PLAYER)
def on_player(game: Game, program: Program, row: Row) -> bool:
    """Put a modifier on a player."""
    player = program.me if row.who == Who.MY_ALL else 1 - program.me
    game.players[player].timed.append(timed(game, program, row))
    game.say(f"an effect lies on player {player}")
    return True


@micro_op(Op.LOCK_ATTACK)
def lock_attack(game: Game, program: Program, row: Row) -> bool:
    """One attack of each of who, at random, cannot be used."""
    for pokemon in targets(game, program, row):
        attacks = game.top(pokemon).attacks
        if attacks:
            item = timed(game, program, row)
            item.arg = attacks[game.random.below(Stream.PICK, len(attacks))].name
            pokemon.timed.append(item)
            game.say(f"{game.name(pokemon)} cannot use {game.table.names[item.arg]}")
    return True


def expire(game: Game) -> None:
    """Drop the effects whose last turn is over."""
    for player in game.players:
        player.timed = [item for item in player.timed if item.end >= game.turn]
        for pokemon in player.slots:
            if pokemon is not None:
                pokemon.timed = [item for item in pokemon.timed if item.end >= game.turn]
