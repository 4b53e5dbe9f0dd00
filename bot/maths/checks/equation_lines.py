"""Check lines and clauses that rewrite the equation just before them.

`3x + 2(x - 1) = 8` and below it `3x + 2x - 2 = 8`; `y - 4 = 3(x - 1), donc y = 3x + 1`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.equation_steps import continues, derives
from bot.maths.checks.stated_relations import find_root
from bot.maths.exact.algebra_questions import Check, Equation, Equivalence, Identity, Known
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Apply, Expr, Letter, free_letters, number, substitute, walk
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import is_whole
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.tokens import Token

_LEADS_ON: Final = re.compile(
    r"[\s$,.;:]*(?:(?:ce qui|cela|ca|this|which|et|and|nous|on) )*"
    r"(?:donc|soit|d'ou|alors|ainsi|donne|equivaut a|c'est-a-dire|ou encore|devient|obtient"
    r"|so|then|hence|gives|we get|that is|i\.e\.|⇔|⟺|⇒|\\Leftrightarrow|\\iff)"
    r"(?: (?:que|on (?:a|obtient)|finalement|we get|apres (?:reduction|developpement)))*[\s$:,]*"
)
"""All that stands between an equation and the form of it that follows."""


_EXERCISES: Final = re.compile(
    r"\b(?:exercices?|exemples?|entraine\w*|essaie|equations suivantes|exercises?|examples?"
    r"|practi[cs]e|systemes?|system)\b"
)
"""Words of a text whose lines may be equations that have nothing to do with each other."""


class _Stated(NamedTuple):
    """An equation with the place of its end in its block, and whether it is a whole line, which
    rewrites the one before it."""

    equation: Equation
    sentence: Sentence
    end: int
    is_line: bool
    is_derived: bool = False


class Lines:
    """The equation that the text stated last, and those of two letters."""

    def __init__(self) -> None:
        self._before: _Stated | None = None
        self._last: _Stated | None = None
        self._pairs: list[tuple[int, Equation]] = []
        """Equations of two letters with their paragraphs."""

    def check(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence, previous: Sentence | None
    ) -> Check | None:
        """Return the check of an equation against the one just before it, of which it is a form;
        None: it is none, or has no error that is known. Keeps it for those after it."""
        if len(chain.members) != 2 or chain.relations[0].text != "=" or chain.is_cut:
            return None
        tokens, equation = sentence.tokens, Equation(sides[0], "=", sides[1])
        is_line = is_whole(chain, sentence) or _follows_label(chain, tokens)
        self._keep(_Stated(equation, sentence, tokens[chain.end - 1].end, is_line))
        before = self._before
        if before is None or before.equation == equation:
            return None
        if before.is_line and is_line and before.sentence is previous:
            return _check_line(before.equation, equation) or self._check_next(before)
        between = sentence.source[before.end : tokens[chain.start].start]
        is_next = sentence.block == before.sentence.block and before.end < tokens[chain.start].start
        if is_next and _LEADS_ON.fullmatch(fold(between)) and not self._is_of_system(before):
            return _check_solved(before.equation, equation)
        return None

    def _check_next(self, before: _Stated) -> Check | None:
        """Return the check of the last line, if it has the form of a step from the one before."""
        last = self._last
        if last is None or not _is_adjacent(before.sentence, last.sentence):
            return None
        if _EXERCISES.search(before.sentence.text) or _EXERCISES.search(fold(last.sentence.source)):
            return None
        is_step = derives(before.equation, last.equation)
        is_next = before.is_derived and continues(before.equation, last.equation)
        if not is_step and not is_next:
            return None
        self._last = last._replace(is_derived=True)
        roots = find_root(before.equation), find_root(last.equation)
        if None in roots or len(_list_letters(last.equation)) != 1:
            return Equivalence(before.equation, last.equation)
        if roots[0] == roots[1]:
            return Known("right")
        return Known("wrong", f"the line before has the solution {roots[0]}, this one {roots[1]}")

    def _keep(self, stated: _Stated) -> None:
        """Keep an equation, if it is not the last one in another reading."""
        last, equation = self._last, stated.equation
        if last and (last.sentence is stated.sentence and last.end >= stated.end):
            return
        self._before, self._last = last, stated
        if not isinstance(equation.left, Letter) and len(_list_letters(equation)) == 2:
            self._pairs.append((stated.sentence.block, equation))

    def _is_of_system(self, stated: _Stated) -> bool:
        """Return whether the paragraph has another equation of the same letters."""
        letters, block = _list_letters(stated.equation), stated.sentence.block
        return any(
            place == block and each != stated.equation and _list_letters(each) == letters
            for place, each in self._pairs
        )


def _follows_label(chain: Chain, tokens: Sequence[Token]) -> bool:
    """Return whether a line has only words and a colon before its equation: `On a : 3x = 6`."""
    before, is_last = tokens[: chain.start], chain.end >= len(tokens) - 1
    is_label = bool(before) and before[-1].text == ":"
    return is_last and is_label and all(each.kind == "word" for each in before[:-1])


def _is_adjacent(one: Sentence, other: Sentence) -> bool:
    """Return whether two sentences are lines of one paragraph, or formulas of their own."""
    are_formulas = all(each.tokens[0].is_formula for each in (one, other))
    return one.block == other.block or (are_formulas and one.block + 1 == other.block)


def _check_line(before: Equation, equation: Equation) -> Known | None:
    """Return a wrong verdict if one side is the same and the other, which loses its brackets or
    terms, keeps only one of its two coefficients."""
    pairs = ((before.left, equation.left), (before.right, equation.right))
    changed = [(one, other) for one, other in pairs if one != other]
    if len(changed) != 1 or not _has_brackets(changed[0][0]):
        return None
    letters = free_letters(changed[0][0])
    if len(letters) != 1 or free_letters(changed[0][1]) != letters:
        return None
    one, other = (_find_line(each, *letters) for each in changed[0])
    if one is None or other is None or sum(a == b for a, b in zip(one, other, strict=True)) != 1:
        return None
    letter = next(iter(letters))
    return Known("wrong", f"the line before has {_write(one, letter)} there")


def _check_solved(before: Equation, equation: Equation) -> Check | None:
    """Return the check of `y = 3x + 1` after `y - 4 = 3(x - 1)` or after `y = 3(x - 1) + 4`."""
    left, body = equation.left, equation.right
    if not isinstance(left, Letter) or len(free_letters(body)) != 1:
        return None
    letters = {left.name} | free_letters(body)
    if _list_letters(before) != letters or len(letters) != 2:
        return None
    if before.left == left:
        is_form = free_letters(before.right) == free_letters(body) and _has_brackets(before.right)
        return Identity(before.right, body, "claimed") if is_form else None
    return Equivalence(before, equation)


def _list_letters(equation: Equation) -> set[str]:
    return free_letters(equation.left) | free_letters(equation.right)


def _has_brackets(expr: Expr) -> bool:
    """Return whether an expression multiplies a sum."""
    return any(
        isinstance(node, Apply)
        and node.op == "*"
        and any(isinstance(each, Apply) and each.op in ("+", "-") for each in node.args)
        for node in walk(expr)
    )


def _find_line(expr: Expr, letter: str) -> tuple[Fraction, Fraction] | None:
    """Return a and b of an expression that is ax + b; None: it is no such expression."""
    try:
        at = [evaluate(substitute(expr, {letter: number(x)})).number for x in range(3)]
    except Undecidable:
        return None
    slope = at[1] - at[0]
    return (slope, at[0]) if at[2] - at[1] == slope else None


def _write(line: tuple[Fraction, Fraction], letter: str) -> str:
    slope, constant = line
    sign = "-" if constant < 0 else "+"
    return f"{slope}{letter} {sign} {abs(constant)}"
