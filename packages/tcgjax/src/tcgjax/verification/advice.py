"""What a learner of `Duel` is told of each action besides what a player may know: whom it is about and how that is.

`actions` begins with what the player by rules of thumb says (`tcgjax.heuristic.advice`).  All else follows from the
observation alone, so that both engines get it from the same functions.  Of the 144 actions some five are legal in the
mean, so a learner is shown these alone, as a list, and chooses its entries.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from rlenv_shared import spaces
from tcgjax import heuristic, observation, xp
from tcgjax.layout import EFFECTS, LASTING, PLACES, SLOTS
from tcgjax.questions import (
    ABILITY,
    ATTACH,
    ATTACK,
    CHOICE,
    FOSSIL,
    NUM_ACTIONS,
    OPTIONS,
    PLAY,
    RETREAT,
    STADIUM,
    TARGETS,
)
from tcgjax.tables import Cards
from tcgjax.verification import matchups
from tcgjax.zones import HAND_LIMIT

KINDS: Final = 3
"""An id is thrice a card of `observation.CARDS`, plus 1 or 2 for its first or second attack."""
LISTED: Final = 16
"""Legal actions that are listed: of 262,144 decisions of a trained policy 87 had more, none more than 20.  Further ones
are not within reach."""
TOLD: Final = ("damage", "max HP", "energy", "poison", "burned", "asleep", "paralyzed", "confused")
"""Numbers of a place (`observation.OF_PLACE`) that a learner is told with each action that is about it."""
NOBODY: Final = PLACES
"""In place of a place."""


def _places_of_actions() -> np.ndarray:
    """The place that each action is about, the player's own first, or `NOBODY`; options stand for places in order."""
    places = np.full((NUM_ACTIONS,), NOBODY, np.int32)
    own, options = np.arange(SLOTS), np.arange(OPTIONS)
    places[PLAY:ATTACH] = np.tile([NOBODY, *range(TARGETS - 1)], HAND_LIMIT)
    places[ATTACH:RETREAT] = own
    places[RETREAT:ATTACK] = own[1:]
    places[ATTACK:ABILITY] = SLOTS  # the opponent's Active Spot
    places[ABILITY:STADIUM] = own
    places[FOSSIL:CHOICE] = own
    places[CHOICE : CHOICE + OPTIONS] = np.minimum(options, NOBODY)
    return places


PLACES_OF_ACTIONS: Final = _places_of_actions()
_ENDS: Final = dict(zip(observation.CARDS, itertools.accumulate(observation.CARDS.values()), strict=True))
_COUNTS: Final = {name: count for name, (count, _) in observation.NUMBERS.items()}
_ENDS_OF_NUMBERS: Final = dict(zip(_COUNTS, itertools.accumulate(_COUNTS.values()), strict=True))


def action_ids(seen: Mapping[str, Any]) -> Any:
    """Ids of what each action is about: the card or attack that is used, and who is meant; 0 where there is none.

    Args:
        seen: an observation.

    Returns:
        int32 ``[144, 2]``.
    """
    tops = _tops(seen)
    own, foe = tops[:SLOTS], tops[SLOTS:]
    nobody = xp.zeros((1,), xp.int32)
    hand, options = _part(seen, "hand"), _part(seen, "options")
    held = xp.concatenate([hand, xp.zeros((OPTIONS - HAND_LIMIT,), xp.int32)])
    standing = xp.concatenate([tops, xp.zeros((OPTIONS - PLACES,), xp.int32)])
    chosen = xp.where(seen["question"][0] == observation.SETUP, held, standing)
    targets = xp.concatenate([nobody, tops])
    attacks = xp.concatenate([own[:1] * KINDS + 1, own[:1] * KINDS + 2, xp.zeros((ABILITY - ATTACK - 2,), xp.int32)])
    used = [
        nobody,
        xp.broadcast_to(hand[:, None] * KINDS, (HAND_LIMIT, len(targets))).reshape(-1),
        xp.zeros((ATTACK - ATTACH,), xp.int32),
        xp.where(own[0] > 0, attacks, 0),
        own * KINDS,
        _part(seen, "stadium") * KINDS,
        own * KINDS,
        xp.where(options > 0, options, chosen) * KINDS,
    ]
    meant = [
        nobody,
        xp.broadcast_to(targets[None, :], (HAND_LIMIT, len(targets))).reshape(-1),
        own,
        own[1:],
        xp.broadcast_to(foe[:1], (ABILITY - ATTACK,)),
    ]
    return xp.stack([_filled(used), _filled(meant) * KINDS], axis=1)


