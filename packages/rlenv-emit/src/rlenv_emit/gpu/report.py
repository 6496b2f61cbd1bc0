"""What a kernel would do on a GPU that is not there: ``python -m rlenv_emit.gpu.report --out FILE``.

Each environment is compiled three times: with every gate a branch, with every gate masked, and with those gates as
branches that pay for the 32 lanes of a warp.  How often a warp runs each block of the text is counted where the same
text is played by this machine; the calibrated model of `rlenv_bench.gpu` turns instructions and bytes into steps per
second, beside those of XLA's form from the committed reports.  No number here was measured on a GPU.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from rlenv_bench.gpu import compilation
from rlenv_bench.gpu.model import CALIBRATED, FAST, RAW, SLOW, seconds
from rlenv_bench.gpu.target import Target
from rlenv_emit import gates, ir
from rlenv_emit.env import environment
from rlenv_emit.gpu import compiler, machine
from rlenv_emit.gpu.host import WARP, HostKernel
from rlenv_emit.gpu.rollout import Rollout, rollout
from rlenv_emit.gpu.source import THREADS
from rlenv_emit.hooks import MASK, Policy
from rlenv_shared import machine as this_machine
from rlenv_shared.errors import SnapshotVersionError

ENVIRONMENTS: Final = {
    "skirmish": ("rlenv_games:Skirmish", "rlenv-games", "skirmish"),
    "pong": ("puffer_pong.jax:Pong", "puffer-pong", "frameskip 1"),
    "synthetic": ("rlenv_emit.synthetic:Synthetic", "", ""),
}
"""By name: the environment, and package and program of the committed report on XLA's form, where there is one."""
WAYS: Final = ("branched", "masked", "by policy")
"""How gates may be compiled: see the module."""
BATCHES: Final = (65_536, 262_144, 1_048_576)
STEPS: Final = 64
"""Of a launch."""
MIXED: Final = 40
"""Steps that are played before blocks are counted."""
COUNTED: Final = 24
"""Steps while they are."""
REGISTERS: Final = 65_536
"""Of a multiprocessor; its four schedulers share them."""
ASSUMED: Final = {"raw": RAW, "calibrated": CALIBRATED, "fast": FAST, "slow": SLOW}


def policies(env: Any, wanted: Sequence[str] = WAYS) -> dict[str, Policy]:
    """The wanted ways in which the gates of an environment may be compiled; one where it has none."""
    counts = gates.statements(env) if env.num_actions else {}
    if not counts:
        return {"no gates": {}}
    profile = gates.profile(env) if "by policy" in wanted else {}
    found: dict[str, Policy] = {
        "branched": {},
        "masked": dict.fromkeys(counts, MASK),
        "by policy": {name: gate.policy_of(WARP) for name, gate in profile.items()},
    }
    return {name: found[name] for name in WAYS if name in wanted}


