"""List the grades of school from CP to Terminale, and read how people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, get_args

from bot.i18n import fold
from bot.practice.generator import Grade

GRADES: Final[tuple[Grade, ...]] = get_args(Grade)
"""From the youngest to the oldest; the place in it is a grade's rank."""
RANKS: Final[Mapping[str, int]] = {grade: rank for rank, grade in enumerate(GRADES)}
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
