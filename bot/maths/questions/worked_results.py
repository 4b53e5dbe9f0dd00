"""Work out what a standard question asks, and state that the answer equals it: figures, motions and
purchases (`word_problems.py`), and laws of physics and chemistry with two sizes. Pure.

A question is only worked out if each of its numbers has a part in the result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from bot.maths.chemistry.chemical_formulas import FORMULA
from bot.maths.chemistry.elements import find_molar_mass
from bot.maths.exact.units import NONE, Unit, find_unit
from bot.maths.questions.equal_options import write_comparable
from bot.maths.questions.question_measures import Sought, read_measured_question
from bot.maths.questions.question_sentences import Asked, add_unit, split_target
from bot.maths.questions.word_problems import list_results
from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import read_value, write_plainly
from bot.maths.reading.vocabulary import DIGITS, MONEY, WORDS

_LONGEST: Final = 600
"""Most characters of a question that is worked out."""


def state_result(asked: Asked, answer: str) -> str:
    """Return that the answer equals what is worked out; empty: the question is of no known kind."""
    whole = asked.whole
    if len(whole) > _LONGEST or not any(map(str.isdigit, whole)) or "=" in answer:
        return ""
    return (
        _state_moles(whole, asked.sentence, answer)
        or _state_law(whole, asked.sentence, answer)
        or _state_sought(whole, asked, answer)
    )


def write_equality(value: Fraction, unit: str, answer: str) -> str:
    """Return that a value equals an answer, or is about it if it has no finite decimals."""
    bottom = value.denominator
    for prime in (2, 5):
        while bottom % prime == 0:
            bottom //= prime
    sign = "=" if bottom == 1 or "/" in answer or "frac" in answer else "≈"
    return f"{value} {unit}".strip() + f" {sign} {answer}"


# Figures and word problems ------------------------------------------------------------------------

LENGTH_UNITS: Final = {
    Fraction(1000): "km", Fraction(1): "m", Fraction(1, 10): "dm", Fraction(1, 100): "cm",
    Fraction(1, 1000): "mm",
}  # fmt: skip
_HOUR: Final = 3600
_POWERS: Final = {"length": 1, "area": 2, "volume": 3}
POWER_MARKS: Final = {1: "", 2: "²", 3: "³"}
_ROUNDED: Final = re.compile(
    r"\b(?:environ|about|arrondi\w*|round\w*|approx\w*|pr[èe]s|nearest)\b|≈", re.I
)

_IN_FRANCS: Final = re.compile(rf"\d ?{MONEY}\b")
_SORTED: Final = re.compile(r"\brange(?! of)|\brang(?:er|ez)\b|\bordre\b|\border\b")
_SIZE: Final = re.compile(
    r"\b(?:aire|area|surface|superficie|perimetre|perimeter|circonference|circumference|volume"
    r"|capacite"
    r"|capacity|contenance|largeur|width|longueur|length|hauteur|height|cote|side|rayon|radius"
    r"|diametre"
    r"|diameter|diagonale?|base|arete|edge|hypotenuse)\b"
)


def is_first_size(label: str, sentence: str) -> bool:
    """Return whether the first size that a sentence names is one with this name; a sentence that
    names none asks for what its story is about.

    Args:
        sentence: in small letters without accents.
    """
    first = _SIZE.search(sentence)
    return first is None or bool(re.compile(label).match(sentence, first.start()))


def _state_sought(whole: str, asked: Asked, answer: str) -> str:
    plain = write_plainly(fold(whole))
    question, sentence = read_measured_question(plain), write_plainly(fold(asked.sentence))
    found = [each for each in list_results(question) if each.low == each.high]
    found = [each for each in found if not (each.noun and each.others)]  # `8 or 9 boxes`
    named = [each for each in found if is_first_size(each.label, sentence)]
    if len(named) != 1 or _ROUNDED.search(whole) or _SORTED.search(sentence):
        return ""
    scales = [
        each.value / each.shown
        for each in question.measures
        if each.shown and each.dimension in _POWERS
    ]
    value, unit = _write_measure(named[0], scales, plain)
    target = split_target(asked.sentence)[1]
    return write_equality(value, unit, add_unit(answer, target or unit))


def _write_measure(sought: Sought, scales: Sequence[Fraction], text: str) -> tuple[Fraction, str]:
    """Return a value in the unit of the question's lengths, hours or kilometres per hour."""
    if power := _POWERS.get(sought.dimension):
        roots = [each for each in scales if each in LENGTH_UNITS]
        scale = roots[0] if roots else Fraction(1)
        return sought.low / scale**power, LENGTH_UNITS[scale] + POWER_MARKS[power]
    if sought.dimension == "speed":
        is_hourly = bool(re.search(r"\bkm\b|kilom", text))
        return (sought.low * _HOUR / 1000, "km/h") if is_hourly else (sought.low, "m/s")
    if sought.dimension == "time":
        return sought.low / _HOUR, "h"
    if sought.dimension == "percent":
        return sought.low * 100, "%"
    if sought.dimension == "money" and _IN_FRANCS.search(text):
        return sought.low, "F"
    return sought.low, "°" if sought.dimension == "angle" else ""


