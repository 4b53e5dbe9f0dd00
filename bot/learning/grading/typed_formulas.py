"""Compare expressions and equations that a person typed. Pure.

`16x2+8x-8` is `16x^2 + 8x - 8`, and `Un = 2 + 5n` is `uₙ = 5n + 2`.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.expression_shape import Form, read_form
from bot.learning.grading.answer_forms import (
    find_form_left,
    is_pasted,
    lacks_simple_root,
    lacks_single_power,
    squeeze,
    write_operators,
)
from bot.learning.grading.answer_readings import clean, list_readings, write_digits
from bot.learning.grading.typed_numbers import lacks_power
from bot.learning.grading.typed_sets import decide_set, read_interval
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.reading.quantities import NotReadable

_CURVE: Final = re.compile(
    r"\b(?:droites?|cercles?|courbes?|tangentes?|mediatrice|hauteur|plan|line|circle|curve|tangent"
    r"|plane)\b"
)
_PRODUCT: Final = re.compile(r"(?<=\()([a-z])([a-z])(?=\))", re.IGNORECASE)
_LETTERS: Final = re.compile(r"(?<![^\W\d_])[A-Za-z]{2,3}(?![^\W\d_])")
_BEHIND_PI: Final = re.compile(r"(?:π|\bpi(?![a-z])) ?(?=([A-Za-z])(?![A-Za-z]))")
_POINT: Final = re.compile(r"(?<=\d) ?[.·] ?(?=[a-z(])", re.I)
"""A point for a product: `3.x`."""
_OVER: Final = re.compile(r"(?<=[\w)²³]) sur (?=[\w(√])")
_CROSS: Final = re.compile(r"(?<=[\w)]) x (?=[\w(])|(?<=[\d²³])x(?=\d|[a-z]\b)", re.IGNORECASE)
_APART: Final = re.compile(r"(?<![^\W\d_])(\d+|[a-z][²³]?) (?=([a-z])(?![^\W\d_]))", re.IGNORECASE)
"""Factors with a space between them: `3 a² b`."""
_LETTER: Final = re.compile(r"(?<![a-z])[a-z](?![a-z])")
_START: Final = r"(?<![\w()^*/+-])(?<![(^*/+-] )"
_END: Final = r"(?!\s?[()^*/+-]|\w)"
_NAME: Final = re.compile(r"[a-zA-Z](?:'?\([a-z]\))? ?=")
_TERM_NAME: Final = re.compile(
    r"(?<![^\W\d_])([a-zA-Z]) ?(?:ₙ|_ ?\{?n\}?|\(n\)|n) ?= ?", re.IGNORECASE
)
"""The name of the terms of a sequence: `uₙ =`, `Un =`, `u_n =`."""
_FUNCTION: Final = re.compile(r"^[a-z]'?\([a-z]\)$")

_ASKS_ANY_PRIMITIVE: Final = re.compile(r"\b(?:une primitive|an? (?:antiderivative|primitive))\b")
_CONSTANT: Final = re.compile(r"(?<=\S) ?[-+\u2212] ?(?:[ck]|[\d.,]+)$", re.IGNORECASE)
_MONEY: Final = re.compile(r"(?<=[\w)]) ?(?:f(?: ?cfa)?|cfa|francs?(?: cfa)?)$", re.IGNORECASE)


_ASKS_FORM: Final = re.compile(
    r"\b(?:simpl|redui|reduc|developp|expand|factor|ecri|mets|mettre|expr[ie]|transform|conver"
    r"|rend\w* |rational|formes?\b|en fonction|write|puissances?\b|powers?\b|decompos)"
)
_SUM_OR_CALL: Final = re.compile(r"(?<=[\w)²³]) ?[-+\u2212]|ln|log|sin|cos|tan")
_BETWEEN_TERMS: Final = re.compile(r"[\s+*/×÷=^()]+")


def is_expression(text: str) -> bool:
    text = _write_products(text)
    try:
        read_answer(text)
    except NotReadable:
        return False
    words = _BETWEEN_TERMS.split(text)
    if any(len(word) == 1 or any(map(str.isdigit, word)) for word in words):
        return True
    return all(len(word) == 1 for word in text.split("-"))  # `a-b`, but not `vas-y`


def write_products(text: str, statement: str) -> str:
    """Return `R*I` for `RI` and `R I`, where the statement has each of these letters alone, and
    `4*c` for `4 x c`, where it has no `x`."""
    letters = set(re.findall(r"(?<![^\W\d_])[A-Za-z](?![^\W\d_])", statement))
    text = _OVER.sub("/", _POINT.sub("*", text))
    text = _BEHIND_PI.sub(lambda found: "π*" if found[1] in letters else found[0], text)
    if not letters & {"x", "X"}:
        text = _CROSS.sub("*", text)
    text = _APART.sub(lambda found: f"{found[1]}*" if found[2] in letters else found[0], text)
    return _LETTERS.sub(
        lambda found: "*".join(found[0]) if letters.issuperset(found[0]) else found[0], text
    )


def same_expression(text: str, solution: str, statement: str) -> bool:
    text, solution = _write_terms(text, solution)
    text = write_products(text, f"{statement} {solution}")
    if interval := read_interval(solution):
        return any(decide_set(each, interval) for each in list_readings(text))
    equation = clean(text)
    if "=" in solution and "=" in equation:
        verdict = _same_equation(equation, solution, statement)
        if verdict is not None:
            return verdict
    elif "=" in solution and not _NAME.match(solution):
        return False
    answer = clean_expression(text, solution, statement)
    lacks_form = (is_copied, lacks_power, lacks_single_power, lacks_simple_root, name_form_left)
    if any(lacks(answer, solution, statement) for lacks in lacks_form):
        return False
    if _ASKS_ANY_PRIMITIVE.search(fold(statement)):
        answer, solution = (_CONSTANT.sub("", each) for each in (answer, solution))
    solution = _match_case(solution, answer)
    return _is_same_value(answer, solution) or (
        not _ASKS_FORM.search(fold(statement)) and is_same_term(answer, solution)
    )


def _write_terms(text: str, solution: str) -> tuple[str, str]:
    """Return an answer and the solution with `u(n) =` for the name of the terms of a sequence, if
    the solution has one, and the answer has none or the same."""
    named = _TERM_NAME.match(solution)
    *_, last = (None, *_TERM_NAME.finditer(text))
    if named is None or (last and last[1].lower() != named[1].lower()):
        return text, solution
    written = f"u(n) = {text[last.end() :]}" if last else text
    return written, f"u(n) = {solution[named.end() :]}"


def _is_same_value(answer: str, solution: str) -> bool:
    verdict = equivalent(answer, solution, "expression")
    if verdict is not None or squeeze(answer) in (squeeze(solution), squeeze(clean(solution))):
        return verdict is not False
    one, other = _read_forms(answer, solution)
    if one and other and not one.letters:  # `ln(8)` is no answer where `3 ln(2)` is asked
        return one.shape == other.shape
    return bool(one and other and one.equals(other))


def is_same_term(answer: str, solution: str) -> bool:
    """Return whether an answer is the value of a solution without letters in another form that
    leaves nothing to compute, without a sum or logarithm: `1/√2` for `√2/2`."""
    one, other = _read_forms(answer, solution)
    if one is None or other is None or one.letters or one.is_undone:
        return False
    return not _SUM_OR_CALL.search(answer) and one.equals(other)


def is_same_constant(answer: str, solution: str) -> bool:
    """Return whether an answer has the value of a solution without letters, in any form."""
    one, other = _read_forms(answer, solution)
    return bool(one and other and not one.letters and one.equals(other))


def _read_forms(answer: str, solution: str) -> tuple[Form | None, Form | None]:
    right = clean(solution).rpartition("=")[2]
    return read_form(_write_products(answer)), read_form(_write_products(right))


def is_copied(answer: str, solution: str, statement: str) -> bool:
    """Return whether an answer only repeats a formula of the statement, which is no answer though
    it has the same value."""
    if is_pasted(answer, statement):
        return True
    written = squeeze(answer)
    if written == squeeze(solution) or not re.search(r"[-+*/^√²³]", written):
        return False
    spaced = r"\s*".join(map(re.escape, written))
    return bool(re.search(_START + spaced + _END, write_operators(statement).casefold()))


def _match_case(solution: str, answer: str) -> str:
    """Return the solution in small letters if the answer is and no letter stands in both cases."""
    capitals = {each.lower() for each in solution if each.isupper()}
    is_small = answer == answer.lower() and not capitals.intersection(solution)
    return solution.lower() if is_small else solution


def _write_products(text: str) -> str:
    """Return an expression in small letters, with `ln(a*b)` for `ln(ab)`."""
    return _PRODUCT.sub(r"\1*\2", text.lower())


def _same_equation(text: str, solution: str, statement: str) -> bool | None:
    """Return whether two equations have the same sides, or are those of the same curve where one is
    asked: `2x - y + 1 = 0` for `y = 2x + 1`; None: one cannot be read, or defines a function."""
    sides = [side.strip().lower() for each in (text, solution) for side in each.split("=")]
    if len(sides) != 4 or _FUNCTION.search(sides[0]):
        return None
    left, right, wanted_left, wanted_right = sides
    pairs = ((left, wanted_left), (right, wanted_right))
    turned = ((left, wanted_right), (right, wanted_left))
    verdicts = [
        [equivalent(one, other, "expression") for one, other in each] for each in (pairs, turned)
    ]
    if any(all(each) for each in verdicts):
        return True
    if len(set(_LETTER.findall(solution.lower()))) < 2 and not _CURVE.search(fold(statement)):
        return False
    return is_same_curve(text, solution)


def is_same_curve(text: str, solution: str) -> bool | None:
    """Return whether one equation is a multiple of the other, with all on one side; None: one of
    them cannot be read."""
    sides = [side.strip().lower() for each in (text, solution) for side in each.split("=")]
    if len(sides) != 4:
        return None
    one, other = f"({sides[0]})-({sides[1]})", f"({sides[2]})-({sides[3]})"
    if set(_LETTER.findall(one)) != set(_LETTER.findall(other)):
        return False
    return equivalent(
        f"({one})*({_put_in_numbers(other)})", f"({other})*({_put_in_numbers(one)})", "expression"
    )


def _put_in_numbers(expression: str) -> str:
    """Return an expression with a number for each letter, at which it is hardly 0."""
    return _LETTER.sub(lambda found: f"({10_007 + ord(found[0])})", expression)


def clean_expression(text: str, solution: str, statement: str) -> str:
    """Return the result of an answer, without its currency, and with `x2` read as a power."""
    *_, answer = list_readings(write_digits(text))
    if re.search(r"fcfa|francs?\b|\d f\b", fold(statement)):
        answer = _MONEY.sub("", answer)
    if solution == solution.lower():
        answer = answer.lower()
    return write_squares(answer)


def write_squares(text: str) -> str:
    """Return `x^2` for `x2`."""
    return re.sub(r"(?<=[a-z])([23])(?![\d.,])", r"^\1", text)


def name_form_left(
    answer: str, solution: str, statement: str
) -> Literal["factor", "expand", "reduce"] | None:
    """Return what is left to do to an expression for the form that the statement asks for and the
    solution has; None: nothing."""
    left = find_form_left(answer, statement)
    return None if left == find_form_left(solution, statement) else left
