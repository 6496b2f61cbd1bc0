"""Adds up the JUnit reports in a directory: the files that took longest, and one closing line.

Exit status 1 when no test was executed.
"""

from __future__ import annotations

import collections
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count(directory: Path) -> tuple[int, int, int]:
    """``(passed, failed, skipped)`` over all reports; errors count as failures."""
    total = failed = skipped = 0
    for report in sorted(directory.glob("*.xml")):
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            total += int(suite.get("tests", 0))
            failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            skipped += int(suite.get("skipped", 0))
    return total - failed - skipped, failed, skipped


def slowest(directory: Path, most: int = 20) -> list[tuple[float, str]]:
    """``(seconds, file)`` of the test files that took longest, over all workers, the longest first."""
    taken: collections.Counter[str] = collections.Counter()
    for report in directory.glob("*.xml"):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            taken[case.get("classname", "")] += float(case.get("time", 0))
    return [(seconds, name) for name, seconds in taken.most_common(most)]


if __name__ == "__main__":
    for seconds, name in slowest(Path(sys.argv[1])):
        print(f"{seconds:6.0f} core-seconds  {name}")
    passed, failed, skipped = count(Path(sys.argv[1]))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(passed + failed == 0)
