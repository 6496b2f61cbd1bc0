"""Phrases about hands, decks, discard piles, Tools and Stadiums, and the few that stand alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tcg_engine.codes import MANY, Fact, Op, Row, State, When, Who, Zone
from tcg_engine.compiler import grammar
from tcg_engine.compiler.builder import UnknownTextError
from tcg_engine.compiler.damage import count
from tcg_engine.compiler.draft import Draft
from tcg_engine.compiler.grammar import effect
from tcg_engine.compiler.words import KINDS, Noun, cards, in_play

# --- drawing and searching -------------------------------------------------------------------------------------


@effect(r"draw (a|\d) cards?")
def draw(d: Draft, m: re.Match[str]) -> None:
    """Cards from the deck."""
    if not d.attack and not d.before:
        d.need_cards(Zone.MY_DECK)
    d.post(Op.DRAW, who=Who.MY_ALL, amount=1 if m[1] == "a" else int(m[1]))


@effect(r"draw a card for each (.+)")
def draw_each(d: Draft, m: re.Match[str]) -> None:
    """A card per unit."""
    if not d.attack and not d.before:
        d.need_cards(Zone.MY_DECK)
    count(d, m[1], late=True)
    if not d.attack:
        d.head += [row._replace(when=0) for row in d.before[-1:] if row.op == Op.COUNT_POKEMON]
        d.require()
    d.post(Op.DRAW_N, who=Who.MY_ALL, amount=1)


@effect(
    r"draw cards until (?:you|they) have (?:(\d) cards in (?:your|their) hand|the same number "
    r"of cards in your hand as your opponent)"
)
def draw_to(d: Draft, m: re.Match[str]) -> None:
    """Up to a hand size."""
    d.post(Op.DRAW_TO, who=Who.MY_ALL, amount=int(m[1] or 0), arg=not m[1])


@effect(r"Shuffle your hand into your deck\. Draw a card for each card in your opponent's hand")
def copycat(d: Draft, m: re.Match[str]) -> None:
    """A new hand as large as the opponent's."""
    d.post(Op.HAND_TO_DECK, who=Who.MY_ALL)
    d.post(Op.COUNT_CARDS, arg=Zone.FOE_HAND)
    d.post(Op.DRAW_N, who=Who.MY_ALL, amount=1)


@effect(
    r"(?:have )?your opponent shuffles? their hand into their deck(?: and draws (?:a card for "
    r"each of their remaining points needed to win|(\d) cards)|\. For each remaining point "
    r"that your opponent needs to win, they draw a card)"
)
def red_card(d: Draft, m: re.Match[str]) -> None:
    """A new hand for the opponent."""
    if not d.attack:
        d.need_cards(Zone.FOE_HAND)
    d.post(Op.HAND_TO_DECK, who=Who.FOE_ALL)
    if m[1]:
        d.post(Op.DRAW, who=Who.FOE_ALL, amount=int(m[1]))
    else:
        d.post(Op.COUNT_FACT, arg=Fact.FOE_REMAINING)
        d.post(Op.DRAW_N, who=Who.FOE_ALL, amount=1)


@effect(r"Each player shuffles the cards in their hand into their deck, then draws that many cards")
def both_redraw(d: Draft, m: re.Match[str]) -> None:
    """New hands of the same size."""
    for who in (Who.MY_ALL, Who.FOE_ALL):
        d.post(Op.HAND_TO_DECK, who=who)
        d.post(Op.DRAW_N, who=who, amount=1)


@effect(
    r"Put (?:an?|(\d)) ?(?:random )?(?:cards from among )?(?:random )?(.+?) (?:cards )?from "
    r"(your deck|your discard pile) (?:into your hand|(onto your Bench))"
)
def search(d: Draft, m: re.Match[str]) -> None:
    """Random cards of a kind; an empty zone of known content makes it useless."""
    if "random" not in m[0]:
        raise UnknownTextError(m[0])
    number = cards(d.tables, re.sub(r"^random ", "", m[2]))
    amount = int(m[1] or 1)
    if m[3] == "your discard pile":
        if not d.attack:
            d.need_cards(Zone.MY_DISCARD, number)
        d.post(Op.RECOVER, filter=number, amount=amount)
        return
    if not d.attack:
        d.need_cards(Zone.MY_DECK)
    d.post(Op.SEARCH_BENCH if m[4] else Op.SEARCH_HAND, filter=number, amount=amount)


