"""The interpreter of effect programs (EFFECTS.md): registers, one row after the other, questions in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tcg_engine import board
from tcg_engine.actions import CHOICE, FOE_SLOT, ask
from tcg_engine.codes import ENERGY, Kind, Op, Row, Use, When, Who
from tcg_engine.damage import Strike
from tcg_engine.modifiers import affects, has_abilities, in_force, matches, on_pokemon, select
from tcg_engine.state import Game, Pokemon

Body = Callable[[Game, "Program", Row], bool]
"""A micro-op: True when it is done, False when it waits for an answer."""

BODIES: dict[Op, Body] = {}
PURE: set[Op] = {
    Op.COUNT_POKEMON,
    Op.COUNT_ENERGY,
    Op.COUNT_CARDS,
    Op.COUNT_FACT,
    Op.COUNT_TYPES,
    Op.CHECK,
    Op.CHECK_BITS,
    Op.REQUIRE,
    Op.SET_COUNT,
}


def micro_op(*ops: Op) -> Callable[[Body], Body]:
    """Register the body of micro-ops."""

    def register(body: Body) -> Body:
        for op in ops:
            BODIES[op] = body
        return body

    return register


@dataclass(eq=False)
class Program:
    """A running program.

    Attributes:
        number: its place in the table.
        me: the player whose effect it is.
        source: the Pokémon it belongs to.
        strike: the attack it belongs to; None for Abilities, Trainers and triggers.
        attacker: in a trigger: whose attack caused it.
        cause: in a trigger: whom it happened to.
        card: the instance of a Tool or a Trainer card, or -1.
        played: the card is a Trainer being played, which is discarded at the end.
        pc: next row.
        flag: register, set by tests and coins.
        n: register, the last count.
        chosen: register, the last Pokémon picked.
        picked: all Pokémon picked so far.
        healed: damage healed so far.
        parked: scratch of an op that waits, or -1.
        pile: cards an op is working through.
        answer: action id that answers the last question.
    """

    number: int
    me: int
    source: Pokemon | None = None
    strike: Strike | None = None
    attacker: Pokemon | None = None
    cause: Pokemon | None = None
    card: int = -1
    played: bool = False
    pc: int = 0
    flag: bool = False
    n: int = 0
    chosen: Pokemon | None = None
    spot: int = -1
    picked: list[Pokemon] = field(default_factory=list)
    healed: int = 0
    parked: int = -1
    pile: list[int] = field(default_factory=list)
    answer: int | None = None

    def rows(self, game: Game) -> tuple[Row, ...]:
        """The rows of the program."""
        return game.table.programs[self.number]

    def run(self, game: Game) -> None:
        """Run until the end, a question, or other work on top of the stack."""
        while game.winner < 0 and game.choice is None and game.stack and game.stack[-1] is self:
            rows = self.rows(game)
            if self.pc >= len(rows):
                self.close(game)
                return
            row = rows[self.pc]
            if not self.skips(row) and row.op != Op.REQUIRE and not BODIES[Op(row.op)](game, self, row):
                continue  # it waits
            self.pc += 1
            self.parked = -1

    def skips(self, row: Row) -> bool:
        """Whether the row's predicate is against it."""
        return row.when == (When.FALSE if self.flag else When.TRUE)

    def close(self, game: Game) -> None:
        """The program is over; a played Trainer card is discarded."""
        if self in game.stack:
            game.stack.remove(self)
        if self.played and self.card >= 0:
            board.discard(game, [self.card])

    def usable(self, game: Game) -> bool:
        """Whether the head of the program allows its use: its pure rows, up to the first that does something."""
        for row in self.rows(game):
            if row.op not in PURE:
                return True
            if self.skips(row):
                continue
            if row.op == Op.REQUIRE:
                if not self.flag:
                    return False
            else:
                BODIES[Op(row.op)](game, self, row)
        return True

    def first_choice(self, game: Game) -> Row | None:
        """The first row that does something, if it lets the player choose a Pokémon: a target to be named at once."""
        row = next((row for row in self.rows(game) if row.op not in PURE), None)
        return row if row is not None and row.op == Op.CHOOSE and not row.arg & 1 else None


