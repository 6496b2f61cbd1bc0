"""The micro-ops: which questions they ask first, and their bodies, one module per family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tcgjax import board, knowledge, xp, zones
from tcgjax.arrays import Record, at, one_of, total, when, when_itself
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
    ((Op.PICK_DISCARD, Op.FOE_DISCARD_TO_BENCH), card_ops.pick_discard),
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
INDEX: Final = np.arange(24, dtype=np.int32)
YES_OR_NO: Final = INDEX < 2


def list_what_is_picked(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> None:
    """What a question and the body behind it both go through: cards of a discard pile, attacks that can be copied."""
    scene.pile, scene.unlike = xp.zeros((20,), xp.int32), xp.zeros((20,), xp.bool_)
    scene.copy_card = scene.copy_number = xp.zeros((40,), xp.int32)
    scene.copies = xp.zeros((40,), xp.bool_)

    def list_cards(scene: Record) -> None:
        player = xp.where(row.op == Op.FOE_DISCARD_TO_BENCH, 1 - game.r_me, game.r_me)
        scene.pile, scene.unlike = unlike(game, cards, player, row.filter)

    def list_attacks(scene: Record) -> None:
        scene.copy_card, scene.copy_number, scene.copies = special.copies(game, cards, rules, scene, row)

    picks = one_of(row.op, (Op.PICK_DISCARD, Op.FOE_DISCARD_TO_BENCH))
    when("list cards", picks, list_cards, scene)
    when("list attacks", row.op == Op.COPY_ATTACK, list_attacks, scene)


def asked_by(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> tuple[Any, Any, Any, Any]:
    """What the row asks before it acts.

    Returns:
        Whether anything, who is asked, the options (bool [24]), and whether "no more" is one.
    """
    prepare(game, cards, row)
    me, foe = game.r_me, 1 - game.r_me
    by_foe = (row.op == Op.CHOOSE) & ((row.arg & 1) != 0)
    asked = Record(options=xp.zeros((24,), xp.bool_))
    for ops, options in QUESTIONS:
        asks = one_of(row.op, ops)

        def put_options(box: Record, asks: Any = asks, options: Options = options) -> None:
            box.options = xp.where(asks, options(game, cards, rules, scene, row), box.options)

        when_itself(f"ask {ops[0].name.lower()}", asks, put_options, asked)
    declines = (row.op == Op.CHOOSE) & ((row.arg & 4) != 0)
    gives_less = one_of(row.op, (Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK)) & ((row.arg & 1) != 0)
    freely_ends = (row.op == Op.MOVE_ENERGY_FREELY) & (game.r_spot < 0)
    actor = xp.where(by_foe | (row.op == Op.FOE_DISCARD_TO), foe, me)
    wanted = asked.options.any()
    return wanted, actor, asked.options, wanted & (declines | gives_less | freely_ends)


def prepare(game: Record, cards: Cards, row: Row) -> None:
    """What comes before the question: coins are tossed, cards are shown."""
    foe = 1 - game.r_me
    flips = (row.op == Op.FLIP) | (row.op == Op.FLIP_N) | (row.op == Op.FLIP_TAILS)
    begins = flips & (game.r_parked < 0)
    when("toss", begins, lambda g: choices.toss(g, row, xp.bool_(True)), game)
    reorders = row.op == Op.REORDER
    when("look", reorders, lambda g: card_ops.begin_reorder(g, cards, row, reorders), game)
    gives = (row.op == Op.DISCARD_HAND) | (row.op == Op.HAND_PICK_TO_DECK)
    when("give up", gives, lambda g: card_ops.begin_give_up(g, row, gives), game)
    shows = row.op == Op.FOE_CHOICE
    hand = zones.half(cards_in(game, HAND, foe), foe)
    knowledge.tell(game, cards, "show", foe, shows, lambda k: knowledge.hand_seen(k, hand))


# --- what each question offers: bool [24] ------------------------------------------------------------------------


def reflip_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Yes or no, if coins may be flipped again."""
    return YES_OR_NO & choices.can_reflip(game, rules)


def choose_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Places, seen from who chooses."""
    chooser = xp.where((row.arg & 1) != 0, 1 - game.r_me, game.r_me)
    return fill(choices.slot_options(choices.not_picked(game, scene, row), chooser))


def spot_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """The opponent's places."""
    return xp.asarray((INDEX >= 4) & (INDEX < 8))


