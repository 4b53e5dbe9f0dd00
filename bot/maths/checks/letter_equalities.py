"""Check equalities with letters: identities, steps of one equation, expressions for a letter.

An equality may be an equation to solve or one that holds always: the words around it (`cues.py`),
its form (`algebra.py`) or what the text wants to rewrite decide. Lines and clauses may rewrite the
equation just before them: `3x + 2(x - 1) = 8` and below it `3x + 2x - 2 = 8`; `y - 4 = 3(x - 1),
donc y = 3x + 1`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from bot.maths.checks.stated_facts import Facts, has_derivation
from bot.maths.checks.stated_relations import find_root
from bot.maths.exact.algebra_questions import (
    Check,
    Equation,
    Equivalence,
    Identity,
    Known,
    Strength,
)
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Solutions,
    apply,
    free_letters,
    has_operation,
    number,
    substitute,
    walk,
)
from bot.maths.exact.laws import is_about_constant, list_terms, loses_letter
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import (
    Cues,
    begins_anew,
    follows,
    is_equivalent,
    is_rewriting,
    is_second,
    is_supposed,
    is_whole,
)
from bot.maths.reading.number_words import fold
from bot.maths.reading.prose import Sentence
from bot.maths.reading.tokens import Token
from bot.maths.reading.wording import Found, Wording

# Steps of equations -------------------------------------------------------------------------------

_ZERO: Final = number(0)
_LEAST_MOVED: Final = 3
"""Terms of an equation that are hardly the same by chance in another one."""


class _Terms(NamedTuple):
    """The terms of an equation without their signs."""

    literal: Counter[Expr]
    constant: Counter[Expr]

    @property
    def total(self) -> int:
        return self.literal.total() + self.constant.total()


def derives(before: Equation, after: Equation) -> bool:
    """Return whether an equation has the form of a step from another one, right or wrong: terms
    that are moved, numbers that are put together, or one side that is rewritten."""
    letters = before.letters
    if not letters or letters != after.letters or _is_solved(before):
        return False
    old, new = _list_terms(before), _list_terms(after)
    if old.literal == new.literal:
        is_moved = old.constant == new.constant and old.total >= _LEAST_MOVED
        is_shorter = new.constant.total() < old.constant.total()
        return is_moved or is_shorter or _computes_side(before, after)
    is_moved = old.literal + old.constant == new.literal + new.constant
    return is_moved or _rewrites_side(before, after) or _collects(before, after)


def continues(before: Equation, after: Equation) -> bool:
    """Return whether an equation may be the next step after one that is itself a step."""
    letters = before.letters
    if letters != after.letters or _is_solved(before) or _find_equation_line(before) is None:
        return False
    return _list_terms(after).total <= _list_terms(before).total


def _is_solved(equation: Equation) -> bool:
    """Return whether an equation is `x = 3`."""
    return isinstance(equation.left, Letter) and not free_letters(equation.right)


def is_unfinished(expr: Expr) -> bool:
    """Return whether an expression can be reduced: it has terms or numbers to put together, or
    multiplies a sum."""
    if isinstance(expr, Apply) and expr.op == "/" and free_letters(expr.args[1]):
        return any(map(is_unfinished, expr.args))
    terms = list(_split(expr))
    constants = [each for each in terms if not free_letters(each)]
    parts = Counter(_drop_factor(each) for each in terms if free_letters(each))
    is_numeric = any(isinstance(each, Apply) and each.op != "/" for each in constants)
    has_like = len(constants) > 1 or is_numeric or any(count > 1 for count in parts.values())
    return has_like or _multiplies_sum(expr)


def _multiplies_sum(expr: Expr) -> bool:
    """Return whether an expression multiplies or squares a sum."""
    return _applies_to_sum(expr, "*", "^")


def _applies_to_sum(expr: Expr, *operators: str) -> bool:
    """Return whether one of these operations has a sum among its arguments."""
    return any(
        isinstance(node, Apply)
        and node.op in operators
        and any(isinstance(each, Apply) and each.op in ("+", "-") for each in node.args)
        for node in walk(expr)
    )


def _list_terms(equation: Equation) -> _Terms:
    found = _Terms(Counter(), Counter())
    for side in (equation.left, equation.right):
        for term in _split(side):
            if term != _ZERO:
                found[not free_letters(term)][term] += 1
    return found


def _split(expr: Expr) -> Iterator[Expr]:
    """Yield the terms of a sum without their signs."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Apply) and node.op in ("+", "-", "neg"):
            waiting.extend(node.args)
        else:
            yield node


def _drop_factor(term: Expr) -> Expr:
    """Return a term without the number by which it is multiplied."""
    if isinstance(term, Apply) and term.op == "*" and isinstance(term.args[0], Num):
        return term.args[1]
    return term