@effect(r"For each heads, an? (.+) is chosen at random from your discard pile and put into your hand")
def recover_by_coins(d: Draft, m: re.Match[str]) -> None:
    """As many as there are heads."""
    number = cards(d.tables, m[1])
    d.need_cards(Zone.MY_DISCARD, number)
    d.post(Op.RECOVER, filter=number, amount=MANY)


@effect(r"put (?:a|1) (Supporter) card from your discard pile into your hand")
def recover_supporter(d: Draft, m: re.Match[str]) -> None:
    """The player picks a Supporter of the discard pile."""
    d.need_cards(Zone.MY_DISCARD, cards(d.tables, m[1]))
    d.post(Op.PICK_DISCARD, filter=cards(d.tables, m[1]))


@effect(
    r"Put 2 random Pokémon from your deck into your hand\. For each Pokémon you put into your "
    r"hand in this way, choose a Pokémon to shuffle from your hand into your deck"
)
def trade(d: Draft, m: re.Match[str]) -> None:
    """Two for two."""
    number = cards(d.tables, "Pokémon")
    d.need_cards(Zone.MY_DECK)
    d.post(Op.SEARCH_HAND, filter=number, amount=2)
    d.post(Op.HAND_PICK_TO_DECK, filter=number, amount=MANY)


@effect(
    r"(?:choose a (Pokémon|card) in (?:your|their) hand and switch it with a random "
    r"(Pokémon|Pokémon Tool card) in (?:your|their) deck)"
)
def swap(d: Draft, m: re.Match[str]) -> None:
    """One for one."""
    own = cards(d.tables, m[1])
    d.need_cards(Zone.MY_HAND, own)
    d.need_cards(Zone.MY_DECK)
    d.post(Op.SWAP_HAND_DECK, filter=own, arg=cards(d.tables, m[2]))


@effect(r"shuffle a (Basic Pokémon) from (?:your|their) hand into (?:your|their) deck\. If they do, they draw a card")
def shuffle_and_draw(d: Draft, m: re.Match[str]) -> None:
    """A Basic for a card."""
    number = cards(d.tables, m[1])
    d.need_cards(Zone.MY_HAND, number)
    d.post(Op.HAND_PICK_TO_DECK, filter=number, amount=1)
    d.when = When.TRUE
    d.post(Op.DRAW, who=Who.MY_ALL, amount=1)


@effect(
    r"Shuffle 2 cards from your hand into your deck\. Draw a card\. If you can't shuffle in 2 "
    r"cards, you can't use this card"
)
def two_for_one(d: Draft, m: re.Match[str]) -> None:
    """Two cards for one."""
    d.need_cards(Zone.MY_HAND, 0, 3)  # the card itself still is in the hand
    d.post(Op.HAND_PICK_TO_DECK, amount=2)
    d.post(Op.DRAW, who=Who.MY_ALL, amount=1)


# --- looking ---------------------------------------------------------------------------------------------------


@effect(r"Look at the top (?:card|(\d) cards) of your deck(\. Then, you may shuffle your deck)?")
def look(d: Draft, m: re.Match[str]) -> None:
    """The own top cards."""
    if not d.attack:
        d.need_cards(Zone.MY_DECK)
    d.post(Op.LOOK_TOP, who=Who.MY_ALL, amount=int(m[1] or 1))
    if m[2]:
        d.post(Op.MAY)
        d.when = When.TRUE
        d.post(Op.SHUFFLE_DECK, who=Who.MY_ALL)


@effect(r"choose either player\. Look at the top card of that player's deck")
def look_either(d: Draft, m: re.Match[str]) -> None:
    """One of the two top cards."""
    d.post(Op.CHOOSE_OPTION)
    d.when = When.TRUE
    d.post(Op.LOOK_TOP, who=Who.MY_ALL, amount=1)
    d.when = When.FALSE
    d.post(Op.LOOK_TOP, who=Who.FOE_ALL, amount=1)


