"""A coding agent, a reference and four levels of tests make a verified environment: the command ``recipe``."""

__version__ = "0.1.0"
