"""Check what a text says of elements: molar masses, and the protons and electrons of an atom.

Atomic masses are those of school books, which round the standard atomic weights of the IUPAC
(https://iupac.qmul.ac.uk/AtWt/).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.formulas.line_text import FROM_SUBSCRIPTS
from bot.maths.chemistry.chemical_formulas import FORMULA, count_atoms, write_chemically
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.number_words import fold, words_to_number
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import THEN

_TABLE: Final = """
H 1 1 hydrogene hydrogen; He 2 4 helium; Li 3 7 lithium; Be 4 9 beryllium; B 5 10.8 bore boron
C 6 12 carbone carbon; N 7 14 azote nitrogen; O 8 16 oxygene oxygen; F 9 19 fluor fluorine
Ne 10 20 neon; Na 11 23 sodium; Mg 12 24.3 magnesium; Al 13 27 aluminium aluminum
Si 14 28 silicium silicon; P 15 31 phosphore phosphorus; S 16 32 soufre sulfur sulphur
Cl 17 35.5 chlore chlorine; Ar 18 40 argon; K 19 39 potassium; Ca 20 40 calcium; Ti 22 48 titane
Cr 24 52 chrome chromium; Mn 25 55 manganese; Fe 26 56 fer iron; Co 27 59 cobalt; Ni 28 58.7 nickel
Cu 29 63.5 cuivre copper; Zn 30 65.4 zinc; Br 35 80 brome bromine; Ag 47 108 argent silver
Sn 50 118.7 etain tin; I 53 127 iode iodine; Ba 56 137 baryum barium; Au 79 197 or gold
Hg 80 200.6 mercure mercury; Pb 82 207 plomb lead
"""
_ROWS: Final = [row.split() for row in _TABLE.replace("\n", ";").split(";") if row.strip()]
_MASSES: Final = {symbol: float(mass) for symbol, _, mass, *_ in _ROWS}
_NUMBERS: Final = {name: int(count) for _, count, _, *names in _ROWS for name in names}
_FORMULAS: Final = {
    "eau": "H2O", "water": "H2O", "dioxyde de carbone": "CO2", "carbon dioxide": "CO2",
    "methane": "CH4", "dioxygene": "O2", "oxygen gas": "O2", "diazote": "N2", "dihydrogene": "H2",
    "ammoniac": "NH3", "ammonia": "NH3", "chlorure de sodium": "NaCl", "sodium chloride": "NaCl",
    "glucose": "C6H12O6", "ethanol": "C2H6O",
    **{name: symbol for symbol, _, _, *names in _ROWS for name in names},
}  # fmt: skip
"""What has a molar mass, by its name."""
_GASES: Final = frozenset((
    "hydrogene", "hydrogen", "oxygene", "oxygen", "azote", "nitrogen", "chlore", "chlorine",
))  # fmt: skip
"""Names that may mean the atom or the molecule."""
_CLOSE: Final = 0.01
"""The part by which a molar mass may be off, as atomic masses are rounded."""
_MAY_CLAIM: Final = re.compile(r"g(?:/| ?[·.] ?)mol|proton|atomi(?:que|c)|Z ?=", re.IGNORECASE)

_VALUE: Final = r"(?P<value>\d+(?:[.,]\d+)?) ?g ?(?:/ ?mol|[·. ]? ?mol(?:⁻¹|\^-1|-1))"
_MASS: Final = re.compile(
    rf"\bM ?\( ?(?P<formula>{FORMULA}) ?\) ?[=≈:] ?(?:[^=≈\n;]{{1,60}}[=≈] ?){{0,3}}{_VALUE}"
)
_MASS_IN_WORDS: Final = re.compile(
    r"(?:masse molaire|molar mass)(?: (?:moleculaire|atomique))? (?:de |du |d'|of )"
    r"(?:la |le |l'|the )?"
    r"(?P<name>[a-z][a-z ]{1,30}?)?(?: ?\(?(?P<formula>[A-Z][A-Za-z0-9()]{0,15}?)\)?)?,?"
    rf"(?: (?:{THEN}|est|vaut|is|de|egale|a|environ))* ?[=≈:]? ?{_VALUE}"
)
_HAS_MASS: Final = re.compile(
    r"(?:(?:^|\b(?:[Ll]'|[Ll]e |[Ll]a |[Tt]he )|[.:;,] ?)(?P<name>[a-z][a-z ]{1,30}?) )?"
    r"(?:\(?\b(?P<formula>[A-Z][A-Za-z0-9()]{0,15}?)\)? )?"
    r"(?:a|has|possede)(?: bien| donc)? (?:pour |une |a )?(?:masse molaire|molar mass)"
    rf"(?: (?:moleculaire|de|of|environ|about|M))*[ :=≈]* ?{_VALUE}"
)
_ATOM: Final = re.compile(
    r"\b(?:l'atome|atomes?|atom|atoms) (?:de |d'|du |of )(?P<name>[a-z]{2,12})(?: \([^()]*\))?,?"
    r" (?:a|possede|contient|compte|comporte|has|contains|est forme de|est constitue de)"
    rf"(?: {THEN})* (?P<rest>[^.;\n]*)"
)
_PARTICLES: Final = re.compile(
    r"\b(?P<count>\d{1,3}|[a-z]+) (?P<kind>protons?|electrons?)\b"
    r"(?! (?:de valence|de plus|de moins|sur|dans|en |externes?|periph|libres?|celibat|on |in"
    r" |more|[klm]\b))"
)
_NUMBERED: Final = re.compile(
    r"\bnumero atomique (?:de |du |d')(?:la |le |l')?(?P<name>[a-z]{2,12})(?: \([^()]*\))?"
    rf"(?: (?:{THEN}|est|vaut|is|de))* ?(?:z )?[=:]? ?(?P<count>\d{{1,3}})\b(?![.,]\d)"
    r"|\b(?:l'|le |du |of |de |d')(?P<other>[a-z]{2,12}) \(z ?= ?(?P<z>\d{1,3})\)"
)
_WORD: Final = re.compile(r"[^\W\d]+")
_SYMBOLS: Final = re.compile(r"(?:[A-Z][a-z]?)+")
_OTHER_ATOM: Final = re.compile(r"\b(?:ions?|isotopes?|perd\w*|gagn\w*|capt\w*|loses?|gains?)\b")
_SOME: Final = re.compile(r"\b(?:partag|commun|liaison|couche|ced|donn|transf|shar|shell|bond)")
"""Words of some of an atom's electrons."""


