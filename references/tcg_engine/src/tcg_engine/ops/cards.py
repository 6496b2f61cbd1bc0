"""Hands, decks and discard piles (RULES.md, section 12)."""

from __future__ import annotations

from tcg_engine import board, knowledge
from tcg_engine.actions import CHOICE, END
from tcg_engine.codes import MANY, Op, Row, Who
from tcg_engine.config import HAND_LIMIT
from tcg_engine.effects import Program, members, micro_op, question
from tcg_engine.rng import Stream
from tcg_engine.state import Game, owner_of


def side_of(program: Program, who: int) -> int:
    """The player a row speaks of."""
    return 1 - program.me if who in (Who.FOE_ALL, Who.FOE_ACTIVE, Who.FOE_BENCH) else program.me


def pick(game: Game, pool: list[int], count: int) -> list[int]:
    """Different cards at random, one draw each, from a pool in ascending order."""
    pool = sorted(pool)
    found: list[int] = []
    while pool and len(found) < count:
        found.append(pool.pop(game.random.below(Stream.PICK, len(pool))))
    return found


def matching(game: Game, instances: list[int], filter_number: int) -> list[int]:
    """Those cards that a filter lets pass."""
    lets_pass = game.table.matching(filter_number)
    return [instance for instance in instances if game.cards[instance] in lets_pass]


def names(game: Game, instances: list[int]) -> str:
    """Card names for the log."""
    return ", ".join(game.table.name(game.card(instance)) for instance in instances) or "nothing"


# --- the deck --------------------------------------------------------------------------------------------------


@micro_op(Op.DRAW, Op.DRAW_N, Op.DRAW_TO)
def draw(game: Game, program: Program, row: Row) -> bool:
    """Draw amount cards, amount for each of n, or until the hand has amount (arg 1: as many as the opponent)."""
    player = side_of(program, row.who)
    count = row.amount * (program.n if row.op == Op.DRAW_N else 1)
    if row.op == Op.DRAW_TO:
        wanted = len(game.players[1 - player].hand) if row.arg else row.amount
        count = max(0, wanted - len(game.players[player].hand))
    board.draw(game, player, count)
    return True


@micro_op(Op.SEARCH_HAND, Op.RECOVER)
def search(game: Game, program: Program, row: Row) -> bool:
    """Amount (MANY: n) random cards that match, from the deck or the discard pile to the hand; n = found."""
    side = game.players[program.me]
    zone = side.deck if row.op == Op.SEARCH_HAND else side.discard
    room = HAND_LIMIT - len(side.hand)
    wanted = min(program.n if row.amount == MANY else row.amount, room)
    found = pick(game, matching(game, zone, row.filter), wanted)
    if row.op == Op.SEARCH_HAND:
        knowledge.fetched(game, program.me, len(found), row.filter)
    for card in found:
        zone.remove(card)
    board.to_hand(game, found, public=row.op == Op.RECOVER)
    game.say(f"player {program.me} finds {len(found)} cards")
    if row.op == Op.SEARCH_HAND:
        board.shuffle(game, program.me)
    program.n = len(found)
    return True


@micro_op(Op.PICK_DISCARD)
def pick_discard(game: Game, program: Program, row: Row) -> bool:
    """The player picks a matching card of the discard pile for the hand."""
    side = game.players[program.me]
    found = matching(game, side.discard, row.filter)
    unlike = [card for i, card in enumerate(found) if game.cards[card] not in {game.cards[c] for c in found[:i]}]
    if not unlike or len(side.hand) >= HAND_LIMIT:
        return True
    options = [CHOICE + i for i in range(len(unlike))]
    answer = question(
        game, program, program.me, f"choose among {names(game, unlike)}", options, [game.cards[card] for card in unlike]
    )
    if answer is None:
        return False
    side.discard.remove(unlike[answer - CHOICE])
    board.to_hand(game, [unlike[answer - CHOICE]], public=True)
    return True


