"""What may differ: nothing, but the mean return of a policy, by L4's margin."""

MARGIN = 0.1  # big blinds a game