# Laws of physics and chemistry --------------------------------------------------------------------

_NAMES: Final = {
    "ohm": "Ω", "ohms": "Ω", "volt": "V", "volts": "V", "ampère": "A", "ampères": "A",
    "ampere": "A", "amperes": "A", "amps": "A", "watt": "W", "watts": "W",
    "newton": "N", "newtons": "N", "joule": "J", "joules": "J", "mole": "mol", "moles": "mol",
}  # fmt: skip
_UNIT: Final = (
    r"[kMm]?Wh|[kM]?J|[kMm]?W|[km]?V|[mµ]?A|[kM]?Ω|ohms?|volts?|amp[èe]res?|amps|watts?|newtons?"
    r"|joules?|k?N|m?mol|moles?|Pa|k?Hz|[kmc]?g|kilogram(?:me)?s?|gram(?:me)?s?|t|[cmd]?L|litres?"
    r"|liters?|[kcmd]?m[²³]?|km"
    r"|heures?|hours?|h|minutes?|min|secondes?|seconds?|s"
)
_DATUM: Final = re.compile(
    rf"(?<![\w,.])(?P<n>{DIGITS})(?: ?(?P<u>(?:{_UNIT})(?:/(?:{_UNIT})²?)?)(?![\w²³°/])|(?P<none>))"
)
_SPECIAL: Final = re.compile(
    r"\b(?:s[ée]ries?|d[ée]rivation|parall[eè]l\w*|in series|rendement|efficiency|chacune?|chaque"
    r"|each"
    r"|par jour|per day|every|jours|days|fois|times|double|triple|moiti[ée]|half|demie?|deux|trois"
    r"|two"
    r"|three|plus|more|puis|then|%|dilu\w*|ajout\w*|add\w*|angle|pente|slope|prix|cost|co[ûu]t\w*"
    r"|tarif)\b",
    re.I,
)
"""Words of questions with another step than the law."""
Law: TypeAlias = Callable[[Fraction, Fraction], Fraction]


@dataclass(frozen=True, slots=True)
class _Law:
    asks: str
    """A pattern of the name of what is asked."""
    first: str
    second: str
    """Units of the two sizes that are given."""
    result: str
    work_out: Law


def _times(one: Fraction, other: Fraction) -> Fraction:
    return one * other


def _over(one: Fraction, other: Fraction) -> Fraction:
    return one / other


