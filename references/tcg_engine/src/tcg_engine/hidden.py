"""Other truths that a player cannot tell from the real one, for planners and for tests."""

from __future__ import annotations

import random
from collections import Counter

from tcg_engine.game import clone
from tcg_engine.state import Game


def permuted(game: Game, player: int, generator: random.Random) -> Game:
    """Another game: the cards that a player has not seen change places, as all it has been shown allows (`knowledge`).

    Those of the opponent's hand and deck mix, but only within the deck while the opponent decides or nothing has been
    placed yet: what is legal stays legal, and an opening hand keeps its Basic.  The order of the own deck changes, as
    far as it is not known.  Every arrangement that fits can come; not all are equally likely.  Both lists of cards
    count as known.
    """
    other = clone(game)
    me, foe = other.players[player], other.players[1 - player]
    shown, own_deck = foe.shown, me.deck
    waits = game.turn > 0 and game.choice is not None and game.choice.actor == player
    hand = _without(other, foe.hand, shown.held) if waits else []
    deck = [place for place, card in enumerate(foe.deck) if card not in me.known]
    loose = [foe.hand[place] for place in hand] + [foe.deck[place] for place in deck]
    some = _these(other, loose, shown.some)
    in_hand = generator.sample(hand, min(len(hand), shown.in_hand * waits))
    top = [place for place in deck if place < shown.depth]
    on_top = generator.sample(top, min(len(top), shown.in_deck))
    bound = generator.sample(some, min(len(some), len(in_hand) + len(on_top)))
    rest = [card for card in loose if card not in bound]
    generator.shuffle(rest)
    hands, decks = list(foe.hand), list(foe.deck)
    for zone, wanted in ((hands, in_hand), (decks, on_top)):
        for place in wanted:
            zone[place] = (bound or rest).pop()
    for zone, places, wanted in ((hands, hand, in_hand), (decks, deck, on_top)):
        for place in places:
            if place not in wanted:
                zone[place] = (rest or bound).pop()
    foe.known = _moved(foe.known, foe.deck, decks)
    foe.hand, foe.deck = hands, decks
    places = [place for place, card in enumerate(own_deck) if card not in me.known]
    mixed = _these(other, [own_deck[place] for place in places], me.mixed)
    rest = [own_deck[place] for place in places if own_deck[place] not in mixed]
    generator.shuffle(rest)
    generator.shuffle(mixed)
    on_top = generator.sample([place for place in places if place < me.mixed_depth], len(mixed))
    found = list(own_deck)
    for place in places:
        found[place] = (mixed if place in on_top else rest).pop()
    foe.known = _moved(foe.known, own_deck, found)
    me.deck = found
    return other


def _without(game: Game, hand: list[int], held: Counter[int]) -> list[int]:
    """The places of a hand that are left when the cards surely in it are taken out."""
    sure = _these(game, hand, held)
    return [place for place, card in enumerate(hand) if card not in sure]


def _these(game: Game, instances: list[int], wanted: Counter[int]) -> list[int]:
    """Instances of some cards, as many as there are up to the number wanted."""
    left, found = Counter(wanted), []
    for instance in sorted(instances):
        if left[game.cards[instance]] > 0:
            left[game.cards[instance]] -= 1
            found.append(instance)
    return found


def _moved(known: set[int], before: list[int], after: list[int]) -> set[int]:
    """Places of a deck that are known, by the cards that lie there now."""
    there = {card for card, old in zip(after, before, strict=True) if old in known}
    return (known - set(before)) | there
