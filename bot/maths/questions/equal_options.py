"""Compare two options of a quiz: whether they have one value, and one form where a form is asked.
Pure.
"""

from __future__ import annotations

import re
from typing import Final

from bot.maths.equivalence import equivalent
from bot.maths.questions.question_kinds import asks_extreme

_I: Final = re.IGNORECASE
_IMPROPER: Final = re.compile(r"\d ?h ?[6-9]\d\b|\d ?m \d{3} ?cm")
_ENGLISH: Final = re.compile(
    r"\b(?:what|which|how|the|is|are|of|find|solve|round|work out|calculate|and)\b", _I
)
_FRENCH: Final = re.compile(r"\b(?:le|la|les|des?|du|une?|est|combien|quel(?:le)?|calcule)\b", _I)
_THOUSANDS: Final = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,.])")
_SCALED: Final = re.compile(r"(?<=\d) (?:mille|thousand)\b")
_ROOT: Final = re.compile(r"√|π|\\(?:sqrt|pi|ln)|\bln\b")
_DECIMAL: Final = re.compile(r"\d[.,]\d")
_WORDY: Final = re.compile(r"(?<!\\)\b[^\W\d_]{4}|≈")
_UNIT: Final = re.compile(r"(?:(?<=[\dπ)}²³$]) ?|(?<=[\dπ)}]) )([a-zA-Z°][a-zA-Z/]*[²³]?)$")
_LONGEST: Final = 60
"""Most characters of an option whose roots are compared."""
_NUMERAL: Final = re.compile(r"[-−+]?\d+(?: \d{3})*(?:[.,]\d+|/\d+)?")
_TERM: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\s\d]")
_UNMARKED: Final = frozenset("+×*·$")
"""Signs that the order of terms and factors adds or takes away."""
_FACTORED: Final = re.compile(r"\bfactori|\bfactor\b", _I)
_COMPLETELY: Final = re.compile(r"\bau maximum|le plus possible|fully|compl[èe]te", _I)


def write_comparable(option: str, question: str) -> str:
    """Return an option as it is compared: in an English question, `3,500` is 3500."""
    plain = _SCALED.sub(" 000", option)
    if _ENGLISH.search(question) and not _FRENCH.search(question):
        plain = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), plain)
    return plain


def is_improper(option: str) -> bool:
    """Return whether a measure is written as no one should: `3 h 75 min`."""
    return bool(_IMPROPER.search(option))


def are_equal(one: str, other: str) -> bool:
    """Return whether options have one value; `un` and `une` are words, and `3 h 75 min` is no right
    form."""
    if is_improper(one) or is_improper(other):
        return False
    return any(map(str.isdigit, one + other)) and equivalent(one, other, "number") is True


def may_have_same_root(one: str, other: str) -> bool:
    """Return whether options are formulas with roots, logarithms or π, of which neither is a
    rounded value of the other."""
    texts = (one, other)
    if any(len(each) > _LONGEST or _WORDY.search(each) or "=" in each for each in texts):
        return False
    is_rounded = any(_DECIMAL.search(each) for each in texts)
    units = {found[1] for each in texts if (found := _UNIT.search(each.strip()))}
    if len(units) > 1:
        return False
    return not is_rounded and any(map(_ROOT.search, texts))


def have_same_form(one: str, other: str, question: str) -> bool:
    """Return whether options that are equal in value both fit a question for a form: numbers of
    which one is the greatest, products, or the same terms in another order."""
    if asks_extreme(question):
        return all(_NUMERAL.fullmatch(each) for each in (one, other))
    if _list_terms(one) == _list_terms(other):
        return True
    is_product = _FACTORED.search(question) and not _COMPLETELY.search(question)
    return bool(is_product) and _is_product(one) and _is_product(other)


def _list_terms(option: str) -> list[str]:
    return sorted(each for each in _TERM.findall(option) if each not in _UNMARKED)


def _is_product(option: str) -> bool:
    """Return whether a formula is a product with at least one bracket."""
    bare = option.replace("$", "").strip()[:_LONGEST]
    while "(" in bare and (inner := re.sub(r"\([^()]*\)", "", bare)) != bare:
        bare = inner
    return bare != option.replace("$", "").strip() and not re.search(r"[-−+=]|\bet\b", bare)
