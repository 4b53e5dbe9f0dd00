"""List the grades of school from CP to Terminale, and read how people write grade and class."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, get_args

from bot.i18n import fold
from bot.typography import strip_accents

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
_PRIMARY: Final = r"(?:primary|pry|p|class|basic|grade|standard|std)"
_TABLE: Final[tuple[tuple[Grade, str], ...]] = (
    (
        "CP",
        rf"cp ?[12]?|ci|cours (?:d )?initiation|cours preparatoire.*|{_PRIMARY} ?1"
        r"|(?:ecole )?maternelle|(?:grande|moyenne|petite) section|nursery(?: school)?"
        r"|kindergarten|kg ?[123]?|preschool",
    ),
    ("CE1", rf"ce ?1|cours elementaire (?:1|premiere).*|{_PRIMARY} ?2"),
    ("CE2", rf"ce ?2|cours elementaire (?:2|deuxieme).*|{_PRIMARY} ?3"),
    ("CM1", rf"cm ?1|cours moyen (?:1|premiere).*|{_PRIMARY} ?4"),
    ("CM2", rf"cm ?2|cours moyen (?:2|deuxieme).*|{_PRIMARY} ?5"),
    ("6e", rf"6 ?(?:ieme|eme|em|e)|sixieme|{_PRIMARY} ?6|year 7"),
    ("5e", r"5 ?(?:ieme|eme|em|e)|cinquieme|(?:jhs|jss|form) ?1|(?:basic|grade) ?7|year 8"),
    ("4e", r"4 ?(?:ieme|eme|em|e)|quatrieme|(?:jhs|jss|form) ?2|(?:basic|grade) ?8|year 9"),
    ("3e", r"3 ?(?:ieme|eme|em|e)|troisieme|(?:jhs|jss|form) ?3|(?:basic|grade) ?9|year 10"),
    ("2nde", r"2 ?(?:nde|nd|de)|seconde|shs ?1|sss? ?1|grade 10|form ?4|year 11"),
    (
        "1re",
        r"1 ?(?:ere|re)|premiere|shs ?2|sss? ?2|grade 11|form ?5|lower (?:6th|sixth|6)|year 12",
    ),
    (
        "Terminale",
        r"terminale|term|tle|ter|shs ?3|sss? ?3|grade 12|form ?6|upper (?:6th|sixth|6)|year 13",
    ),
)
"""Words for each grade. English-speaking neighbours count six primary years, then twice three; the
English years 7 to 13 are one more than grades, and years before may be those of a university. Who
is not at school yet is counted with the first grade."""
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
_FIGURES = {word: str(number) for number, word in enumerate((*_WORDS, "twelve"), 1)}
_ORDINAL_GRADE: Final = re.compile(r"(\d{1,2}) ?(?:st|nd|rd|th) (grade|year)\b")
_AROUND: Final = re.compile(
    r"^(?:(?:bonjour|salut|hello|hi|svp|stp|moi|oui|alors)[ ,]+)*"
    r"(?:(?:je suis|j['’]suis|chuis|je fais|on est|i am|i['’]m)\s+)?"
    r"(?:(?:en|au|la|à la|a la|classe de|in|c['’]est|it['’]s|ma classe(?: est)?"
    r"|my class is)\s+)*"
    r"|[\s,.!]+(?:svp|stp|merci|please|pls|thanks|monsieur|madame|maintenant|now)\b[\s.!]*"
    r"|[\s,.!]+$",
    re.IGNORECASE,
)
"""Words of a sentence around a class: `je suis en CM2 stp`."""
_GROUP = r"(?: ?[a-z][0-9]?| [0-9])?"
"""The letter or number of one class of a grade: `CM2 A`, `6e 3`, `TleD1`."""


@lru_cache(maxsize=1)
def _compile_grades() -> list[tuple[Grade, re.Pattern[str]]]:
    return [
        (grade, re.compile(rf"(?:classe de |class )?(?:{words}){_GROUP}"))
        for grade, words in _TABLE
    ]


def find_grade(text: str) -> Grade | None:
    """Return the grade that a person's words name: `CM2 A`, `6ème`, `sixième`, `Tle D`, `JHS 2`.

    None: the words name no grade, or not a single one (`collège`, `10e année`).
    """
    words = _SPACES.sub(" ", fold(trim_grade(text))).strip()
    words = _ORDINAL_GRADE.sub(r"\2 \1", words)
    words = " ".join(_FIGURES.get(word, word) for word in words.split())
    return next((grade for grade, pattern in _compile_grades() if pattern.fullmatch(words)), None)


def trim_grade(text: str) -> str:
    """Return a class without the words of a sentence around it, if any is left, and in the usual
    spelling if it is only a grade: `CM2` for `cm2 stp`."""
    line = text[:_LONGEST].strip()
    line = _AROUND.sub("", line) or line
    return next((each for each in GRADES if each.casefold() == line.casefold()), line)


_NOT_A_SIGN = re.compile(r"[^a-z0-9+]+")
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
        rf"\byear ?(?:[7-9]|10)\b"
        rf"|\b(?:jhs|jss|junior(?: \w+){{0,2}}|form) ?[1-3]{_CLASS}"
        rf"|\b(?:basic|grade) ?[7-9]{_CLASS}"
        r"|\b[7-9] ?(?:th grade|(?:e|eme|ieme) annee)\b",
    ),
    (
        "upper_secondary",
        rf"\byear ?1[1-3]\b"
        rf"|\b(?:sh?s|sss|senior(?: \w+){{0,2}}) ?[1-3]{_CLASS}|\bform ?[456]{_CLASS}"
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


@lru_cache(maxsize=1)
def _compile_bands() -> list[tuple[SchoolBand, re.Pattern[str]]]:
    return [(band, re.compile(pattern)) for band, pattern in _BANDS]


def find_school_band(grade: str) -> SchoolBand:
    """Return the band of a grade as people write it: `CM2 A`, `6ème`, `Tle D`, `JHS 2`, `SS1`.

    `other` stands for no grade, higher education, or an ambiguous one, such as a bare number or
    `10e année`, which is lower secondary in Guinea and upper in Mali.
    """
    # Normalize to small ASCII letters, digits and single spaces; number words become figures.
    words = _NOT_A_SIGN.sub(" ", strip_accents(grade[:_LONGEST]).casefold()).split()
    sign = " ".join(_FIGURES.get(word, word) for word in words)
    for band, pattern in _compile_bands():
        if pattern.search(sign):
            return band
    return "other"


_OTHER_CLASS: Final = re.compile(
    r"\b(?:annees?|years?|niveau|level|semestres?|semesters?|promotion|l[123]|m[12]|bac ?\+ ?\d"
    r"|licence|licenciate|bachelor|masters?|doctorate?|phd|bts|dut|iut|deug|cap|bep|hnd|nce"
    r"|prepa\w*|universit\w*|fac(?:ulte)?|polytechnic|ecole|school|etudes?|etudiante?|student"
    r"|(?:grande|moyenne|petite) section|creche|cours|formation|apprenti\w*|alphabetisation"
    r"|adultes?|adults?|autres?|other|none|aucune?|prof\w*|enseignante?|teacher|parent)\b"
)
"""What names a class, or why there is none, beside the grades of school; folded."""


def names_class(grade: str) -> bool:
    """Return whether these words can name a class, or say that there is none."""
    return find_school_band(grade) != "other" or _OTHER_CLASS.search(fold(grade)) is not None
