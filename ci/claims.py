"""What the READMEs claim, and by what it is shown: ``docs/claims.toml`` of a package.

Every number and every "equal", "exact", "same" of a README, outside code and the parts that are filled from results,
belongs to a claim.  A claim says what the README says, word by word, and what shows it:

| key      | what it names                                                                        |
|----------|--------------------------------------------------------------------------------------|
| `test`   | tests of the package that fail where it does not hold, by name                       |
| `result` | a file of ``results``, read as `r` by ``holds``                                      |
| `module` | a Python module, `m` in ``holds``                                                    |
| `holds`  | a Python expression that must be true, over `r`, `m` and the functions of `NAMES`    |
| `source` | files of the repository, each with the words that it must have                       |
| `about`  | why there is nothing to test: what is said is a name, a unit, a heading or history   |

``python -m ci.claims`` checks all packages and says what is missing.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
import statistics
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

import scipy.stats

REPO: Final = Path(__file__).resolve().parents[1]
NUMBER_OR_EQUALITY: Final = re.compile(
    r"(?<![\w.])\d[\d,.]*\w*|\b(?:equals?|equally|exact|exactly|same|identical|every bit|never)\b", re.IGNORECASE
)


def welch(ours: list[float], theirs: list[float]) -> tuple[float, float]:
    """95 % confidence interval of the difference of two means, by Welch's test."""
    interval = scipy.stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
    return float(interval.low), float(interval.high)


NAMES: Final[dict[str, Any]] = {
    function.__name__: function
    for function in (abs, all, any, float, format, getattr, len, max, min, range, round, set, sorted, str, sum, zip)
} | {"mean": statistics.fmean, "median": statistics.median, "welch": welch}
KEYS: Final = {"says", "test", "result", "module", "holds", "source", "about"}


def claimed_packages(repo: Path = REPO) -> list[str]:
    """Packages with a list of claims."""
    return sorted(path.parents[1].name for path in repo.glob("packages/*/docs/claims.toml"))


def prose(readme: str) -> str:
    """A README without code blocks, filled parts and the citation; white space is single blanks."""
    text = re.sub(r"```.*?```", " ", readme, flags=re.DOTALL)
    text = re.sub(r"<!-- begin (\w+).*?<!-- end \1 -->", " ", text, flags=re.DOTALL)
    text = re.sub(r"\n## Cite\n.*?(?=\n## |\Z)", " ", text, flags=re.DOTALL)
    return " ".join(text.split())


def unclaimed(text: str, claims: list[dict[str, Any]]) -> list[str]:
    """Numbers and words of equality that no claim has, each with what stands around it."""
    for claim in sorted(claims, key=lambda claim: -len(claim["says"])):
        text = text.replace(" ".join(claim["says"].split()), " § ")
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", text)  # names in code, and addresses of links
    return [text[max(0, found.start() - 50) : found.end() + 40] for found in NUMBER_OR_EQUALITY.finditer(text)]


@functools.cache
def _test_names(package: Path) -> frozenset[str]:
    files = [*package.glob("tests/**/test_*.py"), *package.parents[1].glob("shared/tests/test_*.py")]
    return frozenset(name for path in files for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))


def _problem(claim: dict[str, Any], package: Path) -> str | None:
    """Why a claim is not shown, if it is not."""
    if set(claim) - KEYS or not set(claim) & {"test", "holds", "source", "about"}:
        return f"keys {sorted(claim)}: known are {sorted(KEYS)}, and one must show something"
    missing = [name for name in claim.get("test", []) if name not in _test_names(package)]
    if missing:
        return f"no such test: {missing}"
    for name, words in claim.get("source", {}).items():
        path = package.parents[1] / name
        if not path.is_file() or words not in path.read_text():
            return f"{name} does not have {words!r}"
    if "holds" in claim:
        known = dict(NAMES)
        if "result" in claim:
            known["r"] = json.loads((package / "results" / claim["result"]).read_text())
        if "module" in claim:
            known["m"] = importlib.import_module(claim["module"])
        try:
            holds = eval(claim["holds"], {"__builtins__": {}, **known})
        except (LookupError, TypeError, AttributeError) as error:
            holds = repr(error)
        if holds is not True:
            return f"does not hold ({holds}): {claim['holds']}"
    return None


def problems(name: str, repo: Path = REPO) -> list[str]:
    """What is wrong with the claims of a package, and what its README says beyond them."""
    package = repo / "packages" / name
    text = prose((package / "README.md").read_text())
    claims = tomllib.loads((package / "docs" / "claims.toml").read_text())["claim"]
    found = [f"not in the README: {claim['says']!r}" for claim in claims if " ".join(claim["says"].split()) not in text]
    found += [f"{claim['says']!r}: {problem}" for claim in claims if (problem := _problem(claim, package))]
    return found + [f"no claim covers: … {place} …" for place in unclaimed(text, claims)]


def main() -> int:
    """Print what is wrong; 1 if anything is."""
    found = [f"{name}: {problem}" for name in claimed_packages() for problem in problems(name)]
    print("\n".join(found) or f"claims of {', '.join(claimed_packages())}: each is shown")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
