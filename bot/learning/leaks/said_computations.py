"""Find a computation that is said as the solution: only its result is left to write. Pure.

`C'est 51 × 2`, `x = 3²` and a message that is nothing but `100 + 2` give 102 and 9 away; `27 ÷ 3`
in an explanation, or `x = 27 ÷ 3`, is a step, which leaves the pupil something to do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from bot.learning.expression_shape import list_forms, read_form
from bot.learning.leaks.reading import Reading

_COMPUTATION: Final = r"-?[\d(√][\d ,.+*/÷()^√-]{1,60}"
_SAID: Final = re.compile(
    r"(?:\b(?:reponse|resultat|solution|answer|result)\b(?: est| is| sera|:| :|=| =){1,2}(?: donc)?"
    r"|(?:^|[.!?:\n] ?)(?:c'est(?: juste| simplement| donc)?|it's(?: just)?)|\bil suffit de faire"
    r"|(?<![\w)*/+^÷(-])(?<![\w)*/+^÷-] )[a-z] (?:=|vaut|est))\s*"
    rf"({_COMPUTATION})(?![\w=])(?! ?[=<>])"
)
_PRINTS: Final = ("print", "puts", "echo", "return", "log(")
_PRINTED: Final = re.compile(
    rf"\b(?:printf?|puts|echo|return|console\.log)[( ] ?({_COMPUTATION})(?![\w=])"
)
_CALL: Final = re.compile(
    r"\b(?:eval\( ?[\"'`]([^\"'`\n]{1,60})[\"'`]"
    r"|(f?sum|somme|(?:math\.)?prod|produit|product|pow|puissance)"
    r"\( ?[\[({]?([\d., ;-]{3,60})[\])}]?"
    rf"|(?:str|int|float|number)\(({_COMPUTATION})) ?\)"
)
"""A call in code or in a table's formula: `eval('40+2')`, `sum([40, 2])`, `=SOMME(40;2)`."""
_CALLS: Final = {"f": "+", "s": "+", "m": "*", "p": "*"}
_ALONE: Final = re.compile(rf"[^\w(√-]*({_COMPUTATION})\W*")
_WORDS: Final = (
    (re.compile(r"\b(?:le |the )?double (?:de|of) (\d[\d.,]*)|\btwice (\d[\d.,]*)"), "2*"),
    (re.compile(r"\b(?:le |the )?triple (?:de|of) (\d[\d.,]*)"), "3*"),
    (re.compile(r"\b(?:la )?moitie de (\d[\d.,]*)|\bhalf of (\d[\d.,]*)"), "1/2*"),
    (re.compile(r"\b(?:l'|the )?oppos(?:e de|ite of) (\d[\d.,]*)"), "0-"),
    (re.compile(r"\b(?:le |the )?(?:carre de|square of) (\d[\d.,]*)"), "^2"),
)
"""Computations in words, and what stands for them before their number, or behind it."""
_OPERATION: Final = re.compile(r"[+*/÷^√]|[\d)] ?-")
_UNKNOWN: Final = re.compile(r"[a-z] (?:=|vaut|est)")
_LONGEST: Final = 80


def find_said_computation(
    plain: str, is_solution: Callable[[float], bool], statement: Reading
) -> str | None:
    """Return a computation that is said as the solution, or is a text of its own; None: there is
    none.

    A computation of the statement, in digits or words, does not count.
    """
    written = _CALL.sub(_write_call, plain) if "(" in plain else plain
    for pattern, sign in _WORDS:
        if not pattern.search(statement.plain):
            written = pattern.sub(lambda found, sign=sign: _write_operation(found, sign), written)
    found = [*_SAID.finditer(written)]
    if any(each in written for each in _PRINTS):
        found += _PRINTED.finditer(written)
    alone = _ALONE.fullmatch(written) if len(written) < _LONGEST else None
    found += [alone] if alone else []
    given: set[object] | None = None
    for each in found:
        form = read_form(each[1].rstrip(" ,.")) if _OPERATION.search(each[1]) else None
        if form is None or form.letters or not is_solution(form.values[0]):
            continue
        if given is None:
            given = {shape.shape for _, _, shape in list_forms(statement.plain)}
        is_step = "÷" in each[1] and _UNKNOWN.match(each[0]) and each is not alone
        if form.shape not in given and not is_step:
            return each[0]
    return None


def _write_call(found: re.Match[str]) -> str:
    """Return the computation that a call does, as one that is printed."""
    evaluated, name, listed, converted = found.groups()
    if not name:
        return f"print ({evaluated or converted})"
    sign = "^" if name.startswith(("pow", "puis")) else _CALLS[name[0]]
    numbers = re.split(r" ?; ?" if ";" in listed else r" ?, ?", listed.strip(" ,;"))
    return f"print ({sign.join(numbers)})"


def _write_operation(found: re.Match[str], sign: str) -> str:
    number = next(each for each in found.groups() if each).rstrip(".,")
    return f"{number}{sign}" if sign[0] == "^" else f"{sign}{number}"