@micro_op(Op.SEARCH_BENCH)
def search_bench(game: Game, program: Program, row: Row) -> bool:
    """Amount random cards that match, from the deck onto the Bench, as far as there is room."""
    side = game.players[program.me]
    for card in pick(game, matching(game, side.deck, row.filter), min(row.amount, 3 - len(game.bench(program.me)))):
        knowledge.leaves_shuffled(game, program.me, card)
        side.deck.remove(card)
        board.put_on_bench(game, program.me, card)
    board.shuffle(game, program.me)
    return True


@micro_op(Op.FOE_DISCARD_TO_BENCH)
def foe_discard_to_bench(game: Game, program: Program, row: Row) -> bool:
    """The player picks a matching card of the opponent's discard pile for the opponent's Bench."""
    foe = 1 - program.me
    pile = game.players[foe].discard
    found = matching(game, pile, row.filter)
    unlike = [card for i, card in enumerate(found) if game.cards[card] not in {game.cards[c] for c in found[:i]}]
    if not found or not board.free_slot(game, foe):
        return True
    options = [CHOICE + i for i in range(len(unlike))]
    answer = question(
        game, program, program.me, f"choose among {names(game, unlike)}", options, [game.cards[card] for card in unlike]
    )
    if answer is None:
        return False
    pile.remove(unlike[answer - CHOICE])
    board.put_on_bench(game, foe, unlike[answer - CHOICE])
    return True


@micro_op(Op.MILL)
def mill(game: Game, program: Program, row: Row) -> bool:
    """Discard the top amount (MANY: n) cards of a deck; n = those that match, flag = any."""
    player = side_of(program, row.who)
    side = game.players[player]
    count = program.n if row.amount == MANY else row.amount
    knowledge.top_shown(game, player, min(count, len(side.deck)))
    cards, side.deck = side.deck[:count], side.deck[count:]
    board.discard(game, cards)
    game.say(f"discarded from the deck: {names(game, cards)}")
    program.n = len(matching(game, cards, row.filter))
    program.flag = program.n > 0
    return True


@micro_op(Op.LOOK_TOP)
def look_top(game: Game, program: Program, row: Row) -> bool:
    """The player sees the top amount cards of a deck."""
    knowledge.places_seen(game, program.me, side_of(program, row.who), row.amount)
    return True


@micro_op(Op.TAKE_TOP)
def take_top(game: Game, program: Program, row: Row) -> bool:
    """Of the top amount cards all that match go to the hand, as far as there is room; the others are shuffled in."""
    side = game.players[program.me]
    room = HAND_LIMIT - len(side.hand)
    taken = matching(game, side.deck[: row.amount], row.filter)[:room]
    knowledge.takes_of_top(game, program.me, taken, row.filter, len(taken) < room)
    for card in taken:
        side.deck.remove(card)
    board.to_hand(game, taken, public=False)
    game.say(f"player {program.me} takes {len(taken)} cards")
    board.shuffle(game, program.me)
    return True


@micro_op(Op.PEEK_OR_BOTTOM)
def peek_or_bottom(game: Game, program: Program, row: Row) -> bool:
    """The top card goes to the hand if it matches, else under the deck."""
    side = game.players[program.me]
    if side.deck:
        if matching(game, side.deck[:1], row.filter) and len(side.hand) < HAND_LIMIT:
            board.draw(game, program.me)
        else:
            knowledge.goes_under(game, program.me)
            side.deck.append(side.deck.pop(0))
    return True


@micro_op(Op.REORDER)
def reorder(game: Game, program: Program, row: Row) -> bool:
    """The player puts the top n cards of a deck back in any order: the first picked is the top card."""
    player = side_of(program, row.who)
    deck = game.players[player].deck
    count = min(program.n, len(deck))
    if program.parked < 0:
        program.parked, program.pile = count, []
        knowledge.places_seen(game, program.me, player, count)
    while len(program.pile) < program.parked:
        left = [card for card in deck[: program.parked] if card not in program.pile]
        what = f"which card comes next: {names(game, left)}"
        shown = [game.cards[card] for card in left]
        answer = question(game, program, program.me, what, [CHOICE + i for i in range(len(left))], shown)
        if answer is None:
            return False
        program.pile.append(left[answer - CHOICE])
    deck[: program.parked] = program.pile
    knowledge.reordered(game, player, program.me, program.parked)
    return True


