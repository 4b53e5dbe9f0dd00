"""Check times of day, durations and conversions of measures, for the rules of `claims.txt`.

A night goes on after midnight, and clocks of twelve hours begin anew at noon.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.exact.algebra_questions import Check, Known, Pair
from bot.maths.exact.arithmetic import Measure, Undecidable, evaluate, find_step, write_number
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Num,
    Quantity,
    apply,
    free_letters,
    has_operation,
    is_mixed,
    is_percent,
    list_units,
    number,
)
from bot.maths.exact.units import find_unit
from bot.maths.reading.wording import Found, claim, get_dimensions, is_computed, plain

_HOUR: Final = 3600
_DAY: Final = 24
_NOON: Final = 12
_TIME: Final = (("time", 1),)


def _read_hours(*values: Expr) -> list[Fraction]:
    """Return times in hours. Raises `Undecidable`: one of them is no time."""
    hours: list[Fraction] = []
    for each in values:
        measure = evaluate(each)
        if measure.unit.dimensions != _TIME:
            raise Undecidable("It is no time.")
        hours.append(measure.number * measure.unit.size / _HOUR)
    return hours


def _compare_clock(begin: Expr, lasted: Expr, end: Expr, check: Pair) -> list[Check]:
    """Return a check of `begin + lasted = end` that is right across midnight too, and across noon
    if the clock has twelve hours."""
    start, length, stop = _read_hours(begin, lasted, end)
    gap = start + length - stop
    is_noon = max(start, stop) <= _NOON + 1 and gap == _NOON
    return [Known("right")] if gap == _DAY or is_noon else [check]


def _check_end(found: Found) -> list[Check]:
    """Read `Le film commence à 15 h 20 et dure 1 h 50. Il finit à 17 h 10`."""
    values = found.name_values()
    begin, lasted, end = (values[name] for name in "abc")
    return _compare_clock(begin, lasted, end, Pair(apply("+", begin, lasted), "=", end))


def _check_span(found: Found) -> list[Check]:
    """Read `Le train part à 20 h 40 et arrive à 5 h 10 : le voyage dure 8 h 30`."""
    values = found.name_values()
    begin, end, lasted = (values[name] for name in "abc")
    start, stop = _read_hours(begin, end)
    gap = apply("-", end, begin) if start <= stop else apply("-", begin, end)
    return _compare_clock(begin, lasted, end, Pair(gap, "=", lasted))


def _check_between(found: Found) -> list[Check] | None:
    """Read `De 8 h 45 à 10 h 15, il s'écoule 1 h 30`; `de 5 à 12, il y a 7`."""
    values = found.name_values()
    kinds = {get_dimensions(values[name]) for name in "abc"}
    if kinds == {_TIME}:
        return _check_span(found)
    if re.match(r" (?!pas\b|cases?\b|steps?\b)[a-z]", found.wording.text[found.match.end() :]):
        return None  # `De 1 à 20, il y a 10 nombres pairs`
    gap, two = apply("-", values["b"], values["a"]), number(2)
    return [Pair(apply("^", gap, two), "=", apply("^", values["c"], two))]


def _check_converted(found: Found) -> list[Check] | None:
    """Read `Quatre semaines, ça fait 28 jours`, but no days of work in hours."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    if get_dimensions(one) != get_dimensions(other) or has_operation(one):
        return None
    sizes = [evaluate(each).unit.size for each in (one, other)]
    is_work = sizes[0] == _DAY * _HOUR and sizes[1] < sizes[0]
    is_same = sizes[0] == sizes[1] and not has_operation(other)
    return None if is_work or is_same else [claim(one, other)]


_LENGTH: Final = (("length", 1),)

_SPEED: Final = (("length", 1), ("time", -1))

_LESSON: Final = re.compile(r"# (?:de|d) [a-z]+")
"""A time of something, which may differ: `Une heure de cours dure 55 minutes`; so does the time
from another: `8 h → 10 h, c'est 120 min`."""
_PART_OF: Final = re.compile(
    r"\b(?:moitie|tiers|quart|double|triple|quadruple|\w+ieme|half|third|quarter) (?:de|d|of) ?$"
)

