"""The main phase: what a player may do, and doing it (RULES.md, sections 4 d to 4 f and 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rlenv_shared import control
from tcgjax import attack, board, knowledge, starts, triggers, xp, zones
from tcgjax.arrays import Record, at, lowest, put, total, when, when_itself, word_of
from tcgjax.board import PLACE
from tcgjax.codes import AttackColumn, CardColumn, CardKind, Condition, Stage, Use
from tcgjax.counting import Reader, read, usable
from tcgjax.damage import recover_immune
from tcgjax.knockouts import unsettled
from tcgjax.layout import HAND, NOBODY, NOT_PRICED, SLOTS
from tcgjax.modifiers import matches, members
from tcgjax.operations import position
from tcgjax.operations.common import repeated
from tcgjax.payment import can_afford
from tcgjax.questions import (
    ABILITY,
    ATTACH,
    ATTACK,
    CHOICE,
    END,
    FOSSIL,
    PLAY,
    RETREAT,
    STADIUM,
    TARGETS,
    UNANSWERED,
)
from tcgjax.tables import Cards
from tcgjax.zones import HAND_LIMIT

ABLE, STADIUM_AT, STRIKES = HAND_LIMIT, HAND_LIMIT + SLOTS, HAND_LIMIT + SLOTS + 1
"""Where the heads of Abilities, the Stadium and attacks stand behind those of the hand."""


def of(values: Any, player: Any) -> Any:
    """A player's half of eight places."""
    return xp.where(player == 0, values[:SLOTS], values[SLOTS:])


# --- what is legal ---------------------------------------------------------------------------------------------


def legal(game: Record, cards: Cards, rules: Record) -> Any:
    """Every action the turn player may take, bool [144]; ending the turn always is one."""
    player = game.current.astype(xp.int32)
    spot = board.active_place(player)
    there = of(rules.there, player)
    held = zones.hand(game, player)
    card = xp.where(held >= 0, board.card_of(game, cards, held), 0)
    different = (held >= 0) & ~repeated(card, held >= 0)
    strike_card, strike_number, strikes = attack.pairs(game, cards, spot, at(rules.previous_attacks, spot))
    strikes = strikes & rules.there[spot]
    own_tops = of(rules.top, player)
    stadium = board.card_of(game, cards, game.stadium)
    blocked = (at(game.stupor, spot) == Condition.ASLEEP) | (at(game.stupor, spot) == Condition.PARALYZED)
    names = cards.attack(strike_card, strike_number, AttackColumn.NAME)
    affordable = can_afford(rules, cards, spot, cards.cost(strike_card, strike_number), names)
    attacks = strikes & affordable & ~rules.locked & ~blocked & ~at(rules.no_attack, spot)
    use = cards.card(own_tops, CardColumn.USE)
    once = (use == Use.ONCE) & (of(game.ability_used, player) != game.turn)
    abilities = there & (once | (use == Use.OFTEN)) & of(rules.has_ability, player)
    uses_stadium = (game.stadium >= 0) & ~at(game.stadium_used, player)
    uses_stadium = uses_stadium & (cards.card(stadium, CardColumn.USE) == Use.ONCE)
    wanted = xp.concatenate(
        [different & may_play(game, cards, rules, player, card), abilities, uses_stadium[None], attacks]
    )
    allowed = heads(game, cards, rules, player, card, own_tops, stadium, strike_card, strike_number, wanted)

    targets = hand_targets(game, cards, rules, player, card, allowed[:HAND_LIMIT]) & different[:, None]
    attaches = there & (at(game.zone_energy, player) >= 0)
    attaches = attaches & ~(at(rules.no_zone_active, player) & (np.arange(SLOTS) == 0))
    retreats = may_retreat(game, cards, rules, player) & there[1:]
    fossils = there & (cards.card(own_tops, CardColumn.KIND) == CardKind.FOSSIL)
    return xp.concatenate(
        [
            xp.ones((1,), xp.bool_),
            targets.reshape(-1),
            attaches,
            retreats,
            allowed[STRIKES:],
            allowed[ABLE:STRIKES],
            fossils,
            xp.zeros((31,), xp.bool_),
        ]
    )


