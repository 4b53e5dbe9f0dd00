"""Text from models and people, as one clean line."""

from __future__ import annotations

_JOINERS = frozenset("\u200c\u200d")
"""Invisible, yet part of what is written: emoji of several parts, some scripts."""


def clean_line(text: str, most: int) -> str:
    """`text` on one line of at most `most` characters, without control characters, half characters
    (lone surrogates) and marks that turn the direction of what follows; perhaps empty."""
    seen = "".join(c if c.isprintable() or c in _JOINERS else " " for c in text)
    return " ".join(seen.split())[:most].strip(" \u200c\u200d")
