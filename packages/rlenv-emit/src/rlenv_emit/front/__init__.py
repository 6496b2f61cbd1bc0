"""From JAX to the program of one lane."""
