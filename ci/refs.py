"""Fetches and builds one reference at its pinned version: ``python -m ci.refs NAME``.

A reference that is installed as a distribution (no ``sha256`` in its pin) is checked for its version.  Any other, and
one that lives in this repository, brings a function ``build()`` in its adapter, which is quick when the build is there.
"""

from __future__ import annotations

import sys

from ci.workspace import REPO, references
from rlenv_shared.errors import EnvError
from rlenv_shared.verification.locate import reference
from rlenv_shared.verification.pinned import Pin


def main(name: str) -> None:
    """Build ``references/<name>``; ``SystemExit`` with the reason when it cannot be had."""
    if name not in references():
        raise SystemExit(f"there is no reference {name!r}; this repository has: {', '.join(references())}")
    try:
        pin = Pin.load(REPO / "references" / name / "pin.json")
        if pin.sha256 is None and pin.kind != "repository":
            pin.check_installed()
        else:
            reference(name).build()
    except EnvError as error:
        raise SystemExit(f"reference {name} is not available\n{error}") from error
    print(f"reference {name}: {pin.name} {pin.version} ({pin.licence})")


if __name__ == "__main__":
    main(*sys.argv[1:])
