"""Translation of the module dynamics: not begun."""

raise NotImplementedError("translate dynamics first")
