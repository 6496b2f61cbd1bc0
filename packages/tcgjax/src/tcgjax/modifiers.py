"""Passive rules: one sweep over the modifiers in force says what holds for every Pokémon and player now.

Few modifiers are in force at a time, so the sweep is a loop over those, each weighed against all eight places at once.
Maximum HP, Retreat Costs and energy come first: states that other modifiers ask for are counted with them
(RULES.md, sections 6 and 11; EFFECTS.md of the reference).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tcgjax import board, triggers, xp
from tcgjax.arrays import Record, at, first, put, total
from tcgjax.board import ACTIVE, OWNERS, PLACE
from tcgjax.codes import AttackColumn, CardColumn, Kind, ModifierColumn, Place, Scope, Who
from tcgjax.layout import EFFECTS, LASTING, NOBODY, PLACES
from tcgjax.states import in_state
from tcgjax.tables import Cards

EARLY: Final = (Kind.HP, Kind.HP_PER_ENERGY, Kind.RETREAT, Kind.FREE_RETREAT, Kind.DOUBLE_ENERGY)
SOURCES: Final = 2 * LASTING + PLACES * (6 + EFFECTS) + 1
COLORLESS: Final = 8
PLAYERS: Final = np.arange(2, dtype=np.int32)
M = ModifierColumn


def no_rules(game: Record, cards: Cards) -> Record:
    """What holds without any modifier: what is printed."""
    top = board.tops(game)
    none, zeros = xp.zeros((PLACES,), xp.bool_), xp.zeros((PLACES,), xp.int32)
    neither, nothing = xp.zeros((2,), xp.bool_), xp.zeros((2,), xp.int32)
    return Record(
        top=top,
        there=board.occupied(game),
        max_hp=cards.card(top, CardColumn.HP),
        retreat=cards.card(top, CardColumn.RETREAT),
        free_retreat=none,
        doubled=zeros,  # mask of energy types of which each provides two
        no_attack=none,
        no_retreat=none,
        no_heal=none,
        poison_more=zeros,
        immune=zeros,  # mask of conditions it cannot get
        recovers=zeros,  # … and from which it recovers
        protected=none,  # from effects of the opponent's attacks
        attack_coins=zeros,  # coins that must all be heads for its attack to happen
        survive_coins=zeros,
        survives=none,
        no_points_coins=zeros,
        evolves_like=zeros,  # it evolves as a Pokémon of this name does
        evolves_early=none,
        previous_attacks=none,
        more_tools=zeros,
        to_hand=none,
        no_weakness=none,
        double_weakness=none,
        no_ability_damage=none,
        cost_more=xp.zeros((PLACES, 9), xp.int32),  # energy by type that attacks cost more …
        cost_floor=xp.zeros((PLACES, 9), xp.int32),  # … and the least they cost then
        cheap=zeros,  # mask of energy types for one unit of which attacks can be used
        bonus=zeros,  # of the attacking Pokémon against each place
        reduction=zeros,
        prevents=none,
        prevents_up_to=zeros,
        shields=zeros,
        shield=xp.zeros((2, PLACES), xp.int32),  # what the coins change, the first and the second
        first_shield=none,
        locked=xp.zeros((6,), xp.bool_),  # attacks of the turn player's Active that cannot be used
        no_supporter=neither,
        no_item=neither,
        no_trainer=neither,
        no_stadium=neither,
        no_zone_active=neither,
        no_evolve=neither,
        no_evolve_active=neither,
        reflip=nothing,
        more_picks=nothing,
        more_points=xp.int32(0),
        **triggers.nothing_found(),
    )


def silenced(game: Record, cards: Cards) -> Any:
    """Whose Abilities an attack's effect has taken, bool [8]."""
    runs = (game.fx_modifier > 0) & (game.fx_start <= game.turn) & (game.turn <= game.fx_end)
    return (runs & (cards.kind(game.fx_modifier) == Kind.NO_ABILITY)).any(axis=1)


