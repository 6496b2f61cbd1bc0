"""The queue of `make gpu-report`: nothing measured twice, nothing lost, and a dry run of all of it on the CPU."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from ci import device_report, gpu_cache, gpu_queue, gpu_report, sources
from ci.gpu_queue import QUEUE, Section
from ci.workspace import REPO
from rlenv_shared import files

pytestmark = pytest.mark.l1
DEVICE = {"platform": "cpu", "name": "cpu"}
FAST = [
    Section("toy", "replay", detail, ("rlenv_shared.errors",), limit_s=10.0) for detail in ("first", "second", "third")
]
CHILD = """
import sys, time
from pathlib import Path
from rlenv_shared import files
name, result = sys.argv[sys.argv.index("--process") + 1], Path(sys.argv[sys.argv.index("--result") + 1])
parts = files.read_json(result)["parts"]
for part in ("a", "b"):
    if part not in parts:
        parts[part] = [{"name": part, "steps": 1, "mismatches": 0}]
        files.write_json(result, {"parts": parts})
        BETWEEN
"""


def store(folder: Path) -> gpu_report.Store:
    return gpu_report.Store.open(DEVICE, [folder], committed=folder / "nothing")


def child(between: str = "pass") -> list[str]:
    return [sys.executable, "-c", CHILD.replace("BETWEEN", between)]


def test_what_is_measured_for_these_sources_is_not_due(tmp_path: Path) -> None:
    kept = store(tmp_path)
    assert gpu_queue.due(kept.report, FAST) == FAST
    gpu_report.run_section(FAST[0], kept, child())
    assert gpu_queue.due(store(tmp_path).report, FAST) == FAST[1:]
    assert gpu_queue.plan(kept.report, FAST, 560).splitlines()[0].split()[:4] == ["toy,", "replay:", "first", "done"]
    for section in FAST[1:]:
        gpu_report.run_section(section, kept, child())
    assert gpu_queue.plan(store(tmp_path).report, FAST, 560).endswith("nothing is left")


def test_a_section_over_its_limit_is_killed_keeps_what_it_had_and_is_tried_once_more(tmp_path: Path) -> None:
    kept, short = store(tmp_path), dataclasses.replace(FAST[0], limit_s=4.0)
    entry = gpu_report.run_section(short, kept, child("time.sleep(60)"))
    assert (entry["status"], list(entry["parts"]), entry["attempts"]) == ("killed", ["a"], 1)
    assert entry["reason"] == "not done within its limit of 4 s"
    queue = [short, *FAST[1:]]
    assert gpu_queue.due(kept.report, queue) == [*FAST[1:], short]  # after all that was never tried
    entry = gpu_report.run_section(short, store(tmp_path), child("assert part == 'b'"))
    assert (entry["status"], list(entry["parts"])) == ("done", ["a", "b"])  # a was not measured again


def test_a_crash_loses_nothing_and_two_are_enough(tmp_path: Path) -> None:
    kept = store(tmp_path)
    for attempt in (1, 2):
        entry = gpu_report.run_section(FAST[0], kept, child("1 / 0"))
        assert (entry["status"], entry["attempts"]) == ("crashed", attempt)
    assert "ZeroDivisionError" in entry["error"]
    assert sorted(entry["parts"]) == ["a", "b"]
    assert gpu_queue.state(kept.report, FAST[0]) == "given up"
    assert list(device_report.mismatches(kept.report)) == [f"toy, replay: first: {entry['error']}"]


def test_a_section_begins_only_if_its_limit_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []

    def pretend(section: Section, kept: gpu_report.Store) -> dict:
        begun.append(section.detail)
        entry = {"fingerprint": section.fingerprint(), "status": "done", "attempts": 1, "parts": {}, "seconds": 1.0}
        kept.put(section, entry)
        return entry

    monkeypatch.setattr(gpu_report, "run_section", pretend)
    long = dataclasses.replace(FAST[0], limit_s=1000.0)
    gpu_report.run(store(tmp_path), time.monotonic() + 100, [long, *FAST[1:]])
    assert begun == ["second", "third"]
    gpu_report.run(store(tmp_path), time.monotonic() + 2000, [long, *FAST[1:]])
    assert begun == ["second", "third", "first"]
    gpu_report.run(store(tmp_path / "other"), time.monotonic() + 3, FAST)
    assert len(begun) == 3


def test_reports_of_one_card_merge_and_of_two_do_not(tmp_path: Path) -> None:
    one, other = store(tmp_path / "1"), store(tmp_path / "2")
    gpu_report.run_section(FAST[0], one, child())
    gpu_report.run_section(FAST[0], other, child("1 / 0"))
    gpu_report.run_section(FAST[1], other, child())
    for both in ((one, other), (other, one)):
        found = gpu_queue.merged(both[0].report, both[1].report, FAST)
        assert {title: entry["status"] for title, entry in found["packages"]["toy"].items()} == {
            "replay: first": "done",
            "replay: second": "done",
        }
    foreign = {**other.report, "device": {"platform": "gpu", "name": "another"}}
    with pytest.raises(ValueError, match="two devices"):
        gpu_queue.merged(one.report, foreign, FAST)


def test_sources_are_found_by_imports_and_a_change_counts_where_it_is_reached(tmp_path: Path) -> None:
    for name in ("shared", "packages/one"):
        root = tmp_path / name
        (root / "src").mkdir(parents=True)
        (root / "pyproject.toml").write_text(f'[project]\nname = "{root.name}"\n')
    one, common = tmp_path / "packages/one/src/one", tmp_path / "shared/src/common"
    for folder in (one, common):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (one / "a.py").write_text("def f():\n    from common import deep\n    from . import b\n")
    (one / "b.py").write_text("")
    (one / "c.py").write_text("import common.deep")
    (common / "deep.py").write_text("")
    (common / "table.json").write_text("[1]")

    def prints() -> tuple[str, str]:
        return sources.fingerprint(["one.a"], repo=tmp_path), sources.fingerprint(["one.c"], repo=tmp_path)

    (first, third) = prints()
    (one / "b.py").write_text("x = 1")
    assert prints()[0] != first
    assert prints()[1] == third
    first = prints()[0]
    (common / "table.json").write_text("[2]")
    assert prints()[0] != first
    assert prints()[1] != third


def test_a_change_of_one_package_leaves_the_others_measured() -> None:
    pong = REPO / "packages/puffer-pong/python/puffer_pong/jax/__init__.py"
    pong = pong if pong.exists() else REPO / "packages/puffer-pong/python/puffer_pong/jax.py"
    touched = {section.package for section in QUEUE if pong in sources.reached(section.modules)}
    assert "puffer-pong" in touched
    assert touched.isdisjoint({"cartpole-jax", "halfcheetah-jax", "pokejax", "tcgjax", "emurust"})
    assert all(sources.located(module) for section in QUEUE for module in section.modules)


def test_every_section_is_short_and_named_once() -> None:
    assert all(section.limit_s <= 180 for section in QUEUE)
    assert len({section.name for section in QUEUE}) == len(QUEUE)
    kinds = [section.kind for section in QUEUE]
    assert kinds.index("kernel") == kinds.count("replay")  # bits come first


def test_compiled_programs_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_cache, "ARCHIVE_BYTES", 2400)
    cache, out, later = tmp_path / "here" / "jax", tmp_path / "out", tmp_path / "later"
    cache.mkdir(parents=True)
    out.mkdir()
    for age, name in enumerate(("old", *(f"new{k}" for k in range(5)))):
        (cache / name).write_bytes(bytes(1000))
        os.utime(cache / name, (age, age))  # before what archives can say
    assert gpu_cache.pack([cache], tmp_path / "here", out) == gpu_cache.ARCHIVES  # one an archive, the newest first
    assert all(path.stat().st_size <= 2400 for path in out.iterdir())
    count = gpu_cache.unpack([out, tmp_path / "none"], later)
    assert count == len(list((later / "jax").iterdir())) == gpu_cache.ARCHIVES
    assert (later / "jax" / "new4").read_bytes() == bytes(1000)
    assert gpu_cache.unpack([out], later) == 0
    with zipfile.ZipFile(out / "compiled-0.zip", "w") as archive:
        archive.writestr("../../escaped", b"")
    (out / "compiled-1.zip").write_bytes(b"no archive")
    gpu_cache.unpack([out], later)
    assert not (tmp_path.parent / "escaped").exists()


def test_a_run_that_is_killed_is_taken_up_again(tmp_path: Path) -> None:
    """End to end: the run is killed inside its first section; the next one measures the rest."""
    only = ["--only", "^(cartpole-jax, replay|puffer-pong, kernel|halfcheetah-jax, comparisons: Brax)"]
    command = [sys.executable, "-m", "ci.gpu_report", "--out", str(tmp_path), *only]
    build = {**os.environ, "RLENV_GPU_QUEUE": str(tmp_path / "build")}
    killed = subprocess.Popen(command, cwd=REPO, env=build, start_new_session=True, stdout=subprocess.DEVNULL)
    path, end = tmp_path / "cpu.json", time.monotonic() + 100
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.2)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    begun = device_report.load(path)["packages"]["cartpole-jax"]["replay: all"]
    assert begun["parts"]
    done = subprocess.run(command, cwd=REPO, env=build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = device_report.load(path)
    assert {entry["status"] for package in found["packages"].values() for entry in package.values()} == {"done"}
    assert len(device_report.results(found, "cartpole-jax", "replay")) == 2
    assert "nothing is left" in done.stdout
    again = subprocess.run(command, cwd=REPO, env=build, capture_output=True, text=True)
    assert "done in" not in again.stdout
    assert json.loads(path.read_text())[files.SEAL]


@pytest.mark.slow
@pytest.mark.timeout(3600)  # most of it compiles
def test_the_whole_queue_runs_on_the_cpu(tmp_path: Path) -> None:
    """A dry run: every section runs in reduced sizes, ends within its limit and writes a result that is read again."""
    command = [sys.executable, "-m", "ci.gpu_report", "--out", str(tmp_path), "--deadline", "1700"]
    build = {**os.environ, "RLENV_GPU_QUEUE": str(tmp_path / "build")}
    done = subprocess.run(command, cwd=REPO, env=build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    found = device_report.load(tmp_path / "cpu.json")
    for section in QUEUE:
        entry = gpu_queue.entry(found, section)
        assert entry.get("status") == "done", (section.name, entry)
        assert all(entry["parts"].values()), section.name
    assert "nothing is left" in done.stdout
    assert len(device_report.runs(found, "puffer-pong", "breakdown")) == 9
    assert len(list(tmp_path.iterdir())) <= 9  # with the folder of the build
