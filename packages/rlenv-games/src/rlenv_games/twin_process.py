"""Serves a twin in plain Python as JSON lines (:mod:`rlenv_shared.verification.reference`), with the standard library.

``python -S twin_process.py TWIN``, a module beside this file that has ``NAME``, ``VERSION``, ``dtypes()`` and
``play(number, seed, actions)``, the canonical steps of one episode.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any


def main(name: str) -> None:
    """Serve requests until the input ends."""
    twin = importlib.import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            result: Any = {"protocol": 1, "name": twin.NAME, "version": twin.VERSION}
        else:
            steps = [
                step
                for number, episode in enumerate(request["episodes"])
                for step in twin.play(number, episode["seed"], episode["actions"])
            ]
            result = {"dtypes": twin.dtypes(), "steps": steps}
        print(json.dumps({"id": request["id"], "ok": True, "result": result}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
