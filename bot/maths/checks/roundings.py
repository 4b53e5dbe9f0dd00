"""Check roundings to a place that the question or the sentence names, and values that are told
again with fewer digits or in another unit: `≈ 153,86 m². On arrondit : environ 154 m²`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, read_signed, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.exact.units import find_unit
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import CLAUSE_END, DIGITS, NO_MORE_DIGITS

_PLACES: Final = (
    (r"dix[- ]?milliemes?|ten[- ]?thousandths?|(?:4|four|quatre) (?:decimal\w*|chiffres)", -4),
    (r"milliemes?|thousandths?|(?:3|three|trois) (?:decimal\w*|chiffres)", -3),
    (r"centiemes?|hundredths?|(?:2|two|deux) (?:decimal\w*|chiffres)", -2),
    (r"dixiemes?|tenths?|(?:1|one|une?) (?:decimal\w*|chiffre)", -1),
    (r"unites?|entier|units?|ones?|whole number|integer", 0),
    (r"dizaines?|tens?", 1), (r"centaines?|hundreds?", 2), (r"milliers?|thousands?", 3),
)  # fmt: skip
_PLACE: Final = "|".join(f"(?:{pattern})" for pattern, _ in _PLACES)
_TO_PLACE: Final = re.compile(
    r"\b(?:au|a la|a l'|a|aux|to the nearest|to the|to|avec|pres de l')\s*"
    rf"(?:(?P<place>{_PLACE})\b(?: (?:pres|superieure?|place|apres la virgule|places))?"
    r"|(?P<power>10(?:-[1-4]|⁻[¹²³⁴]|\^\(?-[1-4]\)?))(?: pres)?"
    r"|(?P<step>0[.,]0{0,3}1)(?!\d)(?: pres)?)"
)
_ROUNDING: Final = re.compile(r"\b(?:arrond\w*|round\w*|valeurs? approchees?|approxim\w*)\b")
_OTHERWISE: Final = re.compile(
    r"(?:unite|[zt]aine|millier|ieme) superieur"
    r"|\b(?:tron[cq]\w*|trunc\w*|defaut|exces|encadr\w*|inferieure?|floor|ceil\w*"
    r"|estim\w*|ordre de grandeur|significati\w*|significant|sig figs?)\b"
)
_ONE_WAY: Final = re.compile(r"\bround\w* (?:up|down)\b|\barrondi\w* (?:au-dess|vers le)")
"""A question that wants the number above or below."""
_POWERS: Final = {"¹": 1, "²": 2, "³": 3, "⁴": 4}
_VALUE: Final = rf"-?{DIGITS}"
_SIGN: Final = re.compile(r"[≈~≃=→]|\barrondi|\bround|\bdevient|\bbecomes")
_ABOUT: Final = re.compile(
    rf"(?<![\w.,+×*/÷^-])(?<![+×*/÷^-] )(?P<a>{_VALUE})(?: ?/ ?(?P<d>{DIGITS}))?"
    rf"(?: ?[a-z°%]{{1,4}})? ?(?:≈|~|≃|=|→|s'arrondit a|est arrondi a|rounds to|becomes|devient"
    rf"|,? ?(?:arrondi|rounded) (?:au|a la|a l'|to the nearest) ?(?:{_PLACE})(?: pres)?,?"
    r" (?:donne|est|vaut|fait|is|gives)) "
    rf"(?P<c>{_VALUE})(?![\d/^×*+]|[.,]\d| ?[×*/+^÷])"
)
_CLAIM: Final = re.compile(
    r"(?:\b(?:est|vaut|donne|devient|obtient|trouve|c'est|fait|reste|is|gives|get|becomes|answer"
    r"|reponse|arrondi\w* (?:donc )?(?:a|to)|rounde?d?s? to)|(?<!\d )[:=≈→])"
    r" (?:(?:donc|egale? a|to|:) )*"
    rf"(?P<c>{_VALUE})(?![\d/^×*+%]|[.,]\d| ?[×*/+^÷<>≤≥=]| et | ou | and | or )"
)
"""A number that may be claimed as rounded."""
_PRECISELY: Final = re.compile(r"\bto the nearest\b|e pres\b")
_ANSWER: Final = re.compile(
    r"(?:donc |alors |so )?(?:c'est|reponse :|on (?:obtient|trouve)|la reponse est|it is|answer:)"
    rf" (?:donc )?{_VALUE}(?: [a-z]+)?(?: ?[.!])*"
)
"""A sentence that only answers."""
_LED: Final = re.compile(r"[*_\s]*[:,→][*_\s]*")
"""What stands between a place and the number that is rounded to it: `à la centaine : 3 847`."""
_UNSURE: Final = re.compile(
    r"\b(?:n'est|pas|not|non|ni|si|if|chiffre des|digit|compris\w*|entre|between|proche|closer"
    r"|avant|puis|ensuite|intermediaire|verifi\w*|exact\w*|autres?|other)\b|\?"
)
_NEAREST: Final = re.compile(r"\b(?:le|la) plus proche")
_TASKS: Final = ("arrondi", "round")
_ASKED: Final = re.compile(rf"(?<![\w.,]){_VALUE}(?!\w|[.,]\d)")


def read_roundings(passage: Passage) -> Iterator[Statement]:
    """Yield the roundings of an answer."""
    yield from _read_places(passage)
    yield from _read_estimates(passage.own)
    yield from _read_second_places(passage.own)


def _read_places(passage: Passage) -> Iterator[Statement]:
    """Read roundings to a place that is named."""
    begins = not passage.asked and passage.lines and passage.lines[0].text.startswith(_TASKS)
    asked = _find_asked(passage.lines[0].text if begins else passage.asked)
    before = passage.asked
    for line in passage.lines:
        has_place = bool(asked or _TO_PLACE.search(line.text))
        if line.is_own and has_place and not _OTHERWISE.search(line.text):
            found = list(_read_line(line.text, asked)) if _SIGN.search(line.text) else []
            yield from found or _read_claim(line.text, before, asked)
        elif line.is_own and _OTHERWISE.search(line.text) and not _UNSURE.search(line.text):
            yield from _read_both(line.text)
        before = f"{before} . {line.text}" if asked else line.text


_HOW: Final = (
    r"(?:valeur )?(?:(?P<cut>tronc\w+|trunc\w+)|arrondi\w*|round\w*)"
    rf"(?: (?:au|a la|a l'|to(?: the)?(?: nearest)?) ?(?P<place>{_PLACE})s?\b)"
    r"(?: (?:pres|place|places))?"
)
_BOTH: Final = re.compile(
    rf"\b{_HOW}(?:,? (?:de |du nombre |of )?(?P<a>{_VALUE}){NO_MORE_DIGITS})?"
    rf",?(?: ?(?:est|vaut|is|=|:|→|donne|gives|it is|c'est|becomes|devient))*"
    rf" (?P<c>{_VALUE})(?![.,]?\d|[/^×*+%]| ?[×*/+^÷<>≤≥=])"
)
_OF_NUMBER: Final = re.compile(
    rf"\b(?:pour|de|of|for|nombre|number|take|prenons) (?P<a>{_VALUE}){NO_MORE_DIGITS}"
)


def _read_both(text: str) -> Iterator[Statement]:
    """Read `La troncature au centième de 2,996 est 2,99 et l'arrondi au centième est 3,00`: both of
    one number."""
    found = list(_BOTH.finditer(text))
    if len(found) != 2 or {bool(each["cut"]) for each in found} != {True, False}:
        return
    given = {each["a"] for each in found if each["a"]}
    given |= {each["a"] for each in _OF_NUMBER.finditer(text[: found[0].end()])}
    given -= {each["c"] for each in found}
    shown = read_values(found[0]["c"])
    readings = read_values(min(given, default=""))
    if len(given) != 1 or min(given).startswith("-") or not (shown and readings):
        return
    near = max(shown)
    value = min(readings, key=lambda each: abs(each - near))
    for each in found:
        step = Fraction(10) ** _read_place(each)
        kept = step * (value // step)
        expected = kept if each["cut"] else step * int(value / step + Fraction(1, 2))
        is_right = expected in read_values(each["c"])
        yield decide(each[0], "" if is_right else f"it is {write_number(expected)}")


def _find_asked(question: str) -> tuple[int, frozenset[Fraction]] | None:
    """Return the place to which the question wants a rounding, with the numbers that it gives;
    None: it wants none, or several."""
    is_other = _OTHERWISE.search(question) or _ONE_WAY.search(question)
    if not _ROUNDING.search(question) or is_other:
        return None
    places = {_read_place(found) for found in _TO_PLACE.finditer(question)}
    if len(places) != 1:
        return None
    left = _TO_PLACE.sub(" ", question)
    given = [value for found in _ASKED.findall(left) for value in read_values(found.lstrip("-"))]
    return places.pop(), frozenset(given)


def _read_place(found: re.Match[str]) -> int:
    """Return the power of ten of a place."""
    if found["place"]:
        return next(power for pattern, power in _PLACES if re.fullmatch(pattern, found["place"]))
    if found["step"]:
        return -len(found["step"]) + 2
    last = re.sub(r"\)$", "", found["power"])[-1]
    return -int(_POWERS.get(last, last))


def _read_line(text: str, asked: tuple[int, frozenset[Fraction]] | None) -> Iterator[Statement]:
    named = list(_TO_PLACE.finditer(text))
    own = [_read_place(found) for found in named]
    for found in _ABOUT.finditer(text):
        labels = [each for each in named if _LED.fullmatch(text[each.end() : found.start()])]
        opened = text.startswith(" (", found.end())
        after = _TO_PLACE.match(text, found.end() + opened + 1)
        numerator, shown = read_values(found["a"].lstrip("-")), found["c"].lstrip("-")
        below = read_values(found["d"]) if found["d"] else frozenset((Fraction(1),))
        values = frozenset(a / b for a in numerator for b in below if b)
        if after:
            place = _read_place(after)
        elif labels:
            place = _read_place(labels[-1])
        elif len(set(own)) == 1 and _ROUNDING.search(text):
            place = own[0]
        elif asked and not own and numerator & asked[1] and (below - {1}) <= asked[1]:
            place = asked[0]
        else:
            continue
        is_negative = found["a"].startswith("-")
        if values and is_negative == found["c"].startswith("-"):
            yield from _compare(found[0], values, shown, place, is_negative=is_negative)


def _read_claim(
    text: str, before: str, asked: tuple[int, frozenset[Fraction]] | None
) -> Iterator[Statement]:
    """Yield the check of `L'arrondi au dixième est 13,4`, which has to be the rounding of a number
    that stands before it and is close to it."""
    places = {_read_place(found) for found in _TO_PLACE.finditer(text)}
    is_rounding = _ROUNDING.search(text) or _PRECISELY.search(text)
    is_answer = is_rounding or _ANSWER.fullmatch(text)
    if len(places) > 1 or not is_answer or (not places and not asked):
        return
    step = Fraction(10) ** (places.pop() if places else asked[0] if asked else 0)
    conclusion = text.rpartition(", donc ")[2]
    claims = list(_CLAIM.finditer(text))
    if not claims or _UNSURE.search(_NEAREST.sub(" ", conclusion)):
        return
    shown = read_values(claims[-1]["c"].lstrip("-"))
    known = f"{before} . {text[: claims[-1].start('c')]}"
    values = [value for claim in shown for value in _list_close(known, claim, step)]
    nearest = {step * int(value / step + Fraction(1, 2)) for value in values}
    if nearest and not nearest & shown:
        yield decide(claims[-1][0], f"it is {write_number(min(nearest))}")


def _list_close(text: str, claim: Fraction, step: Fraction) -> Iterator[Fraction]:
    """Yield the numbers of a text that a number may be rounded from."""
    if claim % step:
        return
    for found in _ASKED.findall(text):
        for value in read_values(found.lstrip("-")):
            if value % step and abs(value - claim) < 2 * step:
                yield value


def _compare(
    text: str, values: frozenset[Fraction], shown: str, place: int, *, is_negative: bool
) -> Iterator[Statement]:
    """Yield the check that a number is rounded to a place; one with as many digits is no
    rounding. Of several readings (`3,476`) those that fit best are meant."""
    step = Fraction(10) ** place
    pairs = [(one, other) for one in values for other in read_values(shown)]
    value, claim = min(pairs, key=lambda pair: (pair[1] % step != 0, abs(pair[0] - pair[1])))
    if value % step == 0 or claim == value:
        return
    nearest = step * int(value / step + Fraction(1, 2))
    is_half = is_negative and 2 * (nearest - value) == step  # two ways to round -2.5
    is_right = claim == nearest or (is_half and claim == nearest - step)
    yield decide(text, "" if is_right else f"it is {write_number(nearest)}")


# Values that are told again -----------------------------------------------------------------------

_EXACT: Final = re.compile(rf"[=≈] (?P<n>{DIGITS}) ?(?P<u>[a-z]{{1,3}}[²³]?|€|°)(?![\w/²³])")
_ESTIMATE: Final = re.compile(
    r"(?:^|[,:(] ?|\b(?:soit|et|ou|donc|cela fait|ca fait|c'est-a-dire) )(?:soit )?"
    r"(?:environ|a peu pres)"
    rf" (?P<n>{DIGITS}) ?(?P<u>[a-z]{{1,3}}[²³]?|€|°)(?![\w/²³])"
)
_NEAR: Final = Fraction(1, 8)


def _read_estimates(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `≈ 153,86 m². On arrondit : environ 154 m²`: a value near one of the same unit that is
    none of its roundings."""
    known: dict[str, list[str]] = {}
    for line in lines:
        for found in _EXACT.finditer(line.text):
            known.setdefault(found["u"], []).append(found["n"])
        for found in _ESTIMATE.finditer(line.text):
            yield from _read_other_unit(found, known)
            before = known.get(found["u"], [])
            shown = read_signed(found["n"])
            near = [each for each in before if abs(read_signed(each) - shown) <= shown * _NEAR]
            if len(set(near)) == 1 and near[0] != found["n"]:
                exact = read_signed(near[0])
                is_right = abs(exact - shown) < _find_grain(found["n"])
                yield decide(found[0], "" if is_right else f"{near[0]} is not about {found['n']}")