_UNTIL: Final = re.compile(
    r"[#%] (?:a|au|jusqu a|to|until|till|and|et)$|(?:plus|moins|more|less) (?:que|than)$"
    r"|\b(?:entre|between) # (?:et|and)$|\b(?:numerat\w+|denominat\w+) (?:de|of)$"
)

_SO: Final = ("soit", "c est a dire", "autrement dit", "ce qui fait")


def _check_same(found: Found) -> list[Check] | None:
    """Read `2,5 km, c'est 2 500 m`: two measures of one kind, or a computation and its result."""
    one, other = (found.name_values()[name] for name in "ac")
    before = found.wording.text[: found.match.start()]
    is_lesson = get_dimensions(one) == _TIME and (
        _LESSON.search(found.match[0]) or before.rstrip().endswith(("→", "->"))
    )
    is_step = is_percent(other) and has_operation(one) and not _is_quotient(one)
    is_things = found["by"] in _SO and _counts_things(found, one, other)
    is_other_kind = is_step or is_lesson or is_things
    if is_other_kind or _PART_OF.search(before) or _UNTIL.search(before.rstrip()):
        return None
    kinds = get_dimensions(one), get_dimensions(other)
    is_unread = len(kinds[0]) > 1 and not kinds[1]  # `3,3 × 10⁻¹⁹ J, soit 2,1 eV`
    is_result = kinds[0] == kinds[1] or (not has_operation(other) and not is_unread)
    if found["by"] in _SO and has_operation(one) and is_result:
        return [_claim_same(found, one, other)]
    is_joined = re.search(r"[#%] [^#%.;:]*\b(?:et|and|plus|ou)\b[^#%.;:]*$", before)
    is_on_map = found.has(r"carte|echelle|plan\b|maquette|map|scale") and found["by"] not in _SO
    if is_joined or is_on_map:
        return None
    dimensions = get_dimensions(one)
    if found["by"].startswith("represent") and dimensions == _LENGTH:
        return None  # lengths on a map
    if not dimensions and found["by"].startswith(("s ecri", "se lit")) and not has_operation(other):
        return [claim(one, other)]
    is_measured = dimensions and dimensions == get_dimensions(other)
    is_other = _list_names(one) != _list_names(other)
    is_other |= found.has("scientifi")
    is_other |= has_operation(one) or (has_operation(other) and not is_computed(other))
    return [_claim_same(found, one, other)] if is_measured and is_other else None


def _check_other_unit(found: Found) -> list[Check] | None:
    """Read `54 000 m² ou 5,4 ha`: the same digits in another unit, and no choice (`1,5 L ou 50
    cL`)."""
    one, other = (found.name_values()[name] for name in "ac")
    if not get_dimensions(one) or get_dimensions(one) != get_dimensions(other):
        return None
    values = [evaluate(each) for each in (one, other)]
    is_same = _list_names(one) == _list_names(other)
    digits = {str(each.number.numerator).strip("0") for each in map(_shift, values)}
    return None if is_same or len(digits) > 1 else [Pair(one, "=", other)]


def _shift(measure: Measure) -> Measure:
    """Return a measure whose decimal number is made a whole one."""
    return measure._replace(number=measure.number * 10**9)


def _check_kept_mass(found: Found) -> list[Check] | None:
    """Read `16,8 g de fer et 6,4 g de dioxygène donnent 23,2 g d'oxyde`."""
    one, other, made = (found.name_values()[name] for name in "abc")
    if {get_dimensions(each) for each in (one, other, made)} != {get_dimensions(_GRAM)}:
        return None
    return [Pair(apply("+", one, other), "=", made)]


_GRAM: Final = Quantity(number(1), "g")


def _counts_things(found: Found, one: Expr, other: Expr) -> bool:
    """Return whether a number of things is told that is no value of the first expression: `5/12,
    soit 100 pages`, `40 × 12 + 20, soit 12 morceaux et 20 cm`."""
    if not re.match(r" [a-z]{3,}", found.wording.text[found.match.end("c") :]):
        return False
    match one, other:
        case Apply("/", (Num(above), Num(below))), Num(count):
            return 0 < above < below and count > 1
        case Apply("+", (Apply("*", factors), _)), Num():
            return other in factors
        case _:
            return False


