"""Positions and actions in words: how tests, and other engines, describe a situation (README.md, "Cases").

A position is a dictionary (the content of a TOML table)::

    turn = 5                      # default; odd turns belong to player 0, who goes first
    current = "L"                 # energy in the Zone of the player whose turn it is, "" for none
    coins = ["HT", "H"]           # what the next batches of coins must show
    picks = ["2/3"]               # the next random picks: index 2 of 3
    stadium = "B2-154"

    [me]                          # player 0;  [foe] is player 1
    active = "A1-096 LL damage=20 tool=A2-147 poisoned entered=3"
    bench = ["A1-001", ""]        # "" leaves a place empty
    hand = ["P-A-001"]
    deck = ["A1-002"]             # from the top; the rest of the twenty cards follows as `filler`
    discard = ["A1-003"]
    points = 1
    energy = "L"                  # types of the deck
    discard_energy = "RRW"

An evolved Pokémon names its cards from the Basic up: ``"A1-001>A1-002 GG"``.
"""

from __future__ import annotations

from typing import Any

from tcg_engine import actions, ops
from tcg_engine.cards import CardTable, table
from tcg_engine.codes import ENERGY, Condition
from tcg_engine.config import DECK_SIZE, OFFICIAL, POISON_DAMAGE, Rules
from tcg_engine.errors import TableError, explain
from tcg_engine.game import advance
from tcg_engine.main_phase import MainPhase
from tcg_engine.rng import Random, Stream
from tcg_engine.state import Game, Player, Pokemon
from tcg_engine.turn import Turn

FILLER = "A1-001"
MAIN_STEP = 2  # the step of `Turn` that follows the main phase
SEARCH = 200_000  # seeds tried for the coins and picks of a position

assert ops.__all__


def load(position: dict[str, Any], rules: Rules = OFFICIAL, cards: CardTable | None = None) -> Game:
    """The game of a position, at its main phase.

    Raises:
        TableError: a word that means nothing here.
    """
    cards = cards or table()
    strange = set(position) - {"turn", "current", "coins", "picks", "stadium", "stadium_owner", "me", "foe"}
    if strange:
        raise TableError(explain("position", got=sorted(strange), expected="known fields", remedy="see position.py"))
    seed = find_seed(position.get("coins", []), position.get("picks", []))
    game = Game(cards, rules, Random.from_seed(seed), [0] * (2 * DECK_SIZE))
    game.turn = position.get("turn", 5)
    game.current = (game.turn - 1) % 2
    for player, name in enumerate(("me", "foe")):
        fill_side(game, player, position.get(name, {}))
    current = position.get("current", "")
    game.players[game.current].current = ENERGY.index(current) if current else -1
    if position.get("stadium"):
        game.stadium = take(game, 1 if position.get("stadium_owner") == "foe" else 0, position["stadium"])
    game.stack = [Turn(MAIN_STEP), MainPhase()]
    advance(game)
    return game


def fill_side(game: Game, player: int, words: dict[str, Any]) -> None:
    """Place the cards of one player."""
    side = game.players[player]
    unknown = set(words) - {
        "active",
        "bench",
        "hand",
        "deck",
        "discard",
        "points",
        "energy",
        "next",
        "discard_energy",
        "filler",
        "fields",
    }
    if unknown:
        raise TableError(explain("position", got=sorted(unknown), expected="known fields", remedy="see position.py"))
    free = list(range(DECK_SIZE * player, DECK_SIZE * (player + 1)))
    side.turns = (game.turn + (1 - player)) // 2

    def card(name: str) -> int:
        instance = free.pop(0)
        game.cards[instance] = game.table.find(name).index
        return instance

    places = [words.get("active", FILLER), *words.get("bench", [])]
    for slot, text in enumerate(places):
        side.slots[slot] = pokemon(game, player, text, card) if text else None
    side.hand = [card(name) for name in words.get("hand", [])]
    side.deck = [card(name) for name in words.get("deck", [])]
    side.discard = [card(name) for name in words.get("discard", [])]
    side.points = words.get("points", 0)
    side.energy_types = sum(1 << ENERGY.index(letter) for letter in words.get("energy", "G"))
    side.next = ENERGY.index(words.get("next", words.get("energy", "G")[0]))
    for letter in words.get("discard_energy", ""):
        side.discard_energy[ENERGY.index(letter)] += 1
        side.energy_made[ENERGY.index(letter)] += 1
    for field, value in words.get("fields", {}).items():
        setattr(side, field, value)
    rest = [card(words.get("filler", FILLER)) for _ in range(len(free))]
    (side.discard if "deck" in words and not words["deck"] else side.deck).extend(rest)


def pokemon(game: Game, player: int, text: str, card: Any) -> Pokemon:
    """A Pokémon in play from its words."""
    parts = text.split()
    found = Pokemon(player, [card(name) for name in parts[0].split(">")], entered=1)
    made = game.players[player].energy_made
    for part in parts[1:]:
        key, _, value = part.partition("=")
        if key == "damage":
            found.damage = int(value)
        elif key == "tool":
            found.tools.append(card(value))
        elif key == "poisoned":
            found.poison = int(value or POISON_DAMAGE)
        elif key == "burned":
            found.burned = True
        elif key.upper() in Condition.__members__:
            found.stupor = Condition[key.upper()]
            found.paralyzed_turn = game.turn - 1 if found.stupor == Condition.PARALYZED else 0
        elif key in ("entered", "evolved", "moved_up", "hit_turn", "ability_used", "attacked"):
            setattr(found, key, int(value))
        elif set(key) <= set(ENERGY):
            for letter in key:
                found.energy[ENERGY.index(letter)] += 1
                made[ENERGY.index(letter)] += 1
        else:
            raise TableError(explain("Pokémon", got=part, expected="see position.py", remedy="correct the word"))
    return found


