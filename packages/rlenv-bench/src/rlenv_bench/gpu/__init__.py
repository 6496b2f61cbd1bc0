"""What a GPU will do with a step, found out without a GPU.

XLA compiles for a described device with none present.  What it emits tells, per environment step: kernel launches,
bytes moved, instructions, registers, spills; a model calibrated by published measurements turns these into predicted
steps per second, with their range.

| module        | what                                                                                       |
|---------------|--------------------------------------------------------------------------------------------|
| `program`     | `Program`, `random_rollout`: what a package wants compiled; the fingerprint of a program   |
| `kernel`      | a whole rollout of an elementwise step as one Pallas kernel                                |
| `hlo`         | the launches of the step loop in XLA's optimised text, with trip counts and bytes          |
| `thunks`      | the kernel behind each launch, by XLA's schedule                                           |
| `sass`        | what a kernel's machine code issues and moves, by NVIDIA's assembler and disassembler      |
| `target`      | a described device; ``targets/`` has nine of them                                          |
| `model`       | the time of a launch                                                                       |
| `calibration` | refits the model's constants to published measurements                                     |
| `aot`         | compiles a program for a target and counts all of the above (needs the CUDA compiler)      |
| `compilation` | the committed JSON, and what is wrong with it: stale, inconsistent, over budget            |
"""
