"""Keep bounds, lengths, chances and values of a text that its later statements must agree with; and
its sequences: by a formula, from term to term, or by first term and step.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from fractions import Fraction
from itertools import product
from typing import Final

from bot.maths.exact.algebra_questions import Equation, Known, Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate, holds_between, write_number
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    apply,
    free_letters,
    has_decimal,
    has_operator,
    number,
    substitute,
    walk,
)
from bot.maths.reading.wording import Found, Wording

_MACRON: Final = "\u0304"
_RIGHT_ANGLE: Final = re.compile(
    r"\b([A-Z]{3})\$? (?:est )?(?:un triangle )?rectangle en \$?([A-Z])\b"
)


_NEAR: Final = 2
"""Paragraphs over which the sine and cosine of an angle are remembered."""
_SCALE: Final = 10**6
"""A factor by which a difference from 0 is no mere rounding."""


class Relations:
    """The relations known at one place of a text; lengths and values hold in one paragraph."""

    def __init__(self) -> None:
        self._ranges: dict[str, tuple[Expr, Expr]] = {}
        self.ranged = set[str]()
        """Letters of which the text supposes a range: `pour x > 0`."""
        self._chances: dict[str, Expr] = {}
        self._equations: list[tuple[int, Equation]] = []
        self._lengths: dict[tuple[int, str], Expr] = {}
        self._ratios: dict[tuple[int, Expr], Expr] = {}
        self._asked: dict[Expr, Expr] = {}
        """Ratios that the question gives."""
        self._solved = set[str]()
        """Letters that have been given a value: another ratio of one is of another exercise."""
        self._squares: dict[tuple[int, Expr], Expr] = {}
        self._paragraph = (0, "")

    # Bounds -------------------------------------------------------------------------------------

    def learn_ranged(self, first: Expr, relation: str, *, supposed: bool) -> None:
        """Note the letter of a supposed inequality."""
        if supposed and isinstance(first, Letter) and relation in ("<", ">", "≤", "≥"):
            self.ranged.add(first.name)

    def learn_range(self, members: Sequence[Expr]) -> None:
        """Keep the bounds in `1 < x < 3`."""
        if len(members) == 3 and isinstance(members[1], Letter) and not free_letters(members[0]):
            self._ranges[members[1].name] = (members[0], members[2])

    def check_range(self, members: Sequence[Expr], relations: Sequence[str]) -> Known | None:
        """Return a verdict on `2 < 2x < 6`, or `3 < a + b < 7`, within the known bounds of one or
        two letters: wrong, or None if it is not known to be wrong."""
        letters = sorted(free_letters(members[1])) if len(members) == 3 else []
        known = [self._ranges[letter] for letter in letters if letter in self._ranges]
        is_bare = len(members) == 3 and isinstance(members[1], Letter)
        if not 1 <= len(letters) == len(known) <= _MOST_LETTERS or is_bare:
            return None
        try:
            ends = [evaluate(members[at]).number for at in (0, 2)]
            for points in product(*map(_list_points, known)):
                placed = dict(zip(letters, map(number, points), strict=True))
                value = evaluate(substitute(members[1], placed)).number
                is_above = holds_between(ends[0], relations[0], value, step=Fraction(0))
                if not is_above or not holds_between(
                    value, relations[1], ends[1], step=Fraction(0)
                ):
                    where = " and ".join(
                        f"{letter} = {write_number(point)}"
                        for letter, point in zip(letters, points, strict=True)
                    )
                    return Known("wrong", f"not for {where}")
        except Undecidable:
            return None
        return None

    # Lengths ------------------------------------------------------------------------------------

    def learn_equation(self, equation: Equation, block: int) -> None:
        """Keep an equation of two letters, by which the second letter follows from the first."""
        self._equations.append((block, equation))

    def learn_length(self, name: str, value: Expr, block: int) -> None:
        self._lengths[block, _sort(name)] = value

    def learn_right_angle(self, source: str, block: int) -> None:
        """Keep the equation of Pythagoras for `ABC rectangle en A`.

        Args:
            source: the text of a paragraph; it is read once, however many sentences it has.
        """
        if (block, source) == self._paragraph:
            return
        self._paragraph = (block, source)
        for names, corner in _RIGHT_ANGLE.findall(source):
            if corner in names and len(set(names)) == 3:
                one, other = (name for name in names if name != corner)
                sides = (one + other, corner + one, corner + other)
                longest, *legs = (apply("^", Letter(_sort(side)), number(2)) for side in sides)
                self.learn_equation(Equation(longest, "=", apply("+", *legs)), block)

    def check_last(
        self, name: str, value: Expr, bindings: Mapping[str, Expr], block: int
    ) -> Pair | None:
        """Return the check of an equation once all its letters have values; None: there is none."""
        lengths = {key[1]: known for key, known in self._lengths.items() if key[0] == block}
        placed = {**lengths, **bindings, name: value, _sort(name): value}
        for place, equation in self._equations:
            letters = equation.letters
            is_meant = name in letters or (len(letters) == 3 and _sort(name) in letters)
            if place == block and is_meant and letters <= placed.keys():
                sides = (substitute(side, placed) for side in (equation.left, equation.right))
                return Pair(next(sides), "=", next(sides))
        return None

    # Squares ------------------------------------------------------------------------------------

    def learn_square(self, members: Sequence[Expr], block: int) -> None:
        """Keep the value of `cos² x = 1 - 25/169 = 144/169`."""
        first, last = members[0], members[-1]
        if not isinstance(first, Apply) or first.op != "^" or first.args[1] != number(2):
            return
        if free_letters(first) and not free_letters(last):
            self._squares[block, first.args[0]] = last

    def check_root(self, base: Expr, value: Expr, block: int) -> Pair | None:
        """Return the check of `cos x = 12/13` against a known square; None: it is not known."""
        square = self._squares.get((block, base)) or self._find_other_square(base, block)
        if square is None or free_letters(value):
            return None
        is_exact = not has_decimal(value)
        return Pair(apply("^", value, number(2)), "=" if is_exact else "≈", square)

    def _find_other_square(self, base: Expr, block: int) -> Expr | None:
        """Return cos² x from the sine of x, or sin² x from its cosine; None: it is not known."""
        if not isinstance(base, Apply) or base.op not in ("sin", "cos"):
            return None
        other = self._ratios.get((block, Apply("cos" if base.op == "sin" else "sin", base.args)))
        return apply("-", number(1), apply("^", other, number(2))) if other else None

    def begin_answer(self) -> None:
        """Keep the ratios of the question for all paragraphs of the answer."""
        self._asked = {ratio: value for (_, ratio), value in self._ratios.items()}

    def learn_ratio(self, members: Sequence[Expr], block: int) -> None:
        """Keep the value of `sin α = 15/17` for its other ratios."""
        first, last = members[0], members[-1]
        is_ratio = isinstance(first, Apply) and first.op in ("sin", "cos")
        letters = free_letters(first)
        if is_ratio and letters and not free_letters(last):
            if letters & self._solved:
                known = self._ratios.items()
                self._ratios = {key: each for key, each in known if free_letters(key[1]) != letters}
                self._solved -= letters
            self._ratios[block, first] = last

    def learn_solved(self, name: str) -> None:
        """Note that a letter is given a value: `donc x = π/3`."""
        self._solved.add(name)

    def check_tangent(self, tangent: Apply, value: Expr, block: int) -> Pair | None:
        """Return the check of `tan α = 15/8` after the sine and cosine; None: one is unknown."""
        ratios = [Apply(name, tangent.args) for name in ("sin", "cos")]
        known = [self._ratios.get((block, each)) or self._asked.get(each) for each in ratios]
        if tangent.op != "tan" or known[0] is None or known[1] is None or free_letters(value):
            return None
        is_exact = not has_decimal(value)
        return Pair(apply("/", known[0], known[1]), "=" if is_exact else "≈", value)

    def check_argument(self, name: str, value: Expr, block: int) -> Pair | None:
        """Return the check of `θ = 3π/4` after its exact sine and cosine; None: one is unknown."""
        letters = {node.name for node in walk(value) if isinstance(node, Letter)}
        known = [self._find_ratio(op, name, block) for op in ("sin", "cos")]
        if letters != {"π"} or known[0] is None or known[1] is None:
            return None
        gaps = (
            apply("-", apply("sin", value), known[0]),
            apply("-", apply("cos", value), known[1]),
        )
        squares = [apply("^", gap, number(2)) for gap in gaps]
        return Pair(apply("*", number(_SCALE), apply("+", *squares)), "=", number(0))

    def _find_ratio(self, op: str, name: str, block: int) -> Expr | None:
        """Return the exact sine or cosine that one of the last paragraphs gives; None: none."""
        found = [
            value
            for (place, ratio), value in self._ratios.items()
            if ratio == apply(op, Letter(name)) and 0 <= block - place <= _NEAR
        ]
        return found[-1] if found and not has_decimal(found[-1]) else None

    # Chances and values -------------------------------------------------------------------------

    def learn_chance(self, call: Expr, value: Expr) -> None:
        """Keep `P(A) = 0,3`."""
        name, argument = get_call(call)
        if name == "P" and argument:
            self._chances.setdefault(argument, value)

    def find_complement(self, call: Expr) -> Expr | None:
        """Return the probability of an event from that of its complement; None: the text did not
        give it."""
        name, event = get_call(call)
        plain = unicodedata.normalize("NFD", event)
        other = plain[0] if plain.endswith(_MACRON) else f"{event}{_MACRON}"
        known = self._chances.get(unicodedata.normalize("NFC", other)) if name == "P" else None
        return apply("-", number(1), known) if known else None


def _list_points(bounds: tuple[Expr, Expr]) -> list[Fraction]:
    """List values between two bounds, some of them near the bounds. Raises `Undecidable`."""
    low, high = (evaluate(bound).number for bound in bounds)
    return [low + (high - low) * Fraction(part, 1000) for part in (1, 250, 500, 750, 999)]


_MOST_LETTERS: Final = 2
"""Most letters of an expression whose bounds are checked."""


def _sort(name: str) -> str:
    """Return the same name for `AB` and `BA`."""
    return "".join(sorted(name))


def find_root(equation: Equation) -> Fraction | None:
    """Return the solution of a linear equation of one letter; None: it is no such equation."""
    letters = list(equation.letters)
    is_bent = has_operator(equation.left, "abs") or has_operator(equation.right, "abs")
    if len(letters) != 1 or is_bent:
        return None
    difference = apply("-", equation.left, equation.right)
    try:
        at = [evaluate(substitute(difference, {letters[0]: number(x)})).number for x in range(3)]
    except Undecidable:
        return None
    slope = at[1] - at[0]
    return -at[0] / slope if slope and at[2] - at[1] == slope else None


def holds_always(equation: Equation) -> bool:
    """Return whether a linear equation of one letter says nothing of it: `3 × 2 - k = 6 - k`."""
    letters = list(equation.letters)
    if len(letters) != 1 or equation.relation != "=":
        return False
    places = [{letters[0]: number(x)} for x in range(3)]
    sides = (equation.left, equation.right)
    try:
        one, other = ([evaluate(substitute(side, at)).number for at in places] for side in sides)
    except (Undecidable, ZeroDivisionError):
        return False
    return one == other and one[2] - one[1] == one[1] - one[0]


def find_conjugated(name: str) -> str:
    """Return z for `z̄`; else empty."""
    plain = unicodedata.normalize("NFD", name)
    return plain[0] if plain[1:] == _MACRON else ""


def get_call(expr: Expr) -> tuple[str, str]:
    """Return the names of a function and its argument; empty if the expression is no call."""
    if not isinstance(expr, Apply) or expr.op != "call" or len(expr.args) != 2:
        return "", ""
    name, argument = expr.args
    return (
        name.name if isinstance(name, Letter) else "",
        argument.name if isinstance(argument, Letter) else "",
    )


# Sequences ----------------------------------------------------------------------------------------

_TERM: Final = re.compile(r"([a-zA-Z])_(n(?:\+1)?|\d{1,3})")
_MOST_STEPS: Final = 60
"""Most terms that are computed one from another."""
_DEFINED: Final = re.compile(
    r"\b(?:premier terme|first term|raison|defini\w*|posons|consider\w*)\b"
)
_PROGRESSION: Final = re.compile(
    r"(?P<kind>arithm|geom)(?=.*?(?P<term>\b[a-z]_\d+) = (?P<first>#))"
    r"(?=.*?(?:raison|difference|ratio|\bq|\br)(?: [a-z])?(?: =)? (?P<step>#))"
)


class Sequences:
    """The sequences known at one place of a text, by name."""

    def __init__(self) -> None:
        self._formulas: dict[str, Expr] = {}
        self._steps: dict[str, Expr] = {}
        self._terms: dict[str, dict[int, Expr]] = {}

    def learn(self, letter: str, value: Expr, letters: Set[str], text: str) -> bool:
        """Keep `u_n = 2n`, `u_n+1 = 2u_n` or `u_0 = 3`; return whether it defines the sequence.

        Args:
            letters: the letters of the value.
            text: the sentence, which may define another sequence of the same name.
        """
        term = _TERM.fullmatch(letter)
        if not term:
            return False
        name, index = term.groups()
        if index == "n" and letters == {"n"}:
            self._formulas[name] = value
            self._steps.pop(name, None)
        elif index == "n+1" and f"{name}_n" in letters <= {f"{name}_n", "n"}:
            self._steps[name] = value
            self._formulas.pop(name, None)
        else:
            if index.isdigit() and not letters:
                self._learn_term(name, int(index), value, text)
            return False
        return True

    def _learn_term(self, name: str, rank: int, value: Expr, text: str) -> None:
        known = self._terms.setdefault(name, {})
        if known and (_DEFINED.search(text) or rank < min(known)):
            known.clear()
        known.setdefault(rank, value)

    def learn_progression(self, wording: Wording) -> None:
        """Keep an arithmetic or geometric sequence whose first term and step a sentence gives."""
        match = _PROGRESSION.search(wording.text)
        term = _TERM.fullmatch(match["term"]) if match else None
        if not match or not term:
            return
        values = Found(wording, match).name_values()
        first, step = values["first"], values["step"]
        rank = apply("-", Letter("n"), number(int(term[2])))
        is_arithmetic = match["kind"] == "arithm"
        grown = apply("*", rank, step) if is_arithmetic else apply("^", step, rank)
        self._formulas[term[1]] = apply("+" if is_arithmetic else "*", first, grown)
        self._terms.pop(term[1], None)

    def resolve(self, letter: Letter) -> Expr:
        """Return the value of `u_5` if the sequence is known; else the letter."""
        term = _TERM.fullmatch(letter.name)
        if not term or not term[2].isdigit():
            return letter
        name, rank = term[1], int(term[2])
        if name in self._formulas:
            return substitute(self._formulas[name], {"n": number(rank)})
        known, step = self._terms.get(name), self._steps.get(name)
        if not known or not step or not 0 < rank - min(known) <= _MOST_STEPS:
            return letter
        value = known[min(known)]
        try:
            for place in range(min(known), rank):
                placed = substitute(step, {f"{name}_n": value, "n": number(place)})
                value = number(evaluate(placed).number)
        except Undecidable:
            return letter
        return value
