"""The state of a game: plain dataclasses and lists.

A card in a game is an *instance*: 0 to 19 belong to player 0, 20 to 39 to player 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tcg_engine.cards import Card, CardTable
from tcg_engine.codes import ENERGY_KINDS, SLOTS
from tcg_engine.config import Rules
from tcg_engine.rng import Random


@dataclass
class Timed:
    """A modifier that lies on a Pokémon or a player for some turns (RULES.md, section 11).

    Attributes:
        modifier: its row in the table.
        start: first turn in which it works.
        end: last turn.
        owner: the player whose effect it is.
        arg: name id of an attack, if the modifier needs one that was not known before.
    """

    modifier: int
    start: int
    end: int
    owner: int
    arg: int = 0


@dataclass(eq=False)
class Pokemon:
    """One Pokémon in play.

    Attributes:
        owner: its player.
        cards: instances from the Basic up; the last one is what it is now.
        tools: attached Tools (instances).
        damage: damage on it.
        energy: units by type.
        poison: damage at each Checkup, 0 if not Poisoned.
        burned: is Burned.
        stupor: 0, or `Condition` ASLEEP, PARALYZED or CONFUSED, which replace one another.
        paralyzed_turn: turn in which it was Paralyzed.
        entered: turn in which it came into play.
        evolved: turn of its last evolution.
        moved_up: turn in which it moved from the Bench to the Active Spot.
        ability_used: turn in which its Ability was used.
        hit_turn: turn in which an attack damaged it while Active.
        attacked: has finished an attack since it came into play.
        shielded: a first-damage shield has been used up.
        timed: effects on it.
    """

    owner: int
    cards: list[int]
    tools: list[int] = field(default_factory=list)
    damage: int = 0
    energy: list[int] = field(default_factory=lambda: [0] * ENERGY_KINDS)
    poison: int = 0
    burned: bool = False
    stupor: int = 0
    paralyzed_turn: int = 0
    entered: int = 0
    evolved: int = 0
    moved_up: int = 0
    ability_used: int = 0
    hit_turn: int = 0
    attacked: bool = False
    shielded: bool = False
    timed: list[Timed] = field(default_factory=list)


@dataclass
class Shown:
    """What a player's opponent knows of the player's hidden cards (`knowledge`).

    Attributes:
        held: cards surely in the hand.
        some: cards that are in the hand or in the deck.
        in_hand: so many of them at least are in the hand.
        in_deck: so many of them at least are among the top cards of the deck.
        depth: how many top cards that are; `knowledge.WHOLE` is the deck.
    """

    held: Counter[int] = field(default_factory=Counter)
    some: Counter[int] = field(default_factory=Counter)
    in_hand: int = 0
    in_deck: int = 0
    depth: int = 0


@dataclass
class Player:
    """One side of the table.

    Attributes:
        deck: instances, top first.
        hand: instances in the order they came.
        discard: instances in the order they came.
        slots: Active Spot and Bench; an empty place is None.
        discard_energy: discarded units by type.
        energy_types: mask of the deck's types.
        current: energy in the Zone that may be attached now, or -1.
        next: the one that comes next, or -1.
        points: points scored.
        timed: effects on the player.
        spots: delayed damage by slot: (turn at whose end it comes, damage; 0 Knocks Out).
        known: cards in both decks whose places it has seen.
        shown: what the opponent knows of its hidden cards besides.
        mixed: cards of its deck whose places it had seen, until the opponent put them into another order.
        mixed_depth: they are among so many top cards.
        supporters: Supporters played this turn.
        stadium_played: played a Stadium this turn.
        stadium_used: used the Stadium this turn.
        retreated: retreated this turn.
        turns: own turns begun.
        lost_turn: last turn in which an attack Knocked Out own Pokémon.
        lost_types: types of those.
        lost_count: own Pokémon Knocked Out so far.
        attack_uses: (turn, attack name id) of every attack used.
        energy_made: units generated so far by type.
        energy_spoiled: units lost from the Zone, unattached.
    """

    deck: list[int] = field(default_factory=list)
    hand: list[int] = field(default_factory=list)
    discard: list[int] = field(default_factory=list)
    slots: list[Pokemon | None] = field(default_factory=lambda: [None] * SLOTS)
    discard_energy: list[int] = field(default_factory=lambda: [0] * ENERGY_KINDS)
    energy_types: int = 0
    current: int = -1
    next: int = -1
    points: int = 0
    timed: list[Timed] = field(default_factory=list)
    spots: list[list[tuple[int, int]]] = field(default_factory=lambda: [[] for _ in range(SLOTS)])
    known: set[int] = field(default_factory=set)
    shown: Shown = field(default_factory=Shown)
    mixed: Counter[int] = field(default_factory=Counter)
    mixed_depth: int = 0
    supporters: int = 0
    stadium_played: bool = False
    stadium_used: bool = False
    retreated: bool = False
    turns: int = 0
    lost_turn: int = 0
    lost_types: int = 0
    lost_count: int = 0
    attack_uses: list[tuple[int, int]] = field(default_factory=list)
    energy_made: list[int] = field(default_factory=lambda: [0] * ENERGY_KINDS)


@dataclass
class Choice:
    """What one player is asked.

    Attributes:
        actor: who decides.
        what: for the log and for players, in words.
        options: legal action ids, ascending.
        cards: functional cards that the options CHOICE + 0, 1, … stand for, if they are not cards of the own hand.
        number: what else the actor must know: heads that may be flipped again.
    """

    actor: int
    what: str
    options: list[int]
    cards: list[int] = field(default_factory=list)
    number: int = 0


@dataclass
class Game:
    """A whole game.

    Attributes:
        table: card table.
        rules: rule choices.
        random: generator.
        cards: functional card of each instance.
        players: the two sides.
        first: who went first.
        turn: 0 during the setup, then 1, 2, … for both players together.
        current: whose turn it is.
        stadium: instance of the Stadium in play, or -1.
        stack: unfinished work; the last entry runs first.
        choice: what is asked now; None only when the game is over.
        winner: 0 or 1; 2 is a tie; -1 while the game goes on.
        coin_heads: the turn player's next batch of flips for the effect of a card begins with heads.
        reflip_used: a Victory Star was used this turn.
        turn_over: the main phase has ended.
        ended: what has had its effect at the end of this turn: Pokémon by their lowest cards, Tools, the Stadium.
        log: what happened, in words.
    """

    table: CardTable
    rules: Rules
    random: Random
    cards: list[int]
    players: list[Player] = field(default_factory=lambda: [Player(), Player()])
    first: int = 0
    turn: int = 0
    current: int = 0
    stadium: int = -1
    stack: list[Any] = field(default_factory=list)
    choice: Choice | None = None
    winner: int = -1
    coin_heads: bool = False
    reflip_used: bool = False
    turn_over: bool = False
    ended: set[int] = field(default_factory=set)
    log: list[str] = field(default_factory=list)

    def card(self, instance: int) -> Card:
        """The card of an instance."""
        return self.table.cards[self.cards[instance]]

    def top(self, pokemon: Pokemon) -> Card:
        """What a Pokémon in play is now."""
        return self.card(pokemon.cards[-1])

    def name(self, pokemon: Pokemon) -> str:
        """Name of a Pokémon in play."""
        return self.table.name(self.top(pokemon))

    def active(self, player: int) -> Pokemon | None:
        """The Active Pokémon of a player."""
        return self.players[player].slots[0]

    def board(self, player: int) -> list[Pokemon]:
        """A player's Pokémon in play, by slot."""
        return [pokemon for pokemon in self.players[player].slots if pokemon is not None]

    def bench(self, player: int) -> list[Pokemon]:
        """A player's Benched Pokémon, by slot."""
        return [pokemon for pokemon in self.players[player].slots[1:] if pokemon is not None]

    def slot(self, pokemon: Pokemon) -> int:
        """Where a Pokémon is; -1 if it has left play."""
        for number, other in enumerate(self.players[pokemon.owner].slots):
            if other is pokemon:
                return number
        return -1

    def is_active(self, pokemon: Pokemon) -> bool:
        """Whether it is in the Active Spot."""
        return self.players[pokemon.owner].slots[0] is pokemon

    def say(self, text: str) -> None:
        """Write a line of the log."""
        self.log.append(text)


def owner_of(instance: int) -> int:
    """The player an instance belongs to."""
    return instance // 20
