"""A program as a table of instructions, which an interpreter or one XLA loop carries out for many environments."""
