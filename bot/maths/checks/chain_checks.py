"""Make the checks of a chain that need only the chain: coordinates, divisions, derivatives; and
equalities of whole numbers that are written in another base, or computed modulo a number.

A text that speaks of binary writes `1 + 1 = 10`; one that speaks of ℤ/5ℤ writes `3 + 4 = 2`. Lists
of derivatives and primitives, and sentences that go on with them, have no sign of equality:
`Primitives usuelles : de x² : x³/3`, `primitive de cos x → sin x`, `La dérivée de x² est 2x. Celle
de x³ est 3x².`, `Pour sin(2x), c'est 2cos(2x).`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec

from bot.maths.checks.stated_forms import is_call
from bot.maths.exact.algebra_questions import Check, Derivative, Identity, Known, Pair, Statement
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
    free_letters,
    has_operator,
    list_units,
    number,
    transform,
    walk,
)
from bot.maths.exact.units import find_unit
from bot.maths.reading.chain_members import ARROWS, MemberReader
from bot.maths.reading.chains import Chain, find_chains
from bot.maths.reading.cues import is_graded, is_scale
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token


class Division(NamedTuple):
    """A division with remainder; the remainder is None if the text has no number for it."""

    dividend: Expr
    divisor: Expr
    quotient: Expr
    remainder: Fraction | None


def find_division(chain: Chain, tokens: Sequence[Token]) -> Division | None:
    """Return the division that `17 : 5 = 3 reste 2` states; None: the chain states none."""
    first = chain.members[0]
    if len(chain.members) != 2 or not isinstance(first, Apply) or first.op != "/":
        return None
    quotient = chain.members[1]
    after = tokens[chain.end :]
    cue = next((at for at, token in enumerate(after) if _says_remainder(token, at)), None)
    if cue is None or isinstance(quotient, Solutions) or not _may_be_quotient(chain):
        return None
    if any(token.text in ("nul", "nulle") for token in after[cue + 1 : cue + 4]):
        return Division(first.args[0], first.args[1], quotient, Fraction(0))
    at = next((at for at, token in enumerate(after) if at > cue and token.kind == "number"), None)
    if at is not None and after[at + 1 : at + 2] and after[at + 1].kind in ("operator", "relation"):
        return None  # another computation: `200 F. Il lui reste 800 − 200`
    remainder = after[at].value if at is not None else None
    return Division(first.args[0], first.args[1], quotient, remainder)


def _may_be_quotient(chain: Chain) -> bool:
    """Return whether a chain's last member may be a whole quotient: not `≈ 52,08`."""
    last = chain.members[-1]
    return chain.relations[0].text != "≈" and not (isinstance(last, Num) and last.is_decimal)


def _says_remainder(token: Token, at: int) -> bool:
    is_letter = token.kind == "name" and token.text in ("r", "R") and at == 0
    return token.text in ("reste", "restes", "remainder", "rest", "restent") or is_letter


def check_division(division: Division) -> list[Check]:
    """Return the checks of a division with remainder, which must be smaller than the divisor."""
    if division.remainder is None:
        return []
    remainder = Num(division.remainder)
    product = apply("+", apply("*", division.divisor, division.quotient), remainder)
    return [Pair(product, "=", division.dividend), Pair(remainder, "<", division.divisor)]


def read_double_signs(sentence: Sentence) -> Iterator[Statement]:
    """Yield the equalities of two numbers with ±, in which + and − are read one after the other:
    `(6 ± √20)/2 = 3 ± √5`."""
    for sign in "+-" if any(token.text == "±" for token in sentence.tokens) else "":
        tokens = [
            msgspec.structs.replace(token, text=sign) if token.text == "±" else token
            for token in sentence.tokens
        ]
        for chain in find_chains(tokens):
            inside = range(chain.start, chain.end)
            ends = [at for at in inside if any(tokens[at] is each for each in chain.relations)]
            spans = pairwise((chain.start, *ends, chain.end))
            members = [sentence.tokens[low:high] for low, high in spans]
            are_double = [any(token.text == "±" for token in each) for each in members]
            checks = list(_compare_double(chain, are_double))
            if checks and not chain.is_doubtful and not chain.is_cut:
                text = sentence.quote(chain.start, chain.end)
                yield Statement(text, [checks])