_CLOSE: Final = Fraction(1, 50)
"""The part by which a rounded measure may be off, beside a unit of its last digit."""


def _list_names(expr: Expr) -> set[str]:
    """Return the names of the units; all of the franc are one: `F CFA`, `F`."""
    return {
        "F" if find_unit(name) == find_unit("F") else name.rstrip("s")
        for name in list_units([expr])
    }


def _claim_same(found: Found, one: Expr, other: Expr) -> Check:
    """Return the check of two measures or results, which may be only about equal."""
    if not found["about"]:
        return claim(one, other)
    dimensions = get_dimensions(one)
    is_measured = dimensions and dimensions == get_dimensions(other)
    return _compare_about(one, other) if is_measured else Pair(one, "≈", other)


def _compare_about(one: Expr, other: Expr) -> Known:
    """Return the verdict of `94,2 cm³, soit environ 0,094 L`."""
    exact, shown = evaluate(one), evaluate(other)
    last = other.args[-1] if is_mixed(other) and isinstance(other, Apply) else other
    size = evaluate(last).unit.size
    step = find_step(last, last) * size
    gap = abs(exact.number * exact.unit.size - shown.number * shown.unit.size)
    is_close = gap <= max(step, _CLOSE * abs(exact.number * exact.unit.size))
    value = exact.number * exact.unit.size / shown.unit.size
    return Known("right") if is_close else Known("wrong", f"it is about {write_number(value)}")


def _check_same_of(found: Found) -> list[Check] | None:
    """Read `1 500 g, soit 1,5 kg de riz`; a day is longer than its hours of work."""
    return None if get_dimensions(found.name_values()["a"]) == _TIME else _check_same(found)


