"""Check that equations of reactions are balanced, and how many atoms a text counts: in a molecule,
and on the sides of a reaction.

A text may lead to a balanced equation by steps: an equation is decided only if none after it has
its species, and if the text does not say that it is to be completed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.chemistry.chemical_formulas import (
    ELEMENT,
    FORMULA,
    Reaction,
    count_atoms,
    find_reactions,
    write_chemically,
)
from bot.maths.exact.algebra_questions import Known, Statement, decide, judge
from bot.maths.reading.number_words import words_to_number
from bot.maths.reading.prose import Sentence

_NOT_BALANCED: Final = (
    r"\b(?:non|pas|plus|n est|not|isn t|aren t|never)"
    r"(?: encore| bien| tout a fait| yet| correctement| du tout)* (?:equilibr|balanc|ajust|conserv)"
    r"|\bdesequilibr|\bunbalanced"
)
_DENIED: Final = re.compile(
    rf"{_NOT_BALANCED}|\b(?:squelette|skeleton|brute|incomplete?|provisoire|sans coefficients?"
    r"|without coefficients?|(?:ton|ta|votre|your|sa|his|her) (?:equation|reponse|proposition|bilan"
    r"|essai|answer|attempt)|tu (?:as|proposes|ecris)|you (?:wrote|have))\b"
)
"""Words beside an equation that is not balanced on purpose, or that is another person's."""
_LEFT_OPEN: Final = re.compile(
    rf"{_NOT_BALANCED}|\b(?:a toi|your turn|a ton tour|continue|termine|complete|finis|finish"
    r"|corrige|recommence|trop d\w*|too many|too few|pas assez|not enough|erreur|mistake|faux"
    r"|fausse|wrong|oups|oops)\b"
)
"""Words after an equation that leave its balance to the reader, or deny it."""
_NEXT_TASK: Final = re.compile(r"(?:et |maintenant |now )?(?:a toi|a ton tour|your turn)\b")
"""The beginning of a task of its own, if it has numbers."""
_OPEN_STEP: Final = re.compile(
    r"\b(?:reste|manque|faut|faudrait|besoin|needs?|essaie|essaye|try|combien|how many"
    r"|quels?|quelles?|which|trouve|passe|maintenant|now|ensuite|next|still|remain\w*|left to"
    r"|equilibre|balance)\b"
)
_STEP_WORDS: Final = re.compile(
    r"\b(?:atomes?|atoms?|coefficients?|oxygene|hydrogene|carbone|oxygen|hydrogen|carbon|elements?"
    r"|charges?|cotes?|gauche|droite|left|right|equilibr\w+|balanc\w+)\b"
)
"""Words of a step that is still to be done; both kinds stand in one sentence."""
_PLAIN: Final = re.compile(r"[^\w?:]+")


def read_reactions(answered: Sequence[Sentence]) -> Iterator[Statement]:
    """Yield the checks of the reactions in the sentences of an answer."""
    found = [
        (at, reaction)
        for at, sentence in enumerate(answered)
        for reaction in find_reactions(sentence.quote())
    ]
    words = [write_words(sentence) for sentence in answered] if found else []
    for place, (at, reaction) in enumerate(found):
        later = found[place + 1 :]
        is_step = any(_leads_to(reaction, other) for _, other in later)
        if answered[at].is_disowned or is_step:
            continue
        fault = reaction.find_fault()
        end = next((each for each, _ in later if each > at), len(words))
        if fault and _is_open(reaction, words[:end], at):
            continue
        source = answered[at].quote()
        text = reaction.text if reaction.text in source else source.strip()
        yield decide(text, fault)


def write_words(sentence: Sentence) -> str:
    """Return the words of a sentence without accents and marks, but for colons and `?`."""
    return _PLAIN.sub(" ", sentence.text).strip()


def _leads_to(step: Reaction, later: Reaction) -> bool:
    """Return whether a later equation has all species of a step."""
    left, right = step.names()
    more_left, more_right = later.names()
    return left <= more_left and right <= more_right


def _is_open(reaction: Reaction, words: Sequence[str], at: int) -> bool:
    """Return whether an equation that is not balanced may be meant so: only species are named, or
    it is a step, or the task of the reader."""
    is_announced = at > 0 and words[at - 1].endswith(":")
    before = " ".join(words[at - is_announced : at + 1])
    if _DENIED.search(before) or any(map(_leaves_open, words[at + 1 :])):
        return True
    return reaction.is_bare and not reaction.has_electrons