def printed(cards: Cards, top: Any, there: Any) -> Any:
    """The passive rules on the cards of places: numbers of modifiers, int32 [8, 2]."""
    both = [cards.card(top, column) for column in (CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)]
    return xp.where(there[:, None], xp.stack(both, axis=1), 0)


def abilities(game: Record, cards: Cards, top: Any, there: Any) -> tuple[Any, Any]:
    """Who has its Abilities (bool [8]), and the types of each place now (mask, int32 [8])."""
    own = printed(cards, top, there)
    quiet = silenced(game, cards)
    kinds = cards.kind(own)
    takes = (kinds == Kind.NO_ABILITY) & ~quiet[:, None]  # [source, which]
    filters = cards.modifier(own)[..., M.FILTER]
    taken = (takes[..., None] & cards.prints(filters[..., None], top[None, None, :])).any(axis=(0, 1))
    has = ~quiet & ~taken
    extra = xp.where((kinds == Kind.EXTRA_TYPE) & has[:, None], cards.modifier(own)[..., M.ARG], 0)
    return has, cards.card(top, CardColumn.TYPES) | extra[:, 0] | extra[:, 1]


def sources(game: Record, cards: Cards, rules: Record) -> Record:
    """Every modifier in force: its number (0: none), owner, place (or -1), card (or -1) and locked attack; each [93].

    In the order of the reference: of each player the effects on the player, then by place Ability, Tools and
    effects of attacks; the Stadium last.
    """
    own = printed(cards, rules.top, rules.there)
    own = xp.where(rules.has_ability[:, None] | (cards.kind(own) == Kind.CHEAP_ATTACK), own, 0)
    tool_cards = board.card_of(game, game.tools)  # [8, 2]
    columns = (CardColumn.MODIFIER_0, CardColumn.MODIFIER_1)
    tools = xp.stack([cards.card(tool_cards, column) for column in columns], axis=2)
    tools = xp.where((game.tools >= 0)[..., None], tools, 0).reshape(PLACES, 4)
    running = (game.fx_start <= game.turn) & (game.turn <= game.fx_end)
    effects = xp.where(running, game.fx_modifier, 0)
    on_places = xp.concatenate([own, tools, effects], axis=1)  # [8, 10]
    width = on_places.shape[1]
    running = (game.px_start <= game.turn) & (game.turn <= game.px_end)
    on_players = xp.where(running, game.px_modifier, 0)  # [2, LASTING]
    stadium = xp.where(game.stadium >= 0, cards.card(board.card_of(game, game.stadium), CardColumn.MODIFIER_0), 0)

    def in_order(of_players: Any, of_places: Any, of_stadium: Any) -> Any:
        parts = []
        for player in (0, 1):
            parts += [of_players[player], of_places[player * 4 : player * 4 + 4].reshape(-1)]
        return xp.concatenate([*parts, xp.asarray(of_stadium, xp.int32)[None]])

    none = xp.full((2, LASTING), NOBODY, xp.int32)
    place_owner = xp.concatenate([np.repeat(OWNERS[:, None], 6, 1), game.fx_owner.astype(xp.int32)], axis=1)
    tool = xp.concatenate(
        [
            np.full((PLACES, 2), NOBODY, np.int32),
            xp.repeat(game.tools, 2, axis=1),
            np.full((PLACES, EFFECTS), NOBODY, np.int32),
        ],
        axis=1,
    )
    attack = xp.concatenate([np.zeros((PLACES, 6), np.int32), game.fx_attack], axis=1)
    owner = (game.stadium >= 20).astype(xp.int32)
    return Record(
        modifier=in_order(on_players, on_places, stadium),
        owner=in_order(game.px_owner.astype(xp.int32), place_owner, owner),
        place=in_order(none, xp.asarray(np.repeat(PLACE[:, None], width, 1)), NOBODY),
        card=in_order(none, tool, game.stadium),
        attack=in_order(xp.zeros_like(none), attack, 0),
    )