def _is_quotient(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.op == "/"


def _check_counted(found: Found) -> list[Check] | None:
    """Read `Dans 3 heures, il y a 180 minutes`; `dans 2 347, il y a 23 centaines`."""
    values = found.name_values()
    one, other = values["a"], values["c"]
    is_counted = isinstance(other, Quantity) and plain(other) != plain(other.number)
    if is_counted and isinstance(other, Quantity) and not get_dimensions(one):
        size = plain(other) / plain(other.number)
        return [Pair(number(plain(one) // size), "=", other.number)]
    return _check_same(found)


def _check_on_map(found: Found) -> list[Check] | None:
    """Read `Sur une carte au 1/50 000, … 4 cm représentent 2 km`."""
    values = found.name_values()
    if get_dimensions(values["s"]):
        return None
    return [claim(apply("/", values["a"], values["s"]), values["c"])]


def _check_drawn(found: Found) -> list[Check] | None:
    """Read `À l'échelle 1/50, une pièce de 4 m mesure 8 cm`: the longer one is the real one."""
    values = found.name_values()
    scale, one, other = (values[name] for name in "sac")
    if get_dimensions(scale) or any(get_dimensions(each) != _LENGTH for each in (one, other)):
        return None
    sizes = [measure.number * measure.unit.size for measure in map(evaluate, (one, other))]
    long, short = (one, other) if sizes[0] > sizes[1] else (other, one)
    return [claim(apply("*", scale, long), short)]


def _check_same_scale(found: Found) -> list[Check] | None:
    """Read `1 cm représente 50 000 cm, autrement dit 1 cm représente 500 m`: lengths on one map."""
    values = found.name_values()
    if any(get_dimensions(each) != _LENGTH for each in values.values()):
        return None
    one, other = apply("*", values["a"], values["c"]), apply("*", values["d"], values["b"])
    return [claim(one, other)]


_COUNTS: Final = frozenset((7, 12, 24, 30, 31, 52, 60, 365, 366, 3600))
"""How many units of time make another one; other units are tens, hundreds and so on."""


def _check_made_of(found: Found) -> list[Check] | None:
    """Read `Il faut 10 quintaux pour faire 1 tonne`: two measures of one kind, of which the first
    is no part that lacks (`il faut 300 g pour faire 1 kg`)."""
    one, other = (found.name_values()[name] for name in "ac")
    kinds = {get_dimensions(one), get_dimensions(other)}
    if len(kinds) > 1 or () in kinds or has_operation(one) or has_operation(other):
        return None
    count, whole = evaluate(one), evaluate(other)
    is_count = count.number in _COUNTS or set(str(count.number)) <= {"1", "0"}
    return [claim(one, other)] if is_count and whole.number == 1 else None


def _check_times_unit(found: Found) -> list[Check] | None:
    """Read `Pour une personne il faut 300 ÷ 4 = 75 g ; pour 10 personnes il en faut 750 g`."""
    values = found.name_values()
    unit, claimed = values["u"], values["c"]
    is_other = found["k"] and found["m"] and found["k"].rstrip("s") != found["m"].rstrip("s")
    if is_other or get_dimensions(unit) != get_dimensions(claimed):
        return None
    return [claim(apply("*", number(plain(values["n"])), unit), claimed)]


def _check_speed(found: Found) -> list[Check] | None:
    """Read `90 km/h, c'est 90 000 m en 3 600 s, donc 25 m/s`: one speed in two units."""
    one, other = (found.name_values()[name] for name in "ac")
    is_speed = get_dimensions(one) == get_dimensions(other) == _SPEED
    is_other = is_speed and evaluate(one).unit != evaluate(other).unit
    return [claim(one, other)] if is_other else None


def _check_by_unit(found: Found) -> list[Check] | None:
    """Read `… un volume de 3 m³. Comme 1 m³ = 1 000 L, il contient 3 000 L`."""
    values = found.name_values()
    kinds = {get_dimensions(values[name]) for name in "auvc"}
    return [claim(values["a"], values["c"])] if len(kinds) == 1 and () not in kinds else None


_KINDS: Final = {
    "aire": "m²", "superficie": "m²", "area": "m²", "volume": "m³", "perimetre": "m",
    "circonference": "m", "perimeter": "m", "vitesse": "m/s", "speed": "m/s", "tension": "V",
    "voltage": "V", "intensite": "A", "resistance": "Ω", "puissance": "W", "frequence": "Hz",
    "energie": "J", "duree": "s",
}  # fmt: skip
"""A unit of each quantity."""
_LAWS: Final = {
    ("U", "IR"): "V", ("I", "RU"): "A", ("R", "IU"): "Ω", ("P", "IU"): "W", ("P", "gm"): "N",
    ("E", "Pt"): "J", ("v", "dt"): "m/s", ("d", "tv"): "m", ("t", "dv"): "s", ("f", "T"): "Hz",
    ("m", "Vρ"): "g",
}  # fmt: skip
"""A unit of the quantity that a law of these letters gives: `U = R × I`."""


def _check_kind_of_unit(found: Found) -> list[Check] | None:
    """Read `Son aire vaut 9 × 9 = 81 cm`: a unit of another kind than the quantity's."""
    return _compare_unit(found.name_values()["c"], _KINDS[found["of"]])


def _check_unit_of_law(found: Found) -> list[Check] | None:
    """Read `U = R × I = 220 × 0,05 = 11 A`."""
    values = found.name_values()
    unit = _LAWS.get((found["of"], "".join(sorted(free_letters(values["f"])))))
    return _compare_unit(values["c"], unit) if unit else None


def _compare_unit(claimed: Expr, right: str) -> list[Check] | None:
    unit = find_unit(right)
    if not isinstance(claimed, Quantity) or has_operation(claimed.number) or unit is None:
        return None
    dimensions = get_dimensions(claimed)
    is_month = any(name == "month" for name, _ in dimensions)  # no part of the others
    is_other = dimensions and not is_month and dimensions != unit.dimensions
    return [Known("wrong", f"{claimed.unit} is no unit of it")] if is_other else None


MEASURE_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "time_end": _check_end, "time_span": _check_span, "time_between": _check_between,
    "converted": _check_converted, "other_unit": _check_other_unit, "kept_mass": _check_kept_mass,
    "same": _check_same, "same_of": _check_same_of,
    "counted": _check_counted, "speed": _check_speed,
    "by_unit": _check_by_unit, "on_map": _check_on_map, "same_scale": _check_same_scale,
    "drawn": _check_drawn,
    "made_of": _check_made_of, "kind_of_unit": _check_kind_of_unit,
    "unit_of_law": _check_unit_of_law, "times_unit": _check_times_unit,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
