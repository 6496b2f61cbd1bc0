"""One battle while it is traced: its state behind a view, its tables, its generator.

Rules are functions of a `Battle`.  Whoever acts is side 0, the other side 1: the words are swapped before an action and
swapped back after it.
"""

from __future__ import annotations

import copy
import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from pokejax import rows
from pokejax.picking import pick
from pokejax.state import LAYOUT, Words, signed
from pokejax.tables import NAMES, stride
from rlenv_shared import control
from rlenv_shared.generators import LCG64, Generator, listed
from rlenv_shared.packing import Conditions, Layout, Within
from rlenv_shared.packing.allocate import Place
from rlenv_shared.packing.view import View

_BODY = "row", "changed", "terastallized"
_TRANSFORMED = *_BODY, "transformed", "copied_row", "copied_changed"
_HELD = *_TRANSFORMED, "copied_ability"
_PASSED_BY = ("fainted",), ("ignored", "swapped")
ROWS: Final[dict[str, tuple[Sequence[str], Sequence[str], Sequence[str]]]] = {
    "base pokemon": (_BODY, (), ()),
    "pokemon": (_TRANSFORMED, (), ()),
    "item": (("item",), (), ()),
    "ability number": ((*_HELD, "absent"), *_PASSED_BY),
    "ability": ((*_HELD, "absent"), *_PASSED_BY),
    "ability out": ((*_HELD, "absent", "bystander"), *_PASSED_BY),
    "ability listed": ((*_HELD, "absent", "bystander"), (), ()),
    "flower veil": ((*_HELD, "absent", "typed", "roosting", "discharged"), *_PASSED_BY),
}
"""Fields that what is known of an active Pokémon hangs on: of its own side, of the other side, of the battle."""


@functools.cache
def _bits(what: str, number: int) -> dict[Any, int]:
    """Where the fields lie that something known of an active Pokémon hangs on."""
    own, other, field = ROWS[what]
    sides = ((number, own), (1 - number, other))
    return LAYOUT.bits_of([*(f"side[{n}].{name}" for n, names in sides for name in names), *field])


class Row:
    """A row of a table, taken as a whole when one of its fields is first asked for.

    Args:
        table: as `tables.interleaved` lays it out.
        layout: of its rows.
        index: of the row.
    """

    def __init__(self, table: Any, layout: Layout, index: Any) -> None:
        self._table, self._layout, self._index = table, layout, index
        self._words: dict[int, Any] = {}
        self._row: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python looks for in any object
            raise AttributeError(name)
        place = _places(self._layout).get(name)
        if place is None:  # what is repeated, or is no field at all
            return getattr(self.view(), name)
        value = place.field.decode(self._word(place.word), place.shift)
        setattr(self, name, value)
        return value

    def __copy__(self) -> Row:
        """The same row with what is known of it: for a branch, which must not keep for others what it reads."""
        other = Row(self._table, self._layout, self._index)
        other.__dict__.update(self.__dict__, _words=dict(self._words))
        return other

    def _word(self, number: int) -> Any:
        if number not in self._words:
            if self._row is None:
                first = self._index * np.int32(stride(self._layout))
                self._row = jax.lax.dynamic_slice(
                    jnp.asarray(self._table), (first,), (self._layout.num_words,), allow_negative_indices=False
                )
            self._words[number] = self._row[number]
        return self._words[number]

    def view(self, conditions: Conditions | None = None) -> Any:
        """The whole row as a view, which is written where the conditions hold."""
        words = tuple(map(self._word, range(self._layout.num_words)))
        return self._layout.view(words, conditions=conditions)


class Transformed:
    """Constants of who may have transformed: the other one's row, but for what a Pokémon keeps of its own."""

    def __init__(self, other: Row, itself: Row) -> None:
        self._other, self._itself = other, itself

    def __copy__(self) -> Transformed:
        """As of a `Row`."""
        return Transformed(copy.copy(self._other), copy.copy(self._itself))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # what Python looks for in any object
            raise AttributeError(name)
        return getattr(self._itself if name in rows.KEPT else self._other, name)


@functools.cache
def _places(layout: Layout) -> dict[str, Place]:
    return {place.path: place for place in layout.places()}


def generator(params: Any) -> Generator:
    """What battles with these parameters draw from: Showdown's Gen 5 generator, or numbers that are listed."""
    if params.numbers is None:
        return LCG64
    return listed(lambda place: control.take(params.numbers, place.astype(jnp.int32)), len(params.numbers))


