"""Which band of school a grade belongs to, as people write it in West Africa."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Band = Literal["primary", "lower_secondary", "upper_secondary", "other"]

_LONGEST = 80
_NOT_A_SIGN = re.compile(r"[^a-z0-9+]+")
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_FIGURES = {word: str(number) for number, word in enumerate((*_WORDS, "twelve"), 1)}
_GROUP = r"(?: ?[a-z]\d?| \d)?\b"
"""What tells classes of one year apart: `CM2 A`, `6e 3`, `TleD1`."""
_TABLE: tuple[tuple[Band, str], ...] = (
    (
        "other",
        r"\b(?:universit\w*|uni|fac|faculte|licence|bachelor|master|doctorat|phd|bts|dut|hnd|l[123]"
        r"|m[12])\b|\bbac ?\+",
    ),
    (
        "primary",
        rf"\b(?:c[pem] ?[12]|c[ip]){_GROUP}|\bcours (?:d )?(?:initiation|preparatoire|elem|moyen)"
        rf"|\b(?:primary|pry|p|class|basic|grade|standard|std) ?[1-6]{_GROUP}"
        r"|\b[1-6] ?(?:st|nd|rd|th) grade\b",
    ),
    (
        "lower_secondary",
        rf"\b(?:jhs|jss|junior(?: \w+){{0,2}}|form) ?[1-3]{_GROUP}|\b(?:basic|grade) ?[7-9]{_GROUP}"
        r"|\b[7-9] ?(?:th grade|(?:e|eme|ieme) annee)\b",
    ),
    (
        "upper_secondary",
        rf"\b(?:sh?s|sss|senior(?: \w+){{0,2}}) ?[1-3]{_GROUP}|\bform ?[45]{_GROUP}"
        rf"|\bgrade ?1[0-2]{_GROUP}|\b1[0-2]th grade\b|\b1[12] ?(?:e|eme|ieme) annee\b"
        r"|\b(?:lower|upper) (?:sixth|6)",
    ),
    ("primary", r"\b(?:primaire|fondamental)"),
    ("other", r"\b(?:annee|year)\b"),
    (
        "lower_secondary",
        rf"\b[3-6] ?(?:ieme|eme|em|e)\d?{_GROUP}|\b(?:sixieme|cinquieme|quatrieme|troisieme)\b",
    ),
    (
        "upper_secondary",
        rf"\b(?:2 ?(?:nde|nd|de|ieme|eme|e)|1 ?(?:ere|re))\d?{_GROUP}|\b(?:seconde|premiere|term)"
        rf"|\b(?:tles?|ter)\d?{_GROUP}|^t ?[a-hls] ?\d?$",
    ),
    ("primary", r"\b(?:primary|pry|maternelle|nursery|kindergarten|kg|cepe?|cfee)\b"),
    ("lower_secondary", r"\b(?:college|jhs|jss|junior|bepc|bfem|def|bece)\b"),
    (
        "upper_secondary",
        r"\b(?:lycee|shs|sss|senior|bac|baccalaureat|probatoire|wassce|waec|ssce)\b",
    ),
)
"""In order of precedence: a class is surer than the school it is in (a lycée may have a 6e)."""
_PATTERNS: tuple[tuple[Band, re.Pattern[str]], ...] = tuple(
    (band, re.compile(pattern)) for band, pattern in _TABLE
)


def band_of(grade: str) -> Band:
    """The band of a grade as a person wrote it: `CM2 A`, `6ème`, `Tle D`, `JHS 2`, `SS1`.

    `other`: nothing, higher education, or what can mean two things: a bare number, or `10e année`,
    which is lower secondary in Guinea and upper in Mali.
    """
    sign = _simplify(grade)
    for band, pattern in _PATTERNS:
        if pattern.search(sign):
            return band
    return "other"


def _simplify(grade: str) -> str:
    """Small ASCII letters, digits and single spaces; numbers in figures; accents left off."""
    plain = unicodedata.normalize("NFKD", grade[:_LONGEST]).casefold()
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    words = _NOT_A_SIGN.sub(" ", letters).split()
    return " ".join(_FIGURES.get(word, word) for word in words)
