"""Turns: their start, their end, and the limit (RULES.md, sections 3, 4 and 10)."""

from __future__ import annotations

from dataclasses import dataclass

from tcg_engine import board, checkup, conditions, damage, energy
from tcg_engine.codes import Kind
from tcg_engine.effects import Program
from tcg_engine.knockouts import TIE, Settle, finish, unsettled
from tcg_engine.main_phase import MainPhase
from tcg_engine.modifiers import affects, in_force, on_player, remaining_hp
from tcg_engine.ops.timed import expire
from tcg_engine.state import Game


@dataclass
class Turn:
    """One turn after the other, in steps."""

    step: int = 0
    answer: int | None = None

    def run(self, game: Game) -> None:
        """The next step."""
        step = STEPS[self.step]
        if unsettled(game) and step not in CHECKUP_STEPS:
            game.stack.append(Settle())
        elif not step(game):
            self.step = (self.step + 1) % len(STEPS)


def begin(game: Game) -> None:
    """Count the turn; effects at its beginning come before the draw [I] (4 a)."""
    game.turn += 1
    game.current = (game.first + game.turn - 1) % 2
    side = game.players[game.current]
    side.turns += 1
    side.supporters = 0
    side.stadium_played = side.stadium_used = side.retreated = False
    game.turn_over = game.coin_heads = game.reflip_used = False
    game.say(f"--- turn {game.turn}: player {game.current}")
    trigger(game, (Kind.BEGIN_TURN,), game.current)


def draw_and_produce(game: Game) -> None:
    """Draw one card (4 b); an energy, except for the first player's first turn (4 c); then the main phase."""
    board.draw(game, game.current)
    if game.turn > 1:
        energy.produce(game, game.current)
    game.stack.append(MainPhase())


def end(game: Game) -> None:
    """Unattached energy is lost (4 f)."""
    game.players[game.current].current = -1
    game.ended.clear()


def own_effects(game: Game) -> bool:
    """The next effect at the end of the turn that the ending player has, Pokémon first; whether there is one (10.1)."""
    player = game.current
    kinds = [Kind.END_MY_TURN, Kind.END_ANY_TURN]
    if game.players[player].turns == 1:
        kinds.append(Kind.END_FIRST_TURN)
    if end_effect(game, kinds, player):
        return True
    for source in on_player(game, Kind.END_EACH_PLAYERS_TURN, player):
        if source.card not in game.ended:
            game.ended.add(source.card)
            game.stack.append(Program(source.modifier.program, player, card=source.card))
            return True
    return False


def announced(game: Game) -> None:
    """Damage that the opponent has announced for a place, for the end of this turn."""
    game.ended.clear()
    for side in game.players:
        for slot, spots in enumerate(side.spots):
            pokemon = side.slots[slot]
            for turn, amount in spots:
                if turn == game.turn and pokemon is not None:
                    damage.put(game, pokemon, amount or remaining_hp(game, pokemon))
            spots[:] = [item for item in spots if item[0] > game.turn]


def other_effects(game: Game) -> bool:
    """The same of the other player."""
    return end_effect(game, [Kind.END_FOE_TURN, Kind.END_ANY_TURN], 1 - game.current)


def end_effect(game: Game, kinds: list[Kind], owner: int) -> bool:
    """Begin the first effect of a player's that has not run yet and applies now; whether there is one."""
    for source in in_force(game, *kinds):
        if source.owner == owner and source.pokemon is not None and affects(game, source, source.pokemon):
            origin = source.card if source.card >= 0 else source.pokemon.cards[0]
            if origin not in game.ended:
                game.ended.add(origin)
                game.stack.append(Program(source.modifier.program, owner, source.pokemon, card=source.card))
                return True
    return False


def first_check(game: Game) -> None:
    """Checkup of the ending player's Active Pokémon (10.2); a sure heads was for the turn that is over."""
    game.coin_heads = False
    conditions.recover_immune(game)
    check(game, game.current)


def second_check(game: Game) -> None:
    """Checkup of the other Active Pokémon."""
    check(game, 1 - game.current)


def check(game: Game, player: int) -> None:
    """Conditions of one Active Pokémon; old games take its Knock Out at once."""
    pokemon = game.active(player)
    if pokemon is not None:
        checkup.check(game, pokemon)
    if game.rules.checkup_ko == "immediate" and checkup.anyone_down(game):
        game.stack.append(Settle())


def checkup_abilities(game: Game) -> None:
    """Abilities during the Checkup, after the conditions: the ending player's first (10.2)."""
    trigger(game, (Kind.CHECKUP,), 1 - game.current)
    trigger(game, (Kind.CHECKUP,), game.current)


def settle_checkup(game: Game) -> None:
    """Knock Outs of the whole Checkup together (10.3)."""
    if unsettled(game):
        game.stack.append(Settle())


def tick(game: Game) -> None:
    """Durations end; after the last turn the game is a tie (section 3)."""
    expire(game)
    if game.turn >= game.rules.turn_limit:
        game.say("the turn limit is reached")
        finish(game, TIE)


STEPS = (
    begin,
    draw_and_produce,
    end,
    own_effects,
    announced,
    other_effects,
    first_check,
    second_check,
    checkup_abilities,
    settle_checkup,
    tick,
)
CHECKUP_STEPS = (second_check, checkup_abilities, settle_checkup)  # Knock Outs wait for the end of the Checkup


def trigger(game: Game, kinds: tuple[Kind, ...], owner: int) -> None:
    """Put the triggers of some kinds that belong to a player on the stack, the first one on top."""
    programs = [
        Program(source.modifier.program, owner, source.pokemon, card=source.card)
        for source in in_force(game, *kinds)
        if source.owner == owner and source.pokemon is not None and affects(game, source, source.pokemon)
    ]
    game.stack.extend(reversed(programs))
