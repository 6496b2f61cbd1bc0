"""Draws a battle of pokejax and a game of tcgjax: ``python -m ci.game_pictures``, to both packages' ``docs``.

The engines play, nothing is drawn by hand: names, hit points, energy and what is done are read from their states.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ci.workspace import REPO
from rlenv_shared import files

WIDTH, HEIGHT = 480, 250
INK, PAPER, FADED, LINE = "#1f2430", "#f7f6f2", "#8b8f99", "#c9c7be"
GOOD, FAIR, POOR = "#3d8b5f", "#c9962f", "#b8493f"
TYPES: Final = {
    "G": "#5a9a4a", "R": "#c4503f", "W": "#3f7fc4", "L": "#d1a92e", "P": "#8a5aa8", "F": "#b0703c", "D": "#44505f",
    "M": "#8b95a1", "N": "#b7a35c", "C": "#a8a8a8",
}  # fmt: skip
"""Colours of energies, by the first letter of their names or their own letters."""
PICTURE_MS: Final = 1100
MOST: Final = 48
"""Pictures of an animation."""


class Picture:
    """An image with what both games need: text, bars, dots."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
        self.draw = ImageDraw.Draw(self.image)

    def text(self, x: float, y: float, text: str, size: int = 13, colour: str = INK, anchor: str = "la") -> None:
        """One line; the anchor is Pillow's."""
        self.draw.text((x, y), text, colour, ImageFont.load_default(size), anchor)

    def bar(self, x: float, y: float, width: float, share: float) -> None:
        """A bar of hit points."""
        self.draw.rectangle((x, y, x + width, y + 7), LINE)
        if share > 0:
            colour = GOOD if share > 0.5 else FAIR if share > 0.2 else POOR
            self.draw.rectangle((x, y, x + max(1, width * share), y + 7), colour)

    def dot(self, x: float, y: float, colour: str) -> None:
        """A small disc."""
        self.draw.ellipse((x, y, x + 8, y + 8), colour)


def save(pictures: Sequence[Picture], path: Path) -> None:
    """An endlessly repeating GIF; the last picture stays longer."""
    images = [picture.image.quantize(32) for picture in pictures]
    times = [PICTURE_MS] * (len(images) - 1) + [4 * PICTURE_MS]
    with files.replacing(str(path)) as file:
        images[0].save(file, "GIF", save_all=True, append_images=images[1:], duration=times, loop=0, optimize=True)
    print(f"{len(images)} pictures, {path.stat().st_size / 1000:.0f} kB: {path.relative_to(REPO)}")


def battle(seed: int = 4) -> Iterator[Picture]:
    """A battle of two shipped teams; both players mostly attack."""
    import jax.numpy as jnp

    from pokejax import render, rows, tables
    from pokejax.pools import default
    from pokejax.verification.battles import programs
    from pokejax.verification.view import snapshots

    run, rng = programs("numpy"), np.random.default_rng(seed)
    params = tables.params(default())
    pokemon = rows.POKEMON.decode(tables.separated(rows.POKEMON, params.pokemon))
    first, second = (jnp.asarray(rng.integers(0, 4096, 1), jnp.int32) for _ in range(2))
    high, low = (rng.integers(0, 2**32, 1, np.uint32) for _ in range(2))
    words, said = run.begin(first, second, high, low, params), ["", ""]
    while True:
        masks = np.asarray(run.look(words, params))
        state = snapshots(tuple(np.asarray(word)[:1] for word in words), masks[:1])[0]
        teams = [render.members(state, side, pokemon) for side in (0, 1)]
        if state["turn"]:
            yield _battle_picture(state, teams, [*said, render.ending(state)] if state["over"] else said)
        if state["over"]:
            return
        weights = rng.random(masks.shape) * np.where(np.arange(masks.shape[-1]) < 4, 1, 0.3)  # moves before the others
        actions = np.argmax(masks * weights, axis=-1).astype(np.int32)
        asked = [masks[0, side, :-1].any() for side in (0, 1)]
        done = [render.action_words(int(actions[0, side]), state, side, teams[side]) for side in (0, 1)]
        said = [text if asked[side] and state["turn"] else "" for side, text in enumerate(done)]
        words = run.step(words, actions, params)[0]


