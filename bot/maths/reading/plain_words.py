"""Write sentences plainly, and read the numbers in them, for patterns over their letters."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import Final

from bot.maths.reading.number_words import words_to_number

_WORDS: Final = (
    "zero|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze"
    "|seize|vingts?|trente|quarante|cinquante|soixante|septante|huitante|octante|nonante|cents?"
    "|mille|millions?|milliards?|one|two|three|four|five|seven|eight|nine|ten|eleven|twelve"
    "|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty"
    "|sixty|seventy|eighty|ninety|hundred|thousand|million|billion"
)
WORDS: Final = rf"(?:(?:(?<=[a-z])(?:[- ](?:et|and)[- ]|[- ])(?=[a-z])|(?<![a-z]))(?:{_WORDS})\b)+"
"""A pattern for a whole number in words."""
DIGITS: Final = r"(?:\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d{1,3}(?:,\d{3}){2,}|\d+(?:[.,]\d+)?)"
"""A pattern for a number in digits."""
SEGMENT: Final = r"\[?(?<![A-Za-z'])[A-Z]{2}(?![A-Za-z'\d])\]?"
"""A pattern for a segment that is named by its ends."""
NUMBER: Final = rf"(?:{DIGITS}|{WORDS})"
_READINGS: Final = re.compile(r"\d{1,3}[.,]\d{3}")
_LONE_FRACTION: Final = re.compile(
    r"(?<![\w)}^/÷])(?<![\d)}^/÷:] )\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}"
    r"(?!\w|\s*(?:[\d(^{]|[a-zA-Z]\b|\\(?:sqrt|pi|left|[dt]?frac)))"
)
"""A fraction of two whole numbers that means the same without brackets."""
_LATEX: Final = (
    (re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\begin\s*\{[pb]matrix\}"), "("),
    (re.compile(r"\\end\s*\{[pb]matrix\}"), ")"),
    (re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}|\\(?:left|right|displaystyle|big)\b|&"), " "),
    (re.compile(r"\\\\(?![a-zA-Z])"), " ; "),
    (re.compile(r"\\(?:wide)?hat\s*\{?([A-Za-z]{1,3})\}?"), r" \1"),
    (re.compile(r"\\overline\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\(?:overrightarrow|vec)\s*\{?([A-Za-z]{1,2})\}?"), r" vecteur \1"),
    (re.compile(r"\\(cos|sin|tan|arccos|arcsin|arctan)\b"), r" \1 "),
    (re.compile(r"\\sqrt\s*(?:\{([^{}]*)\}|(\d))"), r"√(\1\2)"),
    (_LONE_FRACTION, r"\1/\2"),
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\(?:parallel|mathbin\{/\\?!?/\})"), "//"),
    (re.compile(r"\\alpha\b"), "α"),
    (re.compile(r"\\beta\b"), "β"),
    (re.compile(r"\\theta\b"), "θ"),
    (re.compile(r"\\in\b"), "∈"),
    (re.compile(r"\\perp\b"), "⊥"),
    (re.compile(r"\\angle\b"), "∠"),
    (re.compile(r"\\neq?\b"), "≠"),
    (re.compile(r"\^\s*(?:\{\s*\\circ\s*\}|\\circ\b|\{°\})"), "°"),
    (re.compile(r"\\times\b|\\cdot\b"), "×"),
    (re.compile(r"\\div\b"), "÷"),
    (re.compile(r"\\pi\b"), "π"),
    (re.compile(r"\\(?:approx|simeq)\b"), "≈"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"\\[,;: ]|~"), " "),
    (re.compile(r"\^\{?2\}?"), "²"),
    (re.compile(r"\^\{?3\}?"), "³"),
    (re.compile(r"\$"), ""),
)
_CHARACTERS: Final = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'", "\n": " ", "‑": "-", "−": "-"}
)
_SPACES: Final = re.compile(r"  +")
_PRODUCT: Final = re.compile(r"(?<=[\d)]) ?(?:[·∙⋅*]|(?<= )x) ?(?=[\d(])")
"""Other signs of a product between numbers than `×`."""


def write_plainly(text: str) -> str:
    """Return folded text with LaTeX, special spaces and apostrophes replaced."""
    if "$" in text or "\\" in text:
        for pattern, replacement in _LATEX:
            text = pattern.sub(replacement, text)
    plain = _PRODUCT.sub(" × ", text.translate(_CHARACTERS))
    return _SPACES.sub(" ", plain).strip()


def write_cased(text: str) -> str:
    """Return text written plainly without accents and arrows, but with its capitals, which name
    points."""
    plain = write_plainly(text)
    if plain.isascii():
        return plain
    parts = unicodedata.normalize("NFD", plain.replace("≠", "\0"))
    return "".join(each for each in parts if not unicodedata.combining(each)).replace("\0", "≠")


def read_values(text: str) -> frozenset[Fraction]:
    """Return the numbers that a text in digits or words may mean: `3,600` is 3.6 or 3 600."""
    if not text[:1].isdigit():
        value = words_to_number(text)
        return frozenset() if value is None else frozenset((value,))
    digits = text.replace(" ", "")
    if digits.count(",") > 1:
        return frozenset((Fraction(digits.replace(",", "")),))
    values = {Fraction(digits.replace(",", "."))}
    if _READINGS.fullmatch(digits) and not digits.startswith("0"):
        values.add(Fraction(re.sub("[.,]", "", digits)))
    return frozenset(values)


def find_step(digits: str) -> Fraction:
    """Return a unit of the last digit that a number shows."""
    decimals = re.search(r"[.,](\d+)$", digits)
    return Fraction(1, 10 ** len(decimals[1])) if decimals else Fraction(1)


def get_points(text: str) -> frozenset[str]:
    """Return the points of a segment or figure that is named by them: `AB`."""
    return frozenset(re.findall("[A-Z]", text))