@effect(
    r"(?:look at the top|Reveal the top) (\d) cards of your deck(?: and|\.) put all (.+?) you "
    r"find there(?: (that have the .+ attack))? into your hand\. Shuffle the other cards back "
    r"into your deck"
)
def take_top(d: Draft, m: re.Match[str]) -> None:
    """All of a kind among the top cards."""
    d.need_cards(Zone.MY_DECK)
    words = f"{m[2]} {m[3]}" if m[3] else m[2]
    d.post(Op.TAKE_TOP, filter=cards(d.tables, words), amount=int(m[1]))


@effect(
    r"Look at the top card of your deck\. If that card is a (.+), put it into your hand\. If "
    r"it is not a .+, put it on the bottom of your deck"
)
def slab(d: Draft, m: re.Match[str]) -> None:
    """The top card, if it is right."""
    d.need_cards(Zone.MY_DECK)
    d.post(Op.PEEK_OR_BOTTOM, filter=cards(d.tables, m[1]))


@effect(
    r"For each of (your .+) in play, look at that many cards from the top of (your|your "
    r"opponent's) deck and put them back in any order"
)
def reorder(d: Draft, m: re.Match[str]) -> None:
    """A new order."""
    noun = in_play(d.tables, m[1])
    foe = m[2] != "your"
    d.need(noun)
    d.need_cards(Zone.FOE_DECK if foe else Zone.MY_DECK)
    d.noun(Op.COUNT_POKEMON, noun)
    d.post(Op.REORDER, who=Who.FOE_ALL if foe else Who.MY_ALL)


@effect(
    r"Reveal the top (\d) cards of your deck\. This attack does (\d+) damage for each "
    r"(Pokémon .+) you find there\. Shuffle the revealed cards back into your deck"
)
def reveal_top(d: Draft, m: re.Match[str]) -> None:
    """Damage by the top cards."""
    d.pre(Op.REVEAL_TOP_COUNT, filter=cards(d.tables, m[3]), amount=int(m[1]))
    d.pre(Op.BASE_N, amount=int(m[2]))


@effect(
    r"Reveal all of your Pokémon in play and in your hand that have the (.+) attack, and this "
    r"attack does (\d+) damage for each Pokémon you revealed in this way"
)
def reveal_kin(d: Draft, m: re.Match[str]) -> None:
    """Damage by the Pokémon with an attack."""
    d.pre(Op.REVEAL_COUNT, arg=d.tables.name(m[1]))
    d.pre(Op.BASE_N, amount=int(m[2]))


@effect(r"(?:have )?your opponent reveals? their hand")
def reveal_hand(d: Draft, m: re.Match[str]) -> None:
    """See the hand."""
    if not d.attack:
        d.need_cards(Zone.FOE_HAND)
    d.post(Op.REVEAL_HAND)


@effect(r"Your opponent reveals all of the (.+) in their deck")
def reveal_deck(d: Draft, m: re.Match[str]) -> None:
    """See part of the deck."""
    d.need_cards(Zone.FOE_DECK)
    d.post(Op.KNOW_DECK, filter=cards(d.tables, m[1]))


# --- the opponent's hand ---------------------------------------------------------------------------------------


@effect(
    r"Your opponent reveals their hand\. Choose a (.+?) you find there and (?:(discard) "
    r"it|shuffle it into your opponent's deck)"
)
def take_from_hand(d: Draft, m: re.Match[str]) -> None:
    """One card of the opponent's hand goes."""
    if not d.attack:
        d.need_cards(Zone.FOE_HAND)
    d.post(Op.FOE_CHOICE, filter=cards(d.tables, m[1]), arg=bool(m[2]))


@effect(r"Flip a coin\. If heads, your opponent reveals their hand\. Choose a (.+?) you find there and discard it")
def take_by_coin(d: Draft, m: re.Match[str]) -> None:
    """A coin decides; the choice belongs to heads too."""
    d.pre(Op.FLIP, amount=1)
    d.when = When.TRUE
    d.post(Op.FOE_CHOICE, filter=cards(d.tables, m[1]), arg=1)


