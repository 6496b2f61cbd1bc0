"""One seat of a game for two as Gymnasium environments: `SeatEnv` and `SeatVectorEnv`; an opponent has the other seat.

The game's program holds both seats (:mod:`rlenv_shared.both_seats`), and this adapter calls it until the player is
asked.  So an opponent is any function on the host: a trained network of any library, or a named one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final

import gymnasium
import jax
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from rlenv_shared import compiling, counter_rng
from rlenv_shared.adapters.gymnasium import vector_arguments
from rlenv_shared.adapters.host import ActionValidator, ResetNeededError, Seeds, observation_of, start_of_process
from rlenv_shared.both_seats import BEGIN, HOLD, RESTART, STEP, BothSeats, Command
from rlenv_shared.errors import EnvError, IllegalActionError, InvalidParamsError
from rlenv_shared.one_seat import Script

Player = Callable[[Any, np.ndarray], Any]
"""``(observations, masks bool [n, A]) -> actions [n]`` of the opponents in n games; leaves ``[n, …]``."""
RANDOM: Final = "random"
ALTERNATE, DRAWN = "alternate", "random"
SEATS: Final = (ALTERNATE, DRAWN, 0, 1)
ILLEGAL: Final = ("replace", "error")
LEAST_ROWS: Final = 16
"""Games of a program at least: it costs as much as for one, and one program serves small vectors and single games."""
HOST: Final = np.uint32(0x5EA7)
"""What tells the key of the host's own draws from that of the game's."""
MOST_CALLS: Final = 100_000  # between two decisions of a player


def drawn_legal(words: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Uniform legal actions int32 ``[n]`` of random uint32 ``[n]`` and masks bool ``[n, A]``."""
    counts = masks.cumsum(axis=1)
    ranks = (words.astype(np.uint64) * counts[:, -1].astype(np.uint64)) >> np.uint64(32)
    return (counts > ranks[:, None].astype(counts.dtype)).argmax(axis=1).astype(np.int32)