def told_of_places(seen: Mapping[str, Any], facts: Any) -> Any:
    """Of each place the numbers `TOLD` of an observation and of `matchups`, then zeros for `NOBODY`; ``[9, N]``."""
    found = xp.concatenate([*(_of_places(seen, name) for name in TOLD), facts], axis=1)
    return xp.concatenate([found, xp.zeros((1, found.shape[1]), np.float32)])


def compared(seen: Mapping[str, Any], cards: Cards) -> Any:
    """`matchups.of_places` of an observation."""
    energy, most, damage = (
        (_of_places(seen, name) * np.float32(observation.OF_PLACE[name][1])).astype(np.int32)
        for name in ("energy", "max HP", "damage")
    )
    return matchups.of_places(_tops(seen) - 1, energy, (most - damage)[:, 0], cards)


def _of_places(seen: Mapping[str, Any], name: str) -> Any:
    """A row of numbers for each place."""
    end = _ENDS_OF_NUMBERS[f"places: {name}"]
    return seen["numbers"][end - _COUNTS[f"places: {name}"] : end].reshape(PLACES, -1)


def _tops(seen: Mapping[str, Any]) -> Any:
    """The card on top of each place plus one; int32 ``[8]``."""
    places = _part(seen, "in play").reshape(PLACES, 3)
    return xp.where(places[:, 2] > 0, places[:, 2], xp.where(places[:, 1] > 0, places[:, 1], places[:, 0]))


def places_of(seen: Mapping[str, Any], actions: Any) -> Any:
    """The place that each of some actions is about, or `NOBODY`; int32, like the actions (numbers of legal ones)."""
    options = _part(seen, "options")
    option = xp.clip(actions - CHOICE, 0, OPTIONS - 1)
    about_cards = (actions >= CHOICE) & ((options[option] > 0) | (seen["question"][0] == observation.SETUP))
    return xp.where(about_cards, np.int32(NOBODY), xp.take(PLACES_OF_ACTIONS, actions))


SETS: Final = ("hand", "deck", "foe's hand seen", "discard", "foe's discard")
"""Parts of `observation.CARDS` that a learner sees as sets, in the order of `card_sets`."""
LEFT_OUT: Final = ("deck seen", "foe's deck seen", "foe's some", "options")
"""Parts that it does not see, for speed; what options stand for is in `action_ids`."""
IN_PLACES: Final = tuple(name for name in observation.CARDS if name not in (*SETS, *LEFT_OUT))
"""Parts whose order says something: `cards`."""
MEMBERS: Final = max(observation.CARDS[name] for name in SETS)
MODIFIER_SETS: Final = (PLACES + 2, max(EFFECTS, LASTING))
"""Effects that last, of each place and of both players."""


def in_sets(seen: Mapping[str, Any]) -> dict[str, Any]:
    """An observation whose cards and modifiers are in sets where their order says nothing, or hardly anything."""
    sets = xp.stack([_padded(_part(seen, name), MEMBERS) for name in SETS])
    places, players = (seen["modifiers"][: PLACES * EFFECTS], seen["modifiers"][PLACES * EFFECTS :])
    rows = [*places.reshape(PLACES, EFFECTS), *players.reshape(2, LASTING)]
    return {
        **{name: seen[name] for name in seen if name != "modifiers"},
        "cards": xp.concatenate([_part(seen, name) for name in IN_PLACES]),
        "card_sets": sets,
        "modifier_sets": xp.stack([_padded(row, MODIFIER_SETS[1]) for row in rows]),
    }


