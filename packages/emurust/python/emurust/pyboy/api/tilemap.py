"""The two tile maps, as background and window show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emurust import _core
from emurust.pyboy.api.tile import Tile
from emurust.pyboy.errors import PyBoyAssertionError, PyBoyIndexError, PyBoyInvalidInputException, refused

SIDE: Final = 32


class TileMap(_core.TileMapView):
    """`tilemap[column, row]` gives the number of a tile; slices give lists, rows first: `tilemap[0:20, 0:18]`.

    Numbers are read as a program would read them: from the video bank that is selected. Single places are read in the
    core.

    Attributes:
        shape: (32, 32).
    """

    shape = (SIDE, SIDE)

    def area(self, x: int, y: int, width: int, height: int, follow: bool) -> NDArray[np.uint32]:
        """Numbers of the tiles of a part, uint32 [height, width]; with ``follow`` it moves with the screen."""
        return self._machine.tile_area(self._window, self._control, (x, y, width, height, follow))

    def search_for_identifiers(self, identifiers: Iterable[int]) -> list[list[list[int]]]:
        """Per number the ``[row, column]`` of every place where it is."""
        rows = self._rows(range(SIDE), range(SIDE))
        return [
            [[y, x] for y, row in enumerate(rows) for x, tile in enumerate(row) if tile == wanted]
            for wanted in identifiers
        ]

    def _get(self, xy: Any) -> Any:
        x, y = (xy, slice(None)) if isinstance(xy, int | slice) else _pair(xy)
        columns, rows = _places("column", x), _places("row", y)
        found: Any = self._rows(columns, rows)
        if self._use_tile_objects:
            found = [[Tile(self._machine, tile) for tile in row] for row in found]
        if not isinstance(x, slice):
            found = [row[0] for row in found]
        return found if isinstance(y, slice) else found[0]

    def _rows(self, columns: range, rows: range) -> list[list[int]]:
        for name, places in (("column", columns), ("row", rows)):
            if len(places) and not (places[0] >= 0 and places[-1] < SIDE):
                raise refused(PyBoyIndexError, name, places[-1] if places[0] >= 0 else places[0], f"0 to {SIDE - 1}")
        if not len(columns) or not len(rows):
            return [[] for _ in rows]
        width, height = columns[-1] + 1 - columns[0], rows[-1] + 1 - rows[0]
        area = self.area(columns[0], rows[0], width, height, False)
        tiles: list[list[int]] = area[:: rows.step, :: columns.step].tolist()
        return tiles

    def __repr__(self) -> str:
        signed = "Yes" if self.signed_tile_data else "No"
        head = f"Tile Map Address: {self.map_offset:#06x}, Signed Tile Data: {signed}\n"
        numbers = " " * 5 + "".join(f"{column: <4}" for column in range(SIDE)) + "\n" + "_" * (4 * SIDE + 2) + "\n"
        rows = self._rows(range(SIDE), range(SIDE))
        lines = (f"{row: <3}| " + "".join(f"{tile: <4}" for tile in tiles) for row, tiles in enumerate(rows))
        return head + numbers + "\n".join(lines)


def _pair(key: Any) -> tuple[Any, Any]:
    if not isinstance(key, tuple) or len(key) != 2:
        raise refused("PyBoyTypeError", "tile map key", repr(key), "column, row")
    return key[0], key[1]


def _places(name: str, key: Any) -> range:
    if isinstance(key, int):
        return range(key, key + 1)
    if not isinstance(key, slice):
        raise refused(PyBoyAssertionError, name, repr(key), "an integer or a slice")
    start = 0 if key.start is None else key.start
    stop = SIDE if key.stop is None else key.stop
    step = 1 if key.step is None else key.step
    if not all(isinstance(value, int) for value in (start, stop, step)):
        raise refused("PyBoyTypeError", name, repr(key), "integers")
    if step <= 0 or start > stop:
        raise refused(PyBoyInvalidInputException, name, repr(key), "0 <= start <= stop and a positive step")
    return range(start, stop, step)
