"""List the grades of school from CP to Terminale, and read how people write grade and class."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final, Literal, get_args

from bot.i18n import fold

Grade = Literal[
    "CP", "CE1", "CE2", "CM1", "CM2", "6e", "5e", "4e", "3e", "2nde", "1re", "Terminale"
]
GRADES: Final[tuple[Grade, ...]] = get_args(Grade)
"""From the youngest to the oldest; the place in it is a grade's rank."""
RANKS: Final[Mapping[str, int]] = {grade: rank for rank, grade in enumerate(GRADES)}
PRIMARY_GRADES: Final = frozenset({"CP", "CE1", "CE2", "CM1", "CM2"})
SchoolBand = Literal["primary", "lower_secondary", "upper_secondary", "other"]
_LONGEST = 80
_SPACES = re.compile(r"[^a-z0-9]+")
_TABLE: Final[tuple[tuple[Grade, str], ...]] = (
    ("CP", r"cp ?[12]?|ci|cours (?:d )?initiation|cours preparatoire.*|(?:primary|grade) 1"),
    ("CE1", r"ce ?1|cours elementaire (?:1|premiere).*|(?:primary|grade) 2"),
    ("CE2", r"ce ?2|cours elementaire (?:2|deuxieme).*|(?:primary|grade) 3"),
    ("CM1", r"cm ?1|cours moyen (?:1|premiere).*|(?:primary|grade) 4"),
    ("CM2", r"cm ?2|cours moyen (?:2|deuxieme).*|(?:primary|grade) 5"),
    ("6e", r"6 ?(?:ieme|eme|em|e)|sixieme|(?:primary|grade) 6"),
    ("5e", r"5 ?(?:ieme|eme|em|e)|cinquieme|jhs ?1|jss ?1|grade 7"),
    ("4e", r"4 ?(?:ieme|eme|em|e)|quatrieme|jhs ?2|jss ?2|grade 8"),
    ("3e", r"3 ?(?:ieme|eme|em|e)|troisieme|jhs ?3|jss ?3|grade 9"),
    ("2nde", r"2 ?(?:nde|nd|de)|seconde|shs ?1|sss? ?1|grade 10"),
    ("1re", r"1 ?(?:ere|re)|premiere|shs ?2|sss? ?2|grade 11"),
    ("Terminale", r"terminale|term|tle|ter|shs ?3|sss? ?3|grade 12"),
)
"""Words for each grade. English-speaking neighbours count six primary years, then twice three."""
_GROUP = r"(?: ?[a-z][0-9]?| [0-9])?"
"""The letter or number of one class of a grade: `CM2 A`, `6e 3`, `TleD1`."""
_PATTERNS: Final[tuple[tuple[Grade, re.Pattern[str]], ...]] = tuple(
    (grade, re.compile(rf"(?:classe de |class )?(?:{words}){_GROUP}")) for grade, words in _TABLE
)


def find_grade(text: str) -> Grade | None:
    """Return the grade that a person's words name: `CM2 A`, `6ème`, `sixième`, `Tle D`, `JHS 2`.

    None: the words name no grade, or not a single one (`collège`, `10e année`).
    """
    words = _SPACES.sub(" ", fold(text[:_LONGEST])).strip()
    return next((grade for grade, pattern in _PATTERNS if pattern.fullmatch(words)), None)


