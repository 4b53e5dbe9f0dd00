"""Tell whether numbers may differ because one of them is in another unit, which is not written."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from bot.maths.exact.units import UNITS, Unit

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


def get_base_size(unit: Unit) -> Fraction:
    """Return the size of a unit in metres, kilograms, seconds and amperes."""
    return unit.size / Fraction(1000) ** dict(unit.dimensions).get("mass", 0)
