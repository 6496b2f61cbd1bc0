"""The back end for NVIDIA GPUs: one CUDA kernel that plays many steps, an environment a thread.

| file          | what                                                                                                |
|---------------|-----------------------------------------------------------------------------------------------------|
| `source.py`   | a program as the text of a kernel: the C++ back end's statements over single numbers                |
| `rollout.py`  | the programs that are played: random legal steps of an environment                                  |
| `host.py`     | the same text compiled for this machine, a block's warps in lockstep (`warp.h`): for comparing bits |
| `compiler.py` | NVRTC, ptxas and nvdisasm from their wheels: machine code, no GPU needed                            |
| `machine.py`  | what that code issues, line by line of the text, and so block by block                              |
| `device.py`   | the kernel called through `jax.ffi` where there is a GPU; `launch.cc` starts it on XLA's stream     |
| `verify.py`   | on a GPU: every word is that of XLA's form on the CPU; part of ``make gpu-report``                  |
| `report.py`   | the device-less report: registers, spills, instructions by measured probability, predicted speed    |
"""