def listed(seen: Mapping[str, Any], actions: Any, cards: Cards) -> dict[str, Any]:
    """An observation `in_sets`, in which `actions` and `action_ids` are those of the legal actions alone, then 0.

    In `actions` follows what is told of the place that an action is about, of the card that it uses, and of an attack
    what it would do (`matchups`).

    Args:
        seen: with both for all actions.
        actions: the first `LISTED` legal ones in their order, then `NUM_ACTIONS`; int32 ``[LISTED]``.
        cards: tables.

    Returns:
        The observation, with `matchups.of_places`; each action's ids are followed by one that stands for the action
        itself.
    """
    number = xp.minimum(actions, np.int32(NUM_ACTIONS - 1))
    is_there = (actions < NUM_ACTIONS)[:, None]
    itself = (number + np.int32(KINDS * (cards.sizes[0] + 1)))[:, None]
    ids = xp.concatenate([seen["action_ids"][number], itself], axis=1)
    facts = compared(seen, cards)
    of_place = told_of_places(seen, facts)[places_of(seen, number)]
    own = facts[0, : 2 * len(matchups.OF_ATTACK)].reshape(2, -1)
    attack = xp.concatenate([xp.zeros((1, own.shape[1]), np.float32), own])[ids[:, 0] % KINDS]
    used = matchups.of_cards(ids[:, 0] // KINDS - 1, cards)
    said = xp.concatenate([seen["actions"][number], of_place, used, attack], axis=1)
    return {
        **in_sets(seen),
        "matchups": facts.reshape(-1),
        "actions": xp.where(is_there, said, np.float32(0)),
        "action_ids": xp.where(is_there, ids, 0),
    }


def seen_spaces(space: spaces.Dict, cards: int, modifiers: int) -> spaces.Dict:
    """An observation space as `listed` makes observations of it; ``cards`` and ``modifiers``: how many there are."""
    ids = spaces.MultiDiscrete(np.full((LISTED, 3), KINDS * (cards + 1) + NUM_ACTIONS))
    told = sum(observation.OF_PLACE[name][0] for name in TOLD) + matchups.WIDTH
    told += len(matchups.OF_CARD) + len(matchups.OF_ATTACK)
    said = spaces.Box(*heuristic.ADVICE_BOUNDS, (LISTED, 2 + told))
    others = sum(observation.CARDS[name] for name in IN_PLACES)
    shown = {
        "cards": spaces.MultiDiscrete((cards + 1,) * others),
        "card_sets": spaces.MultiDiscrete(np.full((len(SETS), MEMBERS), cards + 1)),
        "modifier_sets": spaces.MultiDiscrete(np.full(MODIFIER_SETS, modifiers)),
        "matchups": spaces.Box(*matchups.BOUNDS, (PLACES * matchups.WIDTH,)),
        **{name: space.spaces[name] for name in ("numbers", "question")},
    }
    return spaces.Dict({**shown, "actions": said, "action_ids": ids})


def _padded(ids: Any, size: int) -> Any:
    """A set with nobody in what is left of it."""
    return xp.concatenate([ids, xp.zeros((size - ids.shape[0],), xp.int32)])


def _part(seen: Mapping[str, Any], name: str) -> Any:
    end = _ENDS[name]
    return seen["cards"][end - observation.CARDS[name] : end]


def _filled(parts: list[Any]) -> Any:
    """One row of ids for all actions; what is left at the end is about nobody."""
    joined = xp.concatenate([xp.asarray(part).astype(xp.int32) for part in parts])
    return xp.concatenate([joined, xp.zeros((NUM_ACTIONS - joined.shape[0],), xp.int32)])
