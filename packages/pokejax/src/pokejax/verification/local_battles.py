"""poke-env's `Battle` filled by pokejax against the one that Showdown's messages fill, in the same battles.

The same players are asked about both, and what both hold is compared field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from poke_env.battle import Battle, Pokemon

from pokejax.poke_env.batch import SEATS
from pokejax.poke_env.facts import Constants, facts
from pokejax.poke_env.filled import UNKNOWN_ITEM, FilledBattle
from pokejax.verification.battles import CHUNK, Moment, Outcome, programs, replay
from pokejax.verification.poke_env_players import FAINTED_TERA, FORME, JUDGES, Seat, reason

NAMES: Final = ("p1", "p2")
OF_THE_FAINTED: Final = "who has fainted keeps in poke-env what it had before"
DISGUISED: Final = "who has come out by Illusion, or seemed to, is lost in poke-env"
NOT_READ: Final = "poke-env has passed over the message that told it"


def verify_local_battles(recordings: Sequence[dict[str, Any]], form: str = "native") -> Outcome:
    """Fill both battles of each recorded battle at every decision, in both seats.

    Args:
        recordings: of `battles.play` with messages.
        form: in which the battles are replayed, one of `battles.FORMS`.
    """
    outcome = Outcome()
    for start in range(0, len(recordings), CHUNK):
        part = recordings[start : start + CHUNK]
        _verify_chunk(part, start, outcome, replay(part, form), form)
    return outcome


def _verify_chunk(
    recordings: Sequence[dict[str, Any]], first: int, outcome: Outcome, moments: Iterator[Moment], form: str
) -> None:
    told = [(Seat(0), Seat(1)) for _ in recordings]
    filled: list[tuple[FilledBattle, ...]] = []
    run = programs(form)
    outcome.battles += len(recordings)
    for moment in moments:
        if not filled:
            constants = Constants.of(moment.params)
            filled = [tuple(FilledBattle("battle", n, NAMES, constants) for n in SEATS) for _ in recordings]
        seen, masks = run.observe(moment.words, moment.params), run.look(moment.words, moment.params)
        known = facts(moment.words, moment.params, seen, masks)
        for n in moment.going:
            view = recordings[n]["views"][moment.decision]
            if view["ended"]:
                continue
            outcome.decisions += 1
            for player in SEATS:
                messages, accepted = view["messages"], view["legal"][player]["accepted"]
                trapped = not any(choice.startswith("switch") for choice in accepted)
                seat, own = told[n][player], filled[n][player]
                seat.hear(messages[f"p{player + 1}"], messages["requests"][player], trapped)
                own.fill(known, n)
                if accepted:
                    where = first + n, moment.decision, player
                    _compare(seat, own, view["core"]["sides"], where, outcome)


def _compare(
    seat: Seat, own: FilledBattle, sides: Sequence[Mapping[str, Any]], where: tuple[int, int, int], outcome: Outcome
) -> None:
    why = reason(seat.battle, sides, where[2])
    found = []
    assert own.choices is not None
    for name, judge in JUDGES.items():
        pair = own.choices.action_of(judge(own.battle)), seat.action(judge(seat.battle))
        if name == "base-power" and not seat.battle.available_moves:  # brings in anybody, at random
            continue
        if pair[0] != pair[1]:
            found.append((f"decisions of {name}", f"{name}: action {pair[0]}, by the messages {pair[1]}"))
    ours, theirs = summary(own.battle), summary(seat.battle)
    foes = [ident for ident, pokemon in seat.battle.opponent_team.items() if pokemon.active]
    revived = FAINTED_TERA if any(_keeps_tera(ident, ours, theirs) for ident in foes) else ""
    for kind, text in found:
        if why or revived:
            outcome.declared[f"{kind}: {why or revived}"] += 1
        else:
            outcome.mismatches.append((*where[:2], f"player {where[2]}: {text}"))
    for field, value in ours.items():
        if value == theirs.get(field):
            continue
        other_forme = FORME if why == FORME and field.startswith(("types", "base_stats")) else ""
        if lost := _lost(field, ours, theirs) or other_forme:
            outcome.declared[f"{field.split(': ')[0]}: {lost}"] += 1
        else:
            text = f"{field} is {value!r:.120}, by the messages {theirs.get(field)!r:.120}"
            outcome.mismatches.append((*where[:2], f"player {where[2]}: {text}"))


def _lost(field: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """What poke-env has lost, where that is why a field of a Pokémon differs; empty where it is not."""
    kind, _, ident = field.partition(": ")
    if kind == "team" and sorted(ours[field]) == sorted(theirs[field]):
        return DISGUISED
    if not ident or field not in theirs:
        return ""
    if kind == "hp" and theirs[field] == 0 and not theirs[f"fainted: {ident}"]:
        return DISGUISED
    stays = _keeps_tera(ident, ours, theirs)
    if kind in ("types", "is_terastallized", "boosts") and (ours[f"fainted: {ident}"] or stays):
        return OF_THE_FAINTED
    if kind in ("types", "base_stats") and not ours[f"active: {ident}"]:
        return FORME
    unread = {"ability": theirs[field] in (None, "imposter"), "item": theirs[field] == UNKNOWN_ITEM}
    if unread.get(kind, kind == "moves" and set(theirs[field]) < set(ours[field])):
        return NOT_READ
    return ""


def _keeps_tera(ident: str, ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    """Whether poke-env takes a Pokémon for Terastallized that is it no longer."""
    name = f"is_terastallized: {ident}"
    return bool(theirs.get(name)) and not ours.get(name)


FIELDS: Final[Mapping[str, Callable[[Battle], Any]]] = {
    "turn": lambda battle: battle.turn,
    "wait": lambda battle: battle.wait,
    "force_switch": lambda battle: bool(battle.force_switch),
    "reviving": lambda battle: battle.reviving,
    "trapped": lambda battle: battle.trapped,
    "can_tera": lambda battle: battle.can_tera,
    "available_moves": lambda battle: [move.id for move in battle.available_moves],
    "available_switches": lambda battle: [pokemon.name for pokemon in battle.available_switches],
    "valid_orders": lambda battle: [str(order) for order in battle.valid_orders],
    "weather": lambda battle: sorted(weather.name for weather in battle.weather),
    "fields": lambda battle: sorted(field.name for field in battle.fields),
    "side_conditions": lambda battle: sorted(one.name for one in battle.side_conditions),
    "opponent_side_conditions": lambda battle: sorted(one.name for one in battle.opponent_side_conditions),
    "used_tera": lambda battle: battle.used_tera,
    "opponent_used_tera": lambda battle: battle.opponent_used_tera,
    "team": lambda battle: list(battle.team),
    "opponent_team": lambda battle: list(battle.opponent_team),
}
"""What both battles must have alike."""
POKEMON_FIELDS: Final[Mapping[str, Callable[[Pokemon], Any]]] = {
    "active": lambda one: bool(one.active),
    "fainted": lambda one: one.fainted,
    "level": lambda one: one.level,
    "gender": lambda one: one.gender,
    "base_species": lambda one: one.base_species,
    "hp": lambda one: round(one.current_hp_fraction, 4),
    "status": lambda one: one.status,
    "types": lambda one: one.types,
    "base_stats": lambda one: one.base_stats,
    "boosts": lambda one: one.boosts if one.active else None,
    "item": lambda one: one.item,
    "ability": lambda one: one.ability,
    "moves": lambda one: sorted(one.moves),
    "is_terastallized": lambda one: one.is_terastallized,
}
"""And both Pokémon."""


def summary(battle: Battle) -> dict[str, Any]:
    """The fields of a battle and of its Pokémon, the latter as ``field: p1: Name``."""
    found = {name: read(battle) for name, read in FIELDS.items()}
    for ident, pokemon in {**battle.team, **battle.opponent_team}.items():
        found |= {f"{name}: {ident}": read(pokemon) for name, read in POKEMON_FIELDS.items()}
    return found
