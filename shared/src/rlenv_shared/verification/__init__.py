"""Recording, comparing and replaying episodes, and what a package declares about it.

| module       | what                                                                              |
|--------------|-----------------------------------------------------------------------------------|
| `trajectory` | the schema of a recording, npz files                                              |
| `jsonl`      | recordings as JSON lines, the form drivers in other languages write               |
| `record`     | record a JAX environment into that schema                                         |
| `compare`    | first divergence between two recordings, exact or with named tolerances           |
| `differences` | what a comparison found                                                          |
| `ulp`        | distance between floats in units in the last place                                |
| `teacher`    | every single step from the reference's state                                      |
| `pinned`     | pinned references: ``pin.json``                                                   |
| `locate`     | where the references are; imports their adapters                                  |
| `reference`  | client of a reference that runs as a subprocess                                   |
| `launcher`   | started in between: nothing of a reference outlives its client                    |
| `declaration` | the type `Declaration`: all that commands, CI and README tables need of a package |
| `verify`     | runs declared rollout sets; the file of their results                             |
| `commands`   | ``cartpole-jax verify`` and its like, for every package with a declaration         |
"""
