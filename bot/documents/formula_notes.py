"""Collect the formulas that a document shows as they were typed, and name them to the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from bot.documents.document_request import quote_text, write_count
from bot.formulas.line_text import replace_formulas
from bot.formulas.syntax import Untypesettable, read_formula

_SHOWN: Final = 3
"""Most formulas and commands that a note names."""
_LONGEST: Final = 60
"""Most characters of one of them."""


@dataclass
class FormulaReport:
    """What could not be set in the formulas of one document."""

    unset: list[str] = field(default_factory=list[str])
    """Formulas that stand as they were typed."""
    unknown: list[str] = field(default_factory=list[str])
    """Commands that stand as they were typed, in formulas that are set otherwise."""
    unruled: list[str] = field(default_factory=list[str])
    """Formulas whose lines between cells are not shown."""

    def check(self, texts: Iterable[str]) -> None:
        """Note the formulas of plain texts, between dollar signs, that a line cannot show."""

        def check_formula(latex: str) -> str:
            try:
                read_formula(latex, unknown=self.unknown)
            except Untypesettable:
                self.unset.append(latex)
            return latex

        for text in texts:
            replace_formulas(text, check_formula)

    def write_notes(self) -> Iterator[str]:
        if self.unset:
            stayed = write_count(len(set(self.unset)), "formula")
            yield f"{stayed} could not be set and stayed as typed: {_list(self.unset)}."
        if self.unknown:
            named = _list(self.unknown)
            yield (
                f"Commands in formulas that are not known here stayed as typed: {named}. Write "
                "them in other LaTeX."
            )
        if self.unruled:
            tables = write_count(len(set(self.unruled)), "formula")
            yield (
                f"The lines between the cells of {tables} are not shown: {_list(self.unruled)}. "
                "They are where the array stands on a line of its own between $$."
            )


def _list(sources: list[str]) -> str:
    named = list(dict.fromkeys(sources))
    shown = ", ".join(quote_text(source[:_LONGEST]) for source in named[:_SHOWN])
    return shown + (", …" if len(named) > _SHOWN else "")
