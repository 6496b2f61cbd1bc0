"""Pokémon that move, leave play or evolve; Tools and the Stadium."""

from __future__ import annotations

from typing import Any

import numpy as np

from tcgjax import board, knowledge, starts, xp, zones
from tcgjax.arrays import Record, at, first, put, total
from tcgjax.board import OWNERS, PLACE
from tcgjax.codes import CardColumn, Op, Use
from tcgjax.counting import Row
from tcgjax.layout import DECK, DISCARD, HAND, IN_PLAY, NOBODY, STADIUM
from tcgjax.operations.choices import chosen_place
from tcgjax.operations.common import due, for_each, next_place, room
from tcgjax.operations.moving import move
from tcgjax.tables import Cards
from tcgjax.zones import INDEX


def switch(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The Pokémon of who goes to its owner's Active Spot; an attack cannot move a protected Active.

    arg 1: flag = it did.
    """
    place = next_place(scene.meant, game.r_me)
    owner = at(OWNERS, place)
    spot = board.active_place(owner)
    reaches = ~game.r_strikes | (owner == game.r_me) | ~at(rules.protected, spot)
    moves = (place >= 0) & at(rules.there, spot) & reaches
    board.switch(game, owner, place, moves)
    game.r_flag = xp.where(row.arg != 0, moves, game.r_flag)


def leave_play(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """Each of who leaves play (`knockouts.settle`), to the hand, into the deck or to the discard pile; n = how many.

    RETURN_DECK with arg 1: its Tools, too.
    """
    game.leaves, game.leaves_first = scene.reached, game.r_me
    game.leaves_to = xp.where(row.op == Op.RETURN_HAND, HAND, xp.where(row.op == Op.RETURN_DECK, DECK, DISCARD))
    game.leaves_whole = row.arg != 0
    game.r_n = total(scene.reached)


def devolve(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The highest Evolution card of each of who returns to the hand."""

    def back(game: Record, place: Any, where: Any) -> None:
        held = at(game.cards, place)
        level = xp.where(held[2] >= 0, 2, xp.where(held[1] >= 0, 1, NOBODY))
        where = where & (level >= 0)
        card = at(held, level)
        game.cards = put(game.cards, place, put(held, level, NOBODY), where)
        board.clear_effects(game, place, where)
        board.cure(game, (place == PLACE) & where)
        knowledge.came_to_hand(game, zones.send(game, zones.owner(card), [card], [True], where))

    for_each(game, cards, board.LEAVING, scene.reached, back)


def candy_options(game: Record, cards: Cards, scene: Record) -> Any:
    """The positions of the hand whose Stage 2 skips to the chosen Pokémon, bool [10]."""
    chosen = board.card_of(game, cards, at(board.top_instances(game), scene.chosen))
    held = zones.hand(game, game.r_me)
    skips = cards.card(board.card_of(game, cards, held), CardColumn.SKIPS_FROM) == cards.card(chosen, CardColumn.NAME)
    return (held >= 0) & skips & (scene.chosen >= 0)


def candy(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The chosen Basic evolves into a Stage 2 of the hand that the player picks."""
    evolves = scene.asks & scene.answered
    card = zones.card_at(game, HAND, game.r_me, scene.option)
    move(game, times=evolves & (card >= 0), card=card, to=IN_PLAY, onto=scene.chosen)
    starts.arrive(game, game.r_chosen, Use.ON_EVOLVE, evolves)


def evolve_from_deck(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """A random card of the deck that evolves from the first of who goes onto it; the filter is on that card."""
    place = next_place(scene.meant, game.r_me)
    name = cards.card(at(rules.top, place), CardColumn.NAME)
    chosen = {"of": game.r_me, "only": True, "evolves": name, "random": True, "most": 1}
    move(game, times=place >= 0, **chosen, to=IN_PLAY, onto=place)
    due(game, game.r_me, (place >= 0).astype(xp.int32))


# --- Tools and the Stadium -------------------------------------------------------------------------------------


def remove_tools(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """All Tools of each of who leave it, to the discard pile, the hand or the deck; n = how many."""
    gone_in_all = total((game.tools >= 0) & scene.reached[:, None])
    owners = xp.stack([((game.tools >= 0) & (scene.reached & (player == OWNERS))[:, None]).any() for player in (0, 1)])

    def leave(game: Record, place: Any, where: Any) -> None:
        tools = at(game.tools, place)
        game.tools = put(game.tools, place, NOBODY, where)
        for tool in (tools[0], tools[1]):
            here = where & (tool >= 0)
            to_deck = row.op == Op.TOOLS_TO_DECK
            back = zones.send(game, zones.owner(tool), [tool], [row.op == Op.RETURN_TOOLS], here & ~to_deck)
            knowledge.came_to_hand(game, back)
            knowledge.came_into_decks(game, (tool == INDEX) & here & to_deck)
            zones.into_decks(game, (tool == INDEX) & here & to_deck)

    for_each(game, cards, ("tools", "zone", "position", *knowledge.FIELDS), scene.reached, leave)
    game.shuffles = game.shuffles + (owners & (row.op == Op.TOOLS_TO_DECK))
    game.r_n = gone_in_all


def drop_stadium(game: Record, where: Any) -> None:
    """The Stadium leaves play."""
    where = where & (game.stadium >= 0)
    zones.discard(game, game.stadium, where)
    game.stadium = xp.where(where, NOBODY, game.stadium)


def discard_stadium(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The Stadium leaves play."""
    move(game, times=game.stadium >= 0, card=game.stadium, to=DISCARD)
    game.stadium = xp.int32(NOBODY)


def drop_tool(game: Record, place: Any, tool: Any, where: Any) -> None:
    """An attached Tool leaves its place; the other one moves up."""
    tools = at(game.tools, place)
    rest = xp.where(tools[0] == tool, tools[1], tools[0])
    left = xp.where(np.arange(2) == 0, rest, NOBODY)
    game.tools = put(game.tools, place, left, where)


def discard_this(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The Tool that this effect comes from is discarded."""
    place = first(((game.tools == game.r_held) & (game.r_held >= 0)).any(axis=1))
    drop_tool(game, place, game.r_held, place >= 0)
    move(game, times=place >= 0, card=game.r_held, to=DISCARD)


def keep_this(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The Trainer card goes to the hand instead of the discard pile."""
    owner = zones.owner(game.r_held)
    fits = room(game, owner) > 0
    move(game, times=game.r_held >= 0, card=game.r_held, to=xp.where(fits, HAND, DISCARD))
    game.r_played = xp.bool_(False)


def discard_tool_or_stadium(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """The player picks a Pokémon, whose Tool is discarded, or the Stadium (option 8); 9 and more are second Tools."""
    picks, second = scene.asks & scene.answered, scene.option > 8
    option = xp.where(second, scene.option - 9, scene.option)
    place = xp.where(picks, chosen_place(game, game.r_me, option), NOBODY)
    tool, is_stadium = at(at(game.tools, place), second.astype(xp.int32)), picks & (scene.option == 8)
    card = xp.where(is_stadium, game.stadium, xp.where(place >= 0, tool, NOBODY))
    drop_tool(game, place, tool, place >= 0)
    game.stadium = xp.where(is_stadium, NOBODY, game.stadium)
    move(game, times=card >= 0, card=card, to=DISCARD)


def stadium_there(game: Record, instance: Any) -> None:
    """A Stadium comes into play."""
    zones.set_zone(game, instance, STADIUM)
    game.stadium = instance


def tool_there(game: Record, place: Any, instance: Any) -> None:
    """A Tool is attached."""
    zones.set_zone(game, instance, IN_PLAY)
    row = at(game.tools, place)
    game.tools = put(game.tools, place, put(row, first(row < 0), instance))