@effect(
    r"(?:your opponent reveals a random card from their hand and shuffles it into their "
    r"deck|look at a random card from your opponent's hand and shuffle it into their deck)"
)
def random_to_deck(d: Draft, m: re.Match[str]) -> None:
    """A random card of the opponent's hand goes into the deck."""
    d.post(Op.FOE_RANDOM_TO_DECK, amount=1)


@effect(
    r"For each heads, a card is chosen at random from your opponent's hand\. Your opponent "
    r"reveals that card and shuffles it into their deck"
)
def random_many_to_deck(d: Draft, m: re.Match[str]) -> None:
    """As many as there are heads."""
    d.post(Op.FOE_RANDOM_TO_DECK, amount=MANY)


@effect(
    r"Flip (\d) coins\. (For each heads, a card is chosen at random from your opponent's "
    r"hand\. Your opponent reveals that card and shuffles it into their deck)"
)
def random_by_coins(d: Draft, m: re.Match[str]) -> None:
    """Coins first."""
    d.pre(Op.FLIP, amount=int(m[1]))
    d.post(Op.FOE_RANDOM_TO_DECK, amount=MANY)


@effect(r"discard a random (card|Item card|Pokémon Tool card) from your opponent's hand")
def random_discard(d: Draft, m: re.Match[str]) -> None:
    """A random card of the opponent's hand is discarded."""
    d.post(Op.FOE_RANDOM_DISCARD, filter=cards(d.tables, m[1]), amount=1)


@effect(
    r"A card from among both player's hands is chosen at random, revealed to the other "
    r"player, and shuffled into its owner's deck"
)
def prank(d: Draft, m: re.Match[str]) -> None:
    """Anybody's card."""
    d.post(Op.RANDOM_HAND_TO_DECK)


@effect(r"Your opponent discards cards from their hand until they have (\d) cards in their hand")
def discard_down(d: Draft, m: re.Match[str]) -> None:
    """The opponent keeps some."""
    d.need_cards(Zone.FOE_HAND, 0, int(m[1]) + 1)
    d.post(Op.FOE_DISCARD_TO, amount=int(m[1]))


# --- discarding ------------------------------------------------------------------------------------------------


@effect(r"discard the top (?:card|(\d) cards) of (your|your opponent's|each player's) deck")
def mill(d: Draft, m: re.Match[str]) -> None:
    """The top of a deck goes; a deck that a condition looks at, before the damage."""
    amount = int(m[1] or 1)
    if m[2] != "your opponent's":
        d.pre(Op.MILL, who=Who.MY_ALL, amount=amount)
    if m[2] != "your":
        if not d.attack:
            d.need_cards(Zone.FOE_DECK)
        d.post(Op.MILL, who=Who.FOE_ALL, amount=amount)


@effect(r"For each heads, discard the top card of your opponent's deck")
def mill_by_coins(d: Draft, m: re.Match[str]) -> None:
    """As many as there are heads."""
    d.post(Op.MILL, who=Who.FOE_ALL, amount=MANY)


@effect(r"Discard (a card|(\d) cards) from your hand\. If you can't(?: discard \d cards)?, this attack does nothing")
def discard_or_nothing(d: Draft, m: re.Match[str]) -> None:
    """The price of the attack: all of it or nothing."""
    wanted = int(m[2] or 1)
    d.pre(Op.COUNT_CARDS, arg=Zone.MY_HAND)
    d.pre(Op.CHECK, amount=wanted, arg=MANY)
    d.when = When.FALSE
    d.pre(Op.STOP)
    d.when = When.ALWAYS
    d.pre(Op.DISCARD_HAND, amount=wanted)


@effect(
    r"Discard up to (\d) (.+) from your hand\. This attack does (\d+) damage for each card you discarded in this way"
)
def discard_for_damage(d: Draft, m: re.Match[str]) -> None:
    """Cards become damage."""
    d.pre(Op.DISCARD_HAND, filter=cards(d.tables, m[2]), amount=int(m[1]), arg=1)
    d.pre(Op.BASE_N, amount=int(m[3]))


