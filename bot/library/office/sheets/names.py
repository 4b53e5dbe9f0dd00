"""Names of sheets and headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from bot.errors import ToolFailed
from bot.library.office.sheets.references import column_number
from bot.library.office.text import clean_line

LONGEST: Final = 31
"""UTF-16 units of a sheet's name (XlsxWriter's `Workbook._check_sheetname`, for all the rules)."""
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_LETTERS = re.compile(r"[A-Z]{1,2}")
_RESERVED = ("history", "historique")


def fold(name: str) -> str:
    """`name` as it is compared: without regard to case and to spaces around and between."""
    return clean_line(name).casefold()


def name_sheets(wanted: Iterable[str]) -> list[str]:
    """Names that every spreadsheet program takes, each different from the others."""
    names: list[str] = []
    taken: set[str] = set(_RESERVED)
    for number, name in enumerate(wanted, start=1):
        tidy = clean_line(_FORBIDDEN.sub(" ", name)).strip("' ")
        tidy = _cut(tidy, LONGEST) or f"Sheet{number}"
        names.append(_differ(tidy, taken))
        taken.add(names[-1].casefold())
    return names


def find_header(headers: Sequence[str], wanted: str, where: str) -> int:
    """The index of the column `wanted`: its header, or else its letter.

    Raises:
        ToolFailed: there is none; it names those that are.
    """
    folded = [fold(header) for header in headers]
    if fold(wanted) in folded:
        return folded.index(fold(wanted))
    letters = wanted.strip()
    if _LETTERS.fullmatch(letters) and column_number(letters) <= len(headers):
        return column_number(letters) - 1
    known = ", ".join(repr(clean_line(header)) for header in headers[:30])
    raise ToolFailed(
        f"{where}: there is no column {clean_line(wanted)!r}. Its headers are {known}."
    )


def _differ(name: str, taken: set[str]) -> str:
    unique, number = name, 2
    while unique.casefold() in taken:
        unique = f"{_cut(name, LONGEST - len(str(number)) - 3)} ({number})"
        number += 1
    return unique


def _cut(name: str, units: int) -> str:
    return name.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore").strip("' ")
