"""Check what a text concludes about a whole function: `f est croissante sur [0 ; 3]`, `f est
paire`, `le trinôme est toujours positif`, `la tangente a pour équation y = 4x - 3`.

A function is tried at a few places. A claim is wrong only if one of them clearly denies it. Values
that the text states serve too: `F(3) = 21`, `u_2 = 7`, and then `F(3) - F(1) = 21 - 1`, `u_5 - u_2
= 12`; and the affine function that has two stated values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Final

from bot.maths.checks.stated_forms import has_call, is_call
from bot.maths.checks.stated_relations import get_call
from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Num,
    Solutions,
    apply,
    free_letters,
    has_decimal,
    has_units,
    substitute,
    transform,
    walk,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import THEN
from bot.maths.reading.wording import Wording

# Stated values ------------------------------------------------------------------------------------

_TERM: Final = re.compile(r"[a-zA-Z]_\d{1,3}")
_AFFINE: Final = re.compile(r"\b(?:affines?|lineaires?|linear|telle? que|such that|verifiant)\b")
_SUPPOSED: Final = re.compile(r"\b(?:si|if|suppos\w*|imagin\w*|exemple|example)\b")
"""Words that a function is sought which has the values beside them."""


class StatedValues:
    """Values of functions at numbers, and of numbered letters; None: a text gives several."""

    def __init__(self) -> None:
        self._values: dict[Expr, Expr | None] = {}
        self._given: dict[str, list[tuple[Expr, Expr]]] = {}
        """Places and values that a sought function has."""

    def learn(self, chain: Chain, sentence: Sentence) -> None:
        """Keep the value in `F(3) = 27 - 6 = 21`."""
        first, last = chain.members[0], chain.members[-1]
        if isinstance(first, Solutions) or isinstance(last, Solutions) or not _is_key(first):
            return
        is_plain = all(each.text == "=" for each in chain.relations) and not chain.is_cut
        if not is_plain or not _is_number(last) or _SUPPOSED.search(sentence.text):
            self._values[first] = None
            return
        known = self._values.get(first, last)
        self._values[first] = last if known is not None and _agrees(known, last) else None
        name, _ = get_call(first)
        is_given = len(chain.members) == 2 and "'" not in name and _AFFINE.search(sentence.text)
        if isinstance(first, Apply) and is_given:
            self._given.setdefault(name, []).append((first.args[1], last))

    def check(self, chain: Chain) -> Check | None:
        """Return the check of a computation with stated values; None: there is none."""
        if chain.is_cut or chain.phrase:
            return None
        for at, relation in enumerate(chain.relations):
            left, right = chain.members[at], chain.members[at + 1]
            if relation.text != "=" or isinstance(left, Solutions) or isinstance(right, Solutions):
                continue
            placed = self._place(left)
            if placed is not None and _is_number(placed) and _is_number(right):
                return None if any(map(has_decimal, (placed, right))) else Pair(placed, "=", right)
        return None

    def check_affine(self, first: Expr, body: Expr) -> Known | None:
        """Return the verdict on `f(x) = 3x + 2` if the text gives two values of f before; None: it
        does not."""
        name, letter = get_call(first)
        given = self._given.get(name, ())
        if len(given) != 2 or not letter or free_letters(body) != {letter} or has_call(body):
            return None
        for place, value in given:
            try:
                is_met = evaluate(substitute(body, {letter: place})) == evaluate(value)
            except Undecidable:
                return None
            if not is_met:
                return Known("wrong", f"{name} has another value at a given place")
        return Known("right")

    def _place(self, expr: Expr) -> Expr | None:
        """Return an expression with the known values put in; None: it is a value by itself, or has
        none in it."""
        if _is_key(expr) or not isinstance(expr, Apply):
            return None

        def put(node: Expr) -> Expr:
            return self._values.get(node) or node

        placed = transform(expr, put)
        return None if placed == expr else placed


def _is_key(expr: Expr) -> bool:
    if isinstance(expr, Letter):
        return bool(_TERM.fullmatch(expr.name))
    return is_call(expr) and isinstance(expr, Apply) and not _find_letters(expr.args[1:])


def _find_letters(exprs: Sequence[Expr]) -> set[str]:
    return {name for each in exprs for name in free_letters(each)}


def _is_number(expr: Expr) -> bool:
    is_finite = not any(each == Letter("∞") for each in walk(expr))
    return is_finite and not (free_letters(expr) or has_call(expr) or has_units(expr))


def _agrees(one: Expr, other: Expr) -> bool:
    try:
        return one == other or evaluate(one) == evaluate(other)
    except Undecidable:
        return False


# Properties ---------------------------------------------------------------------------------------

_Forms = Sequence[tuple[str, Expr]]
"""The letters and expressions that one function is given by."""

CUES: Final = re.compile(
    r"\b(?:croiss|decroiss|croit|decroit|increas|decreas|pair|impair|even\b|odd\b|positi|negati"
    r"|tangente?\b|defini)"
)
_UNSURE: Final = re.compile(
    r"\b(?:si|if|lorsqu\w*|quand|when|selon|whether|pour que|ne|n|ni|not|neither|nor|ou|where|or"
    r"|suites?|sequences?|derivees?|derivatives?|comparee?s?|primitives?|faux|false|composee?"
    r"|sin|cos|tan|ln|exp|sinus|cosinus|exponentielle|logarithme|racine|carre|cube|absolue"
    r"|somme|sum|produit|product|inverse|opposee?|une fonction|a function|toute fonction"
    r"|les fonctions|every|any)\b|isn t|doesn t"
)
_NAMES: Final = re.compile(r"(?<![\w'])([fghkpFGHKP])(?![\w'])(?! (?:m|kg|cm|cfa)\b)")
_SUBJECTS: Final = re.compile(
    r"(?<![\w'])([^\W\d_])(?= (?:est|is|croit|decroit|increases|decreases)\b)"
)
_BOUND: Final = r"(?:[-−–+] )?#"
_INTERVAL: Final = rf"(?P<open>[\[\](]) (?P<a>{_BOUND}) [;,] (?P<b>{_BOUND}) (?P<close>[\[\])])"
_VARIES: Final = re.compile(
    r"\b(?:(?P<up>croissante?|croit|increasing|increases)"
    r"|(?P<down>decroissante?|decroit|decreasing|decreases))\b"
    rf"(?P<on>(?: (?:{THEN}|strictement|strictly|sur|on|l|the|intervalle?))* {_INTERVAL})?"
)
_ALSO: Final = re.compile(rf" (?:et|and|,|puis)(?: (?:sur|on))? {_INTERVAL}")
_PARITY: Final = re.compile(
    rf"(?:\b(?:est|is)(?: (?:{THEN}|une fonction|an|a))* )"
    r"(?:(?P<even>paire|even)|(?P<odd>impaire|odd))\b(?! (?:number|nombre))"
)
_SIGN: Final = re.compile(
    r"(?P<always>\b(?:toujours|always|partout|everywhere)(?: (?:strictement|strictly))* )?"
    r"\b(?:(?P<more>positi(?:f|ve))|(?P<less>negati(?:f|ve)))\b"
    rf"(?:(?P<on> (?:sur|on)(?: (?:l|the|intervalle?))* {_INTERVAL})"
    r"|(?P<all>(?: pour tout| for all| for every| sur ℝ| sur R| on ℝ)"
    r"(?: (?:x|t|reels?|nombres?|real|numbers?|∈|in|ℝ))*)?(?= [.,;:!]|$| car| because))"
)
_SIGN_THERE: Final = re.compile(
    rf"(?P<on>\b(?:sur|on)(?: (?:l|the|intervalle?))* {_INTERVAL})[^#@.]{{1,40}}\b(?:est|is)"
    rf"(?: (?:{THEN}|strictement|strictly|toujours))* (?:(?P<more>positi(?:f|ve))"
    r"|(?P<less>negati(?:f|ve)))\b"
    r"(?P<always>)(?P<all>)(?! (?:sur|on)\b)"
)
"""A sign on an interval that stands before it."""
_DEFINED: Final = re.compile(
    rf"\b(?:est|is)(?: (?:{THEN}|well))* (?:definie?|defined) (?:sur"
    rf"|on)(?: l intervalle)? {_INTERVAL}(?! (?:par|by)\b)"
)
_DERIVATIVE: Final = re.compile(r"\b[a-z] ?['′’]{1,2}(?![a-z])|\\prime")
_OF_DERIVATIVE: Final = re.compile(
    r"(?:['′’]|prime\}?)(?: ?\([a-z]\))?\W{0,4}(?:est|is) (?:strict\w+ )?"
    r"(?:croiss|decroiss|increas|decreas|paire|impaire|odd|even)"
)
_SUBJECT: Final = re.compile(
    r"\b(?:trinome|polynome|fonction|function|quadratic|trinomial|expression|elle|it)\b|#"
)
_STEPS: Final = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
_FAR: Final = (0.1, 0.5, 1.0, 2.0, 4.0, 9.0, 20.0)
_EVERYWHERE: Final = (-20.0, -9.0, -4.0, -2.0, -1.0, -0.4, 0.0, 0.4, 1.0, 2.0, 4.0, 9.0, 20.0)
_SMALL: Final = 1e-9
"""A part of a value by which it may differ for its rounding alone."""


# Values -------------------------------------------------------------------------------------------

_OPERATIONS: Final[dict[str, Callable[..., float]]] = {
    "+": float.__add__, "-": float.__sub__, "*": float.__mul__, "/": float.__truediv__,
    "neg": float.__neg__, "abs": math.fabs, "sqrt": math.sqrt, "ln": math.log, "exp": math.exp,
    "sin": math.sin, "cos": math.cos,
}  # fmt: skip
_CONSTANTS: Final = {"e": math.e, "π": math.pi, "∞": math.inf}


def _compute(expr: Expr, values: dict[str, float]) -> float:
    """Return the value of an expression. Raises `ValueError` or `ArithmeticError`: it has none."""
    match expr:
        case Num(value):
            return float(value)
        case Letter(name) if name in values or name in _CONSTANTS:
            return values[name] if name in values else _CONSTANTS[name]
        case Apply("^", (base, exponent)):
            return math.pow(_compute(base, values), _compute(exponent, values))
        case Apply(op, args) if op in _OPERATIONS:
            return _OPERATIONS[op](*(_compute(each, values) for each in args))
        case _:
            raise ValueError("It is not known.")


def _list_values(forms: _Forms, places: Sequence[float]) -> Iterator[list[float]]:
    """Yield the values of a function in each of its forms that has all of them."""
    for letter, body in forms:
        try:
            yield [_compute(body, {letter: place}) for place in places]
        except (ValueError, ArithmeticError):
            continue


def _is_less(one: float, other: float) -> bool:
    return one < other - _SMALL * max(1.0, abs(one), abs(other))


# Words --------------------------------------------------------------------------------------------


def find_subject(wording: Wording) -> str | None:
    """Return the function that a sentence speaks of, empty if it names none; None: it speaks of
    several."""
    names = {*_NAMES.findall(wording.text), *_SUBJECTS.findall(wording.text)}
    for value in wording.values:
        if not isinstance(value, Solutions):
            calls = (get_call(each)[0] for each in walk(value))
            names |= {name.rstrip("'") for name in calls if name}
    return None if len(names) > 1 else next(iter(names), "")


def is_unsure(wording: Wording, text: str) -> bool:
    """Return whether a sentence supposes, denies, or speaks of other functions.

    Args:
        text: the sentence with its primes.
    """
    return bool(_UNSURE.search(wording.text) or _OF_DERIVATIVE.search(text))


def speaks_of_derivative(text: str) -> bool:
    """Return whether a sentence has a primed letter."""
    return bool(_DERIVATIVE.search(text))


def _read_interval(wording: Wording, match: re.Match[str]) -> tuple[float, float] | None:
    ends: list[float] = []
    for group in ("a", "b"):
        value = wording.values[wording.marks.index(match.end(group) - 1)]
        if isinstance(value, Solutions):
            return None
        try:
            end = _compute(value, {})
        except (ValueError, ArithmeticError):
            return None
        ends.append(-end if match[group][0] in "-−–" else end)
    return (ends[0], ends[1]) if ends[0] < ends[1] else None


def _list_places(low: float, high: float) -> list[float]:
    """List places between two bounds, in order."""
    if math.isinf(low) and math.isinf(high):
        return list(_EVERYWHERE)
    if math.isinf(high):
        return [low + step for step in _FAR]
    if math.isinf(low):
        return [high - step for step in reversed(_FAR)]
    return [low + (high - low) * step for step in _STEPS]


# Claims -------------------------------------------------------------------------------------------


def check_variations(wording: Wording, forms: _Forms) -> Iterator[Known]:
    """Yield the verdicts on `f croît sur ]−∞ ; −1], décroît sur [−1 ; 1]`."""
    yield from _check_varying(_VARIES, wording, forms)


def _check_varying(pattern: re.Pattern[str], wording: Wording, forms: _Forms) -> Iterator[Known]:
    for match in pattern.finditer(wording.text):
        is_up = bool(match["up"])
        if not match["on"]:
            if all(_is_affine(letter, body) for letter, body in forms):
                yield _check_monotone(forms, _EVERYWHERE, is_up=is_up)
            continue
        part: re.Match[str] | None = match
        while part:
            if bounds := _read_interval(wording, part):
                yield _check_monotone(forms, _list_places(*bounds), is_up=is_up)
            part = _ALSO.match(wording.text, part.end())


def _is_affine(letter: str, body: Expr) -> bool:
    nodes = [node for node in walk(body) if isinstance(node, Apply)]
    if any(node.op not in ("+", "-", "*", "/", "neg") for node in nodes):
        return False
    values = next(_list_values([(letter, body)], (0.0, 1.0, 2.0, 5.0)), None)
    if values is None:
        return False
    zero, one, two, five = values
    slope = one - zero
    return abs(two - zero - 2 * slope) + abs(five - zero - 5 * slope) < _SMALL


def _check_monotone(forms: _Forms, places: Sequence[float], *, is_up: bool) -> Known:
    lists = list(_list_values(forms, places))
    if not lists:
        return Known("undecided")
    off = [
        any(_is_less(*((b, a) if is_up else (a, b))) for a, b in pairwise(values))
        for values in lists
    ]
    return Known("wrong", "it varies otherwise there") if all(off) else Known("right")


def check_parity(wording: Wording, forms: _Forms) -> Iterator[Known]:
    """Yield the verdict on `f est paire`."""
    for match in _PARITY.finditer(wording.text):
        places = (0.7, 1.3, 2.1)
        pairs = zip(
            _list_values(forms, places), _list_values(forms, [-each for each in places]),
            strict=False,
        )  # fmt: skip
        sign = 1 if match["even"] else -1
        off = [
            any(abs(a - sign * b) > _SMALL * max(1.0, abs(a)) for a, b in zip(*both, strict=True))
            for both in pairs
        ]
        if off:
            yield Known("wrong", "f(-x) is not so") if all(off) else Known("right")


def check_domain(wording: Wording, forms: _Forms) -> Iterator[Known]:
    """Yield the verdict on `f est définie sur ]1 ; +∞[`, if it lacks a value there."""
    for match in _DEFINED.finditer(wording.text):
        if bounds := _read_interval(wording, match):
            has_values = any(True for _ in _list_values(forms, _list_places(*bounds)))
            yield (
                Known("right") if has_values else Known("wrong", "it has no value somewhere there")
            )


def check_signs(wording: Wording, forms: _Forms) -> Iterator[Known]:
    """Yield the verdicts on `le trinôme est toujours strictement positif`."""
    for match in chain(_SIGN.finditer(wording.text), _SIGN_THERE.finditer(wording.text)):
        before = match.end() if match.re is _SIGN_THERE else match.start()
        is_about = _SUBJECT.search(wording.text[:before]) or _NAMES.search(wording.text)
        if not is_about or not (match["always"] or match["all"] or match["on"]):
            continue
        bounds = _read_interval(wording, match) if match["on"] else None
        if not match["on"] and any(_is_affine(*form) for form in forms):
            continue  # it is meant for some numbers only
        places = _list_places(*bounds) if bounds else [] if match["on"] else _EVERYWHERE
        lists = list(_list_values(forms, places)) if places else []
        sign = 1 if match["more"] else -1
        off = [any(_is_less(sign * each, 0.0) for each in values) for values in lists]
        if off:
            yield Known("wrong", "it has another sign") if all(off) else Known("right")


PROPERTIES: Final = (check_variations, check_parity, check_domain)
"""Readers of what any sentence about a function states."""
_TANGENT: Final = re.compile(r"\btangente?\b[^.#]{0,60}(?:#[^.#]{0,40})?\by = (?P<line>#)")
_PLACE: Final = re.compile(
    r"(?:\babscisses?|\b(?:en|at|in|point|where)(?: the point)?(?: (?:x|a|x_0|x0) =)?|\ba =|\bx =)"
    r" (?P<a>#)"
)


def find_tangent_place(wording: Wording) -> Expr | None:
    """Return the place of `la tangente au point d'abscisse 2`; None: the sentence names none, or
    several."""
    if not re.search(r"\btangente?\b", wording.text):
        return None
    places = {wording.marks.index(match.start("a")) for match in _PLACE.finditer(wording.text)}
    found = [wording.values[each] for each in places]
    if len(found) != 1 or isinstance(found[0], Solutions) or free_letters(found[0]):
        return None
    return found[0]


def check_tangent(wording: Wording, forms: _Forms, place: Expr) -> Iterator[list[Check]]:
    """Yield the checks of `la tangente a pour équation y = 4x - 3`."""
    letter, body = forms[-1]
    for match in _TANGENT.finditer(wording.text):
        line = wording.values[wording.marks.index(match.start("line"))]
        if isinstance(line, Solutions) or free_letters(line) - {letter}:
            continue
        if has_decimal(line):
            continue
        name = Letter(letter)
        slopes = [apply("at", apply("derive", each, name), name, place) for each in (body, line)]
        height = substitute(body, {letter: place})
        yield [
            Pair(height, "=", substitute(line, {letter: place})),
            Pair(slopes[0], "=", slopes[1]),
        ]
