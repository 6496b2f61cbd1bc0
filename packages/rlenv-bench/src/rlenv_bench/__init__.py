"""Measuring speed so that the numbers can be believed: workloads in turns, their reports, what a GPU will do."""

__version__ = "0.1.0"