def heads(
    game: Record,
    cards: Cards,
    rules: Record,
    player: Any,
    hand: Any,
    own_tops: Any,
    stadium: Any,
    strike_card: Any,
    strike_number: Any,
    where: Any,
) -> Any:
    """Which programs of the hand, of own Abilities, of the Stadium and of attacks allow their use, bool [21].

    False where ``where`` (bool [21]) is.
    """
    spot = board.active_place(player)
    strike_program = cards.attack(strike_card, strike_number, AttackColumn.PROGRAM)
    programs = [cards.card(hand, CardColumn.PROGRAM), cards.card(own_tops, CardColumn.PROGRAM)]
    programs += [cards.card(stadium, CardColumn.PROGRAM)[None], strike_program]
    numbers = xp.concatenate(programs)
    nobody, count = np.full((HAND_LIMIT,), NOBODY, np.int32), numbers.shape[0]
    own = player * np.int32(SLOTS) + np.arange(SLOTS, dtype=np.int32)
    source = xp.concatenate([nobody, own, nobody[:1], xp.broadcast_to(spot, (6,))])
    striking = np.arange(count) >= STRIKES
    padding = np.zeros((STRIKES,), np.int32)
    nowhere = np.full((count,), NOBODY, np.int32)
    readers = Reader(
        xp.broadcast_to(player, (count,)),
        source,
        xp.asarray(striking),
        xp.concatenate([padding, strike_card]),
        xp.concatenate([padding, strike_number]),
        *(xp.asarray(nowhere) for _ in range(3)),
    )
    return usable(game, cards, rules, numbers, readers, where)


def may_play(game: Record, cards: Cards, rules: Record, player: Any, card: Any) -> Any:
    """Which cards of the hand are Supporters or Items that may be played, whatever their programs ask; bool [10]."""
    kind, no_trainer = cards.card(card, CardColumn.KIND), at(rules.no_trainer, player)
    no_item, no_supporter = at(rules.no_item, player), at(rules.no_supporter, player)
    supporter = (kind == CardKind.SUPPORTER) & (at(game.supporters, player) == 0) & ~no_supporter
    return (supporter | ((kind == CardKind.ITEM) & ~no_item)) & ~no_trainer


def hand_targets(game: Record, cards: Cards, rules: Record, player: Any, card: Any, played: Any) -> Any:
    """Where each card of the hand can be played: nowhere in particular, own slots, the opponent's; bool [10, 9].

    ``played`` flags the Supporters and Items that can be, bool [10].
    """
    kind, stage = cards.card(card, CardColumn.KIND), cards.card(card, CardColumn.STAGE)
    there, tops = of(rules.there, player), of(rules.top, player)
    no_trainer = at(rules.no_trainer, player)
    no_item = no_trainer | at(rules.no_item, player)
    no_stadium = no_trainer | at(rules.no_stadium, player)
    is_pokemon, is_fossil = kind == CardKind.POKEMON, kind == CardKind.FOSSIL
    evolution = is_pokemon & (stage != Stage.BASIC)
    enters = (is_pokemon & ~evolution) | (is_fossil & ~no_item)
    enters = enters & (board.free_slot(game, player) >= 0)

    below = cards.card(card, CardColumn.EVOLVES_FROM)[:, None]
    names = cards.card(tops, CardColumn.NAME)
    likes = of(rules.evolves_like, player)
    fits = (below == names) | ((below == likes) & (likes > 0))
    ripe = of(game.evolved, player) != game.turn
    waited = (game.turn >= 3) & (of(game.entered, player) != game.turn)
    ripe = ripe & (of(rules.evolves_early, player) | waited)
    ripe = ripe & ~at(rules.no_evolve, player) & ~(at(rules.no_evolve_active, player) & (np.arange(SLOTS) == 0))
    evolves = evolution[:, None] & (below > 0) & fits & ripe

    free = total_of(of(game.tools, player) >= 0) < 1 + of(rules.more_tools, player)
    equips = (kind == CardKind.TOOL)[:, None] & free & ~no_trainer
    stadium_name = cards.card(board.card_of(game, cards, game.stadium), CardColumn.NAME)
    same = (game.stadium >= 0) & (cards.card(card, CardColumn.NAME) == stadium_name)
    replaces = (kind == CardKind.STADIUM) & ~same & ~at(game.stadium_played, player) & ~no_stadium

    program = cards.card(card, CardColumn.PROGRAM)
    chooses = cards.program(program, 2) != 0
    chosen = choices_of(game, cards, rules, player, program, played & chooses)
    nowhere = enters | replaces | (played & ~chooses)
    own = ((evolves | equips) & there) | ((played & chooses)[:, None] & chosen[:, :SLOTS])
    foes = (played & chooses)[:, None] & chosen[:, SLOTS:]
    return xp.concatenate([nowhere[:, None], own, foes], axis=1)


