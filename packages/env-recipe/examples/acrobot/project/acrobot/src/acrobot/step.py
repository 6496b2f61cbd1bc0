"""Translation of the module step: not begun."""

raise NotImplementedError("translate step first")
