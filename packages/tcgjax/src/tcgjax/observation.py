"""What a player may know, and nothing else (RULES.md, sections 2.3 and 12), as four arrays.

`CARDS`, `MODIFIERS` and `NUMBERS` say what lies where, in this order; the reference's gives the same.
Sides are seen from the player: own things first, own places before the opponent's, the Active Spot before the Bench.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tcgjax import board, effects, engine, knowledge, xp
from tcgjax.arrays import Record, arranged, at, one_of, ranks, total, when_itself
from tcgjax.codes import DECK_TYPES, Condition, Op
from tcgjax.counting import Reader, who_is_meant
from tcgjax.layout import DECK, DECK_SIZE, DISCARD, EFFECTS, HAND, LASTING, PLACES, SLOTS
from tcgjax.operations import cards as card_ops
from tcgjax.operations import special
from tcgjax.operations.common import unlike
from tcgjax.tables import Cards
from tcgjax.zones import HAND_LIMIT, ascending, half, listed, size

CARDS: Final = {
    "hand": HAND_LIMIT,  # own hand, in the order of its positions
    "deck": DECK_SIZE,  # own deck as a multiset: ascending
    # own deck from the top, where the place of a card is known; at the end, behind all places of the deck: cards that
    # are on top in an order that the opponent has changed, ascending
    "deck seen": DECK_SIZE,
    "foe's deck seen": DECK_SIZE,
    "foe's some": DECK_SIZE,  # cards it was seen to have that are in its hand or its deck, ascending
    "foe's hand seen": HAND_LIMIT,  # what is surely in it, ascending
    "discard": DECK_SIZE,
    "foe's discard": DECK_SIZE,
    "stadium": 1,
    "in play": PLACES * 3,  # of each place from the lowest card up
    "tools": PLACES * 2,
    "options": 24,  # what the options of a choice stand for, if not for cards of the own hand or for places
}
"""Functional cards plus one; 0 where there is none or it is not known."""
MODIFIERS: Final = {"on places": PLACES * EFFECTS, "on players": 2 * LASTING}
"""Rows of the table of modifiers whose effects last; 0 where there is none."""
OF_PLACE: Final = {
    "damage": (1, 512),
    "max HP": (1, 512),
    "energy": (9, 8),
    "poison": (1, 16),
    "burned": (1, 1),
    "asleep": (1, 1),
    "paralyzed": (1, 1),
    "confused": (1, 1),
    "turns": (6, 32),  # Paralyzed, entered, evolved, moved up, Ability used, hit
    "attacked": (1, 1),
    "shielded": (1, 1),
    "effects": (EFFECTS * 4, 32),  # each: first turn, last turn (`board.lay_effects`), is of the owner, attack it locks
}
OF_SIDE: Final = {
    "discarded energy": (9, 8),
    "energy types": (DECK_TYPES, 1),
    "energy in the Zone": (DECK_TYPES, 1),
    "next energy": (DECK_TYPES, 1),
    "points": (1, 4),
    "hand": (1, 16),
    "deck": (1, 32),
    "effects": (LASTING * 3, 32),  # each: first turn, last turn, is of the player
    "spots": (SLOTS * 2, 32),  # announced damage of each place: the turn at whose end it comes, and how much
    "supporters": (1, 1),
    "Stadium played": (1, 1),
    "Stadium used": (1, 1),
    "retreated": (1, 1),
    "turns": (1, 32),
    "losses": (2, 32),  # last turn in which an attack Knocked Out an own Pokémon, and Knock Outs so far
    "lost types": (9, 1),
    "uses": (3, 32),  # of attacks that count their uses: how many, last turn, the turn before that
}
GENERAL: Final = {
    "turn": (1, 32),
    "my turn": (1, 1),
    "went first": (1, 1),
    "sure heads": (1, 1),
    "reflip used": (1, 1),
    "Stadium is mine": (1, 1),
    "asked": (1, 1),
    "heads": (1, 8),  # of the coins that may be flipped again
}
NUMBERS: Final = (
    {f"places: {name}": (PLACES * count, unit) for name, (count, unit) in OF_PLACE.items()}
    | {f"sides: {name}": (2 * count, unit) for name, (count, unit) in OF_SIDE.items()}
    | GENERAL
)
"""How many numbers, and what they are divided by: powers of two, so that nothing is rounded."""
UNITS: Final = np.concatenate([np.full((count,), unit, np.float32) for count, unit in NUMBERS.values()])
NOT_ASKED, SETUP, MAIN, PROMOTION, RETREAT, OF_PROGRAM = range(6)
"""Questions; a program's is `OF_PROGRAM` plus its op."""
QUESTIONS: Final = OF_PROGRAM + max(Op) + 1


