"""Check what a text concludes of a substance.

It is acid or basic, floats or sinks, its atoms lack electrons, or it is one of a family such as
CₙH₂ₙ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.formulas.line_text import FROM_SUBSCRIPTS, FROM_SUPERSCRIPTS
from bot.maths.chemistry.chemical_formulas import write_chemically
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.number_words import words_to_number
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import NO_MORE_DIGITS

_NUMBER: Final = r"\d+(?:[.,]\d+)?"
_MAY_CLAIM: Final = re.compile(
    r"\bpH\b|\[H[₃3]|flott|coule|float|sink|électron|electron|[CH][ₙn]|_\{?n"
)
_CONDITION: Final = re.compile(
    r"\b(?:si|if|quand|when|lorsque|entre|between|échelle|scale|indicateur|vire|moins|less"
    r"|plus (?:acide|basique)|more|tend\w*|augment\w*|diminu\w*|varie|mélang\w*|ajout\w*|autres?"
    r"|other"
    r"|équivalence|demi)\b|[<>≤≥]",
    re.IGNORECASE,
)
"""Words with which a pH is no value of one solution, or is compared."""


def read_substance_claims(
    answered: Sequence[Sentence], asked: Sequence[Sentence] = ()
) -> Iterator[Statement]:
    """Yield the checks of what an answer concludes of substances."""
    texts = [write_chemically(sentence.quote()) for sentence in answered]
    if not any(map(_MAY_CLAIM.search, texts)):
        return
    stated = [
        "" if sentence.is_disowned else text for sentence, text in zip(answered, texts, strict=True)
    ]
    whole = "\n".join(stated)
    yield from _check_buoyancy(stated)
    yield from _check_electrons(whole)
    yield from _check_family(whole)
    before = " ".join(write_chemically(sentence.quote()) for sentence in asked)
    yield from _check_ions(f"{before}\n{whole}")
    before = ""
    for text in stated:
        yield from _check_acid(text)
        yield from _check_acidity(before, text)
        yield from _check_dilution(before, text)
        before = text


def _read(text: str) -> float:
    return float(text.replace(",", "."))


# Acids and bases ----------------------------------------------------------------------------------

_PH: Final = re.compile(
    rf"(?<![-−])\bpH(?: (?:de la|de cette|d['’]une|of the|of this)[^.;=\d]{{0,30}})?"
    rf"\s*(?:=|≈|vaut|est de|est|is|est égal à|:)\s*(?:donc |environ |about )*"
    rf"(?P<value>{_NUMBER})(?!\s*[+×*/^⁻-]|[.,]?\d|\s*log)"
)
"""A value of a pH; its sign in `10^-pH = 10^-9` belongs to a power."""
_KIND: Final = re.compile(
    r"\b(?P<acid>acide|acidic)\b|\b(?P<base>basique|alcaline?|basic|alkaline)\b"
    r"|\b(?P<neutral>neutre|neutral)\b",
    re.IGNORECASE,
)
_SAYS_KIND: Final = re.compile(
    r"(?:est|is|c['’]est|solution|milieu|reste)(?: (?:une?|a|the|la|bien|donc|alors|elle"
    r"|solution|milieu|très|fortement|faiblement|légèrement|strongly|weakly|very))* ?$",
    re.IGNORECASE,
)
_CONCENTRATION: Final = re.compile(
    r"\[(?P<ion>H[₃3]O\s?[⁺+]|H[⁺+]|HO\s?[⁻-]|OH\s?[⁻-])\]\s*(?:=|≈|vaut|is)\s*"
    r"(?P<rest>[^\[\];\n]*?(?:10\s?\^?\{?[⁻-]?[⁰-⁹¹²³\d]+\}?)(?=[\s.;,)]|$)|0[.,]\d+)(?!\s*[×/=])"
)
_POWER: Final = re.compile(
    rf"(?:(?P<times>{_NUMBER})\s*[×x·*]\s*)?10(?:\^\(?\{{?(?P<plain>-?\d+)|(?P<raised>[⁻]?[⁰¹²³⁴-⁹]+))"
)


def _check_acid(text: str) -> Iterator[Statement]:
    """Yield the check of `pH = 11 et la solution est acide`, `le pH d'une eau neutre est 7`."""
    values, kinds = list(_PH.finditer(text)), list(_KIND.finditer(text))
    if len(values) != 1 or len(kinds) != 1 or _CONDITION.search(text):
        return
    kind = kinds[0]
    is_after = kind.start() > values[0].end()
    is_within = values[0].start() < kind.start() < values[0].end()
    says_after = is_after and _SAYS_KIND.search(text[values[0].end() : kind.start()])
    if not (says_after or is_within):
        return
    value = _read(values[0]["value"])
    expected = "neutral" if value == 7 else "acid" if value < 7 else "base"
    is_near = abs(value - 7) < 1 and kind["neutral"]
    why = "" if kind[expected] or is_near else f"a pH of {value:g} is {expected}"
    yield decide(text[values[0].start() : max(kind.end(), values[0].end())], why)


def _check_acidity(before: str, text: str) -> Iterator[Statement]:
    """Yield the check of `[H₃O⁺] = 10⁻¹ mol/L, donc pH = 1`."""
    if _CONDITION.search(text) or "dilu" in (before + text).lower():
        return
    values = list(_PH.finditer(text))
    known = [*_CONCENTRATION.finditer(text)] or [*_CONCENTRATION.finditer(before)]
    if (
        len(values) != 1
        or not known
        or (known[0].string is text and known[-1].start() > values[0].start())
    ):
        return
    expected = _find_ph(known[-1])
    shown = values[0]["value"]
    places = len(re.split("[.,]", shown)[1]) if re.search("[.,]", shown) else 0
    if expected is None:
        return
    is_right = abs(_read(shown) - expected) <= 0.51 * 10**-places + 0.01
    yield decide(values[0][0], "" if is_right else f"the pH is {expected:.1f}")


def _find_ph(found: re.Match[str]) -> float | None:
    """Return the pH for the last value of a concentration; None: it cannot be read."""
    is_acid = (
        (found["ion"].startswith("H") and "O" not in found["ion"])
        or "3O" in found["ion"]
        or "₃" in found["ion"]
    )
    powers = list(_POWER.finditer(found["rest"]))
    if "/" in found["rest"].replace("mol/L", ""):
        powers = powers if found["rest"].count("=") else []
    if powers:
        exponent = int((powers[-1]["plain"] or powers[-1]["raised"]).translate(FROM_SUPERSCRIPTS))
        times = _read(powers[-1]["times"] or "1")
    else:
        plain = re.fullmatch(r"0[.,]\d+", found["rest"].strip())
        exponent, times = 0, _read(plain[0]) if plain else 0.0
    if not times:
        return None
    value = math.log10(times) + exponent
    return -value if is_acid else 14 + value


def _check_ions(whole: str) -> Iterator[Statement]:
    """Yield the check of `pH = 3, donc [H₃O⁺] = 10⁻³ mol/L`: one solution."""
    values = {_read(each["value"]) for each in (*_PH.finditer(whole), *_HAS_PH.finditer(whole))}
    known = [each for each in _CONCENTRATION.finditer(whole) if each["ion"].startswith("H3O")
             or each["ion"].startswith("H₃O")]  # fmt: skip
    if len(values) != 1 or len(known) != 1 or _OTHER_SOLUTION.search(whole):
        return
    (value,) = values
    expected = _find_ph(known[0])
    if expected is not None:
        is_right = abs(value - expected) <= _NEAR_PH
        yield decide(known[0][0], "" if is_right else f"a pH of {value:g} is 10^(-{value:g}) mol/L")


_NEAR_PH: Final = 0.1
_HAS_PH: Final = re.compile(
    rf"\b(?:has|have|with|a pour|ayant|un|de|a) pH (?:of |de "
    rf"|égal à )?(?P<value>{_NUMBER}){NO_MORE_DIGITS}"
)
_OTHER_SOLUTION: Final = re.compile(
    r"\b(?:dilu\w+|mélang\w*|mix\w*|ajout\w*|add\w*|deux solutions|two solutions|autre|other|OH"
    r"|HO)\b"
    r"|HO⁻|OH⁻",
    re.IGNORECASE,
)


_CHANGE: Final = re.compile(
    rf"\bpH (?:passe|va|goes|changes)(?: donc| alors| ainsi)? (?:de|from) (?P<one>{_NUMBER})"
    rf" (?:à|to) (?P<other>{_NUMBER})"
)


def _check_dilution(before: str, text: str) -> Iterator[Statement]:
    """Yield the check of a pH that a dilution changes: it comes nearer to 7."""
    found = _CHANGE.search(text)
    if not found or "dilu" not in (before + text).lower() or _CONDITION.search(text):
        return
    one, other = _read(found["one"]), _read(found["other"])
    is_right = abs(other - 7) < abs(one - 7) and (other - 7) * (one - 7) >= 0
    yield decide(found[0], "" if is_right else "a dilution brings the pH nearer to 7")


# Bodies in water ----------------------------------------------------------------------------------

_DENSITY: Final = re.compile(
    rf"(?P<value>{_NUMBER})\s*(?:g\s?/\s?cm(?:³|3|\^3)|g·cm⁻³|kg\s?/\s?L|g/mL)"
    rf"|densit[éy] (?:est |is |vaut )?(?:d |= |de |of )*(?P<plain>{_NUMBER})"
)
_FLOATS: Final = re.compile(
    r"\b(?P<no>ne |n['’]|does not |doesn['’]t )?(?:(?P<floats>flotte|floats|surnage)"
    r"|(?P<sinks>coule|sinks)\b)",
    re.IGNORECASE,
)
_OTHER_LIQUID: Final = re.compile(
    r"\b(?:huile|oil|mercure|mercury|alcool|alcohol|éthanol|miel|honey|glycérine|essence|salée|mer\b"
    r"|bateau|boat|creux|ballon|hollow|si|if|glaçon|liquides?|qui flotte|que ça)\b",
    re.IGNORECASE,
)


def _check_buoyancy(texts: Sequence[str]) -> Iterator[Statement]:
    """Yield the check of `7,8 g/cm³ … il flotte`: one body in water."""
    whole = "\n".join(texts)
    claims = list(_FLOATS.finditer(whole))
    if len(claims) != 1 or _OTHER_LIQUID.search(whole):
        return
    values = {_read(each["value"] or each["plain"]) for each in _DENSITY.finditer(whole)} - {1.0}
    if len(values) != 1:
        return
    value = values.pop()
    floats = bool(claims[0]["floats"]) != bool(claims[0]["no"])
    why = (
        ""
        if floats == (value < 1)
        else f"the density {value:g} is {'below' if value < 1 else 'above'} 1"
    )
    yield decide(claims[0][0], why)


# Electrons ----------------------------------------------------------------------------------------

_DIGITS: Final = FROM_SUPERSCRIPTS | FROM_SUBSCRIPTS
_SHELLS: Final = re.compile(
    r"\(?K\)?\^?\{?(?P<K>[12])\}?(?:\s*\(?L\)?\^?\{?(?P<L>[1-8])\}?(?:\s*\(?M\)?\^?\{?(?P<M>\d{1,2})\}?)?)?(?!\d)"
)
_COUNT: Final = (
    r"(?P<count>\d{1,2}|une?|deux|trois|quatre|cinq|six|sept|huit|one|two|three|four|five"
    r"|seven|eight)"
)
_LACKS: Final = re.compile(
    rf"\b(?:manque(?:nt)?|lacks?|is missing|needs?|gagne|capte|gains?)"
    rf"(?: donc| alors| encore| ainsi| facilement)* {_COUNT} (?:more )?[ée]lectron",
    re.IGNORECASE,
)
_OUTER: Final = re.compile(
    rf"{_COUNT} [ée]lectrons? (?:sur|dans|in|on) (?:sa|la|its|the)"
    r" (?:dernière couche|couche (?:externe|de valence)|(?:outer|valence) shell)"
    rf"|{_COUNT.replace('count', 'valence')} (?:[ée]lectrons? de valence|valence electrons?)",
    re.IGNORECASE,
)


def _check_electrons(whole: str) -> Iterator[Statement]:
    """Yield the checks of `K²L⁸M⁷ : il lui manque 1 électron`."""
    shells = {
        tuple(filter(None, each.groups())) for each in _SHELLS.finditer(whole.translate(_DIGITS))
    }
    if len(shells) != 1:
        return
    layers = shells.pop()
    outer, full = int(layers[-1]), 2 if len(layers) == 1 else 8
    for pattern, expected in ((_LACKS, full - outer), (_OUTER, outer)):
        for found in pattern.finditer(whole):
            written = found["count"] or found.groupdict().get("valence") or ""
            count = int(written) if written.isdigit() else words_to_number(written.lower())
            why = "" if count == expected else f"there are {outer} in the outer shell"
            yield decide(found[0], why)


# Families of molecules ----------------------------------------------------------------------------

_FAMILY: Final = re.compile(
    r"C_?[ₙn]\s?H_?[₂2][ₙn](?P<more>\s?[₊+]\s?[₂2])?(?P<less>\s?[₋−-]\s?[₂2])?"
)
_N: Final = re.compile(r"\bn = (?P<n>\d{1,2})(?![\d.,]*\d|\s*[×+*/-]|\s*mol)")
_CHAIN: Final = re.compile(r"\bC[₀-₉\d]+H[₀-₉\d]+")


def _check_family(whole: str) -> Iterator[Statement]:
    """Yield the check of `CₙH₂ₙ … n = 3 … C₃H₈`."""
    families = {(bool(each["more"]), bool(each["less"])) for each in _FAMILY.finditer(whole)}
    numbers = list(_N.finditer(whole))
    if len(families) != 1 or len({each["n"] for each in numbers}) != 1:
        return
    has_more, has_less = families.pop()
    n = int(numbers[0]["n"])
    hydrogen = 2 * n + 2 * has_more - 2 * has_less
    for found in _CHAIN.finditer(whole, numbers[0].end()):
        carbon, written = (int(each) for each in re.findall(r"\d+", found[0].translate(_DIGITS)))
        if carbon == n:
            why = "" if written == hydrogen else f"it is C{n}H{hydrogen}"
            yield decide(found[0], why)