@micro_op(Op.SHUFFLE_DECK)
def shuffle_deck(game: Game, program: Program, row: Row) -> bool:
    """Shuffle a deck."""
    board.shuffle(game, side_of(program, row.who))
    return True


@micro_op(Op.REVEAL_TOP_COUNT)
def reveal_top_count(game: Game, program: Program, row: Row) -> bool:
    """Reveal the top amount cards, let n be those that match, and shuffle them in."""
    cards = game.players[program.me].deck[: row.amount]
    game.say(f"revealed: {names(game, cards)}")
    program.n = len(matching(game, cards, row.filter))
    knowledge.seen_in_deck(game, program.me, cards)
    board.shuffle(game, program.me)
    return True


@micro_op(Op.KNOW_DECK)
def know_deck(game: Game, program: Program, row: Row) -> bool:
    """The opponent reveals all matching cards of the deck; it is not shuffled, but their places are not told."""
    shown = sorted(matching(game, game.players[1 - program.me].deck, row.filter))
    knowledge.seen_in_deck(game, 1 - program.me, shown)
    game.say(f"revealed: {names(game, shown)}")
    return True


# --- the hands -------------------------------------------------------------------------------------------------


@micro_op(Op.HAND_TO_DECK)
def hand_to_deck(game: Game, program: Program, row: Row) -> bool:
    """A whole hand is shuffled into the deck; n = cards."""
    player = side_of(program, row.who)
    side = game.players[player]
    program.n = len(side.hand)
    cards, side.hand = side.hand, []
    if cards:
        knowledge.put_back(game, player, len(cards), 0, len(cards))
        board.into_deck(game, cards, public=False)
    return True


@micro_op(Op.FOE_RANDOM_TO_DECK, Op.FOE_RANDOM_DISCARD)
def foe_random(game: Game, program: Program, row: Row) -> bool:
    """Amount (MANY: n) random matching cards of the opponent's hand are shuffled into the deck, or discarded."""
    hand = game.players[1 - program.me].hand
    count = program.n if row.amount == MANY else row.amount
    cards = pick(game, matching(game, hand, row.filter), count)
    for card in cards:
        hand.remove(card)
    game.say(f"the opponent loses {names(game, cards)}")
    if cards:
        knowledge.left_hand(game, 1 - program.me, cards)
        (board.into_deck if row.op == Op.FOE_RANDOM_TO_DECK else board.discard)(game, cards)
    return True


@micro_op(Op.FOE_CHOICE)
def foe_choice(game: Game, program: Program, row: Row) -> bool:
    """The opponent's hand is shown; the player picks a matching card: shuffled into the deck (arg 0) or discarded.

    It is shown by cards, since the order in which they came would tell which of equal cards was given away before.
    """
    foe = 1 - program.me
    hand = sorted(game.players[foe].hand, key=lambda card: (game.cards[card], card))
    knowledge.hand_seen(game, foe)
    options = [CHOICE + i for i, card in enumerate(hand) if matching(game, [card], row.filter)]
    if not options:
        return True
    shown = [game.cards[card] for card in hand]
    answer = question(game, program, program.me, f"choose a card of {names(game, hand)}", options, shown)
    if answer is None:
        return False
    card = hand[answer - CHOICE]
    game.players[foe].hand.remove(card)
    knowledge.left_hand(game, foe, [card])
    (board.discard if row.arg else board.into_deck)(game, [card])
    return True


@micro_op(Op.REVEAL_HAND)
def reveal_hand(game: Game, program: Program, row: Row) -> bool:
    """The player sees the opponent's hand."""
    knowledge.hand_seen(game, 1 - program.me)
    return True


