"""Compare sets, intervals and couples that a person typed. Pure.

A cheap keyboard writes `]-oo ; 2[`, `x =< 2`, `(7,-6)` or `x=7 et y=-6`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Final

from bot.formulas.line_text import FROM_SUBSCRIPTS, FROM_SUPERSCRIPTS
from bot.i18n import fold
from bot.learning.expression_shape import read_form
from bot.learning.grading.answer_forms import squeeze
from bot.learning.grading.answer_readings import clean, list_readings, read_amount
from bot.learning.grading.answer_remarks import strip_remarks
from bot.learning.plain_notation import fold_accents, write_plain
from bot.maths.equivalence import equivalent
from bot.maths.reading.number_words import read_number

_RELATIONS: Final = (
    ("=<", "≤"), ("<=", "≤"), (">=", "≥"), ("=>", "≥"), ("⩽", "≤"), ("⩾", "≥"),
    ("strictement ", ""), ("appartient a", "∈"),
    ("inferieur ou egal a", "≤"), ("superieur ou egal a", "≥"),
    ("plus petit ou egal a", "≤"), ("plus grand ou egal a", "≥"),
    ("inferieur a", "<"), ("superieur a", ">"),
    ("plus petit que", "<"), ("plus grand que", ">"),
    ("is greater than", ">"), ("is less than", "<"), ("greater than", ">"), ("less than", "<"),
    ("> or equal to", "≥"), ("< or equal to", "≤"),
    ("pourcent", "%"), ("pour cent", "%"),
    ("plus l'infini", "+∞"), ("moins l'infini", "-∞"),
    ("+ l'infini", "+∞"), ("- l'infini", "-∞"), ("infini", "∞"), ("inf", "∞"),
)  # fmt: skip
"""Signs as a cheap keyboard writes them."""
_IS_COMPARED: Final = re.compile(
    r"\b(?:est|sont|sera|doit etre|must be|has to be) (?=(?:stric\w+ )?(?:inferieur|superieur|plus"
    r"|greater|less))",
    re.IGNORECASE,
)
_INFINITY: Final = re.compile(r"(?<![^\W\d_])oo(?![^\W\d_])")
_BEFORE_SET: Final = re.compile(r"^(?:[a-zA-Z]\s*[∈=:]|[sS])\s*(?=[\[\]{(])|^[A-Z]{2}\s*(?=\()")
_UNION: Final = re.compile(r"(?<=[\[\])])\s*(?:∪|U|union|ou|or)\s*(?=[\[\](])", re.IGNORECASE)
_NAMED: Final = {"r": "ℝ", "vide": "∅", "ensemblevide": "∅", "l'ensemblevide": "∅"}
_MINUS: Final = re.compile(r"\b(?:moins|minus)\s+(?=[\d√π])")
_NO_SOLUTION: Final = re.compile(
    r"(?:(?:il n['’ ]?y (?:en )?a|(?:(?:elle|l['’ ]?equation) )?n['’ ]?a|there (?:is|are)) )?"
    r"(?:(?:pas de|aucune?|no|0|zero)(?: real)? solutions?(?: reelles?)?|aucune?|none"
    r"|impossible|(?:l['’]ensemble |ensemble )?vide"
    r"|(?:[a-z] ?= ?)?ø)(?: (?:dans|in|sur) (?:r|ℝ))?"
)
_OPPOSITES: Final = re.compile(
    r"^(?:[a-z] ?= ?)?(?:±|\+ ?/ ?-|\+ ?-|\+ ou -|plus ou moins) ?([\d.,/√πi]+)$"
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
_WHOLE_LISTED: Final = re.compile(r"\{?-?\d+(?:,-?\d+){2,} (?:et|and) -?\d+\}?")
"""Whole numbers between commas, which are no decimal marks: `1,2,3 et 6`."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_ELEMENT: Final = re.compile(r"(?<!\d)-?\d+|\d+")
_NOT_RATIONAL: Final = re.compile(
    r"[√π]|racine|sqrt|\\?\bpi\b|(?<![a-zé])(?:e|ln|exp)(?![a-zé])|(?<![^\W\d_])i(?![^\W_])"
)
_VALUE_OF_ANY: Final = re.compile(
    r"(?:[-+*/÷^²³ ()\d.,√π]|(?<![a-z])(?:e|i|ln|log|exp|cos|sin|tan)(?![a-z]))*"
)
_BETWEEN_VALUES: Final = re.compile(
    r"\s*(?:;|,(?!\d)|(?<=\w),(?= )|(?<!\w)(?:ou|et|or|and)(?!\w))\s*"
)
_BETWEEN_NUMBERS: Final = re.compile(r"\s*(?:[;<>]|,(?= )|\b(?:puis|ensuite|et|and|then)\b)\s*")
_NUMBER: Final = re.compile(r"-?\d+(?:[.,]\d+)?(?:/\d+)?")
_TERM: Final = re.compile(r"(\d*) ?[A-Z][A-Za-z0-9()]*")
_REALS: Final = (
    r"(?:[A-Za-z]\w{0,2} ?[=:] ?)?(?:ℝ|\\mathbb\{R\}|I?R|(?:tous )?les (?:nombres )?r[ée]els)"
)
_WITHOUT: Final = re.compile(
    rf"{_REALS}\s?"
    r"(?:[\\∖/−-]|\\setminus|priv[ée]s? de|sauf|moins|except)\s?\{?([-−\d.,/; ]+)\}?",
    re.IGNORECASE,
)
"""The real numbers without some: `ℝ \\ {3}`, `R - {3}`."""
_REALS_OF_SIGN: Final = re.compile(rf"{_REALS}\s?\^?\{{?\*?(?P<sign>[-+⁺⁻])?\*?\}}?", re.IGNORECASE)
"""All real numbers, or those of one sign, or without zero: `R`, `R*`, `ℝ⁺*`."""
_INTERVAL: Final = re.compile(r"[\[\]][^;\[\]]+;[^;\[\]]+[\[\]]")
_END: Final = r"-? ?[\d./√π]+"
"""The bound of a half-line."""
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
    r"(?:(?:le |un |the )?(?:couple|pair|triplet|triple) )?"
    rf"(?:[a-z+]{{0,3}}\s*=?\s*\{{?\s*\((?P<inner>{_COORDINATE}(?:;{_COORDINATE}){{1,3}})\)\s*\}}?"
    rf"|(?P<bare>{_COORDINATE}(?:;{_COORDINATE}){{1,3}}))",
    re.IGNORECASE,
)
_NAMED_COORDINATE: Final = rf"([a-z])\s*={_COORDINATE}"
_COUPLE_IN_LETTERS: Final = re.compile(
    rf"{_NAMED_COORDINATE}(?:(?:\b(?:et|and|donc)\b|[,;]|\s)\s*{_NAMED_COORDINATE}){{1,3}}",
    re.IGNORECASE,
)
_BEFORE_COORDINATE: Final = re.compile(r"(?:\b(?:et|and|donc)\b|[,;\s])*\b([a-z])\s*=")
_COMMA_PAIR: Final = re.compile(r"\{?([-+\u2212]?[^;,{}()]+),([-+\u2212]?[^;,{}()]+)\}?")
_COMMA: Final = re.compile(r"\([^;,()]*\d(?:,\s*[-+\u2212]?\d[^;,()]*){1,3}\)")


