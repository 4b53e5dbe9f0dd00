"""Keep the sequences of a text: by a formula, from term to term, or by first term and step."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Expr, Letter, apply, number, substitute
from bot.maths.reading.wording import Found, Wording

_TERM: Final = re.compile(r"([a-z])_(n(?:\+1)?|\d{1,3})")
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
