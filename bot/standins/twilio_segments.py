"""Count the segments of an SMS as the GSM standards do (3GPP 23.038, 23.040)."""

from __future__ import annotations

from collections.abc import Iterable

GSM7 = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
ESCAPED = frozenset("\f^{}\\[~]|€")


def is_gsm7(text: str) -> bool:
    return set(text) <= GSM7 | ESCAPED


def count_segments(text: str) -> int:
    """Return at least 1. An escaped character or a surrogate pair is never divided."""
    if is_gsm7(text):
        return _count((2 if each in ESCAPED else 1 for each in text), 160, 153)
    return _count((2 if ord(each) > 0xFFFF else 1 for each in text), 70, 67)


def _count(widths: Iterable[int], alone: int, joined: int) -> int:
    each_width = list(widths)
    if sum(each_width) <= alone:
        return 1
    segments, free = 1, joined
    for width in each_width:
        if width > free:
            segments, free = segments + 1, joined
        free -= width
    return segments
