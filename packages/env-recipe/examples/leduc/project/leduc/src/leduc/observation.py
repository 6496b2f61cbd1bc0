"""Not translated yet."""

raise NotImplementedError
