"""What happens in a step of Skirmish, one function for each part of a turn.

Every function is of one environment's packed state and masks itself: it changes nothing where it does not apply.
"""

from __future__ import annotations

from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from rlenv_games import skirmish_tables as t
from rlenv_shared import control
from rlenv_shared.generators import LCG64
from rlenv_shared.packing import Layout, bits, flag, record, word

CHOOSE, FIRST, SECOND, END, REPLACE, PIVOT = range(6)
"""What comes next: both choose; the first action; the second; the end of the turn; who lost a fighter brings out
another; the user of a pivot does."""
PASS: Final = t.MOVES_PER_FIGHTER + t.TEAM  # the only choice of who is not asked
NUM_ACTIONS: Final = PASS + 1
NOBODY: Final = 2
MAX_STAGE: Final = 4
MOST_HITS: Final = 4

LAYOUT: Final = Layout(
    "skirmish",
    [
        word("high"), word("low"), word("draws"),
        bits("time", 0, 1_000_000), bits("phase", 0, 5), bits("first", 0, 1), bits("resume", 0, 5), flag("over"),
        bits("winner", 0, NOBODY),
        record("side", 2, [
            bits("active", 0, t.TEAM - 1), bits("choice", 0, PASS), bits("stage", 0, MAX_STAGE), flag("asked"),
            flag("pivots"), bits("team", 0, 65_535),
            record("fighter", t.TEAM, [
                bits("species", 0, t.NUM_SPECIES - 1), bits("hp", 0, 511), flag("burning"), flag("seen"),
                bits("uses", 0, 15, count=t.MOVES_PER_FIGHTER), bits("max_hp", 1, 511), word("dealt"), word("taken"),
            ], table="cold", whole_words=True),
        ], whole_words=True),
    ],
)  # fmt: skip
Words = tuple[Any, ...]