_POWER: Final = r"\bpuissances?\b|\bpower\b"
_VOLTAGE: Final = r"\btension\b|\bvoltage\b|\bpotential difference\b"
_CURRENT: Final = r"\bintensit[ée]\b|\bcourant\b|\bcurrent\b"
_ENERGY: Final = r"\b[ée]nergie\b(?! cin[ée]tique)|(?<!kinetic )\benergy\b"
_MASS: Final = r"\bmasse\b(?! volumique| molaire)|\bmass\b(?! concentration| density| number)"
_VOLUME: Final = r"\bvolume\b"
_LAWS: Final = (
    _Law(_POWER, "V", "A", "W", _times), _Law(_POWER, "J", "s", "W", _over),
    _Law(_VOLTAGE, "Ω", "A", "V", _times), _Law(_VOLTAGE, "W", "A", "V", _over),
    _Law(_CURRENT, "V", "Ω", "A", _over), _Law(_CURRENT, "W", "V", "A", _over),
    _Law(r"\br[ée]sistance\b", "V", "A", "Ω", _over),
    _Law(_ENERGY, "W", "s", "Wh", _times),
    _Law(r"\bcin[ée]tique\b|\bkinetic energy\b", "kg", "m/s", "J", lambda m, v: m * v**2 / 2),
    _Law(r"\bpoids\b|\bweight\b", "kg", "N/kg", "N", _times),
    _Law(r"\bforce\b", "kg", "N/kg", "N", _times),
    _Law(_MASS, "N", "N/kg", "kg", _over),
    _Law(r"\bacc[ée]l[ée]ration\b", "N", "kg", "m/s²", _over),
    _Law(r"\bmasse volumique\b|\bdensity\b", "g", "m³", "g/cm³", _over),
    _Law(_MASS, "g/cm³", "m³", "g", _times), _Law(_VOLUME, "g", "g/cm³", "cm³", _over),
    _Law(r"\bconcentration\b", "g", "L", "g/L", _over),
    _Law(r"\bconcentration\b", "mol", "L", "mol/L", _over),
    _Law(_MASS, "g/L", "L", "g", _times),
    _Law(r"\bmoles?\b|\bquantit[ée] de mati[èe]re\b", "g", "g/mol", "mol", _over),
    _Law(r"\bmoles?\b|\bquantit[ée] de mati[èe]re\b", "mol/L", "L", "mol", _times),
    _Law(_MASS, "mol", "g/mol", "g", _times),
    _Law(r"\btravail\b|\bwork\b", "N", "m", "J", _times),
    _Law(r"\bpression\b|\bpressure\b", "N", "m²", "Pa", _over),
    _Law(r"\bvitesse\b|\bc[ée]l[ée]rit[ée]\b|\bspeed\b|\bvelocity\b", "Hz", "m", "m/s", _times),
    _Law(r"\blongueur d['’]onde\b|\bwavelength\b", "m/s", "Hz", "m", _over),
    _Law(r"\bfr[ée]quence\b|\bfrequency\b", "m/s", "m", "Hz", _over),
)  # fmt: skip


def _state_law(whole: str, sentence: str, answer: str) -> str:
    data = _read_data(whole)
    if _SPECIAL.search(whole) or not data or not all(each[0] for each in data):
        return ""
    if len(data) != 2:
        return ""
    for law in _LAWS:
        if not re.search(law.asks, sentence, re.I):
            continue
        for one, other in (data, data[::-1]):
            if _fits(one, law.first) and _fits(other, law.second):
                return _apply_law(law, one[0], other[0], sentence, answer)
    return ""


def _apply_law(law: _Law, one: Fraction, other: Fraction, sentence: str, answer: str) -> str:
    value = law.work_out(one, other) / _get_unit(law.result).size
    target = split_target(sentence)[1]
    return write_equality(value, law.result, add_unit(answer, target or law.result))


_MASSES: Final = re.compile(
    r"\([^()]*\b[A-Z][a-z]? ?= ?\d[^()]*\)|\b(?:on donne|given|masses? molaires?)\b.*", re.I
)
_OF_SUBSTANCE: Final = re.compile(
    rf"(?<![\w,.])(?P<n>\d{{1,9}}(?:[.,]\d{{1,9}})?) ?(?P<u>g|mol(?:es?)?) (?:de |d['’]"
    rf"|of )(?:[a-z']+ \(?)?"
    rf"(?P<formula>{FORMULA})(?![\w₀-₉])"
)
_ASKS_MOLES: Final = re.compile(r"\bmoles?\b|\bquantit[ée] de mati[èe]re\b", re.I)
_ASKS_MASS: Final = re.compile(r"\bmasse?\b(?! molaire)", re.I)


