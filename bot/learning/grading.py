"""Read what a person typed as an answer to an exercise, and grade it. Pure.

A number counts in any notation that school uses (`3,5`, `3.5`, `7/2`, `1 250 F`, `x = 4`), a choice
by its text, letter or number, words up to a slip of typing, unless spelling is what is asked.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal

from bot.i18n import fold
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.quantities import NotReadable
from bot.messages.value import ExerciseKind

MOST_WORDS: Final = 6
"""Words of an answer in words; more are something to talk about."""
_LONGEST: Final = 200
_SPACES: Final = "[ \u00a0\u202f\u2009]"
_NUMBER: Final = re.compile(
    r"(?P<sign>[-\u2212+]?)" + _SPACES + "?"
    rf"(?P<whole>\d{{1,3}}(?:{_SPACES}\d{{3}})+|\d+)(?:[.,](?P<part>\d+))?"
    rf"(?:{_SPACES}?/{_SPACES}?(?P<below>\d+))?"
    rf"{_SPACES}?(?P<unit>%|[^\W\d_][^\d]{{0,20}})?"
)
_NAMED: Final = re.compile(r"[A-Za-z](?:\([A-Za-z]\))?\s*=\s*")
"""`x =` before an answer."""
_MARK: Final = re.compile(r"[(\[]?(?:(\d)|([A-Za-z]))[)\].:]?")
_DOLLARS: Final = str.maketrans("", "", "$")
_SKIPPING: Final = frozenset({"passer", "skip"})
_SPELLING_SUBJECTS: Final = ("french", "english")


def is_answer(text: str, kind: ExerciseKind, options: Sequence[str], unit: str) -> bool:
    """Whether a message can be read as an answer of this kind, rather than as something to say."""
    text = text.strip()
    if not text or len(text) > _LONGEST or text.startswith("/") or text.endswith("?"):
        return False
    if kind == "number":
        return read_number(text, unit) is not None or _is_other_number(text)
    if kind == "choice" and find_option(text, options) is not None:
        return True
    if kind == "expression":
        return _is_expression(text)
    if kind == "set":
        return equivalent(text, "{0}", "set") is not None
    return kind == "text" and len(text.split()) <= MOST_WORDS


def is_right(
    text: str,
    kind: ExerciseKind,
    solutions: Sequence[str],
    *,
    options: Sequence[str] = (),
    unit: str = "",
    tolerance: float = 0.0,
    skill: str = "",
) -> bool:
    """Whether an answer of kind number, text or choice is one of the solutions."""
    if kind == "number":
        return any(_same_number(text, each, unit, tolerance) for each in solutions)
    if kind in ("expression", "set"):
        return any(_same_value(text, each, kind) for each in solutions)
    if kind == "choice":
        option = find_option(text, options)
        return option is not None and options[option] in solutions
    is_spelling = skill.startswith(_SPELLING_SUBJECTS)
    return any(_same_words(text, each, slips=not is_spelling) for each in solutions)


def name_option(text: str, options: Sequence[str]) -> str:
    """The option that a text names, as the options spell it; the text itself if it names none."""
    place = find_option(text, options)
    return text if place is None else options[place]


def find_feedback(
    text: str, kind: ExerciseKind, feedback: Mapping[str, str], *, unit: str = ""
) -> str:
    """What is said of a likely wrong answer, however it is written; empty: it is none of them."""
    named = [each for each in feedback if each == text or is_right(text, kind, (each,), unit=unit)]
    return feedback[named[0]] if named else ""


def read_number(text: str, unit: str = "") -> Fraction | None:
    """The number that a short text states, with or without its unit; None: it states none.

    A unit other than `unit` is no number that can be compared.
    """
    bare = _NAMED.sub("", text.strip().translate(_DOLLARS).replace("{,}", ","), count=1)
    found = _NUMBER.fullmatch(bare.rstrip(" ."))
    if found is None or (found["unit"] and not _is_unit(found["unit"], unit)):
        return None
    digits = re.sub(r"\D", "", found["whole"])
    value = Fraction(f"{digits}.{found['part'] or 0}")
    if found["below"]:
        if int(found["below"]) == 0:
            return None
        value /= int(found["below"])
    return -value if found["sign"] in ("-", "\u2212") else value


def find_option(text: str, options: Sequence[str]) -> int | None:
    """The place of the option that a text names by its words, letter or number.

    A word for skipping, in either language, names the option that is one.
    """
    if fold(text.strip(" .!")) in _SKIPPING:
        text = next((option for option in options if fold(option) in _SKIPPING), text)
    for read in (_squeeze, _fold_words):  # options may differ by an accent alone
        wanted = read(text)
        named = [place for place, option in enumerate(options) if read(option) == wanted]
        if len(named) == 1:
            return named[0]
    found = _MARK.fullmatch(text.strip())
    if found is None:
        return None
    number, letter = found.groups()
    place = int(number) - 1 if number else string.ascii_uppercase.index(letter.upper())
    return place if 0 <= place < len(options) else None


def is_pasted(text: str, statement: str) -> bool:
    """Whether an answer only repeats a formula of the statement: that is no answer, though it has
    the same value."""
    formulas = (each.rpartition("=")[2] for each in statement.split("$")[1::2])
    return _squeeze(text) in map(_squeeze, formulas)


def _squeeze(text: str) -> str:
    return "".join(text.translate(_DOLLARS).replace("\\times", "*").split()).casefold()


def _is_other_number(text: str) -> bool:
    """Whether it is a number in words, a mixed number, or one with a root."""
    return len(text.split()) <= MOST_WORDS and equivalent(text, "0", "number") is not None


def _is_expression(text: str) -> bool:
    try:
        read_answer(text)
    except NotReadable:
        return False
    return any(sign.isdigit() or len(word) == 1 for word in text.split() for sign in word)


def _same_value(text: str, solution: str, kind: Literal["expression", "set"]) -> bool:
    verdict = equivalent(text, solution, kind)
    return _squeeze(text) == _squeeze(solution) if verdict is None else verdict


def _is_unit(written: str, unit: str) -> bool:
    wanted = _fold_words(unit)
    given = _fold_words(written)
    currency = {"f", "fr", "francs", "franc", "fcfa", "f cfa", "cfa"}
    return given == wanted or (wanted in currency and given in currency)


def _same_number(text: str, solution: str, unit: str, tolerance: float) -> bool:
    given, right = read_number(text, unit), read_number(solution, unit)
    if given is None or right is None:
        return equivalent(text, f"{solution} {unit}".strip(), "number") is True
    return abs(given - right) <= Fraction(tolerance)


def _same_words(text: str, solution: str, *, slips: bool) -> bool:
    if not slips:  # accents and endings are what is asked
        return " ".join(text.split()).strip(" .!").casefold() == solution.strip().casefold()
    given, right = _fold_words(text), _fold_words(solution)
    return given == right or (len(right) >= 5 and _is_one_slip(given, right))


def _is_one_slip(given: str, right: str) -> bool:
    """Whether one letter is missing, too many, other, or swapped with the next."""
    if abs(len(given) - len(right)) > 1:
        return False
    start = next(
        (i for i, pair in enumerate(zip(given, right, strict=False)) if pair[0] != pair[1]),
        min(len(given), len(right)),
    )
    rest, wanted = given[start:], right[start:]
    swapped = rest[:2] == wanted[:2][::-1] and rest[2:] == wanted[2:]
    return rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:] or swapped


def _fold_words(text: str) -> str:
    return " ".join(fold(text.translate(_DOLLARS)).split()).strip(".!;: ")
