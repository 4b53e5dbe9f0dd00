"""Write sentences plainly, and read the numbers in them, for patterns over their letters."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import Final

from bot.formulas.line_text import SUPERSCRIPTS, to_line
from bot.maths.reading.number_words import drop_accents, words_to_number

_READINGS: Final = re.compile(r"\d{1,3}[.,]\d{3}")
_FORMULA: Final = re.compile(
    r"\$\$([^$]+)\$\$|\$([^$]+)\$|\\\[((?:[^\\]|\\(?!\]))+)\\\]|\\\(((?:[^\\]|\\(?!\)))+)\\\)"
)
_VECTOR: Final = re.compile(r"([A-Za-z]+)\u20d7")
_OVER: Final = re.compile("[\u0302\u0305]")
"""Hats and lines over letters."""
_RAISED: Final = {raised: sign for sign, raised in SUPERSCRIPTS.items() if sign not in "()="}
_POWER: Final = re.compile(f"(?![²³](?![{''.join(_RAISED)}]))[{''.join(_RAISED)}]+")
"""An exponent other than 2 and 3."""
_STYLED: Final = re.compile("(?![ℂℕℚℝℤ])[\u2100-\u214f\U0001d400-\U0001d7ff]")
"""A letter in script or another font."""
_CHARACTERS: Final = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'", "\n": " ", "‑": "-", "−": "-"}
)
_SPACES: Final = re.compile(r"  +")
_PRODUCT: Final = re.compile(r"(?<=[\d)]) ?(?:[·∙⋅*]|(?<= )x) ?(?=[\d(])")
"""Other signs of a product between numbers than `×`."""


def write_plainly(text: str) -> str:
    """Return folded text with formulas on one line, and special spaces and apostrophes replaced."""
    return _write_lines(text).lower()


def write_cased(text: str) -> str:
    """Return text written plainly without accents and arrows, but with its capitals, which name
    points."""
    return drop_accents(_write_lines(text))


def _write_lines(text: str) -> str:
    """Return text with formulas on one line, and special spaces and apostrophes replaced."""
    if "$" in text or "\\" in text:
        text = _FORMULA.sub(_write_formula, text).replace("$", "")
    plain = _PRODUCT.sub(" × ", text.translate(_CHARACTERS))
    return _SPACES.sub(" ", plain).strip()


def _write_formula(found: re.Match[str]) -> str:
    """Return a formula on one line, as patterns read it: `vecteur AB`, `BAC`, `10^{-3}`."""
    line = to_line(next(filter(None, found.groups())))
    if line.isascii():
        return line
    line = _STYLED.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), line)
    line = _OVER.sub("", _VECTOR.sub(r" vecteur \1", line))
    return _POWER.sub(_write_power, line)


def _write_power(found: re.Match[str]) -> str:
    power = "".join(_RAISED[sign] for sign in found[0])
    return f"^{power}" if len(power) == 1 else f"^{{{power}}}"


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


def read_value(text: str) -> Fraction | None:
    """Return the number of a text in digits or words; None: it has none, or it may mean two."""
    values = read_values(text)
    return min(values) if len(values) == 1 else None


def find_step(digits: str) -> Fraction:
    """Return a unit of the last digit that a number shows."""
    decimals = re.search(r"[.,](\d+)$", digits)
    return Fraction(1, 10 ** len(decimals[1])) if decimals else Fraction(1)


def get_points(text: str) -> frozenset[str]:
    """Return the points of a segment or figure that is named by them: `AB`."""
    return frozenset(re.findall("[A-Z]", text))
