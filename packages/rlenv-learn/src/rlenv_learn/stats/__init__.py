"""Statistics on NumPy and SciPy.

| module      | what                                                                             |
|-------------|----------------------------------------------------------------------------------|
| `tost`      | equivalence tests: Welch, paired, two proportions                                |
| `bootstrap` | percentile and BCa intervals, stratified interquartile mean                      |
| `power`     | power of the equivalence tests and sample sizes                                  |
"""
