"""Packing of the export, and its check of callbacks."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from references.showdown import export
from references.showdown.tables import DATA

from rlenv_shared.errors import InvalidParamsError

pytestmark = pytest.mark.l1


@pytest.mark.parametrize("change", ["new", "gone", "text", "class"])
def test_a_callback_that_is_not_listed_is_refused(change):
    listed = json.loads((DATA / "callbacks.json").read_text())["callbacks"]
    export.check_callbacks(DATA / "callbacks.json", listed)
    altered = {
        "new": [*listed, {"kind": "move", "id": "tackle", "callback": "onHit", "class": "custom", "source": "0"}],
        "gone": listed[1:],
        "text": [{**listed[0], "source": "00000000"}, *listed[1:]],
        "class": [{**listed[0], "class": "message"}, *listed[1:]],
    }[change]
    name = "move tackle onHit" if change == "new" else f"{listed[0]['kind']} {listed[0]['id']} {listed[0]['callback']}"
    with pytest.raises(InvalidParamsError, match=f"1 new, gone or changed: {name}"):
        export.check_callbacks(DATA / "callbacks.json", altered)


def test_without_a_listing_there_is_nothing_to_compare(tmp_path):
    export.check_callbacks(tmp_path / "callbacks.json", [])


def test_archives_have_the_same_bytes_every_time():
    tables = {
        "moves": {"power": {"dtype": "uint8", "values": [0, 40, 255]}, "boosts": {"dtype": "int8", "values": [[-6]]}}
    }
    data = export.archive(tables)
    assert data == export.archive(tables)
    with np.load(io.BytesIO(data)) as archive:
        assert archive["moves.power"].tolist() == [0, 40, 255]
        assert archive["moves.boosts"].dtype == np.int8