def read_element_claims(answered: Sequence[Sentence]) -> Iterator[Statement]:
    """Yield the checks of what an answer says of elements."""
    for sentence in answered:
        source = write_chemically(sentence.quote())
        if sentence.is_disowned or not _MAY_CLAIM.search(source):
            continue
        for found in _MASS.finditer(source):
            yield from _check_mass(found[0], found["formula"], found["value"])
        words = _fold_words(source)
        for found in (*_MASS_IN_WORDS.finditer(words), *_HAS_MASS.finditer(words)):
            name = (found["name"] or "").strip()
            formula = found["formula"] or ("" if name in _GASES else _FORMULAS.get(name, ""))
            yield from _check_mass(found[0], formula, found["value"])
        text = fold(source).replace("’", "'")
        if not _OTHER_ATOM.search(text):
            yield from _check_atoms(text)


def _fold_words(text: str) -> str:
    """Return a text with its words, but for formulas, in small letters without accents, and with
    plain digits."""
    plain = text.replace("’", "'").translate(FROM_SUBSCRIPTS)
    return _WORD.sub(
        lambda found: found[0] if _SYMBOLS.fullmatch(found[0]) else fold(found[0]), plain
    )


def find_molar_mass(formula: str) -> Fraction | None:
    """Return the molar mass of a substance in grams a mole; None: an element is not known."""
    atoms = count_atoms(formula)
    if not atoms or any(element not in _MASSES for element in atoms):
        return None
    return sum((Fraction(str(_MASSES[each])) * count for each, count in atoms.items()), Fraction(0))


def _check_mass(text: str, formula: str, value: str) -> Iterator[Statement]:
    mass = find_molar_mass(formula)
    if mass is None:
        return
    expected = float(mass)
    is_right = abs(float(value.replace(",", ".")) - expected) <= max(_CLOSE * expected, 0.1)
    yield decide(text, "" if is_right else f"the molar mass of {formula} is {expected:g} g/mol")


def _check_atoms(text: str) -> Iterator[Statement]:
    for found in _ATOM.finditer(text):
        expected = None if _SOME.search(found["rest"]) else _NUMBERS.get(found["name"])
        for each in _PARTICLES.finditer(found["rest"]) if expected else ():
            count = _read_count(each["count"])
            if count is not None:
                why = "" if count == expected else f"an atom of {found['name']} has {expected}"
                yield decide(each[0], why)
    for found in _NUMBERED.finditer(text):
        name, count = found["name"] or found["other"], int(found["count"] or found["z"])
        if expected := _NUMBERS.get(name):
            yield decide(found[0], "" if count == expected else f"Z of {name} is {expected}")


def _read_count(word: str) -> int | None:
    if word.isdigit():
        return int(word)
    number = words_to_number(word)
    return None if number is None else int(number)
