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
NO_MORE_DIGITS: Final = r"(?![\d.,]*\d)"
"""Where the digits of a number end."""
FREE: Final = r"(?<![\w.,/×*+÷=-])(?<![×*+/÷=-] )"
"""Where a number begins that belongs to no computation."""

# Things -------------------------------------------------------------------------------------------

SEGMENT: Final = r"\[?(?<![A-Za-z'])[A-Z]{2}(?![A-Za-z'\d])\]?"
"""A segment that is named by its ends."""
MONEY: Final = r"(?:f|fcfa|f ?cfa|cfa|francs?(?: cfa)?|euros?|€|\$|dollars?|nairas?|cedis?)"
"""A unit of money."""
DEGREES: Final = r"(?:°|degres|degrees)"

# Conclusions --------------------------------------------------------------------------------------

THEN: Final = r"(?:donc|ainsi|alors|bien|so|then|therefore|thus|hence|indeed)"
"""A word that may stand in any conclusion: `vaut donc`, `is therefore`."""
SO: Final = r"(?:donc|ainsi|alors|d'ou|so|therefore|thus|hence)"
"""A word that makes a sentence a conclusion from what stands before it."""
CLAUSE_END: Final = r"(?=\s*(?:$|[.,;:!)](?!\d)|(?:et|and|donc|so|ou|or|puis|then|soit)\b))"
"""Where a clause ends."""

# Changes ------------------------------------------------------------------------------------------

RISES: Final = r"hausses?|augment\w*|increas\w*|rise\w*|raise\w*|hike|major\w*|gain"
FALLS: Final = (
    r"baiss\w*|dimin\w*|reduc\w*|reduit\w*|remise\w*|rabais|sold\w*|discount\w*|decreas\w*|drop\w*"
    r"|fall\w*|fell|moins cher|ristourne|decote|off\b"
)

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
END: Final = r"(?= [.,;:!)]|$)"
"""Where a clause ends."""
ABOUT: Final = r"environ|about|approximately|approximativement|a peu pres|presque|pres de|autour de"
"""The words before a rounded value."""
