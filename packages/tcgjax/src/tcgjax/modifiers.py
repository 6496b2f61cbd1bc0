"""Passive rules: one sweep over the modifiers in force says what holds for every Pokémon and player now.

Few modifiers are in force at a time, so the sweep is a loop over those, each weighed against all eight places at once.
Maximum HP, Retreat Costs and energy come first: states that other modifiers ask for are counted with them
(RULES.md, sections 6 and 11; EFFECTS.md of the reference).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from rlenv_shared import control
from tcgjax import attack, board, triggers, xp, zones
from tcgjax.arrays import Record, at, lowest, merged, put, total, when_itself
from tcgjax.board import ACTIVE, OWNERS, PLACE
from tcgjax.codes import AttackColumn, CardColumn, Kind, ModifierColumn, Place, Scope, State, Who
from tcgjax.kinds import OF_DAMAGE, OF_PLAYERS, RARE, TRIGGERS
from tcgjax.layout import DECK, NOBODY, PLACES
from tcgjax.sources import SOURCES, WORDS, in_force, source_of
from tcgjax.states import in_state
from tcgjax.tables import Cards, Columns

COLORLESS: Final = 8
PLAYERS: Final = np.arange(2, dtype=np.int32)
M = ModifierColumn
OF_PLACES: Final = (  # int32 [8]
    "top",
    "max_hp",
    "hp",
    "types",
    "retreat",
    "doubled",  # mask of energy types of which each provides two
    "poison_more",
    "immune",  # mask of conditions it cannot get
    "recovers",  # … and from which it recovers
    "attack_coins",  # coins that must all be heads for its attack to happen …
    "survive_coins",
    "no_points_coins",
    "evolves_like",  # it evolves as a Pokémon of this name does
    "more_tools",
    "cheap",  # mask of energy types for one unit of which an attack can be used, …
    "cheap_name",  # … the attack of this name
    "bonus",  # of the attacking Pokémon against each place
    "reduction",
    "prevents_up_to",
    "shields",
)
FLAGS_OF_PLACES: Final = (  # bool [8]
    "attack_coin",  # … and one more, of effects that do not stack
    "there",
    "has_ability",
    "free_retreat",
    "no_attack",
    "no_retreat",
    "no_heal",
    "protected",  # from effects of the opponent's attacks
    "survives",
    "evolves_early",
    "previous_attacks",
    "to_hand",
    "no_weakness",
    "double_weakness",
    "no_ability_damage",
    "prevents",
    "first_shield",
)
FLAGS_OF_PLAYERS: Final = (  # bool [2]
    "no_supporter",
    "no_item",
    "no_trainer",
    "no_stadium",
    "no_zone_active",
    "no_evolve",
    "no_evolve_active",
)


def nothing_known() -> Record:
    """What a sweep gives, before any sweep."""
    return Record(
        **{name: xp.zeros((PLACES,), xp.int32) for name in OF_PLACES},
        **{name: xp.zeros((PLACES,), xp.bool_) for name in FLAGS_OF_PLACES},
        **{name: xp.zeros((2,), xp.bool_) for name in FLAGS_OF_PLAYERS},
        units=xp.zeros((PLACES, 9), xp.int32),  # what the energy of each type provides
        cost_more=xp.zeros((PLACES, 9), xp.int32),  # energy by type that attacks cost more
        shield=xp.zeros((2, PLACES), xp.int32),  # what the coins change, the first and the second
        locked=xp.zeros((6,), xp.bool_),  # which attacks of the turn player's Active (`attack.pairs`) are locked
        reflip=xp.zeros((2,), xp.int32),
        more_picks=xp.zeros((2,), xp.int32),
        more_points=xp.int32(0),
        **triggers.nothing_found(),
    )


def printed_rules(game: Record, cards: Cards) -> Record:
    """What holds without any modifier: what is printed."""
    rules = nothing_known()
    rules.top, rules.there = board.tops(game, cards), board.occupied(game)
    rules.max_hp, rules.retreat = (cards.card(rules.top, column) for column in (CardColumn.HP, CardColumn.RETREAT))
    return rules


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
    game: Record,
    cards: Cards,
    rules: Record,
    number: Any,
    state: Any,
    types: Any,
    parameter: Any,
    source: Any,
    hands: bool = True,
) -> Any:
    """Which places match a filter and are in a state, bool [8]; arguments as of `in_state`."""
    box = Record(passes=cards.passes(number, rules.top, rules.types))

    def narrow(box: Record) -> None:
        box.passes = box.passes & in_state(game, cards, rules, state, types, parameter, source, hands)

    when_itself("state", state != State.ANY, narrow, box)
    return box.passes


def sweep(game: Record, cards: Cards, before: Record, where: Any) -> Record:
    """Everything that modifiers say now.  `game.event` asks for triggers besides (see `triggers`).

    Args:
        game: the game.
        cards: tables.
        before: what holds where the flag does not.
        where: flag.
    """
    rules = printed_rules(game, cards)
    known = in_force(game, cards, rules, where)
    live, early = ([words[i] for i in range(WORDS)] for words in (known.live, known.early))
    rules = merged(where, rules, before)

    def goes_on(state: tuple[Any, ...]) -> Any:
        return (state[0] | state[1] | state[2]) != 0

    def once(state: tuple[Any, ...]) -> tuple[Any, ...]:
        *live, rules = state
        first = [word & bits for word, bits in zip(live, early, strict=True)]
        comes_first = (first[0] | first[1] | first[2]) != 0
        words = [xp.where(comes_first, a, b) for a, b in zip(first, live, strict=True)]
        part = xp.where(words[0] != 0, np.int32(0), xp.where(words[1] != 0, np.int32(1), np.int32(2)))
        word = xp.where(words[0] != 0, words[0], xp.where(words[1] != 0, words[1], words[2]))
        inside = lowest(word)
        done = xp.where(word != 0, np.uint32(1) << xp.maximum(inside, 0).astype(xp.uint32), np.uint32(0))
        rules = rules.copy()
        number = xp.where(word != 0, part * np.int32(32) + inside, NOBODY)
        take_source(game, cards, rules, source_of(known, number), word != 0)
        return *(xp.where(part == i, word & ~done, word) for i, word in enumerate(live)), rules

    *_, rules = control.loop(goes_on, once, (*live, rules), SOURCES)
    rules.max_hp = xp.where(rules.there, rules.max_hp, 0)
    rules.hp = xp.maximum(0, rules.max_hp - game.damage)
    rules.retreat = xp.where(rules.free_retreat, 0, xp.maximum(0, rules.retreat))
    rules.units = game.energy

    def double(rules: Record) -> None:
        more = (rules.doubled[:, None] >> np.arange(9, dtype=np.int32)) & 1
        rules.units = game.energy * (1 + more)

    when_itself("doubled", (rules.doubled != 0).any(), double, rules)
    return rules


def take_source(game: Record, cards: Cards, rules: Record, source: Record, here: Any) -> None:
    """Weigh one modifier in force."""
    m = cards.columns(source.modifier)
    owner, place = source.owner, source.place
    kind, amount = m[M.KIND], m[M.AMOUNT]
    was_hit = (kind == Kind.ON_HIT) & (at(game.hit_turn, place) == game.turn)  # it was Active then
    is_active = ((place & 3) == 0) | was_hit
    in_place = (m[M.PLACE] == 0) | (place < 0) | (is_active == (m[M.PLACE] == Place.ACTIVE))
    mine, scope = owner == OWNERS, m[M.SCOPE]
    inside = xp.where(scope == Scope.SELF, place == PLACE, scope == Scope.EVERYBODY)
    inside = inside | (mine & ((scope == Scope.MY_ALL) | ((scope == Scope.MY_ACTIVE) & ACTIVE)))
    inside = inside | (~mine & ((scope == Scope.FOE_ALL) | ((scope == Scope.FOE_ACTIVE) & ACTIVE)))
    needs, narrows = m[M.NEED_WHO] != 0, (m[M.FILTER] != 0) | (m[M.STATE] != 0)

    def test(state: tuple[Any, ...]) -> tuple[Any, ...]:
        """First who must be in play for it, then whom of its scope it is for."""
        needs, narrows, works, suits = state
        number = xp.where(needs, m[M.NEED_FILTER], m[M.FILTER])
        condition = xp.where(needs, m[M.NEED_STATE], m[M.STATE])
        parameter = xp.where(needs, 0, m[M.PARAMETER])
        found = matches(game, cards, rules, number, condition, m[M.TYPES], parameter, place, hands=False)
        box = Record(works=works)

        def need(box: Record) -> None:
            needed = found & members(game, m[M.NEED_WHO], owner, place, rules.there)
            least, names = m[M.NEED_MIN], cards.card(rules.top, CardColumn.NAME)
            same = needed[None, :] & (names[None, :] == names[:, None]) & (PLACE[None, :] < PLACE[:, None])
            different = total(needed & ~same.any(axis=1))
            enough = xp.where(least < 0, different < -least, total(needed) >= least)
            box.works = box.works & (~needs | enough)

        when_itself("modifier needs", needs, need, box)
        return xp.bool_(False), narrows & needs, box.works, suits & (needs | ~narrows | found)

    start = (needs, narrows, here & in_place, inside & rules.there)
    *_, works, suits = control.loop(lambda state: state[0] | state[1], test, start, 2)
    affects = suits & works  # [8]
    on_player = works & xp.where(owner == PLAYERS, scope == Scope.ME, scope == Scope.FOE)
    on_player = on_player | (works & (scope == Scope.BOTH))  # [2]

    rules.max_hp = rules.max_hp + xp.where(affects & (kind == Kind.HP), amount, 0)
    rules.retreat = rules.retreat + xp.where(affects & (kind == Kind.RETREAT), amount, 0)
    rules.free_retreat = rules.free_retreat | (affects & (kind == Kind.FREE_RETREAT))
    bits = cards.kind_bits(source.modifier)
    for name, group, rule in (
        ("damage modifier", OF_DAMAGE, lambda r: take_damage_rules(game, cards, r, m, affects, source)),
        ("player modifier", OF_PLAYERS, lambda r: take_player_rules(game, cards, r, m, on_player)),
        ("trigger", TRIGGERS, lambda r: triggers.weigh(game, cards, r, m, affects, on_player, source)),
        ("rare modifier", RARE, lambda r: take_rare_rules(game, cards, r, m, affects, on_player, source)),
    ):
        when_itself(name, (bits & group) != 0, rule, rules)


def take_player_rules(game: Record, cards: Cards, rules: Record, m: Columns, on_player: Any) -> None:
    """Modifiers of what players may do, and of coins, picks and points."""
    kind, amount, arg = m[M.KIND], m[M.AMOUNT], m[M.ARG]

    def forbid(name: str, of: Kind, also: Any = True) -> None:
        setattr(rules, name, getattr(rules, name) | (on_player & (kind == of) & also))

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


def take_rare_rules(
    game: Record, cards: Cards, rules: Record, m: Columns, affects: Any, on_player: Any, source: Record
) -> None:
    """Modifiers of Pokémon that few cards have, each kind by itself."""
    kind, amount, arg = m[M.KIND], m[M.AMOUNT], m[M.ARG]

    def of(code: Kind, rule: Callable[[Record], None]) -> None:
        when_itself(f"modifier {code.name.lower()}", kind == code, rule, rules)

    def count(name: str, code: Kind) -> None:
        of(code, lambda r: setattr(r, name, getattr(r, name) + (affects & (kind == code))))

    def mark(name: str, code: Kind) -> None:
        of(code, lambda r: setattr(r, name, getattr(r, name) | (affects & (kind == code))))

    def hp_per_energy(rules: Record) -> None:
        wanted = ((arg >> np.arange(9, dtype=np.int32)) & 1) != 0
        units = xp.sum(xp.where(wanted, game.energy, 0), axis=1, dtype=xp.int32)
        here = affects & (kind == Kind.HP_PER_ENERGY)
        rules.max_hp = rules.max_hp + xp.where(here, amount * units, 0)

    def double_energy(rules: Record) -> None:
        rules.doubled = rules.doubled | xp.where(affects & (kind == Kind.DOUBLE_ENERGY), arg, 0)

    def poison_more(rules: Record) -> None:
        rules.poison_more = rules.poison_more + xp.where(affects & (kind == Kind.POISON_MORE), amount, 0)

    def immune(rules: Record) -> None:
        here = affects & (kind == Kind.IMMUNE)
        rules.immune = rules.immune | xp.where(here, arg, 0)
        rules.recovers = rules.recovers | xp.where(here & (amount != 0), arg, 0)

    def evolves_like(rules: Record) -> None:
        rules.evolves_like = xp.where(affects & (kind == Kind.EVOLVE_ANY), arg, rules.evolves_like)

    def cost(rules: Record) -> None:
        of_type = np.arange(9, dtype=np.int32) == xp.where(arg >= 0, arg, COLORLESS)
        costs = (affects & (kind == Kind.COST))[:, None] & of_type
        rules.cost_more = rules.cost_more + xp.where(costs, amount, 0)

    def cheap_attack(rules: Record) -> None:
        decks = xp.stack([zones.size(game, DECK, player) for player in (0, 1)])
        offered = (arg != 1) | (decks[OWNERS] == 0)  # some offers hold only without a card in the deck
        offered = affects & (kind == Kind.CHEAP_ATTACK) & offered
        rules.cheap = rules.cheap | xp.where(offered, np.int32(1) << (amount & 15), 0)
        rules.cheap_name = xp.where(offered, m[M.PROGRAM], rules.cheap_name)

    def attack_coin(rules: Record) -> None:
        here = affects & (kind == Kind.ATTACK_COIN)
        rules.attack_coins = rules.attack_coins + (here & (amount == 0))
        rules.attack_coin = rules.attack_coin | (here & (amount != 0))

    def survive(rules: Record) -> None:
        survivors = cards.passes(m[M.FILTER], rules.top, rules.types) & at(on_player, xp.asarray(OWNERS))
        rules.survives = rules.survives | (survivors & (kind == Kind.SURVIVE))

    def no_named_attack(rules: Record) -> None:
        number = xp.where(source.effect >= 0, at(game.fx_attack.reshape(-1), source.effect), 0)
        locked = xp.where(arg != 0, arg, locked_name(cards, rules, source.place, number))
        spot = board.active_place(game.current.astype(xp.int32))
        card, number, there = attack.pairs(game, cards, spot, xp.bool_(True))
        same = there & (cards.attack(card, number, AttackColumn.NAME) == locked)
        rules.locked = rules.locked | (at(affects, spot) & (kind == Kind.NO_NAMED_ATTACK) & same)

    of(Kind.HP_PER_ENERGY, hp_per_energy)
    of(Kind.DOUBLE_ENERGY, double_energy)
    mark("no_attack", Kind.NO_ATTACK)
    mark("no_retreat", Kind.NO_RETREAT)
    mark("no_heal", Kind.NO_HEAL)
    of(Kind.POISON_MORE, poison_more)
    of(Kind.IMMUNE, immune)
    mark("protected", Kind.PREVENT_EFFECTS)
    of(Kind.ATTACK_COIN, attack_coin)
    count("survive_coins", Kind.SURVIVE_COIN)
    count("no_points_coins", Kind.NO_POINTS_COIN)
    of(Kind.EVOLVE_ANY, evolves_like)
    mark("evolves_early", Kind.EVOLVE_EARLY)
    mark("previous_attacks", Kind.PREVIOUS_ATTACKS)
    count("more_tools", Kind.TOOL_SLOTS)
    mark("to_hand", Kind.TO_HAND)
    mark("no_weakness", Kind.NO_WEAKNESS)
    mark("double_weakness", Kind.DOUBLE_WEAKNESS)
    mark("no_ability_damage", Kind.NO_ABILITY_DAMAGE)
    of(Kind.COST, cost)
    of(Kind.CHEAP_ATTACK, cheap_attack)
    of(Kind.SURVIVE, survive)
    of(Kind.NO_NAMED_ATTACK, no_named_attack)


def take_damage_rules(game: Record, cards: Cards, rules: Record, m: Columns, affects: Any, source: Record) -> None:
    """Modifiers of the damage of the attack that is going on (section 6)."""
    kind, amount = m[M.KIND], m[M.AMOUNT]
    attacker = game.attacker_place
    wanted = (m[M.OTHER] == 0) | cards.passes(m[M.OTHER], rules.top, rules.types)
    reaches = ACTIVE | ((m[M.ARG] & 1) != 0)
    named = (m[M.PROGRAM] == 0) | (m[M.PROGRAM] == game.strike_name)
    on_attacker = at(affects, attacker) & (attacker >= 0)
    boosts = (kind == Kind.DAMAGE_OUT) | (kind == Kind.DAMAGE_OUT_POINTS)
    worth = amount * xp.where(kind == Kind.DAMAGE_OUT_POINTS, at(game.points, source.owner), 1)
    worth = worth * board.laid_times(game, source.effect)
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
