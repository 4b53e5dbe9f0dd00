"""Exercises on circuits (5e), Ohm's law (4e), and electric power and energy (3e)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair, make_decimal, round_quotient

# Circuits -----------------------------------------------------------------------------------------

BATTERIES: Final = (Decimal("4.5"), 6, 9, 12)
"""Usual voltages, in V."""
COUNTS: Final[Mapping[int, Pair]] = {
    2: ("Deux", "Two"),
    3: ("Trois", "Three"),
    4: ("Quatre", "Four"),
}


@generates("physics-chemistry.circuit-series-parallel", "5e")
def find_in_circuit(draw: Draw) -> Item:
    """Ask for what stays the same in a circuit, then for what adds up, then for both in a circuit
    of three lamps."""
    if draw.difficulty == 1:
        return draw.one_of((_keep_current, _keep_voltage))(draw)
    if draw.difficulty == 2:
        return draw.one_of((_share_voltage, _divide_voltage, _share_current, _add_currents))(draw)
    return draw.one_of((_find_voltage_of_third, _find_current_of_third))(draw)


def _draw_tenths(draw: Draw, least: int, most: int) -> Decimal:
    return make_decimal(draw.between(least, most), 1)


def _keep_current(draw: Draw) -> Item:
    current, lamps = 2 * _draw_tenths(draw, 1, 6), draw.between(2, 4)
    return draw.exercise("keep_current", current=current, count=COUNTS[lamps]).choice(
        current,
        (round_quotient(current, lamps), "current-shared-in-series"),
        (0, "current-used-up"),
        (current * lamps, "current-added-in-series"),
        unit="A",
    )


def _keep_voltage(draw: Draw) -> Item:
    voltage, lamps = draw.one_of((6, 9, 12, 24)), draw.between(2, 4)
    return draw.exercise("keep_voltage", voltage=voltage, count=COUNTS[lamps]).choice(
        voltage,
        (round_quotient(voltage, lamps), "voltage-shared-in-parallel"),
        (voltage * lamps, "voltage-added-in-parallel"),
        (0, "voltage-used-up"),
        unit="V",
    )


def _share_voltage(draw: Draw) -> Item:
    battery = draw.one_of(BATTERIES)
    voltages = [Decimal(n) / 2 for n in range(3, 18) if n < 2 * battery - 2 and n != battery]
    first = draw.one_of(voltages)
    return draw.exercise("share_voltage", battery=battery, first=first).open(
        battery - first,
        (battery, "voltage-not-shared"),
        (first, "same-voltage-in-series"),
        (battery + first, "added"),
        unit="V",
    )


def _divide_voltage(draw: Draw) -> Item:
    lamps, each = draw.between(2, 4), draw.one_of((Decimal("1.5"), 3, Decimal("4.5"), 6))
    battery = lamps * each
    exercise = draw.exercise("divide_voltage", battery=battery, lamps=lamps, count=COUNTS[lamps])
    return exercise.open(
        each,
        (battery, "voltage-not-shared"),
        (battery * lamps, "multiplied"),
        (battery - lamps, "subtracted"),
        unit="V",
    )


def _share_current(draw: Draw) -> Item:
    one, other = _draw_tenths(draw, 1, 4), _draw_tenths(draw, 5, 9)
    whole = one + other
    first = draw.one_of((one, other))
    return draw.exercise("share_current", whole=whole, first=first).open(
        whole - first,
        (whole, "current-not-shared"),
        (whole / 2, "current-halved"),
        (whole + first, "added"),
        unit="A",
    )


def _add_currents(draw: Draw) -> Item:
    one, other = _draw_tenths(draw, 1, 4), _draw_tenths(draw, 5, 9)
    return draw.exercise("add_currents", one=one, other=other).open(
        one + other,
        (other - one, "subtracted"),
        (other, "current-not-shared"),
        ((one + other) / 2, "mean-of-the-currents"),
        unit="A",
    )


def _find_voltage_of_third(draw: Draw) -> Item:
    """Ask for the voltage of one of two lamps in parallel that are in series with another."""
    battery = draw.one_of((6, 9, 12))
    first = draw.one_of([n for n in range(2, battery - 1) if 2 * n != battery])
    rest = battery - first
    return draw.exercise("find_voltage_of_third", battery=battery, first=first).choice(
        rest,
        (Decimal(rest) / 2, "voltage-shared-in-parallel"),
        (battery, "voltage-not-shared"),
        (first, "same-voltage-in-series"),
        unit="V",
    )


def _find_current_of_third(draw: Draw) -> Item:
    """Ask for the current in one of two lamps in parallel that are in series with another."""
    second, third = _draw_tenths(draw, 1, 4), _draw_tenths(draw, 5, 9)
    if draw.flip():
        second, third = third, second
    whole = second + third
    return draw.exercise("find_current_of_third", whole=whole, second=second).choice(
        third,
        (whole, "current-not-shared"),
        (whole / 2, "current-halved"),
        (whole + second, "added"),
        unit="A",
    )


# Ohm's law ----------------------------------------------------------------------------------------

RESISTANCES: Final = (10, 12, 15, 20, 25, 30, 40, 50, 60)
CURRENTS: Final = tuple(make_decimal(n, 1) for n in (1, 2, 3, 4, 5))


@generates("physics-chemistry.ohm-law", "4e")
def use_ohm_law(draw: Draw) -> Item:
    """Ask for a voltage, then a current or a resistance, then with mA or two resistors in
    series."""
    if draw.difficulty == 3:
        return draw.one_of((_find_resistance_with_milliamperes, _find_current_in_series))(draw)
    resistance, current = draw.one_of(RESISTANCES), draw.one_of(CURRENTS)
    voltage = resistance * current
    if draw.difficulty == 1:
        return draw.exercise("find_voltage", resistance=resistance, current=current).choice(
            voltage,
            (round_quotient(resistance, current), "divided"),
            (resistance + current, "added"),
            (resistance - current, "subtracted"),
            unit="V",
        )
    if draw.flip():
        return draw.exercise("find_current", voltage=voltage, resistance=resistance).open(
            current,
            (Fraction(resistance) / Fraction(voltage), "upside-down"),
            (voltage * resistance, "multiplied"),
            unit="A",
        )
    return draw.exercise("find_resistance", voltage=voltage, current=current).open(
        resistance,
        (Fraction(current) / Fraction(voltage), "upside-down"),
        (voltage * current, "multiplied"),
        unit="Ω",
    )


def _find_resistance_with_milliamperes(draw: Draw) -> Item:
    resistance, small = draw.one_of((50, 100, 120, 150, 200, 300)), draw.one_of((20, 30, 40, 50))
    voltage = Decimal(resistance * small) / 1000
    exercise = draw.exercise(
        "find_resistance_with_milliamperes",
        voltage=voltage,
        small=small,
        current=Decimal(small) / 1000,
    )
    return exercise.choice(
        resistance,
        (Decimal(resistance) / 1000, "unit-not-converted"),
        (voltage * small, "multiplied"),
        (Decimal(resistance) / 10, "thousand-taken-for-a-hundred"),
        unit="Ω",
    )


def _find_current_in_series(draw: Draw) -> Item:
    one, other = draw.one_of(((10, 20), (10, 30), (20, 30), (20, 40), (15, 45), (5, 20), (10, 15)))
    current = draw.one_of(CURRENTS)
    whole = one + other
    voltage = whole * current
    return draw.exercise(
        "find_current_in_series", one=one, other=other, whole=whole, voltage=voltage
    ).open(
        current,
        (Fraction(voltage) / one, "only-one-resistor"),
        (Fraction(voltage) / other, "only-one-resistor"),
        (Fraction(voltage) / one + Fraction(voltage) / other, "currents-of-each-added"),
        unit="A",
    )


# Power and energy ---------------------------------------------------------------------------------

POWERED: Final[tuple[tuple[Pair, int, tuple[Decimal | int, ...]], ...]] = (
    (("Une lampe", "A lamp"), 12, (Decimal("0.5"), 2, 3)),
    (("Un fer à repasser", "An iron"), 220, (4, 5)),
    (("Un ventilateur", "A fan"), 220, (Decimal("0.2"), Decimal("0.3"))),
    (("Une télévision", "A television"), 220, (Decimal("0.4"), Decimal("0.5"))),
    (("Un mixeur", "A blender"), 220, (2, 3)),
    (("Une pompe solaire", "A solar pump"), 24, (5, 10)),
)
"""Appliances, with their voltage in V and usual currents in A."""
CONSUMERS: Final[tuple[tuple[Pair, tuple[int, ...], tuple[int, ...]], ...]] = (
    (("Un ventilateur", "A fan"), (50, 60), (5, 8, 10)),
    (("Une télévision", "A television"), (80, 100), (4, 5, 6)),
    (("Une lampe de boutique", "A shop lamp"), (20, 40), (5, 6, 10)),
    (("Un congélateur", "A freezer"), (150, 200), (8, 10, 12)),
    (("Une pompe de forage", "A borehole pump"), (500, 800), (3, 4, 5)),
)
"""Appliances, with usual powers in W and hours a day."""
PRICES: Final = (80, 100, 110, 120, 150)
"""Usual prices of a kWh, in FCFA."""


@generates("physics-chemistry.electric-power-energy", "3e")
def find_power(draw: Draw) -> Item:
    """Ask for a power, then a current or an energy in kWh, then for what that costs or saves."""
    if draw.difficulty == 3:
        return draw.one_of((_find_cost, _find_savings))(draw)
    if draw.difficulty == 2:
        return draw.one_of((_find_current_of_power, _find_energy))(draw)
    thing, voltage, currents = draw.one_of(POWERED)
    current = draw.one_of(currents)
    return draw.exercise("find_power", thing=thing, voltage=voltage, current=current).choice(
        voltage * current,
        (round_quotient(voltage, current), "divided"),
        (voltage + current, "added"),
        (voltage - current, "subtracted"),
        unit="W",
    )


def _find_current_of_power(draw: Draw) -> Item:
    thing, voltage, currents = draw.one_of(POWERED)
    current = draw.one_of(currents)
    power = voltage * current
    return draw.exercise("find_current_of_power", thing=thing, voltage=voltage, power=power).open(
        current,
        (Fraction(voltage) / Fraction(power), "upside-down"),
        (voltage * power, "multiplied"),
        (abs(power - voltage), "subtracted"),
        unit="A",
    )


def _find_energy(draw: Draw) -> Item:
    # The energies stay below 10,000 Wh: in English, 12,000 Wh would be written like 12.000 kWh.
    thing, powers, times = draw.one_of(CONSUMERS[:3])
    power, hours, days = draw.one_of(powers), draw.one_of(times), draw.one_of((7, 10, 14))
    whole = power * hours * days
    return draw.exercise(
        "find_energy", thing=thing, power=power, hours=hours, days=days, whole=whole
    ).open(
        Decimal(whole) / 1000,
        (whole, "kilo-forgotten"),
        (Decimal(power * hours) / 1000, "one-day-only"),
        (Decimal(power * days) / 1000, "hours-forgotten"),
        unit="kWh",
    )


def _find_cost(draw: Draw) -> Item:
    thing, powers, times = draw.one_of(CONSUMERS)
    power, hours, price = draw.one_of(powers), draw.one_of(times), draw.one_of(PRICES)
    energy = Decimal(power * hours * 30) / 1000
    return draw.exercise(
        "find_cost", thing=thing, power=power, hours=hours, price=price, energy=energy
    ).choice(
        energy * price,
        (energy * price / 30, "one-day-only"),
        (energy * price / hours, "hours-forgotten"),
        (energy, "energy-taken-for-the-price"),
        unit="FCFA",
    )


def _find_savings(draw: Draw) -> Item:
    """Ask for the savings in a month by lamps that need less power."""
    old, new = draw.one_of(((60, 10), (100, 20), (75, 15), (40, 10), (60, 12)))
    hours, price = draw.one_of((4, 5, 6, 10)), draw.one_of(PRICES)
    old_cost, new_cost = (Decimal(power * hours * 30 * price) / 1000 for power in (old, new))
    energy = Decimal((old - new) * hours * 30) / 1000
    return draw.exercise(
        "find_savings", old=old, new=new, hours=hours, price=price, energy=energy
    ).open(
        old_cost - new_cost,
        (old_cost, "cost-of-the-old-lamp"),
        (new_cost, "cost-of-the-new-lamp"),
        (energy, "energy-taken-for-the-price"),
        unit="FCFA",
    )
