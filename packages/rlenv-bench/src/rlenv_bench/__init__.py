"""Measuring speed so that the numbers can be believed.

| module      | what                                                                                  |
|-------------|---------------------------------------------------------------------------------------|
| `workloads` | what is measured: a jitted rollout of a JAX environment, or a host callable             |
| `faces`     | through Gymnasium's interface, single and vector                                      |
| `other_python` | programs in Python environments of their own                                       |
| `harness`   | interleaved blocks, batch sweep, lock                                                 |
| `commands`  | `bench`: measures what a package declares                                             |
| `results`   | the JSON file, its checks, ratios, table and plot                                     |
| `learner`   | PPO end to end as a workload                                                          |
| `gpu`       | compilation for GPUs that are not there, and what it costs                            |
| `sections`, `device_report` | the parts of `make gpu-report`, and its file                          |
"""

__version__ = "0.1.0"
