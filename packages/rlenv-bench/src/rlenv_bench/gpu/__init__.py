"""What a GPU will do with a step, found out without a GPU.

XLA compiles for a described device with none present.  What it emits tells, per environment step, kernel launches,
bytes, instructions, registers and spills; a model calibrated by published measurements predicts steps per second from
them.
"""