def yes_or_no(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Yes or no."""
    return xp.asarray(YES_OR_NO)


def pile_energy_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Types of energy in the discard pile that were not attached yet."""
    kinds = kinds_of(row.types) & (at(game.discard_energy, game.r_me) > 0) & (game.pile[:9] == 0)
    return fill(kinds & (next_place(scene.meant, game.r_me) >= 0))


def pay_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Types of energy on the source."""
    return fill(energy.payable(game, scene.source, row.types) & (xp.maximum(game.r_parked, 0) < row.amount))


def move_from_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Types of energy on the giver."""
    giver, taker = next_place(scene.meant, game.r_me), next_place(scene.takers, game.r_me)
    return fill(energy.payable(game, giver, row.types) & (taker >= 0) & (giver != taker))


def move_freely_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """From where, which type, to where: three questions in turn."""
    me = game.r_me
    from_where = energy.can_move(game, rules, me) & (xp.maximum(game.r_parked, 0) < row.amount)
    giver = me * np.int32(4) + xp.maximum(game.r_spot, 0)
    which = at(game.energy, giver) > 0
    mine = xp.where(me == 0, rules.there[:4], rules.there[4:])
    to_where = mine & (np.arange(4) != game.r_spot)
    first, second = game.r_spot < 0, game.r_n < 100
    return xp.where(first, fill(from_where), xp.where(second, fill(which), fill(to_where)))


def pile_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Different cards of a discard pile, if there is room for one where it goes."""
    to_bench = row.op == Op.FOE_DISCARD_TO_BENCH
    player = xp.where(to_bench, 1 - game.r_me, game.r_me)
    there = xp.where(to_bench, board.free_slot(game, player) >= 0, room(game, player) > 0)
    return (total(scene.unlike) > INDEX) & there


def reorder_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Cards on top of a deck that have no place yet."""
    left = total(cards_in(game, DECK, side_of(game, row.who)) & (game.position < game.r_parked))
    return (left > INDEX) & (left - total(game.pile > 0) > INDEX)


def hand_card_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Matching cards of a hand, for those ops that give some away as long as some are due."""
    gives = one_of(row.op, (Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK))
    held = xp.where(row.op == Op.FOE_CHOICE, card_ops.shown_hand(game, cards), zones.hand(game, game.r_me))
    return hand_options(game, cards, held, row.filter) & (~gives | (total(game.pile > 0) < game.r_parked))


def whole_hand_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """All cards of the opponent's hand, if there are more than may stay."""
    held = zones.size(game, HAND, 1 - game.r_me)
    return (held > INDEX) & (held > row.amount)


def candy_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Cards of the hand that skip to the chosen Pokémon."""
    return fill(position.candy_options(game, cards, scene))


def tool_or_stadium_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Places with a Tool, the Stadium, and places with a second Tool."""
    tools, second = (choices.slot_options(rules.there & (game.tools[:, i] >= 0), game.r_me)[:8] for i in (0, 1))
    return fill(xp.concatenate([tools, (game.stadium >= 0)[None], second]))


def copy_options(game: Record, cards: Cards, rules: Record, scene: Record, row: Row) -> Any:
    """Attacks that can be copied."""
    return (total(scene.copies) > INDEX) & ((row.arg & 4) == 0) & game.r_strikes


Options = Callable[[Record, Cards, Record, Record, Row], Any]
QUESTIONS: Final[tuple[tuple[tuple[Op, ...], Options], ...]] = (
    ((Op.FLIP, Op.FLIP_N, Op.FLIP_TAILS), reflip_options),
    ((Op.CHOOSE,), choose_options),
    ((Op.CHOOSE_SPOT,), spot_options),
    ((Op.MAY, Op.CHOOSE_OPTION), yes_or_no),
    ((Op.ATTACH_PICKED,), pile_energy_options),
    ((Op.PAY_ENERGY,), pay_options),
    ((Op.MOVE_ENERGY_FROM,), move_from_options),
    ((Op.MOVE_ENERGY_FREELY,), move_freely_options),
    ((Op.PICK_DISCARD, Op.FOE_DISCARD_TO_BENCH), pile_options),
    ((Op.REORDER,), reorder_options),
    ((Op.FOE_CHOICE, Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK, Op.SWAP_HAND_DECK), hand_card_options),
    ((Op.FOE_DISCARD_TO,), whole_hand_options),
    ((Op.CANDY,), candy_options),
    ((Op.DISCARD_TOOL_OR_STADIUM,), tool_or_stadium_options),
    ((Op.COPY_ATTACK,), copy_options),
)
"""What a row asks before it acts; the others ask nothing."""


__all__ = ["ACTS", "asked_by", "list_what_is_picked"]