def total_of(flags: Any) -> Any:
    """How many flags of each row are true."""
    return xp.sum(flags, axis=-1, dtype=xp.int32)


def choices_of(game: Record, cards: Cards, rules: Record, player: Any, programs: Any, where: Any) -> Any:
    """Whom the first choice of some programs (int32 [10], those flagged) offers, own side first: bool [10, 8]."""

    def once(state: Any) -> Any:
        left, found = state
        number = lowest(left)
        program = at(programs, number)
        row = read(cards, program, cards.program(program, 1))
        meant = members(game, row.who, player, xp.int32(NOBODY), rules.there)
        flags = meant & matches(game, cards, rules, row.filter, row.state, row.types, row.amount, xp.int32(NOBODY))
        this = np.uint32(1) << xp.maximum(number, 0).astype(xp.uint32)
        return left & ~this, put(found, number, word_of(flags))

    none = xp.zeros((HAND_LIMIT,), xp.uint32)
    _, found = control.loop(lambda state: state[0] != 0, once, (word_of(where), none), HAND_LIMIT)
    flags = ((found[:, None] >> np.arange(2 * SLOTS, dtype=np.uint32)) & np.uint32(1)) != 0
    return xp.where(player == 0, flags, xp.roll(flags, SLOTS, axis=1))


def may_retreat(game: Record, cards: Cards, rules: Record, player: Any) -> Any:
    """Whether the Active can retreat if there is somebody to retreat for (section 4 d)."""
    spot = board.active_place(player)
    fossil = cards.card(at(rules.top, spot), CardColumn.KIND) == CardKind.FOSSIL
    stuck = (at(game.stupor, spot) == Condition.ASLEEP) | (at(game.stupor, spot) == Condition.PARALYZED)
    pays = total(at(rules.units, spot)) >= at(rules.retreat, spot)
    free = ~at(game.retreated, player) & ~fossil & ~stuck & ~at(rules.no_retreat, spot)
    return at(rules.there, spot) & free & pays


# --- doing it --------------------------------------------------------------------------------------------------


def look(game: Record, cards: Cards, rules: Record) -> None:
    """Settle what the last action left; end, or ask for the next action if there is none."""
    conditions = board.conditions(game)
    recover_immune(game, rules)
    game.stale = game.stale | (board.conditions(game) != conditions).any()
    down = unsettled(game, rules)
    game.settling, game.settles_attack = game.settling | down, game.settles_attack & ~down
    over = ~down & game.turn_over
    game.main = game.main & ~over
    asks = ~down & ~over & (game.answer == UNANSWERED)
    game.asked, game.actor = game.asked | asks, xp.where(asks, game.current, game.actor)
    game.asks_main = game.asks_main | asks


