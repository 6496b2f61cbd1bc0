"""What an agent is asked: templates, filled strictly, so that a missing value is an error and never an empty place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import jinja2

from env_recipe.levels import Outcome
from env_recipe.manifest import Manifest, Module, source_folder

KINDS: Final = ("translate", "repair", "review", "discriminate", "l1-tests", "l2-tests", "optimise")
SHOWN: Final = 6  # failures in one prompt
RECORDED: Final = 40  # recorded calls in one prompt
TEMPLATES: Final = jinja2.Environment(
    loader=jinja2.PackageLoader("env_recipe"),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,  # Markdown for an agent, no page
)


class Prompts:
    """The prompts of one manifest.

    Args:
        manifest: what is translated.
        root: folder of the manifest, for recordings and the reference.
    """

    def __init__(self, manifest: Manifest, root: Path) -> None:
        self.manifest = manifest
        self.root = root

    def translate(self, module: Module, refused: Sequence[str] = ()) -> str:
        """Translate a module."""
        return self._fill("translate", refused, **self._of(module))

    def l1_tests(self, module: Module) -> str:
        """Write L1 tests of a module from recorded calls."""
        return self._fill("l1-tests", (), **self._of(module))

    def l2_tests(self, divergences: Sequence[str]) -> str:
        """Write L2 tests from the graph of modules and from past divergences."""
        edges = [(other, module.name) for module in self.manifest.module for other in module.depends_on]
        return self._fill("l2-tests", (), edges=edges, divergences=divergences)

    def repair(
        self,
        level: str,
        failures: Sequence[Outcome],
        total: int,
        modules: Sequence[str],
        *,
        needs_test: bool,
        dropped: str = "",
        refused: Sequence[str] = (),
    ) -> str:
        """Repair what failing tests show; ``modules`` are those they point to."""
        shown = [
            {
                "test": failure.test,
                "status": failure.status,
                "message": failure.message,
                "divergence": failure.divergence,
                "owners": self.manifest.owners(failure.divergence.field) if failure.divergence else [],
            }
            for failure in failures[:SHOWN]
        ]
        return self._fill(
            "repair",
            refused,
            level=level.upper(),
            failing=len(failures),
            total=total,
            failures=shown,
            more=len(failures) - len(shown),
            modules=modules,
            needs_test=needs_test,
            dropped=dropped,
            suspects=self._sources(module for module in self.manifest.module if module.name in modules),
        )

    def review(self, failing: int, total: int, *, dropped: str = "", refused: Sequence[str] = ()) -> str:
        """Find what only hidden tests show, of which no more than a count is told."""
        return self._fill(
            "review",
            refused,
            hidden_failing=failing,
            hidden_total=total,
            dropped=dropped,
            suspects=self._sources(self.manifest.module),
        )

    def discriminate(self, levels: Sequence[str], divergences: Sequence[str], refused: Sequence[str] = ()) -> str:
        """Write tests that tell the two sides apart."""
        return self._fill(
            "discriminate",
            refused,
            levels=", ".join(level.upper() for level in levels),
            divergences=divergences,
            suspects=self._sources(self.manifest.module),
        )

    def optimise(self, dropped: str = "", refused: Sequence[str] = ()) -> str:
        """Make one change that may make a step faster."""
        return self._fill("optimise", refused, batches=self.manifest.optimise.batches, dropped=dropped)

    def _of(self, module: Module) -> dict[str, Any]:
        return {
            "module": module,
            "module_targets": [self._in_package(file) for file in module.target],
            "depends_on": module.depends_on,
            "tests": module.tests,
            "sources": self._sources([module]),
            "recorded": recorded(self.root, module.name),
        }

    def _sources(self, modules: Iterable[Module]) -> list[tuple[str, str]]:
        folder = source_folder(self.manifest, self.root)
        files = dict.fromkeys(file for module in modules for file in module.source)
        return [
            (file, (folder / file).read_text(errors="replace").rstrip()) for file in files if (folder / file).is_file()
        ]

    def _in_package(self, file: str) -> str:
        return f"{self.manifest.target.package}/{file}"

    def _fill(self, kind: str, refused: Sequence[str], **values: Any) -> str:
        target = self.manifest.target
        common = {
            "reference": f"{self.manifest.reference.name} {self.manifest.reference.version}",
            "language": target.language,
            "targets": [self._in_package(file) for module in self.manifest.module for file in module.target],
            "new_tests": [self._in_package(pattern) for pattern in target.new_tests],
            "refused": list(refused),
        }
        return TEMPLATES.get_template(f"{kind}.md.j2").render(common | values)


def recordings_file(root: Path, module: str) -> Path:
    """Where ``recipe record`` puts what the reference answered."""
    return root / "recordings" / f"{module}.jsonl"


def recorded(root: Path, module: str) -> list[str]:
    """Some recorded calls of a module, evenly spread over the file."""
    path = recordings_file(root, module)
    if not path.is_file():
        return []
    lines = [line for line in path.read_text().splitlines() if "function" in json.loads(line)]
    step = max(1, -(-len(lines) // RECORDED))
    return lines[::step]
