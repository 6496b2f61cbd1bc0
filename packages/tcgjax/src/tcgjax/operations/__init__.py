"""The micro-ops: which questions they ask first, and their bodies, one module per family."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, xp, zones
from tcgjax.arrays import Record, at, total, when
from tcgjax.codes import Op
from tcgjax.counting import Row
from tcgjax.layout import DECK, HAND
from tcgjax.operations import cards as card_ops
from tcgjax.operations import choices, energy, hits, position, special
from tcgjax.operations.common import Body, fill, hand_options, kinds_of, next_place, room, side_of, unlike
from tcgjax.tables import Cards
from tcgjax.zones import cards_in

ACTS: Final[tuple[tuple[tuple[Op, ...], Body], ...]] = (
    ((Op.HIT,), hits.hit),
    ((Op.FLIP, Op.FLIP_N, Op.FLIP_TAILS), choices.flip),
    ((Op.CHOOSE,), choices.choose),
    ((Op.CHOOSE_SPOT,), choices.choose_spot),
    ((Op.MAY, Op.CHOOSE_OPTION), choices.may),
    ((Op.STOP,), choices.stop),
    ((Op.BASE_ADD, Op.BASE_ADD_N, Op.BASE_N), hits.base),
    ((Op.SPREAD, Op.SPREAD_N, Op.SPREAD_ENERGY), hits.spread),
    ((Op.RANDOM_SPREAD,), hits.random_spread),
    ((Op.IGNORE,), hits.ignore),
    ((Op.DAMAGE,), hits.put_damage),
    ((Op.HEAL, Op.HEAL_ALL, Op.HEAL_DEALT), hits.heal),
    ((Op.KNOCK_OUT, Op.SET_HP, Op.HALVE_HP), hits.set_hp),
    ((Op.MOVE_DAMAGE,), hits.move_damage),
    ((Op.DELAYED_DAMAGE,), hits.delayed_damage),
    ((Op.AFFLICT,), hits.afflict),
    ((Op.AFFLICT_RANDOM,), hits.afflict_random),
    ((Op.CURE,), hits.cure),
    ((Op.CURE_RANDOM,), hits.cure_random),
    ((Op.ATTACH_ZONE,), energy.attach_zone),
    ((Op.ATTACH_DISCARD,), energy.attach_discard),
    ((Op.ATTACH_PICKED,), energy.attach_picked),
    ((Op.DISCARD_ENERGY,), energy.discard_energy),
    ((Op.DISCARD_ALL,), energy.discard_all),
    ((Op.DISCARD_RANDOM_ANY,), energy.discard_random_any),
    ((Op.PAY_ENERGY,), energy.pay_energy),
    ((Op.MOVE_ENERGY,), energy.move_energy),
    ((Op.MOVE_ENERGY_FROM,), energy.move_energy_from),
    ((Op.MOVE_ENERGY_FREELY,), energy.move_freely),
    ((Op.CHANGE_NEXT,), energy.change_next),
    ((Op.CHANGE_ATTACHED,), energy.change_attached),
    ((Op.REROLL_ENERGY,), energy.reroll_energy),
    ((Op.DRAW, Op.DRAW_N, Op.DRAW_TO), card_ops.draw),
    ((Op.SEARCH_HAND, Op.RECOVER), card_ops.search),
    ((Op.PICK_DISCARD,), card_ops.pick_discard),
    ((Op.FOE_DISCARD_TO_BENCH,), card_ops.foe_discard_to_bench),
    ((Op.SEARCH_BENCH,), card_ops.search_bench),
    ((Op.MILL,), card_ops.mill),
    ((Op.LOOK_TOP,), card_ops.look_top),
    ((Op.TAKE_TOP,), card_ops.take_top),
    ((Op.PEEK_OR_BOTTOM,), card_ops.peek_or_bottom),
    ((Op.REORDER,), card_ops.reorder),
    ((Op.SHUFFLE_DECK,), card_ops.shuffle_deck),
    ((Op.REVEAL_TOP_COUNT,), card_ops.reveal_top_count),
    ((Op.KNOW_DECK,), card_ops.know_deck),
    ((Op.HAND_TO_DECK,), card_ops.hand_to_deck),
    ((Op.FOE_RANDOM_TO_DECK, Op.FOE_RANDOM_DISCARD), card_ops.foe_random),
    ((Op.FOE_CHOICE,), card_ops.foe_choice),
    ((Op.REVEAL_HAND,), card_ops.reveal_hand),
    ((Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK), card_ops.give_up_cards),
    ((Op.FOE_DISCARD_TO,), card_ops.foe_discard_to),
    ((Op.SWAP_HAND_DECK,), card_ops.swap_hand_deck),
    ((Op.RANDOM_HAND_TO_DECK,), card_ops.random_hand_to_deck),
    ((Op.REVEAL_COUNT,), card_ops.reveal_count),
    ((Op.SWITCH, Op.PULL), position.switch),
    ((Op.RETURN_HAND, Op.RETURN_DECK, Op.DISCARD_POKEMON), position.leave_play),
    ((Op.DEVOLVE,), position.devolve),
    ((Op.CANDY,), position.candy),
    ((Op.EVOLVE_FROM_DECK,), position.evolve_from_deck),
    ((Op.DISCARD_TOOLS, Op.RETURN_TOOLS, Op.TOOLS_TO_DECK), position.remove_tools),
    ((Op.DISCARD_STADIUM,), position.discard_stadium),
    ((Op.DISCARD_THIS,), position.discard_this),
    ((Op.KEEP_THIS,), position.keep_this),
    ((Op.DISCARD_TOOL_OR_STADIUM,), position.discard_tool_or_stadium),
    ((Op.TIMED,), special.timed),
    ((Op.TIMED_PLAYER,), special.timed_player),
    ((Op.LOCK_ATTACK,), special.lock_attack),
    ((Op.END_TURN,), special.end_turn),
    ((Op.AGAIN,), special.again),
    ((Op.NEXT_COIN_HEADS,), special.next_coin_heads),
    ((Op.COPY_ATTACK,), special.copy_attack),
    ((Op.COPY_SUPPORTER,), special.copy_supporter),
)
"""Every micro-op that acts, with its body."""
YES_OR_NO: Final = np.arange(24) < 2


def asked_by(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> tuple[Any, Any, Any, Any]:
    """What the row asks before it acts.

    Returns:
        Whether anything, who is asked, the options (bool [24]), and whether "no more" is one.
    """
    prepare(game, cards, row)
    me, foe = game.r_me, 1 - game.r_me
    nothing = xp.zeros((24,), xp.bool_)
    by_foe = (row.op == Op.CHOOSE) & ((row.arg & 1) != 0)
    chooser = xp.where(by_foe, foe, me)
    giver, taker = next_place(scene.meant, me), next_place(scene.takers, me)
    moves_from = energy.payable(game, giver, row.types) & (taker >= 0) & (giver != taker)
    pile_kinds = kinds_of(row.types) & (at(game.discard_energy, me) > 0) & (game.pile[:9] == 0) & (giver >= 0)
    pays = energy.payable(game, scene.source, row.types) & (xp.maximum(game.r_parked, 0) < row.amount)
    freely, freely_ends = move_freely_options(game, rules, row)
    own_unlike = unlike(game, cards, me, row.filter)[1]
    foe_unlike = unlike(game, cards, foe, row.filter)[1]
    index = np.arange(24, dtype=np.int32)
    of_pile = (index < total(own_unlike)) & (room(game, me) > 0)
    of_foes_pile = (index < total(foe_unlike)) & (board.free_slot(game, foe) >= 0)
    tools = choices.slot_options(rules.there & (game.tools[:, 0] >= 0), me)
    left = index < total(cards_in(game, DECK, side_of(game, row.who)) & (game.position < game.r_parked))
    left = index < (total(left) - total(game.pile > 0))
    own_hand, foe_hand = hand_options(game, cards, me, row.filter), hand_options(game, cards, foe, row.filter)
    gives = own_hand & (total(game.pile > 0) < game.r_parked)
    whole_hand = index < zones.size(game, HAND, foe)
    copied = special.copies(game, cards, rules, scene, row)[2]
    questions = (
        ((Op.FLIP, Op.FLIP_N, Op.FLIP_TAILS), YES_OR_NO & choices.can_reflip(game, rules)),
        ((Op.CHOOSE,), fill(choices.slot_options(choices.not_picked(game, scene, row), chooser))),
        ((Op.CHOOSE_SPOT,), (index >= 4) & (index < 8)),
        ((Op.MAY, Op.CHOOSE_OPTION), YES_OR_NO),
        ((Op.ATTACH_PICKED,), fill(pile_kinds)),
        ((Op.PAY_ENERGY,), fill(pays)),
        ((Op.MOVE_ENERGY_FROM,), fill(moves_from)),
        ((Op.MOVE_ENERGY_FREELY,), freely),
        ((Op.PICK_DISCARD,), of_pile),
        ((Op.FOE_DISCARD_TO_BENCH,), of_foes_pile),
        ((Op.REORDER,), left),
        ((Op.FOE_CHOICE,), foe_hand),
        ((Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK), gives),
        ((Op.FOE_DISCARD_TO,), whole_hand & (total(whole_hand) > row.amount)),
        ((Op.SWAP_HAND_DECK,), own_hand),
        ((Op.CANDY,), fill(position.candy_options(game, cards, scene))),
        ((Op.DISCARD_TOOL_OR_STADIUM,), fill(xp.concatenate([tools, (game.stadium >= 0)[None]]))),
        ((Op.COPY_ATTACK,), (index < total(copied)) & ((row.arg & 4) == 0) & game.r_strikes),
    )
    options = nothing
    for ops, flags in questions:
        for op in ops:
            options = xp.where(row.op == op, flags, options)
    declines = (row.op == Op.CHOOSE) & ((row.arg & 4) != 0)
    gives_less = ((row.op == Op.DISCARD_HAND) | (row.op == Op.HAND_PICK_TO_DECK)) & ((row.arg & 1) != 0)
    freely_ends = (row.op == Op.MOVE_ENERGY_FREELY) & freely_ends
    actor = xp.where(by_foe | (row.op == Op.FOE_DISCARD_TO), foe, me)
    wanted = options.any()
    return wanted, actor, options, wanted & (declines | gives_less | freely_ends)


def prepare(game: Record, cards: Cards, row: Row) -> None:
    """What comes before the question: coins are tossed, cards are shown."""
    flips = (row.op == Op.FLIP) | (row.op == Op.FLIP_N) | (row.op == Op.FLIP_TAILS)
    begins = flips & (game.r_parked < 0)
    when(cards.ops, "toss", begins, lambda g: choices.toss(g, row, xp.bool_(True)), game)
    reorders = row.op == Op.REORDER
    when(cards.ops, "look", reorders, lambda g: card_ops.begin_reorder(g, row, reorders), game)
    gives = (row.op == Op.DISCARD_HAND) | (row.op == Op.HAND_PICK_TO_DECK)
    when(cards.ops, "give up", gives, lambda g: card_ops.begin_give_up(g, row, gives), game)
    shows = cards_in(game, HAND, 1 - game.r_me) & (row.op == Op.FOE_CHOICE)
    zones.reveal(game, game.r_me, shows)


def move_freely_options(game: Record, rules: Record, row: Row) -> tuple[Any, Any]:
    """The options of MOVE_ENERGY_FREELY's three questions in turn, and whether it may end."""
    me = game.r_me
    from_where = energy.can_move(game, rules, me) & (xp.maximum(game.r_parked, 0) < row.amount)
    giver = me * np.int32(4) + xp.maximum(game.r_spot, 0)
    which = at(game.energy, giver) > 0
    mine = xp.where(me == 0, rules.there[:4], rules.there[4:])
    to_where = mine & (np.arange(4) != game.r_spot)
    first, second = game.r_spot < 0, game.r_n < 100
    options = xp.where(first, fill(from_where), xp.where(second, fill(which), fill(to_where)))
    return options, first


__all__ = ["ACTS", "asked_by"]
