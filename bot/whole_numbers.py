"""Whole numbers: the greatest that is stored, and those that people write."""

from __future__ import annotations

from typing import Final

BIGGEST: Final = 2**63 - 1
"""The greatest that both databases keep (BIGINT): no id and no count is beyond it, so that a
listing of what came before it begins with the newest."""


def read_whole_number(text: str, most: int) -> int | None:
    """The number from 0 to `most` that `text` writes in digits from 0 to 9, and no longer than
    `most` itself is written; None: it is none."""
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(most)):
        return None
    number = int(text)
    return number if number <= most else None