def _state_moles(whole: str, sentence: str, answer: str) -> str:
    """Return the moles in a mass of a substance, or the mass of moles of it."""
    plain = _MASSES.sub(" ", whole)
    found = list(_OF_SUBSTANCE.finditer(plain))
    if (
        len(found) != 1
        or "→" in whole
        or len(re.findall(r"(?<![A-Za-z])\d+(?:[.,]\d+)?", plain)) != 1
    ):
        return ""
    mass = find_molar_mass(found[0]["formula"])
    size = Fraction(found[0]["n"].replace(",", "."))
    if mass is None:
        return ""
    if found[0]["u"] == "g" and _ASKS_MOLES.search(sentence):
        return f"{_round(size / mass)} mol ≈ {add_unit(answer, 'mol')}"
    if found[0]["u"] != "g" and _ASKS_MASS.search(sentence):
        return f"{_round(size * mass)} g ≈ {add_unit(answer, 'g')}"
    return ""


def _round(value: Fraction) -> str:
    return f"{float(value):.4g}"


def _fits(datum: tuple[Fraction, str], unit: str) -> bool:
    """Return whether a datum has the dimensions of a unit."""
    return _get_unit(datum[1]).dimensions == _get_unit(unit).dimensions


def _read_data(text: str) -> list[tuple[Fraction, str]]:
    """Return the numbers of a question in base units, each with its unit; empty: one has no unit of
    a law, or is in words."""
    plain = write_comparable(re.sub("[\u00a0\u202f]", " ", text), text)
    if re.search(WORDS, re.sub(r"\b(?:une?|one)\b", " ", fold(plain))):
        return []
    found: list[tuple[Fraction, str]] = []
    for each in _DATUM.finditer(plain):
        name = _NAMES.get(each["u"] or "", each["u"] or "")
        unit, value = find_unit(name), read_value(each["n"])
        if unit is None or value is None:
            return []
        found.append((value * unit.size, name))
    return found


def _get_unit(name: str) -> Unit:
    return find_unit(name) or NONE


# Units of what is asked ---------------------------------------------------------------------------

_SIZES: Final = ("m", "m²", "m³")
_ELECTRIC: Final = ("V", "A", "Ω", "W")
_DIMENSIONS: Final = (
    (r"volume(?! horaire| sonore| courant)|capacit[ée]|capacity|contenance", "m³", _SIZES),
    (r"aire|superficie|surface|area", "m²", _SIZES),
    (r"p[ée]rim[èe]tre|perimeter|circonf[ée]rence|circumference|longueur|largeur|hauteur|rayon"
     r"|diam[èe]tre|distance|length|width|height|radius|diameter", "m", _SIZES),
    (r"vitesse(?! angulaire)(?: moyenne)?|(?:average )?speed", "m/s", ("m", "s", "s/m")),
    (r"masse(?! volumique| molaire| surfacique| lin[ée]ique)|mass", "kg", ("N", "m³")),
    (r"tension|voltage", "V", _ELECTRIC),
    (r"intensit[ée]", "A", _ELECTRIC),
    (r"r[ée]sistance", "Ω", _ELECTRIC),
)  # fmt: skip
"""Names of sizes, each with a unit of them, and units of others for which they are mistaken: the
intensity of a force is in newtons, the capacity of a battery in watt-hours."""
_ASKED_SIZE: Final = re.compile(
    r"^(?:.*, )?(?:quel(?:le)? est|quel(?:le)? [ée]tait|calcule[rz]?|donne[rz]?|trouve[rz]?"
    r"|d[ée]termine[rz]?"
    r"|what is|what's|find|calculate|work out) (?:(?:le|la|the|son|sa|its|her|his|total) |l')?(?:"
    + "|".join(rf"(?P<s{at}>{names})" for at, (names, _, _) in enumerate(_DIMENSIONS))
    + r")\b(?!['-])",
    re.I,
)
_MEASURED: Final = re.compile(r"[\dπ)] ?(?P<u>[^\W\d_][^\W\d_]*[²³]?(?:/[^\W\d_]+²?)?)$")


def has_wrong_unit(sentence: str, answer: str) -> bool:
    """Return whether an answer has the unit of another size than is asked: a volume `27 cm²`."""
    asked, measured = _ASKED_SIZE.match(sentence), _MEASURED.search(answer.strip(" .$"))
    unit = find_unit(measured["u"]) if measured else None
    if asked is None or unit is None or not asked.lastgroup:
        return False
    _, expected, mistaken = _DIMENSIONS[int(asked.lastgroup[1:])]
    if unit.dimensions == _get_unit(expected).dimensions:
        return False
    return any(unit.dimensions == _get_unit(each).dimensions for each in mistaken)
