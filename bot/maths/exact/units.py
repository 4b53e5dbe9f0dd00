"""List units of school and market, with their dimensions and sizes, and tell whether numbers may
differ because one of them is in another unit, which is not written.

The table is our own: pint 0.25 takes 0.25 s and 19 MB to load in each process, has neither `F CFA`
nor French names, and would need a list of those of its thousand names that are letters at school.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple


class Unit(NamedTuple):
    """The size of a unit, in the first unit of its dimensions."""

    size: Fraction
    dimensions: tuple[tuple[str, int], ...]
    """Base dimensions with their powers, sorted."""


_PREFIXES: Final = {
    "k": 3, "h": 2, "da": 1, "": 0, "d": -1, "c": -2, "m": -3, "µ": -6, "μ": -6, "n": -9,
}  # fmt: skip
_NAMED_PREFIXES: Final = {
    "kilo": 3, "hecto": 2, "deca": 1, "": 0, "deci": -1, "centi": -2, "milli": -3,
}  # fmt: skip
_ONES: Final = """
h 3600 time|heure 3600 time|heures 3600 time|hour 3600 time|hours 3600 time|hr 3600 time
min 60 time|mn 60 time|minute 60 time|minutes 60 time|s 1 time|sec 1 time|seconde 1 time
secondes 1 time|second 1 time|seconds 1 time|ms 1/1000 time
jour 86400 time|jours 86400 time|day 86400 time|days 86400 time|j 86400 time
semaine 604800 time|semaines 604800 time|week 604800 time|weeks 604800 time
mois 1 month|month 1 month|months 1 month|an 12 month|ans 12 month|annee 12 month
annees 12 month|year 12 month|years 12 month|trimestre 3 month|trimestres 3 month
kilo 1000 mass|kilos 1000 mass
bimestre 2 month|bimestres 2 month|semestre 6 month|semestres 6 month
siecle 1200 month|siecles 1200 month|decennie 120 month
t 1000000 mass|tonne 1000000 mass|tonnes 1000000 mass|q 100000 mass|quintal 100000 mass
quintaux 100000 mass
F 1 franc|f 1 franc|FCFA 1 franc|F CFA 1 franc|francs 1 franc|franc 1 franc|XOF 1 franc
CFA 1 franc|XAF 1 franc
€ 1 euro|euro 1 euro|euros 1 euro|EUR 1 euro|$ 1 dollar|dollar 1 dollar|dollars 1 dollar
USD 1 dollar|£ 1 pound
naira 1 naira|NGN 1 naira|₦ 1 naira|cedi 1 cedi|cedis 1 cedi|GHS 1 cedi|₵ 1 cedi|GH₵ 1 cedi
GH¢ 1 cedi
° 1 angle|degre 1 angle|degres 1 angle|degree 1 angle|degrees 1 angle
°C 1 celsius|°F 1 fahrenheit
A 1 ampere|mA 1/1000 ampere|µA 1/1000000 ampere|mol 1 mole|mmol 1/1000 mole|µs 1/1000000 time
mole 1 mole|moles 1 mole|K 1 kelvin|rad 1 radian
o 1 octet|ko 1000 octet|Mo 1000000 octet|Go 1000000000 octet|To 1000000000000 octet
unite 1 count|unites 1 count|ones 1 count|dizaine 10 count|dizaines 10 count
entiers 1 count|wholes 1 count|dozen 12 count|dozens 12 count
douzaine 12 count|douzaines 12 count|centaine 100 count|centaines 100 count
millier 1000 count|milliers 1000 count|tens 10 count|hundreds 100 count|thousands 1000 count
dixieme 1/10 count|dixiemes 1/10 count|centieme 1/100 count|centiemes 1/100 count
millieme 1/1000 count|milliemes 1/1000 count|tenths 1/10 count|hundredths 1/100 count
"""
_DERIVED: Final = """
noeud 463/900 m s-1|noeuds 463/900 m s-1
N 1 kg m s-2|kN 1000 kg m s-2|J 1 kg m2 s-2|kJ 1000 kg m2 s-2|MJ 1000000 kg m2 s-2
W 1 kg m2 s-3|mW 1/1000 kg m2 s-3|kW 1000 kg m2 s-3|MW 1000000 kg m2 s-3
Wh 3600 kg m2 s-2|kWh 3600000 kg m2 s-2|Pa 1 kg m-1 s-2|hPa 100 kg m-1 s-2|kPa 1000 kg m-1 s-2
bar 100000 kg m-1 s-2|V 1 kg m2 s-3 A-1|mV 1/1000 kg m2 s-3 A-1|kV 1000 kg m2 s-3 A-1
µF 1/1000000 kg-1 m-2 s4 A2|nF 1/1000000000 kg-1 m-2 s4 A2|mH 1/1000 kg m2 s-2 A-2
mJ 1/1000 kg m2 s-2|mN 1/1000 kg m s-2|MWh 3600000000 kg m2 s-2|GW 1000000000 kg m2 s-3
MPa 1000000 kg m-1 s-2|Ω 1 kg m2 s-3 A-2|kΩ 1000 kg m2 s-3 A-2|Hz 1 s-1|kHz 1000 s-1|MHz 1000000 s-1
"""
"""Units of physics, each with its size and the powers of kg, m, s and A that make it."""
_BASES: Final = {"kg": "mass", "m": "length", "s": "time", "A": "ampere"}
_FIELDS: Final = (
    ("are", Fraction(100)),
    ("ares", Fraction(100)),
    ("ha", Fraction(10_000)),
    ("hectare", Fraction(10_000)),
    ("hectares", Fraction(10_000)),
    ("ca", Fraction(1)),
)
"""Units of field areas, in square metres."""
_ENGLISH: Final = {"inch": 1, "inches": 1, "feet": 12, "yard": 36, "yards": 36}
"""English units of length, in inches; in metres they are nearly always rounded. `Foot` is also
short for football."""
SINGLE_LETTERS: Final = frozenset("mgLlhstFfVAWNJKqoj")
"""Units of one letter, which may also be variables."""


def _make_units() -> dict[str, Unit]:
    units = dict(_list_fixed())
    for prefix, power in _PREFIXES.items():
        units |= _prefix(prefix, power, metres=("m",), grams=("g",), litres=("L", "l"))
        for mark, exponent in (("²", 2), ("³", 3), ("2", 2), ("3", 3)):
            size = Fraction(10) ** (power * exponent)
            units[f"{prefix}m{mark}"] = Unit(size, (("length", exponent),))
    for prefix, power in _NAMED_PREFIXES.items():
        metres = ("metre", "metres", "meter", "meters")
        grams = ("gramme", "grammes", "gram", "grams")
        litres = ("litre", "litres", "liter", "liters")
        units |= _prefix(prefix, power, metres=metres, grams=grams, litres=litres)
        for mark, exponent in (("²", 2), ("³", 3)):
            whole = Unit(Fraction(10) ** (power * exponent), (("length", exponent),))
            units |= {f"{prefix}{name}{mark}": whole for name in metres}
    for exponent, mark in enumerate(("", "²", "³"), 1):
        for name, size in _ENGLISH.items():
            units[f"{name}{mark}"] = Unit(Fraction(size**exponent), (("inch", exponent),))
    return units


def _list_fixed() -> Iterator[tuple[str, Unit]]:
    for entry in _ONES.replace("\n", "|").split("|"):
        if entry.strip():
            name, size, dimension = entry.strip().rsplit(" ", 2)
            yield name, Unit(Fraction(size), ((dimension, 1),))
    for name, size in _FIELDS:
        yield name, Unit(size, (("length", 2),))
    for entry in _DERIVED.replace("\n", "|").split("|"):
        if entry.strip():
            name, size, *powers = entry.split()
            yield name, _derive(Fraction(size), powers)


def _derive(size: Fraction, powers: Sequence[str]) -> Unit:
    """Return a unit of so many kilograms, metres, seconds and amperes to these powers: `m2`."""
    dimensions: list[tuple[str, int]] = []
    for each in powers:
        base = each.rstrip("-0123456789")
        power = int(each[len(base) :] or 1)
        dimensions.append((_BASES[base], power))
        size *= Fraction(1000) ** power if base == "kg" else 1
    return Unit(size, tuple(sorted(dimensions)))


def _prefix(
    prefix: str, power: int, *, metres: Sequence[str], grams: Sequence[str], litres: Sequence[str]
) -> dict[str, Unit]:
    size = Fraction(10) ** power
    return {
        **{prefix + name: Unit(size, (("length", 1),)) for name in metres},
        **{prefix + name: Unit(size, (("mass", 1),)) for name in grams},
        **{prefix + name: Unit(size / 1000, (("length", 3),)) for name in litres},
    }


UNITS: Final = _make_units()
"""Units by their signs and folded names; words of text are in lower case."""
UNITS.update(
    {
        name.lower(): unit
        for name, unit in list(UNITS.items())
        if len(name) > 1 and name not in ("To", "Go", "MJ", "MW")
    }
    | dict(UNITS)  # a unit with capitals does not take the place of another, as `MJ` of `mJ`
)
COUNT: Final = (("count", 1),)
"""The dimension of tens, dozens and ones."""


def multiply(one: Unit, other: Unit, sign: int = 1) -> Unit:
    """Return the unit of a product, or of a quotient with `sign` -1."""
    powers = dict(one.dimensions)
    for name, power in other.dimensions:
        powers[name] = powers.get(name, 0) + sign * power
    kept = tuple(sorted((name, power) for name, power in powers.items() if power))
    return Unit(one.size * other.size**sign, kept)


NONE: Final = Unit(Fraction(1), ())


def find_unit(name: str) -> Unit | None:
    """Return the unit of this name, or of a quotient such as `km/h`; None for other nouns."""
    above, _, below = name.partition("/")
    unit = UNITS.get(above)
    if not below or unit is None:
        return unit
    other = UNITS.get(below) or _raise_unit(below)
    return multiply(unit, other, -1) if other else None


def _raise_unit(name: str) -> Unit | None:
    """Return the unit of a power such as `s²` that is not in the table; None: there is none."""
    base, exponent = UNITS.get(name[:-1]), "²³".find(name[-1])
    if base is None or exponent < 0:
        return None
    return multiply(multiply(base, base), base if exponent else NONE)


# Conversions --------------------------------------------------------------------------------------

_CONVERTED: Final = frozenset(("length", "mass", "time", "month", "octet"))
"""Dimensions whose units pupils convert without writing both units."""
_USUAL: Final = {
    power: [UNITS[name].size for name in names.split()]
    for power, names in ((1, "mm cm m km"), (2, "mm² cm² m² ha km²"), (3, "mL cL L m³"))
}
"""Sizes of the units from which pupils convert lengths, areas and volumes without writing them."""
_PLAIN_FACTORS: Final = frozenset((60, 3600, 24, 7, 12, 30, 365, Fraction(18, 5)))


def is_power(one: Unit, other: Unit) -> bool:
    """Return whether a unit is the square of another's kind: `24 h × 60 min = 1 440 min`."""
    return tuple((name, 2 * power) for name, power in other.dimensions) == one.dimensions


