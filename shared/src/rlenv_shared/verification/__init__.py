"""Recording, comparing and replaying episodes.

| module       | what                                                                              |
|--------------|-----------------------------------------------------------------------------------|
| `trajectory` | the schema of a recording, npz files                                              |
| `jsonl`      | recordings as JSON lines, the form drivers in other languages write               |
| `record`     | record a JAX environment or a host reference into that schema                     |
| `compare`    | first divergence between two recordings, exact or with named tolerances           |
| `report`     | what a comparison found                                                           |
| `ulp`        | distance between floats in units in the last place                                |
| `teacher`    | every single step from the reference's state; free-running divergence curves      |
| `pins`       | pinned references: ``pin.json``, sdists from PyPI                                 |
| `reference`  | client of a reference that runs as a subprocess                                   |
"""
