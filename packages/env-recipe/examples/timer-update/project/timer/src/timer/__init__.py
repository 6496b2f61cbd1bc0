"""The timer of a Game Boy as PyBoy has it."""
