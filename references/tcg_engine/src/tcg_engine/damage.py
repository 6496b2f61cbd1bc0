"""Damage of one attack to one target (RULES.md, section 6)."""

from __future__ import annotations

from dataclasses import dataclass, field

from tcg_engine import coins
from tcg_engine.codes import TYPES, Kind
from tcg_engine.config import WEAKNESS_BONUS
from tcg_engine.modifiers import Source, max_hp, on_player, on_pokemon, remaining_hp, types_of
from tcg_engine.state import Game, Pokemon


@dataclass(eq=False)
class Strike:
    """One attack being resolved.

    Attributes:
        attacker: the Pokémon that uses it.
        name: name id of the attack.
        base: printed number with the attack's own changes, for the opponent's Active.
        spread: further base damage by (player, slot).
        ignore_weakness: the text says so.
        ignore_effects: … about effects on the opponent's Active Pokémon.
        target: the opponent's Active when the damage was done.
        dealt: damage done to it.
        damaged: everybody the attack damaged.
        copied: the attack is a copy of another one.
        again: base of a second use, or 0.
        extra_cost: the cost it was paid with, for "extra energy".
    """

    attacker: Pokemon
    name: int = 0
    base: int = 0
    spread: dict[tuple[int, int], int] = field(default_factory=dict)
    ignore_weakness: bool = False
    ignore_effects: bool = False
    target: Pokemon | None = None
    dealt: int = 0
    damaged: list[Pokemon] = field(default_factory=list)
    copied: bool = False
    again: int = 0
    cost: tuple[int, ...] = (0,) * 9
    card: int = 0


def hit(game: Game, strike: Strike) -> None:
    """The damage step: all targets at once (section 7, step 3)."""
    attacker = strike.attacker
    foe = 1 - attacker.owner
    base = dict(strike.spread)
    base[foe, 0] = base.get((foe, 0), 0) + strike.base
    strike.target = game.active(foe)
    amounts = []
    for player, slot in sorted(base, key=lambda place: (place[0] != foe, place[1])):
        pokemon = game.players[player].slots[slot]
        if pokemon is not None:
            amounts.append((pokemon, attack_damage(game, strike, pokemon, base[player, slot])))
    for pokemon, amount in amounts:
        if amount > 0:
            deal(game, strike, pokemon, amount)


def attack_damage(game: Game, strike: Strike, target: Pokemon, base: int) -> int:
    """Damage after every modifier: base, attacker, Weakness, defender, one floor at the end."""
    if base <= 0:  # "does nothing": no Weakness either (6.1)
        return 0
    attacker = strike.attacker
    against_foe = target.owner != attacker.owner
    is_active = against_foe and game.is_active(target)
    protected = not (strike.ignore_effects and is_active)
    amount = base + (bonus(game, strike, target, is_active) if against_foe else 0)
    weak = is_active and not strike.ignore_weakness and is_weak(game, attacker, target)
    amount = defended(game, attacker, target, amount, weak, protected)
    return shielded(game, attacker, target, amount) if protected and amount > 0 else amount


def hit_back(game: Game, source: Pokemon, target: Pokemon, amount: int) -> int:
    """What an attack has armed its user with: Weakness and effects on the Attacking Pokémon count (6.8)."""
    weak = game.is_active(target) and is_weak(game, source, target)
    return defended(game, source, target, amount, weak, protected=True)


def defended(game: Game, attacker: Pokemon, target: Pokemon, amount: int, weak: bool, protected: bool) -> int:
    """Steps 3 and 4 but for coins: Weakness, then effects on the target, which ``protected`` lets count."""
    reduction = sum(taken.modifier.amount for taken in defences(game, Kind.DAMAGE_IN, attacker, target) if protected)
    if game.rules.damage_order == "legacy":
        amount = max(0, amount + reduction)
        amount = weakened(game, attacker, amount) if weak else amount
    else:
        amount = (weakened(game, attacker, amount) if weak else amount) + reduction
    for source in defences(game, Kind.PREVENT, attacker, target) if protected and amount > 0 else ():
        if not source.modifier.amount or amount <= source.modifier.amount:
            game.say(f"the damage to {game.name(target)} is prevented")
            return 0
    return max(0, amount)


