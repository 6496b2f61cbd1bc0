"""Battles against the reference: the same teams, seeds and choices, compared at every decision."""

from __future__ import annotations

import atexit
import collections
import dataclasses
import functools
import itertools
import pickle
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, overload

import jax
import numpy as np

from pokejax import engine, teams
from pokejax.env import RandomBattle
from pokejax.rules.flow.queue import PASS
from pokejax.state import Words
from pokejax.tables import Params, params
from pokejax.verification.interpreted import Interpreted
from pokejax.verification.view import CARRIED, NOT_CARRIED, action_number, snapshots, view
from rlenv_emit import emit_env
from rlenv_emit.env import bytecode_env
from rlenv_shared import compiling
from rlenv_shared.errors import InvalidParamsError, explain
from rlenv_shared.verification.locate import reference

CHUNK: Final = 100
FORMS: Final = ("native", "bytecode", "xla", "numpy")
"""How the environment is run: emitted as one native function or as instructions, compiled by XLA, or uncompiled
(`interpreted`).

Native steps are ready in half a minute and are the fastest; XLA takes minutes; NumPy starts at once, for a changed rule
and few battles.
"""
PER_REQUEST: Final = 5
TIERS: Final = ("core", "legal", "aux")
"""What the reference tells of a state; "json" besides is the whole battle, serialised."""
COMPARED: Final = ("draws", "generator", "ended", "winner", "turn", "kinds", "core", "legal")


@dataclasses.dataclass
class Outcome:
    """What was found.

    Attributes:
        battles: played.
        decisions: compared, the last state included.
        mismatches: ``(battle, decision, difference)`` of the first difference in a battle.
        unfinished: battles whose recording stops before their end.
        declared: differences that count for none, by the reason that is declared for them.
    """

    battles: int = 0
    decisions: int = 0
    mismatches: list[tuple[int, int, str]] = dataclasses.field(default_factory=list)
    unfinished: int = 0
    declared: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)


class Programs:
    """The environment for a batch, in one of the `FORMS`: what verification, tests and the command line share.

    Attributes:
        begin: ``(teams 0, teams 1, high words, low words, params) -> state`` before anybody has come in.
        step: ``(state, actions [B, 2], params) -> (state, rewards, over)``; goes on until somebody is asked.
        look: ``(state, params) -> legal actions``.
        observe: ``(state, params) -> observations [B, 2, ...]``; as instructions in both emitted forms.
    """

    def __init__(self, env: RandomBattle, *, form: str = "native") -> None:
        if form not in FORMS:
            raise InvalidParamsError(explain("form", got=form, expected=f"one of {FORMS}", remedy="choose one"))

        def begin(team0: Any, team1: Any, high: Any, low: Any, params_: Any) -> Any:
            return engine.opening((team0, team1), (high, low, high ^ high), params_)

        emitted = form in ("native", "bytecode")
        run = emit_env(env, form=None if form == "native" else form) if emitted else env
        observer = bytecode_env(env) if emitted else env

        def step(words: Any, action: Any, params_: Any) -> Any:
            return run.transition(words, action, params_)[:3]

        def look(words: Any, params_: Any) -> Any:
            return run.legal_actions(words, params_)

        def seen(words: Any, params_: Any) -> Any:
            return observer.view(words, params_)

        def compiled(function: Any, of: Any, *axes: int) -> Any:
            batched = jax.vmap(function, (*axes, None))
            return Interpreted(batched) if form == "numpy" else compiling.jit(batched, of)

        self.begin = compiled(begin, env, 0, 0, 0, 0)  # XLA's in all forms
        self.observe = compiled(seen, observer, 0)
        self.step, self.look = compiled(step, run, 0, 0), compiled(look, run, 0)


@functools.cache
def programs(form: str) -> Programs:
    """Those of the environment that goes on until somebody is asked, in one of the `FORMS`."""
    return Programs(RandomBattle(), form=form)


def random_legal(rng: np.random.Generator, masks: Any) -> Any:
    """An action per player, int32: of the legal ones (bool ``[..., actions]``) that with the highest random number."""
    return np.argmax(masks * rng.random(masks.shape), axis=-1).astype(np.int32)


