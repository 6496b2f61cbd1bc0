"""Retreat (RULES.md, section 4 d)."""

from __future__ import annotations

from dataclasses import dataclass

from tcg_engine import board, energy
from tcg_engine.actions import CHOICE, ask
from tcg_engine.codes import ENERGY_KINDS, CardKind, Condition, Kind
from tcg_engine.effects import Program
from tcg_engine.modifiers import affects, energy_units, in_force, on_pokemon, retreat_cost
from tcg_engine.state import Game, Pokemon


def places(game: Game, player: int) -> list[Pokemon]:
    """The Benched Pokémon the Active can retreat for; none if it cannot retreat."""
    side, active = game.players[player], game.active(player)
    if active is None or side.retreated or game.top(active).kind == CardKind.FOSSIL:
        return []
    stuck = game.rules.conditions_block == "yes" and active.stupor in (Condition.ASLEEP, Condition.PARALYZED)
    if stuck or on_pokemon(game, Kind.NO_RETREAT, active):
        return []
    return game.bench(player) if sum(energy_units(game, active)) >= retreat_cost(game, active) else []


@dataclass
class Retreat:
    """Pays the Retreat Cost, one energy after the other, of the types the player picks, then switches."""

    place: int
    owed: int
    answer: int | None = None

    def run(self, game: Game) -> None:
        """Ask for the next energy, or finish."""
        active = game.active(game.current)
        if active is None:
            game.stack.remove(self)
            return
        kinds = [kind for kind in range(ENERGY_KINDS) if active.energy[kind]]
        if self.answer is not None:
            kind, self.answer = self.answer - CHOICE, None
            worth = energy_units(game, active)[kind] // active.energy[kind]
            energy.discard(game, active, kind)
            self.owed -= worth
        elif self.owed > 0 and kinds:
            ask(game, self, game.current, "discard which energy?", [CHOICE + kind for kind in kinds])
        else:
            game.stack.remove(self)
            finish(game, self.place)


def begin(game: Game, place: int) -> None:
    """Start to retreat for a Bench place."""
    active = game.active(game.current)
    if active is not None:
        game.players[game.current].retreated = True
        game.say(f"{game.name(active)} retreats")
        game.stack.append(Retreat(place, retreat_cost(game, active)))


def finish(game: Game, place: int) -> None:
    """Switch, and what the opponent's effects do about it."""
    new = game.players[game.current].slots[place]
    if new is None:
        return
    triggers = [
        source
        for source in in_force(game, Kind.ON_FOE_RETREAT)
        if source.owner != game.current and source.pokemon is not None and affects(game, source, source.pokemon)
    ]
    board.switch(game, game.current, new)
    for source in triggers:
        game.stack.append(Program(source.modifier.program, source.owner, source.pokemon, cause=new))
