"""Adapters to other APIs, one module and one extra each."""
