"""The tests below belong to the examples: a run starts them, and this repository's own test runs leave them alone."""

collect_ignore_glob = ["*"]
