"""What only a few cards do: the end of the turn, copies, coins that are sure."""

from __future__ import annotations

from tcg_engine import knowledge
from tcg_engine.actions import CHOICE
from tcg_engine.cards import Card
from tcg_engine.codes import CardKind, Op, Row, Who
from tcg_engine.effects import Program, members, micro_op, question
from tcg_engine.energy import can_afford
from tcg_engine.ops.cards import pick
from tcg_engine.rng import Stream
from tcg_engine.state import Game


@micro_op(Op.END_TURN)
def end_turn(game: Game, program: Program, row: Row) -> bool:
    """The turn ends after this effect."""
    game.turn_over = True
    return True


@micro_op(Op.AGAIN)
def again(game: Game, program: Program, row: Row) -> bool:
    """The attack is used a second time, with amount as its damage."""
    if program.strike is not None:
        program.strike.again = row.amount
    return True


@micro_op(Op.NEXT_COIN_HEADS)
def next_coin_heads(game: Game, program: Program, row: Row) -> bool:
    """The first coin of the next batch this turn is heads."""
    game.coin_heads = True
    return True


@micro_op(Op.COPY_ATTACK)
def copy_attack(game: Game, program: Program, row: Row) -> bool:
    """Use an attack of who as this attack (section 14): only this attack's cost is paid, no copy of a copy.

    arg bit 0: this Pokémon must have the energy of the copied attack; bit 1: not of a Pokémon ex; bit 2: a random
    one of the opponent's hand and deck.
    """
    strike = program.strike
    if strike is None:
        return True
    cards = [game.top(pokemon) for pokemon in members(game, program, row.who)]
    if row.arg & 4:
        foe = game.players[1 - program.me]
        cards = [game.card(card) for card in sorted([*foe.hand, *foe.deck])]
    pairs = [
        (card, number)
        for card in cards
        for number in range(len(card.attacks))
        if not _copies(game, card, number) and not (row.arg & 2 and card.ex)
    ][:24]
    if not pairs:
        return end(game, program)
    if row.arg & 4:
        card, number = pairs[game.random.below(Stream.PICK, len(pairs))]
    else:
        names = ", ".join(game.table.names[card.attacks[number].name] for card, number in pairs)
        options = [CHOICE + i for i in range(len(pairs))]
        shown = [card.index for card, _ in pairs]
        answer = question(game, program, program.me, f"copy which attack: {names}", options, shown)
        if answer is None:
            return False
        card, number = pairs[answer - CHOICE]
    attack = card.attacks[number]
    if row.arg & 1 and not can_afford(game, strike.attacker, attack):
        return end(game, program)
    game.say(f"it uses {game.table.names[attack.name]}")
    strike.copied, strike.name, strike.cost = True, attack.name, attack.cost
    strike.base = 0 if attack.per else attack.damage
    copy = Program(attack.program, program.me, program.source, strike=strike)
    if not copy.usable(game):
        return end(game, program)
    program.number, program.pc, program.n, program.flag, program.chosen = attack.program, -1, 0, False, None
    return True


def end(game: Game, program: Program) -> bool:
    """The attack does nothing."""
    program.pc = len(program.rows(game))
    return True


def _copies(game: Game, card: Card, number: int) -> bool:
    return any(row.op == Op.COPY_ATTACK for row in game.table.programs[card.attacks[number].program])


@micro_op(Op.COPY_SUPPORTER)
def copy_supporter(game: Game, program: Program, row: Row) -> bool:
    """Use the effect of a random Supporter of the opponent's hand (who FOE_ACTIVE) or deck (FOE_ALL), seen by both."""
    foe = game.players[1 - program.me]
    zone = foe.hand if row.who == Who.FOE_ACTIVE else foe.deck
    lets_pass = game.table.matching(row.filter)
    pool = [i for i in zone if game.card(i).kind == CardKind.SUPPORTER and game.cards[i] in lets_pass]
    for instance in pick(game, pool, 1):
        card = game.card(instance)
        game.say(f"it has the effect of {game.table.name(card)}")
        if zone is foe.hand:
            knowledge.seen_in_hand(game, 1 - program.me, [instance])
        else:
            knowledge.seen_in_deck(game, 1 - program.me, [instance])
        copy = Program(card.program, program.me, program.source)
        if copy.usable(game):
            game.stack.append(Program(card.program, program.me, program.source))
    return True
