"""``python -m rlenv_shared.verification PACKAGE COMMAND …``: a command of any installed package."""

import sys

from rlenv_shared.command_line import guarded
from rlenv_shared.verification.commands import main
from rlenv_shared.verification.declaration import find

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(guarded(lambda: main(find(sys.argv[1]), argv=sys.argv[2:])))
