"""Whoever edits: a coding agent's command line, a person, or recorded patches."""

from __future__ import annotations

import dataclasses
import re
import shutil
import tomllib
from collections.abc import Collection, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from env_recipe import process, usage
from env_recipe.manifest import Agent, Limits
from env_recipe.repository import Repository
from rlenv_shared.errors import InvalidParamsError, StorageError

SHIPPED: Final[Mapping[str, Mapping[str, Any]]] = tomllib.loads(
    resources.files("env_recipe").joinpath("agents.toml").read_text()
)
"""Settings of agents that are known by name."""
PROMPT_FILE: Final = ".recipe-prompt.md"
"""The prompt, in the agent's work tree; it is taken away before the edit is looked at."""
PLACEHOLDER: Final = re.compile(r"\{(?:prompt_file|prompt|worktree|output|model)\}")


@dataclasses.dataclass(frozen=True)
class Settings:
    """An agent ready to be called."""

    kind: str
    command: tuple[str, ...]
    stdin: str
    parser: str
    environment: tuple[str, ...]
    directory: Path | None
    model: str | None
    prices: Mapping[str, Mapping[str, float]]

    @property
    def tells_money(self) -> bool:
        """Money can be counted: the agent tells it, or tells tokens and a price is known."""
        return self.parser in ("claude-code", "mini-swe-agent") or (
            self.parser in ("codex", "gemini") and bool(self.prices)
        )


@dataclasses.dataclass(frozen=True)
class Reply:
    """What became of a call."""

    how: str  # ``exit status 0``, ``time limit of 30 s``, …
    ok: bool
    output: str  # as the journal keeps it
    usage: usage.Usage
    problem: str = ""  # an output that could not be read, or what the program complained about
    seconds: float = 0.0


def settings(agent: Agent, root: Path, limits: Limits) -> Settings:
    """The settings of an agent, checked.

    Raises:
        InvalidParamsError: an unknown kind or parser, a program or folder that is not there, a limit on money for an
            agent that does not tell any.
    """
    known = ("human", "replay", "command", *SHIPPED)
    if agent.kind not in known:
        raise InvalidParamsError("agent.kind", repr(agent.kind), f"one of {list(known)}", "correct the manifest")
    shipped = SHIPPED.get(agent.kind, {})
    command = tuple(agent.command or shipped.get("command", ()))
    if agent.model and not agent.command:
        command += tuple(shipped.get("with_model", ()))
    parser = agent.output if agent.output != "none" else shipped.get("output", "none")
    if parser not in usage.PARSERS:
        raise InvalidParamsError("agent.output", repr(parser), f"one of {list(usage.PARSERS)}", "correct the manifest")
    if command and shutil.which(command[0]) is None:
        remedy = f"install {agent.kind}, or name another agent in the manifest"
        raise InvalidParamsError("agent.command", f"no program {command[0]!r}", "one on the PATH", remedy)
    directory = None if agent.directory is None else (root / agent.directory).resolve()
    if agent.kind == "replay" and not (directory and directory.is_dir()):
        raise InvalidParamsError("agent.directory", directory, "a folder of patches", "correct the manifest")
    environment = tuple(agent.environment) or tuple(shipped.get("environment", ()))
    stdin = shipped.get("stdin", "") if not agent.command else ""
    found = Settings(agent.kind, command, stdin, parser, environment, directory, agent.model, agent.prices)
    if limits.money is not None and not found.tells_money:
        remedy = "add agent.prices, or limit tokens or hours instead"
        raise InvalidParamsError("limits.money", limits.money, "an agent whose cost can be known", remedy)
    return found


def call(
    agent: Settings,
    prompt: str,
    *,
    worktree: Path,
    scratch: Path,
    asked: str,
    used: Collection[str],
    limits: Limits,
    repository: Repository,
) -> Reply:
    """Let an agent edit a work tree.

    Args:
        agent: which one; not ``human``, for whom the run waits.
        prompt: what it is asked.
        worktree: where it works.
        scratch: folder for its output, outside the work tree.
        asked: ``translate-<module>``, or empty for anything else; by this recorded patches are chosen.
        used: names of recorded patches that have been applied.
        limits: time and output.
        repository: of the work tree.
    """
    if agent.kind == "replay":
        return _replay(agent, worktree, asked, used, repository)
    prompt_file = worktree / PROMPT_FILE
    prompt_file.write_text(prompt)
    output = scratch / "output.json"
    output.unlink(missing_ok=True)
    values = {
        "{prompt_file}": str(prompt_file), "{prompt}": prompt, "{worktree}": str(worktree), "{output}": str(output),
        "{model}": agent.model or "",
    }  # fmt: skip
    ended = process.run(
        [_filled(word, values) for word in agent.command],
        cwd=worktree,
        env=process.environment(agent.environment),
        timeout_s=limits.agent_timeout_s,
        output_bytes=limits.output_bytes,
        scratch=scratch,
        stdin=_filled(agent.stdin, values),
    )
    prompt_file.unlink(missing_ok=True)
    said = (output.read_bytes()[: limits.output_bytes] if output.is_file() else ended.out).decode(errors="replace")
    problem = process.clipped(ended.err) if not ended.ok else ""
    try:
        found = usage.priced(usage.PARSERS[agent.parser](said), agent.model, agent.prices)
    except usage.UnknownOutputError as error:
        found, problem = usage.Usage(), f"{error}\n{problem}".strip()
        if ended.ok:
            return Reply(
                "output of an unknown format", False, process.clipped(ended.out), found, problem, ended.seconds
            )
    ok = ended.ok and not found.failed
    how = f"{ended.how}: {found.failed}" if found.failed else ended.how
    return Reply(how, ok, process.clipped(ended.out), found, problem, ended.seconds)


def _filled(word: str, values: Mapping[str, str]) -> str:
    """A word with its placeholders filled in, in one pass: a prompt may have braces of its own."""
    return PLACEHOLDER.sub(lambda match: values[match[0]], word)


def patches(directory: Path) -> list[Path]:
    """Recorded patches, in the order of their names."""
    return sorted(directory.glob("*.patch"))


def next_patch(directory: Path, asked: str, used: Collection[str]) -> Path | None:
    """The recorded answer to a prompt: the first that was not used.

    A name with ``translate`` in it answers the prompt to translate that module, ``0003-translate-ends.patch``, and no
    other; any other name answers whatever else is asked.
    """
    for patch in patches(directory):
        about = patch.stem.partition("-")[2]
        if patch.name not in used and (about == asked if about.startswith("translate-") else asked == ""):
            return patch
    return None


def _replay(agent: Settings, worktree: Path, asked: str, used: Collection[str], repository: Repository) -> Reply:
    assert agent.directory is not None
    patch = next_patch(agent.directory, asked, used)
    if patch is None:
        return Reply(
            "no patch left", False, "", usage.Usage(), f"no recorded patch answers {asked or 'a repair'} any more"
        )
    try:
        repository.git("apply", "--whitespace=nowarn", "-", cwd=worktree, stdin=patch.read_bytes())
    except StorageError as error:
        return Reply("the patch does not apply", False, patch.name, usage.Usage(answer=patch.name), str(error))
    return Reply("exit status 0", True, f"applied {patch.name}", usage.Usage(answer=patch.name))