def bonus(game: Game, strike: Strike, target: Pokemon, is_active: bool) -> int:
    """Step 2: effects on the attacker.  Boosts that name the Active Pokémon do not touch the Bench."""
    attacker, total = strike.attacker, 0
    for kind in (Kind.DAMAGE_OUT, Kind.DAMAGE_OUT_POINTS):
        for source in on_pokemon(game, kind, attacker):
            modifier = source.modifier
            wanted = modifier.other == 0 or _matches(game, modifier.other, target)
            if (is_active or modifier.arg & 1) and wanted and modifier.program in (0, strike.name):
                points = game.players[source.owner].points if kind == Kind.DAMAGE_OUT_POINTS else 1
                total += modifier.amount * points
    return total


def is_weak(game: Game, attacker: Pokemon, target: Pokemon) -> bool:
    """Step 3: the target's Weakness is a type of the attacker."""
    weakness = game.top(target).weakness
    return bool(
        weakness >= 0 and types_of(game, attacker) >> weakness & 1 and not on_pokemon(game, Kind.NO_WEAKNESS, target)
    )


def weakened(game: Game, attacker: Pokemon, amount: int) -> int:
    """Weakness adds 20; a Stadium can make it double the damage instead."""
    if on_pokemon(game, Kind.DOUBLE_WEAKNESS, attacker):
        return amount * 2
    return amount + WEAKNESS_BONUS


def defences(game: Game, kind: Kind, attacker: Pokemon, target: Pokemon) -> list[Source]:
    """Modifiers of a kind on the target that apply against this attacker."""
    return [
        source
        for source in on_pokemon(game, kind, target)
        if not (source.modifier.foe and attacker.owner == target.owner)
        and (not source.modifier.other or _matches(game, source.modifier.other, attacker))
    ]


def shielded(game: Game, attacker: Pokemon, target: Pokemon, amount: int) -> int:
    """The rest of step 4: prevention by a coin, or the first time only."""
    for source in defences(game, Kind.COIN_SHIELD, attacker, target):
        if coins.flip(game, 1, f"{game.name(target)} may avoid damage", target.owner):
            amount = max(0, amount + source.modifier.amount) if source.modifier.amount else 0
    if amount > 0 and not target.shielded and defences(game, Kind.FIRST_HIT_SHIELD, attacker, target):
        target.shielded = True
        game.say(f"the first damage to {game.name(target)} is prevented")
        return 0
    return amount


def deal(game: Game, strike: Strike, target: Pokemon, amount: int) -> None:
    """Put attack damage on a Pokémon; effects can leave it with 10 HP instead of Knocking it Out."""
    hp = remaining_hp(game, target)
    survives = False
    if amount >= hp > 0:
        if any(
            _matches(game, source.modifier.filter, target) for source in on_player(game, Kind.SURVIVE, target.owner)
        ):
            survives = True
        for _ in on_pokemon(game, Kind.SURVIVE_COIN, target):
            why = f"{game.name(target)} may endure"
            survives = survives or bool(coins.flip(game, 1, why, target.owner))
    game.say(f"{game.name(strike.attacker)} does {amount} damage to {game.name(target)}")
    target.damage = max_hp(game, target) - 10 if survives else target.damage + amount
    strike.damaged.append(target)
    if game.is_active(target):
        target.hit_turn = game.turn
    if target is strike.target:
        strike.dealt = min(amount, hp)


def put(game: Game, pokemon: Pokemon, amount: int) -> None:
    """Damage that is not attack damage: no Weakness, no modifiers (section 6, last part)."""
    pokemon.damage += amount
    game.say(f"{game.name(pokemon)} takes {amount} damage")


def weakness_letter(game: Game, pokemon: Pokemon) -> str:
    """Letter of its Weakness, or "-"."""
    weakness = game.top(pokemon).weakness
    return TYPES[weakness] if weakness >= 0 else "-"


def _matches(game: Game, filter_number: int, pokemon: Pokemon) -> bool:
    return game.table.filters[filter_number].matches(game.top(pokemon), types_of(game, pokemon))
