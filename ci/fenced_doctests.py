"""An extension of griffe, which reads the docstrings of the reference: sessions (``>>>``) are code.

Markdown takes the three signs for a quotation in a quotation in a quotation.
"""

from __future__ import annotations

import re
from typing import Any, Final

import griffe

SESSION: Final = re.compile(r"(?:^|(?<=\n))(?P<indent> *)>>>.*(?:\n(?P=indent)\S.*|\n(?P=indent) +\S.*)*")
"""From a prompt to the next empty line."""


def fenced(text: str) -> str:
    """A docstring with its sessions between fences; those that are in fences already stay."""

    def put(match: re.Match[str]) -> str:
        indent = match["indent"]
        return f"\n{indent}```pycon\n{match.group()}\n{indent}```\n"

    parts = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if number % 2 else SESSION.sub(put, part) for number, part in enumerate(parts))


class FencedDoctests(griffe.Extension):
    """Fences the sessions of every docstring."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called for each module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