_CLAUSES: Final = re.compile(
    r"\s*(?:[;\n⇒→]|=+>|-+>|,(?=\s)|(?<!\w)(?:soit|ou bien|ou|et|puis|ensuite|si|on a|or|and|either"
    r"|then|first|if|we have)(?!\w)|(?<=[\d)])\s+(?=[a-z][₀-₉\d]?\s*=))\s*",
    re.IGNORECASE,
)
"""Signs and words between the steps to solutions."""
_THEREFORE: Final = re.compile(r"(?<!\w)(?:donc|alors|d['’]o[uù]|so|hence|therefore)(?!\w)", re.I)
_EQUALS: Final = re.compile(
    r"\s*(?:\b(?:est |is )?(?:[ée]gale?(?: [àa])?|equals?(?: to)?)|\bvaut)\s*", re.IGNORECASE
)
_ASSIGNED: Final = re.compile(r"([a-z])(?:[₀-₉\d]|['’]{1,2})?\s*=\s*([^<>≤≥]+)", re.IGNORECASE)
_VALUE: Final = re.compile(r"[-+]?\s?(?:\d+(?:[.,]\d+)?(?:\s?/\s?\d+)?)?(?:√\(?\d+\)?)?")
_EQUATION: Final = re.compile(r"(?=.*[a-zΔ])[^=]*=[^=]*(?:=[^=]*)?", re.IGNORECASE)
_COEFFICIENTS: Final = frozenset("abcdΔδ")
"""Letters to which the steps to solutions give a value: the coefficients and the discriminant."""
_COUNT: Final = (
    r"(?:une?|deux|trois|quatre|cinq|six|sept|huit|one|a|two|three|four|five|six|eight|\d{1,2})"
)
_COUNTED: Final = re.compile(
    rf"^(?:[\w'’]+ ){{0,4}}{_COUNT}"
    r"(?: (?:seule|unique|single|only|real|r[ée]elles?))?"
    r"(?: (?:solutions?|racines?|valeurs?|nombres?|diviseurs?|multiples?|[ée]l[ée]ments?|roots?"
    r"|values?|numbers?|divisors?|factors?)(?: (?:r[ée]elles?|distinctes?|oppos[ée]e?s))?"
    r"(?: (?:qui sont|c['’]est|which are|are|sont)|\s?[:,=])?|\s?:)\s+(?=\S)",
    re.IGNORECASE,
)
"""How many solutions there are, before them: `il y a deux solutions : 3 et -3`."""
_LONGEST_JOINED: Final = 300
"""Most characters of steps to solutions."""
_LAST_INTERVAL: Final = re.compile(r"(?:^|[^\[\]]*[\s:])([\[\]][^\[\]]{1,60}[\[\]])")
_BOUND_IN_WORDS: Final = re.compile(
    r"(?:(?<= [àa] )|(?<=que )|(?<=than )|(?<= to ))((?:moins |minus )?[^\W\d_]+(?:-[^\W\d_]+)*)$",
    re.IGNORECASE,
)
_LAST_BOUND: Final = re.compile(
    r"[^,<>≤≥=]*\d ?[a-z(][^,<>≤≥=]*[<>≤≥=]{1,2}[^,<>≤≥=]+, ?([a-z] ?[<>≤≥=]{1,2}[^,<>≤≥=]+)", re.I
)
"""A bound of `x` behind one of its multiple: `3x >= 9, x >= 3`."""


