"""Read numbers in French and English words: `vingt-et-un`, `septante-deux`, `three quarters`.

Words are compared without accents and capitals, and are separated by a hyphen or a space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple


class NumberWords(NamedTuple):
    """A number that was read from words."""

    value: Fraction
    length: int
    """How many words it takes."""
    is_fraction: bool = False
    """Whether it is written as a part: `trois quarts`."""


def _pairs(text: str) -> dict[str, int]:
    words = text.split()
    return {word: int(value) for word, value in zip(words[::2], words[1::2], strict=True)}


MONTHS: Final = (
    ("janvier", "january"), ("fevrier", "february"), ("mars", "march"), ("avril", "april"),
    ("mai", "may"), ("juin", "june"), ("juillet", "july"), ("aout", "august"),
    ("septembre", "september"), ("octobre", "october"), ("novembre", "november"),
    ("decembre", "december"),
)  # fmt: skip
MONTH_NUMBERS: Final = {name: at for at, names in enumerate(MONTHS) for name in names}
"""0 for January."""
MONTH_NAME: Final = "|".join(MONTH_NUMBERS)
"""A pattern for the name of a month, without accents and capitals."""
DAYS: Final = (
    ("lundi", "monday"), ("mardi", "tuesday"), ("mercredi", "wednesday"), ("jeudi", "thursday"),
    ("vendredi", "friday"), ("samedi", "saturday"), ("dimanche", "sunday"),
)  # fmt: skip
DAY_NUMBERS: Final = {name: at for at, names in enumerate(DAYS) for name in names}
"""0 for Monday."""
DAY_NAME: Final = "|".join(DAY_NUMBERS)
ORDINALS: Final = _pairs("""
premier 1 deuxieme 2 second 2 troisieme 3 quatrieme 4 cinquieme 5 sixieme 6 septieme 7 huitieme 8
neuvieme 9 dixieme 10 onzieme 11 douzieme 12 vingtieme 20 centieme 100
first 1 third 3 fourth 4 fifth 5 sixth 6 seventh 7 eighth 8 ninth 9 tenth 10 eleventh 11 twelfth 12
twentieth 20
""")
_UNITS: Final = _pairs("""
zero 0 un 1 une 1 deux 2 trois 3 quatre 4 cinq 5 six 6 sept 7 huit 8 neuf 9
one 1 two 2 three 3 four 4 five 5 seven 7 eight 8 nine 9
""")
_TEENS: Final = _pairs("""
dix 10 onze 11 douze 12 treize 13 quatorze 14 quinze 15 seize 16
ten 10 eleven 11 twelve 12 thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18
nineteen 19
""")
_TENS: Final = _pairs("""
vingt 20 trente 30 quarante 40 cinquante 50 soixante 60 septante 70 huitante 80 octante 80
nonante 90 twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90
""")
_HUNDREDS: Final = frozenset(("cent", "cents", "hundred"))
_POWERS: Final = _pairs("""
mille 1000 thousand 1000 million 1000000 millions 1000000 milliard 1000000000
milliards 1000000000 billion 1000000000
""")
_JOINS: Final = frozenset(("et", "and"))
_MARKS: Final = frozenset(("virgule", "point"))
_PARTS: Final = _pairs("""
demi 2 demie 2 demis 2 half 2 halves 2 tiers 3 third 3 thirds 3 quart 4 quarts 4 quarter 4
quarters 4 fourth 4 fourths 4
cinquieme 5 fifth 5 sixieme 6 sixth 6 septieme 7 seventh 7 huitieme 8 eighth 8
neuvieme 9 ninth 9 dixieme 10 tenth 10 onzieme 11 douzieme 12 twelfth 12 treizieme 13
quatorzieme 14 quinzieme 15 seizieme 16 vingtieme 20 twentieth 20 centieme 100
hundredth 100 millieme 1000 thousandth 1000
""")
_AND_A_HALF: Final = (
    ("et", "demi"),
    ("et", "demie"),
    ("and", "a", "half"),
    ("and", "one", "half"),
)
NUMBER_STARTS: Final = frozenset((*_UNITS, *_TEENS, *_TENS, *_HUNDREDS, *_POWERS))
"""Words with which a number may begin."""
SCALES: Final = {
    **{word: value for word, value in _POWERS.items() if value > 1_000},
    **_pairs("dizaine 10 dizaines 10 douzaine 12 douzaines 12 centaine 100 centaines 100"),
    **_pairs("millier 1000 milliers 1000 dozen 12 dozens 12 tens 10 hundreds 100"),
}
"""Words after digits that multiply them: `2 millions`."""
_PART_NAMES: Final = (
    (r"(?:la |une )?moitie|un demi(?!-)|(?:one |a )?half", Fraction(1, 2)),
    (r"(?:les )?deux tiers|two[ -]thirds", Fraction(2, 3)),
    (r"(?:les )?trois quarts?|three[ -]quarters", Fraction(3, 4)),
    (r"(?:le |un )tiers|(?:a |one )third", Fraction(1, 3)),
    (r"(?:le |un )quart|(?:a |one )quarter", Fraction(1, 4)),
    (r"(?:le |un )cinquieme|(?:a |one )fifth", Fraction(1, 5)),
    (r"(?:le |un )dixieme|(?:a |one )tenth", Fraction(1, 10)),
)  # fmt: skip
PART_NAME: Final = rf"(?:{'|'.join(pattern for pattern, _ in _PART_NAMES)})"
"""A pattern for the name of a part, without accents and capitals: `le quart`, `two thirds`."""
_WORD: Final = re.compile(r"[^\W\d_]+")


_UNEQUAL: Final = "\ue000"
"""A character that stands for `≠`, whose stroke is no accent."""


def fold(word: str) -> str:
    """Return the word without accents and capitals; `œ` is `oe`, and `≠` stays."""
    return drop_accents(word.lower().replace("œ", "oe"))


def drop_accents(text: str) -> str:
    """Return a text without accents, but with its capitals and `≠`."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text.replace("≠", _UNEQUAL))
    kept = "".join(char for char in parts if not unicodedata.combining(char))
    return kept.replace(_UNEQUAL, "≠")


