"""Translation of the module start: not begun."""

raise NotImplementedError("translate start first")
