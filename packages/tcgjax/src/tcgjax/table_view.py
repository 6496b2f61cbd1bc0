"""The board and the actions of a game in words, as one player may see them."""

from __future__ import annotations

from typing import Any

from tcgjax import board, zones
from tcgjax.arrays import Record
from tcgjax.codes import ENERGY, AttackColumn, Condition
from tcgjax.layout import DECK, HAND, SLOTS
from tcgjax.questions import ABILITY, ATTACH, ATTACK, CHOICE, END, FOSSIL, PLAY, RETREAT, STADIUM, TARGETS
from tcgjax.tables import arrays, words


def name(game: Record, instance: Any) -> str:
    """The name of a card in the game."""
    return words()["names"][int(game.card[int(instance)])]


def show(game: Record, player: int) -> str:
    """Both sides, the opponent's first, and the own hand."""
    stadium = f", Stadium {name(game, game.stadium)}" if game.stadium >= 0 else ""
    lines = [f"turn {int(game.turn)}{stadium}"]
    for side, title in ((1 - player, "opponent"), (player, "you")):
        zone, following = (
            ENERGY[value] if value >= 0 else "-" for value in (game.zone_energy[side], game.next_energy[side])
        )
        sizes = int(zones.size(game, HAND, side)), int(zones.size(game, DECK, side))
        lines.append(
            f"{title}: {int(game.points[side])} points, {sizes[0]} cards in hand, {sizes[1]} in the deck, "
            f"energy {zone}, next {following}"
        )
        for slot in range(SLOTS):
            place = SLOTS * side + slot
            if game.cards[place, 0] >= 0 and (game.turn > 0 or side == player):
                lines.append(f"  {'Active' if slot == 0 else f'Bench {slot}'}: {pokemon(game, place)}")
    hand = [name(game, instance) for instance in zones.hand(game, player) if instance >= 0]
    return "\n".join([*lines, f"hand: {', '.join(hand) or 'empty'}"])


def pokemon(game: Record, place: int) -> str:
    """One Pokémon in play."""
    energy = "".join(letter * int(count) for letter, count in zip(ENERGY, game.energy[place], strict=True))
    conditions = int(board.conditions(game)[place])
    marks = " ".join(item.name.lower() for item in Condition if conditions & item)
    tools = ", ".join(name(game, tool) for tool in game.tools[place] if tool >= 0)
    left = max(0, int(game.max_hp[place]) - int(game.damage[place]))
    parts = [f"{name(game, board.top_instances(game)[place])} {left} HP", energy, marks, tools]
    return ", ".join(part for part in parts if part)


def option(game: Record, player: int, action: int) -> str:
    """An action with the names of its cards."""
    first = SLOTS * player

    def at_place(place: int) -> str:
        instance = board.top_instances(game)[place]
        return name(game, instance) if instance >= 0 else "an empty place"

    if action == END:
        return "end the turn" if game.asks_main else "no more"
    if PLAY <= action < ATTACH:
        position, target = divmod(action - PLAY, TARGETS)
        place = first + target - 1 if target <= SLOTS else SLOTS * (1 - player) + target - 1 - SLOTS
        where = f" on {at_place(place)}" if target else ""
        return f"play {name(game, zones.hand(game, player)[position])}{where}"
    if ATTACK <= action < ABILITY:
        top = int(game.card[board.top_instances(game)[first]])
        number = action - ATTACK
        damage = arrays()["attack"][top, number, AttackColumn.DAMAGE] if number < 2 else "?"
        return f"attack {number + 1} of {at_place(first)} ({damage})"
    words_of = ((FOSSIL, "discard"), (STADIUM, "use the Stadium"), (ABILITY, "use the Ability of"))
    for start, text in (*words_of, (RETREAT, "retreat for"), (ATTACH, "attach energy to")):
        if start <= action < CHOICE:
            slot = action - start + (start == RETREAT)
            return text if start == STADIUM else f"{text} {at_place(first + slot)}"
    number = action - CHOICE
    if game.turn == 0:
        return name(game, zones.hand(game, player)[number])
    return f"option {number}"
