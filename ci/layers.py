"""Checks the layers of the Python packages with import-linter: arrows point downward only, and nothing goes in circles.

The contracts are made here, since the packages are those that there are: an environment may import the libraries and no
other environment, and not the emitter; the libraries stand on each other in the order of `LIBRARIES`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from importlinter.cli import lint_imports

from ci.workspace import REPO, environments

# The upper first.
LIBRARIES = ("env_recipe", "rlenv_emit", "rlenv_games", "rlenv_bench", "rlenv_learn", "rlenv_testing", "rlenv_shared")
MEASURING = ["*.verification.** -> rlenv_emit", "*.verification.** -> rlenv_emit.**"]
"""Imports of the emitter by what measures and compares it; environments find back ends as entry points."""
WITHIN = {
    "pokejax": ["rules.flow", "rules.effects", "rules.mechanics", "battle", "tables", "rows"],
}
"""Layers within an environment, the upper first."""
CONFIG = REPO / ".cache" / "layers.toml"


def config(names: list[str], within: Mapping[str, Sequence[str]]) -> str:
    """Contracts for the environments with these import names, as import-linter reads them."""
    layers = ["ci", " | ".join(names), *LIBRARIES]  # those of one layer must not import each other
    packages = ["ci", *names, *LIBRARIES]
    lines = ["[tool.importlinter]", f"root_packages = {packages}", "exclude_type_checking_imports = true"]
    lines += ["[[tool.importlinter.contracts]]", 'name = "layers"', 'type = "layers"', f"layers = {layers}"]
    lines += ["[[tool.importlinter.contracts]]", 'name = "no circles"', 'type = "acyclic_siblings"']
    lines += [f"ancestors = {packages}"]
    lines += [
        "[[tool.importlinter.contracts]]",
        'name = "no emitter"',
        'type = "forbidden"',
        f"source_modules = {names}",
    ]
    lines += ['forbidden_modules = ["rlenv_emit"]', "allow_indirect_imports = true"]
    lines += [f"ignore_imports = {MEASURING}", 'unmatched_ignore_imports_alerting = "none"']
    for name in sorted(set(names) & set(within)):
        lines += ["[[tool.importlinter.contracts]]", f'name = "layers of {name}"', 'type = "layers"']
        lines += [f"layers = {[f'{name}.{layer}' for layer in within[name]]}"]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Exit status 1 when a contract is broken; the imports to blame are printed."""
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(config([package.import_name for package in environments()], WITHIN))
    return lint_imports(config_filename=str(CONFIG), cache_dir=str(CONFIG.with_name("import-linter")))


if __name__ == "__main__":
    sys.exit(main())