def is_factor(one: Fraction, other: Fraction) -> bool:
    """Return whether two numbers differ by powers of ten and usual factors of units of time."""
    if not one or not other:
        return one == other
    ratio = max(abs(one / other), abs(other / one))
    return ratio.denominator == 1 and any(
        str(ratio / factor).rstrip("0") in ("1", "") for factor in (1, 6, 24, 36, 7, 12, 144, 864)
    )


def is_converted(unit: Unit) -> bool:
    """Return whether a unit is one of `_CONVERTED`, and no unit of physics such as N."""
    names = {name for name, _ in unit.dimensions}
    is_of_physics = names >= {"mass", "length", "time"} or unit.dimensions == (("time", -1),)
    return bool(names & _CONVERTED) and not is_of_physics


def is_conversion(bare: Fraction, shown: Fraction, unit: Unit) -> bool:
    """Return whether a number without a unit is `shown` in another usual unit: for a length, area
    or volume one of `_USUAL`, for others one that differs by a power of 1,000 or a usual factor."""
    if not bare or not shown:
        return False
    if len(unit.dimensions) == 1 and unit.dimensions[0][0] == "length":
        return unit.size * shown / bare in _USUAL.get(unit.dimensions[0][1], ())
    ratio = max(abs(bare / shown), abs(shown / bare))
    is_ten = ratio.denominator == 1 and str(ratio.numerator).rstrip("0") == "1"
    zeros = len(str(ratio.numerator)) - 1
    return ratio in _PLAIN_FACTORS or (is_ten and zeros % 3 == 0)


_SCALES: Final = {
    "kelvin": (Fraction(1), Fraction(0)),
    "celsius": (Fraction(1), Fraction("273.15")),
    "fahrenheit": (Fraction(5, 9), Fraction("255.372")),
}
"""Scales of temperature: by what a number is multiplied, and what is added then, to have it in
kelvins."""


def is_temperature(unit: Unit) -> bool:
    """Return whether a unit is °C, °F or K."""
    return len(unit.dimensions) == 1 and unit.dimensions[0] in {(name, 1) for name in _SCALES}


def to_kelvins(number: Fraction, unit: Unit) -> Fraction:
    """Return a temperature, in °C, °F or K, in kelvins."""
    factor, shift = _SCALES[unit.dimensions[0][0]]
    return factor * number + shift


def get_base_size(unit: Unit) -> Fraction:
    """Return the size of a unit in metres, kilograms, seconds and amperes."""
    return unit.size / Fraction(1000) ** dict(unit.dimensions).get("mass", 0)
