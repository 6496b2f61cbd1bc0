"""Packed state: many small integers in few uint32 words, declared by name and range and read through views.

A game's whole state must pass through every kernel of a step, so it travels as a flat tuple of uint32 words and is
decoded where it is used.  Everything here is elementwise bit arithmetic on arrays of any shape: one environment
(``()``), a batch (``[B]``), one environment under ``vmap`` or a block inside a Pallas kernel, with NumPy or JAX, give
the same bits.

>>> from rlenv_shared.packing import Layout, bits, record
>>> GAME = Layout("game", [bits("turn", 0, 1000), record("side", 2, [bits("boost", -6, 6, count=7)])])
>>> view = GAME.view(GAME.zeros())
>>> view.side[1].boost[2] = -1
>>> GAME.decode(view.words())["side"][1], GAME.num_words
({'boost': [0, 0, -1, 0, 0, 0, 0]}, 3)
"""

from rlenv_shared.packing.fields import Field, Group, bits, flag, group, record, word
from rlenv_shared.packing.layout import Layout, Words
from rlenv_shared.packing.select import one_hot, select
from rlenv_shared.packing.store import Conditions, Within
from rlenv_shared.packing.view import Items, Part, UnknownFieldError, View, checked

__all__ = [
    "Conditions",
    "Field",
    "Group",
    "Items",
    "Layout",
    "Part",
    "UnknownFieldError",
    "View",
    "Within",
    "Words",
    "bits",
    "checked",
    "flag",
    "group",
    "one_hot",
    "record",
    "select",
    "word",
]