_NOT_A_SIGN = re.compile(r"[^a-z0-9+]+")
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_FIGURES = {word: str(number) for number, word in enumerate((*_WORDS, "twelve"), 1)}
_CLASS = r"(?: ?[a-z]\d?| \d)?\b"
"""The part that tells classes of one year apart: `CM2 A`, `6e 3`, `TleD1`."""
_BANDS: tuple[tuple[SchoolBand, str], ...] = (
    (
        "other",
        r"\b(?:universit\w*|uni|fac|faculte|licence|bachelor|master|doctorat|phd|bts|dut|hnd|l[123]"
        r"|m[12])\b|\bbac ?\+",
    ),
    (
        "primary",
        rf"\b(?:c[pem] ?[12]|c[ip]){_CLASS}|\bcours (?:d )?(?:initiation|preparatoire|elem|moyen)"
        rf"|\b(?:primary|pry|p|class|basic|grade|standard|std) ?[1-6]{_CLASS}"
        r"|\b[1-6] ?(?:st|nd|rd|th) grade\b",
    ),
    (
        "lower_secondary",
        rf"\b(?:jhs|jss|junior(?: \w+){{0,2}}|form) ?[1-3]{_CLASS}|\b(?:basic|grade) ?[7-9]{_CLASS}"
        r"|\b[7-9] ?(?:th grade|(?:e|eme|ieme) annee)\b",
    ),
    (
        "upper_secondary",
        rf"\b(?:sh?s|sss|senior(?: \w+){{0,2}}) ?[1-3]{_CLASS}|\bform ?[45]{_CLASS}"
        rf"|\bgrade ?1[0-2]{_CLASS}|\b1[0-2]th grade\b|\b1[12] ?(?:e|eme|ieme) annee\b"
        r"|\b(?:lower|upper) (?:sixth|6)",
    ),
    ("primary", r"\b(?:primaire|fondamental)"),
    ("other", r"\b(?:annee|year)\b"),
    (
        "lower_secondary",
        rf"\b[3-6] ?(?:ieme|eme|em|e)\d?{_CLASS}|\b(?:sixieme|cinquieme|quatrieme|troisieme)\b",
    ),
    (
        "upper_secondary",
        rf"\b(?:2 ?(?:nde|nd|de|ieme|eme|e)|1 ?(?:ere|re))\d?{_CLASS}|\b(?:seconde|premiere|term)"
        rf"|\b(?:tles?|ter)\d?{_CLASS}|^t ?[a-hls] ?\d?$",
    ),
    ("primary", r"\b(?:primary|pry|maternelle|nursery|kindergarten|kg|cepe?|cfee)\b"),
    ("lower_secondary", r"\b(?:college|jhs|jss|junior|bepc|bfem|def|bece)\b"),
    (
        "upper_secondary",
        r"\b(?:lycee|shs|sss|senior|bac|baccalaureat|probatoire|wassce|waec|ssce)\b",
    ),
)
"""In order of precedence: a class says more than its school (a lycée may have a 6e)."""
_BAND_PATTERNS: tuple[tuple[SchoolBand, re.Pattern[str]], ...] = tuple(
    (band, re.compile(pattern)) for band, pattern in _BANDS
)


def find_school_band(grade: str) -> SchoolBand:
    """Return the band of a grade as people write it: `CM2 A`, `6ème`, `Tle D`, `JHS 2`, `SS1`.

    `other` stands for no grade, higher education, or an ambiguous one, such as a bare number or
    `10e année`, which is lower secondary in Guinea and upper in Mali.
    """
    # Normalize to small ASCII letters, digits and single spaces; number words become figures.
    plain = unicodedata.normalize("NFKD", grade[:_LONGEST]).casefold()
    letters = "".join(char for char in plain if not unicodedata.combining(char))
    words = _NOT_A_SIGN.sub(" ", letters).split()
    sign = " ".join(_FIGURES.get(word, word) for word in words)
    for band, pattern in _BAND_PATTERNS:
        if pattern.search(sign):
            return band
    return "other"


_OTHER_CLASS: Final = re.compile(
    r"(?<!\d)\d{1,2}(?!\d)"
    r"|\b(?:licence|licenciate|bachelor|masters?|doctorate?|phd|bts|dut|iut|deug|cap|bep|hnd|nce"
    r"|prepa\w*|universit\w*|fac(?:ulte)?|polytechnic|ecole|school|etudes?|etudiante?|student"
    r"|(?:grande|moyenne|petite) section|creche|cours|formation|apprenti\w*|alphabetisation"
    r"|adultes?|adults?|autres?|other|none|aucune?|prof\w*|enseignante?|teacher|parent)\b"
)
"""What names a class, or why there is none, beside the grades of school; folded."""


def names_class(grade: str) -> bool:
    """Return whether these words can name a class, or say that there is none."""
    return find_school_band(grade) != "other" or _OTHER_CLASS.search(fold(grade)) is not None