def targets(game: Game, program: Program, row: Row) -> list[Pokemon]:
    """The Pokémon a row acts on; those that effects of the opponent's attacks cannot reach are left out."""
    found = [
        p
        for p in members(game, program, row.who)
        if matches(game, p, row.filter, row.state, row.types, 0, program.source)
    ]
    return [pokemon for pokemon in found if not is_protected(game, program, pokemon)]


def members(game: Game, program: Program, who: int) -> list[Pokemon]:
    """A set of Pokémon, with the registers of a program."""
    special = {Who.CHOSEN: program.chosen, Who.ATTACKER: program.attacker, Who.CAUSE: program.cause}
    if who in special:
        pokemon = special[Who(who)]
        return [pokemon] if pokemon is not None and game.slot(pokemon) >= 0 else []
    return select(game, program.me, who, program.source)


def is_protected(game: Game, program: Program, pokemon: Pokemon) -> bool:
    """Whether effects of this program, an opponent's attack, do nothing to a Pokémon."""
    return (
        program.strike is not None
        and pokemon.owner != program.me
        and bool(on_pokemon(game, Kind.PREVENT_EFFECTS, pokemon))
    )


def candidates(game: Game, program: Program, row: Row) -> list[Pokemon]:
    """The Pokémon a row can count or take (CHOOSE with arg bit 1: not one picked before)."""
    return [
        pokemon
        for pokemon in members(game, program, row.who)
        if matches(game, pokemon, row.filter, row.state, row.types, row.amount, program.source)
        and not (row.op == Op.CHOOSE and row.arg & 2 and pokemon in program.picked)
    ]


def slot_option(game: Game, actor: int, pokemon: Pokemon) -> int:
    """The choice id of a Pokémon, seen from the one who chooses."""
    return CHOICE + game.slot(pokemon) + (0 if pokemon.owner == actor else FOE_SLOT)


def at_option(game: Game, actor: int, action: int) -> Pokemon | None:
    """The Pokémon of a choice id."""
    option = action - CHOICE
    player = actor if option < FOE_SLOT else 1 - actor
    return game.players[player].slots[option % FOE_SLOT]


def question(
    game: Game,
    program: Program,
    actor: int,
    what: str,
    options: list[int],
    cards: list[int] | None = None,
    number: int = 0,
) -> int | None:
    """Ask once and take the answer: None as long as there is none (cards and number: see `Choice`)."""
    if program.answer is None:
        ask(game, program, actor, what, options)
        if game.choice is not None:
            game.choice.cards, game.choice.number = cards or [], number
        if program.answer is None:
            return None
    answer, program.answer = program.answer, None
    return answer


def after_zone_energy(game: Game, pokemon: Pokemon, kind: int) -> None:
    """Triggers of energy that comes from the Zone, attached by hand or by an effect; the turn player's first [I]."""
    found = [
        source
        for source in in_force(game, Kind.ON_ZONE_ENERGY)
        if source.modifier.arg >> kind & 1 and affects(game, source, pokemon)
    ]
    for source in reversed(sorted(found, key=lambda source: source.owner != game.current)):
        game.say(f"{ENERGY[kind]} energy triggers an effect")
        game.stack.append(Program(source.modifier.program, source.owner, source.pokemon, cause=pokemon))


def arrive(game: Game, pokemon: Pokemon, use: Use) -> None:
    """Abilities of a Pokémon that was just played from the hand; the player may use them."""
    card = game.top(pokemon)
    if card.use == use and has_abilities(game, pokemon):
        program = Program(card.program, pokemon.owner, pokemon)
        if program.usable(game):
            game.stack.append(program)
