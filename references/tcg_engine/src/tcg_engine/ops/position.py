"""Pokémon that move, leave play or evolve; Tools and the Stadium."""

from __future__ import annotations

from tcg_engine import board, conditions, knowledge
from tcg_engine.actions import CHOICE
from tcg_engine.codes import Kind, Op, Row, Use
from tcg_engine.effects import Program, arrive, members, micro_op, question, slot_option, targets
from tcg_engine.lineage import evolves, skips_to
from tcg_engine.modifiers import on_pokemon
from tcg_engine.rng import Stream
from tcg_engine.state import Game, Pokemon

SECOND = 9  # from the option of a Pokémon's first Tool to that of its second


@micro_op(Op.SWITCH, Op.PULL)
def switch(game: Game, program: Program, row: Row) -> bool:
    """The Pokémon of who goes to its owner's Active Spot; an attack cannot move a protected Active.

    arg 1: flag = it did.
    """
    moved = False
    for pokemon in members(game, program, row.who):
        active = game.active(pokemon.owner)
        if active is not None and (
            program.strike is None or pokemon.owner == program.me or active in targets_of(game, program, active)
        ):
            board.switch(game, pokemon.owner, pokemon)
            moved = True
    program.flag = moved if row.arg else program.flag
    return True


def targets_of(game: Game, program: Program, pokemon: Pokemon) -> list[Pokemon]:
    """The Pokémon, unless effects of the opponent's attacks do not reach it."""
    return [] if on_pokemon(game, Kind.PREVENT_EFFECTS, pokemon) else [pokemon]


@micro_op(Op.RETURN_HAND, Op.RETURN_DECK, Op.DISCARD_POKEMON)
def leave_play(game: Game, program: Program, row: Row) -> bool:
    """Each of who leaves play; n = how many.  RETURN_DECK with arg 1: its Tools, too."""
    found = targets(game, program, row)
    for pokemon in found:
        if row.op == Op.RETURN_HAND:
            board.return_to_hand(game, pokemon)
        elif row.op == Op.RETURN_DECK:
            board.return_to_deck(game, pokemon, tools_too=bool(row.arg))
        else:
            board.discard_pokemon(game, pokemon)
    program.n = len(found)
    return True


@micro_op(Op.DEVOLVE)
def devolve(game: Game, program: Program, row: Row) -> bool:
    """The highest Evolution card of each of who returns to the hand."""
    for pokemon in targets(game, program, row):
        if len(pokemon.cards) > 1:
            card = pokemon.cards.pop()
            pokemon.timed.clear()
            conditions.cure(pokemon)
            board.to_hand(game, [card], public=True)
            game.say(f"{game.table.name(game.card(card))} devolves into {game.name(pokemon)}")
    return True


@micro_op(Op.CANDY)
def candy(game: Game, program: Program, row: Row) -> bool:
    """The chosen Basic evolves into a Stage 2 of the hand that the player picks."""
    pokemon = program.chosen
    hand = game.players[program.me].hand
    if pokemon is None:
        return True
    name = game.top(pokemon).name
    options = [CHOICE + i for i, card in enumerate(hand) if skips_to(game.table, game.card(card), name)]
    if not options:
        return True
    answer = question(game, program, program.me, "evolve into which card?", options)
    if answer is None:
        return False
    card = hand.pop(answer - CHOICE)
    knowledge.left_hand(game, program.me, [card])
    board.evolve(game, pokemon, card)
    arrive(game, pokemon, Use.ON_EVOLVE)
    return True


@micro_op(Op.EVOLVE_FROM_DECK)
def evolve_from_deck(game: Game, program: Program, row: Row) -> bool:
    """A random card of the deck that evolves from the first of who goes onto it; the filter is on that card."""
    lets_pass = game.table.matching(row.filter)
    side = game.players[program.me]
    for pokemon in members(game, program, row.who)[:1]:
        name = game.top(pokemon).name
        found = sorted(i for i in side.deck if evolves(game.card(i), name) and game.cards[i] in lets_pass)
        if found:
            card = found[game.random.below(Stream.PICK, len(found))]
            knowledge.leaves_shuffled(game, program.me, card)
            side.deck.remove(card)
            board.evolve(game, pokemon, card)
        board.shuffle(game, program.me)
    return True


# --- Tools and the Stadium -------------------------------------------------------------------------------------


@micro_op(Op.DISCARD_TOOLS, Op.RETURN_TOOLS, Op.TOOLS_TO_DECK)
def remove_tools(game: Game, program: Program, row: Row) -> bool:
    """All Tools of each of who leave it."""
    gone: list[int] = []
    for pokemon in targets(game, program, row):
        gone += pokemon.tools
        pokemon.tools = []
    if row.op == Op.DISCARD_TOOLS:
        board.discard(game, gone)
    elif row.op == Op.RETURN_TOOLS:
        board.to_hand(game, gone, public=True)
    else:
        board.into_deck(game, gone)
    program.n = len(gone)
    return True


@micro_op(Op.DISCARD_STADIUM)
def discard_stadium(game: Game, program: Program, row: Row) -> bool:
    """The Stadium leaves play."""
    if game.stadium >= 0:
        game.say(f"{game.table.name(game.card(game.stadium))} is discarded")
        board.discard(game, [game.stadium])
        game.stadium = -1
    return True


@micro_op(Op.DISCARD_THIS)
def discard_this(game: Game, program: Program, row: Row) -> bool:
    """The Tool that this effect comes from is discarded."""
    for player in (0, 1):
        for pokemon in game.board(player):
            if program.card in pokemon.tools:
                board.discard_tool(game, pokemon, program.card)
    return True


@micro_op(Op.KEEP_THIS)
def keep_this(game: Game, program: Program, row: Row) -> bool:
    """The Trainer card goes to the hand instead of the discard pile."""
    board.to_hand(game, [program.card], public=True)
    program.played = False
    return True


@micro_op(Op.DISCARD_TOOL_OR_STADIUM)
def discard_tool_or_stadium(game: Game, program: Program, row: Row) -> bool:
    """The player picks a Pokémon, whose Tool is discarded, or the Stadium (option 8); 9 and more are second Tools."""
    everybody = [*game.board(program.me), *game.board(1 - program.me)]
    options = [slot_option(game, program.me, pokemon) for pokemon in everybody if pokemon.tools]
    if game.stadium >= 0:
        options.append(CHOICE + 8)
    options += [SECOND + slot_option(game, program.me, pokemon) for pokemon in everybody if len(pokemon.tools) > 1]
    if not options:
        return True
    answer = question(game, program, program.me, "discard which Tool, or the Stadium?", options)
    if answer is None:
        return False
    if answer == CHOICE + 8:
        return discard_stadium(game, program, row)
    for pokemon in everybody:
        if slot_option(game, program.me, pokemon) in (answer, answer - SECOND):
            board.discard_tool(game, pokemon, pokemon.tools[answer > CHOICE + 8])
    return True