def _read_other_unit(found: re.Match[str], known: dict[str, list[str]]) -> Iterator[Statement]:
    """Read `282,7 cm³ … soit environ 0,283 L`: the only value before, in another unit."""
    if len(known) != 1 or found["u"] in known:
        return
    [(name, values)] = known.items()
    units = find_unit(name), find_unit(found["u"])
    if units[0] is None or units[1] is None or units[0].dimensions != units[1].dimensions:
        return
    if len(set(values)) == 1 and (exact := read_signed(values[0]) * units[0].size):
        ratio = read_signed(found["n"]) * units[1].size / exact
        is_shifted = any(abs(ratio / Fraction(10) ** n - 1) * 50 < 1 for n in (-3, -2, -1, 1, 2, 3))
        if is_shifted:
            yield decide(found[0], f"it is {values[0]} {name}")


def _find_grain(written: str) -> Fraction:
    """Return by how much a number may be off that is told for another: a unit of its last digit,
    or what a five at its end stands for."""
    digits = written.replace(" ", "")
    if "," in digits:
        return Fraction(1, 10 ** len(digits.split(",")[1]))
    bare = digits.rstrip("0") or digits
    unit = Fraction(10 ** (len(digits) - len(bare)))
    return unit * 5 if bare.endswith("5") else unit