def _leaves_open(words: str) -> bool:
    """Return whether a sentence after an equation leaves its balance to the reader."""
    is_step = _STEP_WORDS.search(words) and (_OPEN_STEP.search(words) or "?" in words)
    is_next_task = _NEXT_TASK.match(words) and re.search(r"\d", words)
    return bool(is_step or (_LEFT_OPEN.search(words) and not is_next_task))


# Counts of atoms ----------------------------------------------------------------------------------

_NAMES: Final = {
    "hydrog[èe]ne": "H", "hydrogen": "H", "carbone?": "C", "oxyg[èe]ne": "O", "oxygen": "O",
    "azote": "N", "nitrogen": "N", "soufre": "S", "sul(?:f|ph)ur": "S", "chlore": "Cl",
    "chlorine": "Cl", "sodium": "Na", "potassium": "K", "calcium": "Ca", "magn[ée]sium": "Mg",
    "alumini?um": "Al", "fer": "Fe", "iron": "Fe", "cuivre": "Cu", "copper": "Cu", "zinc": "Zn",
    "phosphore": "P", "phosphorus": "P", "silicium": "Si", "plomb": "Pb", "argent": "Ag",
    "fluor": "F", "iode": "I", "brome": "Br",
}  # fmt: skip
_NAME: Final = "|".join(_NAMES)
_NUMBER: Final = (
    r"(?:\d{1,3}|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|one|two|three|four"
    r"|five|seven|eight|nine|ten)"
)
_ITEM: Final = re.compile(
    rf"(?<![\w+×*·,.⁻-])(?<![+×*·] )(?P<count>{_NUMBER})\s+(?:(?:atomes?|atoms?)\s+)?"
    rf"(?:(?:de |d['’]|of ))?(?:(?P<name>{_NAME})|(?P<symbol>{ELEMENT}))(?![\w₀-₉⁺⁻(])(?!\s*[+×])"
    r"(?!\s(?:dans|in|pour|par|venant|from|de la|de l|du|des|en plus|de plus|de trop|more))",
    re.IGNORECASE,
)
_MOLECULE: Final = re.compile(
    rf"(?<![\w₀-₉+-])(?P<before>(?P<times>{_NUMBER})\s+(?:mol[ée]cules?\s(?:de |d['’]|of ))?)?"
    rf"(?P<formula>{FORMULA})(?![\w₀-₉⁺⁻+-])"
)
_HAS: Final = (
    r"(?:contien\w*|compte\w*|comporte\w*|poss[èe]de\w*|renferme\w*|a|ont|se compose\w*|contains?"
    r"|has|have|consists?|(?:est|sont|is|are) (?:donc )?(?:form|compos|constitu|made)\w*)"
)
_THERE_IS: Final = (
    r"(?:il y a|on (?:a|compte|trouve|d[ée]nombre)|there (?:are|is)|we (?:have|count))"
)
_VERB: Final = re.compile(
    rf"\)?\s*(?:\([^()]*\)\s*|,? (?:le|la|l['’]|the) [^,:]{{3,30}}, )?,?\s*"
    rf"(?::|=|,?\s*{_THERE_IS}|(?:qui |donc |bien )?{_HAS})(?= )",
    re.IGNORECASE,
)
"""What stands between a formula and the list of its atoms."""
_OTHER_THINGS: Final = re.compile(
    r"\b(?:li[ée]|liaison|bond|chaque|chacun|each|premier|groupe|perd|gagn|capt|manqu|r[ée]ag|ajout"
    r"|enl[èe]v|remplac|isotop|dont|[ée]lectron|proton|neutron|mole?s?|fois|double|autres?|other"
    r"|si|if|faut|suppos|partag|sauf|ions?|reste|doublet|valence)\b"
    r"|\b(?:li[ée]|[ée]lectron|proton|neutron|liaison|remplac|ajout|r[ée]ag)|%|\b\d+ g\b",
    re.IGNORECASE,
)
"""Words of what else is counted, or of atoms in a part of the molecule."""
_CUT: Final = re.compile(r"\b(?:mais|tandis|alors que|contre|but|whereas|ni)\b|→|->")
_TOTAL: Final = re.compile(
    rf"(?:\b(?:au total|en tout|soit|total|altogether|in total|in all|fait|donc|makes?|that is|or)"
    rf"\b|=)\s*(?:de |of )?:?\s*(?P<one>{_NUMBER})\s+atom\w*\b(?! d|\sof)"
    rf"|(?P<other>{_NUMBER})\s+atom\w*\s+(?:en tout|au total|in all|in total|altogether)",
    re.IGNORECASE,
)
_ALL: Final = re.compile(rf"{_HAS} (?P<one>{_NUMBER}) atom\w*\b(?! (?:d|of|diff))", re.IGNORECASE)
_SUMS_UP: Final = re.compile(
    r"\W*(?:au total|en tout|soit|total|altogether|in total|in all|(?:cela|[cç]a) fait|donc)\b",
    re.IGNORECASE,
)
_MAY_COUNT: Final = re.compile(rf"atom|\d [A-Z]|\b(?:{_NAME})\b|[A-Z]\w? : \d", re.IGNORECASE)


