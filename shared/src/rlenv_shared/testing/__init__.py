"""Tools for testing environments: conformance suite, pytest plugin, probe environments."""
