"""Tools to test environments and learners."""