def take(game: Game, player: int, name: str) -> int:
    """Turn the last filler card of the deck into a card and take it out."""
    instance = game.players[player].deck.pop()
    game.cards[instance] = game.table.find(name).index
    return instance


def find_seed(coins: list[str], picks: list[str]) -> int:
    """A seed whose first coins and picks come out as wanted."""
    wanted = [(word, len(word)) for word in coins]
    numbers = [tuple(map(int, pick.split("/"))) for pick in picks]
    for seed in range(SEARCH):
        random = Random.from_seed(seed)
        if all(
            format(random.word(Stream.COIN, i), "032b")[:length] == word.replace("H", "1").replace("T", "0")
            for i, (word, length) in enumerate(wanted)
        ) and all((random.word(Stream.PICK, i) * n) >> 32 == index for i, (index, n) in enumerate(numbers)):
            return seed
    raise TableError(explain("coins and picks", got=(coins, picks), expected="a seed for them", remedy="ask for fewer"))


def action(game: Game, words: str) -> int:
    """The id of an action in words: ``attack 0``, ``play P-A-001 on me 0``, ``choose foe 1``, ``yes``, ``pick 2``.

    Raises:
        TableError: the words mean no action.
    """
    parts = words.split()
    simple = {"end": actions.END, "no": actions.NO, "yes": actions.YES, "stadium": actions.STADIUM, "done": actions.END}
    starts = {
        "attack": actions.ATTACK,
        "ability": actions.ABILITY,
        "attach": actions.ATTACH,
        "retreat": actions.RETREAT - 1,
        "discard": actions.FOSSIL,
        "pick": actions.CHOICE,
    }
    if words in simple:
        return simple[words]
    if parts[0] == "energy":
        return actions.CHOICE + ENERGY.index(parts[1])
    if parts[0] in starts:
        return starts[parts[0]] + int(parts[1])
    if parts[0] == "choose":
        return actions.CHOICE + int(parts[2]) + (actions.FOE_SLOT if parts[1] == "foe" else 0)
    if parts[0] == "play":
        assert game.choice is not None
        hand = game.players[game.choice.actor].hand
        wanted = game.table.find(parts[1]).index
        position = next((i for i, card in enumerate(hand) if game.cards[card] == wanted), -1)
        target = 0 if len(parts) < 5 else 1 + int(parts[4]) + (4 if parts[3] == "foe" else 0)
        if position >= 0:
            return actions.play(position, target)
    raise TableError(explain("action", got=words, expected="an action in words", remedy="see position.py"))


def read(game: Game, path: str) -> Any:
    """A value of a game by its path: ``foe.active.damage``, ``me.bench.1.energy``, ``me.hand``, ``winner``.

    Cards are given as ids of functional cards, energy as letters, conditions as sorted words.
    """
    if path == "winner":
        return game.winner
    if path in ("turn", "current"):
        return getattr(game, path)
    if path == "stadium":
        return game.card(game.stadium).id if game.stadium >= 0 else ""
    side_name, _, rest = path.partition(".")
    side = game.players[0 if side_name == "me" else 1]
    if rest.startswith(("active", "bench")):
        words = rest.split(".")
        slot, field = (0, words[1:]) if words[0] == "active" else (int(words[1]), words[2:])
        return read_pokemon(game, side.slots[slot], ".".join(field) or "card")
    return read_side(game, side, rest)


def read_side(game: Game, side: Player, name: str) -> Any:
    """A value of one player."""
    foe = game.players[1 - game.players.index(side)]
    if name in ("hand", "deck", "discard"):
        return sorted(game.card(instance).id for instance in getattr(side, name))
    if name in ("hand.size", "deck.size", "discard.size"):
        return len(getattr(side, name.split(".")[0]))
    if name == "known.size":
        return len(side.known) + foe.shown.held.total()
    if name in ("foe_held", "foe_some", "mixed"):
        cards = {"foe_held": foe.shown.held, "foe_some": foe.shown.some, "mixed": side.mixed}[name]
        return sorted(game.table.cards[card].id for card in cards.elements())
    if name == "foe_some.at_least":
        return [foe.shown.in_hand, foe.shown.in_deck, foe.shown.depth]
    if name == "top":
        return game.card(side.deck[0]).id
    if name == "discard_energy":
        return "".join(letter * count for letter, count in zip(ENERGY, side.discard_energy, strict=True))
    if name in ("current", "next"):
        value = getattr(side, name)
        return ENERGY[value] if value >= 0 else ""
    return getattr(side, name)


def read_pokemon(game: Game, pokemon: Pokemon | None, name: str) -> Any:
    """A value of one Pokémon in play; an empty place has the card ""."""
    if pokemon is None:
        return "" if name == "card" else None
    if name == "card":
        return game.top(pokemon).id
    if name == "energy":
        return "".join(letter * count for letter, count in zip(ENERGY, pokemon.energy, strict=True))
    if name == "energy.size":
        return sum(pokemon.energy)
    if name == "tools":
        return [game.card(tool).id for tool in pokemon.tools]
    if name == "conditions":
        stupor = [Condition(pokemon.stupor).name.lower()] if pokemon.stupor else []
        return " ".join(["poisoned"] * (pokemon.poison > 0) + ["burned"] * pokemon.burned + stupor)
    return getattr(pokemon, name)
