"""Kills a run of an example with -9 at random moments and compares it with one that was left alone.

``python killed.py PROJECT NAME KILLS [SEED] [OPTIONS…]``: PROJECT is a repository as `prepare.py` makes it, in
which a run NAME has ended.  Another one, NAME-killed, is started, killed KILLS times and resumed until it ends.  Both
must have the same tree and the same journal but for times.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from env_recipe.journal import read, without_times


def journal(project: Path, name: str) -> Path:
    """The journal of a run."""
    return project / ".recipe" / name / "journal.jsonl"


def killed(project: Path, name: str, kills: int, seed: int, options: list[str], longest: float) -> int:
    """Run with kills; returns how many hit a run that was still going on."""
    generator = random.Random(seed)
    command = [sys.executable, "-m", "env_recipe.cli"]
    done = 0
    while True:
        begun = journal(project, name).exists()
        arguments = ["resume", "--name", name] if begun else ["run", "--name", name, *options]
        process = subprocess.Popen(
            [*command, *arguments], cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        try:
            if done < kills:
                time.sleep(generator.uniform(0.3, longest))
                process.send_signal(signal.SIGKILL)
                if process.wait() == -signal.SIGKILL:
                    done += 1
                    continue
            status = process.wait()
        finally:
            _, said = process.communicate()
        if status == 2 and b"killed before it began" in said:
            continue
        if status not in (0, 1):
            raise SystemExit(f"exit status {status}: {said.decode()}")
        return done


def main() -> None:
    """See the module's docstring."""
    project, name, kills, *rest = sys.argv[1:]
    seed, *options = rest or ["0"]
    alone = read(journal(Path(project), name))
    start, end = (
        time.mktime(time.strptime(event["time"][:19], "%Y-%m-%dT%H:%M:%S")) for event in (alone[0], alone[-1])
    )
    longest = max(2.0, 2 * (end - start) / int(kills))
    hit = killed(Path(project), f"{name}-killed", int(kills), int(seed), options, longest)
    again = read(journal(Path(project), f"{name}-killed"))
    assert without_times(alone) == without_times(again), "the journals differ"
    assert alone[-1].get("tree") == again[-1].get("tree")
    print(f"killed {hit} times: the same tree and the same journal of {len(again)} events, but for times")


if __name__ == "__main__":
    main()
