"""Check equalities with letters: identities, steps of one equation, expressions for a letter.

An equality may be an equation to solve or one that holds always: the words around it (`cues.py`),
its form (`algebra.py`) or what the text wants to rewrite decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bot.maths.checks.equation_lines import Lines
from bot.maths.checks.stated_facts import Facts, has_derivation
from bot.maths.exact.algebra_questions import Check, Identity, Strength
from bot.maths.exact.expression import Expr, Letter, Solutions, free_letters, has_operation
from bot.maths.exact.laws import is_about_constant, loses_letter
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import (
    Cues,
    follows,
    is_equivalent,
    is_rewriting,
    is_second,
    is_supposed,
)
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Found, Wording

_REWRITES: Final = re.compile(
    r"\b(?:factoris|developp|redui|simplif|expand|factor)\w*"
    r"(?: (?:et|puis|and|then) (?:factoris|developp|redui|reduce|simplif)\w*)?"
    r"(?: (?:l|le|la|les|the|this|cette|ce|'|:|expressions?|polynome|trinome|fraction|produit|somme"
    r"|quotient|suivante?s?|completely|completement|d abord|[A-Z] =))* (?P<e>#)(?! [=<>≤≥≈])"
)
"""A verb of rewriting with what is to be rewritten."""


class LetterEqualities:
    """The equalities with letters of one text, and what it says that it rewrites."""

    def __init__(self, facts: Facts, cues: Cues) -> None:
        self._facts = facts
        self._cues = cues
        self._rewritten: set[Expr] = set()
        self._lines = Lines()

    def learn_words(self, wording: Wording) -> None:
        """Keep the expressions that a sentence tells to factorise, expand or reduce."""
        for match in _REWRITES.finditer(wording.text):
            value = Found(wording, match).name_values()["e"]
            if free_letters(value) and has_operation(value):
                self._rewritten.add(value)

    def check(
        self, chain: Chain, sides: tuple[Expr, Expr], at: int, sentence: Sentence,
        previous: Sentence | None,
    ) -> Iterator[Check]:  # fmt: skip
        """Yield the check of the equality between the member `at` of a chain and the next; none if
        it defines a letter, or may be an equation to solve.

        Args:
            sides: the two members, with known functions applied.
        """
        left, right = sides
        is_step = follows(chain, sentence) and len(chain.members) == 2
        line = self._lines.check(chain, sides, sentence, previous)
        if step := (is_step and self._facts.check_step(left, right)) or line:
            yield step
        elif equivalence := self._find_equivalence(chain, sides, sentence):
            yield equivalence
        elif isinstance(left, Letter):
            yield from self._check_letter(chain, sides, at, sentence)
        elif has_derivation(left) or has_derivation(right):
            yield Identity(left, right, "claimed")
        elif placed := self._facts.place_complex(left):
            yield Identity(placed, right, "claimed")
        elif free_letters(left):
            strength = self._find_strength(chain, sides, at, sentence, previous)
            if strength:
                yield Identity(left, right, strength, tuple(self._facts.equations))

    def _check_letter(
        self, chain: Chain, sides: tuple[Expr, Expr], at: int, sentence: Sentence
    ) -> Iterator[Check]:
        """Yield the check of an expression for a letter that stands for another one."""
        left, right = sides
        name = getattr(left, "name", "")
        if is_second(chain, sentence) or is_supposed(chain, sentence):
            return
        known = self._facts.find_conjugate(name) or (
            self._facts.find_named(name, right) if at == 0 else None
        )
        if known:
            yield Identity(known, right, "claimed")

    def _find_equivalence(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence
    ) -> Check | None:
        """Return the check of `⇔ (x - 2)(x - 3) = 0` against the equation before it; None: there is
        none, or the chain is a solution."""
        is_equation = len(chain.members) == 2 and not isinstance(sides[0], Letter)
        if not is_equation or not is_equivalent(chain, sentence):
            return None
        return self._facts.find_equivalent(*sides, sentence)

    def _find_strength(
        self, chain: Chain, sides: tuple[Expr, Expr], at: int, sentence: Sentence,
        previous: Sentence | None,
    ) -> Strength | None:  # fmt: skip
        """Return how an equality with letters on its left side is meant; None: as an equation to
        solve, or as a definition."""
        left, right = sides
        if free_letters(right):
            strength = self._cues.find_strength(chain, at, sentence, previous)
            is_meant = strength == "claimed" or self._is_rewritten(chain, sides, sentence, previous)
            return "claimed" if is_meant or self._computes_complex(chain, sides) else strength
        if free_letters(left) == {"i"} and has_operation(left):
            return "plain"
        if is_about_constant(left):
            return None if self._cues.has_solving(sentence) else "plain"
        if is_supposed(chain, sentence):
            return None
        section = self._cues.get_section(sentence)
        if loses_letter(left, right) and _is_about_terms(section):
            is_solved = any(_solves_for(letter, section) for letter in free_letters(left))
            return None if is_solved or self._cues.has_solving(sentence) else "claimed"
        is_meant = is_rewriting(chain, at, sentence) and not self._cues.has_equation(sentence)
        return "claimed" if is_meant else None

    def _is_rewritten(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence, previous: Sentence | None
    ) -> bool:
        """Return whether a chain begins with what the text wants to rewrite, and is not called an
        equation: `Factorisons x² - 9. … donc x² - 9 = (x - 3)(x + 3)`."""
        first = chain.members[0]
        is_named = not isinstance(first, Solutions) and first in self._rewritten
        is_same = free_letters(sides[0]) == free_letters(sides[1])
        return is_named and is_same and not _solves_before(chain, sentence, previous)

    def _computes_complex(self, chain: Chain, sides: tuple[Expr, Expr]) -> bool:
        """Return whether a chain computes with a known complex number: `z² = 4 + 4i - 1 = …`."""
        first = chain.members[0]
        is_known = not isinstance(first, Solutions) and self._facts.place_complex(first)
        return bool(is_known) and free_letters(sides[0]) | free_letters(sides[1]) == {"i"}


def _solves_before(chain: Chain, sentence: Sentence, previous: Sentence | None) -> bool:
    """Return whether the words just before an equality call it an equation."""
    length = sentence.tokens[chain.start].start - sentence.tokens[0].start
    before = sentence.text[: max(0, length)][-60:]
    if previous and length < _LEAD:
        before = f"{previous.text[-60:]} {before}"
    return bool(_CALLED_EQUATION.search(before))


_LEAD: Final = 20
"""Fewer characters before an equality only continue the sentence before."""
_CALLED_EQUATION: Final = re.compile(
    r"\b(?:resou|resol|solve|solving|equation|inequation|systeme|system|tels? que|such that)"
)


def _is_about_terms(text: str) -> bool:
    """Return whether a text is about the terms and coefficients of expressions."""
    return bool(_TERMS.search(text))


def _solves_for(letter: str, text: str) -> bool:
    """Return whether a text concludes with a value of a letter: `donc y = 7/6`."""
    name = re.escape(fold(letter))
    lead = r"(?:^|[.,;:($⇔⇒]|\b(?:donc|alors|d'ou|soit|ou|donne|so|then|gives|or))"
    return bool(re.search(rf"{lead}\s*\$?{name}\$? ?=", text))


_TERMS: Final = re.compile(
    r"\b(?:coefficients?|termes? (?:semblable|de meme)\w*|like terms|redui\w*|meme lettre"
    r"|collect\w*|partie litterale)\b"
)