def decide_set(text: str, solution: str) -> bool | None:
    """Return whether the first reading that is a set, or a couple if the solution is one, equals
    the solution; None: none is."""
    couple = read_couple(solution)
    for reading in _list_set_readings(text, is_couple=bool(couple)):
        given = couple and write_couple(reading)
        if given.count(";") > 1 or (given and couple.count(";") > 1):
            return _are_same_tuples(given, couple)
        written = given or _write_set(reading)
        if not couple:
            written = _write_alternatives(written)
        verdict = equivalent(written, couple or _write_set(solution), "set")
        if verdict is False and (listed := _split_at_comma(written) or _list_whole(reading)):
            verdict = equivalent(listed, _write_set(solution), "set") is True
        if verdict is None:
            verdict = _are_values_equal(written, solution)
        if verdict is not None:
            return verdict
    return None


def _are_same_tuples(one: str, other: str) -> bool:
    """Return whether two tuples, as `write_couple` writes them, have the same numbers in order."""
    ones, others = (each.strip("{()}").split(";") for each in (one, other))
    is_as_long = len(ones) == len(others)
    return is_as_long and all(
        equivalent(*pair, "number") is True for pair in zip(ones, others, strict=True)
    )


def _are_values_equal(written: str, solution: str) -> bool | None:
    """Return whether two sets have the same elements, some of which are roots, complex numbers or
    the like; None: none is, or one set cannot be read."""
    is_long = len(written) > _LONGEST_JOINED
    if is_long or not any(map(_NOT_RATIONAL.search, (written, solution))):
        return None
    intervals = [read_interval(each) for each in (written, solution)]
    if all(map(_INTERVAL.fullmatch, intervals)):
        return intervals[0] == intervals[1]
    one, other = (_read_values(each) for each in (written, _write_set(solution)))
    return None if one is None or other is None else one == other


