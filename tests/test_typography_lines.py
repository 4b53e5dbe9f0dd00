from __future__ import annotations

import pytest

from bot.typography import shorten, to_one_line


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("  Réviser\tles\nfractions ", "Réviser les fractions"),
        ("a\x00b\x1b[31mc", "a b [31mc"),
        ("evil\u202egnp.exe", "evil gnp.exe"),
        ("half \ud83d character", "half character"),
        ("مراجعة الدرس", "مراجعة الدرس"),
        ("👨‍👩‍👧 famille 🇸🇳", "👨‍👩‍👧 famille 🇸🇳"),
        ("\u200d\u2066 \u200c", ""),
        ("", ""),
    ],
    ids=["spaces", "controls", "direction", "surrogate", "arabic", "emoji", "invisible", "empty"],
)
def test_a_line_keeps_what_is_read_and_nothing_else(text: str, clean: str) -> None:
    assert to_one_line(text, 100) == clean


def test_a_line_has_at_most_so_many_characters() -> None:
    assert to_one_line("ab " * 1000, 8) == "ab ab ab"
    assert to_one_line("ab ab", 3) == "ab"


def test_what_is_too_long_ends_with_an_ellipsis() -> None:
    assert shorten("fractions", 9) == "fractions"
    assert shorten("les fractions", 9) == "les frac…"
    assert shorten("les fractions", 5) == "les…"
