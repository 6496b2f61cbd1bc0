"""Cards that change zones: the bodies of micro-ops say which and where to, and behind them all one body moves them.

Moving is written once because it concerns all 40 cards, while what a micro-op has to say of it is a few numbers.
"""

from __future__ import annotations

from typing import Any, Final

from tcgjax import board, knowledge, xp, zones
from tcgjax.arrays import Record, at, first, repeat, total, when
from tcgjax.codes import CardColumn
from tcgjax.layout import DECK, DISCARD, HAND, IN_PLAY, INSTANCES, NOBODY, PILE
from tcgjax.tables import Cards
from tcgjax.zones import INDEX, OWNER, PARTS

EVERYBODY: Final = 2
"""As ``of``: the cards of both players."""
STAY: Final = -1
"""As ``to``: the cards are only looked at."""
MOST: Final = 3  # cards that come into play, one after the other
NUMBERS: Final = {
    "times": 0,  # how often; 0: nothing is moved
    "card": NOBODY,  # this instance alone, wherever it is; else the cards of the next four
    "zone": DECK,
    "of": EVERYBODY,  # a player
    "upto": INSTANCES,  # cards at lower positions
    "most": INSTANCES,  # of these so many, in the order of their positions, or at random
    "filter": 0,  # which cards match …
    "evolves": NOBODY,  # … and evolve from Pokémon of this name
    "onto": NOBODY,  # the place of the Pokémon that a card in play evolves; else it becomes a new one
    "to": STAY,  # a zone, where they come last
    "seen_by": NOBODY,  # a player who sees the cards that are only looked at; nobody: both do, but not their places
    "back": NOBODY,  # an instance that goes into the deck for what was moved
    "came": 0,  # how many of the hand came just before
    "gives": 0,  # what filter the cards match that a player may choose to put back in secret
}
FLAGS: Final = (
    "only",  # only cards that match
    "random",
    "secret",  # what goes from the hand into the deck is not shown
    "shuffles",  # the decks of what was moved will be shuffled
    "counts",  # n = those of the cards that match
    "tests",  # … and flag = any
)
CARRIED: Final = (
    *(*board.FIELDS, "zone", "position", *knowledge.FIELDS, "draws", "shuffles", "r_n", "r_flag"),
    *("r_move_card", "r_move_to", "r_move_back", "r_move_came"),
)


def nothing() -> dict[str, Any]:
    """Nothing is to be moved."""
    numbers = {f"r_move_{name}": xp.int32(value) for name, value in NUMBERS.items()}
    return numbers | {f"r_move_{name}": xp.bool_(False) for name in FLAGS}


def move(game: Record, **wanted: Any) -> None:
    """Let cards be moved behind the row's body: once, unless ``times`` says otherwise; see `NUMBERS` and `FLAGS`."""
    for name, value in ({"times": 1} | wanted).items():
        setattr(game, f"r_move_{name}", xp.asarray(value, xp.bool_ if name in FLAGS else xp.int32))


def carry_out(game: Record, cards: Cards) -> None:
    """Move what the row's body asked for."""

    def once(game: Record, left: Any) -> Any:
        going, alone = left > 0, game.r_move_card >= 0
        random, to = game.r_move_random & ~alone, game.r_move_to
        matches = cards.prints(game.r_move_filter, game.card)
        named = Record(cards=matches)

        def evolutions(named: Record) -> None:
            named.cards = named.cards & (cards.card(game.card, CardColumn.EVOLVES_FROM) == game.r_move_evolves)

        when("evolutions", game.r_move_evolves >= 0, evolutions, named)
        matches = named.cards
        zone = xp.where(alone, at(game.zone, game.r_move_card), game.r_move_zone)
        theirs = (game.r_move_of == OWNER) | (game.r_move_of == EVERYBODY)
        pool = (game.zone == zone) & theirs & (game.position < game.r_move_upto) & (matches | ~game.r_move_only)
        pool = xp.where(alone, game.r_move_card == INDEX, pool) & going
        picked = zones.pick(game, cards, pool & random, game.r_move_most)
        chosen = xp.where(random, picked >= 0, pool & (zones.below(pool, game.position) < game.r_move_most))
        order = xp.where(random, picked, game.position)
        moved, enters = chosen & (to != STAY), to == IN_PLAY
        tell(game, cards, Record(zone=zone, chosen=chosen, alone=alone, matches=matches))
        zones.take_out_all(game, moved, zone)
        counts = xp.stack([xp.where(enters, 0, zones.size(game, to, player)) for player in (0, 1)])
        game.position = xp.where(moved, counts[OWNER] + zones.below(moved, order), game.position)
        game.zone = xp.where(moved, to, game.zone)
        card = first(moved)
        enters = enters & (card >= 0)
        place, onto, turn = board.free_slot(game, zones.owner(card)), game.r_move_onto, game.turn
        there = Record(**{name: getattr(game, name) for name in board.FIELDS})
        when("enter", enters & (onto < 0), lambda there: board.stand(there, place, card, turn), there)
        there.turn = turn
        when("grow", enters & (onto >= 0), lambda there: board.grow(there, onto, card), there)
        game.__dict__.update({name: getattr(there, name) for name in board.FIELDS})
        due = xp.stack([moved[part].any() for part in PARTS]) & game.r_move_shuffles
        game.shuffles = game.shuffles + due
        counts = going & game.r_move_counts
        game.r_n = xp.where(counts, total(chosen & matches), game.r_n)
        game.r_flag = xp.where(counts & game.r_move_tests, game.r_n > 0, game.r_flag)
        again = (game.r_move_back >= 0) & moved.any()
        game.r_move_card = xp.where(again, game.r_move_back, game.r_move_card)
        game.r_move_to = xp.where(again, DECK, to)
        game.r_move_came = xp.where(again, 1, game.r_move_came)
        game.r_move_back = xp.where(again, NOBODY, game.r_move_back)
        return xp.where(again, 1, left - 1)

    repeat(CARRIED, lambda game, left: left > 0, once, game, game.r_move_times, MOST)


