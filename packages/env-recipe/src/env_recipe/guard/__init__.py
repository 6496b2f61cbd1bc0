"""The honesty guard: what an agent may change, found in the difference of two trees and undone where it may not.

`check` looks at every changed file.  Target files and new test files are read (Python by its syntax tree); everything
else must stay as it is.
"""

from env_recipe.guard.check import Finding, Rules, check, undone

__all__ = ["Finding", "Rules", "check", "undone"]