def composed(count: int, seed: int, chosen: Any = None) -> tuple[list[str], teams.Arrays]:
    """Packed teams of Pokémon from the package's pool, and their columns ``[count, 6, ...]``.

    Args:
        count: of teams.
        seed: of the choice.
        chosen: ``(the reference's tables, the pool's columns) -> bool [1, pokemon]``: who may be in them; all if None.
    """
    tables, subset = reference("showdown", "tables"), reference("showdown", "subset")
    source = tables.load()
    pool = {name: column[None] for name, column in teams.pool().items()}
    mask = np.ones(pool["species"].shape, bool) if chosen is None else chosen(source, pool)
    columns = subset.compose(source, pool, mask, count, seed)
    described = {name: column for name, column in columns.items() if not name.startswith("word")}
    return [tables.packed(source, described, index) for index in range(count)], columns


@functools.cache
def _driver() -> Any:
    """A driver for whole battles, of which it keeps nothing: one for all of them, since Node grows fast by playing."""
    driver = reference("showdown").driver()
    atexit.register(driver.close)
    return driver


def play(
    settings: Sequence[dict[str, Any]],
    *,
    messages: bool = False,
    input_log: bool = False,
    include: Sequence[str] = TIERS,
) -> Iterator[dict[str, Any]]:
    """The reference's recordings of the episodes, on request with what each player is told and with its input log."""
    more = {"messages": messages, "input_log": input_log, "include": include}
    for start in range(0, len(settings), PER_REQUEST):
        part = settings[start : start + PER_REQUEST]
        yield from _driver().request("play", episodes=part, aux_keys=CARRIED, **more)


def play_logs(texts: Sequence[str], *, include: Sequence[str] = TIERS) -> list[dict[str, Any]]:
    """The reference's recordings of battles of which it gets nothing but their input logs.

    Raises:
        InvalidParamsError, IllegalActionError: a log that it cannot play, with the line.
    """
    found: list[dict[str, Any]] = _driver().request("logs", texts=list(texts), include=include, aux_keys=CARRIED)
    return found


def verify(
    recordings: Sequence[dict[str, Any]],
    *,
    aux: bool = True,
    form: str = "native",
    change: Callable[[Params], Params] | None = None,
) -> Outcome:
    """Play recorded battles and compare every decision; a battle stops at its first difference.

    Args:
        recordings: of the reference.
        aux: compare the carried bookkeeping, too.
        form: of the environment, one of `FORMS`.
        change: of the tables, to see what comes of it.
    """
    outcome = Outcome()
    for start in range(0, len(recordings), CHUNK):
        part = recordings[start : start + CHUNK]
        verify_moments(part, start, outcome, aux, replay(part, form, change), form)
    return outcome


@dataclasses.dataclass
class Moment:
    """A decision of several recorded battles, played by the environment.

    Attributes:
        decision: its number.
        going: the battles that have come so far.
        words: the state, `CHUNK` battles.
        params: tables and pool.
        rewards: of the step before, ``[CHUNK, 2]``.
    """

    decision: int
    going: list[int]
    words: Any
    params: Any
    rewards: Any


def replay(
    recordings: Sequence[dict[str, Any]], form: str, change: Callable[[Params], Params] | None = None
) -> Iterator[Moment]:
    """Play recorded choices, up to `CHUNK` battles at once, and stop at every decision; ``change`` as of `verify`."""
    tables_ = _tables(recordings, change)
    numbers = np.arange(CHUNK, dtype=np.int32)
    seeds = [int(r["seed"], 16) for r in recordings] + [0] * (CHUNK - len(recordings))
    high = np.array([s >> 32 for s in seeds], np.uint32)
    low = np.array([s & 0xFFFFFFFF for s in seeds], np.uint32)
    run = programs(form)
    words = run.begin(2 * numbers, 2 * numbers + 1, high, low, tables_)
    words, rewards, _ = run.step(words, np.full((CHUNK, 2), PASS, np.int32), tables_)
    yield from _follow(recordings, form, tables_, words, rewards)


