"""Translation of the module bounds: not begun."""

raise NotImplementedError("translate bounds first")
