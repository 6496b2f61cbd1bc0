"""The command line of training scripts: every field of :class:`PPOConfig` is an option, ``--config`` reads TOML."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import tyro

from rlenv_shared.ppo.config import PPOConfig


def parse(argv: Sequence[str] | None = None, default: PPOConfig | None = None) -> PPOConfig:
    """Read a configuration: defaults, overridden by the TOML file, overridden by the other options.

    Args:
        argv: arguments without the program's name; those of the process when None.
        default: values where neither file nor options say anything.

    Raises:
        InvalidParamsError: a bad file or value.
        SystemExit: an unknown option, or ``--help``.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--config")
    known, rest = first.parse_known_args(arguments)
    default = default or PPOConfig()
    if known.config is not None:
        default = PPOConfig.from_toml(known.config, base=default)
    return tyro.cli(PPOConfig, args=rest, default=default, description="PPO; --config FILE reads TOML first.")
