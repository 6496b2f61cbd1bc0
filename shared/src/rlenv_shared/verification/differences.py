"""What a comparison found."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from rlenv_shared.errors import DivergenceError


@dataclasses.dataclass(frozen=True)
class FieldResult:
    """Counts of one field."""

    compared: int  # values compared
    mismatches: int  # values outside the tolerance
    max_abs: float  # largest absolute difference met, within tolerance or not
    max_ulp: int | None  # the same in units in the last place; None for integers and mixed float widths
    tolerance: str  # names of the tolerances applied, ``exact`` for none


@dataclasses.dataclass(frozen=True)
class Divergence:
    """The first difference."""

    episode: int  # column of the recording
    step: int  # row of the recording, -1 for the state after the reset
    game: int  # games ended earlier in this column (auto-reset)
    game_step: int  # steps since that game's reset
    field: str  # path of field and component, e.g. ``obs[3]``
    ours: str  # our value; floats with their bits
    theirs: str  # the reference's value
    error: float  # absolute difference
    tolerance: str  # the bound that was missed
    action: Any  # the action of this step
    generator: Mapping[str, list[str]]  # words of both generators before this step, hexadecimal
    repro: str  # command that shows the divergence again

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
    """Something other than a value differs: how much was recorded, which steps or fields, their shapes or dtypes."""

    what: str  # ``"steps and episodes"``, ``"valid"``, ``"field 'reward'"``, ``"dtype of 'obs'"``, …
    ours: str  # what our recording has
    theirs: str  # what the reference's has

    def __str__(self) -> str:
        return f"{self.what}: ours {self.ours}, theirs {self.theirs}"


@dataclasses.dataclass(frozen=True)
class Differences:
    """Result of a comparison."""

    steps: int  # environment steps compared: those that both sides recorded
    ends: int  # ends of games among them
    fields: Mapping[str, FieldResult]  # counts by field; ``initial <field>`` for the state after the reset
    first: Divergence | None  # the first value that diverges, None if there is none
    unlike: tuple[Unlike, ...] = ()  # differences that are none of values, which were compared as far as both have them

    @property
    def ok(self) -> bool:
        """The recordings are alike, and no value differs by more than its tolerance."""
        return self.first is None and not self.unlike

    @property
    def mismatches(self) -> int:
        """Mismatching values of all fields, and other differences."""
        return sum(field.mismatches for field in self.fields.values()) + len(self.unlike)

    def raise_on_divergence(self) -> None:
        """Raise a DivergenceError with the first divergence and the counts if anything differs."""
        if not self.ok:
            raise DivergenceError(str(self))

    def __str__(self) -> str:
        compared = sum(field.compared for field in self.fields.values())
        head = f"{self.mismatches:,} mismatches in {compared:,} values of {self.steps:,} steps ({self.ends:,} ends)"
        lines = [f"the recordings are not alike: {difference}" for difference in self.unlike]
        if self.first is None:
            return "\n  ".join([*lines, head])
        bad = ", ".join(f"{name} {field.mismatches:,}" for name, field in self.fields.items() if field.mismatches)
        return "\n".join([*lines, f"{self.first}\n  {head}: {bad}"])