@effect(
    r"You must discard a card from your hand in order to use this Ability\. Once during your turn, you may draw a card"
)
def discard_to_draw(d: Draft, m: re.Match[str]) -> None:
    """A card for a card."""
    d.need_cards(Zone.MY_HAND)
    d.need_cards(Zone.MY_DECK)
    d.post(Op.DISCARD_HAND, amount=1)
    d.post(Op.DRAW, who=Who.MY_ALL, amount=1)


@effect(r"Put a Basic Pokémon from your opponent's discard pile onto their Bench")
def flute(d: Draft, m: re.Match[str]) -> None:
    """A Basic for the opponent."""
    number = d.tables.filter(kinds=KINDS["Pokémon"], stages=1)
    d.need_cards(Zone.FOE_DISCARD, number)
    d.need_fact(Fact.FOE_FREE_BENCH)
    d.post(Op.FOE_DISCARD_TO_BENCH, filter=number)


# --- Tools and the Stadium -------------------------------------------------------------------------------------


@effect(
    r"discard all Pokémon Tools? (?:cards )?(?:from|attached to) (your opponent's Active "
    r"Pokémon|each of your opponent's Pokémon)"
)
def discard_tools(d: Draft, m: re.Match[str]) -> None:
    """Tools go."""
    noun = in_play(d.tables, m[1].removeprefix("each of "))
    if not d.attack:
        d.need(Noun(noun.who, noun.filter, State.HAS_TOOL))
    d.noun(Op.DISCARD_TOOLS, noun, late=True)


@effect(r"Return all Pokémon Tools attached to each Pokémon \(both yours and your opponent's\) to their owner's hand")
def return_tools(d: Draft, m: re.Match[str]) -> None:
    """All Tools return."""
    d.need(Noun(Who.EVERYBODY, state=State.HAS_TOOL))
    d.post(Op.RETURN_TOOLS, who=Who.EVERYBODY)


@effect(r"shuffle all Pokémon Tools from each of your opponent's Pokémon into their deck")
def tools_to_deck(d: Draft, m: re.Match[str]) -> None:
    """The opponent's Tools go into the deck."""
    d.post(Op.TOOLS_TO_DECK, who=Who.FOE_ALL)


@effect(r"Discard a Pokémon Tool card from a Pokémon \(yours or your opponent's\), or discard a Stadium card in play")
def discard_either(d: Draft, m: re.Match[str]) -> None:
    """A Tool or the Stadium goes."""
    d.need_fact(Fact.REMOVABLE)
    d.post(Op.DISCARD_TOOL_OR_STADIUM)


# --- alone -----------------------------------------------------------------------------------------------------


ONE_OPERATION: Final = {
    r"Discard a Stadium in play": Op.DISCARD_STADIUM,
    r"discard this card": Op.DISCARD_THIS,
    r"put this .+ into your hand instead of the discard pile": Op.KEEP_THIS,
    r"The next time you flip any number of coins for the effect of an attack, Ability, or Trainer card after using "
    r"this card on this turn, the first coin flip will definitely be heads": Op.NEXT_COIN_HEADS,
}
"""Phrases that are one operation with nothing to fill in."""


def _posts(op: Op) -> Callable[[Draft, re.Match[str]], None]:
    return lambda d, m: d.post(op)


for _phrase, _op in ONE_OPERATION.items():
    effect(_phrase)(_posts(_op))


@effect(
    r"(?:(Choose) 1 of (your opponent's (?:Active )?|your Benched )Pokémon's attacks(, except "
    r"any Pokémon ex,)?|1 attack from among the Pokémon in your opponent's (hand and deck) is "
    r"chosen at random)(?:,)? and (?:you )?use (?:it|the chosen attack) as this attack(\. If "
    r"this Pokémon doesn't have the necessary Energy to use that attack, this attack does "
    r"nothing)?"
)
def copy_attack(d: Draft, m: re.Match[str]) -> None:
    """Another Pokémon's attack."""
    who = Who.NOBODY
    if m[2]:
        who = Who.MY_BENCH if m[2].startswith("your B") else Who.FOE_ACTIVE if "Active" in m[2] else Who.FOE_ALL
    d.pre(Op.COPY_ATTACK, who=who, arg=bool(m[5]) | 2 * bool(m[3]) | 4 * bool(m[4]))


