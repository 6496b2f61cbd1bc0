"""The commands ``train`` and ``transfer`` of a package with a declaration (`rlenv_shared.verification.commands`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from rlenv_learn import Policy, PPOConfig, cli, evaluate, evaluate_host, train, train_host, train_many
from rlenv_learn.trainer import Curriculum
from rlenv_learn.transfer.experiment import Backend, host_backend, make_runs, native_backend, run_transfer
from rlenv_learn.transfer.verdict import TransferConfig
from rlenv_shared.command_line import Parser
from rlenv_shared.errors import InvalidParamsError
from rlenv_shared.machine import describe
from rlenv_shared.verification.declaration import Declaration, Implementation, resolve

EPISODES, EVALUATION_SEED = 100, 1_000_000


@dataclasses.dataclass(frozen=True)
class Options(cli.TrainOptions):
    """What ``train`` can be told."""

    implementation: str = ""
    """Where to train: a name of the declaration."""
    seeds: tuple[int, ...] = ()
    """Train these side by side, in one program; run_dir gets seed-N/policy.npz of each, and no checkpoints."""


def train_command(declaration: Declaration, argv: Sequence[str]) -> int:
    """Train PPO, then play new episodes; exit status."""
    names = list(declaration.implementations)

    def learn(options: Options) -> Policy | None:
        if options.implementation not in names:
            got, expected = options.implementation, f"one of {names}"
            raise InvalidParamsError("implementation", got, expected, "choose one")
        chosen = declaration.implementations[options.implementation]
        make = resolve(chosen.make)
        curriculum = None if chosen.curriculum is None else resolve(chosen.curriculum)()
        if options.seeds:
            _side_by_side(chosen, options, curriculum)
            return None
        if chosen.host:
            policy = train_host(make(options.ppo.num_envs), options.ppo, **options.run(make)).policy
            returns = evaluate_host(policy, make(EPISODES), seed=EVALUATION_SEED).returns
        else:
            policy = train(make(), options.ppo, curriculum=curriculum, **options.run()).policy
            returns = evaluate(policy, make(), episodes=EPISODES, seed=EVALUATION_SEED).returns
        print(f"mean return {returns.mean():.1f} over {EPISODES} new episodes (lowest {returns.min():.1f})")
        return policy

    default = Options(PPOConfig(**next(iter(declaration.hyperparameters.values()))), implementation=names[0])
    return cli.main(default, learn, f"Train PPO; implementations: {', '.join(names)}.", argv)


def _side_by_side(chosen: Implementation, options: Options, curriculum: Curriculum | None) -> None:
    """A policy of each seed, evaluated and saved."""
    if chosen.host or options.resume or options.evaluate_every:
        got = "a host's environments" if chosen.host else "--resume" if options.resume else "--evaluate-every"
        raise InvalidParamsError("--seeds", got, "environments in JAX, from begin to end", "train one seed at a time")
    env = resolve(chosen.make)()
    found = train_many(env, options.ppo, options.seeds, curriculum=curriculum)
    for number, seed in enumerate(found.seeds):
        policy = found.policy(number)
        returns = evaluate(policy, env, episodes=EPISODES, seed=EVALUATION_SEED).returns
        print(
            f"seed {seed}: mean return {returns.mean():.3f} over {EPISODES} new episodes (lowest {returns.min():.1f})"
        )
        if options.run_dir is not None:
            path = options.run_dir / f"seed-{seed}" / "policy.npz"
            path.parent.mkdir(parents=True, exist_ok=True)
            policy.save(path)
            print(f"policy: {path}")


def transfer_command(declaration: Declaration, argv: Sequence[str]) -> int:
    """Run L4 as the declaration lays it down; 0 if both directions of each experiment learned and are equivalent.

    A run that was killed continues with what is finished.
    """
    if not declaration.transfers:
        raise InvalidParamsError(f"{declaration.package} declares no transfer experiment")
    names = [declared.name for declared in declaration.transfers]
    parser = Parser(prog=f"{declaration.package} transfer", description="Train here and there (L4).")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all when left out")
    parser.add_argument("--results", type=Path, default=declaration.results, help="folder of the results")
    parser.add_argument("--cache", type=Path, default=Path(".cache") / "l4" / declaration.package)
    parser.add_argument(
        "--seeds", type=int, nargs="+", help="make these training seeds' runs for the cache, and no results"
    )
    options = parser.parse_args(argv)
    good = True
    for asked in [declaration.transfer(name) for name in options.names or names]:
        config = TransferConfig.load(asked.config)
        ppo = PPOConfig(**declaration.hyperparameters[asked.hyperparameters])
        backends = {name: _backend(declaration.implementations[name], ppo) for name in config.backends}
        if options.seeds:
            make_runs(config, backends, options.seeds, cache=options.cache)
            continue
        path = options.results / f"{asked.name}.json"
        outcome = run_transfer(config, backends, results=path, cache=options.cache, machine=describe())
        print(outcome)
        good = outcome.ok and good
    return 0 if good else 1


def _backend(implementation: Implementation, ppo: PPOConfig) -> Backend:
    make = resolve(implementation.make)
    return host_backend(make, ppo) if implementation.host else native_backend(make(), ppo)
