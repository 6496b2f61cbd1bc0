"""The board in words, as one player may see it."""

from __future__ import annotations

from tcg_engine.actions import ABILITY, ATTACH, ATTACK, CHOICE, END, FOE_SLOT, PLAY, RETREAT, TARGETS, describe
from tcg_engine.attack import attacks_of, printed
from tcg_engine.codes import ENERGY
from tcg_engine.modifiers import remaining_hp
from tcg_engine.position import read_pokemon
from tcg_engine.state import Game, Pokemon


def board(game: Game, player: int) -> str:
    """Both sides, the opponent's first, and the own hand."""
    lines = [
        f"turn {game.turn}" + (f", Stadium {game.table.name(game.card(game.stadium))}" if game.stadium >= 0 else "")
    ]
    for side, title in ((1 - player, "opponent"), (player, "you")):
        data = game.players[side]
        zone = "-" if data.current < 0 else ENERGY[data.current]
        lines.append(
            f"{title}: {data.points} points, {len(data.hand)} cards in hand, {len(data.deck)} in the deck, "
            f"energy {zone}, next {ENERGY[data.next]}"
        )
        shown = game.turn > 0 or side == player
        for slot, pokemon in enumerate(data.slots):
            if pokemon is not None and shown:
                lines.append(f"  {'Active' if slot == 0 else f'Bench {slot}'}: {describe_pokemon(game, pokemon)}")
    hand = ", ".join(game.table.name(game.card(card)) for card in game.players[player].hand)
    return "\n".join([*lines, f"hand: {hand or 'empty'}"])


def describe_pokemon(game: Game, pokemon: Pokemon) -> str:
    """One Pokémon in play."""
    tools = ", ".join(game.table.name(game.card(tool)) for tool in pokemon.tools)
    parts = [
        f"{game.name(pokemon)} {remaining_hp(game, pokemon)} HP",
        read_pokemon(game, pokemon, "energy"),
        read_pokemon(game, pokemon, "conditions"),
        tools,
    ]
    return ", ".join(part for part in parts if part)


def option(game: Game, player: int, action: int) -> str:
    """An option with the names of its cards."""
    side = game.players[player]
    if PLAY <= action < ATTACH:
        position, target = divmod(action - PLAY, TARGETS)
        where = side.slots[target - 1] if 1 <= target <= FOE_SLOT else None
        name = game.table.name(game.card(side.hand[position]))
        return f"play {name}" + (f" on {game.name(where)}" if where is not None else "")
    active = game.active(player)
    if ATTACK <= action < ABILITY and active is not None:
        attack = printed(game, attacks_of(game, active)[action - ATTACK])
        return f"attack with {game.table.names[attack.name]}"
    for start, words in ((ABILITY, "use the Ability of"), (ATTACH, "attach energy to")):
        pokemon = side.slots[action - start] if start <= action < start + FOE_SLOT else None
        if pokemon is not None:
            return f"{words} {game.name(pokemon)}"
    new = side.slots[action - RETREAT + 1] if RETREAT <= action < ATTACK else None
    if new is not None:
        return f"retreat for {game.name(new)}"
    if game.turn == 0 and action >= CHOICE:
        return game.table.name(game.card(side.hand[action - CHOICE]))
    return (
        "end turn"
        if action == END and game.turn and game.choice and game.choice.what == "your turn"
        else describe(action)
    )
