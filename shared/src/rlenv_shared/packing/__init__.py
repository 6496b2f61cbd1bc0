"""Packed state: many small integers in few uint32 words, declared by name and range and read through views.

A game's whole state must pass through every kernel of a step, so it travels as a flat tuple of uint32 words and is
decoded where it is used.  Everything here is elementwise bit arithmetic on arrays of any shape: one environment
(``()``), a batch (``[B]``), one environment under ``vmap`` or a block inside a Pallas kernel, with NumPy or JAX, give
the same bits.

>>> from rlenv_shared.packing import Layout, bits, flag, record
>>> GAME = Layout("game", [
...     bits("turn", 0, 1000),
...     record("side", 2, [
...         bits("active", 0, 5),
...         bits("boost", -6, 6, count=7),
...         record("mon", 6, [bits("hp", 0, 714), bits("level", 1, 100), flag("asleep")]),
...     ]),
... ], max_words=20)
>>> def hit(words, damage):
...     '''The active Pokémon of the second side loses ``damage`` and wakes up.'''
...     view = GAME.view(words)
...     side = view.side[1]
...     mon = side.mon[side.active]  # an array: picked by select, put back when the view is done
...     mon.set("hp", mon.hp - damage, where=mon.hp > damage)
...     mon.asleep = False
...     side.boost[2] = -1
...     return view.words()
>>> words = GAME.encode({"side": [{}, {"active": 3, "mon": [{"hp": 714, "asleep": True}] * 6}]})
>>> after = GAME.decode(hit(words, 200))["side"][1]
>>> after["boost"], after["mon"][3], GAME.num_words
([0, 0, -1, 0, 0, 0, 0], {'hp': 514, 'level': 1, 'asleep': False}, 15)
"""

from rlenv_shared.packing.fields import Field, Group, bits, flag, group, record, word
from rlenv_shared.packing.layout import Layout, Words
from rlenv_shared.packing.select import one_hot, pick, put, select
from rlenv_shared.packing.view import Items, Part, UnknownFieldError, View, checked

__all__ = [
    "Field",
    "Group",
    "Items",
    "Layout",
    "Part",
    "UnknownFieldError",
    "View",
    "Words",
    "bits",
    "checked",
    "flag",
    "group",
    "one_hot",
    "pick",
    "put",
    "record",
    "select",
    "word",
]
