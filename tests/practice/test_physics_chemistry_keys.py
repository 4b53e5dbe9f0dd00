"""Physics and chemistry: keys found again from what is asked, by the laws of the field."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import gcd

import pytest

from bot.formulas.line_text import replace_formulas
from bot.practice.catalogue import find_generator
from bot.practice.generator import Item
from bot.practice.reactions_and_solutions import EASY, HARD, MASSES, Reaction, count_atoms
from bot.render.sms import count_segments, to_gsm7
from tests.support.seeds import over_seeds

GRADES = {
    "5e": "circuit-series-parallel",
    "4e": "density motion-speed ohm-law",
    "3e": "electric-power-energy weight-mass kinetic-energy balance-equation",
    "2nde": "concentration mole",
}
EVERY = pytest.mark.parametrize("name", [name for row in GRADES.values() for name in row.split()])
UNIT = r"(?:kg/m³|g/cm³|g/cm³|kg/L|g/mol|N/kg|km/h|m/s|g/L|kWh|FCFA|mol|cm³|mL|mA|kg|[ΩVAWNJLmsgh])"
QUANTITY = re.compile(rf"(?P<number>\d+(?:\.\d+)?) (?P<unit>{UNIT})(?![\w/³])")
FORMULA = re.compile(r"ce\{([^{}]*)\}")
Amounts = dict[str, list[Fraction]]


def make(name: str, seed: int, difficulty: int, language: str = "fr") -> Item:
    generator = find_generator(f"physics-chemistry.{name}")
    assert generator is not None
    return generator.make(seed, difficulty=difficulty, language=language)


def plain(text: str, language: str) -> str:
    """A text without thousands separators and subscripts, with decimal points."""
    text = re.sub(r"_\d", "", text).replace("\u202f", "").replace("{,}", ",").replace("\\,", "")
    return re.sub(r"(?<=\d),(?=\d)", "." if language == "fr" else "", text)


def amounts_of(item: Item) -> Amounts:
    """The quantities of a French statement by their units, in order."""
    found: Amounts = {}
    for each in QUANTITY.finditer(plain(item.statement, "fr")):
        found.setdefault(each["unit"], []).append(Fraction(each["number"]))
    return found


def key_of(item: Item) -> Fraction:
    return Fraction(plain(item.key, "fr").split()[0])


def unit_of(item: Item) -> str:
    """The unit of the key, also of one that is asked for in words."""
    return item.unit or " ".join(item.key.split()[1:])


# What every item owes -----------------------------------------------------------------------------


@EVERY
def test_grade_is_that_of_the_curriculum(name: str) -> None:
    generator = find_generator(f"physics-chemistry.{name}")
    assert generator is not None
    assert name in GRADES[generator.grade].split()


@EVERY
@over_seeds(300)
def test_an_open_question_names_its_unit(
    name: str, seed: int, difficulty: int, language: str
) -> None:
    item = make(name, seed, difficulty, language)
    words = {"A": "amp", "s": "second", "FCFA": "argent" if language == "fr" else "money"}
    assert not item.unit or re.search(
        rf"\b(?:en|in) {re.escape(item.unit)}\W|{words.get(item.unit, '$.')}", item.statement
    )


@EVERY
@over_seeds(300)
def test_a_statement_fits_two_sms(name: str, seed: int, difficulty: int, language: str) -> None:
    item = make(name, seed, difficulty, language)
    options = [f"{letter}) {each}" for letter, each in zip("ABCD", item.options, strict=False)]
    shown = to_gsm7("\n".join((replace_formulas(item.statement), *options)))
    assert count_segments(shown).encoding == "GSM-7"
    assert count_segments(shown).paid <= 2
    assert "\\" not in shown


@EVERY
@over_seeds(300)
def test_only_the_last_step_tells_the_key(
    name: str, seed: int, difficulty: int, language: str
) -> None:
    item = make(name, seed, difficulty, language)
    key = plain(item.key, language).split()[0].strip(";,")
    said = re.compile(rf"(?<![\d.]){re.escape(key)}(?!\d|\.\d)")
    assert said.search(plain(item.steps[-1], language))
    if name == "balance-equation" or said.search(plain(item.statement, language)):
        return  # small numbers of atoms, and a number that is given, are said anyway
    assert not any(said.search(plain(hint, language)) for hint in item.hints)


@EVERY
@over_seeds(300)
def test_options_differ_in_value(name: str, seed: int, difficulty: int, language: str) -> None:
    item = make(name, seed, difficulty, language)
    if item.kind == "choice" and name != "balance-equation":
        values = {Fraction(plain(each, language).split()[0]) for each in item.options}
        assert len(values) == len(item.options) >= 3


# Keys ---------------------------------------------------------------------------------------------


def check_density(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    if "mL" in given:
        before, after = given["mL"]
        assert given["g"][0] == key * (after - before)
    elif unit_of(item) == "kg/m³":
        assert given["g"][0] / 1000 == key * given["cm³"][0] / 100**3
    elif unit_of(item) == "g/cm³":
        assert given["g"][0] == key * given["cm³"][0]
    elif unit_of(item) == "kg":
        assert key == given["kg/L"][0] * given["L"][0]
    else:
        assert given["kg"][0] == given["kg/L"][0] * key


def check_speed(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    if "écho" in item.statement:
        assert 2 * key == given["m/s"][0] * given["s"][0]
    elif "km/h" in given:
        assert key == given["km/h"][0] * 1000 / 3600 * given["s"][0]
    elif "m/s" not in given:
        assert given["m"][0] == key * given["s"][0]
    elif item.unit == "m":
        assert key == given["m/s"][0] * given["s"][0]
    else:
        assert given["m"][0] == given["m/s"][0] * key


def check_circuit(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    unit = unit_of(item)
    numbers = given[unit]
    if "identiques" in item.statement:
        lamps = {"Deux": 2, "Trois": 3, "Quatre": 4}[item.statement.split()[0]]
        assert key * lamps == numbers[0]
    elif len(numbers) == 1:
        assert key == numbers[0]
        assert ("dérivation" in item.statement) == (unit == "V")
    elif "traversent" in item.statement:
        assert key == sum(numbers)
    else:
        assert key == numbers[0] - numbers[1] > 0


def check_ohm(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    currents = given.get("A", [each / 1000 for each in given.get("mA", [])])
    volts, ohms = given.get("V", []), given.get("Ω", [])
    known = {"V": volts or [key], "A": currents or [key], "Ω": ohms or [key]}
    assert known[unit_of(item)] == [key]
    assert known["V"][0] == sum(known["Ω"]) * known["A"][0]


def check_power(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    unit = unit_of(item)
    if unit == "W":
        assert key == given["V"][0] * given["A"][0]
    elif unit == "A":
        assert given["W"][0] == given["V"][0] * key
    else:
        [days] = re.findall(r"(\d+) jours", item.statement)
        watts = given["W"][0] - (given["W"][1] if len(given["W"]) > 1 else 0)
        energy = watts * given["h"][0] * int(days) / 1000
        assert key == (energy if unit == "kWh" else energy * given["FCFA"][0])


def check_weight(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    gravities = given["N/kg"]
    if "robot" in item.statement:
        mass = given["N"][0] / gravities[0]
        assert key == (mass if unit_of(item) == "kg" else mass * gravities[1])
    elif unit_of(item) == "kg":
        assert given["N"][0] == key * gravities[0]
    else:
        masses = given.get("kg") or [each / 1000 for each in given["g"]]
        assert key == masses[0] * gravities[0]


def check_kinetic_energy(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    if "multipliée" in item.statement:
        slow, fast = given["km/h"]
        assert key * slow**2 == fast**2
    elif unit_of(item) == "m/s":
        assert 2 * given["J"][0] == given["kg"][0] * key**2
    else:
        speeds = given.get("m/s") or [each * 1000 / 3600 for each in given["km/h"]]
        assert key == given["kg"][0] * speeds[0] ** 2 / 2


def read_sides(equation: str) -> list[list[tuple[str, str]]]:
    """Coefficients, as they are written, and formulas on both sides."""
    sides = equation.split(" -> ")
    return [
        [(term.rpartition(" ")[0] or "1", term.rpartition(" ")[2]) for term in side.split(" + ")]
        for side in sides
    ]


def is_balanced(sides: list[list[tuple[str, str]]]) -> bool:
    left, right = (
        {
            element: sum(int(n) * count_atoms(formula).get(element, 0) for n, formula in side)
            for _, each in sides[0]
            for element in count_atoms(each)
        }
        for side in sides
    )
    return left == right


def check_equation(item: Item) -> None:
    equation, *asked = FORMULA.findall(item.statement)
    sides = read_sides(equation)
    if item.difficulty == 1:
        assert is_balanced(read_sides(equation.replace("?", item.key)))
        assert not is_balanced(read_sides(equation.replace("?", "1")))
        return
    if item.difficulty == 2:
        numbers = item.key.split(" ; ")
        formulas = [formula for side in sides for _, formula in side]
        pairs = list(zip(numbers, formulas, strict=True))
        assert is_balanced([pairs[: len(sides[0])], pairs[len(sides[0]) :]])
        return
    [reaction] = [each for each in EASY + HARD if each.bare == equation]
    assert [n for n, formula in reaction.terms if formula == asked[0]] == [int(item.key)]


def check_concentration(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    litres = [each / 1000 for each in given.get("mL", [])] or given["L"]
    if "dilution" in item.statement:
        weak, strong = given["g/L"]
        assert weak * litres[0] == strong * key / 1000
    elif "prélève" in item.statement:
        assert given["g/L"][0] * litres[0] == key * litres[1]
    elif unit_of(item) == "g":
        assert key == given["g/L"][0] * litres[0]
    else:
        assert given["g"][0] == key * litres[0]


def check_mole(item: Item) -> None:
    given, key = amounts_of(item), key_of(item)
    [formula] = FORMULA.findall(item.statement)
    listed = dict(re.findall(r"([A-Z][a-z]?) = (\d+)", item.statement)) or MASSES
    molar = sum(int(listed[element]) * n for element, n in count_atoms(formula).items())
    if "g/mol" in given:
        assert given["g/mol"] == [molar]
    mass, amount = (key, given["mol"][0]) if unit_of(item) == "g" else (given["g"][0], key)
    assert mass == amount * molar


CHECKS: dict[str, Callable[[Item], None]] = {
    "density": check_density,
    "motion-speed": check_speed,
    "circuit-series-parallel": check_circuit,
    "ohm-law": check_ohm,
    "electric-power-energy": check_power,
    "weight-mass": check_weight,
    "kinetic-energy": check_kinetic_energy,
    "balance-equation": check_equation,
    "concentration": check_concentration,
    "mole": check_mole,
}


@EVERY
@over_seeds(400)
def test_key_follows_from_the_statement(name: str, seed: int, difficulty: int) -> None:
    CHECKS[name](make(name, seed, difficulty))


@pytest.mark.parametrize("reaction", EASY + HARD, ids=lambda each: each.balanced)
def test_reactions_have_the_smallest_coefficients_that_balance_them(reaction: Reaction) -> None:
    assert is_balanced(read_sides(reaction.written))
    assert gcd(*reaction.coefficients) == 1
    assert len({formula for _, formula in reaction.terms}) == len(reaction.terms)