def observe(game: Record, player: Any, cards: Cards) -> dict[str, Any]:
    """What a player knows.

    Args:
        game: between two steps, with its cards (`engine.unpack`).
        player: 0 or 1, int32.
        cards: tables.

    Returns:
        ``cards`` int32, ``modifiers`` int32 and ``numbers`` float32 as the tables say; ``question`` int32 [1].
    """
    player = xp.asarray(player, xp.int32)
    asked = (game.actor == (player == 1)) & engine.waits(game)
    hides = xp.where(PLACE_OF_FOE, game.turn == 0, False)
    what = question(game, cards)
    flips = (what == OF_PROGRAM + Op.FLIP) | (what == OF_PROGRAM + Op.FLIP_N) | (what == OF_PROGRAM + Op.FLIP_TAILS)
    return {
        "cards": cards_of(game, player, asked, hides, cards),
        "modifiers": modifiers_of(game, player, hides),
        "numbers": numbers_of(game, player, asked, flips, hides).astype(np.float32) / UNITS,
        "question": xp.where(asked, what, NOT_ASKED)[None],
    }


def nothing_seen() -> dict[str, Any]:
    """An observation of zeros, for loops that carry one."""
    sizes = {"cards": CARDS, "modifiers": MODIFIERS}
    found = {name: xp.zeros((sum(parts.values()),), xp.int32) for name, parts in sizes.items()}
    return found | {"numbers": xp.zeros((len(UNITS),), np.float32), "question": xp.zeros((1,), xp.int32)}


PLACE_OF_FOE: Final = np.arange(PLACES) >= SLOTS