def _battle_picture(state: Mapping[str, Any], teams: Sequence[Any], said: Sequence[str]) -> Picture:
    from pokejax import rows
    from pokejax.state import TEAM
    from pokejax.tables import NAMES

    picture = Picture()
    weather = rows.WEATHERS[state["weather"]]
    picture.text(16, 10, f"turn {state['turn']}{', ' + weather if weather else ''}", colour=FADED)
    for side, (x, y) in enumerate(((16, 118), (250, 44))):
        at = f"side[{side}]."
        front = state[at + "order[0]"]
        own, hp = teams[side][front], int(state[at + "hp"])
        status = rows.STATUSES[state[at + "status"]]
        picture.text(x, y, f"{NAMES['species'][own['species']]}  L{own['level']}", 16)
        picture.bar(x, y + 24, 200, hp / own["max_hp"])
        picture.text(x, y + 36, f"{hp}/{own['max_hp']}{'  ' + status if status else ''}", colour=FADED)
        for k in range(TEAM):
            place = at if k == front else f"{at}member[{k}]."
            fallen = state[place + "fainted"] or not state[place + "hp"]
            picture.dot(x + 214 - 12 * TEAM + 12 * k, y + 38, LINE if fallen else GOOD)
    for line, text in enumerate(said):
        who = "" if line == len(teams) else f"player {line} "
        picture.text(16, 186 + 19 * line, who + text if text else "")
    return picture


def game(seed: int = 2) -> Iterator[Picture]:
    """A game of two decks of the pool between two heuristics."""
    from tcgjax import engine, heuristic, table_view
    from tcgjax.codec import CODEC
    from tcgjax.deck_files import find
    from tcgjax.host import HostGame
    from tcgjax.questions import CHOICE

    played, decisions = HostGame([find("altaria"), find("blastoiseex")], seed, (0, 1)), 0
    while played.options:
        decisions += 1
        player = int(played.state.actor)
        looked = engine.unpack(CODEC.pack(played.state), played.cards)
        with np.errstate(over="ignore"):
            action = int(heuristic.choose(looked, np.int32(player), played.cards, np.uint32(seed + decisions)))
        shown = action < CHOICE and int(played.state.turn) > 0
        text = f"player {player}: {table_view.option(played.state, player, action)}" if shown else ""
        played.step(action)
        if shown:
            yield _game_picture(played.state, text)
    result = int(played.state.winner)
    yield _game_picture(played.state, "a tie" if result > 1 else f"player {result} has won")


def _game_picture(state: Any, said: str) -> Picture:
    from tcgjax import board, table_view
    from tcgjax.codes import ENERGY
    from tcgjax.layout import SLOTS

    picture = Picture()
    picture.text(16, 10, f"turn {int(state.turn)}", colour=FADED)
    for side in (0, 1):
        y = 128 if side == 0 else 34
        picture.text(WIDTH - 16, y - 18 if side else y + 74, f"points {int(state.points[side])}", anchor="ra")
        for slot in range(SLOTS):
            place, x = SLOTS * side + slot, 16 + 114 * slot
            picture.draw.rectangle((x, y, x + 106, y + 68), outline=INK if slot == 0 else LINE, width=2 - (slot > 0))
            if state.cards[place, 0] < 0:
                continue
            most, name = int(state.max_hp[place]), table_view.name(state, board.top_instances(state)[place])
            left = max(0, most - int(state.damage[place]))
            picture.text(x + 6, y + 5, name if len(name) < 15 else f"{name[:13]}…", 12)
            picture.bar(x + 6, y + 25, 94, left / most)
            picture.text(x + 6, y + 35, f"{left}/{most}", 11, FADED)
            held = [
                letter for letter, count in zip(ENERGY, state.energy[place], strict=True) for _ in range(int(count))
            ]
            for number, letter in enumerate(held[:8]):
                picture.dot(x + 6 + 11 * number, y + 53, TYPES[letter[0]])
    picture.text(16, 222, said)
    return picture


def main() -> int:
    """Write both."""
    for name, pictures in (("pokejax/docs/battle.gif", battle()), ("tcgjax/docs/game.gif", game())):
        every = list(pictures)
        save([*every[: MOST - 1], every[-1]], REPO / "packages" / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