def _read_values(written: str) -> set[tuple[float, ...]] | None:
    """Return the elements of a set, such as `{-√7 ; √7}` or `2i et -2i`, by their values at several
    places for `i`; None: it has others than numbers."""
    values: set[tuple[float, ...]] = set()
    plain = write_plain(fold(_BEFORE_SET.sub("", written))).strip(" {}.$")
    for part in _BETWEEN_VALUES.split(plain):
        element = re.sub(r"^[a-z]_?\d? ?= ?", "", part.strip())
        form = read_form(element) if _VALUE_OF_ANY.fullmatch(element) else None
        if form is None or not form.letters <= {"i"}:
            return None
        values.add(tuple(round(each, 9) for each in form.values))
    return values


def _list_set_readings(text: str, *, is_couple: bool) -> list[str]:
    """Return the readings of an answer that may be a set, the likeliest first."""
    text = _COUNTED.sub("", text)
    joined = "" if is_couple else join_solutions(strip_remarks(text))
    readings = [joined] if joined else [text, *list_readings(text)]
    if len(text) > _LONGEST_JOINED:
        return readings
    bounds = [_LAST_BOUND.fullmatch(each) for each in readings]
    intervals = [_LAST_INTERVAL.fullmatch(each) for each in readings]
    in_words = [_BOUND_IN_WORDS.sub(_write_bound, each) for each in readings]
    return [
        *(each[1] for each in bounds if each),
        *readings,
        *(each[1] for each in intervals if each),
        *(each for each in in_words if each not in readings),
    ]


def _write_bound(found: re.Match[str]) -> str:
    """Return `supérieur à 3` for `supérieur à trois`."""
    amount = read_amount(found[1])
    return str(amount.value) if amount and not amount.rest else found[0]


def join_solutions(text: str) -> str:
    """Return `{3 ; -2}` for solutions that are found one after another: `soit x-3=0 donc x=3 soit
    x+2=0 donc x=-2`; empty: the text has anything else than equations and their solutions."""
    if len(text) > _LONGEST_JOINED:
        return ""
    plain = _EQUALS.sub("=", text.replace("\u2212", "-").strip(" .!"))
    *steps, result = _THEREFORE.split(plain)
    result = _COUNTED.sub("", result.strip())
    last = _read_solutions([result])
    if steps and last and (len(last) > 1 or "=" not in result):
        return f"{{{' ; '.join(last)}}}" if _read_solutions(steps) is not None else ""
    found = _read_solutions([*steps, result]) if "=" in plain else None
    return f"{{{' ; '.join(found)}}}" if found and (len(found) > 1 or steps) else ""


