"""The battle of an input log, played action by action, with what both players observe."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any, Final

import jax
import numpy as np

from pokejax import rows
from pokejax.env import RandomBattle
from pokejax.input_log import InputLog, Players
from pokejax.observation import OWN
from pokejax.render import Values
from pokejax.replay_page.telling import Action
from pokejax.rules.flow.queue import PASS, SWITCH_ACTION, TERA_ACTION
from pokejax.state import FALSE, MAX_PP, MOVES, STRUGGLE_SLOT, TEAM, TRUE
from pokejax.tables import NAMES, separated, titles
from pokejax.text import Seen
from pokejax.verification.battles import Programs
from pokejax.verification.input_logs import replay
from pokejax.verification.view import snapshots
from rlenv_shared import backends

WITHOUT_COMPILER: Final = "bytecode"
"""The form of the environment for one battle."""
STRUGGLE, TRANSFORM = "struggle", "transform"
CANNOT, FAILS = "cannot move", "It misses, fails or has no effect"


@dataclasses.dataclass(frozen=True)
class Moment:
    """A state of one battle.

    Attributes:
        state: the fields by path.
        words: the state itself, of a batch of one.
        params: tables and pool.
        observations: what each player observes.
        chosen: what both do, where somebody is asked; None where nobody is, or where the log ends.
    """

    state: Values
    words: Any
    params: Any
    observations: tuple[Any, Any]
    chosen: tuple[int, int] | None

    def asked(self, player: int) -> bool:
        """Whether the player is asked."""
        return bool(Seen(self.observations[player]).one("asked"))


def moments(log: InputLog) -> Iterator[Moment]:
    """The battle after each of its actions.

    Raises:
        InvalidParamsError: a choice that cannot be taken; it names the line.
    """
    run, pokemon, players = _programs(), None, Players(log)
    for moment in replay([log], run=run, most=1):
        if pokemon is None:
            pokemon = rows.POKEMON.decode(separated(rows.POKEMON, np.asarray(moment.params.pokemon)))
        words = tuple(np.asarray(word) for word in moment.words)
        masks = np.asarray(run.look(words, moment.params))
        state = snapshots(words, masks)[0]
        first, second = (
            {name: np.asarray(array)[0] for name, array in _observed()(words, np.int32(player), moment.params).items()}
            for player in (0, 1)
        )
        chosen = None if state["over"] else players.next(state, masks[0], pokemon)
        asked = chosen is not None and not masks[0, :, PASS].all()
        yield Moment(state, words, moment.params, (first, second), (chosen[0], chosen[1]) if chosen and asked else None)


@functools.cache
def _programs() -> Programs:
    return Programs(RandomBattle(micro_steps=1), form=WITHOUT_COMPILER)


@functools.cache
def _observed() -> Any:
    """``(state [1], player, params) -> observation [1, …]``."""
    return jax.jit(jax.vmap(backends.environment(RandomBattle(), "bytecode").observe, (0, None, None)))


def choice_words(moment: Moment, after: Moment, player: int) -> str:
    """What a player chooses, such as "chooses Scald".

    Args:
        moment: at which somebody is asked.
        after: the next one, which says what has been made of the choice.
        player: 0 or 1, who is asked.
    """
    assert moment.chosen is not None
    seen, action, at = Seen(moment.observations[player]), moment.chosen[player], f"side[{player}]."
    if action >= SWITCH_ACTION:
        species = seen.named("species", f"own.pokemon[{action - SWITCH_ACTION}].species")
        return f"sends in {titles()['species'][species]}"
    if moment.state[at + "recharge"]:
        return "waits"
    slot = _bound(moment.state, player, after.state[at + "chosen_slot"])
    move = STRUGGLE if slot == STRUGGLE_SLOT else _moves(moment, player, _active(moment, player))[slot][0]
    return f"chooses {titles()['move'][move]}{' and to Terastallize' if action >= TERA_ACTION else ''}"


def action(before: Moment, after: Moment) -> Action | None:
    """What was done between two states that one action lies between; None where it was no Pokémon's turn."""
    one, other = before.state, after.state
    done = [n for n in (0, 1) if one[f"side[{n}].queued_move"] and not other[f"side[{n}].queued_move"]]
    if not done:
        return None
    side = done[0] if len(done) == 1 else int(one["second_moves_first"])
    if one[f"side[{side}].fainted"]:
        return None
    move = _used(before, after, side)
    if move:
        return Action(side, move=move, result=_result(before.state, other, side))
    return Action(side, reason=_reason(before, after, side))


