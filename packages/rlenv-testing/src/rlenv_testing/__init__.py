"""Tools for testing environments: conformance suite, pytest plugin, probe environments."""

__version__ = "0.1.0"