_DECIMAL_PLACES: Final = {"unite": 0, "dixieme": 1, "centieme": 2, "millieme": 3}
_AT_PLACE: Final = re.compile(
    r"\b(?:(?P<how>arrondie?|troncature) )?(?:au|a l'|a la) ?(?P<place>unite|dixieme|centieme"
    rf"|millieme)(?: pres)?(?: ?:| est| donne| vaut| c'est| on obtient)? (?P<n>{DIGITS})"
    rf"{CLAUSE_END}"
)
_MOST_DECIMALS: Final = 6
_DECIMAL: Final = re.compile(r"(?<![\d.,/])\d+,\d+(?![\d/%]|[.,]\d)")


def _read_second_places(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `15,36 arrondi à l'unité donne 15 et au dixième 15,4`."""
    before = ""
    for line in lines:
        text, how = line.text, ""
        decimals = set(_DECIMAL.findall(f"{before} {text}"))
        longest = sorted(decimals, key=len, reverse=True)[:_MOST_DECIMALS]
        for found in _AT_PLACE.finditer(text):
            how = found["how"] or how
            step = Fraction(1, 10 ** _DECIMAL_PLACES[found["place"]])
            shown = read_signed(found["n"])
            near = [each for each in longest if abs(read_signed(each) - shown) < 2 * step]
            if how and near and _is_finer(near[0], found["place"]):
                yield from _judge_place(found, read_signed(near[0]), how, step)
        before = text


def _is_finer(written: str, place: str) -> bool:
    return len(written.split(",")[1]) > _DECIMAL_PLACES[place]


def _judge_place(
    found: re.Match[str], exact: Fraction, how: str, step: Fraction
) -> Iterator[Statement]:
    scaled = exact / step
    rounded = math.floor(scaled) if how == "troncature" else math.floor(scaled + Fraction(1, 2))
    is_half = (scaled * 2).denominator == 1
    if not is_half:
        is_right = read_signed(found["n"]) == rounded * step
        yield decide(found[0], "" if is_right else f"it is {write_number(rounded * step)}")