def _compare_double(chain: Chain, are_double: Sequence[bool]) -> Iterator[Check]:
    """Yield the checks of neighbouring numbers of a chain that both have ±."""
    if len(are_double) != len(chain.members):
        return
    for at, relation in enumerate(chain.relations):
        one, other = chain.members[at], chain.members[at + 1]
        if isinstance(one, Solutions) or isinstance(other, Solutions):
            continue
        is_plain = not (free_letters(one) | free_letters(other)) - {"i"}
        if relation.text == "=" and is_plain and are_double[at] and are_double[at + 1]:
            yield Pair(one, relation.text, other)


_MARKED_OUT_OF: Final = (10, 20)
"""Numbers of points of a paper; only the last one needs no word of marks beside it."""


def drop_grade_base(left: Expr, right: Expr, sentence: Sentence) -> Expr:
    """Return the points of a grade that the left side computes: 12.5 for `50 ÷ 4 = 12,5/20`; else
    the right side."""
    if not isinstance(right, Apply) or right.op != "/" or free_letters(left):
        return right
    points, base = right.args
    if not isinstance(points, Num) or not isinstance(base, Num) or base.value not in _MARKED_OUT_OF:
        return right
    if base.value != _MARKED_OUT_OF[-1] and not is_graded(sentence):
        return right
    try:
        is_grade = abs(evaluate(left).number - points.value) < Fraction(1, 10**points.places)
    except Undecidable:
        return right
    return points if is_grade and points.value > 1 else right


def check_coordinates(chain: Chain) -> Iterator[Check]:
    """Yield the checks of equal coordinates: `(3 - 2 ; 15 + 3) = (1 ; 18)`; and of the numbers
    after the two arguments of a name: `A(8 ; 3) = 8 × 7 × 6 = 336`."""
    first = chain.members[0]
    has_arguments = isinstance(first, Solutions) and len(first.elements) == 1
    for one, other, relation in zip(
        chain.members, chain.members[1:], chain.relations, strict=False
    ):
        if isinstance(one, Solutions) and isinstance(other, Solutions):
            yield from _equate(one, other) if relation.text == "=" else ()
        elif (
            has_arguments
            and not isinstance(one, Solutions)
            and not isinstance(other, Solutions)
            and relation.text in ("=", "≈")
            and not free_letters(one) | free_letters(other)
        ):
            yield Pair(one, relation.text, other)


def _equate(one: Solutions, other: Solutions) -> Iterator[Check]:
    """Yield the checks of the coordinates of two pairs."""
    rows = [*one.elements, *other.elements]
    if len(rows) == 2 and len(rows[0]) == len(rows[1]) > 1:
        for left, right in zip(*rows, strict=True):
            if not free_letters(left) | free_letters(right):
                yield Pair(left, "=", right)


def check_phrase(chain: Chain, members: Sequence[Expr]) -> Iterator[Check]:
    """Read `la dérivée de f(x) = x² est f'(x) = 2x`: a function and its derivative."""
    weak = next((at for at, token in enumerate(chain.relations) if token.is_weak), 0)
    functions = [each for each in members[: weak + 1] if not is_call(each)]
    results = [
        each
        for each in members[weak + 1 :]
        if functions and not is_call(each) and _list_derived(each) <= free_letters(functions[-1])
    ]  # not y', nor `4 × u' × u³` of a function without u
    if functions and results and not chain.is_cut:
        yield from make_derivative(
            functions[-1], results[0], is_primitive=chain.phrase == "primitive"
        )


def _list_derived(expr: Expr) -> set[str]:
    """Return the letters of functions whose derivatives an expression names."""
    return {each.rstrip("'") for each in free_letters(expr) if each.endswith("'")}


def find_kinship(chain: Chain) -> int | None:
    """Return the place of `est une primitive de` among the relations; None: there is none."""
    places = (at for at, token in enumerate(chain.relations) if token.text.endswith(" of"))
    return next(places, None)


def check_kinship(chain: Chain, members: Sequence[Expr], at: int) -> Iterator[Check]:
    """Read `F(x) = x² est une primitive de f(x) = 2x`."""
    results = [each for each in members[: at + 1] if not is_call(each)]
    functions = [each for each in members[at + 1 :] if not is_call(each)]
    are_named = all(isinstance(each, Letter) for each in (*results[-1:], *functions[:1]))
    if results and functions and not chain.is_cut and not are_named:
        is_primitive = chain.relations[at].text == "primitive of"
        yield from make_derivative(functions[0], results[-1], is_primitive=is_primitive)


