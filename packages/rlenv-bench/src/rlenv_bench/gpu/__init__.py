"""What a GPU will do with a step, found out without a GPU.

XLA compiles for a described device with none present.  What it emits tells, per environment step: kernel launches,
bytes moved, instructions, registers, spills; a frozen model turns these into predicted steps per second.

| module    | what                                                                                       |
|-----------|--------------------------------------------------------------------------------------------|
| `program` | `Program`, `random_rollout`: what a package wants compiled; the fingerprint of a program   |
| `hlo`     | the kernels of the step loop in XLA's optimised text, with trip counts and bytes           |
| `sass`    | registers, spills and instructions of each kernel, by NVIDIA's assembler and disassembler  |
| `target`  | the described device and the time model; an H200 ships in ``targets/``                     |
| `aot`     | compiles a program for a target and counts all of the above (needs the CUDA compiler)      |
| `report`  | the committed JSON, and what is wrong with it: stale, inconsistent, over budget            |
"""
