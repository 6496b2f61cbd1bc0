"""Measuring speed so that the numbers can be believed.

| module    | what                                                                                  |
|-----------|---------------------------------------------------------------------------------------|
| `sides`   | what is measured: a jitted rollout of a JAX environment, or a host callable            |
| `harness` | interleaved blocks, batch sweep, lock                                                 |
| `machine` | description of the machine and of the source tree                                     |
| `report`  | the JSON file, its checks, ratios, table and plot                                     |
"""