def hand_out(view: Any, params: Any) -> None:
    """Give each side a team of the pool, its first fighter in front."""
    generator = view.high, view.low, view.draws
    yes = view.draws == view.draws
    pool = np.uint32(params.teams.shape[0] // t.TEAM)
    for side in view.side:
        team, generator = control.draw(LCG64, generator, yes, pool, "team")
        side.team, side.asked = team, yes
        for slot, fighter in enumerate(side.fighter):
            species = control.take(params.teams, team * np.int32(t.TEAM) + np.int32(slot))
            fighter.species = species
            fighter.hp = fighter.max_hp = control.take(params.health, species)
            for m in range(t.MOVES_PER_FIGHTER):
                fighter.uses[m] = control.take(params.uses, _move(species, np.int32(m), params))
        side.fighter[0].seen = yes
    view.winner = NOBODY
    view.high, view.low, view.draws = generator


def take_choices(words: Words, action: Any, params: Any) -> Words:
    """Who was asked has chosen: replacements come out at once, the actions of a turn are put in order."""
    view = LAYOUT.view(words)
    choosing, resuming = view.phase == CHOOSE, view.phase == PIVOT
    coming_out = resuming | (view.phase == REPLACE)
    for i, side in enumerate(view.side):
        asked, chosen = side.asked, action[i]
        side.set("choice", chosen, where=asked)
        _bring_out(side, chosen, asked & coming_out)
        side.asked = False
        side.pivots = False
    switches = [_is_reserve(side.choice) for side in view.side]
    speeds = [control.take(params.speed, side.fighter[side.active].species) for side in view.side]
    racing = ~switches[0] & ~switches[1]
    tied = racing & (speeds[0] == speeds[1])
    generator = view.high, view.low, view.draws
    coin, generator = control.draw(LCG64, generator, choosing & tied, np.uint32(2), "order")
    view.high, view.low, view.draws = generator
    second_is_first = jnp.where(racing, jnp.where(tied, coin == 1, speeds[1] > speeds[0]), switches[1] & ~switches[0])
    view.set("first", second_is_first.astype(jnp.int32), where=choosing)
    view.set("phase", FIRST, where=choosing)
    view.set("phase", view.resume, where=resuming)
    return view.words()


def act(words: Words, params: Any) -> Words:
    """Whose turn it is within the turn brings out a reserve or moves; `phase` says whether anybody does."""
    view = LAYOUT.view(words)
    acting = (view.phase == FIRST) | (view.phase == SECOND)
    user_is_second = (view.first == 1) ^ (view.phase == SECOND)
    words = LAYOUT.swap(view.words(), "side", user_is_second)

    view = LAYOUT.view(words)
    user = view.side[0]
    _bring_out(user, user.choice, acting & _is_reserve(user.choice))
    fighter = user.fighter[user.active]
    moving = acting & (user.choice < t.MOVES_PER_FIGHTER) & (fighter.hp > 0)
    slot = jnp.minimum(user.choice, np.int32(t.MOVES_PER_FIGHTER - 1))
    move = _move(fighter.species, slot, params)
    fighter.uses.set(slot, fighter.uses[slot] - 1, where=moving)
    generator = view.high, view.low, view.draws
    roll, generator = control.draw(LCG64, generator, moving, np.uint32(100), "accuracy")
    hits = moving & (roll < control.take(params.accuracy, move))
    view.high, view.low, view.draws = generator
    words = view.words()

    effect = jnp.where(hits, control.take(params.effect, move), -1)
    words = control.gate("damage", hits, lambda words: _damage(words, move, hits, params), words)
    words = control.switch("effect", effect, [_nothing, _scorch, _harden, _rest, _nothing, _pivot], words)
    return LAYOUT.swap(words, "side", user_is_second)


def _damage(words: Words, move: Any, hits: Any, params: Any) -> Words:
    """The move's hits, one after the other, until the target is out."""
    view = LAYOUT.view(words)
    user, target = view.side
    attacker, defender = user.fighter[user.active], target.fighter[target.active]
    power = control.take(params.power, move)
    harmful = hits & (power > 0) & (defender.hp > 0)
    flurry = harmful & (control.take(params.effect, move) == t.FLURRY)
    generator = view.high, view.low, view.draws
    extra, generator = control.draw(LCG64, generator, flurry, np.uint32(3), "hits")
    count = jnp.where(harmful, jnp.where(flurry, extra + 2, 1), 0)

    strength = control.take(params.strength, attacker.species) * (user.stage + 2) // 2
    guard = control.take(params.guard, defender.species)
    elements = control.take(params.move_element, move) * np.int32(t.NUM_ELEMENTS)
    factor = control.take(params.effectiveness, elements + control.take(params.element, defender.species))
    base = power * strength // guard * factor // 2

    def goes_on(carry: Any) -> Any:
        left, hp, _, _ = carry
        return (left > 0) & (hp > 0)

    def hit(carry: Any) -> Any:
        left, hp, total, generator = carry
        here = goes_on(carry)
        critical, generator = control.draw(LCG64, generator, here, np.uint32(16), "critical")
        spread, generator = control.draw(LCG64, generator, here, np.uint32(16), "spread")
        amount = jnp.where(critical == 0, base * 3 // 2, base) * (spread + 85) // 100
        amount = jnp.where(here, jnp.minimum(jnp.maximum(amount, 1), hp), 0)
        return left - here.astype(jnp.int32), hp - amount, total + amount, generator

    start = (count, defender.hp, jnp.zeros_like(count), generator)
    _, hp, total, generator = control.loop(goes_on, hit, start, MOST_HITS)
    defender.set("hp", hp, where=harmful)
    defender.set("taken", defender.taken + total.astype(jnp.uint32), where=harmful)
    attacker.set("dealt", attacker.dealt + total.astype(jnp.uint32), where=harmful)
    view.high, view.low, view.draws = generator
    return view.words()


def _nothing(words: Words) -> Words:
    return words


def _scorch(words: Words) -> Words:
    """Three in ten targets catch fire."""
    view = LAYOUT.view(words)
    target = view.side[1].fighter[view.side[1].active]
    may = (target.hp > 0) & ~target.burning
    generator = view.high, view.low, view.draws
    roll, generator = control.draw(LCG64, generator, may, np.uint32(10), "scorch")
    view.high, view.low, view.draws = generator
    target.set("burning", True, where=may & (roll < 3))
    return view.words()


def _harden(words: Words) -> Words:
    view = LAYOUT.view(words)
    user = view.side[0]
    user.stage = jnp.minimum(user.stage + 1, MAX_STAGE)
    return view.words()


def _rest(words: Words) -> Words:
    view = LAYOUT.view(words)
    fighter = view.side[0].fighter[view.side[0].active]
    fighter.hp = jnp.minimum(fighter.hp + fighter.max_hp // 2, fighter.max_hp)
    return view.words()


def _pivot(words: Words) -> Words:
    view = LAYOUT.view(words)
    view.side[0].pivots = True
    return view.words()


def end_turn(words: Words) -> Words:
    """Fire burns."""
    ending = LAYOUT.view(words).phase == END

    def burn(words: Words) -> Words:
        view = LAYOUT.view(words)
        for side in view.side:
            fighter = side.fighter[side.active]
            fighter.set("hp", jnp.maximum(fighter.hp - t.FIRE_DAMAGE, 0), where=ending & fighter.burning)
        return view.words()

    return control.gate("fire", ending, burn, words)


def go_on(words: Words) -> Words:
    """What comes next, and who is asked."""
    view = LAYOUT.view(words)
    fronts = [side.fighter[side.active] for side in view.side]
    out = [front.hp == 0 for front in fronts]
    lost = [_all(fighter.hp == 0 for fighter in side.fighter) for side in view.side]
    phase, first = view.phase, view.first
    over = lost[0] | lost[1]
    winner = jnp.where(lost[0] & ~lost[1], 1, jnp.where(lost[1] & ~lost[0], 0, NOBODY))

    acted = (phase == FIRST) | (phase == SECOND)
    following = jnp.where(phase == FIRST, SECOND, jnp.where(phase == SECOND, END, CHOOSE))
    pivoting = [
        acted & side.pivots & ~out[i] & _any(_ready(side, slot) for slot in range(t.TEAM))
        for i, side in enumerate(view.side)
    ]
    second_is_out = jnp.where(first == 0, out[1], out[0])
    skipped = jnp.where((following == SECOND) & second_is_out, END, following)
    burning = (fronts[0].burning & ~out[0]) | (fronts[1].burning & ~out[1])
    skipped = jnp.where((skipped == END) & ~burning, CHOOSE, skipped)
    skipped = jnp.where((skipped == CHOOSE) & (out[0] | out[1]), REPLACE, skipped)
    pivots = pivoting[0] | pivoting[1]
    view.set("resume", following, where=pivots)
    phase = jnp.where(pivots, PIVOT, skipped)
    view.phase = phase
    for i, side in enumerate(view.side):
        asked = jnp.where(pivots, pivoting[i], (phase == CHOOSE) | ((phase == REPLACE) & out[i]))
        side.asked = asked & ~over
    view.over, view.winner = over, winner
    view.time = view.time + 1
    return view.words()


def _move(species: Any, slot: Any, params: Any) -> Any:
    return control.take(params.moves, species * np.int32(t.MOVES_PER_FIGHTER) + slot)


def _is_reserve(choice: Any) -> Any:
    return (choice >= t.MOVES_PER_FIGHTER) & (choice < PASS)


def _ready(side: Any, slot: int) -> Any:
    """Whether a reserve can come out."""
    return (side.fighter[slot].hp > 0) & (side.active != slot)


def _bring_out(side: Any, choice: Any, where: Any) -> None:
    """A reserve comes to the front, its side's strength as at first."""
    slot = jnp.clip(choice - t.MOVES_PER_FIGHTER, 0, t.TEAM - 1)
    side.set("active", slot, where=where)
    side.set("stage", 0, where=where)
    side.fighter[slot].set("seen", True, where=where)


def _any(flags: Any) -> Any:
    result = None
    for one in flags:
        result = one if result is None else result | one
    return result


def _all(flags: Any) -> Any:
    return ~_any(~one for one in flags)
