"""Pairs of games that differ only in what the opponent of a player has decided in secret.

Both games of a pair have the same seed and the same history.  At a choice that only its player sees (`SECRET`: which
cards go back, in which order) the twin takes another option.  Both then go on with the same actions, secret ones
chosen for each by itself.  As long as the other player has seen the same of both (`public_log`), the observations and
the legal actions of that player must be equal, in the reference and in this engine.

Positions are drawn from all cards that show, move, or reorder cards of hands and decks.
"""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from rlenv_shared.verification import locate
from rlenv_shared.verification.verify import Findings
from tcgjax.codec import CODEC
from tcgjax.codes import Op
from tcgjax.decks import Deck
from tcgjax.observation import MAIN, OF_PROGRAM
from tcgjax.questions import ATTACH, ATTACK, CHOICE, END, PLAY, STADIUM, TARGETS
from tcgjax.verification.canonical import SIZES
from tcgjax.verification.compiled import ANSWER, BATCH, LOOK, Batch, Form
from tcgjax.verification.moving_positions import MOVES, OF_HAND, SECRET, SHOWS, Dealer
from tcgjax.verification.observed import question
from tcgjax.verification.positions import imported
from tcgjax.verification.public_log import Log, public, watched

OPPONENT: Final = 1
"""Who decides in secret; player 0 looks on."""
BEFORE, AFTER, TWINS = 14, 9, 15
"""Decisions before the secret choice and after it, at most; twins of one game."""


@dataclasses.dataclass
class Branch:
    """One way a game goes: its actions, and after how many of them its viewer had seen the same as in the main one."""

    actions: list[int]
    same_until: int = 0


@dataclasses.dataclass
class Fork:
    """A game and its twins."""

    position: Any
    viewer: int
    begins: int  # the number of actions after which they differ
    main: Branch
    twins: list[Branch]

    def pairs(self) -> Iterator[tuple[int, int, int]]:
        """Two branches that differ, and after how many actions their viewer had seen the same of both (at least once).

        What is compared with the main branch is equal among all that are.
        """
        branches = [self.main, *self.twins]
        for i, one in enumerate(branches):
            for j in range(i + 1, len(branches)):
                until = min([len(one.actions) if i == 0 else one.same_until, branches[j].same_until])
                if until > self.begins and one.actions[:until] != branches[j].actions[:until]:
                    yield i, j, until - self.begins


@dataclasses.dataclass
class Pairs:
    """What was found."""

    position: int = 0  # seed of the one that is played now
    pairs: int = 0
    steps: int = 0
    knowing: int = 0  # pairs whose viewer had been shown hidden cards before
    told_apart: int = 0  # pairs that something public told apart in the end
    by_choice: Counter[str] = dataclasses.field(default_factory=Counter)
    by_op: Counter[str] = dataclasses.field(default_factory=Counter)
    wrong: list[str] = dataclasses.field(default_factory=list)


