"""The git side of a run: trees, a commit per iteration, work trees that agents and tests get.

A run is on the branch ``recipe/<run>``; every iteration, kept or not, is a commit under ``refs/recipe/<run>/<number>``.
What agents and tests work in are linked work trees that can be thrown away at any time: contents are named by git tree.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from rlenv_shared.errors import InvalidParamsError, StorageError

AUTHOR = {
    "GIT_AUTHOR_NAME": "recipe", "GIT_AUTHOR_EMAIL": "recipe@localhost",
    "GIT_COMMITTER_NAME": "recipe", "GIT_COMMITTER_EMAIL": "recipe@localhost",
}  # fmt: skip
NO_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's empty tree


@dataclasses.dataclass(frozen=True)
class Change:
    """A file that differs between two trees."""

    path: str
    before: bytes | None  # None: it is new
    after: bytes | None  # None: it was deleted
    mode: str  # git's, afterwards; 100644 and 100755 are files, 120000 links, 160000 other repositories

    @property
    def is_plain(self) -> bool:
        """A file of text, not executable by itself, now or no longer there."""
        return self.after is None or (self.mode == "100644" and b"\0" not in self.after)


class Repository:
    """The repository around a folder.  Raises InvalidParamsError: there is none, or it has no commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.root = Path(self.git("rev-parse", "--show-toplevel"))
            self.common = Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
            self.git("rev-parse", "--verify", "HEAD")
        except StorageError:
            remedy = f"run git init in {folder}, then commit what is there"
            raise InvalidParamsError("folder", folder, "a git repository with a commit", remedy) from None
        self.prefix = folder.resolve().relative_to(self.root.resolve()).as_posix()

    def git(self, *arguments: str, cwd: Path | None = None, stdin: bytes = b"", **variables: str) -> str:
        """What a git command prints.  Raises StorageError: it failed."""
        return self.raw(*arguments, cwd=cwd, stdin=stdin, **variables).decode(errors="surrogateescape").strip()

    def raw(self, *arguments: str, cwd: Path | None = None, stdin: bytes = b"", **variables: str) -> bytes:
        """The same as bytes."""
        own = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", *arguments],
            cwd=cwd or self.folder, input=stdin, capture_output=True, env={**own, "LC_ALL": "C", **variables},
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip()
            raise StorageError(f"git {' '.join(arguments)[:80]}", said or done.returncode, "success", "see its message")
        return done.stdout

    def within(self, path: str) -> str:
        """A path relative to the folder, as git names it from the root."""
        return path if self.prefix == "." else f"{self.prefix}/{path}"

    def dirty(self) -> list[str]:
        """Files below the folder that are changed and not committed."""
        lines = self.raw("status", "--porcelain", "--untracked-files=all", "--", ".").decode(errors="replace")
        return [line[3:] for line in lines.splitlines()]

    def tracked(self, path: Path) -> bool:
        """True when git has files at a path."""
        return bool(self.git("ls-files", "--", str(path))) if path.resolve().is_relative_to(self.root) else False

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        return self.git("rev-parse", f"{commit}^{{tree}}")

    def checkout(self, place: Path, tree: str, commit: str) -> None:
        """A fresh work tree with the content of a tree, in place of whatever is there."""
        self.remove(place)
        self.git("worktree", "add", "--quiet", "--detach", "--no-checkout", str(place), commit)
        self.git("read-tree", "--reset", "-u", tree, cwd=place)

    def put(self, place: Path, tree: str, commit: str) -> None:
        """Make the content of a work tree that of a tree, ignored files included; a fresh one if that fails."""
        try:
            self.git("read-tree", "--reset", "-u", tree, cwd=place)
            self.git("clean", "-ffdxq", cwd=place)
        except (StorageError, OSError):
            self.checkout(place, tree, commit)

    def remove(self, place: Path) -> None:
        """Take a work tree away."""
        shutil.rmtree(place, ignore_errors=True)
        if place.exists():
            place.unlink()
        self.git("worktree", "prune")

    def snapshot(self, place: Path, scratch: Path) -> str | None:
        """The tree that a work tree holds now; None if it is no work tree any more."""
        index = scratch / "index"
        index.unlink(missing_ok=True)
        scratch.mkdir(parents=True, exist_ok=True)
        try:
            if Path(self.git("rev-parse", "--show-toplevel", cwd=place)).resolve() != place.resolve():
                return None
            self.git("add", "--all", cwd=place, GIT_INDEX_FILE=str(index))
            return self.git("write-tree", cwd=place, GIT_INDEX_FILE=str(index))
        except (StorageError, OSError):
            return None

    def changes(self, before: str, after: str) -> list[Change]:
        """What differs between two trees, sorted by path; a renamed file is one deleted and one new."""
        listing = self.raw("diff-tree", "-r", "-z", "--no-renames", before, after).decode(errors="surrogateescape")
        parts = listing.split("\0")
        found = []
        for about, path in zip(parts[::2], parts[1::2], strict=False):
            _, mode, old, new, kind = about.split(" ")
            found.append(
                Change(path, self._blob(old, kind != "A"), self._blob(new, kind != "D" and mode[0] == "1"), mode)
            )
        return found

    def _blob(self, name: str, there: bool) -> bytes | None:
        if not there:
            return None
        try:
            return self.raw("cat-file", "blob", name)
        except StorageError:
            return b"\0"  # another repository

    def read(self, tree: str, path: str) -> bytes | None:
        """A file of a tree."""
        try:
            return self.raw("cat-file", "blob", f"{tree}:{path}")
        except StorageError:
            return None

    def files(self, tree: str, below: str = "") -> list[str]:
        """Paths of all files of a tree, or those below a folder."""
        arguments = ["--", below] if below not in ("", ".") else []
        found = self.raw("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree, *arguments)
        return [path for path in found.decode(errors="surrogateescape").split("\0") if path]

    def with_files(self, tree: str, contents: dict[str, bytes | None], scratch: Path, like: str | None = None) -> str:
        """The tree with some files replaced (None: taken out); modes are those of the tree ``like``, else plain."""
        index = scratch / "index"
        scratch.mkdir(parents=True, exist_ok=True)
        index.unlink(missing_ok=True)
        self.git("read-tree", tree, GIT_INDEX_FILE=str(index))
        lines = []
        for path, content in contents.items():
            if content is None:
                lines.append(f"0 {'0' * 40}\t{path}")
                continue
            blob = self.git("hash-object", "-w", "--stdin", stdin=content)
            known = self.git("ls-tree", "--full-tree", like, "--", path) if like else ""
            lines.append(f"{known.split()[0] if known else '100644'} {blob}\t{path}")
        if lines:
            text = "".join(f"{line}\0" for line in lines).encode(errors="surrogateescape")
            self.git("update-index", "-z", "--index-info", cwd=self.root, stdin=text, GIT_INDEX_FILE=str(index))
        return self.git("write-tree", GIT_INDEX_FILE=str(index))

    def diff(self, before: str, after: str) -> str:
        """The difference of two trees as a patch."""
        return self.raw("diff", "--no-color", "--no-ext-diff", before, after).decode(errors="replace")

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Make a commit; no branch moves."""
        return self.git("commit-tree", tree, "-p", parent, stdin=message.encode(), **AUTHOR)  # type: ignore[arg-type]

    def point(self, ref: str, commit: str) -> None:
        """Let a reference name a commit."""
        self.git("update-ref", ref, commit)

    def resolve(self, ref: str) -> str | None:
        """The commit that a reference names."""
        try:
            return self.git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        except StorageError:
            return None


class Watched:
    """Files that nobody may change while an agent works; what was changed is put back."""

    def __init__(self, places: Iterable[Path]) -> None:
        self.places = list(places)
        self.contents = {path: path.read_bytes() for path in self._files()}

    def _files(self) -> list[Path]:
        found: list[Path] = []
        for place in self.places:
            below = place.rglob("*") if place.is_dir() else [place]
            found += [p for p in below if p.is_file() and not p.is_symlink() and "__pycache__" not in p.parts]
        return sorted(found)

    def restore(self) -> list[Path]:
        """Put back what was changed, added or deleted; returns what it was."""
        now = self._files()
        wrong = [path for path in now if path not in self.contents]
        for path in wrong:
            path.unlink()
        for path, content in self.contents.items():
            if not path.is_file() or _digest(path) != hashlib.sha256(content).digest():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                wrong.append(path)
        return sorted(wrong)


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()
