"""Translation of the module ends: not begun."""

raise NotImplementedError("translate ends first")