def go_on(recordings: Sequence[dict[str, Any]], form: str, states: Sequence[Words]) -> Iterator[Moment]:
    """The same from the states in which the recordings begin, of battle n with teams 2n and 2n + 1 of the pool."""
    padded = [*states, *[states[0]] * (CHUNK - len(states))]
    words = tuple(np.array(column, np.uint32) for column in zip(*padded, strict=True))
    yield from _follow(recordings, form, _tables(recordings), words, np.zeros((CHUNK, 2), np.float32))


def _tables(recordings: Sequence[dict[str, Any]], change: Callable[[Params], Params] | None = None) -> Any:
    """Parameters with a pool of the recordings' teams, on the device."""
    described = [team for recording in recordings for team in recording["constants"]]
    padding = [described[0]] * (2 * CHUNK - len(described))  # who plays nothing has teams, too
    pool = teams.constants(described + padding)
    return jax.device_put(params(pool) if change is None else change(params(pool)))


def _follow(
    recordings: Sequence[dict[str, Any]], form: str, tables_: Any, words: Any, rewards: Any
) -> Iterator[Moment]:
    run = programs(form)
    for decision in itertools.count():
        going = [n for n, recording in enumerate(recordings) if decision < len(recording["views"])]
        if not going:
            return
        yield Moment(decision, going, words, tables_, rewards)
        actions = np.full((CHUNK, 2), PASS, np.int32)
        for n in going:
            if decision < len(recordings[n]["choices"]):
                sides = recordings[n]["views"][decision]["core"]["sides"]
                chosen = zip(recordings[n]["choices"][decision], sides, strict=True)
                actions[n] = [action_number(choice, side["order"]) for choice, side in chosen]
        words, rewards, _ = run.step(words, actions, tables_)


def verify_moments(
    recordings: Sequence[dict[str, Any]], first: int, outcome: Outcome, aux: bool, moments: Iterator[Moment], form: str
) -> None:
    """Compare recordings with battles that are played; arguments as of `verify`, ``first`` the number of the first."""
    for _ in compared_moments(recordings, first, outcome, aux, moments, form):
        pass


def compared_moments(
    recordings: Sequence[dict[str, Any]], first: int, outcome: Outcome, aux: bool, moments: Iterator[Moment], form: str
) -> Iterator[Moment]:
    """The same moments, each compared before it is given on; arguments as of `verify_moments`."""
    outcome.battles += len(recordings)
    agrees = dict.fromkeys(range(len(recordings)), True)
    compare = reference("showdown", "compare")
    for moment in moments:
        compared = [n for n in moment.going if agrees[n]]
        masks = np.asarray(programs(form).look(moment.words, moment.params))
        states = snapshots(tuple(np.asarray(word)[compared] for word in moment.words), masks[compared])
        for n, state in zip(compared, states, strict=True):
            outcome.decisions += 1
            ours, theirs = view(state, recordings[n]["constants"]), recordings[n]["views"][moment.decision]
            if moment.params.numbers is not None:  # the state has a place in a list, which the number of draws tells
                of_theirs = {"generator": theirs["generator"]}
                ours |= of_theirs | {"core": ours["core"] | of_theirs}
            difference = first_difference(compare, ours, theirs, aux)
            agrees[n] = difference is None
            if difference:
                outcome.mismatches.append((first + n, moment.decision, difference))
        yield moment


def first_difference(compare: Any, ours: dict[str, Any], theirs: dict[str, Any], aux: bool) -> str | None:
    """The first difference in what is compared, in words; ``compare`` is the reference's module."""
    mine, other = dict(ours), {key: theirs[key] for key in COMPARED}
    other["aux"] = {"sides": [{"pokemon": []}, {"pokemon": []}]}
    for n in (0, 1):
        for member, full in enumerate(theirs["aux"]["sides"][n]["pokemon"]):
            carried = ours["aux"]["sides"][n]["pokemon"][member] if aux else {}
            other["aux"]["sides"][n]["pokemon"].append({key: full[key] for key in carried})
    if not aux:
        counts = [len(side["pokemon"]) for side in theirs["aux"]["sides"]]
        mine["aux"] = {"sides": [{"pokemon": [{}] * count} for count in counts]}
    difference = compare.first_difference(mine, without_dead_status(other), not_carried=NOT_CARRIED)
    return None if difference is None else str(difference)


