"""Programs that begin in the middle of something, if their heads allow it; decided with the rules in force by then.

Their heads run as any rows do; if they do not allow it, the program is over before a row of it acts.
"""

from __future__ import annotations

from typing import Any, Final

from tcgjax import board, triggers, xp
from tcgjax.arrays import Record, at
from tcgjax.codes import CardColumn, Use
from tcgjax.layout import NOBODY
from tcgjax.tables import Cards

NOTHING, ARRIVES, SUPPORTER, COPIED = range(4)
"""What waits to begin: the Ability of a Pokémon that was just played; the effect of a Supporter; a copied attack, whose
program is the one on top already and ends if its head does not allow it."""
FIELDS: Final = ("start_mode", "start_number", "start_me", "start_source", "start_use")


def nothing() -> dict[str, Any]:
    """Nothing waits."""
    return {"start_source": xp.int32(NOBODY)} | {n: xp.int32(0) for n in FIELDS if n != "start_source"}


def _wait(game: Record, mode: int, where: Any, **values: Any) -> None:
    game.start_mode = xp.where(where, mode, game.start_mode)
    for name, value in values.items():
        before = getattr(game, f"start_{name}")
        setattr(game, f"start_{name}", xp.where(where, value, before).astype(xp.int32))


def arrive(game: Record, pokemon: Any, use: Use, where: Any) -> None:
    """A Pokémon was just played from the hand; the player may use its Ability."""
    _wait(game, ARRIVES, where, source=pokemon, use=int(use))


def use_supporter(game: Record, program: Any, me: Any, source: Any, where: Any) -> None:
    """The effect of a Supporter follows."""
    _wait(game, SUPPORTER, where, number=program, me=me, source=source)


def check_attack(game: Record, program: Any, me: Any, source: Any, where: Any) -> None:
    """The program on top has become that of a copied attack."""
    _wait(game, COPIED, where, number=program, me=me, source=source)


def begin(game: Record, cards: Cards, rules: Record) -> None:
    """Put what waits on the stack, if it may begin; whether it goes on is for the head of its program (`checks`)."""
    place = board.place_of(game, game.start_source)
    arrives, copied = game.start_mode == ARRIVES, game.start_mode == COPIED
    card = at(rules.top, place)
    number = xp.where(arrives, cards.card(card, CardColumn.PROGRAM), game.start_number)
    me = xp.where(arrives, at(board.OWNERS, place), game.start_me)
    has_use = cards.card(card, CardColumn.USE) == game.start_use
    wanted = ~arrives | ((place >= 0) & has_use & at(rules.has_ability, place))
    triggers.push(game, number, me, wanted & ~copied, source=game.start_source)
    game.checks = wanted
    game.__dict__.update(nothing())