def weight(game: Any, dealer: Dealer, option: int) -> float:
    """How readily an action of the main phase is taken: cards that show or move cards first, the end last."""
    if option == END:
        return 0.5
    if PLAY <= option < ATTACH:
        hand = game.players[game.choice.actor].hand
        ops = dealer.of_card[game.card(hand[(option - PLAY) // TARGETS]).id]
        return 20.0 if ops & set(SHOWS) else 6.0 if ops else 1.0
    return 4.0 if ATTACK <= option < STADIUM else 1.0


def op_asked(game: Any) -> int:
    """The micro-op whose question waits, `MAIN` or another question as -1."""
    asked = question(game)
    return asked - OF_PROGRAM if asked >= OF_PROGRAM else (-2 if asked == MAIN else -1)


def choose(game: Any, dealer: Dealer, generator: random.Random) -> int:
    """An action."""
    options = game.choice.options
    if op_asked(game) == -2:
        return generator.choices(options, [weight(game, dealer, option) for option in options])[0]
    return generator.choice(options)


def secret_options(game: Any) -> list[int]:
    """The options of which only their player sees which is taken: all of a secret choice, else those of equal cards."""
    asked, options = op_asked(game), game.choice.options
    if asked in SECRET:
        return [option for option in options if option != END]
    groups: dict[int, list[int]] = {}
    for option in options if asked in OF_HAND else ():
        if option != END:
            groups.setdefault(game.cards[game.players[game.choice.actor].hand[option - CHOICE]], []).append(option)
    return max(groups.values(), key=len, default=[])


def translated(game: Any, action: int, twin: Any, asked: int, generator: random.Random) -> int | None:
    """The twin's action that looks the same to the other player, one of several at random; None if there is none."""
    if twin.choice is None or twin.choice.actor != game.choice.actor or op_asked(twin) != asked:
        return None
    hands = [side.players[game.choice.actor].hand for side in (game, twin)]
    place, target = None, 0
    if asked == -2 and PLAY <= action < ATTACH:
        place, target = divmod(action - PLAY, TARGETS)
    elif asked in OF_HAND and action >= CHOICE:
        place = action - CHOICE
    if place is None:
        return action if action in twin.choice.options else None
    wanted, found = game.cards[hands[0][place]], []
    for number, card in enumerate(hands[1]):
        other = PLAY + TARGETS * number + target if asked == -2 else CHOICE + number
        if twin.cards[card] == wanted and other in twin.choice.options:
            found.append(other)
    return generator.choice(found) if found else None


def forks(reference: Any, seeds: Iterable[int], found: Pairs) -> Iterator[Fork]:
    """Games and their twins; what the reference shows is compared on the way.

    Args:
        reference: the part of `locate` for ``tcg_engine``.
        seeds: of positions and actions.
        found: counts, and what is wrong.
    """
    engine, position = reference.engine(), reference.part("position")
    dealer, log = Dealer(engine.table()), Log()
    with watched(reference.part("effects").BODIES, log):
        for seed in seeds:
            generator, found.position = random.Random(seed), seed
            start = position.load(dealer.position(generator))
            fork = _fork(engine, start, dealer, generator, log, found)
            if fork is not None:
                yield fork


def _fork(engine: Any, start: Any, dealer: Dealer, generator: random.Random, log: Log, found: Pairs) -> Fork | None:
    game, done = engine.clone(start), []
    for _ in range(BEFORE):
        if game.choice is None:
            return None
        if game.choice.actor == OPPONENT and len(secret := secret_options(game)) > 1:
            break
        done.append(choose(game, dealer, generator))
        engine.step(game, done[-1])
    else:
        return None
    viewer, name = 1 - OPPONENT, Op(op_asked(game)).name
    options = generator.sample(secret, min(len(secret), 1 + TWINS))
    options += generator.choices(secret, k=1 + TWINS - len(options))  # whose later choices differ
    games = [engine.clone(game) for _ in options]
    view = engine.observation(game, viewer)
    knows = bool(view["foe_hand_seen"]) or any(card >= 0 for card in (*view["deck_seen"], *view["foe_deck_seen"]))
    branches = [Branch(list(done)) for _ in options]
    alive, ops = set(range(1, len(options))), [Counter[str]() for _ in options]
    actions: list[int | None] = list(options)
    for number in range(AFTER):
        seen = []
        for i in (0, *sorted(alive)):
            log.take()
            branches[i].actions.append(int(actions[i]))  # type: ignore[arg-type]
            engine.step(games[i], actions[i])
            shown, ran = log.take()
            seen.append((i, (public(games[i], viewer), shown[viewer])))
            ops[i] += ran
        first, rest = seen[0][1], seen[1:]
        view = engine.observation(games[0], viewer)
        for i, what in rest:
            if what != first:
                alive.discard(i)
                found.told_apart += 1
                continue
            branches[i].same_until = len(branches[i].actions)
            other = engine.observation(games[i], viewer)
            if other != view:
                differ = [part for part in view if view[part] != other[part]]
                found.wrong.append(
                    f"{name}: {differ} after {number + 1} actions, {dict(ops[i])}, position {found.position}"
                )
                alive.discard(i)
        if not alive or games[0].choice is None:
            break
        actions = _next(games, alive, dealer, generator)
    fork = Fork(start, viewer, len(done), branches[0], branches[1:])
    for i, j, steps in fork.pairs():
        found.pairs += 1
        found.steps += steps
        found.by_choice[name] += 1
        found.knowing += knows
        found.by_op.update(op for op in ops[i] & ops[j] if op in Op.__members__ and Op[op] in MOVES)
    return fork


def _next(games: list[Any], alive: set[int], dealer: Dealer, generator: random.Random) -> list[int | None]:
    """The next actions; games in which the same cannot be done are not alive any more."""
    main = games[0]
    asked, chosen = op_asked(main), choose(main, dealer, generator)
    actions: list[int | None] = [chosen, *[None] * (len(games) - 1)]
    for i in sorted(alive):
        twin, action = games[i], chosen
        if main.choice.actor != OPPONENT:  # of the own cards the player sees the very same
            actions[i] = action if twin.choice and action in twin.choice.options else None
        elif asked in SECRET and twin.choice and op_asked(twin) == asked and END not in (action, *twin.choice.options):
            actions[i] = generator.choice(twin.choice.options)
        else:
            actions[i] = translated(main, action, twin, asked, generator)
        if actions[i] is None:
            alive.discard(i)
    return actions


# --- the same pairs here -----------------------------------------------------------------------------------------


def replay(found: list[Fork], form: Form) -> tuple[int, list[str]]:
    """Play forks here; how many steps of pairs were compared, and what differs."""
    steps, wrong, waiting = 0, list[str](), list(found)
    while waiting:
        group: list[tuple[Fork, int]] = []
        while waiting and len(group) + 1 + len(waiting[-1].twins) <= BATCH:
            fork = waiting.pop()
            group += [(fork, i) for i in range(1 + len(fork.twins))]
        more, differ = _replay_batch(group, form)
        steps, wrong = steps + more, wrong + differ
    return steps, wrong


def asked_of(numbers: np.ndarray, player: int) -> np.ndarray:
    """Who is asked, and what is legal if that is the player: of the numbers of `canonical`."""
    ends = dict(zip(SIZES, itertools.accumulate(SIZES.values()), strict=True))
    actor, legal = (numbers[ends[name] - SIZES[name] : ends[name]] for name in ("actor", "legal"))
    return np.concatenate([actor, legal * (actor == player)])


def _replay_batch(group: list[tuple[Fork, int]], form: Form) -> tuple[int, list[str]]:
    places = [(fork, i, fork.main if i == 0 else fork.twins[i - 1]) for fork, i in group]
    numbers = {id(fork): number for number, fork in enumerate({id(f): f for f, _ in group}.values())}
    forks_here = list({id(fork): fork for fork, _ in group}.values())
    decks = [Deck(tuple(f.position.cards[20 * side : 20 * side + 20]), 1) for f in forks_here for side in (0, 1)]
    packed = [CODEC.pack(imported(f.position, (2 * numbers[id(f)], 2 * numbers[id(f)] + 1))) for f, _, _ in places]
    packed += [packed[0]] * (BATCH - len(packed))
    batch = Batch(decks, tuple(np.array(column, np.uint32) for column in zip(*packed, strict=True)), form)
    keys, two = np.zeros((2, BATCH), np.uint32), np.zeros((BATCH, 2), np.int32)
    wrong: list[str] = []
    for number in range(-1, max(len(branch.actions) for *_, branch in places)):
        what, actions = np.full((BATCH,), LOOK, np.int32), np.zeros((BATCH,), np.int32)
        for place, (*_, branch) in enumerate(places) if number >= 0 else ():
            if number < len(branch.actions):
                what[place], actions[place] = ANSWER, branch.actions[number]
        batch.begin(what, actions, keys, two)
        numbers_of_all, views, _ = batch.finish()
        main = 0
        for place, (fork, i, branch) in enumerate(places):
            main = place if i == 0 else main
            if i and fork.begins < number + 1 <= branch.same_until:
                for leaf, values in views[fork.viewer].items():
                    if not np.array_equal(values[main], values[place]):
                        where = np.flatnonzero(values[main] != values[place])[:4].tolist()
                        wrong.append(f"{leaf}{where} after {number + 1} actions")
                ours, theirs = (asked_of(numbers_of_all[at], fork.viewer) for at in (main, place))
                if not np.array_equal(ours, theirs):
                    wrong.append(f"legal actions after {number + 1} actions")
    return sum(count for fork in forks_here for *_, count in fork.pairs()), wrong


def compare_pairs(positions: int, seed: int, form: Form = "xla", least: int = 0) -> Findings:
    """Pairs of games in both engines.

    Args:
        positions: how many.
        seed: of the first.
        form: of the program that plays ours.
        least: of how many pairs at least each micro-op that a card has must be part.
    """
    reference, pairs, found = locate.reference("tcg_engine"), Pairs(), Findings()
    steps, wrong, chunk = 0, list[str](), 500
    for begin in range(seed, seed + positions, chunk):
        played = list(forks(reference, range(begin, min(begin + chunk, seed + positions)), pairs))
        more, differ = replay(played, form)
        steps, wrong = steps + more, wrong + differ
        print(
            f"{pairs.pairs} pairs, {pairs.steps} and {steps} steps, {len(pairs.wrong)} and {len(wrong)} differ",
            flush=True,
        )
    counts = {"pairs": pairs.pairs, "knowing": pairs.knowing, "told apart": pairs.told_apart}
    for name, compared, differ in (("tcg_engine", pairs.steps, pairs.wrong), ("tcgjax", steps, wrong)):
        found.comparisons[name] = {**counts, "steps": compared, "mismatches": len(differ), "first": differ[:3]}
    found.measured = {"by choice": dict(sorted(pairs.by_choice.items())), "by op": dict(sorted(pairs.by_op.items()))}
    found.problems = [
        f"{op.name}: in {pairs.by_op[op.name]} pairs, fewer than {least}"
        for op in MOVES
        if pairs.by_op[op.name] < least
    ]
    return found