def make_derivative(function: Expr, result: Expr, *, is_primitive: bool) -> Iterator[Check]:
    """Yield the check of a derivative; none where no letter is the one to derive by."""
    letters = free_letters(function)
    names_functions = any(each.endswith("'") for each in free_letters(result) | letters)
    usual = [each for each in ("x", "t") if each in letters]
    is_name = isinstance(function, Letter) and not usual  # `les primitives de f sont …`
    if is_name or (len(letters) > 1 and not usual and not names_functions):
        return
    letter = next(iter(letters)) if len(letters) == 1 else next(iter(usual), "x")
    one, other = (result, function) if is_primitive else (function, result)
    yield Derivative(one, other, letter)


# Bases and moduli ---------------------------------------------------------------------------------

_BASE: Final = re.compile(
    r"\bbases? (?P<base>\d{1,2}|deux|trois|quatre|cinq|six|sept|huit|douze|two|three|five|eight)\b"
    r"|\b(?P<two>binaires?|binary)\b|\b(?P<eight>octal\w*)\b"
)
_NAMES: Final = {
    "deux": 2, "two": 2, "trois": 3, "three": 3, "quatre": 4, "cinq": 5, "five": 5, "six": 6,
    "sept": 7, "huit": 8, "eight": 8, "douze": 12,
}  # fmt: skip
_MODULUS: Final = re.compile(
    r"(?:\b|\{)z\}?\$? ?/ ?(?P<ring>\d{1,3})|ℤ ?/ ?(?P<set>\d{1,3})"
    r"|\bmod(?:ulo)?\b[ {]*(?P<mod>\d{1,3})"
    r"|≡[^.\n]*[\[(](?P<congruent>\d{1,3})[\])]|= ?-?\d{1,4} ?\[(?P<bracket>\d{1,3})\]"
)


def add_readings(statement: Statement, text: str) -> Statement:
    """Return the statement with its further readings in a base or modulo a number of which a text
    in small letters speaks."""
    bases, moduli = _list_bases(text), _list_moduli(text)
    for checks in list(statement.readings):
        if not all(isinstance(check, Pair) for check in checks):
            continue
        statement.readings += [
            [*_rewrite(checks, base, sides)]
            for base in bases
            for sides in ("both", "left", "right")
        ]
        if any(_is_congruent(checks, modulus) for modulus in moduli):
            statement.readings.append([Known("undecided")])
    return statement


@lru_cache(maxsize=8)  # asked for each statement of a section
def _list_bases(text: str) -> list[int]:
    bases = set[int]()
    for found in _BASE.finditer(text):
        written = found["base"] or ("2" if found["two"] else "8")
        bases.add(_NAMES.get(written) or int(written))
    return sorted(each for each in bases if 1 < each < 10)


@lru_cache(maxsize=8)
def _list_moduli(text: str) -> list[int]:
    written = ({*found.groups()} - {None} for found in _MODULUS.finditer(text))
    return sorted({int(each) for group in written for each in group if each and int(each) > 1})


def _rewrite(checks: Sequence[Check], base: int, sides: str) -> Iterator[Check]:
    """Yield pairs with the numbers of both sides, or of one, read in a base."""
    for check in checks:
        if isinstance(check, Pair):
            left = check.left if sides == "right" else _read_in_base(check.left, base)
            right = check.right if sides == "left" else _read_in_base(check.right, base)
            yield Pair(left, check.relation, right)


def _read_in_base(expr: Expr, base: int) -> Expr:
    """Return an expression with its whole numbers read in a base, as far as their digits allow."""

    def change(node: Expr) -> Expr:
        if not isinstance(node, Num) or node.value.denominator != 1 or node.value < 0:
            return node
        digits = str(node.value)
        return number(int(digits, base)) if all(int(each) < base for each in digits) else node

    return transform(expr, change)


def _is_congruent(checks: Sequence[Check], modulus: int) -> bool:
    """Return whether the sides of all pairs differ by multiples of a number."""
    try:
        gaps = [
            evaluate(check.left).number - evaluate(check.right).number
            for check in checks
            if isinstance(check, Pair) and check.relation == "="
        ]
    except Undecidable:
        return False
    return len(gaps) == len(checks) and all((gap / modulus).denominator == 1 for gap in gaps)


# Lists of derivatives -----------------------------------------------------------------------------