class Games:
    """Both seats of many games, stepped until the players are asked; the state of the two environments below.

    Args:
        make: ``(script, foe_sees) -> `` a `BothSeats` of the game, in whatever form of its steps.
        num_envs: games.
        params: of the game; the defaults when None.
        opponent: a name of ``opponents``, ``"random"``, or a `Player`.
        seat: 0, 1, ``"alternate"`` or ``"random"``.
        opponents: scripts by name.

    Raises:
        InvalidParamsError: no such opponent or seat.
    """

    def __init__(
        self, make: Callable[..., Any], num_envs: int, params: Any, opponent: str | Player, seat: str | int,
        opponents: Mapping[str, Script],
    ) -> None:  # fmt: skip
        start_of_process()
        named = {RANDOM: None, **opponents}
        if not callable(opponent) and opponent not in named:
            remedy = "name one, or pass a function (observations, masks) -> actions"
            raise InvalidParamsError("opponent", repr(opponent), f"one of {sorted(named)}, or a function", remedy)
        if isinstance(seat, bool) or seat not in SEATS:
            raise InvalidParamsError("seat", repr(seat), f"one of {list(SEATS)}", "choose one")
        self.player: Player | None = opponent if callable(opponent) else None
        self.seat, self.count, self.rows = seat, num_envs, max(num_envs, LEAST_ROWS)
        self.env = make(None if callable(opponent) else named[opponent], self.player is not None)
        self.params = self.env.default_params if params is None else params
        self.state: Any = None
        self.seats = np.zeros(self.rows, np.int32)
        self._forget_programs()

    # Compiled programs stay in their process; everything else is plain arrays.
    def __getstate__(self) -> dict[str, Any]:
        kept = {name: value for name, value in self.__dict__.items() if name not in ("_play", "_arrays")}
        return {**kept, "state": jax.tree.map(np.asarray, self.state)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        start_of_process()
        self._forget_programs()

    def _forget_programs(self) -> None:
        constants, self._arrays = compiling.constants(self.params)
        self._play = _program(self.env, constants)

    def begin(self, words: np.ndarray, streams: np.ndarray) -> None:
        """New games of seed words uint32 ``[count, 2]``, of these numbers of streams ``[count]``, until asked."""
        self.seeds = np.resize(words, (self.rows, 2)).astype(np.uint32)
        # The host's own draws come from the same words, with a key that no game's generator has.
        key0, key1, counter = counter_rng.from_words(self.seeds[:, 0], self.seeds[:, 1])
        self.random = key0, key1 ^ HOST, np.zeros_like(counter)
        self.games = np.resize(streams, self.rows).astype(np.int64)
        if self.state is None:
            state = jax.eval_shape(self.env.init, (np.uint32(0), np.uint32(0)), self.params)
            self.state = jax.tree.map(lambda leaf: np.zeros((self.rows, *leaf.shape), leaf.dtype), state)
        self.over, self.reward = np.zeros(self.rows, np.bool_), np.zeros(self.rows, np.float32)
        self.ends = np.zeros((2, self.rows), np.bool_)  # terminated and truncated since the players' last decisions
        self._until_asked(np.full(self.rows, BEGIN, np.int32))

    def step(self, actions: np.ndarray, restarts: bool) -> dict[str, Any]:
        """The players' decisions int32 ``[count]``, and the games up to the next ones.

        Games that are over begin anew, whatever the action.  ``restarts``: so do those that this step ends.  Returns
        ``reward`` float32, ``terminated``, ``truncated``, bool, and where games begin anew after an end
        ``final_obs``, the observations at ends.
        """
        modes = np.where(self.over, RESTART, STEP).astype(np.int32)
        modes[self.count :] = HOLD
        self.reward = np.zeros(self.rows, np.float32)
        self.ends = np.zeros((2, self.rows), np.bool_)
        self._until_asked(modes, np.resize(actions, self.rows))
        last = {}
        if restarts and self.over.any():
            last = {"final_obs": self.observations}
            self._until_asked(np.where(self.over, RESTART, HOLD).astype(np.int32))
        terminated, truncated = self.ends[:, : self.count]
        return {
            "reward": self.reward[: self.count].copy(),
            "terminated": terminated.copy(),
            "truncated": truncated.copy(),
            **last,
        }

    @property
    def observations(self) -> Any:
        """What the players see, leaves ``[count, …]``, arrays that the caller owns."""
        return self.first_rows(self.told["obs"])

    @property
    def masks(self) -> np.ndarray:
        """The players' legal actions, bool ``[count, A]``."""
        return self.told["mask"][np.arange(self.count), self.seats[: self.count]]

    def first_rows(self, tree: Any) -> Any:
        """Copies of the rows of the environments."""
        return jax.tree.map(lambda leaf: np.array(leaf[: self.count]), tree)

    def _until_asked(self, modes: np.ndarray, actions: np.ndarray | None = None) -> None:
        """Call the program, at first in these modes, until all players are asked or their games are over.

        A game that ends before its player was asked at all is followed by the next one.
        """
        opening, at = modes >= RESTART, np.arange(self.rows)
        for _ in range(MOST_CALLS):
            if not modes.any():
                return
            choices = self._choices(modes == STEP, actions)
            self._take_seats(modes >= RESTART)
            words = self._words(modes != HOLD)
            self.state, told = self._play(
                self.state, Command(modes, choices, self.seeds, self.seats, words), self._arrays
            )
            self.told = jax.tree.map(np.asarray, told)
            moved = modes != HOLD
            ended = np.stack([self.told["terminated"], self.told["truncated"]]) & moved
            counts = moved & ~opening
            self.reward = self.reward + np.where(counts, self.told["reward"][at, self.seats], np.float32(0))
            self.over = np.where(opening, False, self.over) | (ended.any(axis=0) & ~opening)
            self.ends |= ended & ~opening
            asked, again = self.told["asked"][at, self.seats], ended.any(axis=0) & opening
            opening &= again | ~asked
            going = moved & (again | ~(asked | self.over))
            modes, actions = np.where(again, RESTART, np.where(going, STEP, HOLD)).astype(np.int32), None
        raise EnvError("a game", f"no decision in {MOST_CALLS} calls", "one for the player", "report it")

    def _choices(self, moving: np.ndarray, actions: np.ndarray | None) -> np.ndarray:
        """What both players choose, int32 ``[rows, 2]``; the first legal action stands in for who is not asked."""
        if not moving.any():
            return np.zeros((self.rows, 2), np.int32)
        at, foes = np.arange(self.rows), 1 - self.seats
        choices = self.told["mask"].argmax(axis=2).astype(np.int32)
        if actions is not None:
            choices[at, self.seats] = np.where(moving, actions, choices[at, self.seats])
        replies = moving & self.told["asked"][at, foes]
        if replies.any():
            choices[replies, foes[replies]] = self._replies(replies)
        return choices

    def _replies(self, rows: np.ndarray) -> np.ndarray:
        """What the opponents choose in these games, legal."""
        masks = self.told["mask"][rows, 1 - self.seats[rows]]
        at = np.arange(len(masks))
        if self.player is not None:
            seen = jax.tree.map(lambda leaf: leaf[rows], self.told["foe_obs"])
            got = np.asarray(self.player(seen, masks))
            fits = got.shape == at.shape and got.dtype.kind in "iu"
            if not (fits and ((got >= 0) & (got < masks.shape[1])).all() and masks[at, got].all()):
                expected = f"legal actions, integers of shape {at.shape}"
                raise IllegalActionError("the opponent's actions", got, expected, "choose by the masks it is given")
            return got.astype(np.int32)
        if "reply" in self.told:
            found = self.told["reply"][rows]
            return np.where(masks[at, found], found, masks.argmax(axis=1)).astype(np.int32)
        return drawn_legal(self._words(rows)[rows], masks)

    def _words(self, rows: np.ndarray) -> np.ndarray:
        """Random bits of these games, uint32 ``[rows]``; nobody else's generator moves."""
        words, (key0, key1, counter) = counter_rng.bits(self.random)
        self.random = key0, key1, np.where(rows, counter, self.random[2])
        return words

    def _take_seats(self, begins: np.ndarray) -> None:
        """Seats for games that begin."""
        if not begins.any():
            return
        seats: Any
        if self.seat == ALTERNATE:
            seats = self.games % 2
        elif self.seat == DRAWN:
            seats = self._words(begins) >> np.uint32(31)
        else:
            seats = np.full(self.rows, self.seat)
        self.seats = np.where(begins, seats, self.seats).astype(np.int32)
        self.games = self.games + begins


@compiling.kept
def _program(env: BothSeats, constants: compiling.Constants) -> Any:
    """Compiled ``(state, command, arrays of the parameters) -> (state, told)`` of a batch."""

    def play(state: Any, command: Command, arrays: Any) -> Any:
        return env.step(None, state, command, constants.fill(arrays))

    return compiling.on_host(play, env, (0, 0, None))


class _Seat:
    """What one environment and many have in common."""

    metadata: dict[str, Any]
    render_mode: str | None

    def _prepare(
        self, make: Callable[..., Any], count: int, params: Any, seed: int | None, render_mode: str | None,
        opponent: str | Player, seat: str | int, illegal_actions: str, opponents: Mapping[str, Script],
    ) -> None:  # fmt: skip
        if illegal_actions not in ILLEGAL:
            raise InvalidParamsError("illegal_actions", repr(illegal_actions), f"one of {list(ILLEGAL)}", "choose one")
        if render_mode is not None:
            remedy = "watch a game by the package's command line"
            raise InvalidParamsError("render_mode", repr(render_mode), "None", remedy)
        self._games = Games(make, count, params, opponent, seat, opponents)
        self.env, self.params, self.render_mode = self._games.env, self._games.params, None
        self.illegal_actions, self._seeds, self._begun = illegal_actions, Seeds(), False
        if seed is not None:
            self._seeds.start(seed)
        self.metadata = {"render_modes": []}

    def _spaces(self) -> tuple[gymnasium.Space, gymnasium.Space]:
        """``(action space, observation space)`` of one player."""
        return (
            self.env.action_space(self.params).to_gymnasium(), self.env.observation_space(self.params).to_gymnasium()
        )  # fmt: skip

    @staticmethod
    def _check_options(options: dict[str, Any] | None) -> None:
        if options:
            raise InvalidParamsError("reset options", options, "none", "configure the environment's parameters")

    def _begin(self, seed: Any, entropy: np.random.Generator | None) -> None:
        """Games of the next streams of a seed."""
        self._seeds.begin(seed, entropy)
        first = self._seeds.used
        self._games.begin(self._seeds.words(self._games.count), first + np.arange(self._games.count))
        self._begun = True

    def _accepted(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Actions ``[N]`` as they are played, and which were illegal, bool ``[N]``."""
        masks = self._games.masks
        illegal = ~masks[np.arange(len(masks)), actions] & ~self._games.over[: len(masks)]
        if illegal.any() and self.illegal_actions == "error":
            raise IllegalActionError("action", actions[illegal], "a legal action", "choose by info['action_mask']")
        return np.where(illegal, masks.argmax(axis=1), actions).astype(np.int32), illegal

    def _require(self, what: str, running: bool) -> None:
        if not running:
            raise ResetNeededError(what, "no running episode", "a reset environment", "call reset() first")


class SeatEnv(_Seat, gymnasium.Env):
    """One seat of a game for two against an opponent.

    ``info`` has ``action_mask``, int8 ``[A]``, and after a step ``illegal_action``, bool: an illegal action becomes the
    first legal one, unless ``illegal_actions="error"`` refuses it.  The reward is the seat's own, of everything up to
    the player's next decision.

    Args:
        make: as of `Games`.
        params: of the game; the defaults when None.
        opponent: ``"random"``, a name of ``opponents``, or a function ``(observations, masks) -> actions`` of ``[n]``
            games at once; it must be picklable where the environment is pickled.
        seat: 0 or 1; ``"alternate"``: each in turn; ``"random"``: drawn for every game.
        illegal_actions: ``"replace"`` or ``"error"``.
        seed: what the first ``reset()`` without a seed uses; fresh entropy when None.
        render_mode: None.
        opponents: scripts by name.

    Raises:
        InvalidParamsError: a value that is none of those.
    """

    def __init__(
        self, make: Callable[..., Any], params: Any = None, *, opponent: str | Player = RANDOM,
        seat: str | int = ALTERNATE, illegal_actions: str = "replace", seed: int | None = None,
        render_mode: str | None = None, opponents: Mapping[str, Script] | None = None,
    ) -> None:  # fmt: skip
        self._prepare(make, 1, params, seed, render_mode, opponent, seat, illegal_actions, opponents or {})
        self.action_space, self.observation_space = self._spaces()
        self._validate = ActionValidator(self.env.action_space(self.params), ())

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """``(observation, info)`` of a new game, at the player's first decision."""
        self._check_options(options)
        self._begin(seed, None if seed is not None else self.np_random)
        gymnasium.Env.reset(self, seed=None if seed is None else int(seed))
        return self._row(self._games.observations), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """``(observation, reward, terminated, truncated, info)`` at the player's next decision, or the game's end.

        Raises IllegalActionError: wrong shape or dtype, out of range, or illegal and so refused; ResetNeededError: the
        game is over.
        """
        self._require("step", self._begun and not self._games.over[0])
        played, illegal = self._accepted(np.asarray(self._validate(action, None))[None])
        made = self._games.step(played, restarts=False)
        terminated, truncated = bool(made["terminated"][0]), bool(made["truncated"][0])
        info = {"illegal_action": bool(illegal[0]), **self._info()}
        return self._row(self._games.observations), float(made["reward"][0]), terminated, truncated, info

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._games.masks[0].astype(np.int8)}

    def _row(self, tree: Any) -> Any:
        return observation_of(self.observation_space, jax.tree.map(lambda leaf: leaf[0], tree))


class SeatVectorEnv(_Seat, gymnasium.vector.VectorEnv):
    """One seat of each of many games; arguments and errors are those of `SeatEnv`, modes those of `GymVectorEnv`.

    Environment ``i`` plays the games that a `SeatEnv` of stream ``i`` plays.
    """

    def __init__(
        self, make: Callable[..., Any], num_envs: int, params: Any = None, *, opponent: str | Player = RANDOM,
        seat: str | int = ALTERNATE, illegal_actions: str = "replace", seed: int | None = None,
        render_mode: str | None = None, autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        opponents: Mapping[str, Script] | None = None,
    ) -> None:  # fmt: skip
        self.num_envs, self.autoreset_mode = vector_arguments(num_envs, autoreset_mode)
        self._prepare(make, self.num_envs, params, seed, render_mode, opponent, seat, illegal_actions, opponents or {})
        self.metadata |= {"autoreset_mode": self.autoreset_mode}
        self.single_action_space, self.single_observation_space = self._spaces()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._validate = ActionValidator(self.env.action_space(self.params), (self.num_envs,))

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """``(observations, info)`` of new games; ``seed`` is one for all, one for each, or None to go on."""
        self._check_options(options)
        if isinstance(seed, list | tuple | np.ndarray):
            words = self._seeds.words_of_each(seed, self.num_envs)
            self._games.begin(words, np.zeros(self.num_envs, np.int64))
            self._begun = True
        else:
            self._begin(seed, None if seed is not None else self.np_random)
            if seed is not None:
                gymnasium.vector.VectorEnv.reset(self, seed=int(seed))
        return self._games.observations, self._info()

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """``(observations, rewards float32 [N], terminated bool [N], truncated bool [N], info)``.

        Raises IllegalActionError: wrong shape or dtype, out of range, or illegal and so refused, before any game has
        moved; ResetNeededError: `reset` was never called.
        """
        self._require("step", self._begun)
        played, illegal = self._accepted(self._validate(actions, None))
        over = self._games.over[: self.num_envs].copy()
        made = self._games.step(played, restarts=self.autoreset_mode is AutoresetMode.SAME_STEP)
        done = made["terminated"] | made["truncated"]
        own: dict[str, Any] = {"illegal_action": illegal, "_illegal_action": ~over}
        info = {**own, **self._info()}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and done.any():
            own["_illegal_action"] = done.copy()
            info["_illegal_action"] = ~done
            info |= {"final_obs": made["final_obs"], "_final_obs": done.copy()}
            info |= {"final_info": own, "_final_info": done.copy()}
        return self._games.observations, made["reward"], made["terminated"], made["truncated"], info

    def _info(self) -> dict[str, np.ndarray]:
        return {
            "action_mask": self._games.masks.astype(np.int8), "_action_mask": np.ones(self.num_envs, np.bool_)
        }  # fmt: skip


def seat_entry_points(both: Callable[..., Any], opponents: Mapping[str, Script]) -> dict[str, Any]:
    """Arguments of `gymnasium.register` for a game, single and vector; picklable if ``both`` and the scripts are.

    ``both`` makes a `BothSeats` of ``(script, foe_sees, **options)``, the options those keyword arguments of
    `gymnasium.make` that the adapters do not take.
    """
    return {
        "entry_point": functools.partial(_single, both, opponents),
        "vector_entry_point": functools.partial(_vector, both, opponents),
    }


TAKEN: Final = ("params", "opponent", "seat", "illegal_actions", "render_mode", "autoreset_mode")


def _split(both: Callable[..., Any], given: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    """``(maker of the game, arguments of the adapter)``."""
    options = {name: value for name, value in given.items() if name not in TAKEN}
    return functools.partial(both, **options), {name: value for name, value in given.items() if name in TAKEN}


def _single(both: Callable[..., Any], opponents: Mapping[str, Script], **given: Any) -> SeatEnv:
    make, own = _split(both, given)
    return SeatEnv(make, opponents=opponents, **own)


def _vector(both: Callable[..., Any], opponents: Mapping[str, Script], *, num_envs: int, **given: Any) -> SeatVectorEnv:
    make, own = _split(both, given)
    return SeatVectorEnv(make, num_envs, opponents=opponents, **own)
