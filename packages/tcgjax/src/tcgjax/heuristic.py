"""A player by rules of thumb: evolve, fill the Bench, play Trainers, attach where an attack lacks energy, then attack.

It looks at what its player may know, and scores all 144 actions; equal scores are decided at random.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rlenv_shared import masking
from tcgjax import board, engine, observation, xp, zones
from tcgjax.arrays import Record, at
from tcgjax.codes import DECK_TYPES, AttackColumn, CardColumn, CardKind, Op, Stage
from tcgjax.layout import SLOTS
from tcgjax.questions import (
    ABILITY,
    ATTACH,
    ATTACK,
    ATTACKS,
    CHOICE,
    FOSSIL,
    NUM_ACTIONS,
    OPTIONS,
    RETREAT,
    STADIUM,
    TARGETS,
    as_mask,
)
from tcgjax.tables import Cards
from tcgjax.zones import HAND_LIMIT

NEVER: Final = -100
"""Below ending the turn, which is worth 0; scores are hundredths."""
NO_ATTACK: Final = 99
"""In place of how much energy an attack lacks, where there is none."""
ADVICE_UNIT: Final = np.float32(1024)
"""A power of two, so that nothing is rounded."""
ADVICE_BOUNDS: Final = (-1.0, 64.0)
"""More than any score is in that unit."""


def choose(game: Record, player: Any, cards: Cards, word: Any) -> Any:
    """A legal action with the best score; `best` has the arguments, ``word``, uint32, decides between equal ones."""
    return masking.sample_legal_bits(word, best(game, player, cards))


def best(game: Record, player: Any, cards: Cards) -> Any:
    """The legal actions with the best score, bool [144].

    Args:
        game: between two steps, with its cards (`engine.unpack`).
        player: who is asked, int32.
        cards: tables.
    """
    return _best(as_mask(game.legal), scores_of(game, player, cards))


def _best(legal: Any, scores: Any) -> Any:
    return legal & (scores == xp.where(legal, scores, NEVER).max())


def scores_of(game: Record, player: Any, cards: Cards) -> Any:
    """What every action is worth to the player who is asked, int32 [144]; those that are not legal are scored too."""
    what = observation.question(game, cards)
    main, choice = main_scores(game, player, cards), choice_scores(game, player, cards, what)
    return xp.where(what == observation.MAIN, main, choice)


def advice(game: Record, player: Any, cards: Cards) -> Any:
    """What the player by rules of thumb would tell whoever is asked, who may know all that it looks at.

    Returns:
        Float32 ``[144, 2]``: an action's score, in `ADVICE_UNIT`, and whether no legal one has a better; 0 where it is
        not legal.
    """
    legal, scores = as_mask(game.legal), scores_of(game, player, cards)
    said = xp.stack([scores.astype(np.float32) / ADVICE_UNIT, _best(legal, scores).astype(np.float32)], axis=1)
    return xp.where(legal[:, None], said, np.float32(0))


def script(state: Any, player: Any, params: Any, word: Any) -> Any:
    """The player as `rlenv_shared.one_seat` takes it: of a packed game."""
    cards = Cards(params.tables)
    return choose(engine.unpack(state, cards), player, cards, word)


# --- the main phase --------------------------------------------------------------------------------------------


def main_scores(game: Record, player: Any, cards: Cards) -> Any:
    """Build up first, attack at the end of the turn; int32 [144]."""
    spot = board.active_place(player)
    own = player * np.int32(SLOTS) + np.arange(SLOTS, dtype=np.int32)
    lacks, worth = attack_needs(game, cards, own)
    attacks = lacks[0] == 0
    ready = attacks.any()
    attach = 6000 + xp.where(np.arange(SLOTS) == 0, 200, 0) + worth
    others = (lacks == 0).any(axis=1)[1:]
    retreat = xp.where(~ready & others, 4000, NEVER)
    damage = cards.attack(
        at(board.tops(game, cards), spot), np.arange(2, dtype=np.int32), np.int32(AttackColumn.DAMAGE)
    )
    foe = board.active_place(1 - player)
    knocks_out = damage >= at(game.max_hp, foe) - at(game.damage, foe)
    strike = 1000 + damage * 10 + xp.where(knocks_out, 2000, 0)
    strike = xp.concatenate([strike, xp.full((ATTACKS - 2,), 1000, xp.int32)])
    parts = [
        xp.zeros((1,), xp.int32),
        play_scores(game, player, cards).reshape(-1),
        attach,
        retreat,
        strike,
        xp.full((STADIUM - ABILITY,), 7500, xp.int32),
        xp.full((FOSSIL - STADIUM,), 5000, xp.int32),
        xp.full((CHOICE - FOSSIL,), NEVER, xp.int32),
        xp.zeros((NUM_ACTIONS - CHOICE,), xp.int32),
    ]
    assert len(retreat) == ATTACK - RETREAT
    assert len(attach) == RETREAT - ATTACH
    return xp.concatenate([xp.asarray(part).astype(xp.int32) for part in parts])


def play_scores(game: Record, player: Any, cards: Cards) -> Any:
    """Evolve, then fill the Bench, then Supporters, Items and Tools (on the Active); int32 [10, 9]."""
    held = zones.hand(game, player)
    card = xp.where(held >= 0, board.card_of(game, cards, held), 0)
    kind, stage = cards.card(card, CardColumn.KIND), cards.card(card, CardColumn.STAGE)
    target = np.arange(TARGETS, dtype=np.int32)
    places = player * np.int32(SLOTS) + np.clip(target - 1, 0, SLOTS - 1)
    hurt = xp.where((target >= 1) & (target <= SLOTS), at(game.damage, places), 0)
    front = target == 1
    evolves = 9000 + front * np.int32(500)
    tool = 6500 + front * np.int32(500)
    found = xp.broadcast_to(7200 + hurt, (HAND_LIMIT, TARGETS))
    found = xp.where((kind == CardKind.TOOL)[:, None], tool, found)
    is_pokemon = kind == CardKind.POKEMON
    found = xp.where((is_pokemon & (stage == Stage.BASIC))[:, None], 8500, found)
    return xp.where((is_pokemon & (stage != Stage.BASIC))[:, None], evolves, found)


def attack_needs(game: Record, cards: Cards, places: Any) -> tuple[Any, Any]:
    """What attacks of some places lack.

    Returns:
        How much energy each lacks by its printed cost (int32 [4, 2], `NO_ATTACK` where there is none), and what an
        energy of the Zone is worth at each place (int32 [4]).
    """
    top, energy = at(board.tops(game, cards), places), at(game.energy, places)
    kind = at(game.zone_energy, places[0] // SLOTS)
    number = np.arange(2, dtype=np.int32)
    cost = cards.cost(top[:, None], number[None, :])  # [4, 2, 9]
    colored = colored_lacking(cost, energy)
    is_there = (at(game.cards[:, 0], places) >= 0)[:, None]
    short = xp.where(is_there, lacking(cards, top, energy), NO_ATTACK)
    exists = short < NO_ATTACK
    wanted = xp.sum(xp.where(np.arange(DECK_TYPES) == kind, colored, 0), axis=-1, dtype=xp.int32) > 0
    useful = wanted | (cost[..., DECK_TYPES] > 0)
    damage = cards.attack(top[:, None], number[None, :], np.int32(AttackColumn.DAMAGE))
    gain = xp.where(useful, 300, -100) + damage
    return short, xp.sum(xp.where((short > 0) & exists, gain, 0), axis=1, dtype=xp.int32)


def colored_lacking(cost: Any, energy: Any) -> Any:
    """How much energy of each type attacks lack, int32 [places, 2, 8].

    Args:
        cost: printed, int32 [places, 2, 9].
        energy: attached, int32 [places, 9].
    """
    return xp.maximum(cost[..., :DECK_TYPES] - energy[:, None, :DECK_TYPES], 0)


def lacking(cards: Cards, top: Any, energy: Any) -> Any:
    """How much energy attacks lack by their printed costs, int32 [places, 2]; `NO_ATTACK` where there is none.

    Args:
        cards: tables.
        top: card on top of each place, int32 [places].
        energy: attached, int32 [places, 9].
    """
    number = np.arange(2, dtype=np.int32)
    cost = cards.cost(top[:, None], number[None, :])
    total = xp.sum(cost, axis=-1, dtype=xp.int32) - xp.sum(energy, axis=-1, dtype=xp.int32)[:, None]
    colored = xp.sum(colored_lacking(cost, energy), axis=-1, dtype=xp.int32)
    exists = number < cards.card(top, CardColumn.ATTACKS)[:, None]
    return xp.where(exists, xp.maximum(colored, xp.maximum(total, 0)), NO_ATTACK)


# --- choices ---------------------------------------------------------------------------------------------------


def choice_scores(game: Record, player: Any, cards: Cards, what: Any) -> Any:
    """Say yes, prefer the strong among own Pokémon and the weak among the opponent's; int32 [144]."""
    options = np.arange(OPTIONS, dtype=np.int32)
    held = zones.hand(game, player)
    hp = cards.card(xp.where(held >= 0, board.card_of(game, cards, held), 0), CardColumn.HP)
    of_hand = 100 + xp.concatenate([hp, xp.zeros((OPTIONS - HAND_LIMIT,), xp.int32)])
    left = observation.seen_from(game.max_hp - game.damage, player)
    units = observation.seen_from(xp.sum(game.energy, axis=1, dtype=xp.int32), player)
    own = np.arange(2 * SLOTS) < SLOTS
    of_place = xp.where(own, 200 + left // 10 + 10 * units, 1000 - left)
    of_place = xp.concatenate([of_place, xp.full((OPTIONS - 2 * SLOTS,), 100, xp.int32)])
    asks_place = (what == observation.PROMOTION) | (what == observation.OF_PROGRAM + Op.CHOOSE)
    yes_or_no = (what == observation.OF_PROGRAM + Op.MAY) | (what == observation.OF_PROGRAM + Op.CHOOSE_OPTION)
    scores = xp.full((OPTIONS,), 100, xp.int32)
    scores = xp.where(yes_or_no, xp.where(options == 1, 200, 100), scores)
    scores = xp.where(asks_place, of_place, scores)
    scores = xp.where(what == observation.SETUP, of_hand, scores)
    before = np.full((CHOICE,), 50, np.int32)
    return xp.concatenate([before, scores, np.zeros((NUM_ACTIONS - CHOICE - OPTIONS,), np.int32)]).astype(xp.int32)