def _rewrites_side(before: Equation, after: Equation) -> bool:
    """Return whether one side stays and the other one is expanded, reduced or factorised; a product
    that is zero may be followed by one of its factors."""
    pairs = [(before.left, after.left), (before.right, after.right)]
    changed = [(one, other) for one, other in pairs if one != other]
    if len(changed) != 1:
        return False
    one, other = changed[0]
    if not free_letters(one) or free_letters(one) != free_letters(other):
        return False
    kept = before.right if one is before.left else before.left
    if isinstance(one, Apply) and one.op in ("*", "^") and kept == _ZERO:
        return False
    if isinstance(one, Letter) or isinstance(other, Letter):
        return False
    counts = [sum(bool(free_letters(term)) for term in _split(side)) for side in (one, other)]
    is_expanded = _multiplies_sum(one) and not _multiplies_sum(other)
    is_factorised = counts[0] > 1 == counts[1] and _multiplies_sum(other)
    return is_expanded or is_factorised


def _computes_side(before: Equation, after: Equation) -> bool:
    """Return whether a side without letters is computed: `4x = 6 × 10` and `4x = 60`."""
    return any(
        isinstance(one, Apply) and one.op in ("*", "/") and isinstance(other, Num)
        for one, other in ((before.left, after.left), (before.right, after.right))
        if not free_letters(one)
    )


def _collects(before: Equation, after: Equation) -> bool:
    """Return whether both put their terms together to the same number of x, or the same number
    without x: `5x - 3 = 2x + 9` and `3x = 6`."""
    old, new = _list_terms(before), _list_terms(after)
    if old.literal.total() < 2 or new.literal.total() != 1 or new.total >= old.total:
        return False
    one, other = _find_equation_line(before), _find_equation_line(after)
    if one is None or other is None:
        return False
    is_slope, is_constant = (abs(a) == abs(b) for a, b in zip(one, other, strict=True))
    return (is_slope and abs(one[0]) != 1) or (is_constant and one[1] != 0)


def _find_equation_line(equation: Equation) -> tuple[Fraction, Fraction] | None:
    """Return a and b of an equation of one letter that is ax + b = 0; None: it is no such one."""
    letters = sorted(equation.letters)
    difference = apply("-", equation.left, equation.right)
    line = find_line(difference, letters[0]) if len(letters) == 1 else None
    return line if line and line[0] else None


def find_line(expr: Expr, letter: str) -> tuple[Fraction, Fraction] | None:
    """Return a and b of an expression that is ax + b; None: it is no such expression."""
    try:
        at = [evaluate(substitute(expr, {letter: number(x)})).number for x in range(3)]
    except (Undecidable, ZeroDivisionError):
        return None
    slope = at[1] - at[0]
    return (slope, at[0]) if at[2] - at[1] == slope else None


# Lines that rewrite an equation -------------------------------------------------------------------

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


class _Lines:
    """The equation that the text stated last, and those of two letters; or the inequality, of which
    only the bound is compared.

    Args:
        signs: the relations that are read.
    """

    def __init__(self, *signs: str) -> None:
        self._signs = signs
        self._before: _Stated | None = None
        self._last: _Stated | None = None
        self._pairs: list[tuple[int, Equation]] = []
        """Equations of two letters with their paragraphs."""
        self._count = 0
        """How many equations there were."""
        self._asked: _Stated | None = None
        """The only equation of the question, until the answer states one."""

    def begin_answer(self) -> None:
        """Note that the question is read and the answer begins."""
        self._asked = self._last if self._count == 1 else None
        self._before = self._last = None

    def check(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence, previous: Sentence | None
    ) -> Check | None:
        """Return the check of an equation against the one just before it, of which it is a form;
        None: it is none, or has no error that is known. Keeps it for those after it."""
        if len(chain.members) != 2 or chain.relations[0].text not in self._signs or chain.is_cut:
            return None
        tokens, equation = sentence.tokens, Equation(sides[0], "=", sides[1])
        is_line = is_whole(chain, sentence) or _follows_label(chain, tokens)
        self._keep(_Stated(equation, sentence, tokens[chain.end - 1].end, is_line))
        before, asked = self._before, self._asked
        is_case = chain.end < len(tokens) and tokens[chain.end].text in ("ou", "or")
        begins = is_line or (chain.start == 0 and not is_case)
        if before is None and asked and begins and asked.equation != equation:
            is_other = previous is not None and begins_anew(previous)
            return None if is_other else self._check_next(asked)
        if before is None or before.equation == equation:
            return None
        if before.is_line and is_line and before.sentence is previous:
            return _check_line(before.equation, equation) or self._check_next(before)
        between = sentence.source[before.end : tokens[chain.start].start]
        is_next = sentence.block == before.sentence.block and before.end < tokens[chain.start].start
        if is_next and _LEADS_ON.fullmatch(fold(between)) and not self._is_of_system(before):
            solved = _check_solved(before.equation, equation)
            return solved or (None if is_case else self._check_next(before))
        return None

    def _check_next(self, before: _Stated) -> Check | None:
        """Return the check of the last line, if it has the form of a step from the one before."""
        last = self._last
        is_asked = before is self._asked
        if last is None or not (is_asked or _is_adjacent(before.sentence, last.sentence)):
            return None
        if _EXERCISES.search(before.sentence.text) or _EXERCISES.search(fold(last.sentence.source)):
            return None
        is_step = derives(before.equation, last.equation)
        is_next = before.is_derived and continues(before.equation, last.equation)
        if not is_step and not is_next:
            return None
        self._last = last._replace(is_derived=True)
        roots = find_root(before.equation), find_root(last.equation)
        if None in roots or len(last.equation.letters) != 1:
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
        self._count += 1
        if not isinstance(equation.left, Letter) and len(equation.letters) == 2:
            self._pairs.append((stated.sentence.block, equation))

    def _is_of_system(self, stated: _Stated) -> bool:
        """Return whether the paragraph has another equation of the same letters."""
        letters, block = stated.equation.letters, stated.sentence.block
        return any(
            place == block and each != stated.equation and each.letters == letters
            for place, each in self._pairs
        )