def read_atom_counts(
    asked: Sequence[Sentence], answered: Sequence[Sentence]
) -> Iterator[Statement]:
    """Yield the checks of the atoms that an answer counts.

    Args:
        asked: the sentences of the question, whose reaction the answer may count.
    """
    texts = [write_chemically(sentence.quote()) for sentence in answered]
    if not any(map(_MAY_COUNT.search, texts)):
        return
    reactions = [each for text in texts for each in find_reactions(text)]
    for sentence in asked:
        reactions += find_reactions(sentence.quote())
    formula = ""
    for at, (sentence, text) in enumerate(zip(answered, texts, strict=True)):
        is_next = at > 0 and answered[at - 1].block == sentence.block
        if is_next and formula and not sentence.is_disowned and _SUMS_UP.match(text):
            yield from _check_total(text, formula, Fraction(1))
        molecules = [] if sentence.is_disowned else list(_split_molecules(text))
        formula = molecules[-1][0] if molecules else ""
        for name, part, times in molecules:
            yield from _check_molecule(name, part, times)
        if reactions and not sentence.is_disowned and not _STEP.search(text):
            yield from _check_listed(text, reactions)
            yield from _check_sides(text, reactions)


def _split_molecules(text: str) -> Iterator[tuple[str, str, Fraction]]:
    """Yield each molecule of a sentence with what is said of it, and its coefficient; nothing of an
    equation."""
    if any(mark in text for mark in "→⟶⇌"):
        return
    found = [each for each in _MOLECULE.finditer(text) if _is_molecule(each["formula"])]
    last = 0
    for place, each in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        verb = _VERB.match(text, each.end(), end)
        inverted = re.search(r"\b(?:dans|in)\b[^,]*$", text[: each.start()], re.IGNORECASE)
        comma = re.compile(rf"\s*(?:\([^()]*\))?,?\s*{_THERE_IS}").match(text, each.end())
        is_listed = place and re.fullmatch(r"\s*(?:et|and|,)\s*", text[last : each.start()])
        last = each.end()
        is_inside = re.search(r"\((?:dans|de|d['’]|in|of|from)\b[^()]*$", text[: each.start()])
        if is_listed or is_inside or not (verb or (inverted and comma)):
            continue
        part = _CUT.split(text[each.end() : end])[0]
        yield each["formula"], part, _read_number(each["times"] or "1")


def _is_molecule(formula: str) -> bool:
    atoms = count_atoms(formula)
    return sum(atoms.values()) > 1 and (len(atoms) > 1 or bool(re.search(r"[₂-₉2-9]", formula)))


def _check_molecule(formula: str, part: str, times: Fraction) -> Iterator[Statement]:
    if _OTHER_THINGS.search(part):
        return
    atoms = count_atoms(formula)
    for item in _ITEM.finditer(part):
        symbol = _get_symbol(item)
        if symbol in atoms:
            count = _read_number(item["count"])
            expected = {Fraction(atoms[symbol]), atoms[symbol] * times}
            yield _state(item[0], count, expected, f"{symbol} in {formula}")
    yield from _check_total(part, formula, times)


