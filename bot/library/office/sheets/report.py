"""What a model should know of a workbook before it speaks of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.library.office.sheets.cells import LONGEST, Reading
from bot.library.office.sheets.grid import Outcome

_EXAMPLES = 3
_SHOWN = 40
"""Characters of a cell."""
_MOST = 20
"""Notes."""


@dataclass
class Report:
    notes: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    """Formulas that became text."""
    faults: list[str] = field(default_factory=list[str])
    """Formulas whose result is an error."""
    unknown: int = 0
    """Formulas whose result is not known here."""

    def add(self, note: str) -> None:
        self.notes.append(note)

    def add_reading(self, where: str, reading: Reading) -> None:
        if reading.kept:
            shown = ", ".join(
                f"row {index + 2} {_show(text)}" for index, text in reading.kept[:_EXAMPLES]
            )
            more = ", …" if len(reading.kept) > _EXAMPLES else ""
            self.add(
                f"{len(reading.kept)} cells are no {reading.kind} and stayed text "
                f"({where}: {shown}{more})."
            )
        if reading.cut:
            self.add(f"{reading.cut} cells were cut at {LONGEST} characters ({where}).")

    def add_refusal(self, where: str, row: int, text: str, reason: str) -> None:
        self.refused.append(f"{where}, row {row}: {_show(text)}: {reason}")

    def add_outcome(self, where: str, row: int, outcome: Outcome) -> None:
        """Count what a formula came to, where that is not a value."""
        if outcome.is_circular:
            self.refused.append(f"{where}, row {row}: it depends on itself")
        elif outcome.error:
            self.faults.append(f"{where}, row {row}: {outcome.error}")
        elif outcome.value is None:
            self.unknown += 1

    def finish(self) -> tuple[str, ...]:
        """All notes, the most important first, and not more than a model should read."""
        notes = list(self.notes)
        if self.unknown:
            notes.insert(
                0,
                f"The results of {self.unknown} formulas show only in a program that calculates, "
                "not in the preview of a phone.",
            )
        if self.faults:
            notes.insert(0, f"{len(self.faults)} formulas give an error ({_list(self.faults)}).")
        if self.refused:
            notes.insert(0, f"{len(self.refused)} formulas stayed text ({_list(self.refused)}).")
        if len(notes) > _MOST:
            notes[_MOST:] = [f"{len(notes) - _MOST} more notes like these were left out."]
        return tuple(notes)


def _list(examples: Sequence[str]) -> str:
    return "; ".join(examples[:_EXAMPLES]) + ("; …" if len(examples) > _EXAMPLES else "")


def _show(text: str) -> str:
    short = " ".join(text.split())
    return repr(short if len(short) <= _SHOWN else short[: _SHOWN - 1] + "…")
