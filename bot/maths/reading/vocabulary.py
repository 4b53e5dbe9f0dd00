"""Patterns for the words and numbers that checks look for, in small letters without accents.

Those for a wording (`wording.py`), in which numbers are marks and apostrophes spaces, are the last.
"""

from __future__ import annotations

from typing import Final

from bot.maths.reading.number_words import NUMBER_STARTS

# Numbers ------------------------------------------------------------------------------------------

_WORDS: Final = "|".join((*sorted(NUMBER_STARTS), "vingts"))
WORDS: Final = rf"(?:(?:(?<=[a-z])(?:[- ](?:et|and)[- ]|[- ])(?=[a-z])|(?<![a-z]))(?:{_WORDS})\b)+"
"""A whole number in words."""
DIGITS: Final = r"(?:\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d{1,3}(?:,\d{3}){2,}|\d+(?:[.,]\d+)?)"
"""A number in digits."""
NUMBER: Final = rf"(?:{DIGITS}|{WORDS})"
SIGNED: Final = rf"-?{DIGITS}(?![\d/²³^%]|[.,]\d| ?[+×*/÷^(-])"
"""A number that begins no computation."""
WHOLE: Final = r"\d(?:[\d ]*\d)?"
"""A whole number, whose digits may stand in groups."""

# Things -------------------------------------------------------------------------------------------

SEGMENT: Final = r"\[?(?<![A-Za-z'])[A-Z]{2}(?![A-Za-z'\d])\]?"
"""A segment that is named by its ends."""

# Wordings -----------------------------------------------------------------------------------------

JOINED: Final = r" (?:[,;]|et|and|, and|, et)(?: (?:par|de|by|of|a))? "
"""The words between numbers of a list."""
IS: Final = (
    r"(?: (?:[,:(]|donc|alors|bien|on|tu|nous|il|elle|a|y|obtient|obtiens|trouve\w*|en|tout))*"
    r" (?:=|≈|:|est|sont|vaut|valent|fait|font|donne\w*|mesure\w*|egale?|devient|is|are|equals?"
    r"|gives?|soit|represente\w*|a pour \w+|obtient|obtiens|trouves?|cela fait|ca fait|c est)"
    r"(?: (?:de|d|a|egale?|donc|bien|environ|about|to|le|la|l|the|nombre|exactement|encore|="
    r"|Δ|point|coordonnees))* "
)
"""The words between a property and its value."""
ABOUT: Final = r"environ|about|approximately|approximativement|a peu pres|presque|pres de|autour de"
"""The words before a rounded value."""
