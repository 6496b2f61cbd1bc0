"""A program as a table of instructions, which one XLA loop carries out for many environments at a time."""
