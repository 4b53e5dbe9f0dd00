"""Compare sets, intervals, couples and expressions that a person typed. Pure.

A cheap keyboard writes `]-oo ; 2[`, `x =< 2`, `(7,-6)` or `x=7 et y=-6`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.expression_shape import read_form
from bot.learning.grading.answer_forms import (
    find_form_left,
    is_pasted,
    lacks_simple_root,
    lacks_single_power,
    squeeze,
    write_operators,
)
from bot.learning.grading.answer_readings import clean, list_readings, write_digits
from bot.learning.plain_notation import fold_accents
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.reading.quantities import NotReadable

_RELATIONS: Final = (
    ("=<", "≤"), ("<=", "≤"), (">=", "≥"), ("=>", "≥"),
    ("strictement ", ""), ("est inferieur", "inferieur"), ("est superieur", "superieur"),
    ("est plus", "plus"), ("appartient a", "∈"),
    ("inferieur ou egal a", "≤"), ("superieur ou egal a", "≥"),
    ("plus petit ou egal a", "≤"), ("plus grand ou egal a", "≥"),
    ("inferieur a", "<"), ("superieur a", ">"),
    ("plus petit que", "<"), ("plus grand que", ">"),
    ("is greater than", ">"), ("is less than", "<"), ("greater than", ">"), ("less than", "<"),
    ("> or equal to", "≥"), ("< or equal to", "≤"),
    ("pourcent", "%"), ("pour cent", "%"),
    ("plus l'infini", "+∞"), ("moins l'infini", "-∞"), ("infini", "∞"), ("inf", "∞"),
)  # fmt: skip
"""Signs as a cheap keyboard writes them."""
_INFINITY: Final = re.compile(r"(?<![^\W\d_])oo(?![^\W\d_])")
_BEFORE_SET: Final = re.compile(r"^(?:[a-zA-Z]\s*[∈=:]|[sS])\s*(?=[\[\]{(])|^[A-Z]{2}\s*(?=\()")
_UNION: Final = re.compile(r"(?<=[\[\])])\s*(?:∪|U|union|ou|or)\s*(?=[\[\](])", re.IGNORECASE)
_NAMED: Final = {"r": "ℝ", "vide": "∅", "ensemblevide": "∅", "l'ensemblevide": "∅"}
_LOWERED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_MINUS: Final = re.compile(r"\b(?:moins|minus)\s+(?=\d)")
_NO_SOLUTION: Final = re.compile(
    r"(?:(?:il n['’ ]?y (?:en )?a|(?:(?:elle|l['’ ]?equation) )?n['’ ]?a|there (?:is|are)) )?"
    r"(?:(?:pas de|aucune?|no|0|zero)(?: real)? solutions?(?: reelles?)?|aucune?|none"
    r"|impossible|(?:l['’]ensemble |ensemble )?vide"
    r"|(?:[a-z] ?= ?)?ø)(?: (?:dans|in|sur) (?:r|ℝ))?"
)
_OPPOSITES: Final = re.compile(
    r"^(?:[a-z] ?= ?)?(?:±|\+ ?/ ?-|\+ ?-|\+ ou -|plus ou moins) ?([\d.,/√]+)$"
)
_ALTERNATIVES: Final = (
    (re.compile(r"[₀-₉]|(?<=\b[a-z])_?\d(?= ?=)"), ""),
    (re.compile(r"^soit\b|\bbien(?= )"), ""),
    (re.compile(r"\bsoit\b"), "ou"),
    (
        re.compile(
            r"(?<=[\d)]),? (?:et )?(?:puis|ensuite|then|and then|ainsi que)(?: encore)? (?=\S)"
        ),
        " ou ",
    ),
    (re.compile(r"(?<=\d)\s+(?=[a-z]\s*=)"), " ou "),
    (re.compile(r"^\{?([-+]?[\d/]+)\s+(?=[-+][\d/]+\}?$)"), r"\1 ; "),
)
"""Solutions as they are listed: `soit x = 2 soit x = 3`, `x₁ = 2 x₂ = 3`, `-2 -4`."""
_LISTED: Final = re.compile(
    r"\{?(?:(?!\d{1,3}(?: \d{3})+$)-?\d+(?: -?\d+)+(?: (?:et|and) -?\d+)?"
    r"|-?\d+(?:,-?\d+){2,}|-?\d+(?:,-?\d+)+ (?:et|and) -?\d+|\d+(?:-\d+){2,})\}?"
)
"""Whole numbers with the same sign between them: `1,2,3`, `1-2-3`, `1 2 et 3`, `-2 5`."""
_ELEMENT: Final = re.compile(r"(?<!\d)-?\d+|\d+")
_BETWEEN_NUMBERS: Final = re.compile(r"\s*(?:[;<>]|,(?= )|\b(?:puis|ensuite|et|and|then)\b)\s*")
_NUMBER: Final = re.compile(r"-?\d+(?:[.,]\d+)?(?:/\d+)?")
_TERM: Final = re.compile(r"(\d*) ?[A-Z][A-Za-z0-9()]*")
_SMALL_DIGITS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_WITHOUT: Final = re.compile(
    r"(?:[A-Za-z]\w{0,2} ?[=:] ?)?(?:ℝ|\\mathbb\{R\}|I?R|(?:tous )?les (?:nombres )?r[ée]els)\s?"
    r"(?:[\\∖/−-]|\\setminus|priv[ée]s? de|sauf|moins|except)\s?\{?([-−\d.,/; ]+)\}?",
    re.IGNORECASE,
)
"""The real numbers without some: `ℝ \\ {3}`, `R - {3}`."""
_INTERVAL: Final = re.compile(r"[\[\]][^;\[\]]+;[^;\[\]]+[\[\]]")
_BOUND: Final = r"-? ?[\d.,/]+"
_BETWEEN: Final = re.compile(
    r"(?:x )?(?:est |is )?(?P<strictly>stric\w+ )?(?:compris )?(?:entre|between) "
    rf"(?P<low>{_BOUND}) (?:et|and) (?P<high>{_BOUND}),? ?"
    r"(?:(?P<open>exclu\w*)|(?P<closed>inclu\w*|compris))?"
)
_ALL_NUMBERS: Final = re.compile(
    r"^(?:(?:ce sont |they are )?(?:tou(?:te?)?s? |all |any )?(?:les |the )?(?:r[ée]els|nombres"
    r"|numbers|x|ceux|reals|valeurs|values|solutions)(?: de x| of x)?(?: r[ée]els)? "
    r"(?:(?:qui |that )?(?:sont|est|are|is) )?)?"
    r"(?=[<>≤≥])"
)
"""Words before a bound: `tous les nombres supérieurs à 3`, or none."""
_MIRRORED: Final = str.maketrans("<>≤≥", "><≥≤")
_COORDINATE: Final = r"\s*([-+\u2212]?\s?[^\s;=(){}\[\]]+)\s*"
_COUPLE: Final = re.compile(
    r"(?:(?:le |un |the )?(?:couple|pair) )?"
    rf"(?:[a-z]{{0,2}}\s*=?\s*\{{?\s*\({_COORDINATE};{_COORDINATE}\)\s*\}}?"
    rf"|{_COORDINATE};{_COORDINATE})",
    re.IGNORECASE,
)
_COUPLE_IN_LETTERS: Final = re.compile(
    rf"([a-z])\s*={_COORDINATE}(?:\b(?:et|and|donc)\b|[,;]|\s)\s*([a-z])\s*={_COORDINATE}",
    re.IGNORECASE,
)
_COMMA_PAIR: Final = re.compile(r"\{?([-+\u2212]?[^;,{}()]+),([-+\u2212]?[^;,{}()]+)\}?")
_COMMA: Final = re.compile(r"(\([^;,()]*\d),(\s*[-+\u2212]?\d[^;,()]*\))")


def decide_set(text: str, solution: str) -> bool | None:
    """Return whether the first reading that is a set, or a couple if the solution is one, equals
    the solution; None: none is."""
    couple = read_couple(solution)
    for reading in (text, *list_readings(text)):
        written = (couple and write_couple(reading)) or _write_set(reading)
        if not couple:
            written = _write_alternatives(written)
        verdict = equivalent(written, couple or _write_set(solution), "set")
        if verdict is False and (listed := _split_at_comma(written)):
            verdict = equivalent(listed, _write_set(solution), "set")
        if verdict is not None:
            return verdict
    return None


def is_set(text: str) -> bool:
    """Return whether a text can be read as a set or a couple."""
    is_read = decide_set(text, "{0}") is not None
    return is_read or any(map(write_couple, (text, *list_readings(text))))


def _write_alternatives(written: str) -> str:
    """Return `x = 2 ou x = 3` for solutions that are listed without `ou`."""
    written = written.replace("\u2212", "-").strip()
    if re.search(r";| (?:et|ou|and|or) ", written):
        written = re.sub(r"(?<=\d),(?=\d)", ".", written)
    for pattern, plain in _ALTERNATIVES:
        written = pattern.sub(plain, written).strip()
    found = _LISTED.fullmatch(written)
    return " ; ".join(_ELEMENT.findall(found[0])) if found else written


def _split_at_comma(written: str) -> str:
    """Return `{1 ; 2}` for `{1,2}` or `1,2`, whose comma may also be a decimal mark; else empty."""
    found = _COMMA_PAIR.fullmatch("".join(written.split()))
    return f"{{{found[1]} ; {found[2]}}}" if found else ""


def read_couple(solution: str) -> str:
    """Return a solution that is a couple, in brackets or by its letters; empty: it is none."""
    return write_couple(solution) if re.search(r"[(=]", solution) else ""


def _write_set(text: str) -> str:
    """Write a set as `{1 ; 2}`, `]1 ; 2[` or `∅`, also from `±3`, `x < 2`, `1 < x < 2` or
    `aucune solution`."""
    if _NO_SOLUTION.fullmatch(fold(text).strip(" .!")):
        return "∅"
    if found := _OPPOSITES.match(text.strip()):
        return f"{{-{found[1]} ; {found[1]}}}"
    if found := _WITHOUT.fullmatch(text.strip(" .!")):
        return _write_without(found[1])
    return read_interval(text) or _MINUS.sub("-", _BEFORE_SET.sub("", text))


def _write_without(numbers: str) -> str:
    """Return `]-∞;1[∪]1;2[∪]2;+∞[` for `1 ; 2`."""
    bounds = [each.strip().replace("\u2212", "-") for each in numbers.split(";")]
    ends = ["-∞", *sorted(bounds, key=_size), "+∞"]
    return "∪".join(f"]{low};{high}[" for low, high in pairwise(ends))


def _write_either(one: str, other: str) -> str:
    """Return the union of a half-line up to a bound and one from a greater bound on; empty: they
    are no such."""
    low, high = sorted((one, other), key=lambda each: "-∞" not in each)
    below = re.fullmatch(r"\]-∞;([^;]+)[\[\]]", low)
    above = re.fullmatch(r"[\[\]]([^;]+);\+?∞\[", high)
    is_apart = below and above and _size(below[1]) <= _size(above[1])
    return f"{low}∪{high}" if is_apart else ""


def _size(bound: str) -> Fraction:
    try:
        return Fraction(bound.replace(",", ".").replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        return Fraction(0)


def read_interval(text: str) -> str:
    """Return the interval that a text writes, or as one or two inequalities of x or as `entre 2 et
    3 exclus`, or a union of two such; empty: it has none."""
    parts = re.split(r"\s(?:ou|or)\s", write_signs(text.lower()))
    if len(parts) == 2 and not _INTERVAL.search(text):
        return _write_either(*map(read_interval, parts))
    signs = write_signs(text.lower().replace("\u2212", "-")).strip()
    if found := re.fullmatch(rf"({_BOUND}) ?([<>≤≥]) ?x ?([<>≤≥]) ?({_BOUND})", signs):
        return _write_between(*found.groups())
    interval = squeeze_signs(text)
    if all(map(_INTERVAL.fullmatch, interval.split("∪"))):
        return interval
    between = _BETWEEN.fullmatch(text.lower().strip())
    if between and (between["strictly"] or between["open"] or between["closed"]):
        sign = "≤" if between["closed"] else "<"
        return _write_between(between["low"], sign, sign, between["high"].rstrip(","))
    return _write_both(text.lower())


def write_couple(text: str) -> str:
    """Return `{(7 ; -6)}` for `(7 ; -6)`, `S = {(7,-6)}` or `x = 7 et y = -6`; empty: it is none.

    The coordinates of named letters stand in the order of the alphabet.
    """
    plain = _COMMA.sub(r"\1;\2", clean(text))
    plain = re.sub(r"^([-\u2212]?[\d./]+) (?:et|and) ([-\u2212]?[\d./]+)$", r"\1;\2", plain)
    if found := _COUPLE_IN_LETTERS.fullmatch(plain):
        named = sorted(((found[1].lower(), found[2]), (found[3].lower(), found[4])))
        coordinates = [value for _, value in named] if named[0][0] != named[1][0] else []
    else:
        found = _COUPLE.fullmatch(plain)
        coordinates = [each for each in found.groups() if each] if found else []
    coordinates = [each.strip(" ,") for each in coordinates]
    is_number = all(any(map(str.isdigit, each)) for each in coordinates)
    return f"{{({' ; '.join(coordinates)})}}" if coordinates and is_number else ""


def write_list(text: str) -> str:
    """Return `1;2;1` for numbers in this order: `1 2 1`, `1-2-1`, `1 < 2`, or the coefficients of
    a reaction, `CH4 + 2 O2 -> CO2`; empty: it is no list of them."""
    plain = re.sub(r"\s*;\s*", ",", text.strip(" ()[]{}.").translate(_SMALL_DIGITS))
    if _LISTED.fullmatch(re.sub(r", +", ",", plain)):
        return ";".join(_ELEMENT.findall(plain))
    numbers = _BETWEEN_NUMBERS.split(text.strip(" ()[]{}."))
    if len(numbers) > 2 and all(map(_NUMBER.fullmatch, numbers)):
        return ";".join(reversed(numbers) if ">" in text else numbers)
    terms = [_TERM.fullmatch(each) for each in re.split(r"\s*(?:\+|-+>|→|=+>?)\s*", text.strip())]
    if len(terms) < 2 or not re.search(r"[>→=]", text):
        return ""
    return ";".join(each[1] or "1" for each in terms if each) if all(terms) else ""


def write_signs(text: str) -> str:
    text = re.sub(r"\b((?:inf|sup)erieur)e?s?\b", r"\1", fold_accents(text))
    text = re.sub(r"\bplus (grand|petit)e?s?\b", r"plus \1", text)
    for words, sign in _RELATIONS:
        text = text.replace(words, sign)
    return _INFINITY.sub("∞", text)


def _write_interval(relation: str, bound: str) -> str:
    side = "[" if relation in "≤≥" else "]"
    other = "]" if relation == "≤" else "["
    return f"{side}{bound};∞[" if relation in ">≥" else f"]-∞;{bound}{other}"


def _write_between(low: str, first: str, second: str, high: str) -> str:
    """Return `]1;2]` for `1 < x ≤ 2` or `2 ≥ x > 1`; the relation where its signs disagree."""
    if first in ">≥" and second in ">≥":
        low, first, second, high = high, second, first, low
    elif first in ">≥" or second in ">≥":
        return f"{low}{first}x{second}{high}"
    return f"{']['[first in '≤≥']}{low};{high}{'[]'[second in '≤≥']}"


def _write_both(text: str) -> str:
    """Return `]1;2]` for `x > 1 et x ≤ 2`; empty: it is not two inequalities that bound both
    sides."""
    sides = re.split(r"\b(?:et|and)\b", text)
    if len(sides) != 2:
        return ""
    parts = [read_interval(each.strip()) for each in sides]
    lows = [each.removesuffix(";∞[") for each in parts if each.endswith(";∞[")]
    highs = [each.removeprefix("]-∞;") for each in parts if each.startswith("]-∞;")]
    return f"{lows[0]};{highs[0]}" if len(lows) == len(highs) == 1 else ""


def _write_brackets(plain: str) -> str:
    """Return `]7;+∞[` for `(7,+∞)`, and `[1;2[` for `[1,2)`; `(1,2)` may be a couple and stays."""
    found = re.fullmatch(r"([\[\](])([^;,()\[\]]+)[;,]([^;,()\[\]]+)([\[\])])", plain)
    if found is None or not {"(", ")"} & {found[1], found[4]}:
        return plain
    if "∞" not in plain and {found[1], found[4]} == {"(", ")"}:
        return plain
    opening, closing = found[1].replace("(", "]"), found[4].replace(")", "[")
    return f"{opening}{found[2]};{found[3]}{closing}"


def squeeze_signs(text: str) -> str:
    """Return a relation, interval, union of intervals, pair or product of powers in one spelling,
    whatever keyboard it was typed on."""
    parts = [_squeeze_part(each) for each in _UNION.split(text.strip())]
    return _NAMED.get(parts[0].removeprefix("s="), parts[0]) if len(parts) < 2 else "∪".join(parts)


def _squeeze_part(text: str) -> str:
    plain = write_signs(text.replace("’", "'").replace("\u2212", "-").lower().strip())
    plain = _BEFORE_SET.sub("", plain.strip())
    is_pair = re.fullmatch(r"\(?-?[\d./]+\s*[;,]\s*-?[\d./]+\)?", plain.replace(" ", ""))
    plain = plain.replace(",", ";").strip("()") if is_pair else plain
    plain = _write_brackets(plain)
    if found := re.fullmatch(r"(-? ?[\d./]+) ?([<>≤≥]) ?x", plain):
        plain = f"x{found[2].translate(_MIRRORED)}{found[1]}"
    plain = _ALL_NUMBERS.sub("x", plain)
    if found := re.fullmatch(r"x ?([<>≤≥]) ?(-? ?[\d./]+)", plain):
        plain = _write_interval(*found.groups())
    plain = re.sub(r"(?<=[;])\s*\+(?=∞)|^\+(?=∞)", "", squeeze(plain).replace(",", ";"))
    return _write_powers(plain)


def _write_powers(squeezed: str) -> str:
    """Write powers as `2^3`, and a product of numbers with `*`."""
    raised = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"^{found[0].translate(_LOWERED)}", squeezed)
    return re.sub(r"(?<=\d)x(?=\d)", "*", re.sub(r"\^\{(\w+)\}", r"^\1", raised))


# Expressions --------------------------------------------------------------------------------------

_CURVE: Final = re.compile(
    r"\b(?:droites?|cercles?|courbes?|tangentes?|mediatrice|hauteur|plan|line|circle|curve|tangent"
    r"|plane)\b"
)
_PRODUCT: Final = re.compile(r"(?<=\()([a-z])([a-z])(?=\))", re.IGNORECASE)
_LETTERS: Final = re.compile(r"(?<![^\W\d_])[A-Za-z]{2,3}(?![^\W\d_])")
_BEHIND_PI: Final = re.compile(r"(?:π|\bpi(?![a-z])) ?(?=([A-Za-z])(?![A-Za-z]))")
_CROSS: Final = re.compile(r"(?<=[\w)]) x (?=[\w(])|(?<=\d)x(?=\d)", re.IGNORECASE)
_LETTER: Final = re.compile(r"(?<![a-z])[a-z](?![a-z])")
_START: Final = r"(?<![\w()^*/+-])(?<![(^*/+-] )"
_END: Final = r"(?!\s?[()^*/+-]|\w)"
_NAME: Final = re.compile(r"[a-zA-Z](?:'?\([a-z]\))? ?=")
_FUNCTION: Final = re.compile(r"^[a-z]'?\([a-z]\)$")

_ASKS_ANY_PRIMITIVE: Final = re.compile(r"\b(?:une primitive|an? (?:antiderivative|primitive))\b")
_CONSTANT: Final = re.compile(r"(?<=\S) ?[-+\u2212] ?(?:[ck]|[\d.,]+)$", re.IGNORECASE)
_MONEY: Final = re.compile(r"(?<=[\w)]) ?(?:f(?: ?cfa)?|cfa|francs?(?: cfa)?)$", re.IGNORECASE)


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
    """Return `R*I` for `RI`, where the statement has each of these letters alone, and `4*c` for
    `4 x c`, where it has no `x`."""
    letters = set(re.findall(r"(?<![^\W\d_])[A-Za-z](?![^\W\d_])", statement))
    text = _BEHIND_PI.sub(lambda found: "π*" if found[1] in letters else found[0], text)
    if not letters & {"x", "X"}:
        text = _CROSS.sub("*", text)
    return _LETTERS.sub(
        lambda found: "*".join(found[0]) if letters.issuperset(found[0]) else found[0], text
    )


def same_expression(text: str, solution: str, statement: str) -> bool:
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
    lacks_form = (is_copied, lacks_single_power, lacks_simple_root, name_form_left)
    if any(lacks(answer, solution, statement) for lacks in lacks_form):
        return False
    if _ASKS_ANY_PRIMITIVE.search(fold(statement)):
        answer, solution = (_CONSTANT.sub("", each) for each in (answer, solution))
    return _is_same_value(answer, _match_case(solution, answer))


def _is_same_value(answer: str, solution: str) -> bool:
    verdict = equivalent(answer, solution, "expression")
    if verdict is not None or squeeze(answer) in (squeeze(solution), squeeze(clean(solution))):
        return verdict is not False
    right = clean(solution).rpartition("=")[2]
    one, other = (read_form(_write_products(each)) for each in (answer, right))
    if one and other and not one.letters:  # `ln(8)` is no answer where `3 ln(2)` is asked
        return one.shape == other.shape
    return bool(one and other and one.equals(other))


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
