"""Exercises on chemical equations (3e), concentrations and amounts of substance (2nde)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from bot.practice.generator import Draw, Item, generates
from bot.practice.notation import Pair, list_numbers, round_quotient

_ATOMS: Final = re.compile(r"([A-Z][a-z]?)(\d*)")


def count_atoms(formula: str) -> dict[str, int]:
    """Return how many atoms of each element a formula without brackets has."""
    atoms: dict[str, int] = {}
    for element, count in _ATOMS.findall(formula):
        atoms[element] = atoms.get(element, 0) + int(count or 1)
    return atoms


# Chemical equations -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reaction:
    """A balanced equation, written `2 H2 + 1 O2 -> 2 H2O`."""

    written: str

    @property
    def terms(self) -> list[tuple[int, str]]:
        """Coefficients with their formulas, from left to right."""
        return [(int(n), formula) for n, formula in re.findall(r"(?<!\w)(\d+) (\w+)", self.written)]

    @property
    def coefficients(self) -> tuple[int, ...]:
        return tuple(n for n, _ in self.terms)

    @property
    def bare(self) -> str:
        """The equation without its coefficients."""
        return self._write([1] * len(self.terms))

    @property
    def balanced(self) -> str:
        return self._write(self.coefficients)

    def hide(self, place: int) -> str:
        """Return the balanced equation with a question mark for the coefficient at this place."""
        shown = enumerate(self.coefficients)
        return self._write(["?" if at == place else number for at, number in shown])

    def _write(self, numbers: Sequence[int | str]) -> str:
        """Write the equation with these coefficients, of which a 1 is left out."""
        parts = [
            formula if number == 1 else f"{number} {formula}"
            for number, (_, formula) in zip(numbers, self.terms, strict=True)
        ]
        return f"{' + '.join(parts[: self._left])} -> {' + '.join(parts[self._left :])}"

    @property
    def _left(self) -> int:
        """How many terms are on the left."""
        return self.written.split(" -> ")[0].count(" + ") + 1

    @property
    def elements(self) -> list[str]:
        return list(dict.fromkeys(each for _, term in self.terms for each in count_atoms(term)))

    def count_sides(self) -> list[str]:
        """Return for each element how its atoms are counted on both sides, in LaTeX."""
        lines: list[str] = []
        for element in self.elements:
            counts = [(n, count_atoms(formula).get(element, 0)) for n, formula in self.terms]
            sides = (
                " + ".join(f"{n} \\times {atoms}" for n, atoms in side if atoms)
                for side in (counts[: self._left], counts[self._left :])
            )
            lines.append(f"${' = '.join(sides)}$ ({element})")
        return lines


EASY: Final = tuple(
    map(
        Reaction,
        (
            "2 H2 + 1 O2 -> 2 H2O",
            "1 N2 + 3 H2 -> 2 NH3",
            "2 Mg + 1 O2 -> 2 MgO",
            "2 Cu + 1 O2 -> 2 CuO",
            "2 CO + 1 O2 -> 2 CO2",
            "2 Na + 1 Cl2 -> 2 NaCl",
            "1 Zn + 2 HCl -> 1 ZnCl2 + 1 H2",
            "1 Fe + 2 HCl -> 1 FeCl2 + 1 H2",
            "2 H2O2 -> 2 H2O + 1 O2",
            "1 CH4 + 2 O2 -> 1 CO2 + 2 H2O",
            "3 Fe + 2 O2 -> 1 Fe3O4",
            "2 CuO + 1 C -> 2 Cu + 1 CO2",
            "4 Na + 1 O2 -> 2 Na2O",
            "1 CaCO3 + 2 HCl -> 1 CaCl2 + 1 H2O + 1 CO2",
        ),
    )
)
HARD: Final = tuple(
    map(
        Reaction,
        (
            "4 Al + 3 O2 -> 2 Al2O3",
            "4 Fe + 3 O2 -> 2 Fe2O3",
            "1 C3H8 + 5 O2 -> 3 CO2 + 4 H2O",
            "1 C2H4 + 3 O2 -> 2 CO2 + 2 H2O",
            "1 C2H6O + 3 O2 -> 2 CO2 + 3 H2O",
            "2 C4H10 + 13 O2 -> 8 CO2 + 10 H2O",
            "2 C2H6 + 7 O2 -> 4 CO2 + 6 H2O",
            "1 Fe2O3 + 3 CO -> 2 Fe + 3 CO2",
            "2 Fe2O3 + 3 C -> 4 Fe + 3 CO2",
            "2 Al + 6 HCl -> 2 AlCl3 + 3 H2",
            "4 NH3 + 5 O2 -> 4 NO + 6 H2O",
            "4 P + 5 O2 -> 2 P2O5",
            "1 C6H12O6 + 6 O2 -> 6 CO2 + 6 H2O",
            "2 Na + 2 H2O -> 2 NaOH + 1 H2",
        ),
    )
)


@generates("physics-chemistry.balance-equation", "3e")
def balance_equation(draw: Draw) -> Item:
    """Ask for one coefficient that is missing, then for all, then for one in a hard equation."""
    if draw.difficulty == 2:
        return _choose_coefficients(draw, draw.one_of(EASY + HARD[:6]))
    reaction = draw.one_of(draw.by_level(EASY + HARD, EASY, HARD))
    many = [at for at, number in enumerate(reaction.coefficients) if number > 1]
    place = draw.one_of(many)
    key, formula = reaction.terms[place]
    element, atoms = max(count_atoms(formula).items(), key=lambda each: each[1])
    exercise = draw.exercise(
        draw.by_level("find_missing", "", "find_coefficient"),
        equation=reaction.hide(place) if draw.difficulty == 1 else reaction.bare,
        balanced=reaction.balanced,
        formula=formula,
        element=element,
        has_oxygen="O" in reaction.elements,
        counts=reaction.count_sides(),
    )
    return exercise.open(
        key,
        (1, "atoms-not-counted"),
        (key * atoms, "atoms-taken-for-molecules"),
        (2 * key, "twice-as-many"),
    )


def _choose_coefficients(draw: Draw, reaction: Reaction) -> Item:
    right = reaction.coefficients
    last = max(at for at, number in enumerate(right) if number > 1)
    one_left = tuple(1 if at == last else number for at, number in enumerate(right))
    return draw.exercise(
        "choose_coefficients",
        equation=reaction.bare,
        balanced=reaction.balanced,
        has_oxygen="O" in reaction.elements,
        counts=reaction.count_sides(),
    ).choice(
        list_numbers(right),
        (list_numbers([1] * len(right)), "atoms-not-counted"),
        (list_numbers([2 * number for number in right]), "not-the-smallest"),
        (list_numbers(one_left), "one-element-left"),
    )


# Concentration ------------------------------------------------------------------------------------

SOLUTES: Final[tuple[Pair, ...]] = (
    ("de sel", "of salt"),
    ("de sucre", "of sugar"),
    ("de soude", "of caustic soda"),
    ("de glucose", "of glucose"),
    ("d'engrais", "of fertiliser"),
)


@generates("physics-chemistry.concentration", "2nde")
def find_concentration(draw: Draw) -> Item:
    """Ask for a concentration, then one from mL or a mass, then a dilution."""
    if draw.difficulty == 2:
        return draw.one_of((_find_concentration_from_millilitres, _find_mass_to_dissolve))(draw)
    if draw.difficulty == 3:
        return draw.one_of((_dilute, _find_volume_to_take))(draw)
    solute = draw.one_of(SOLUTES)
    concentration, volume = draw.between(3, 20), draw.between(2, 5)
    mass = concentration * volume
    return draw.exercise("find_concentration", solute=solute, mass=mass, volume=volume).choice(
        concentration,
        (mass * volume, "multiplied"),
        (round_quotient(volume, mass), "upside-down"),
        (mass - volume, "subtracted"),
        unit="g/L",
    )


def _find_concentration_from_millilitres(draw: Draw) -> Item:
    solute, small = draw.one_of(SOLUTES), draw.one_of((200, 250, 400, 500))
    volume = Decimal(small) / 1000
    mass = draw.between(3, 25)
    return draw.exercise(
        "find_concentration_from_millilitres", solute=solute, mass=mass, small=small, volume=volume
    ).open(
        mass / volume,
        (Fraction(mass, small), "unit-not-converted"),
        (mass * volume, "multiplied"),
        (Fraction(small, mass), "upside-down"),
        unit="g/L",
    )


def _find_mass_to_dissolve(draw: Draw) -> Item:
    solute, small = draw.one_of(SOLUTES), draw.one_of((200, 250, 400, 500))
    volume, concentration = Decimal(small) / 1000, 2 * draw.between(2, 9)
    return draw.exercise(
        "find_mass_to_dissolve",
        solute=solute,
        concentration=concentration,
        small=small,
        volume=volume,
    ).open(
        concentration * volume,
        (concentration * small, "unit-not-converted"),
        (concentration / volume, "divided"),
        (concentration, "mass-for-a-whole-litre"),
        unit="g",
    )


def _dilute(draw: Draw) -> Item:
    factor, final = draw.one_of((2, 4, 5, 10)), draw.one_of((100, 200, 500))
    weak = draw.between(2, 12)
    strong, taken = factor * weak, final // factor
    mass = Decimal(strong * taken) / 1000
    return draw.exercise("dilute", taken=taken, strong=strong, final=final, factor=factor).choice(
        weak,
        (strong, "dilution-ignored"),
        (strong * factor, "dilution-upside-down"),
        (mass if mass != weak else None, "mass-taken-for-the-concentration"),
        unit="g/L",
    )


def _find_volume_to_take(draw: Draw) -> Item:
    factor, final = draw.one_of((4, 5, 10, 20)), draw.one_of((200, 500, 1000))
    weak = draw.between(2, 12)
    return draw.exercise(
        "find_volume_to_take", weak=weak, strong=factor * weak, final=final, factor=factor
    ).open(
        final // factor,
        (final - final // factor, "water-taken-for-the-solution"),
        (final * factor, "dilution-upside-down"),
        (factor, "factor-taken-for-the-volume"),
        unit="mL",
    )


# Amount of substance ------------------------------------------------------------------------------

MASSES: Final = {"H": 1, "C": 12, "N": 14, "O": 16, "Na": 23, "Al": 27, "S": 32, "Ca": 40, "Fe": 56}
"""Molar masses of atoms in g/mol, as school rounds them."""
SUBSTANCES: Final[tuple[tuple[Pair, str], ...]] = (
    (("d'eau", "of water"), "H2O"),
    (("de dioxyde de carbone", "of carbon dioxide"), "CO2"),
    (("d'ammoniac", "of ammonia"), "NH3"),
    (("de méthane", "of methane"), "CH4"),
    (("de glucose", "of glucose"), "C6H12O6"),
    (("d'éthanol", "of ethanol"), "C2H6O"),
    (("de calcaire", "of limestone"), "CaCO3"),
    (("de propane", "of propane"), "C3H8"),
    (("de butane", "of butane"), "C4H10"),
    (("d'acide sulfurique", "of sulphuric acid"), "H2SO4"),
    (("de dioxyde de soufre", "of sulphur dioxide"), "SO2"),
    (("d'alumine", "of alumina"), "Al2O3"),
    (("de rouille", "of rust"), "Fe2O3"),
)


@generates("physics-chemistry.mole", "2nde")
def find_amount(draw: Draw) -> Item:
    """Ask for a whole number of moles, then an amount or a mass with decimals, then one for which
    the molar mass is to be found."""
    name, formula = draw.one_of(SUBSTANCES)
    atoms = count_atoms(formula)
    molar = sum(MASSES[element] * count for element, count in atoms.items())
    if draw.difficulty == 1:
        return _find_whole_amount(draw, name, formula, molar)
    amount = Decimal(draw.one_of((2, 4, 5, 15, 20, 25, 30, 50, 150, 250))) / 100
    mass = amount * molar
    if draw.difficulty == 2:
        ask = draw.one_of((_find_mass_of_amount, _find_amount_of_mass))
        return ask(draw, name, formula, molar, amount)
    listed = ", ".join(f"{element} = {MASSES[element]}" for element in atoms)
    terms = (
        str(MASSES[element]) if count == 1 else f"{count} \\times {MASSES[element]}"
        for element, count in atoms.items()
    )
    exercise = draw.exercise(
        "find_amount_by_atoms",
        name=name,
        formula=formula,
        listed=listed,
        summed=" + ".join(terms),
        molar=molar,
        mass=mass,
    )
    bare = sum(MASSES[element] for element in atoms)
    return exercise.open(
        amount,
        (Fraction(mass) / bare, "atoms-counted-once"),
        (molar / Fraction(mass), "upside-down"),
        (mass * molar, "multiplied"),
        (molar, "molar-mass-taken-for-the-amount"),
        unit="mol",
    )


def _find_whole_amount(draw: Draw, name: Pair, formula: str, molar: int) -> Item:
    amount = draw.between(2, 9)
    mass = amount * molar
    return draw.exercise(
        "find_amount_of_mass", name=name, formula=formula, molar=molar, mass=mass
    ).choice(
        amount,
        (mass * molar, "multiplied"),
        (round_quotient(molar, mass), "upside-down"),
        (mass - molar, "subtracted"),
        unit="mol",
    )


def _find_amount_of_mass(draw: Draw, name: Pair, formula: str, molar: int, amount: Decimal) -> Item:
    mass = amount * molar
    return draw.exercise(
        "find_amount_of_mass", name=name, formula=formula, molar=molar, mass=mass
    ).open(
        amount,
        (molar / Fraction(mass), "upside-down"),
        (mass * molar, "multiplied"),
        unit="mol",
    )


def _find_mass_of_amount(draw: Draw, name: Pair, formula: str, molar: int, amount: Decimal) -> Item:
    return draw.exercise(
        "find_mass_of_amount", name=name, formula=formula, molar=molar, amount=amount
    ).open(
        amount * molar,
        (molar / Fraction(amount), "divided"),
        (molar, "mass-of-one-mole"),
        (amount + molar, "added"),
        unit="g",
    )