def words_to_number(text: str) -> Fraction | None:
    """Return the number that the whole text writes in words; None: it writes none."""
    words = _WORD.findall(text)
    sign = -1 if words and fold(words[0]) in ("moins", "minus", "negative") else 1
    if sign < 0:
        words = words[1:]
    found = read_number([fold(word) for word in words])
    return sign * found.value if found and found.length == len(words) else None


def read_part_name(text: str) -> Fraction | None:
    """Return the part that the whole text names, as `PART_NAME` finds it; None: it names none."""
    return next((part for names, part in _PART_NAMES if re.fullmatch(names, text)), None)


def may_begin_number(word: str) -> bool:
    """Return whether `read_number` may find a number that begins with this folded word."""
    return word in NUMBER_STARTS or word in ("a", "an")


def read_number(words: Sequence[str]) -> NumberWords | None:
    """Read the longest number at the start of `words`, which are folded; None: there is none.

    `a half` and `un` are numbers here; the caller must decide whether an article is meant.
    """
    first = words[0] if words else ""
    if first in ("a", "an") and len(words) > 1 and words[1] in _PARTS:
        return NumberWords(Fraction(1, _PARTS[words[1]]), 2, is_fraction=True)
    if first not in NUMBER_STARTS or (first in _POWERS and first not in ("mille", "thousand")):
        return None
    value, count = _read_whole(words)
    if part := _read_part(value, words[count : count + 1]):
        return NumberWords(part, count + 1, is_fraction=True)
    return _read_decimals(value, count, words)


def _read_decimals(value: int, count: int, words: Sequence[str]) -> NumberWords:
    """Return a number of `count` words with the ending that follows it: `virgule cinq`, `et demi`,
    which is half a million after `deux millions`."""
    after, last = words[count:], SCALES.get(words[count - 1], 1)
    if after and after[0] in _MARKS:
        digits, taken = _read_digits(after[1:])
        if digits:
            below = Fraction(int(digits), 10 ** len(digits))
            return NumberWords(value + below, count + 1 + taken)
    for ending in _AND_A_HALF:
        if tuple(after[: len(ending)]) == ending:
            return NumberWords(value + Fraction(last, 2), count + len(ending))
    return NumberWords(Fraction(value), count)


def _read_part(above: int, words: Sequence[str]) -> Fraction | None:
    """Return the fraction whose denominator comes next; `trois dixièmes` loses its plural."""
    word = words[0] if words else ""
    below = _PARTS.get(word) or _PARTS.get(word.removesuffix("s"))
    return Fraction(above, below) if below else None


def _read_digits(words: Sequence[str]) -> tuple[str, int]:
    """Read the digits after the decimal mark (zeros, then numbers; English says digit by digit);
    return them and how many words they take."""
    digits, at = "", 0
    while at < len(words) and words[at] in ("zero", "oh"):
        digits += "0"
        at += 1
    while at < len(words) and words[at] in NUMBER_STARTS and words[at] not in _POWERS:
        value, count = _read_whole(words[at:])
        digits += str(value)
        at += count
    return digits, at


def _read_whole(words: Sequence[str]) -> tuple[int, int]:
    """Read a whole number; return it and how many words it takes, at least one."""
    total = group = at = 0
    limit = 10**15
    while at < len(words):
        joined = at > 0 and words[at] in _JOINS and _may_join(group, words, at)
        word = words[at + 1] if joined else words[at]
        if word in _POWERS and at and not joined and _POWERS[word] < limit:
            limit = _POWERS[word]
            total, group = total + max(group, 1) * limit, 0
        elif word in _POWERS and not at:
            limit, total = _POWERS[word], _POWERS[word]
        else:
            added = _add(group, word)
            if added is None or (at and not group and not total):
                break
            group = added
        at += 2 if joined else 1
    return total + group, at


def _may_join(group: int, words: Sequence[str], at: int) -> bool:
    """Return whether `et` or `and` is part of a number: vingt et un, soixante et onze, one hundred
    and five; not in `deux et trois`."""
    word = words[at + 1] if at + 1 < len(words) else ""
    if words[at] == "and":
        return words[at - 1] in ("hundred", "thousand") and _add(group, word) is not None
    return word in ("un", "une", "onze") and group % 100 in (20, 30, 40, 50, 60, 70, 80, 90)


def _add(group: int, word: str) -> int | None:
    """Return a group of three digits with one more word added; None: the word cannot follow."""
    below = group % 100
    if word in _HUNDREDS:
        return max(group, 1) * 100 if group < 100 else None
    if (word == "vingt" and below == 4) or (word == "vingts" and 2 <= below <= 9):
        return group + 19 * below  # `trois vingts`, as one counted once
    if word in _UNITS:
        return _add_unit(group, below, _UNITS[word])
    if word in _TEENS:
        return group + _TEENS[word] if below in (0, 60, 80) else None
    return group + _TENS[word] if word in _TENS and below == 0 else None


def _add_unit(group: int, below: int, unit: int) -> int | None:
    """Return the group with a unit after tens: after 20 to 90, or as in `dix-sept` and
    `quatre-vingt-dix-neuf`; None: it cannot follow."""
    if unit == 0 and group:
        return None
    is_free = below == 0 or (below >= 20 and below % 10 == 0)
    is_ten = below in (10, 70, 90) and unit >= 7
    return group + unit if is_free or is_ten else None
