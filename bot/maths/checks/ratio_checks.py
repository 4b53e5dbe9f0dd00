"""Check shares in a ratio, and successive changes by percentages, in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    Solutions,
    apply,
    has_operation,
    is_percent,
    number,
)
from bot.maths.reading.vocabulary import ABOUT, FALLS, RISES, THEN
from bot.maths.reading.wording import Found, claim, get_dimensions, plain

_UP: Final = rf"{RISES}|gagn\w+"
_DOWN: Final = rf"{FALLS}|perd\w*"
_CHANGE: Final = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN}))\b|%|#")
_CONCLUDES: Final = re.compile(
    r"\b(?:revien\w+|equiva\w+|correspond\w*|font|fait|donne\w*|au total|en tout|globale?|soit"
    r"|c est|represente\w*|devien\w+|cout\w+|prix (?:final )?est|prix (?:est|devient)|est alors"
    r"|multipl\w+|ramene\w*|total|maintenant|finalement|sur les)\b"
)
_AGAIN: Final = re.compile(
    r"(#) (?:[a-z]+ ){0,2}(?:hausses|baisses|augmentations|remises|reductions)\b"
)
_BACK: Final = re.compile(
    r"\b(?:ramen\w+|revien\w+|retomb\w+|retrouv\w+|back)\b[^#%@]*\b(?:depart|initial|debut|original)"
)
_AND_THEN: Final = re.compile(
    r"(?: (?:puis|et|,|\.|;|encore|de|a|nouveau|ensuite|d|la|l|annee|an|mois|suivante?|again|then"
    r"|by))* "
)
_DENIED: Final = re.compile(r"\b(?:ne|n|pas|not|jamais|faux)\b")


def _check_successive(found: Found) -> list[Check] | None:
    """Read `Une hausse de 10 % suivie d'une hausse de 20 % revient à une hausse de 32 %`."""
    text = found.wording.text
    if _DENIED.search(text):
        return None
    late = (each for each in _CONCLUDES.finditer(text) if "%" in text[: each.start()])
    conclusion = next(
        (each for each in late if text[: each.start()].count("%") > 1 or _AGAIN.search(text)), None
    )
    if conclusion is None:
        return None
    before = text[: conclusion.start()]
    changes, bases = _read_changes(found, before)
    if changes is None or len(changes) < 2 or len(bases) > 1:
        return None
    factor = Fraction(1)
    for change in changes:
        factor *= 1 + change
    after = found.wording.values[len(re.findall(r"[#%@]", before)) :]
    if _BACK.search(text) and not after:
        return [Pair(number(factor), "=", number(1))]
    if len(after) != 1 or isinstance(after[0], Solutions):
        return None
    return _claim_result(text[conclusion.start() :], factor, bases, after[0])


def _check_before(found: Found) -> list[Check] | None:
    """Read `Après une hausse de 20 %, un sac coûte 6 000 F. Avant, il coûtait 5 000 F`."""
    named = found.name_values()
    change = abs(plain(named["p"]))
    is_up = re.search(rf"\b(?:{_UP})\b", found.wording.text)
    factor = 1 + change if is_up else 1 - change
    return [claim(apply("/", named["a"], number(factor)), named["c"])] if factor else None


def _read_changes(found: Found, before: str) -> tuple[list[Fraction] | None, list[Expr]]:
    """Return the signed percentages in a text (None if one has no sign), and its other numbers."""
    sign, changes, bases, at, end = 0, list[Fraction](), list[Expr](), 0, 0
    again = _AGAIN.search(before)
    times = 1
    for each in _CHANGE.finditer(before):
        if each[0] not in ("%", "#"):
            sign = 1 if each["up"] else -1
            continue
        value = found.wording.values[at]
        at += 1
        if isinstance(value, Solutions):
            return None, bases
        if each[0] == "%":
            is_new = _CHANGE.search(before[end : each.start()]) is not None
            if not sign or (
                end and not is_new and not _AND_THEN.fullmatch(before[end : each.start()])
            ):
                return None, bases
            end = each.end()
            changes += [sign * abs(plain(value))] * times
        elif again and again.start(1) == each.start():
            times = min(int(plain(value)), 12)
        else:
            bases.append(value)
    return changes, bases


def _claim_result(
    said: str, factor: Fraction, bases: Sequence[Expr], claimed: Expr
) -> list[Check] | None:
    """Return the check of the final claim: a percentage with its direction, a factor, or the new
    value."""
    if not is_percent(claimed) and re.search(r"\bmultipl\w+", said):
        return [claim(number(factor), claimed)]
    if not is_percent(claimed):
        if len(bases) != 1 or get_dimensions(bases[0]) != get_dimensions(claimed):
            return None
        return [claim(apply("*", number(factor), bases[0]), claimed)]
    is_up, is_down = (re.search(rf"\b(?:{each})\b", said) for each in (_UP, _DOWN))
    if bool(is_up) == bool(is_down):
        return None
    return [claim(number(factor - 1 if is_up else 1 - factor), claimed)]


def _check_rise(found: Found, sign: int) -> list[Check] | None:
    """Read `de 240 à 300, une hausse de 60`, but not `une hausse de 60/240`, which is a rate."""
    values = found.name_values()
    if isinstance(values["c"], Apply) and values["c"].op == "/":
        return None
    one, other = (values["a"], values["b"]) if sign > 0 else (values["b"], values["a"])
    return [claim(apply("-", other, one), values["c"])]


_GOES_ON: Final = re.compile(
    r"(?: (?:la|l|le|une?|cette?|ce|de|d|du|taux|pourcentage|prix|c|est|donc|il|elle|cela|ca|soit|a"
    r"|on|the|it|which|that|is|an|[.,:;#]|font|fait|represente|correspond|plus|moins|more))*"
    r"(?: (?:hausse|baisse|augmentation|diminution|reduction|increase|decrease)[^#]* # ,? ?)?"
    rf"(?: (?:{THEN}|la|l|le|une?|cette?|de|d|du|taux|pourcentage|c|est|soit|a|the|an|is))* "
)
"""Words of a sentence that goes on about a change that the one before tells."""


def _check_rate(found: Found, sign: int) -> list[Check] | None:
    """Read `de 240 à 300, une hausse de 25 %`; from one hour or year to another something else
    changes."""
    one, other = (found.name_values()[name] for name in "ab")
    are_years = all(
        not get_dimensions(each) and 1000 <= plain(each) <= 2100 for each in (one, other)
    )
    is_time = any(name == "time" for name, _ in get_dimensions(one))
    _, mark, sentence = found["between"].rpartition(" .")
    if are_years or is_time or (mark and not _GOES_ON.fullmatch(sentence)):
        return None
    claimed = found.name_values()["c"]
    sign = sign or (-1 if plain(other) < plain(one) and plain(claimed) > 0 else 1)
    change = apply("-", other, one) if sign > 0 else apply("-", one, other)
    return [claim(apply("/", change, one), claimed)]


def _check_discount(found: Found) -> list[Check] | None:
    """Read `une veste à 15 000 F est vendue 12 000 F : la remise est de 20 %`."""
    values = found.name_values()
    one, other = sorted((values["a"], values["b"]), key=plain)
    if get_dimensions(one) != get_dimensions(other) or not get_dimensions(one):
        return None
    return [claim(apply("/", apply("-", other, one), other), values["c"])]


def _check_step(found: Found) -> list[Check] | None:
    """Read `pour aller de 8 à 15, il faut 7`; going down, the number of steps may have no sign."""
    values = found.name_values()
    is_down = plain(values["b"]) < plain(values["a"]) and plain(values["c"]) >= 0
    return _check_rise(found, -1 if is_down else 1)


def _check_interest(found: Found) -> list[Check] | None:
    """Read `un capital de 200 000 F placé à 4 % rapporte 8 000 F en un an`: of one year."""
    values = found.name_values()
    years = found.list_values()[3:]
    is_one = all(plain(each) == 1 for each in years)
    is_year = found.has(r"ans?\b|annees?|annuel\w*|interets?|years?|annual\w*") or bool(years)
    return (
        [claim(apply("*", values["p"], values["a"]), values["c"])] if is_one and is_year else None
    )


def _check_parts(found: Found) -> list[Check] | None:
    """Read `10 % valent 300 F, donc 5 % valent 150 F` or `donc le tout vaut 3 000 F`: parts of one
    whole that is not said."""
    values = found.name_values()
    part, other = plain(values["p"]), plain(values["q"]) if "q" in values else Fraction(1)
    is_whole_said = any(has_operation(values[each]) for each in values)
    is_number = plain(values["a"]) <= 1 and not get_dimensions(values["a"])
    if not 0 < part < 1 or not 0 < other <= 1 or is_whole_said or is_number:
        return None
    if get_dimensions(values["a"]) != get_dimensions(values["c"]):
        return None
    return [claim(apply("*", values["a"], number(other / part)), values["c"])]


def _check_factor(found: Found, sign: int) -> list[Check] | None:
    """Read `1,1 × 1,1 = 1,21, soit une hausse de 21 %`: after a factor, or after the change."""
    values = found.name_values()
    factor, part = plain(values["f"]), plain(values["p"])
    most = 20 if found.has(r"multipli\w*|coefficient|facteur|factor") else 2
    if get_dimensions(values["f"]) or not 0 < factor < most or (sign < 0 < factor - 1):
        return None
    if sign < 0 and part in (factor, 1 - factor):
        return None
    expected = factor if sign * (factor - 1) < 0 < sign else abs(factor - 1)
    return [_claim_percent(expected, values["p"])]


def _check_share_of(found: Found) -> list[Check] | None:
    """Read `Sur 30 élèves, 24 ont réussi, soit 80 %`, but not `sur 20, on a 14/20, soit 70 %`."""
    values = found.name_values()
    share = apply("/", values["b"], values["a"])
    is_rest = plain(share) + plain(values["c"]) == 1
    if has_operation(values["b"]) or (is_rest and _is_of_others(found)):
        return None
    return [claim(share, values["c"])]


_SHARE_OF: Final = re.compile(
    r"\b(?:pourcentage|percentage|part|taux|proportion) (?:de |d |of (?:the )?)(?P<w>[a-z]{3,})"
)
_PERCENT_OF: Final = re.compile(r" (?:de |d |of (?:the )?|des |sont des |are )(?P<w>[a-z]{3,})")


def _is_of_others(found: Found) -> bool:
    """Return whether the percentage is one of things that are not those counted: `360 garçons sur
    800 élèves, le pourcentage de filles est 55 %`."""
    text, end = found.wording.text, found.match.end("c")
    counted = text[found.match.end("b") : end]
    if said := _SHARE_OF.search(counted):
        counted = counted[: said.start()]
    else:
        said = _PERCENT_OF.match(text, end)
    return said is not None and re.search(rf"\b{said['w'][:5]}", counted) is None


def _check_other_part(found: Found) -> list[Check] | None:
    """Read `5/9 des 810 votants ont dit oui, soit 450, et 4/9 ont dit non, soit 360`."""
    values = found.name_values()
    whole, part = values["y"], values["g"]
    if not isinstance(whole, Apply) or whole.op != "*" or get_dimensions(part):
        return None
    first, base = whole.args
    are_parts = 0 < plain(first) < 1 and 0 < plain(part) < 1 and plain(base) > 1
    return [claim(apply("*", part, base), values["c"])] if are_parts else None


def _check_table(found: Found) -> list[Check] | None:
    """Read `3 L → 1 950 F, 5 L → 3 250 F, 8 L → 5 200 F. Le prix est proportionnel au volume`."""
    places = {mark: at for at, mark in enumerate(found.wording.marks)}
    values, text = found.wording.values, found.wording.text
    if re.search(r"\b(?:pas|non|si|invers\w*)\b", text):
        return None
    ends = [(each.start(), each.end() - 1) for each in re.finditer(r"# → #", text)]
    listed = [values[places[at]] for pair in ends for at in pair]
    numbers = [each for each in listed if not isinstance(each, Solutions)]
    if len(ends) < _LEAST_ROWS or len(numbers) < len(listed):
        return None
    base, first = numbers[:2]
    return [
        Pair(apply("*", one, first), "=", apply("*", other, base))
        for one, other in zip(numbers[2::2], numbers[3::2], strict=True)
    ]


_LEAST_ROWS: Final = 3
"""Least columns of a table that is told to be proportional."""


def _check_percent_of(found: Found) -> list[Check] | None:
    """Read `3 600 F, ce qui fait 18 % de 20 000 F`."""
    values = found.name_values()
    part, share = values["a"], values["c"]
    if not isinstance(share, Apply) or share.op != "*":
        return None
    percent, whole = share.args
    if not isinstance(percent, Apply) or percent.op != "%" or plain(whole) <= 0:
        return None
    dimensions = {get_dimensions(part), get_dimensions(whole)} - {()}
    if len(dimensions) > 1 or has_operation(part):
        return None
    return [_claim_percent(plain(part) / plain(whole), percent)]


def _claim_percent(expected: Fraction, percent: Expr) -> Check:
    """Return the check that a percentage is this share, or rounded to its digits."""
    shown = percent.args[0] if isinstance(percent, Apply) else percent
    places = shown.places if isinstance(shown, Num) else 0
    is_rounded = abs(expected - plain(percent)) <= Fraction(1, 200 * 10**places)
    return Known("right") if is_rounded else claim(number(expected), percent)


def _check_part_of(found: Found) -> list[Check] | None:
    """Read `… 27 % de la population. Sur 40 000 habitants, cela donne 10 800 personnes`."""
    values = found.name_values()
    share, whole, part = values["p"], values["b"], values["c"]
    if get_dimensions(whole) != get_dimensions(part) or not 0 < plain(share) <= 1:
        return None
    if re.search(rf"\b(?:{ABOUT}) %", found.match[0]):  # `environ 12 % sont absents, soit 4`
        return None
    taken = plain(share) * plain(whole)
    may_be_rest = found.has(r"(?:donc|soit|so)\b")  # `60 % ont dit oui, donc 100 ont dit non`
    is_rest = may_be_rest and taken + plain(part) == plain(whole)
    return None if is_rest else [claim(number(taken), part)]


def _check_hundredths(found: Found) -> list[Check] | None:
    """Read `45/50 = 90/100, donc 90 %`."""
    values = found.name_values()
    part = values["f"]
    is_of_hundred = isinstance(part, Apply) and part.op == "/" and part.args[1] == number(100)
    is_decimal = isinstance(part, Num) and 0 < part.value < 1 and found["by"] != "donc"
    return [claim(part, values["p"])] if is_of_hundred or is_decimal else None


# Ratios -------------------------------------------------------------------------------------------

_RATIO: Final = re.compile(
    r"\b(?P<x>[a-z]{2,}) et (?:l |d |la |le |les |a |aux? |de )?(?P<y>[a-z]{2,})\b[^%@.]*?"
    r"\b(?:rapport|proportions?|ratio)[^#%@.]* (?P<a>#)(?: (?:pour|sur|:) (?P<b>#))?"
    r"|(?P<a2>#) (?:[a-z]{3,} (?:de|d|of) )?(?P<x2>[a-z]{3,}) (?:pour|for)"
    r" (?P<b2>#) (?:[a-z]{3,} (?:de|d|of) )?(?P<y2>[a-z]{3,})"
)
_MEASURED: Final = re.compile(
    r"#(?: (?:de|d|of))?(?: (?P<noun>[a-z]{2,})(?: (?:de|d|of) (?P<stuff>[a-z]{2,}))?)?"
)


def _check_ratio(found: Found) -> list[Check] | None:
    """Read `Les filles et les garçons sont dans le rapport 2 pour 3. Sur 30 élèves, 12 sont …`."""
    text = found.wording.text
    ratio = _RATIO.search(text)
    if ratio is None or found.has_division():
        return None
    names = (ratio["x"], ratio["y"]) if ratio["x"] else (ratio["x2"], ratio["y2"])
    parts = _read_parts(found, ratio)
    if parts is None:
        return None
    weights = {names[0]: parts[0], names[1]: parts[1], "": parts[0] + parts[1]}
    measured = list(_list_measured(found, ratio, names))
    if len(measured) != 2 or measured[0][0] == measured[1][0]:
        return None
    (one, first), (other, second) = measured
    if get_dimensions(first) != get_dimensions(second):
        if not one or not other:
            return None
        first, second = number(plain(first)), number(plain(second))
    left = apply("*", first, number(weights[other]))
    return [Pair(left, "=", apply("*", second, number(weights[one])))]


def _read_parts(found: Found, ratio: re.Match[str]) -> tuple[Fraction, Fraction] | None:
    group = "a" if ratio["a"] else "a2"
    first = found.wording.values[found.wording.find_values(*ratio.span(group))[0]]
    group = "b" if ratio["a"] else "b2"
    second = found.wording.values[found.wording.find_values(*ratio.span(group))[0]]
    if isinstance(first, Solutions) or isinstance(second, Solutions):
        return None
    if ratio[group]:
        return plain(first), plain(second)
    if isinstance(first, Apply) and first.op == "/":  # `2 : 3`
        one, other = first.args
        return plain(one), plain(other)
    return None


def _list_measured(
    found: Found, ratio: re.Match[str], names: tuple[str, str]
) -> list[tuple[str, Expr]]:
    """List the other numbers, each with the name that it measures; a number of the whole has an
    empty name."""
    text, listed = found.wording.text, list[tuple[str, Expr]]()
    for place, mark in enumerate(found.wording.marks):
        if mark in (ratio.start("a"), ratio.start("b"), ratio.start("a2"), ratio.start("b2")):
            continue
        after = _MEASURED.match(text, mark)
        nouns = {(each or "").rstrip("sx") for each in (after.groups() if after else ())}
        clause = re.split(r"[.,;:#%@]", text[:mark])[-1]
        named = [name for name in names if name.rstrip("sx") in nouns]
        if not named:
            named = [name for name in names if re.search(rf"\b{name}\b", clause)]
        value = found.wording.values[place]
        if not isinstance(value, Solutions):
            listed.append((named[0] if len(named) == 1 else "", value))
    return listed


_WORKERS: Final = re.compile(
    r"ouvri[eè]re?s|ma[cç]ons?|peintres?|robinets?|pompes?|machines?|tracteurs?|paysans?|workers?"
    r"|taps?|pumps?|painters?|maçons"
)
_DURATION: Final = (("time", 1),)


def _check_inverse(found: Found) -> list[Check] | None:
    """Read `Si 5 ouvriers font un mur en 6 jours, 10 ouvriers le font en 3 jours`."""
    values = found.name_values()
    who = [each.unit for each in (values["a"], values["c"]) if isinstance(each, Quantity)]
    lasted = [values["b"], values["d"]]
    if any(get_dimensions(each) != _DURATION for each in lasted) or not _is_about_workers(
        found, who
    ):
        return None
    one, other = (plain(values[name]) for name in "ac")
    return [claim(apply("/", apply("*", values["b"], number(one)), number(other)), values["d"])]


def _is_about_workers(found: Found, units: Sequence[str]) -> bool:
    return any(map(_WORKERS.fullmatch, units)) or bool(_WORKERS.search(found.match[0]))


def _check_more_parts(found: Found) -> list[Check] | None:
    """Read `Un cinquième de 45, c'est 9, donc deux cinquièmes font 18`."""
    values = found.name_values()
    one, other = _read_part(values["u"]), _read_part(values["f"])
    amount = values["a"]
    if one is None or other is None or other[1] not in (None, one[1]) or plain(amount) <= 1:
        return None
    if plain(amount).denominator > 1:  # rounded
        return None
    return [claim(apply("*", amount, number(other[0] / one[0])), values["c"])]


def _read_part(expr: Expr) -> tuple[Fraction, Expr | None] | None:
    """Return a fraction below 1 and what it is a part of, if this is told; None: it is none."""
    match expr:
        case Apply("*", (Num(value), whole)) if 0 < value < 1:
            return value, whole
        case Num(value) if 0 < value < 1 and not expr.is_decimal:
            return value, None
        case Apply("/", (Num(above), Num(below))) if 0 < above < below:
            return above / below, None
        case _:
            return None


def _check_fraction_in_percent(found: Found) -> list[Check] | None:
    """Read `Trois quarts, cela correspond à 75 %`; the percentage may be rounded."""
    values = found.name_values()
    part, shown = _read_part(values["f"]), plain(values["c"])
    if part is None or part[1] is not None:
        return None
    is_right = abs(part[0] - shown) < Fraction(1, 100)
    return [Known("right") if is_right else claim(values["f"], values["c"])]


RATIO_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "inverse": _check_inverse,
    "successive": _check_successive, "before": _check_before, "step": _check_step,
    "evolution": partial(_check_rate, sign=0), "discount": _check_discount,
    "rate_up": partial(_check_rate, sign=1), "rate_down": partial(_check_rate, sign=-1),
    "rise": partial(_check_rise, sign=1),
    "parts": _check_parts, "interest": _check_interest, "factor_up": partial(_check_factor, sign=1),
    "factor_down": partial(_check_factor, sign=-1), "share_of": _check_share_of,
    "other_part": _check_other_part, "table": _check_table,
    "percent_of": _check_percent_of, "more_parts": _check_more_parts,
    "fraction_in_percent": _check_fraction_in_percent,
    "part_of": _check_part_of, "hundredths": _check_hundredths, "ratio": _check_ratio,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