def _check_total(part: str, formula: str, times: Fraction) -> Iterator[Statement]:
    total = Fraction(sum(count_atoms(formula).values()))
    for found in (*_TOTAL.finditer(part), *_ALL.finditer(part)):
        written = found["one"] or found.groupdict().get("other") or ""
        yield _state(found[0], _read_number(written), {total, total * times}, f"atoms in {formula}")


def _get_symbol(item: re.Match[str]) -> str:
    """Return the symbol of an item's element; empty for a word such as `co`."""
    if item["name"]:
        return next(
            symbol for name, symbol in _NAMES.items() if re.fullmatch(name, item["name"], re.I)
        )
    return item["symbol"] if re.fullmatch(ELEMENT, item["symbol"]) else ""


def _read_number(text: str) -> Fraction:
    if text.isdigit():
        return Fraction(int(text))
    return words_to_number(text.lower()) or Fraction(0)


def _state(text: str, count: Fraction, expected: set[Fraction], of: str) -> Statement:
    if count in expected:
        return Statement(text, [[Known("right")]])
    values = " or ".join(str(each) for each in sorted(expected))
    return Statement(text, [[Known("wrong", f"there are {values} {of}")]])


# Sides of a reaction ------------------------------------------------------------------------------

_SIDE: Final = re.compile(
    r"\b(?:(?P<left>gauche|left|r[ée]actifs|reactants)|(?P<right>droite|right|produits|products))\b",
    re.IGNORECASE,
)
_STEP: Final = re.compile(
    r"\b(?:devant|in front|mett|met|mets|put|plac\w+|coefficient\w*|faut|faudrait|besoin|need\w*|si"
    r"|if|manqu\w+|ajout\w+|multipli\w+|seul\w*|only|ne|pas|not|encore|trop|pour avoir|mole?s?"
    r"|chaque|each|mol[ée]cules?|premier|initial\w*|d[ée]part|d[ée]s[ée]quilibr\w*)\b",
    re.IGNORECASE,
)
"""Words of a step whose equation may not be written."""
_LISTED: Final = re.compile(
    rf"(?<!\w)(?:l['’]|the )?(?:(?P<name>{_NAME})|(?P<symbol>{ELEMENT}))\s*:\s*(?P<left>\d{{1,3}})"
    r"(?:\s(?:à gauche|on the left))?\s*(?:et|and|=|,|/)\s*(?P<right>\d{1,3})"
    r"(?!\s*[+×*=])(?=\s*(?:[;,.✓✔✅)]|à droite|on the right|$))",
    re.IGNORECASE,
)
"""The atoms of both sides, as in `O : 4 et 4`."""


def _check_listed(text: str, reactions: Sequence[Reaction]) -> Iterator[Statement]:
    """Yield the checks of the atoms of both sides: `O : 2 et 1`."""
    for found in _LISTED.finditer(text):
        symbol = _get_symbol(found)
        counts = {
            (left, right)
            for each in reactions
            for left in each.count(symbol, on_left=True)
            for right in each.count(symbol, on_left=False)
            if left and right
        }
        if counts and symbol:
            is_right = (_read_number(found["left"]), _read_number(found["right"])) in counts
            left, right = min(counts)
            why = "" if is_right else f"{symbol}: {left} on the left, {right} on the right"
            yield Statement(found[0], [[judge(is_right, why)]])


def _check_sides(text: str, reactions: Sequence[Reaction]) -> Iterator[Statement]:
    """Yield the checks of the atoms of each side: `à gauche 2 O, à droite 1 O`."""
    places, items = list(_SIDE.finditer(text)), list(_ITEM.finditer(text))
    if not places or not items:
        return
    is_before = items[0].start() < places[0].start()
    if is_before and "→" in text:
        items = [each for each in items if each.start() > text.rindex("→")]
    for item in items:
        near = [
            each
            for each in (places if is_before else reversed(places))
            if (each.start() > item.end()) == is_before
        ]
        if near and (symbol := _get_symbol(item)):
            on_left = bool(near[0]["left"])
            sides = (each.count(symbol, on_left=on_left) for each in reactions)
            expected = {count for counts in sides for count in counts if count}
            if expected:
                of = f"{symbol} on the {'left' if on_left else 'right'}"
                yield _state(item[0], _read_number(item["count"]), expected, of)