def counted(kernel: HostKernel, played: Rollout, batch: int) -> tuple[np.ndarray, float]:
    """How often a warp runs each block in a step of random play; decisions a step."""
    shared = played.start(batch)
    mixed = kernel(shared, MIXED, batch)[: played.carried]
    kernel.runs[:] = 0
    after = kernel([*mixed, *shared[played.carried :]], COUNTED, batch)
    decisions = COUNTED * batch  # unless the carry counts them, last
    if played.counts:
        decisions = int((after[played.carried - 1] - mixed[-1]).sum(dtype=np.int64))
    return kernel.runs / (COUNTED * -(-batch // WARP)), decisions / (COUNTED * batch)


def traffic(program: ir.Program, carried: int, steps: int) -> tuple[int, int]:
    """Bytes of an environment that a launch reads and writes in global memory; shared tables lie in caches."""
    sizes = [array.size * ir.NUMPY[array.dtype].itemsize for array in program.outputs]
    carry = sum(sizes[:carried])
    return carry, carry + steps * sum(sizes[carried:])


def warps_of_a_scheduler(registers: int) -> int:
    """Warps that fit side by side, by their registers alone."""
    of_a_warp = WARP * -(-registers // 8) * 8
    blocks = REGISTERS // (of_a_warp * (THREADS // WARP))
    return blocks * (THREADS // WARP) // 4


def form(played: Rollout, batch: int, target: Target) -> dict[str, Any]:
    """One kernel: what it is, what a warp issues in a step, and how fast the model says it is."""
    kernel = HostKernel(played.program, played.carried)
    runs, decisions = counted(kernel, played, batch)
    code = machine.assemble(kernel.text, target.architecture)
    issued, there = code.issued(runs.tolist(), STEPS), code.by_block()
    moved = traffic(played.program, played.carried, STEPS)
    rows = {threads: machine.row(code, issued, STEPS, moved, threads) for threads in BATCHES}
    return {
        "statements": ir.size(played.program.block),
        "registers": code.registers,
        "spill_bytes": code.spill_bytes,
        "warps_of_a_scheduler": warps_of_a_scheduler(code.registers),
        "instructions": sum(there.values()),
        "issued_per_step": round(issued.total(), 1),
        "pipes_per_step": {name: round(rows[BATCHES[0]][name] / STEPS, 1) for name in target.lanes},
        "bytes_per_step": round(sum(moved) / STEPS, 1),
        "decisions_per_step": round(decisions, 4),
        "blocks": [
            {"gate": gate, "runs_per_step": round(float(run), 4), "instructions": there.get(number, 0)}
            for number, (gate, run) in enumerate(zip(kernel.text.blocks, runs, strict=True))
        ],
        "steps_per_s": {
            str(threads): {
                name: float(f"{threads * STEPS / seconds(row, target, assumed):.4g}")
                for name, assumed in ASSUMED.items()
            }
            for threads, row in rows.items()
        },
    }


def of_xla(results: Path, program: str) -> dict[str, Any]:
    """What the committed report of a package says of XLA's form; nothing where it has none."""
    try:
        report = compilation.load(results / compilation.FILE)
    except SnapshotVersionError:
        return {}
    return {
        str(cost.batch): {
            "launches": round(cost.launches, 2),
            "instructions": round(cost.instructions, 1),
            "bytes_per_step": round(cost.bytes, 1),
            "raw": float(f"{cost.raw_steps_per_s:.4g}"),
            "calibrated": float(f"{cost.calibrated_steps_per_s:.4g}"),
            "fast": float(f"{cost.fast_steps_per_s:.4g}"),
            "slow": float(f"{cost.slow_steps_per_s:.4g}"),
        }
        for cost in compilation.costs(report, program)
    }


def table(environments: Mapping[str, Mapping[str, Any]]) -> str:
    """Markdown: a row for every kernel."""
    rows = [
        "| environment | gates | registers | spilled | instructions | issued a step "
        "| G steps/s, calibrated | range | XLA's form, calibrated |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, found in environments.items():
        xla = found["xla"]
        for gate, one in found["forms"].items():
            for batch, speed in one["steps_per_s"].items():
                other = f"{xla[batch]['calibrated'] / 1e9:.3g}" if batch in xla else ""
                calibrated, slow, fast = (f"{speed[key] / 1e9:.3g}" for key in ("calibrated", "slow", "fast"))
                rows.append(
                    f"| {name}, {int(batch):,} | {gate} | {one['registers']} | {one['spill_bytes']} "
                    f"| {one['instructions']:,} | {one['issued_per_step']:,.0f} "
                    f"| {calibrated} | {slow} – {fast} | {other} |"
                )
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile, count and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    known = f"of {list(ENVIRONMENTS)}, or MODULE:NAME of another"
    parser.add_argument("--environments", nargs="+", default=list(ENVIRONMENTS), help=known)
    parser.add_argument("--gates", nargs="+", choices=WAYS, default=WAYS, help="how they are compiled")
    parser.add_argument("--batch", type=int, default=1024, help="environments that are played to count blocks")
    parser.add_argument("--target", default="h200")
    parser.add_argument("--packages", type=Path, default=Path("packages"), help="folder of the committed reports")
    given = parser.parse_args(arguments)
    target, found = Target.load(given.target), {}
    for name in given.environments:
        spec, package, program = ENVIRONMENTS.get(name, (name, "", ""))
        env, forms = environment(spec), {}
        for gate, policy in policies(env, given.gates).items():
            forms[gate] = form(rollout(env, policy), given.batch, target)
            print(f"{name}, {gate}: {forms[gate]['steps_per_s']}", flush=True)
        xla = of_xla(given.packages / package / "results", program) if package else {}
        found[name] = {"environment": spec, "forms": forms, "xla": xla}
    report = {
        "about": f"compiled for {target.architecture}, never run; steps a launch: {STEPS}; reward and done are written",
        "target": target.name,
        "nvrtc": compiler.version(),
        "flags": compiler.FLAGS,
        "assumed": {name: dataclasses.asdict(assumed) for name, assumed in ASSUMED.items()},
        "environments": found,
        "machine": this_machine.describe(),
        "command": this_machine.command_line(),
        **this_machine.git_state(Path(__file__).parent),
    }
    given.out.write_text(json.dumps(report, indent=1) + "\n")
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