def perform(game: Record, cards: Cards, where: Any) -> None:
    """Carry out one main action where a flag holds.

    What it needs to know of modifiers was decided when it became legal.
    """
    action, player = xp.where(where, game.answer, UNANSWERED), game.current.astype(xp.int32)
    game.answer = xp.where(where, UNANSWERED, game.answer)
    first = player * np.int32(SLOTS)
    position_, target = (action - PLAY) // TARGETS, (action - PLAY) % TARGETS
    own = first + action
    game.turn_over = game.turn_over | (action == END)

    def inside(start: int, end: int) -> Any:
        return (action >= start) & (action < end)

    plays = inside(PLAY, ATTACH)
    when_itself("play", plays, lambda g: play_card(g, cards, position_, target, plays), game)
    attaches, retreats, drops = inside(ATTACH, RETREAT), inside(RETREAT, ATTACK), inside(FOSSIL, CHOICE)
    when("attach", attaches, lambda g: attach(g, own - ATTACH), game)
    game.retreating = game.retreating | retreats
    game.retreat_place = xp.where(retreats, action - RETREAT + 1, game.retreat_place)
    game.owed = xp.where(retreats, NOT_PRICED, game.owed)
    game.retreated = put(game.retreated, player, True, retreats)

    def strike(game: Record) -> None:
        card, number, _ = attack.pairs(game, cards, first, xp.bool_(True))  # own attacks are the first in any case
        attack.begin(game, at(card, action - ATTACK), at(number, action - ATTACK))

    when("attack", inside(ATTACK, ABILITY), strike, game)
    able = inside(ABILITY, STADIUM)
    place = xp.where(able, own - ABILITY, NOBODY)
    game.ability_used = put(game.ability_used, place, game.turn)
    uses = action == STADIUM
    game.stadium_used = put(game.stadium_used, player, True, uses)
    user = xp.where(able, at(board.top_instances(game), place), game.stadium)
    program = cards.card(board.card_of(game, cards, user), CardColumn.PROGRAM)
    triggers.push(game, program, player, able | uses, source=board.pokemon_at(game, place))
    game.leaves = game.leaves | ((own - FOSSIL == PLACE) & drops)


def play_card(game: Record, cards: Cards, position_: Any, target: Any, where: Any) -> None:
    """Play a card of the hand where a flag holds."""
    player = game.current.astype(xp.int32)
    instance = xp.where(where, zones.card_at(game, HAND, player, position_), NOBODY)
    before, gone = zones.size(game, HAND, player), zones.half(instance == zones.INDEX, player)
    plays = where & knowledge.something(game, player)
    knowledge.tell(game, cards, "told of playing", player, plays, lambda k: knowledge.left_hand(k, gone, before))
    zones.take_out(game, instance)
    card = board.card_of(game, cards, instance)
    kind = xp.where(where, cards.card(card, CardColumn.KIND), NOBODY)
    own = player * np.int32(SLOTS) + target - 1
    is_pokemon = kind == CardKind.POKEMON
    evolves = is_pokemon & (cards.card(card, CardColumn.STAGE) != Stage.BASIC)
    enters = (is_pokemon & ~evolves) | (kind == CardKind.FOSSIL)
    place = board.free_slot(game, player)
    board.enter(game, xp.where(enters, place, NOBODY), instance, game.turn, enters)
    target_place = xp.where(evolves, own, NOBODY)
    when("evolve", evolves, lambda g: board.evolve(g, target_place, instance), game)
    arrived = xp.where(evolves, target_place, xp.where(enters, place, NOBODY))
    pokemon = board.pokemon_at(game, arrived)
    starts.arrive(game, pokemon, Use.ON_EVOLVE, evolves)
    starts.arrive(game, pokemon, Use.ON_BENCH, enters)
    equips = kind == CardKind.TOOL
    when("tool", equips, lambda g: position.tool_there(g, own, instance), game)
    replaces = kind == CardKind.STADIUM
    position.drop_stadium(game, replaces)
    when("stadium", replaces, lambda g: position.stadium_there(g, instance), game)
    game.stadium_played = put(game.stadium_played, player, True, replaces)
    supporter = kind == CardKind.SUPPORTER
    game.supporters = put(game.supporters, player, at(game.supporters, player) + 1, supporter)
    runs = supporter | (kind == CardKind.ITEM)
    program = cards.card(card, CardColumn.PROGRAM)
    triggers.push(game, program, player, runs, held=instance, played=True)
    game.answer = xp.where(runs & (target > 0), CHOICE + target - 1, game.answer)


def attach(game: Record, place: Any) -> None:
    """Attach the current energy of the Zone; what it triggers."""
    player = game.current.astype(xp.int32)
    kind = at(game.zone_energy, player)
    game.zone_energy = put(game.zone_energy, player, NOBODY)
    came = (place == PLACE)[:, None] & (np.arange(9, dtype=np.int32) == kind)
    game.energy = game.energy + came
    game.came, game.came_to = came.astype(xp.int32), player