_PRIMITIVE: Final = re.compile(r"\b(?:primitives?|antiderivatives?)\b")
_DERIVATIVE: Final = re.compile(r"\b(?:derivees?|derive[rz]?|derivons|derivatives?)\b")
_OTHER: Final = re.compile(r"\b(?:limites?|limits?|images?|equations?|racines?|integrales?)\b")
_NOUNS: Final = frozenset(
    ("primitive", "primitives", "antiderivative", "derivee", "derivees", "derivative")
)
_OF: Final = ("de", "of", "d")
_THOSE: Final = ("celle", "celles", "that")
_LIST_MARKS: Final = (":", *ARROWS, "↦", "⟼", "=>", "⇒")
_FILLERS: Final = frozenset(
    (",", "la", "sa", "une", "the", "its", "derivee", "primitive", "derivative", "on", "cela", "ca")
)
_VERBS: Final = ("obtient", "trouve", "donne", "obtiens", "gives", "get")
_ENDS: Final = frozenset(("sur", "car", "on", "pour", "avec", "si", "et", "for", "if", "and", "("))
_RULED: Final = ("^", "sin", "cos", "tan", "ln", "exp", "sqrt", "/")


class DerivativeLists:
    """What the text before a sentence says it lists: derivatives, primitives, or neither."""

    def __init__(self) -> None:
        self._said = ""
        self._said_block = -1
        """The operation that the paragraph speaks of, and the paragraph."""
        self._listed = ""
        self._list_block = -1
        """The operation of a list, and the last paragraph that belongs to it."""

    def read(self, sentence: Sentence) -> Iterator[Statement]:
        """Yield the derivatives and primitives that a sentence states without an equals sign."""
        own = _find_operation(sentence.text)
        if own is None:
            self._said = self._listed = ""
            return
        if own:
            self._said, self._said_block = own, sentence.block
        if self._listed and sentence.block > self._list_block + 1:
            self._listed = ""
        if not own and not self._listed and self._said_block != sentence.block:
            return
        found = list(self._find(sentence, own))
        if own and (sentence.text.rstrip().endswith(":") or _is_title(sentence.tokens)):
            self._listed, self._list_block = own, sentence.block
        elif found and self._listed:
            self._list_block = sentence.block
        if not sentence.is_disowned:
            yield from found

    def _find(self, sentence: Sentence, own: str) -> Iterator[Statement]:
        tokens, at = sentence.tokens, 0
        said = self._said if self._said_block == sentence.block else ""
        is_clear = not _OTHER.search(sentence.text)
        while at < len(tokens):
            operation, start, marks = "", at, _LIST_MARKS
            texts = [token.text for token in tokens[at : at + 2]]
            if texts[0] in _NOUNS and texts[1:] and texts[1] in _OF:
                is_primitive = bool(_PRIMITIVE.match(texts[0]))
                operation, start = "primitive" if is_primitive else "derivative", at + 2
                marks = (*_LIST_MARKS, "=")
            elif texts[0] in _THOSE and texts[1:] and texts[1] in _OF and is_clear:
                operation, start, marks = said, at + 2, (*_LIST_MARKS, "=")
            elif texts[0] in ("pour", "for") and at == 0 and is_clear:
                operation, start, marks = own or said, 1, ("=", *_VERBS)
            elif tokens[at].kind == "phrase" and texts[0] in ("derivative", "primitive"):
                operation, start = texts[0], at + 1
            elif self._listed and at == 0:
                operation, start = self._listed, int(texts[0] in _OF)
            statement, end = _read_pair(sentence, start, operation, marks)
            if statement:
                yield statement
            at = max(end, at + 1)


def _find_operation(text: str) -> str | None:
    """Return which operation words speak of; empty: of none; None: of both."""
    is_primitive, is_derivative = _PRIMITIVE.search(text), _DERIVATIVE.search(text)
    if is_primitive and is_derivative:
        return None
    return "primitive" if is_primitive else "derivative" if is_derivative else ""


