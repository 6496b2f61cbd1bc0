"""What a GPU will do with a step, found out without a GPU.

XLA compiles for a described device with none present.  What it emits tells, per environment step: kernel launches,
bytes moved, instructions, registers, spills; a model calibrated by published measurements turns these into predicted
steps per second, with their range.
"""