def tell(game: Record, cards: Cards, what: Record) -> None:
    """What both players learn of cards that are about to move, or are looked at.

    Args:
        game: changed.
        cards: tables.
        what: the ``chosen`` cards (bool [40]) of a ``zone``, whether one was named ``alone``, and which cards match.
    """
    card, to, viewer = first(what.chosen), game.r_move_to, game.r_move_seen_by
    owner = zones.owner(card)
    chosen, matches = zones.half(what.chosen, owner), zones.half(what.matches, owner)
    count, stays = total(chosen), to == STAY
    from_deck, from_hand = what.zone == DECK, (what.zone == HAND) | (what.zone == PILE)
    back = from_hand & (to == DECK)
    secret = back & game.r_move_secret
    could_go = Record(flags=chosen)

    def filtered(box: Record) -> None:
        box.flags = cards.prints(game.r_move_gives, zones.half(game.card, owner))

    when("could go back", secret, filtered, could_go)
    fetched = from_deck & (to == HAND)
    all_of_them = game.r_move_upto < INSTANCES  # of the top cards, unless the hand has no room
    before = knowledge.something(game, owner)  # most events change nothing where nothing was known
    events: tuple[tuple[str, Any, knowledge.Event], ...] = (
        (
            "fetching",
            before & fetched & ~what.alone,
            lambda k: knowledge.takes_of_deck(k, chosen, matches, all_of_them & (k.hand + count < zones.HAND_LIMIT)),
        ),
        ("the top card", before & fetched & what.alone, lambda k: knowledge.draws(k, count)),
        ("entering", before & from_deck & (to == IN_PLAY), lambda k: knowledge.leaves_shuffled(k, chosen)),
        ("milling", before & from_deck & (to == DISCARD), lambda k: knowledge.top_shown(k, count)),
        ("the bottom card", from_deck & (to == DECK), knowledge.goes_under),
        (
            "looking at places",
            from_deck & stays & (viewer >= 0),
            lambda k: knowledge.places_seen(k, viewer == owner, count),
        ),
        ("looking at cards", from_deck & stays & (viewer < 0), lambda k: knowledge.seen_in_deck(k, chosen)),
        ("a hand", (what.zone == HAND) & stays, lambda k: knowledge.hand_seen(k, chosen)),
        (
            "leaving a hand",
            before & from_hand & ~stays & ~secret & (to != PILE),
            lambda k: knowledge.left_hand(k, chosen, k.hand),
        ),
        ("what goes back", back & ~secret, lambda k: knowledge.went_into_deck(k, chosen)),
        (
            "what goes back in secret",
            before & secret,
            lambda k: knowledge.put_back(k, count, could_go.flags, k.hand - game.r_move_came),
        ),
        ("coming to a hand", ~from_deck & ~from_hand & (to == HAND), lambda k: knowledge.arrived(k, chosen)),
    )

    def event(k: Record) -> None:
        for name, here, rule in events:
            when(f"told of {name}", here, rule, k)

    something = xp.bool_(False)
    for _, here, _ in events:
        something = something | here
    knowledge.tell(game, cards, "told of moving", owner, (card >= 0) & something, event)
