"""Compare an expression that a person typed with a solution. Pure."""

from __future__ import annotations

import re
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.grading.answer_forms import find_form_left, is_pasted, squeeze
from bot.learning.grading.answer_readings import clean, list_readings, write_digits
from bot.learning.grading.typed_sets import decide_set, read_interval
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.reading.quantities import NotReadable

_MONEY: Final = re.compile(r"(?<=[\w)]) ?(?:f(?: ?cfa)?|cfa|francs?(?: cfa)?)$", re.IGNORECASE)


_BETWEEN_TERMS: Final = re.compile(r"[\s+*/×÷=^()]+")


def is_expression(text: str) -> bool:
    try:
        read_answer(text)
    except NotReadable:
        return False
    words = _BETWEEN_TERMS.split(text)
    if any(len(word) == 1 or any(map(str.isdigit, word)) for word in words):
        return True
    return all(len(word) == 1 for word in text.split("-"))  # `a-b`, but not `vas-y`


def same_expression(text: str, solution: str, statement: str) -> bool:
    if interval := read_interval(solution):
        return any(decide_set(each, interval) for each in list_readings(text))
    answer = clean_expression(text, solution, statement)
    if is_pasted(answer, statement) or name_form_left(answer, solution, statement):
        return False
    verdict = equivalent(answer, solution, "expression")
    same = (squeeze(solution), squeeze(clean(solution)))
    return squeeze(answer) in same if verdict is None else verdict


def clean_expression(text: str, solution: str, statement: str) -> str:
    """Return the result of an answer, without its currency, and with `x2` read as a power."""
    *_, answer = list_readings(write_digits(text))
    if re.search(r"fcfa|francs?\b|\d f\b", fold(statement)):
        answer = _MONEY.sub("", answer)
    if solution == solution.lower():
        answer = answer.lower()
    return re.sub(r"(?<=[a-z])([23])(?![\d.,])", r"^\1", answer)


def name_form_left(
    answer: str, solution: str, statement: str
) -> Literal["factor", "expand", "reduce"] | None:
    """Return what is left to do to an expression for the form that the statement asks for and the
    solution has; None: nothing."""
    left = find_form_left(answer, statement)
    return None if left == find_form_left(solution, statement) else left