def _read_solutions(parts: list[str]) -> list[str] | None:
    """Return the values that clauses give to the unknown; None: a clause is no equation."""
    values: list[str] = []
    letters: set[str] = set()
    for clause in (each.strip() for part in parts for each in _CLAUSES.split(part)):
        assigned = _ASSIGNED.fullmatch(clause)
        value = re.sub(
            r"^(?:à|a|to|=|:)\s*", "", _MINUS.sub("-", clause.rpartition("=")[2].strip())
        )
        is_value = bool(value) and _VALUE.fullmatch(value) is not None
        if assigned and is_value and assigned[1].lower() not in _COEFFICIENTS:
            letters.add(assigned[1].lower())
            values.append(value)
        elif is_value and "=" not in clause.lstrip("= "):
            values.append(value)
        elif clause and not _EQUATION.fullmatch(clause):
            return None
    return list(dict.fromkeys(values)) if len(letters) < 2 else None


def is_set(text: str) -> bool:
    """Return whether a text can be read as a set or a couple."""
    is_read = decide_set(text, "{0}") is not None
    return is_read or any(map(write_couple, (text, *list_readings(text))))


def _write_alternatives(written: str) -> str:
    """Return `x = 2 ou x = 3` for solutions that are listed without `ou`."""
    written = written.replace("\u2212", "-").strip()
    if re.search(r";| (?:et|ou|and|or) ", written) and not _WHOLE_LISTED.fullmatch(written):
        written = re.sub(r"(?<=\d),(?=\d)", ".", written)
    for pattern, plain in _ALTERNATIVES:
        written = pattern.sub(plain, written).strip()
    found = _LISTED.fullmatch(written)
    return " ; ".join(_ELEMENT.findall(found[0])) if found else _list_number_words(written)


def _list_number_words(written: str) -> str:
    """Return `2 ; 3 ; -5` for `deux trois moins cinq`; the same text if it has other words, or no
    two numbers."""
    words, numbers = [fold(each) for each in _WORD.findall(written)], list[str]()
    while words:
        is_negative = words[0] in ("moins", "minus")
        amount = read_number(words[is_negative:])
        if amount is None or re.search(r"[\d=]", written):
            return written
        numbers.append(f"{'-' * is_negative}{amount.value}")
        words = words[is_negative + amount.length :]
        words = words[words[:1] in (["et"], ["and"]) :]
    return " ; ".join(numbers) if len(numbers) > 1 else written


def _split_at_comma(written: str) -> str:
    """Return `{1 ; 2}` for `{1,2}` or `1,2`, whose comma may also be a decimal mark; else empty."""
    found = _COMMA_PAIR.fullmatch("".join(written.split()))
    return f"{{{found[1]} ; {found[2]}}}" if found else ""


def _list_whole(text: str) -> str:
    """Return `21 ; 28 ; 35` for `21,28 et 35`, whose comma may be a decimal mark; else empty."""
    is_list = re.fullmatch(r"\{?-?\d+(?:,-?\d+)+ (?:et|and) -?\d+\}?", text.strip())
    return " ; ".join(_ELEMENT.findall(text)) if is_list else ""


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
    if found := _REALS_OF_SIGN.fullmatch(text.strip(" $.!")):
        return _write_reals(found["sign"] or "", is_nonzero="*" in text)
    return read_interval(text) or _MINUS.sub("-", _BEFORE_SET.sub("", text))