def members(game: Record, who: Any, me: Any, source: Any, there: Any) -> Any:
    """A set of Pokémon seen from a player, bool [8]; ``source`` is a place or -1."""
    mine, is_source = me == OWNERS, source == PLACE
    sets = {
        Who.SELF: is_source,
        Who.MY_ACTIVE: mine & ACTIVE,
        Who.MY_BENCH: mine & ~ACTIVE,
        Who.MY_ALL: mine,
        Who.FOE_ACTIVE: ~mine & ACTIVE,
        Who.FOE_BENCH: ~mine & ~ACTIVE,
        Who.FOE_ALL: ~mine,
        Who.EVERYBODY: xp.ones((PLACES,), xp.bool_),
        Who.BOTH_ACTIVE: xp.asarray(ACTIVE),
        Who.BOTH_BENCH: xp.asarray(~ACTIVE),
        Who.MY_OTHERS: mine & ~is_source,
        Who.ALL_OTHERS: ~is_source,
    }
    found = xp.zeros((PLACES,), xp.bool_)
    for code, flags in sets.items():
        found = found | (flags & (who == code))
    return found & there


def matches(
    game: Record, cards: Cards, rules: Record, number: Any, state: Any, types: Any, parameter: Any, source: Any
) -> Any:
    """Which places match a filter and are in a state, bool [8]."""
    passes = cards.passes(number, rules.top, rules.types)
    return passes & in_state(game, cards, rules, state, types, parameter, source)


def sweep(game: Record, cards: Cards) -> Record:
    """Everything that modifiers say now.  `game.event` asks for triggers besides (see `triggers`)."""
    rules = no_rules(game, cards)
    rules.has_ability, rules.types = abilities(game, cards, rules.top, rules.there)
    found = sources(game, cards, rules)
    kinds = cards.kind(found.modifier)
    early = xp.zeros((SOURCES,), xp.bool_)
    for kind in EARLY:
        early = early | (kinds == kind)

    def goes_on(state: tuple[Any, Record]) -> Any:
        return state[0].any()

    def once(state: tuple[Any, Record]) -> tuple[Any, Record]:
        live, rules = state
        number = first(xp.where((live & early).any(), live & early, live))
        here = live.any()
        rules = rules.copy()
        take_source(game, cards, rules, found, number, here)
        return live & (np.arange(SOURCES) != number), rules

    _, rules = cards.ops.loop(goes_on, once, (found.modifier > 0, rules), SOURCES)
    rules.max_hp = xp.where(rules.there, rules.max_hp, 0)
    rules.hp = xp.maximum(0, rules.max_hp - game.damage)
    rules.retreat = xp.where(rules.free_retreat, 0, xp.maximum(0, rules.retreat))
    rules.units = game.energy * (1 + ((rules.doubled[:, None] >> np.arange(9, dtype=np.int32)) & 1))
    return rules