def seen_from(values: Any, player: Any) -> Any:
    """Values of both sides (the first axis), own ones first."""
    return xp.where(player == 0, values, xp.roll(values, values.shape[0] // 2, axis=0))


def together(parts: dict[str, Any], sizes: Any) -> Any:
    """One vector, in the order of a table."""
    flat = []
    for name, count in sizes.items():
        part = xp.asarray(parts[name]).reshape(-1).astype(xp.int32)
        assert part.shape == (count if isinstance(count, int) else count[0],), name
        flat.append(part)
    return xp.concatenate(flat)


# --- cards -----------------------------------------------------------------------------------------------------


def cards_of(game: Record, player: Any, asked: Any, hides: Any, cards: Cards) -> Any:
    """The vector of `CARDS`."""
    foe = 1 - player
    known = at(game.known, player)
    in_play = xp.where(hides[:, None], -1, seen_from(game.cards, player))

    def shown(instances: Any) -> Any:
        return xp.where(instances >= 0, board.card_of(game, cards, instances) + 1, 0)

    def seen_in_deck(owner: Any) -> Any:
        instances, word = listed(game, DECK, owner, DECK_SIZE), knowledge.word_in(known, owner)
        number = xp.maximum(instances - owner * np.int32(DECK_SIZE), 0).astype(xp.uint32)
        return xp.where(((word >> number) & np.uint32(1)) != 0, shown(instances), 0)

    def by_card(owner: Any, flags: Any, most: int, last: bool = False) -> Any:
        return shown(ascending(game, cards, owner, flags, most, last))

    def kept(words: Any, owner: Any) -> Any:
        return knowledge.flags_of(knowledge.word_in(words, owner)[None])

    in_deck = half(game.zone, player) == DECK
    behind = np.arange(DECK_SIZE, dtype=np.int32) >= total(in_deck)
    mixed = xp.where(behind, by_card(player, kept(game.mixed, player), DECK_SIZE, last=True), 0)
    parts = {
        "hand": shown(listed(game, HAND, player, HAND_LIMIT)),
        "deck": by_card(player, in_deck, DECK_SIZE),
        "deck seen": xp.where(behind, mixed, seen_in_deck(player)),
        "foe's deck seen": seen_in_deck(foe),
        "foe's some": by_card(foe, kept(game.some, foe), DECK_SIZE),
        "foe's hand seen": by_card(foe, kept(game.sure, foe), HAND_LIMIT),
        "discard": shown(listed(game, DISCARD, player, DECK_SIZE)),
        "foe's discard": shown(listed(game, DISCARD, foe, DECK_SIZE)),
        "stadium": shown(game.stadium),
        "in play": shown(in_play),
        "tools": shown(xp.where(hides[:, None], -1, seen_from(game.tools, player))),
        "options": xp.where(asked, option_cards(game, cards), 0),
    }
    return together(parts, CARDS)


def of_row(game: Record, cards: Cards) -> tuple[Record, Any]:
    """The game with the registers of the program that asks, and its row."""
    work = game.copy()
    effects.load(work)
    return work, effects.next_row(cards, work)


def question(game: Record, cards: Cards) -> Any:
    """What is asked, int32."""
    row = of_row(game, cards)[1]
    layer, found = engine.layer(game), xp.int32(SETUP)
    codes = ((engine.MAIN, MAIN), (engine.KNOCKED_OUT, PROMOTION), (engine.RETREAT, RETREAT))
    for number, code in codes:
        found = xp.where(layer == number, code, found)
    return xp.where(layer == engine.PROGRAM, OF_PROGRAM + row.op, found)


def option_cards(game: Record, cards: Cards) -> Any:
    """The cards that the options of a program's question stand for, plus one; int32 [24]."""
    work, row = of_row(game, cards)
    me, foe = work.r_me, 1 - work.r_me
    asks = engine.layer(game) == engine.PROGRAM
    box = Record(found=xp.zeros((24,), xp.int32))

    def show(op: tuple[Op, ...], cards_of_op: Callable[[], Any]) -> None:
        here = asks & one_of(row.op, op)

        def put_cards(box: Record) -> None:
            box.found = xp.where(here, cards_of_op(), box.found)

        when_itself(f"show {op[0].name.lower()}", here, put_cards, box)

    def of(instances: Any) -> Any:
        padded = xp.concatenate([instances, xp.full((24 - instances.shape[0],), -1, xp.int32)])
        return xp.where(padded >= 0, board.card_of(game, cards, padded) + 1, 0)

    def of_pile() -> Any:
        owner = xp.where(row.op == Op.PICK_DISCARD, me, foe)
        pile, counts = unlike(work, cards, owner, row.filter)
        return of(arranged(xp.maximum(pile, 0), ranks(counts), counts, DECK_SIZE))

    def of_copies() -> Any:
        there = Record(there=board.occupied(game), top=board.tops(game, cards))
        places = [board.place_of(game, pokemon) for pokemon in (work.r_chosen, work.r_by, work.r_source)]
        nothing = xp.int32(0)
        reader = Reader(me, places[2], work.r_strikes, nothing, nothing, places[0], places[1], work.r_cause_place)
        scene = Record(meant=who_is_meant(work, there, reader, row.who))
        counts = special.copies(work, cards, there, scene, row)[2][: 2 * PLACES]
        found = arranged(np.arange(2 * PLACES, dtype=np.int32), ranks(counts), counts, 24)
        return xp.where(found >= 0, at(there.top, found >> 1) + 1, 0)

    show((Op.PICK_DISCARD, Op.FOE_DISCARD_TO_BENCH), of_pile)
    show((Op.REORDER,), lambda: of(card_ops.left_to_order(work, row)))
    show((Op.FOE_CHOICE,), lambda: of(card_ops.shown_hand(work, cards)))
    show((Op.COPY_ATTACK,), of_copies)
    return box.found


# --- modifiers and numbers -------------------------------------------------------------------------------------


def modifiers_of(game: Record, player: Any, hides: Any) -> Any:
    """The vector of `MODIFIERS`."""
    on_places = xp.where(hides[:, None], 0, seen_from(game.fx_modifier, player))
    return together({"on places": on_places, "on players": seen_from(game.px_modifier, player)}, MODIFIERS)


def numbers_of(game: Record, player: Any, asked: Any, flips: Any, hides: Any) -> Any:
    """The vector of `NUMBERS`, not yet divided."""
    parts = {f"places: {name}": part for name, part in of_places(game, player, hides).items()}
    parts |= {f"sides: {name}": part for name, part in of_sides(game, player, hides).items()}
    parts |= {
        "turn": game.turn,
        "my turn": (game.turn > 0) & (game.current == (player == 1)),
        "went first": game.first == (player == 1),
        "sure heads": game.coin_heads,
        "reflip used": game.reflip_used,
        "Stadium is mine": (game.stadium >= 0) & ((game.stadium >= DECK_SIZE) == (player == 1)),
        "asked": asked,
        "heads": xp.where(asked & flips, at(game.parked, game.programs - 1), 0),
    }
    return together(parts, NUMBERS)


def of_places(game: Record, player: Any, hides: Any) -> dict[str, Any]:
    """The numbers of all places by name."""
    owner = board.OWNERS == 1
    lasts = game.fx_modifier > 0
    own = game.fx_owner == owner[:, None]
    fields = [game.fx_start, game.fx_end, own.astype(xp.int32), game.fx_attack]
    turns = ("paralyzed_turn", "entered", "evolved", "moved_up", "ability_used", "hit_turn")
    found = {
        "damage": game.damage,
        "max HP": game.max_hp,
        "energy": game.energy,
        "poison": game.poison,
        "burned": game.burned,
        "asleep": game.stupor == Condition.ASLEEP,
        "paralyzed": game.stupor == Condition.PARALYZED,
        "confused": game.stupor == Condition.CONFUSED,
        "turns": xp.stack([getattr(game, name) for name in turns], axis=1),
        "attacked": game.attacked,
        "shielded": game.shielded,
        "effects": xp.where(lasts[..., None], xp.stack(fields, axis=2), 0),
    }
    there = board.occupied(game)
    shown = {}
    for name, values in found.items():
        flat = xp.where(there[:, None], xp.asarray(values).reshape(PLACES, -1).astype(xp.int32), 0)
        shown[name] = xp.where(hides[:, None], 0, seen_from(flat, player))
    return shown


def of_sides(game: Record, player: Any, hides: Any) -> dict[str, Any]:
    """The numbers of both sides by name."""
    types = np.arange(DECK_TYPES, dtype=np.int32)
    lasts = game.px_modifier > 0
    own = game.px_owner == np.array([False, True])[:, None]
    placed = xp.sum(xp.where(hides, seen_from(board.occupied(game), player), False), dtype=xp.int32)
    hidden = placed * np.array([0, 1], np.int32)  # cards of the hand, as far as the other player can tell
    found = {
        "discarded energy": game.discard_energy,
        "energy types": (game.energy_types[:, None] >> types) & 1,
        "energy in the Zone": game.zone_energy[:, None] == types,
        "next energy": game.next_energy[:, None] == types,
        "points": game.points,
        "deck": xp.stack([size(game, DECK, who) for who in (0, 1)]),
        "effects": xp.where(lasts[..., None], xp.stack([game.px_start, game.px_end, own.astype(xp.int32)], axis=2), 0),
        "spots": xp.stack([game.spot_turn, game.spot_amount], axis=2),
        "supporters": game.supporters,
        "Stadium played": game.stadium_played,
        "Stadium used": game.stadium_used,
        "retreated": game.retreated,
        "turns": game.turns,
        "losses": xp.stack([game.lost_turn, game.lost_count], axis=1),
        "lost types": (game.lost_types[:, None] >> np.arange(9, dtype=np.int32)) & 1,
        "uses": xp.stack([game.uses, game.last_use, game.prior_use], axis=1),
    }
    shown = {name: seen_from(xp.asarray(values).astype(xp.int32), player) for name, values in found.items()}
    hands = xp.stack([size(game, HAND, who) for who in (0, 1)])
    return shown | {"hand": seen_from(hands, player) + hidden}
