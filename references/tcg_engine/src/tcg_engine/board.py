"""Cards and Pokémon moving between zones (RULES.md, sections 5, 8 and 12)."""

from __future__ import annotations

from tcg_engine import conditions, knowledge
from tcg_engine.codes import ENERGY_KINDS
from tcg_engine.config import HAND_LIMIT
from tcg_engine.state import Game, Pokemon, owner_of

# --- the deck and the hand -------------------------------------------------------------------------------------


def shuffle(game: Game, player: int) -> None:
    """Shuffle a deck; nobody knows the place of its cards any more."""
    knowledge.shuffled(game, player)
    side = game.players[player]
    side.deck = game.random.order(side.deck, player)


def draw(game: Game, player: int, count: int = 1) -> int:
    """Draw cards while there are any and the hand has room; how many were drawn (sections 4 b and 12)."""
    side = game.players[player]
    drawn = max(0, min(count, len(side.deck), HAND_LIMIT - len(side.hand)))
    knowledge.draws(game, player, drawn)
    side.hand, side.deck = side.hand + side.deck[:drawn], side.deck[drawn:]
    if count:
        game.say(f"player {player} draws {drawn} card{'s' * (drawn != 1)}")
    return drawn


def to_hand(game: Game, instances: list[int], public: bool) -> None:
    """Put cards into their owners' hands; what does not fit is discarded (section 12.3)."""
    for instance in instances:
        owner = owner_of(instance)
        side = game.players[owner]
        if len(side.hand) < HAND_LIMIT:
            side.hand.append(instance)
            if public:
                knowledge.came_to_hand(game, instance)
        else:
            discard(game, [instance])


def discard(game: Game, instances: list[int]) -> None:
    """Put cards on their owners' discard piles."""
    for instance in instances:
        game.players[owner_of(instance)].discard.append(instance)


def into_deck(game: Game, instances: list[int], public: bool = True) -> None:
    """Shuffle cards into their owners' decks."""
    for instance in instances:
        game.players[owner_of(instance)].deck.append(instance)
    if public:
        knowledge.went_into_deck(game, instances)
    for player in sorted({owner_of(instance) for instance in instances}):
        shuffle(game, player)


# --- Pokémon in play -------------------------------------------------------------------------------------------


def free_slot(game: Game, player: int) -> int:
    """The first empty place of the Bench, or 0 if there is none."""
    slots = game.players[player].slots
    return next((number for number in (1, 2, 3) if slots[number] is None), 0)


def put_on_bench(game: Game, player: int, instance: int) -> Pokemon:
    """A Basic Pokémon or Fossil comes into play on the Bench."""
    pokemon = Pokemon(player, [instance], entered=game.turn)
    game.players[player].slots[free_slot(game, player)] = pokemon
    game.say(f"player {player} puts {game.name(pokemon)} on the Bench")
    return pokemon


def evolve(game: Game, pokemon: Pokemon, instance: int) -> None:
    """Put an Evolution card on a Pokémon: it loses its conditions and the effects on it (section 5)."""
    before = game.name(pokemon)
    pokemon.cards.append(instance)
    pokemon.evolved = game.turn
    pokemon.moved_up = pokemon.ability_used = 0
    pokemon.shielded = False
    conditions.cure(pokemon)
    pokemon.timed.clear()
    game.say(f"{before} evolves into {game.name(pokemon)}")


def leave_active_spot(pokemon: Pokemon) -> None:
    """Going to the Bench ends conditions and effects (sections 9 and 11)."""
    conditions.cure(pokemon)
    pokemon.timed.clear()


def switch(game: Game, player: int, new: Pokemon) -> None:
    """A Benched Pokémon changes places with the Active Pokémon."""
    slots = game.players[player].slots
    place = game.slot(new)
    if place <= 0:
        return
    old = slots[0]
    if old is not None:
        leave_active_spot(old)
    slots[0], slots[place] = new, old
    new.moved_up = game.turn if player == game.current else 0
    game.say(f"player {player}: {game.name(new)} moves to the Active Spot")


def remove(game: Game, pokemon: Pokemon) -> list[int]:
    """Take a Pokémon out of play; its cards.  Its energy is discarded; its Tools are the caller's."""
    slot = game.slot(pokemon)
    side = game.players[pokemon.owner]
    side.slots[slot] = None
    for kind, count in enumerate(pokemon.energy):
        side.discard_energy[kind] += count
    pokemon.energy = [0] * ENERGY_KINDS
    return pokemon.cards


def discard_pokemon(game: Game, pokemon: Pokemon) -> None:
    """A Pokémon, the cards beneath and its Tools go to the discard pile."""
    cards = remove(game, pokemon)
    discard(game, [*cards, *pokemon.tools])


def return_to_hand(game: Game, pokemon: Pokemon, tools_too: bool = False) -> None:
    """A Pokémon and the cards beneath go to the hand, the top card first; its Tools are discarded (section 11)."""
    game.say(f"{game.name(pokemon)} returns to the hand of player {pokemon.owner}")
    cards = remove(game, pokemon)
    to_hand(game, list(reversed(cards)), public=True)
    (to_hand(game, pokemon.tools, public=True) if tools_too else discard(game, pokemon.tools))


def return_to_deck(game: Game, pokemon: Pokemon, tools_too: bool = False) -> None:
    """A Pokémon and the cards beneath are shuffled into the deck; its Tools are discarded (section 11)."""
    game.say(f"{game.name(pokemon)} is shuffled into the deck of player {pokemon.owner}")
    cards = remove(game, pokemon)
    into_deck(game, [*cards, *(pokemon.tools if tools_too else ())])
    if not tools_too:
        discard(game, pokemon.tools)


def discard_tool(game: Game, pokemon: Pokemon, tool: int) -> None:
    """Discard one attached Tool."""
    pokemon.tools.remove(tool)
    discard(game, [tool])


def heal(game: Game, pokemon: Pokemon, amount: int) -> int:
    """Remove damage; how much was removed."""
    healed = min(amount, pokemon.damage)
    pokemon.damage -= healed
    if healed:
        game.say(f"{game.name(pokemon)} is healed of {healed} damage")
    return healed