def _write_reals(sign: str, *, is_nonzero: bool) -> str:
    """Return `]0;+∞[` for `ℝ⁺*`."""
    if not sign:
        return _write_without("0") if is_nonzero else "]-∞;+∞["
    bracket = "][" if sign in "-⁻" else "[]"
    end = bracket[is_nonzero]
    return f"]-∞;0{end}" if sign in "-⁻" else f"{end}0;+∞["


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
    """Return `{(7 ; -6)}` for `(7 ; -6)`, `S = {(7,-6)}` or `x = 7 et y = -6`, also with three or
    four coordinates; empty: it is none.

    The coordinates of named letters stand in the order of the alphabet.
    """
    plain = _COMMA.sub(lambda found: found[0].replace(",", ";"), clean(text))
    plain = re.sub(r"^([-\u2212]?[\d./]+) (?:et|and) ([-\u2212]?[\d./]+)$", r"\1;\2", plain)
    if _COUPLE_IN_LETTERS.fullmatch(plain):
        _, *parts = _BEFORE_COORDINATE.split(plain.lower())
        named = dict(zip(parts[::2], parts[1::2], strict=True))
        is_each_once = len(named) == len(parts) // 2
        coordinates = [named[each] for each in sorted(named)] if is_each_once else []
    else:
        found = _COUPLE.fullmatch(plain)
        coordinates = (found["inner"] or found["bare"]).split(";") if found else []
    coordinates = [each.strip(" ,") for each in coordinates]
    is_number = all(any(map(str.isdigit, each)) for each in coordinates)
    return f"{{({' ; '.join(coordinates)})}}" if coordinates and is_number else ""


def write_list(text: str) -> str:
    """Return `1;2;1` for numbers in this order: `1 2 1`, `1-2-1`, `1 < 2`, or the coefficients of
    a reaction, `CH4 + 2 O2 -> CO2`; empty: it is no list of them."""
    plain = text.strip(" ()[]{}.").translate(FROM_SUBSCRIPTS)
    if not re.search(r"\d,\d.*;|;.*\d,\d", plain):  # `3,2 ; 3,15` has decimal marks
        plain = re.sub(r"\s*;\s*", ",", plain)
    if _LISTED.fullmatch(re.sub(r", +", ",", plain)):
        return ";".join(_ELEMENT.findall(plain))
    numbers = _BETWEEN_NUMBERS.split(text.strip(" ()[]{}."))
    if len(numbers) == 1 and re.search(r"\d[.,]\d", text):
        numbers = text.split()
    if len(numbers) > 2 and all(map(_NUMBER.fullmatch, numbers)):
        numbers = [each.replace(".", ",") for each in numbers]
        return ";".join(reversed(numbers) if ">" in text else numbers)
    terms = [_TERM.fullmatch(each) for each in re.split(r"\s*(?:\+|-+>|→|=+>?)\s*", text.strip())]
    if len(terms) < 2 or not re.search(r"[>→=]", text):
        return ""
    return ";".join(each[1] or "1" for each in terms if each) if all(terms) else ""


def write_signs(text: str) -> str:
    text = _IS_COMPARED.sub("", fold_accents(text))
    text = re.sub(r"\b((?:inf|sup)erieur)e?s?\b", r"\1", text)
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
    if re.search(r"[;<>≤≥]", plain):
        plain = re.sub(r"(?<=\d),(?=\d)", ".", plain)
    is_pair = re.fullmatch(r"\(?-?[\d./]+\s*[;,]\s*-?[\d./]+\)?", plain.replace(" ", ""))
    plain = plain.replace(",", ";").strip("()") if is_pair else plain
    plain = _write_brackets(plain)
    if found := re.fullmatch(rf"({_END}) ?([<>≤≥]) ?x", plain):
        plain = f"x{found[2].translate(_MIRRORED)}{found[1]}"
    plain = _ALL_NUMBERS.sub("x", plain)
    if found := re.fullmatch(rf"x ?([<>≤≥]) ?({_END})", plain):
        plain = _write_interval(*found.groups())
    plain = re.sub(r"(?<=[;])\s*\+(?=∞)|^\+(?=∞)", "", squeeze(plain).replace(",", ";"))
    return _write_powers(plain)


def _write_powers(squeezed: str) -> str:
    """Write powers as `2^3`, and a product of numbers with `*`."""
    raised = re.sub(
        r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"^{found[0].translate(FROM_SUPERSCRIPTS)}", squeezed
    )
    return re.sub(r"(?<=\d)x(?=\d)", "*", re.sub(r"\^\{(\w+)\}", r"^\1", raised))
