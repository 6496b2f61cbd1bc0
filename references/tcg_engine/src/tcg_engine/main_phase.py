"""The main phase: what a player may do, and doing it (RULES.md, sections 4 d to 4 f)."""

from __future__ import annotations

from dataclasses import dataclass

from tcg_engine import attack, board, energy, evolution, knowledge, retreat
from tcg_engine.actions import (
    ABILITY,
    ATTACH,
    ATTACK,
    CHOICE,
    END,
    FOE_SLOT,
    FOSSIL,
    HAND,
    PLAY,
    RETREAT,
    STADIUM,
    TARGETS,
    play,
)
from tcg_engine.codes import SLOTS, CardKind, Kind, Stage, Use
from tcg_engine.conditions import recover_immune
from tcg_engine.effects import Program, after_zone_energy, arrive, candidates
from tcg_engine.knockouts import Settle, unsettled
from tcg_engine.modifiers import has_abilities, on_player, tool_slots
from tcg_engine.state import Choice, Game, Pokemon


@dataclass
class MainPhase:
    """Asks the turn player until an attack or the end of the turn."""

    answer: int | None = None

    def run(self, game: Game) -> None:
        """Settle what the last action left, then ask for the next or do it."""
        recover_immune(game)
        if unsettled(game):
            game.stack.append(Settle())
        elif game.turn_over:
            game.stack.remove(self)
        elif self.answer is None:
            game.choice = Choice(game.current, "your turn", legal(game))
        else:
            action, self.answer = self.answer, None
            perform(game, action)


# --- what is legal ---------------------------------------------------------------------------------------------


def legal(game: Game) -> list[int]:
    """Every action the turn player may take, ascending; ending the turn always is."""
    player = game.current
    side = game.players[player]
    found = [END]
    seen = set()
    for position, instance in enumerate(side.hand[:HAND]):
        if game.cards[instance] not in seen:  # of equal cards only the first
            seen.add(game.cards[instance])
            found += [play(position, target) for target in targets(game, player, instance)]
    if side.current >= 0:
        locked = bool(on_player(game, Kind.NO_ZONE_ACTIVE, player))
        found += [ATTACH + slot for slot in range(SLOTS) if side.slots[slot] is not None and not (locked and slot == 0)]
    found += [RETREAT + game.slot(pokemon) - 1 for pokemon in retreat.places(game, player)]
    active = game.active(player)
    if active is not None:
        found += [ATTACK + number for number in attack.usable(game, active)]
    found += [ABILITY + slot for slot in range(SLOTS) if can_use_ability(game, side.slots[slot])]
    if can_use_stadium(game):
        found.append(STADIUM)
    fossils = [p for p in game.board(player) if game.top(p).kind == CardKind.FOSSIL]
    found += [FOSSIL + game.slot(pokemon) for pokemon in fossils]
    return sorted(found)


def targets(game: Game, player: int, instance: int) -> list[int]:
    """Where a card of the hand can be played: 0 nowhere in particular, 1 to 4 own slots, 5 to 8 the opponent's."""
    card, side = game.card(instance), game.players[player]
    own = [(slot, pokemon) for slot, pokemon in enumerate(side.slots) if pokemon is not None]
    match card.kind:
        case CardKind.POKEMON if card.stage != Stage.BASIC:
            return [
                slot + 1
                for slot, pokemon in own
                if evolution.fits(game, instance, pokemon) and evolution.may_evolve(game, pokemon)
            ]
        case CardKind.POKEMON | CardKind.FOSSIL:
            locked = card.kind == CardKind.FOSSIL and locked_trainer(game, player, CardKind.ITEM)
            return [0] if board.free_slot(game, player) and not locked else []
        case CardKind.TOOL:
            if locked_trainer(game, player, card.kind):
                return []
            return [slot + 1 for slot, pokemon in own if len(pokemon.tools) < tool_slots(game, pokemon)]
        case CardKind.STADIUM:
            same = game.stadium >= 0 and game.card(game.stadium).name == card.name
            once = side.stadium_played and game.rules.stadiums_per_turn == "one"
            return [] if same or once or locked_trainer(game, player, card.kind) else [0]
        case _:
            used = card.kind == CardKind.SUPPORTER and side.supporters > 0
            return [] if used or locked_trainer(game, player, card.kind) else program_targets(game, player, instance)


def program_targets(game: Game, player: int, instance: int) -> list[int]:
    """Targets of an Item or Supporter, from the first choice of its program; none if it cannot be used."""
    program = Program(game.card(instance).program, player)
    if not program.usable(game):
        return []
    row = program.first_choice(game)
    if row is None:
        return [0]
    found = candidates(game, program, row)
    return [game.slot(p) + 1 + (0 if p.owner == player else FOE_SLOT) for p in found]


