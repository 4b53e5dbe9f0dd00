"""Read chemical formulas and equations of reactions in plain text, HTML or LaTeX.

Digits after an element count atoms; a raised number and sign is a charge. In `SO42-` the charge is
not set apart, so that such a formula has several readings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from bot.formulas.line_text import FROM_SUBSCRIPTS, FROM_SUPERSCRIPTS

ELEMENT: Final = (
    "(?:A[cglrstu]|B[aeir]?|C[adelorsu]?|F[er]?|G[ae]|H[efg]?|I[nr]?|Kr?|L[ai]|M[gno]|"
    "N[abdei]?|Os?|P[abdotu]?|R[abehnu]|S[bceinr]?|T[acehil]|Xe|Z[nr]|[UVWY])(?![a-z])"
)
"""A pattern for the symbol of an element."""
_COUNT: Final = r"(?:[₀-₉]+|\d{1,2})?"
_ATOM: Final = ELEMENT + _COUNT
_GROUP: Final = rf"\((?:{_ATOM})+\){_COUNT}"
_NESTED: Final = rf"[\[(](?:{_ATOM}|{_GROUP})+[\])]{_COUNT}"
"""A pattern for a group, which may hold groups."""
_PART: Final = rf"(?:{_ATOM}|{_NESTED})"
_BOND: Final = r"(?:[-–=≡](?=[A-Z(]))?"
_WATER: Final = r"(?:\s?[·⋅•]\s?+(?:\d{1,2}\s?|\s)?H[₂2]O)?"
_CHARGE: Final = r"(?:[¹²³⁴-⁹]?[⁺⁻]|[⁺⁻][²³⁴]|[+-](?=[\s)\],;.:(]|$))?"
FORMULA: Final = rf"{_PART}(?:{_BOND}{_PART})*{_WATER}"
"""A pattern for a formula without a charge."""
SPECIES: Final = rf"{FORMULA}{_CHARGE}"
_ELECTRON: Final = r"e(?:⁻|-(?!\w))"
_STATE: Final = r"(?:\s?\((?:s|l|g|aq|sol|cr|solide|liquide|gaz|dil|conc)\)|\s?[↑↓])*"
_COEFFICIENT: Final = r"(?:\(\d{1,2}/\d{1,2}\)|\d{1,2}/\d{1,2}|\d{1,2}[.,]5|\d{1,3}|½)"
_TERM: Final = rf"(?:{_COEFFICIENT}\s?)?(?:{SPECIES}|{_ELECTRON}){_STATE}"
_WEIGHTLESS: Final = (
    r"(?:\d[\d\s.,]*kJ|(?:énergie|lumière|chaleur|électricité|energy|light|heat|Energie|Énergie)"
    r"(?: (?:solaire|lumineuse|thermique|électrique))?)"
)
"""A pattern for what is written like a product but has no atoms."""
_SIDE: Final = rf"{_TERM}(?:\s*\+\s*(?:{_TERM}|{_WEIGHTLESS}))*"
_ARROW: Final = r"(?:→|⟶|⟹|⇌|⇄|⇋|↔|<?[-–—=]{1,2}>)(?:\[[^\]]{0,20}\])?"
_REACTION: Final = re.compile(rf"(?<!\w)(?P<left>{_SIDE})\s*{_ARROW}\s*(?P<right>{_SIDE})")
_EQUATED: Final = re.compile(rf"(?<!\w)(?P<left>{_SIDE})\s*=\s*(?P<right>{_SIDE})")
_COMMON: Final = re.compile(
    r"(?<!\w)\d{0,2}\s?(?:[HO][₂2](?:O)?|CO[₂2]|Cl[₂2]|N[₂2]|HCl|Na(?:OH|Cl)|NH[₃3]|H[₃3]O⁺"
    r"|H[⁺+]|HO[⁻-]|OH[⁻-]|e⁻)(?!\w)"
)
"""Formulas without which an equality of letters is no reaction."""
_MAY_REACT: Final = re.compile("[→⟶⟹⇌⇄⇋↔]|->|=>|->|–>|arrow|harpoons|\\\\to\\b|[₂₃₄2]O? ?= ?")
_GOES_ON_BEFORE: Final = re.compile(
    r"(?:[+·×*/=→⟶⇌⇄↔<>^_₀-ₙ⁰-⁹⁺⁻…?\]-]|\d|(?<![^\W\d])[^\W\d]|[A-Z]{2,}|(?<!\(\w)(?<!^\w)\))\s*$"
)
"""What stands before a part of a longer sum, and before names that are no formulas."""
_GOES_ON_AFTER: Final = re.compile(r"\s*(?:[+·×*/=→⟶⇌⇄↔<>^_…?]|-+>|\.\.)|[\w(\[-]|[₀-ₜ⁰-⁹⁺⁻]")
_TERMS: Final = re.compile(
    rf"(?P<times>{_COEFFICIENT})?\s?(?:(?P<electron>{_ELECTRON})|(?P<species>{SPECIES})){_STATE}"
    rf"(?:\s*\+\s*|$)|{_WEIGHTLESS}(?:\s*\+\s*|$)"
)
_PIECE: Final = re.compile(rf"({ELEMENT})(\d*)|([(\[])|([)\]])(\d*)|([-–=≡])|[·⋅•](\d*)")
_MOST_READINGS: Final = 256

Atoms: TypeAlias = Mapping[str, int]
"""How many atoms of each element; the charge has the key `+`."""

# Text ---------------------------------------------------------------------------------------------

_LOWERED: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_RAISED: Final = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_SPACED: Final = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "−": "-", "\n": " "})
_NOTATION: Final = (
    (re.compile(r"\\(?:d|t)?frac\s*\{(\d+)\}\s*\{(\d+)\}"), r"\1/\2"),
    (re.compile(r"\\x?(?:long)?(?:right|leftright)(?:left)?(?:arrow|harpoons)s?(?:\{[^{}]*\})*"
                r"|\\xrightleftharpoons(?:\{[^{}]*\})*|\\to\b|\\ce\{\s*->"), "→"),
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|ce|mathsf|rm)\s*\{"), "{"),
    (re.compile(r"[_^]\{?\s*\(?\\?\s*(aq|s|l|g)\s*\)?\s*\}?(?![a-z])"), r"(\1)"),
    (re.compile(r"\\cdot\b"), "·"),
    (re.compile(r"\\(?:[,;:! ]|q?quad\b)|~"), " "),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\$+|\\[()\[\]]"), " "),
)  # fmt: skip
_BELOW: Final = re.compile(r"_\{\s*(\d+)\s*\}|_(\d+)|<sub>\s*(\d+)\s*</sub>")
_ABOVE: Final = re.compile(
    r"\^\{\s*(\d?\s*[+−–-]|[+−–-]\s*\d)\s*\}|\^(\d?[+−–-])|<sup>\s*(\d?\s*[+−–-])\s*</sup>"
)
_BRACES: Final = re.compile(r"[{}]")


def write_chemically(text: str) -> str:
    """Return a text with lowered and raised digits for the notations of LaTeX and HTML."""
    text = text.translate(_SPACED)
    if not any(mark in text for mark in "\\$_^<{"):
        return text
    for pattern, replacement in _NOTATION:
        text = pattern.sub(replacement, text)
    text = re.sub(r"\{([A-Za-z]+)\}", r"\1", text)
    text = _BELOW.sub(lambda found: _join(found).translate(_LOWERED), text)
    text = _ABOVE.sub(lambda found: _join(found).translate(_RAISED), text)
    return re.sub(r"  +", " ", _BRACES.sub("", text))


def _join(found: re.Match[str]) -> str:
    return "".join(each for each in found.groups() if each).replace(" ", "")


# Formulas -----------------------------------------------------------------------------------------


def count_atoms(formula: str) -> Counter[str]:
    """Return the atoms of a formula without a charge; hydrates with their water."""
    plain = formula.translate(FROM_SUBSCRIPTS).replace(" ", "")
    dry, *waters = re.split("[·⋅•]", plain)
    total = _count_plain(dry)
    for water in waters:
        times = re.match(r"\d*", water)
        digits = times[0] if times else ""
        for element, count in _count_plain(water[len(digits) :]).items():
            total[element] += count * int(digits or 1)
    return total


def _count_plain(formula: str) -> Counter[str]:
    opened: list[Counter[str]] = [Counter()]
    for element, count, opens, closes, times, *_ in _PIECE.findall(formula):
        if element:
            opened[-1][element] += int(count or 1)
        elif opens:
            opened.append(Counter())
        elif closes and len(opened) > 1:
            inner = opened.pop()
            for each, number in inner.items():
                opened[-1][each] += number * int(times or 1)
    return opened[0]


_CHARGED: Final = re.compile(r"(?P<body>.*?)(?P<sign>[¹²³⁴-⁹]?[⁺⁻]|[⁺⁻][²³⁴])")
_PLAIN_CHARGE: Final = re.compile(r"(?P<body>.*?[^\d])(?P<digits>\d*)(?P<sign>[+-])")


def read_species(text: str) -> list[Counter[str]]:
    """Return the atoms and the charge of a formula in each of its readings."""
    if found := _CHARGED.fullmatch(text):
        sign = found["sign"].translate(FROM_SUPERSCRIPTS)
        size = int(sign.strip("+-") or 1)
        return [_charge(found["body"], size if "+" in sign else -size)]
    found = _PLAIN_CHARGE.fullmatch(text)
    if not found:
        return [count_atoms(text)]
    sign, digits = (1 if found["sign"] == "+" else -1), found["digits"]
    readings = [_charge(found["body"] + digits, sign)]
    if digits and digits[-1] in "1234":
        readings.append(_charge(found["body"] + digits[:-1], sign * int(digits[-1])))
    return readings


def _charge(body: str, charge: int) -> Counter[str]:
    atoms = count_atoms(body)
    atoms["+"] = charge
    return atoms


# Reactions ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Term:
    """A species with its coefficient; `readings` are its atoms and charge."""

    times: Fraction
    name: str
    readings: tuple[Mapping[str, int], ...]


@dataclass(frozen=True, slots=True)
class Reaction:
    """An equation of a reaction."""

    text: str
    left: tuple[Term, ...]
    right: tuple[Term, ...]

    @property
    def is_bare(self) -> bool:
        """Whether no coefficient is written, so that it may only name the species."""
        return all(term.times == 1 for term in (*self.left, *self.right))

    @property
    def has_electrons(self) -> bool:
        return any(term.name == "e" for term in (*self.left, *self.right))

    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the species of each side."""
        one, other = (frozenset(term.name for term in side) for side in (self.left, self.right))
        return one, other

    def find_fault(self) -> str:
        """Return what is not conserved; empty: it is balanced in one of its readings."""
        terms = (*self.left, *self.right)
        signs = [*[1] * len(self.left), *[-1] * len(self.right)]
        fault = ""
        for count, chosen in enumerate(product(*(term.readings for term in terms))):
            total: dict[str, Fraction] = {}
            for term, sign, atoms in zip(terms, signs, chosen, strict=True):
                for element, number in atoms.items():
                    total[element] = total.get(element, Fraction(0)) + sign * number * term.times
            if not any(total.values()):
                return ""
            fault = fault or self._explain(total, chosen)
            if count > _MOST_READINGS:
                return ""
        return fault

    def _explain(self, total: Mapping[str, Fraction], chosen: Sequence[Atoms]) -> str:
        element = next(each for each, number in total.items() if number)
        left = _count_side(self.left, chosen[: len(self.left)], element)
        name = "the charge is" if element == "+" else f"{element}:"
        return f"{name} {left} on the left, {left - total[element]} on the right"

    def count(self, element: str, *, on_left: bool) -> set[Fraction]:
        """Return how many atoms of an element a side may have."""
        side = self.left if on_left else self.right
        readings = product(*(term.readings for term in side))
        return {_count_side(side, chosen, element) for chosen in readings}