def take_source(game: Record, cards: Cards, rules: Record, found: Record, number: Any, here: Any) -> None:
    """Weigh one modifier in force."""
    numbers = cards.modifier(at(found.modifier, number))
    m = {column: numbers[int(column)] for column in ModifierColumn}
    owner, place, card = at(found.owner, number), at(found.place, number), at(found.card, number)
    kind, amount, arg = m[M.KIND], m[M.AMOUNT], m[M.ARG]

    is_active = (place & 3) == 0
    in_place = (m[M.PLACE] == 0) | (place < 0) | (is_active == (m[M.PLACE] == Place.ACTIVE))
    needed = members(game, m[M.NEED_WHO], owner, place, rules.there)
    needed = needed & matches(game, cards, rules, m[M.NEED_FILTER], m[M.NEED_STATE], m[M.TYPES], xp.int32(0), place)
    works = here & in_place & ((m[M.NEED_WHO] == 0) | (total(needed) >= m[M.NEED_MIN]))

    mine, scope = owner == OWNERS, m[M.SCOPE]
    inside = xp.where(scope == Scope.SELF, place == PLACE, scope == Scope.EVERYBODY)
    inside = inside | (mine & ((scope == Scope.MY_ALL) | ((scope == Scope.MY_ACTIVE) & ACTIVE)))
    inside = inside | (~mine & ((scope == Scope.FOE_ALL) | ((scope == Scope.FOE_ACTIVE) & ACTIVE)))
    suits = matches(game, cards, rules, m[M.FILTER], m[M.STATE], m[M.TYPES], m[M.PARAMETER], place)
    affects = inside & works & suits & rules.there  # [8]
    on_player = works & xp.where(owner == PLAYERS, scope == Scope.ME, scope == Scope.FOE)
    on_player = on_player | (works & (scope == Scope.BOTH))  # [2]

    def count(name: str, of: Kind, value: Any = 1) -> None:
        setattr(rules, name, getattr(rules, name) + xp.where(affects & (kind == of), value, 0))

    def mark(name: str, of: Kind) -> None:
        setattr(rules, name, getattr(rules, name) | (affects & (kind == of)))

    def add_bits(name: str, of: Kind, value: Any) -> None:
        setattr(rules, name, getattr(rules, name) | xp.where(affects & (kind == of), value, 0))

    def forbid(name: str, of: Kind, also: Any = True) -> None:
        setattr(rules, name, getattr(rules, name) | (on_player & (kind == of) & also))

    count("max_hp", Kind.HP, amount)
    units = xp.sum(game.energy * ((arg >> np.arange(9, dtype=np.int32)) & 1), axis=1, dtype=xp.int32)
    count("max_hp", Kind.HP_PER_ENERGY, amount * units)
    count("retreat", Kind.RETREAT, amount)
    mark("free_retreat", Kind.FREE_RETREAT)
    add_bits("doubled", Kind.DOUBLE_ENERGY, arg)
    mark("no_attack", Kind.NO_ATTACK)
    mark("no_retreat", Kind.NO_RETREAT)
    mark("no_heal", Kind.NO_HEAL)
    count("poison_more", Kind.POISON_MORE, amount)
    add_bits("immune", Kind.IMMUNE, arg)
    add_bits("recovers", Kind.IMMUNE, xp.where(amount != 0, arg, 0))
    mark("protected", Kind.PREVENT_EFFECTS)
    count("attack_coins", Kind.ATTACK_COIN)
    count("survive_coins", Kind.SURVIVE_COIN)
    count("no_points_coins", Kind.NO_POINTS_COIN)
    rules.evolves_like = xp.where(affects & (kind == Kind.EVOLVE_ANY), arg, rules.evolves_like)
    mark("evolves_early", Kind.EVOLVE_EARLY)
    mark("previous_attacks", Kind.PREVIOUS_ATTACKS)
    count("more_tools", Kind.TOOL_SLOTS)
    mark("to_hand", Kind.TO_HAND)
    mark("no_weakness", Kind.NO_WEAKNESS)
    mark("double_weakness", Kind.DOUBLE_WEAKNESS)
    mark("no_ability_damage", Kind.NO_ABILITY_DAMAGE)
    of_type = np.arange(9, dtype=np.int32) == xp.where(arg >= 0, arg, COLORLESS)
    costs = (affects & (kind == Kind.COST))[:, None] & of_type
    rules.cost_more = rules.cost_more + xp.where(costs, amount, 0)
    rules.cost_floor = xp.where(costs, xp.maximum(0, rules.cost_floor + amount), rules.cost_floor)
    deck_empty = ~((game.zone == 0)[None, :] & (np.arange(40) // 20 == OWNERS[:, None])).any(axis=1)
    cheap = (arg != 1) | deck_empty  # some offers hold only without a card in the deck
    rules.cheap = rules.cheap | xp.where(affects & (kind == Kind.CHEAP_ATTACK) & cheap, np.int32(1) << amount, 0)

    take_damage_rules(game, cards, rules, m, affects, owner)
    survivors = cards.passes(m[M.FILTER], rules.top, rules.types) & at(on_player, xp.asarray(OWNERS))
    rules.survives = rules.survives | (survivors & (kind == Kind.SURVIVE))
    names = at(found.attack, number)
    locked = xp.where(arg != 0, arg, locked_name(cards, rules, place, names))
    active = at(affects, board.active_place(game.current.astype(xp.int32)))
    rules.locked = rules.locked | (active & (kind == Kind.NO_NAMED_ATTACK) & (game.own_attacks == locked))

    forbid("no_supporter", Kind.NO_SUPPORTER)
    forbid("no_item", Kind.NO_ITEM)
    forbid("no_trainer", Kind.NO_TRAINER)
    forbid("no_stadium", Kind.NO_STADIUM)
    forbid("no_zone_active", Kind.NO_ZONE_ACTIVE)
    forbid("no_evolve", Kind.NO_EVOLVE, arg == 0)
    forbid("no_evolve_active", Kind.NO_EVOLVE, arg != 0)
    rules.reflip = rules.reflip | xp.where(on_player & (kind == Kind.REFLIP), arg, 0)
    named = (kind == Kind.MORE_PICKS) & (arg == game.strike_name)
    rules.more_picks = rules.more_picks + xp.where(on_player & named, amount, 0)
    attackers = at(on_player, game.attacker_owner) & cards.prints(m[M.FILTER], game.attacker_card)
    rules.more_points = rules.more_points + xp.where(attackers & (kind == Kind.MORE_POINTS), amount, 0)
    triggers.weigh(game, rules, m, affects, on_player, owner, place, card)


def take_damage_rules(game: Record, cards: Cards, rules: Record, m: dict, affects: Any, owner: Any) -> None:
    """Modifiers of the damage of the attack that is going on (section 6)."""
    kind, amount = m[M.KIND], m[M.AMOUNT]
    attacker = game.attacker_place
    wanted = (m[M.OTHER] == 0) | cards.passes(m[M.OTHER], rules.top, rules.types)
    reaches = ACTIVE | ((m[M.ARG] & 1) != 0)
    named = (m[M.PROGRAM] == 0) | (m[M.PROGRAM] == game.strike_name)
    on_attacker = at(affects, attacker) & (attacker >= 0)
    boosts = (kind == Kind.DAMAGE_OUT) | (kind == Kind.DAMAGE_OUT_POINTS)
    worth = amount * xp.where(kind == Kind.DAMAGE_OUT_POINTS, at(game.points, owner), 1)
    rules.bonus = rules.bonus + xp.where(on_attacker & boosts & wanted & reaches & named, worth, 0)

    same_side = game.attacker_owner == OWNERS
    attacker_passes = cards.passes(m[M.OTHER], game.attacker_card, at(rules.types, attacker))
    against = affects & ~((m[M.FOE] != 0) & same_side) & ((m[M.OTHER] == 0) | attacker_passes)
    rules.reduction = rules.reduction + xp.where(against & (kind == Kind.DAMAGE_IN), amount, 0)
    prevents = against & (kind == Kind.PREVENT)
    rules.prevents = rules.prevents | (prevents & (amount == 0))
    rules.prevents_up_to = xp.maximum(rules.prevents_up_to, xp.where(prevents, amount, 0))
    shields = against & (kind == Kind.COIN_SHIELD)
    which = xp.minimum(rules.shields, 1)
    for number in (0, 1):
        value = xp.where(shields & (which == number), amount, rules.shield[number])
        rules.shield = put(rules.shield, number, value)
    rules.shields = rules.shields + shields.astype(xp.int32)
    rules.first_shield = rules.first_shield | (against & (kind == Kind.FIRST_HIT_SHIELD))


def locked_name(cards: Cards, rules: Record, place: Any, number: Any) -> Any:
    """The name of the attack that an effect on a Pokémon locks: its first or second one, -1 for none."""
    name = cards.attack(at(rules.top, place), xp.maximum(number - 1, 0), AttackColumn.NAME)
    return xp.where(number > 0, name, -1)