def locked_trainer(game: Game, player: int, kind: CardKind) -> bool:
    """Whether an effect forbids this kind of Trainer card."""
    by_kind = {CardKind.SUPPORTER: Kind.NO_SUPPORTER, CardKind.ITEM: Kind.NO_ITEM, CardKind.STADIUM: Kind.NO_STADIUM}
    locks = [Kind.NO_TRAINER, *([by_kind[kind]] if kind in by_kind else [])]
    return any(on_player(game, lock, player) for lock in locks)


def can_use_ability(game: Game, pokemon: Pokemon | None) -> bool:
    """An Ability that is used, not used up, not taken away, and that can do something."""
    if pokemon is None:
        return False
    card = game.top(pokemon)
    if card.use == Use.ONCE and pokemon.ability_used == game.turn:
        return False
    usable = card.use in (Use.ONCE, Use.OFTEN) and has_abilities(game, pokemon)
    return usable and Program(card.program, pokemon.owner, pokemon).usable(game)


def can_use_stadium(game: Game) -> bool:
    """A Stadium with something to use, once during each player's turn."""
    if game.stadium < 0 or game.players[game.current].stadium_used:
        return False
    card = game.card(game.stadium)
    return card.use == Use.ONCE and Program(card.program, game.current).usable(game)


# --- doing it --------------------------------------------------------------------------------------------------


def perform(game: Game, action: int) -> None:
    """Carry out one main action."""
    side = game.players[game.current]
    if action == END:
        game.say(f"player {game.current} ends the turn")
        game.turn_over = True
    elif action < ATTACH:
        position, target = divmod(action - PLAY, TARGETS)
        play_card(game, position, target)
    elif action < RETREAT:
        attach(game, action - ATTACH)
    elif action < ATTACK:
        retreat.begin(game, action - RETREAT + 1)
    elif action < ABILITY:
        active = game.active(game.current)
        if active is not None:
            pair = attack.attacks_of(game, active)[action - ATTACK]
            game.stack.append(attack.AttackFrame(active, pair))
    elif action < STADIUM:
        pokemon = side.slots[action - ABILITY]
        if pokemon is not None:
            pokemon.ability_used = game.turn
            game.say(f"{game.name(pokemon)} uses its Ability")
            game.stack.append(Program(game.top(pokemon).program, game.current, pokemon))
    elif action == STADIUM:
        side.stadium_used = True
        game.say(f"player {game.current} uses {game.table.name(game.card(game.stadium))}")
        game.stack.append(Program(game.card(game.stadium).program, game.current))
    else:
        fossil = side.slots[action - FOSSIL]
        if fossil is not None:
            game.say(f"player {game.current} discards {game.name(fossil)}")
            board.discard_pokemon(game, fossil)


def play_card(game: Game, position: int, target: int) -> None:
    """Play a card of the hand."""
    player = game.current
    side = game.players[player]
    instance = side.hand.pop(position)
    knowledge.left_hand(game, player, [instance])
    card = game.card(instance)
    own = side.slots[target - 1] if 1 <= target <= SLOTS else None
    if card.kind == CardKind.POKEMON and card.stage != Stage.BASIC and own is not None:
        board.evolve(game, own, instance)
        arrive(game, own, Use.ON_EVOLVE)
    elif card.kind in (CardKind.POKEMON, CardKind.FOSSIL):
        arrive(game, board.put_on_bench(game, player, instance), Use.ON_BENCH)
    elif card.kind == CardKind.TOOL and own is not None:
        own.tools.append(instance)
        game.say(f"player {player} attaches {game.table.name(card)} to {game.name(own)}")
    elif card.kind == CardKind.STADIUM:
        play_stadium(game, instance)
    else:
        side.supporters += card.kind == CardKind.SUPPORTER
        game.say(f"player {player} plays {game.table.name(card)}")
        program = Program(card.program, player, card=instance, played=True)
        program.answer = CHOICE + target - 1 if target else None
        game.stack.append(program)


def play_stadium(game: Game, instance: int) -> None:
    """A Stadium replaces the one in play, which goes to its owner's discard pile."""
    if game.stadium >= 0:
        board.discard(game, [game.stadium])
    game.stadium = instance
    game.players[game.current].stadium_played = True
    game.say(f"player {game.current} plays {game.table.name(game.card(instance))}")


def attach(game: Game, slot: int) -> None:
    """Attach the current energy of the Zone; what it triggers."""
    player = game.current
    side = game.players[player]
    pokemon = side.slots[slot]
    if pokemon is None:
        return
    kind, side.current = side.current, -1
    energy.attach(game, pokemon, kind)
    after_zone_energy(game, pokemon, kind)
