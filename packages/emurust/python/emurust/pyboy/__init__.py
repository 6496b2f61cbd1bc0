"""PyBoy's interface: ``from emurust.pyboy import PyBoy, WindowEvent`` instead of ``from pyboy import …``.

| what                                      | where                            |
|-------------------------------------------|----------------------------------|
| the console                               | `PyBoy`                          |
| events, exceptions, decimals              | `emurust.pyboy.utils`            |
| screen, sound, tiles, sprites, scanner, … | `emurust.pyboy.api`              |
| game wrappers                             | `emurust.pyboy.plugins`          |
"""

from emurust.pyboy.console import PyBoy
from emurust.pyboy.events import WindowEvent
from emurust.pyboy.memory import PyBoyMemoryView, PyBoyRegisterFile

__all__ = ["PyBoy", "PyBoyMemoryView", "PyBoyRegisterFile", "WindowEvent"]