def _is_title(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence has only words: `Dérivées usuelles`."""
    return all(
        token.kind in ("word", "separator", "break") or token.text == ":" for token in tokens
    )


def _read_pair(
    sentence: Sentence, start: int, operation: str, marks: Sequence[str]
) -> tuple[Statement | None, int]:
    """Read a function, one of some marks and what it is derived or integrated to; return the
    statement (or None), and the place after it."""
    if not operation:
        return None, start
    tokens = sentence.tokens
    reader = MemberReader(tokens, frozenset(("colon",)), start)
    is_case = ":" not in marks
    try:
        function = reader.read_member()
        while is_case and reader.peek().text in _FILLERS:
            reader.at += 1
        mark = reader.peek()
        if mark.text not in marks or (is_case and mark.text == "=" and not mark.is_word):
            return None, start
        reader.at += 1
        result = reader.read_member()
    except NotReadable:
        return None, start
    end = reader.at
    if isinstance(function, Solutions) or isinstance(result, Solutions):
        return None, start
    if not _ends(tokens, end) or not _may_state(function, result, is_case=is_case):
        return None, start
    text = sentence.quote(start, end)
    checks = list(make_derivative(function, result, is_primitive=operation == "primitive"))
    readings: list[list[Check]] = [list(checks)]
    if is_case:  # `Pour x² - 1, c'est (x - 1)(x + 1)`
        readings.append([Identity(function, result, "claimed")])
    return (Statement(text, readings), end) if checks else (None, start)


def _ends(tokens: Sequence[Token], at: int) -> bool:
    after = tokens[at] if at < len(tokens) else None
    return after is None or after.kind == "separator" or (after.is_spaced and after.text in _ENDS)


def _may_state(function: Expr, result: Expr, *, is_case: bool) -> bool:
    """Return whether a function and what stands for its derivative have letters that may be those
    of functions."""
    if isinstance(function, Letter) or not free_letters(function):
        return False
    if "∞" in {node.name for node in walk(result) if isinstance(node, Letter)}:
        return False
    has_power = has_operator(function, *_RULED)
    return bool(free_letters(result)) or not (has_power and is_case)


# Members that are no neighbours -------------------------------------------------------------------

_OTHERWISE: Final = re.compile(r"\b(?:revient|inverse|reciprocal|demie?s?|moitie|half)\b")
"""Words with which a division is done as a multiplication: `d/t = 90 × 2` for half an hour."""
_SIXTIES: Final = frozenset((24, 60, 3600))
_OPPOSITE: Final = {"*": "/", "/": "*"}
_SAID: Final = {"*": "multiplies", "/": "divides"}


def check_forms(chain: Chain, sentence: Sentence) -> Iterator[Check]:
    """Yield what a chain of equalities says of its own members."""
    if chain.is_cut or not {each.text for each in chain.relations} <= {"=", "≈"}:
        return
    members = chain.members
    yield from _check_bounds(chain)
    if not is_scale(sentence):
        yield from _check_ends(members, chain.relations[-1].text)
    if not _OTHERWISE.search(sentence.text):
        yield from _check_operation(members)


def _check_ends(members: Sequence[Expr | Solutions], relation: str) -> Iterator[Check]:
    """Read `45 mm = 45 ÷ 10 = 4,5 cm`, of which the computation has no unit."""
    if len(members) != 3:
        return
    match members:
        case [
            Quantity(Num() as given, one),
            Apply("*" | "/", (Num() as first, Num(factor))) as between,
            Quantity(Num(), other) as result,
        ]:
            units = find_unit(one), find_unit(other)
            is_step = str(factor).strip("0") == "1" or factor in _SIXTIES
            is_same = units[0] and units[1] and units[0].dimensions == units[1].dimensions
            if (
                given == first
                and is_step
                and is_same
                and one != other
                and not list_units([between])
            ):
                yield Pair(Quantity(given, one), relation, result)
        case _:
            return


def _check_operation(members: Sequence[Expr | Solutions]) -> Iterator[Check]:
    """Read `P = W/t = 60 × 30`, in which the numbers are not computed as the letters are."""
    for formula, computed in pairwise(members[1:]):
        match formula, computed:
            case Apply(op, (Letter(one), Letter(other))), Apply(done, (first, second)):
                is_plain = _is_plain(first) and _is_plain(second) and one != other
                if is_plain and _OPPOSITE.get(op) == done:
                    yield Known("wrong", f"the formula {_SAID[op]}, the computation {_SAID[done]}")
            case _:
                continue


def _is_plain(expr: Expr) -> bool:
    return isinstance(expr, Num) or (isinstance(expr, Quantity) and isinstance(expr.number, Num))


def _check_bounds(chain: Chain) -> Iterator[Check]:
    """Read `[0,5 − 0,1 ; 0,5 + 0,1] = [0,4 ; 0,6]`."""
    for relation, (one, other) in zip(chain.relations, pairwise(chain.members), strict=False):
        match one, other:
            case Solutions((), (Interval() as left,)), Solutions((), (Interval() as right,)):
                for first, second in ((left.low, right.low), (left.high, right.high)):
                    if first and second and not free_letters(first) | free_letters(second):
                        yield Pair(first, relation.text, second)
            case _:
                continue