@micro_op(Op.DISCARD_HAND, Op.HAND_PICK_TO_DECK)
def give_up_cards(game: Game, program: Program, row: Row) -> bool:
    """The player picks amount (MANY: n) matching cards of the hand to discard or shuffle in; arg 1: or fewer.

    Afterwards n is how many, and the flag tells whether that was the whole amount.
    """
    hand = game.players[program.me].hand
    wanted = program.n if row.amount == MANY else row.amount
    if program.parked < 0:
        program.parked, program.pile = wanted, []
    while len(program.pile) < program.parked:
        options = [CHOICE + i for i, card in enumerate(hand) if matching(game, [card], row.filter)]
        if not options:
            break
        answer = question(game, program, program.me, "choose a card of the hand", [END] * (row.arg & 1) + options)
        if answer is None:
            return False
        if answer == END:
            break
        program.pile.append(hand.pop(answer - CHOICE))
    if row.op == Op.DISCARD_HAND:
        knowledge.left_hand(game, program.me, program.pile)
        board.discard(game, program.pile)
    else:
        knowledge.put_back(game, program.me, len(program.pile), row.filter, len(hand) + len(program.pile))
        board.into_deck(game, program.pile, public=False)
    program.n, program.flag, program.pile = len(program.pile), len(program.pile) == program.parked, []
    return True


@micro_op(Op.FOE_DISCARD_TO)
def foe_discard_to(game: Game, program: Program, row: Row) -> bool:
    """The opponent picks cards to discard until amount are left."""
    foe = 1 - program.me
    hand = game.players[foe].hand
    while len(hand) > row.amount:
        answer = question(game, program, foe, "discard a card", [CHOICE + i for i in range(len(hand))])
        if answer is None:
            return False
        card = hand.pop(answer - CHOICE)
        knowledge.left_hand(game, foe, [card])
        board.discard(game, [card])
    return True


@micro_op(Op.SWAP_HAND_DECK)
def swap_hand_deck(game: Game, program: Program, row: Row) -> bool:
    """The player picks a card (filter) of the hand and gets a random one (filter arg) of the deck for it."""
    side = game.players[program.me]
    options = [CHOICE + i for i, card in enumerate(side.hand) if matching(game, [card], row.filter)]
    if not options:
        return True
    answer = question(game, program, program.me, "give away which card?", options)
    if answer is None:
        return False
    found = pick(game, matching(game, side.deck, row.arg), 1)
    if found:
        knowledge.fetched(game, program.me, 1, row.arg)
        knowledge.put_back(game, program.me, 1, row.filter, len(side.hand))
        card = side.hand.pop(answer - CHOICE)
        side.deck.remove(found[0])
        board.to_hand(game, found, public=False)
        side.deck.append(card)
    board.shuffle(game, program.me)
    return True


@micro_op(Op.RANDOM_HAND_TO_DECK)
def random_hand_to_deck(game: Game, program: Program, row: Row) -> bool:
    """One random card of both hands is revealed and shuffled into its owner's deck."""
    cards = pick(game, [*game.players[0].hand, *game.players[1].hand], 1)
    for card in cards:
        owner = owner_of(card)
        game.players[owner].hand.remove(card)
        knowledge.left_hand(game, owner, [card])
        game.say(f"revealed and shuffled in: {names(game, cards)}")
        board.into_deck(game, [card])
    return True


@micro_op(Op.REVEAL_COUNT)
def reveal_count(game: Game, program: Program, row: Row) -> bool:
    """Let n be the own Pokémon in play and in hand with the attack named arg; those of the hand are shown."""
    shown = [
        card
        for card in game.players[program.me].hand
        if any(attack.name == row.arg for attack in game.card(card).attacks)
    ]
    knowledge.seen_in_hand(game, program.me, shown)
    there = [p for p in members(game, program, Who.MY_ALL) if any(a.name == row.arg for a in game.top(p).attacks)]
    program.n = len(shown) + len(there)
    return True
