"""Random programs that hold the emitted form against XLA."""
