"""The headers with which every object's text begins, compiled once: two thirds of the work of a small function.

GCC reads what it has compiled where flags and version are the same, and else the headers themselves.  Other compilers
read the headers.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rlenv_emit import keeping
from rlenv_emit.compiler import FLAGS, command, compiler, identity, is_gcc, run
from rlenv_emit.errors import CompilerError
from rlenv_emit.key import key_of_text
from rlenv_emit.processor import Form
from rlenv_emit.seal import is_sealed, seal_file
from rlenv_shared.errors import StorageError

NAME: Final = "common.h"
TEXT: Final = '#include <stdlib.h>\n#include "turn.h"\n#include "denormals.h"\n#include "ffi.h"\n'
"""What does not depend on the function: all but `entry.h`."""


def include(form: Form, work: Path) -> Sequence[str]:
    """Put the headers into the folder of a compilation; flags with which compilers that run there read them."""
    compiled = _compiled(form)
    if compiled is None:
        return ()
    (work / NAME).write_text(TEXT)
    (work / f"{NAME}.gch").symlink_to(compiled)  # one that is gone by now is passed over
    return "-include", NAME


@functools.cache
def _compiled(form: Form) -> Path | None:
    """The compiled headers in the cache; None where there is no GCC or no place."""

    def make(work: Path) -> Path:
        (work / NAME).write_text(TEXT)
        made = Path(f"{NAME}.gch")
        run([command(form, Path(NAME), made, shared=False, extra=("-c", "-x", "c++-header"))], work)
        seal_file(work / made, key)
        return work / made

    try:
        if not is_gcc():
            return None
        key = key_of_text(TEXT, form.name, form.march, str(form.lanes), compiler(), *FLAGS)
        name = f"headers-{form.name}-{key}-{identity()}.gch"
        kept = keeping.keep(name, make, lambda content: is_sealed(content, key))
    except (CompilerError, StorageError):
        return None
    kept.file.close()
    return kept.path.absolute()