def _follows_label(chain: Chain, tokens: Sequence[Token]) -> bool:
    """Return whether a line has only words and a colon before its equation: `On a : 3x = 6`."""
    before, is_last = tokens[: chain.start], chain.end >= len(tokens) - 1
    is_label = bool(before) and before[-1].text == ":"
    return is_last and is_label and all(each.kind == "word" for each in before[:-1])


def _is_adjacent(one: Sentence, other: Sentence) -> bool:
    """Return whether two sentences are lines of one paragraph, or paragraphs that begin with their
    formulas."""
    begin = all(each.tokens[0].is_formula or each.tokens[0].kind != "word" for each in (one, other))
    return one.block == other.block or (begin and one.block + 1 == other.block)


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
    one, other = (find_line(each, *letters) for each in changed[0])
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
    if before.letters != letters or len(letters) != 2:
        return None
    if before.left == left:
        is_form = free_letters(before.right) == free_letters(body) and _has_brackets(before.right)
        return Identity(before.right, body, "claimed") if is_form else None
    return Equivalence(before, equation)


def _has_brackets(expr: Expr) -> bool:
    """Return whether an expression multiplies a sum."""
    return _applies_to_sum(expr, "*")


def _write(line: tuple[Fraction, Fraction], letter: str) -> str:
    slope, constant = line
    sign = "-" if constant < 0 else "+"
    return f"{slope}{letter} {sign} {abs(constant)}"


# Equalities with letters --------------------------------------------------------------------------

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
        self._lines = _Lines("=")
        self._bounds = _Lines("<", ">", "≤", "≥")

    def begin_answer(self) -> None:
        """Note that the question is read and the answer begins."""
        self._lines.begin_answer()
        self._bounds.begin_answer()

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

    def check_bound(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence, previous: Sentence | None
    ) -> Check | None:
        """Return the check of an inequality against the line just before it: `3x < 11 + 4` below
        `3x - 4 < 11`; None: there is none."""
        return self._bounds.check(chain, sides, sentence, previous)

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
            is_meant |= _merges_terms(*sides) and self._cues.is_whole_answer(chain, sentence)
            return "claimed" if is_meant or self._computes_complex(chain, sides) else strength
        if free_letters(left) == {"i"} and has_operation(left):
            return "plain"
        if is_about_constant(left):
            return None if self._cues.has_solving(sentence) else "plain"
        if is_supposed(chain, sentence):
            return None
        section = self._cues.get_section(sentence)
        if loses_letter(left, right) and _ABOUT_TERMS.search(section):
            is_solved = any(_solves_for(letter, section) for letter in free_letters(left))
            return None if is_solved or self._cues.has_solving(sentence) else "claimed"
        is_meant = is_rewriting(chain, at, sentence) and not self._cues.has_equation(sentence)
        # no equation: `uₙ₊₁ - uₙ = (5n + 8) - (5n + 3) = 5`
        is_computed = (at > 0 and len(chain.members) > 2) or free_letters(left) == {"n"}
        is_computed = is_computed and not self._cues.has_solving(sentence)
        return "claimed" if is_meant else "plain" if is_computed else None

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


def _merges_terms(left: Expr, right: Expr) -> bool:
    """Return whether terms with and without a letter become one: `8x - 3x + 2 = 7x`."""
    terms = [*list_terms(left)]
    with_letter = sum(bool(free_letters(each)) for each in terms)
    return 1 < with_letter < len(terms) and len([*list_terms(right)]) == 1


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


def _solves_for(letter: str, text: str) -> bool:
    """Return whether a text concludes with a value of a letter: `donc y = 7/6`."""
    name = re.escape(fold(letter))
    lead = r"(?:^|[.,;:($⇔⇒]|\b(?:donc|alors|d'ou|soit|ou|donne|so|then|gives|or))"
    return bool(re.search(rf"{lead}\s*\$?{name}\$? ?=", text))


_ABOUT_TERMS: Final = re.compile(
    r"\b(?:coefficients?|termes? (?:semblable|de meme)\w*|like terms|redui\w*|meme lettre"
    r"|collect\w*|partie litterale)\b"
)
