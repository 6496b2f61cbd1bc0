"""What a comparison found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from rlenv_shared.errors import DivergenceError


@dataclasses.dataclass(frozen=True)
class FieldResult:
    """Counts of one field.

    Attributes:
        compared: values compared.
        mismatches: values outside the tolerance.
        max_abs: largest absolute difference met, within tolerance or not.
        max_ulp: the same in units in the last place; None for integers and mixed float widths.
        tolerance: names of the tolerances applied, ``exact`` for none.
    """

    compared: int
    mismatches: int
    max_abs: float
    max_ulp: int | None
    tolerance: str


@dataclasses.dataclass(frozen=True)
class Divergence:
    """The first difference.

    Attributes:
        episode: column of the recording.
        step: row of the recording, -1 for the state after the reset.
        game: games ended earlier in this column (auto-reset).
        game_step: steps since that game's reset.
        field: path of field and component, e.g. ``obs[3]``.
        ours: our value; floats with their bits.
        theirs: the reference's value.
        error: absolute difference.
        tolerance: the bound that was missed.
        action: the action of this step.
        generator: words of both generators before this step, hexadecimal.
        repro: command that shows the divergence again.
    """

    episode: int
    step: int
    game: int
    game_step: int
    field: str
    ours: str
    theirs: str
    error: float
    tolerance: str
    action: Any
    generator: Mapping[str, list[str]]
    repro: str

    def __str__(self) -> str:
        place = "after the reset" if self.step < 0 else f"step {self.step}"
        if self.game:
            place += f" (game {self.game}, its step {self.game_step})"
        lines = [
            f"first divergence at episode {self.episode}, {place}, {self.field}:",
            f"  ours       {self.ours}",
            f"  theirs     {self.theirs}",
            f"  difference {self.error:.6g}, allowed: {self.tolerance}",
            f"  action     {self.action}",
        ]
        lines += [f"  generator  {side}: {' '.join(words)}" for side, words in self.generator.items() if words]
        return "\n".join(lines + ([f"  reproduce  {self.repro}"] if self.repro else []))


@dataclasses.dataclass(frozen=True)
class Unlike:
    """Something other than a value differs: how much was recorded, which steps, which fields, their shapes or dtypes.

    Attributes:
        what: ``"steps and episodes"``, ``"valid"``, ``"field 'reward'"``, ``"dtype of 'obs'"``, …
        ours: what our recording has.
        theirs: what the reference's has.
    """

    what: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return f"{self.what}: ours {self.ours}, theirs {self.theirs}"


@dataclasses.dataclass(frozen=True)
class Differences:
    """Result of a comparison.

    Attributes:
        steps: environment steps compared: those that both sides recorded.
        ends: ends of games among them.
        fields: counts by field; ``initial <field>`` for the state after the reset.
        first: the first value that diverges, None if there is none.
        unlike: differences that are none of values; the values were compared as far as both sides have them.
    """

    steps: int
    ends: int
    fields: Mapping[str, FieldResult]
    first: Divergence | None
    unlike: tuple[Unlike, ...] = ()

    @property
    def ok(self) -> bool:
        """The recordings are alike, and no value differs by more than its tolerance."""
        return self.first is None and not self.unlike

    @property
    def mismatches(self) -> int:
        """Mismatching values of all fields, and other differences."""
        return sum(field.mismatches for field in self.fields.values()) + len(self.unlike)

    def raise_on_divergence(self) -> None:
        """Raise if anything differs.

        Raises:
            DivergenceError: with the first divergence and the counts.
        """
        if not self.ok:
            raise DivergenceError(str(self))

    def to_json(self) -> dict[str, Any]:
        """JSON-serialisable form; an infinite error becomes the string ``"inf"``."""
        return _plain(dataclasses.asdict(self))

    def __str__(self) -> str:
        compared = sum(field.compared for field in self.fields.values())
        head = f"{self.mismatches:,} mismatches in {compared:,} values of {self.steps:,} steps ({self.ends:,} ends)"
        lines = [f"the recordings are not alike: {difference}" for difference in self.unlike]
        if self.first is None:
            return "\n  ".join([*lines, head])
        bad = ", ".join(f"{name} {field.mismatches:,}" for name, field in self.fields.items() if field.mismatches)
        return "\n".join([*lines, f"{self.first}\n  {head}: {bad}"])


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