class Battle:
    """A battle's view, constants and draws.

    What a rule writes or draws is written or drawn where all conditions hold that are present (`when`).

    Args:
        words: its state.
        params: tables, `pokejax.tables.Params`.
        draw: how numbers are drawn, as `control.draw` does it.
        here: where anything happens at all, bool; everywhere if None.
    """

    def __init__(self, words: Words, params: Any, draw: Callable[..., Any] = control.draw, here: Any = None) -> None:
        self.params, self._draw, self.conditions = params, draw, Conditions(here)
        self.view = LAYOUT.view(signed(words), conditions=self.conditions)
        self._rows: dict[Any, tuple[int, Any]] = {}  # with the number of the last write to what they hang on
        self._found: dict[Any, tuple[tuple[Any, ...], Any]] = {}

    @property
    def words(self) -> Words:
        """The state with all changes."""
        return self.view.words()

    def side(self, number: int) -> Any:
        """A side; 0 is whoever acts."""
        return self.view.side[number]

    # --- conditions -----------------------------------------------------------------------------------------------

    @property
    def here(self) -> Any:
        """Where all conditions that are present hold, bool."""
        return np.bool_(True) if self.conditions.here is None else self.conditions.here

    def when(self, condition: Any) -> Within:
        """Within, this condition is present, too: nothing is written or drawn where it does not hold.

        Gives where all conditions hold.
        """
        return self.conditions.when(condition)

    def gate(self, name: str, rule: Callable[[Battle], Any], otherwise: Any = None) -> Any:
        """As if the rule stood here; a part of the program that is left out where the conditions hold nowhere.

        Returns:
            What the rule returns, or ``otherwise``.
        """
        known, written = self._known_rows(), dict[Any, int]()

        def handler(state: tuple[Words, Any]) -> tuple[Words, Any]:
            inner = self._inside(state[0])
            inner._rows = {key: (0, copy.copy(row)) for key, row in known.items()}
            found = rule(inner)
            written.update(inner.view.written())
            return inner.words, found

        words, found = control.gate(name, self.here, handler, (self.words, otherwise))
        self.view.reload(words, written)
        return found

    def loop(self, goes_on: Callable[[Any], Any], body: Callable[[Battle, Any], Any], start: Any, most: int) -> Any:
        """Carry a rule out again and again.

        Args:
            goes_on: whether there is a next pass; of what the pass before has returned, or of ``start``.
            body: what a pass does; of the battle and the same.
            start: a pytree of arrays.
            most: passes at most.

        Returns:
            What the last pass has returned.
        """
        written: dict[Any, int] = {}

        def handler(carry: tuple[Words, Any]) -> tuple[Words, Any]:
            inner = self._inside(carry[0])
            found = body(inner, carry[1])
            for key, bits in inner.view.written().items():
                written[key] = written.get(key, 0) | bits
            return inner.words, found

        words, found = control.loop(lambda carry: goes_on(carry[1]), handler, (self.words, start), most)
        self.view.reload(words, written)
        return found

    def swap(self, condition: Any) -> None:
        """Exchange the sides where the condition holds, besides those that are present."""
        condition = self.conditions.both(condition)
        self.view.put("swapped", self.view.swapped ^ condition)
        self.view.reload(LAYOUT.swap(self.words, "side", condition))

    def place(self, number: int) -> Any:
        """Six times the true side of an active Pokémon plus its place in the original team."""
        second = self.view.swapped if number == 0 else ~self.view.swapped
        return self.side(number).order[0] + pick(second, 6, 0)

    def _inside(self, words: Words) -> Battle:
        """The same battle with other words, for a rule that is traced apart: a gate's or a loop's."""
        return Battle(words, self.params, self._draw, self.conditions.here)

    # --- chance ---------------------------------------------------------------------------------------------------

    def draw(self, n: Any, site: str) -> Any:
        """A number below ``n``, int32; the generator moves on where the conditions hold."""
        bound = np.uint32(n) if isinstance(n, int) else n
        value, state = self._draw(generator(self.params), self._drawn, self.here, bound, site)
        self._drawn = state
        return value

    @property
    def _drawn(self) -> tuple[Any, Any, Any]:
        """The generator's state."""
        return self.view.high, self.view.low, self.view.draws

    @_drawn.setter
    def _drawn(self, state: tuple[Any, Any, Any]) -> None:
        for name, word in zip(("high", "low", "draws"), state, strict=True):
            self.view.put(name, word)

    def shuffle(self, site: str, n: int = 2, times: int = 1, asked: Callable[[Battle], Any] | None = None) -> None:
        """Draw below ``n`` and let nothing hang on it, as where equals do the same in any order.

        Args:
            site: of the draw.
            n: its bound.
            times: how often.
            asked: what else has to hold, worked out only where the conditions hold for somebody.
        """
        mask, random = self.here, generator(self.params)
        aside = self if asked is None else self._aside()

        def handler(state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            here = mask if asked is None else mask & asked(aside)
            for _ in range(times):
                _, state = self._draw(random, state, here, np.uint32(n), site)
            return state

        self._drawn = control.gate(site, mask, handler, self._drawn)

    def _aside(self) -> Battle:
        """The same battle with what is known of it, for a branch that changes nothing of it; made outside of that."""
        other = copy.copy(self)
        other.view = copy.copy(self.view)
        other._rows = {key: (0, copy.copy(row)) for key, row in self._known_rows().items()}
        other._found = dict(self._found)
        return other

    def tie(self, site: str) -> Any:
        """Shuffle a pair of equals: whether they change places."""
        mask, random = self.here, generator(self.params)

        def handler(state: tuple[Any, ...]) -> tuple[Any, ...]:
            value, after = self._draw(random, state[:3], mask, np.uint32(2), site)
            return *after, (value == 1) & mask

        *state, changed = control.gate(site, mask, handler, (*self._drawn, mask ^ mask))
        self._drawn = tuple(state)
        return changed

    def both_stand(self) -> Any:
        """Whether both active Pokémon have hit points left."""
        return (self.side(0).hp > 0) & (self.side(1).hp > 0)

    def both_listed(self, field: str) -> Any:
        """Whether the abilities of both who are out, as `ability_listed`, have a flag."""
        return getattr(self.ability_listed(0), field) & getattr(self.ability_listed(1), field)

    def ask_unaware(self, times: int = 1) -> None:
        """Stages are looked at (``ModifyBoost``), so two Unaware Pokémon of one speed are shuffled, each time."""
        with self.when(self.tied() & self.both_stand()):
            self.shuffle("Unaware", times=times, asked=lambda b: b.both_listed("unaware"))

    def ask_about_move(self) -> None:
        """Side 0 tries a move (``TryMove``): its Damp and who else listens are shuffled if they have one speed."""

        def listen(b: Battle) -> Any:
            other = b.ability_listed(1)
            return b.ability_listed(0).damp & (other.damp | other.queenly_majesty)

        with self.when(self.tied()):
            self.shuffle("TryMove", asked=listen)

    def ask_about_damage(self, number: int) -> None:
        """A Pokémon is to be hurt (``Damage``): the other one's Damp and its own ability are shuffled likewise."""

        def listen(b: Battle) -> Any:
            own = b.ability_listed(number)
            listens = own.damp | own.magic_guard | own.rock_head | own.heatproof | (own.halfway_boosts > 0)
            return listens & b.ability_listed(1 - number).damp

        with self.when(self.tied() & (self.side(1 - number).hp > 0)):
            self.shuffle("Damage", asked=listen)

    # --- tables ---------------------------------------------------------------------------------------------------

    def row(self, table: str, layout: Layout, index: Any) -> Any:
        """A row of a table, to be read."""
        return Row(getattr(self.params, table), layout, index)

    def _kept(self, key: tuple[str, int], make: Callable[[], Any]) -> Any:
        """What hangs on the fields that `ROWS` names, made anew when one of them has been written to."""
        written = self._last_write(key)
        if self._rows.get(key, (None,))[0] != written:
            self._rows[key] = written, make()
        return self._rows[key][1]

    def _known_rows(self) -> dict[Any, Any]:
        """Of what is kept, what still holds."""
        return {key: row for key, (written, row) in self._rows.items() if written == self._last_write(key)}

    def _last_write(self, key: tuple[str, int]) -> int:
        """The number of the last write to any field that this hangs on."""
        return self.view.last_write(_bits(*key))

    def once(self, key: Any, given: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """What follows from some values is worked out once, as long as these are the very same."""
        known = self._found.get(key)
        if known is None or any(one is not other for one, other in zip(known[0], given, strict=True)):
            known = self._found[key] = given, make()
        return known[1]

    def base_pokemon(self, number: int) -> Any:
        """Constants of a side's active Pokémon whoever it has transformed into."""
        side = self.side(number)

        def make() -> Any:
            return self.row("pokemon", rows.POKEMON, self.params.present_row(side))

        return self._kept(("base pokemon", number), make)

    def pokemon(self, number: int) -> Any:
        """Constants of a side's active Pokémon as what it is now."""

        def make() -> Any:
            row = self.params.seeming_row(self.side(number))
            return Transformed(self.row("pokemon", rows.POKEMON, row), self.base_pokemon(number))

        return self._kept(("pokemon", number), make)

    def ability(self, number: int) -> Any:
        """The active Pokémon's ability, as `ability_number` says."""
        return self._kept(("ability", number), lambda: self.row("abilities", rows.ABILITY, self.ability_number(number)))

    def ability_out(self, number: int) -> Any:
        """The ability of whoever is out: another one's than `ability` while somebody strikes who is not out."""
        return self._ability_of_place(number, "out", self.ability_number)

    def ability_listed(self, number: int) -> Any:
        """The ability of whoever is out, of which Showdown lists the handlers of an event: passed by or not."""
        return self._ability_of_place(number, "listed", self.ability_held)

    def _ability_of_place(self, number: int, what: str, of_active: Callable[[int], Any]) -> Any:
        def make() -> Any:
            side = self.side(number)
            return self.row("abilities", rows.ABILITY, pick(side.absent, side.bystander, of_active(number)))

        return self._kept((f"ability {what}", number), make)

    def flower_veil(self, number: int) -> Any:
        """Whether Flower Veil protects the active Pokémon, which takes a Grass type."""

        def make() -> Any:
            return self.ability(number).flower_veil & self.has_type(number, GRASS)

        return self._kept(("flower veil", number), make)

    def ability_held(self, number: int) -> Any:
        """The number of the active Pokémon's ability, whether it does anything now or not."""
        copied = self.side(number).copied_ability
        return pick(copied > 0, copied, self.pokemon(number).ability)

    def ability_number(self, number: int) -> Any:
        """The number of the active Pokémon's ability; 0 while it does nothing, as when Mold Breaker passes by it."""

        def make() -> Any:
            own = pick(self.side(number).absent, 0, self.ability_held(number))
            passed = self.passed_by(number)
            transformed = self.side(number).transformed

            def left(own: Any) -> Any:
                row = self.row("abilities", rows.ABILITY, own)
                return pick((passed & row.breakable) | (transformed & row.inborn), 0, own)

            return control.gate("ability passed by", passed | transformed, left, own)

        return self._kept(("ability number", number), make)

    def passed_by(self, number: int) -> Any:
        """Whether the present move takes no notice of a side's abilities (``suppressingAbility``)."""
        second = self.view.swapped if number == 0 else ~self.view.swapped
        return (self.view.ignored == pick(second, 2, 1)) & ~self.side(1 - number).fainted

    @property
    def weather(self) -> Any:
        """The weather as far as it does anything: none while Cloud Nine or Air Lock is out."""
        kept_off = any_of(self.ability_out(n).suppresses & ~self.side(n).fainted for n in (0, 1))
        return pick(kept_off, 0, self.view.weather)

    def item(self, number: int) -> Any:
        """The active Pokémon's item."""
        return self._kept(("item", number), lambda: self.row("items", rows.ITEM, self.side(number).item))

    def keeps(self, number: int, holder: int, taker: int) -> Any:
        """Whether the active Pokémon's item can't be taken from a ``holder`` by a ``taker`` (``TakeItem``).

        Neither need have it now: who exchanges items asks of both.
        """
        item, suited = self.item(number), [self.item_suits(number, n) for n in (0, 1)]
        by_either = (item.kept == rows.BY_EITHER) & (suited[holder] | suited[taker])
        by_holder = (item.kept == rows.BY_HOLDER) & suited[holder]
        return by_either | by_holder | (item.booster_energy & self.base_pokemon(holder).paradox)

    def item_suits(self, number: int, holder: int) -> Any:
        """Whether an active Pokémon is of a species in whose hands an active one's item does something."""
        item, base = self.item(number), self.base_pokemon(holder).base
        return (item.suits == base) | (item.suits_too == base)

    def move(self, index: Any) -> Any:
        """A move's row as a view, which what shapes the move changes."""
        return self.row("moves", rows.MOVE, index).view(self.conditions)

    # --- what is asked all the time -------------------------------------------------------------------------------

    def types(self, number: int) -> tuple[Any, Any]:
        """Both types of the active Pokémon; the second is 0 if there is none."""
        side, pokemon = self.side(number), self.pokemon(number)
        given = (pokemon, side.terastallized, side.roosting, side.typed, side.discharged)

        def make() -> tuple[Any, Any]:
            first, second = self.born_types(number)
            roosting = side.roosting & ~side.terastallized
            alone = pick(second == 0, NORMAL, second)
            first, second = (
                pick(roosting & (first == FLYING), alone, first),
                pick(roosting & ((first == FLYING) | (second == FLYING)), 0, second),
            )
            other = side.terastallized & (pokemon.tera_type != STELLAR)
            return pick(other, pokemon.tera_type, first), pick(other, 0, second)

        found: tuple[Any, Any] = self.once(("types", number), given, make)
        return found

    def born_types(self, number: int) -> tuple[Any, Any]:
        """Its types if it were not Terastallized nor roosting: the species', or what Protean has made of it."""
        side, pokemon = self.side(number), self.pokemon(number)
        own = pick(side.typed > 0, side.typed, pokemon.type1), pick(side.typed > 0, 0, pokemon.type2)
        first, second = (pick(side.discharged & (type_ == ELECTRIC), 0, type_) for type_ in own)
        return first, second

    def has_type(self, number: int, type_: int) -> Any:
        """Whether it has a type."""
        first, second = self.types(number)
        return (first == type_) | (second == type_)

    def naturally_immune(self, number: int, kind: int) -> Any:
        """Whether its types spare it a status or the like (`tables.IMMUNITIES`)."""
        types, masks = self.types(number), self.params.immunities
        both = self.once(
            ("immunities", number), types, lambda: control.take(masks, types[0]) | control.take(masks, types[1])
        )
        return (both & np.int32(1 << kind)) != 0

    def grounded(self, number: int) -> Any:
        """Whether it touches the ground."""
        flies = self.has_type(number, FLYING) | self.ability(number).levitate | (self.side(number).risen > 0)
        return ~flies & ~self.item(number).air_balloon

    def stands(self, number: int) -> Any:
        """Whether the active Pokémon has not fainted yet as far as the queue of faints goes."""
        return ~self.side(number).fainted

    def tied(self) -> Any:
        """Whether both active Pokémon take part in events and have one cached speed."""
        first, second, over = self.side(0), self.side(1), self.view.over
        return self.once(
            "tied",
            (first.fainted, second.fainted, first.speed, second.speed, over),
            lambda: ~first.fainted & ~second.fainted & (first.speed == second.speed) & ~over,
        )


def gated(name: str, dtype: Any = jnp.bool_) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a rule a part of the program that is left out where the conditions hold nowhere.

    What it returns, of this dtype, is False or 0 where they do not hold.
    """

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        says = inspect.signature(rule).return_annotation not in (None, "None")

        @functools.wraps(rule)
        def run(b: Battle, *arguments: Any, **options: Any) -> Any:
            def inside(inner: Battle) -> Any:
                own = [_inside(one, inner) for one in arguments]
                return rule(inner, *own, **options)

            return b.gate(name, inside, jnp.zeros_like(b.here, dtype) if says else None)

        return run

    return decorate


def _inside(argument: Any, b: Battle) -> Any:
    """A rule's argument for one that is traced apart: what is read of it there is not kept for others."""
    if isinstance(argument, View):
        return argument.under(b.conditions)
    return copy.copy(argument) if isinstance(argument, Row) else argument


def any_of(flags: Iterable[Any]) -> Any:
    """Whether one of them holds."""
    return functools.reduce(operator.or_, flags)


def number_of(kind: str, name: str) -> int:
    """The number of a name of the tables."""
    return NAMES[kind].index(name)


ELECTRIC, FLYING, GRASS, NORMAL, STELLAR = (
    number_of("type", name) for name in ("Electric", "Flying", "Grass", "Normal", "Stellar")
)