@effect(
    r"Look at a random Supporter card (that's not Penny )?from your opponent's (deck and "
    r"shuffle it back into their deck|hand)\. Use the effect of that card as the effect of "
    r"this (?:card|Ability)"
)
def copy_supporter(d: Draft, m: re.Match[str]) -> None:
    """Another Supporter's effect."""
    deck = m[2].startswith("deck")
    d.need_cards(Zone.FOE_DECK if deck else Zone.FOE_HAND)
    number = d.tables.filter(not_names=(d.tables.name("Penny"),)) if m[1] else 0
    if deck:  # which comes to the same as to look, shuffle, and then use it
        d.post(Op.SHUFFLE_DECK, who=Who.FOE_ALL)
    d.post(Op.COPY_SUPPORTER, who=Who.FOE_ALL if deck else Who.FOE_ACTIVE, filter=number)


@effect(r"Choose 1 of your (.+?) that has damage on it, and move (\d+) of its damage to your opponent's Active Pokémon")
def move_damage(d: Draft, m: re.Match[str]) -> None:
    """Damage goes to the opponent."""
    noun = in_play(d.tables, f"your {m[1]}")
    noun.state = State.DAMAGED
    d.need(noun)
    d.choose(noun)
    d.post(Op.MOVE_DAMAGE, who=Who.FOE_ACTIVE, amount=int(m[2]))


@effect(r"choose 1 of your Pokémon that has damage on it, and move all of its damage to this Pokémon")
def take_damage(d: Draft, m: re.Match[str]) -> None:
    """All damage of one comes here."""
    noun = Noun(Who.MY_OTHERS, state=State.DAMAGED)
    d.need(noun)
    d.choose(noun)
    d.post(Op.MOVE_DAMAGE, who=Who.CHOSEN, amount=MANY, arg=1)


@effect(r"move (\d+) damage that your Active Pokémon has on it to this Pokémon")
def take_some(d: Draft, m: re.Match[str]) -> None:
    """Some damage of the Active comes here."""
    d.need(Noun(Who.MY_ACTIVE, state=State.DAMAGED))
    d.post(Op.MOVE_DAMAGE, who=Who.MY_ACTIVE, amount=int(m[1]), arg=1)


@effect(r"Choose 1: (During this turn, .+?\.) (Heal .+)")
def choose_one(d: Draft, m: re.Match[str]) -> None:
    """One of two effects; the second must be of use to be chosen alone, so the first is always there."""
    d.post(Op.CHOOSE_OPTION)
    d.when = When.TRUE
    grammar.single(d, re.sub("Pokémon that evolve from", "Pokémon that evolves from", m[1]).removesuffix("."))
    d.when = When.FALSE
    grammar.single(d, m[2])
    d.head.clear()


@effect(r"You can use this card only if (.+?)\. (.+)")
def only_if(d: Draft, m: re.Match[str]) -> None:
    """A condition in front of a Trainer card."""
    conditional(d, m[1])
    grammar.text(d, m[2])


@effect(r"You can use this attack only if you have (.+) and (.+) on your Bench\. (.+)")
def attack_only_if(d: Draft, m: re.Match[str]) -> None:
    """A condition in front of an attack."""
    for name in (m[1], m[2]):
        d.need(in_play(d.tables, f"your Benched {name}"))
    grammar.text(d, m[3])


def conditional(d: Draft, words: str) -> None:
    """Add a condition to the head."""
    if words == "your opponent hasn't gotten any points":
        d.need_fact(Fact.FOE_POINTS, 0, 0)
    elif words == "your opponent has gotten at least 1 point":
        d.need_fact(Fact.FOE_POINTS)
    elif match := re.fullmatch(r"your Pokémon in the Active Spot has the (.+) attack", words):
        d.need(Noun(Who.MY_ACTIVE, state=State.HAS_ATTACK, parameter=d.tables.name(match[1])))
    else:
        inner = Draft(d.tables)
        if not grammar.test(inner, words):
            raise UnknownTextError(words)
        d.head += [*inner.before, Row(Op.REQUIRE)]
