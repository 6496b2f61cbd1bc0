"""Passive rules: which modifiers are in force, and on whom (RULES.md, sections 6 and 11; EFFECTS.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tcg_engine.cards import Card
from tcg_engine.codes import ANY_ENERGY, ENERGY, Condition, Kind, Modifier, Place, Scope, State, Who
from tcg_engine.lineage import skips_to
from tcg_engine.state import Game, Pokemon, Timed, owner_of


@dataclass(frozen=True)
class Source:
    """A modifier in force: where it comes from and whose it is."""

    modifier: Modifier
    owner: int
    pokemon: Pokemon | None
    card: int  # instance of a Tool or Stadium; -1 otherwise
    arg: int = 0  # of a timed effect


def in_force(game: Game, *kinds: Kind) -> Iterator[Source]:
    """Every modifier of some kinds that works now, whomever it affects.

    In the order: player 0's, then player 1's timed effects, Pokémon (Ability, Tools, timed effects); the Stadium.
    """
    table = game.table.modifiers
    for player in (0, 1):
        for timed in game.players[player].timed:
            if table[timed.modifier].kind in kinds and _runs(game, timed):
                yield Source(table[timed.modifier], timed.owner, None, -1)
        for pokemon in game.board(player):
            for modifier in printed(game, game.top(pokemon)):
                if modifier.kind in kinds and (modifier.kind == Kind.CHEAP_ATTACK or has_abilities(game, pokemon)):
                    yield Source(modifier, player, pokemon, -1)
            for tool in pokemon.tools:
                for modifier in printed(game, game.card(tool)):
                    if modifier.kind in kinds:
                        yield Source(modifier, player, pokemon, tool)
            for timed in pokemon.timed:
                if table[timed.modifier].kind in kinds and _runs(game, timed):
                    yield Source(table[timed.modifier], timed.owner, pokemon, -1, timed.arg)
    if game.stadium >= 0:
        for modifier in printed(game, game.card(game.stadium)):
            if modifier.kind in kinds:
                yield Source(modifier, owner_of(game.stadium), None, game.stadium)


def printed(game: Game, card: Card) -> list[Modifier]:
    """The passive rules on a card."""
    return [game.table.modifiers[number] for number in card.modifiers]


def on_pokemon(game: Game, kind: Kind, pokemon: Pokemon) -> list[Source]:
    """The modifiers of a kind that affect one Pokémon."""
    return [source for source in in_force(game, kind) if affects(game, source, pokemon)]


def on_player(game: Game, kind: Kind, player: int) -> list[Source]:
    """The modifiers of a kind that affect a player."""
    wanted = {True: (Scope.ME, Scope.BOTH), False: (Scope.FOE, Scope.BOTH)}
    return [
        source
        for source in in_force(game, kind)
        if source.modifier.scope in wanted[source.owner == player] and works(game, source)
    ]


def works(game: Game, source: Source) -> bool:
    """Whether the source is where it must be and what it needs is in play."""
    modifier, pokemon = source.modifier, source.pokemon
    if modifier.place and pokemon is not None:
        was_hit = modifier.kind == Kind.ON_HIT and pokemon.hit_turn == game.turn  # it was Active then
        if (game.is_active(pokemon) or was_hit) != (modifier.place == Place.ACTIVE):
            return False
    if not modifier.need_who:
        return True
    found = select(game, source.owner, modifier.need_who, pokemon)
    need = (modifier.need_filter, modifier.need_state, modifier.types)
    there = [item for item in found if matches(game, item, *need, source=pokemon)]
    if modifier.need_min < 0:
        return len({game.top(item).name for item in there}) < -modifier.need_min
    return len(there) >= modifier.need_min


def affects(game: Game, source: Source, pokemon: Pokemon) -> bool:
    """Whether a modifier works and this Pokémon is in its scope."""
    modifier = source.modifier
    mine, active = pokemon.owner == source.owner, game.is_active(pokemon)
    match Scope(modifier.scope):
        case Scope.SELF:
            inside = source.pokemon is pokemon
        case Scope.MY_ACTIVE:
            inside = mine and active
        case Scope.MY_ALL:
            inside = mine
        case Scope.FOE_ACTIVE:
            inside = not mine and active
        case Scope.FOE_ALL:
            inside = not mine
        case scope:
            inside = scope == Scope.EVERYBODY
    return (
        inside
        and works(game, source)
        and matches(game, pokemon, modifier.filter, modifier.state, modifier.types, modifier.parameter, source.pokemon)
    )


def matches(
    game: Game,
    pokemon: Pokemon,
    filter_number: int,
    state: int = 0,
    types: int = ANY_ENERGY,
    parameter: int = 0,
    source: Pokemon | None = None,
) -> bool:
    """Whether a Pokémon in play matches a filter and is in a state."""
    if filter_number and not game.table.filters[filter_number].matches(game.top(pokemon), types_of(game, pokemon)):
        return False
    return not state or is_in_state(game, pokemon, State(state), types, parameter, source)


def is_in_state(game: Game, pokemon: Pokemon, state: State, types: int, parameter: int, source: Pokemon | None) -> bool:
    """Whether a Pokémon in play is in a state (EFFECTS.md, table of states)."""
    top = game.top(pokemon)
    match state:
        case State.DAMAGED:
            return pokemon.damage > 0
        case State.UNDAMAGED | State.FULL_HP:
            return pokemon.damage == 0
        case State.POISONED:
            return pokemon.poison > 0
        case State.BURNED:
            return pokemon.burned
        case State.ASLEEP:
            return pokemon.stupor == Condition.ASLEEP
        case State.CONFUSED:
            return pokemon.stupor == Condition.CONFUSED
        case State.AFFLICTED:
            return bool(pokemon.poison or pokemon.burned or pokemon.stupor)
        case State.HAS_TOOL:
            return bool(pokemon.tools)
        case State.NEEDS_CARE:
            return bool(pokemon.damage or pokemon.poison or pokemon.burned or pokemon.stupor)
        case State.DAMAGED_WITH_ENERGY if pokemon.damage == 0:
            return False
        case State.HAS_ENERGY | State.DAMAGED_WITH_ENERGY:
            return sum(count for i, count in enumerate(pokemon.energy) if types >> i & 1) >= max(1, parameter)
        case State.HAS_ABILITY:
            return top.has_ability and has_abilities(game, pokemon)
        case State.EVOLVED:
            return len(pokemon.cards) > 1
        case State.EVOLVED_THIS_TURN:
            beneath = game.card(pokemon.cards[-2]).name if len(pokemon.cards) > 1 else 0
            return pokemon.evolved == game.turn and parameter in (0, beneath)
        case State.MOVED_UP_THIS_TURN:
            return pokemon.moved_up == game.turn
        case State.NOT_MOVED_UP:
            return pokemon.moved_up != game.turn
        case State.HP_AT_MOST:
            return remaining_hp(game, pokemon) <= parameter
        case State.MAX_HP_AT_MOST:
            return max_hp(game, pokemon) <= parameter
        case State.FIRST_ATTACK:
            return not pokemon.attacked
        case State.HIT_LAST_TURN:
            return pokemon.hit_turn == game.turn - 1 and game.turn > 1
        case State.IS_SOURCE:
            return pokemon is source
        case State.NOT_SOURCE:
            return pokemon is not source
        case State.HALF_HP:
            return 2 * remaining_hp(game, pokemon) <= max_hp(game, pokemon)
        case State.MORE_HP:
            return source is not None and remaining_hp(game, pokemon) > remaining_hp(game, source)
        case State.LESS_HP:
            return source is not None and remaining_hp(game, pokemon) < remaining_hp(game, source)
        case State.HAS_NAMED_TOOL:
            return any(game.card(tool).name == parameter for tool in pokemon.tools)
        case State.RETREAT_AT_LEAST:
            return retreat_cost(game, pokemon) >= parameter
        case State.HAS_ATTACK:
            return any(attack.name == parameter for attack in top.attacks)
        case State.CAN_EVOLVE_FROM_DECK:
            return may_skip(game, pokemon)
        case State.HAS_CANDY_TARGET:
            hand = game.players[pokemon.owner].hand
            fits = any(skips_to(game.table, game.card(card), top.name) for card in hand)
            return may_skip(game, pokemon) and fits and not evolution_locked(game, pokemon)
        case State.STADIUM_IN_PLAY:
            return game.stadium >= 0
        case State.FIRST_TURN:
            return game.current == pokemon.owner and game.players[pokemon.owner].turns == 1
        case State.HURT_OR_STUNNED:
            return bool(pokemon.damage or pokemon.stupor)
        case State.ZONE_OPEN:
            return not (game.is_active(pokemon) and on_player(game, Kind.NO_ZONE_ACTIVE, pokemon.owner))
        case State.OTHER_CARD:
            return source is not None and top.has_ability and top is not game.top(source)
    return True  # State.ANY


def may_skip(game: Game, pokemon: Pokemon) -> bool:
    """Limits that some cards print: not on a first turn, not in the turn it came into play or evolved."""
    return pokemon.entered != game.turn and pokemon.evolved != game.turn and game.turn > 2


def evolution_locked(game: Game, pokemon: Pokemon) -> bool:
    """Whether its owner is forbidden to evolve it from the hand: every Pokémon, or with arg 1 the Active alone."""
    locks = on_player(game, Kind.NO_EVOLVE, pokemon.owner)
    return any(not source.modifier.arg or game.is_active(pokemon) for source in locks)


def select(game: Game, me: int, who: int, source: Pokemon | None = None) -> list[Pokemon]:
    """The Pokémon of a set, own side first, by slot."""
    foe = 1 - me
    mine, theirs = game.board(me), game.board(foe)

    def actives(*players: int) -> list[Pokemon]:
        return [pokemon for player in players if (pokemon := game.active(player)) is not None]

    match Who(who):
        case Who.SELF:
            return [source] if source is not None and game.slot(source) >= 0 else []
        case Who.MY_ACTIVE:
            return actives(me)
        case Who.MY_BENCH:
            return game.bench(me)
        case Who.MY_ALL:
            return mine
        case Who.FOE_ACTIVE:
            return actives(foe)
        case Who.FOE_BENCH:
            return game.bench(foe)
        case Who.FOE_ALL:
            return theirs
        case Who.EVERYBODY:
            return mine + theirs
        case Who.BOTH_ACTIVE:
            return actives(me, foe)
        case Who.BOTH_BENCH:
            return game.bench(me) + game.bench(foe)
        case Who.MY_OTHERS:
            return [pokemon for pokemon in mine if pokemon is not source]
        case Who.ALL_OTHERS:
            return [pokemon for pokemon in mine + theirs if pokemon is not source]
        case _:
            return []


def has_abilities(game: Game, pokemon: Pokemon) -> bool:
    """Whether no effect has taken its Abilities away."""
    if _is_silenced(game, pokemon):
        return False
    for other in (*game.board(0), *game.board(1)):
        if _is_silenced(game, other):
            continue
        for modifier in printed(game, game.top(other)):
            if modifier.kind == Kind.NO_ABILITY and game.table.filters[modifier.filter].matches(game.top(pokemon)):
                return False
    return True


def types_of(game: Game, pokemon: Pokemon) -> int:
    """The mask of its types now: the printed ones and those of its own Ability."""
    types = game.top(pokemon).types
    for modifier in printed(game, game.top(pokemon)):
        if modifier.kind == Kind.EXTRA_TYPE and has_abilities(game, pokemon):
            types |= modifier.arg
    return types


def max_hp(game: Game, pokemon: Pokemon) -> int:
    """Printed HP and every bonus (section 11)."""
    total = game.top(pokemon).hp
    total += sum(source.modifier.amount for source in on_pokemon(game, Kind.HP, pokemon))
    for source in on_pokemon(game, Kind.HP_PER_ENERGY, pokemon):
        units = sum(count for i, count in enumerate(pokemon.energy) if source.modifier.arg >> i & 1)
        total += source.modifier.amount * units
    return total


def remaining_hp(game: Game, pokemon: Pokemon) -> int:
    """HP left, never negative."""
    return max(0, max_hp(game, pokemon) - pokemon.damage)


def retreat_cost(game: Game, pokemon: Pokemon) -> int:
    """The Retreat Cost with all modifiers, at least 0 (section 4 d)."""
    if on_pokemon(game, Kind.FREE_RETREAT, pokemon):
        return 0
    bonus = sum(source.modifier.amount for source in on_pokemon(game, Kind.RETREAT, pokemon))
    return max(0, game.top(pokemon).retreat + bonus)


def energy_units(game: Game, pokemon: Pokemon) -> list[int]:
    """What its attached energy provides, by type (an energy may provide two units)."""
    units = list(pokemon.energy)
    doubled = 0
    for source in on_pokemon(game, Kind.DOUBLE_ENERGY, pokemon):
        doubled |= source.modifier.arg
    return [count * (2 if doubled >> i & 1 else 1) for i, count in enumerate(units)]


def tool_slots(game: Game, pokemon: Pokemon) -> int:
    """How many Tools it may hold."""
    return 1 + len(on_pokemon(game, Kind.TOOL_SLOTS, pokemon))


def letters(mask: int) -> str:
    """Energy letters of a mask, for the log."""
    return "".join(letter for i, letter in enumerate(ENERGY) if mask >> i & 1)


def _is_silenced(game: Game, pokemon: Pokemon) -> bool:
    """Whether an attack's effect has taken its Abilities."""
    return any(
        game.table.modifiers[timed.modifier].kind == Kind.NO_ABILITY and _runs(game, timed) for timed in pokemon.timed
    )


def _runs(game: Game, timed: Timed) -> bool:
    return timed.start <= game.turn <= timed.end
