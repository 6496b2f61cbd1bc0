"""What follows the content of a file of the cache: a file that lacks it is not whole, or another one's."""

from __future__ import annotations

import hashlib
from pathlib import Path


def seal(content: bytes, key: str) -> bytes:
    """What follows the content of an object that is whole."""
    return f"\nrlenv-emit {key} {hashlib.sha256(content + key.encode()).hexdigest()}\n".encode()


def is_sealed(content: bytes, key: str) -> bool:
    """Whether an object is whole and of this key: to load a damaged one would crash."""
    length = len(seal(b"", key))
    return content[-length:] == seal(content[:-length], key)


def seal_file(path: Path, key: str) -> None:
    """Write the seal behind what a file has, which is nothing to those who read its sections."""
    content = path.read_bytes()
    with path.open("ab") as file:
        file.write(seal(content, key))