def _result(before: Values, after: Values, side: int) -> str:
    """What has come of a move that changes nothing on the board, as both players are told."""
    at = f"side[{side}]."
    for field, words in (("protected", "It protects itself"), ("charging", "It gathers its strength")):
        if after[at + field] and not before[at + field]:
            return words
    return "" if after[at + "this_result"] == TRUE else FAILS


def known(move: str, observation: Any) -> bool:
    """Whether a player has been told that who is out on the other side has a move.

    Args:
        move: its id.
        observation: of the player.
    """
    seen = Seen(observation)
    active = next((k for k in range(TEAM) if seen.one(f"foe.pokemon[{k}].active")), None)
    moves = (
        [] if active is None else [NAMES["move"][int(number)] for number in seen.all(f"foe.pokemon[{active}].moves")]
    )
    transforms = move == TRANSFORM and seen.one("foe.transformed")
    return bool(move == STRUGGLE or transforms or move in moves)


def _active(moment: Moment, side: int) -> int:
    return int(moment.state[f"side[{side}].order[0]"])


def _moves(moment: Moment, side: int, member: int) -> list[tuple[str, int]]:
    """Ids and power points of a Pokémon's moves as its player sees them."""
    seen = Seen(moment.observations[side])
    at = f"{OWN}.pokemon[{member}]"
    points = [round(float(share) * MAX_PP) for share in seen.all(f"{at}.pp")]
    return [(NAMES["move"][int(n)], left) for n, left in zip(seen.all(f"{at}.moves"), points, strict=True)]


def _bound(state: Values, side: int, slot: int) -> int:
    """The slot that is used where a rampage or a move that charges leaves no other."""
    at = f"side[{side}]."
    if state[at + "lock"]:
        return int(state[at + "lock_slot"])
    return int(state[at + "charge_slot"]) if state[at + "charging"] else slot


def _used(before: Moment, after: Moment, side: int) -> str:
    """The id of the move that was used: power points have gone, or it goes on; empty if none was."""
    at, member = f"side[{side}].", _active(before, side)
    slot = int(before.state[at + "chosen_slot"])
    old, new = _moves(before, side, member), _moves(after, side, member)
    if [name for name, _ in old] != [name for name, _ in new]:  # it has transformed
        return old[min(slot, MOVES - 1)][0]
    spent = [k for k, (one, other) in enumerate(zip(old, new, strict=True)) if one[1] != other[1]]
    if spent:
        return old[slot if slot in spent else spent[0]][0]
    if before.state[at + "lock"] or before.state[at + "charging"]:
        failed = after.state[at + "this_result"] == FALSE
        return "" if failed and _reason(before, after, side) != CANNOT else old[_bound(before.state, side, slot)][0]
    return STRUGGLE if slot == STRUGGLE_SLOT and not before.state[at + "recharge"] else ""


def _reason(before: Moment, after: Moment, side: int) -> str:
    """Why somebody cannot move, as both players are told."""
    at, state = f"side[{side}].", before.state
    status = rows.STATUSES[state[at + "status"]]
    if state[at + "recharge"]:
        return "has to recharge"
    if state[at + "readied"] == rows.FOCUS_PUNCH and state[at + "unfocused"]:
        return "has lost its focus"
    if status in ("slp", "frz") and after.state[at + "status"]:
        return "is asleep" if status == "slp" else "is frozen"
    if state[at + "loafing"]:
        return "loafs around"
    if state[at + "flinched"]:
        return "flinches"
    if state[at + "confusion"] and after.state[at + "hp"] < state[at + "hp"]:
        return "hurts itself in its confusion"
    if status == "par":
        return "is paralysed and cannot move"
    return "is in love and cannot move" if state[at + "attracted"] else CANNOT