def _count_side(side: Sequence[Term], chosen: Sequence[Atoms], element: str) -> Fraction:
    counts = (term.times * atoms.get(element, 0) for term, atoms in zip(side, chosen, strict=True))
    return sum(counts, Fraction(0))


def find_reactions(text: str) -> Iterator[Reaction]:
    """Yield the equations of reactions in a text."""
    if not _MAY_REACT.search(text):
        return
    text = write_chemically(text)
    for pattern in (_REACTION, _EQUATED):
        for found in pattern.finditer(text):
            is_part = _GOES_ON_BEFORE.search(text[: found.start()])
            if is_part or _GOES_ON_AFTER.match(text, found.end()):
                continue
            if pattern is _EQUATED and not _is_reaction(found):
                continue
            left, right = (tuple(_read_side(found[side])) for side in ("left", "right"))
            if left and right and any(_is_molecule(term) for term in (*left, *right)):
                yield Reaction(found[0], left, right)


def _is_reaction(found: re.Match[str]) -> bool:
    return "+" in found[0] and bool(_COMMON.search(found["left"]) or _COMMON.search(found["right"]))


def _is_molecule(term: Term) -> bool:
    atoms = term.readings[0]
    return term.name == "e" or len(atoms) > 1 or any(number > 1 for number in atoms.values())


def _read_side(side: str) -> Iterator[Term]:
    for found in _TERMS.finditer(side.strip()):
        times = _read_coefficient(found["times"] or "1")
        if found["electron"]:
            yield Term(times, "e", ({"+": -1},))
        elif found["species"]:
            readings = tuple(read_species(found["species"]))
            name = " ".join(f"{each}{count}" for each, count in sorted(readings[0].items()))
            yield Term(times, name, readings)


def _read_coefficient(text: str) -> Fraction:
    if text == "½":
        return Fraction(1, 2)
    return Fraction(text.strip("()").replace(",", "."))