def without_dead_status(view_: dict[str, Any]) -> dict[str, Any]:
    """The view without what nobody asks for.

    That is what a fainted Pokémon's status left behind, even if it is revived; and to which move a choice item has
    bound somebody that does not have it, as a Dancer may be: it is loose at the next turn.
    """
    sides = [side | {"pokemon": [_asked_for(p) for p in side["pokemon"]]} for side in view_["core"]["sides"]]
    return view_ | {"core": view_["core"] | {"sides": sides}}


def _asked_for(pokemon: dict[str, Any]) -> dict[str, Any]:
    if pokemon["status"] == "fnt":
        return pokemon | {"status_state": {}}
    lock = pokemon["volatiles"].get("choicelock")
    if lock and lock.get("move") not in ([name for name, _ in pokemon["moves"]] + ["transform"]):
        return pokemon | {"volatiles": pokemon["volatiles"] | {"choicelock": lock | {"move": "struggle"}}}
    return pokemon


class Views(Sequence[Mapping[str, Any]]):
    """Views of one battle, packed: of thousands of short battles with all that players are told they fill gigabytes."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []

    def append(self, view: Mapping[str, Any]) -> None:
        """The next one."""
        self._packed.append(zlib.compress(pickle.dumps(view), level=1))

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, number: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, number: slice) -> list[Mapping[str, Any]]: ...

    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        return _unpacked(self._packed[number])


@functools.lru_cache(maxsize=2 * CHUNK)
def _unpacked(packed: bytes) -> Any:
    """A view, which is often asked for again while its battle stands at it."""
    return pickle.loads(zlib.decompress(packed))


def scripted(
    settings: Sequence[dict[str, Any]],
    choose: Callable[[int, int, Mapping[str, Any], Callable[[str], str | None]], str],
    decisions: Sequence[int],
    *,
    messages: bool = False,
    include: Sequence[str] = TIERS,
    enough: Callable[[int, Mapping[str, Any]], bool] = lambda battle, view: False,
) -> list[dict[str, Any]]:
    """Recordings of battles in which the choices follow a rule.

    Args:
        settings: seeds and teams, as the driver opens battles.
        choose: ``(battle, side, view, refusal) -> choice`` of who is asked; the view has "legal" and "moves", and
            ``refusal(choice)`` is what Showdown says to a choice, None where it takes it.
        decisions: how many each battle has at most.
        messages: record what each player is told, too.
        include: what is recorded of each state; "legal" and "moves" are in any case.
        enough: of a battle and its newest view, whether it need not be played further; asked once at each decision.
    """
    include = [*include, *(name for name in ("legal", "moves") if name not in include)]
    with reference("showdown").driver() as driver:

        def refusal(battle: int, side: int, choice: str) -> str | None:
            said: str | None = driver.request("refusal", battle=numbers[battle], side=side, choice=choice)
            return said

        begin = {"battles": list(settings), "messages": messages, "include": include, "aux_keys": CARRIED}
        opened = driver.request("open", **begin)
        numbers = [view_["battle"] for view_ in opened]
        recordings = [
            {"seed": v["seed"], "teams": v["teams"], "constants": v["constants"], "choices": [], "views": Views()}
            for v in opened
        ]
        latest, past = dict(enumerate(opened)), 0
        while latest:
            for n, view_ in latest.items():
                recordings[n]["views"].append(view_)
            going = [n for n, v in latest.items() if past < decisions[n] and not v["ended"] and not enough(n, v)]
            steps = []
            for n in going:
                view_ = latest[n]
                asked = [bool(view_["legal"][side]["accepted"]) for side in (0, 1)]
                choices = [choose(n, s, view_, functools.partial(refusal, n, s)) if asked[s] else "" for s in (0, 1)]
                recordings[n]["choices"].append(choices)
                steps.append({"battle": numbers[n], "choices": choices})
            views = driver.request("step", steps=steps, include=include) if steps else []
            latest, past = dict(zip(going, views, strict=True)), past + 1
    return recordings
