"""Check facts that pupils learn by heart against `facts_by_heart.toml`.

These are how many sides, edges, days or degrees something has, formulas in words, and the meaning
of terms.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

from bot.maths.reading.number_words import fold
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DEGREES, DIGITS, NUMBER, THEN
from bot.maths.school_facts.fact_patterns import (
    CLOSE,
    END,
    QUOTE,
    FactRule,
    compile_pattern,
    decide,
    find_key,
    list_words,
    make_rule,
)
from bot.maths.school_facts.word_formulas import Formula, FormulaReader, write_steps

_FILE: Final = Path(__file__).with_name("facts_by_heart.toml")
_ONLY_ONE: Final = frozenset((Fraction(1),))
_INFINITE: Final = "infinite"
_COMMON: Final = list_words(
    "de des un une la le les et en est sont ont on qui se si il pour par avec leur lui meme "
    "deux trois quatre dix mesure mesures chaque the of an if their in up to at have has from "
    "add meet when one half form mois total nombre number forment formant coupent deca base "
    "haut bas dans du au non nuit compte regle commune premier civile jouer livre half milieu "
    "ses"
)
"""Words of names by which no fact is known."""


@dataclass
class SchoolFacts:
    """The facts of the file; phrases are keys of `find_key`."""

    nouns: dict[str, str] = field(default_factory=dict[str, str])
    values: dict[str, dict[str, frozenset[Fraction]]] = field(
        default_factory=dict[str, dict[str, frozenset[Fraction]]]
    )
    """The numbers of each noun that a thing may have; an empty set is infinitely many."""
    said: dict[str, dict[str, frozenset[Fraction]]] = field(
        default_factory=dict[str, dict[str, frozenset[Fraction]]]
    )
    """The same for phrases that have the verb already."""
    formulas: dict[str, list[Formula]] = field(default_factory=dict[str, list[Formula]])
    terms: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """The group of a term, and its number in the file."""
    meanings: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    propositions: list[FactRule] = field(default_factory=list[FactRule])
    reader: FormulaReader = field(default_factory=lambda: FormulaReader({}, {}))
    value_words: set[str] = field(default_factory=set[str])
    """Words of the names of things, of which a fact has one."""
    formula_words: set[str] = field(default_factory=set[str])
    term_words: set[str] = field(default_factory=set[str])


@cache
def load_facts() -> SchoolFacts:
    """Return the facts of the file, which is read once."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    facts = SchoolFacts()
    facts.nouns = {_key(each): noun for noun, names in data["nouns"].items() for each in names}
    for entry in data["value"]:
        values = {noun: _read_allowed(value) for noun, value in entry["is"].items()}
        for name in entry.get("of", ()):
            facts.values.setdefault(_key(name), {}).update(values)
            facts.value_words |= _list_words(name)
        for name in entry.get("says", ()):
            facts.said.setdefault(_key(name), {}).update(values)
            facts.value_words |= _list_words(name)
    names = {
        name: variable for variable, all_names in data["variables"].items() for name in all_names
    }
    derived = {name: (int(factor), str(other)) for name, (factor, other) in data["derived"].items()}
    facts.reader = FormulaReader(
        {fold(name): fold(each) for name, each in names.items()}, _fold(derived)
    )
    for entry in data["formula"]:
        formula = facts.reader.learn(fold(entry["is"]))
        for name in entry["of"]:
            facts.formulas.setdefault(_key(name), []).append(formula)
            facts.formula_words |= _list_words(name)
    for at, entry in enumerate(data["meaning"]):
        facts.terms |= {_key(name): (entry["group"], at) for name in entry["terms"]}
        facts.meanings |= {_key(name): (entry["group"], at) for name in entry["meanings"]}
        facts.term_words.update(*(_list_words(name) for name in entry["terms"]))
    facts.propositions = [_read_proposition(entry) for entry in data["false"]]
    return facts


def _key(name: str) -> str:
    return find_key(fold(name))


def _list_words(name: str) -> set[str]:
    """Return the words by which the name of a thing is known, also in the plural."""
    words = set(re.findall(r"[a-z]{2,}", fold(name))) - _COMMON
    return words | {f"{word}s" for word in words}


def _fold(derived: Mapping[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    return {fold(name): (factor, fold(other)) for name, (factor, other) in derived.items()}


def _read_allowed(value: int | str | list[int]) -> frozenset[Fraction]:
    if value == _INFINITE:
        return frozenset()
    return frozenset(map(Fraction, value if isinstance(value, list) else [int(value)]))


def _read_proposition(entry: dict[str, Any]) -> FactRule:
    """Return the rule of a proposition that is wrong."""
    patterns = "|".join(entry["says"]).replace("{n}", DIGITS)
    why = str(entry["why"])
    return make_rule(
        entry["keys"],
        rf"(?:{patterns})(?:,? (?:toujours|always|dans tous les cas))?{END}",
        lambda _: (why,),
    )


# How many -----------------------------------------------------------------------------------------

_NAME: Final = r"[a-z0-9³²]+(?:[ '-][a-z0-9³²]+){0,11}?"
_HAS: Final = (
    r"(?:,? (?:a|ont|possede(?:nt)?|compte(?:nt)?|comporte(?:nt)?|contient|contiennent|comprend"
    r"|comprennent|dure|durent"
    r"|mesure(?:nt)?|vaut|valent|fait|font|est|sont|c'est|ca fait|cela fait|s'ecrit avec|s'ecrit"
    r"|represente|equivaut"
    r"|correspond|se compose|est compose|est forme|a pour mesure|has|have|contains?|lasts?"
    r"|measures?|equals?|is|are"
    r"|is made up|is written with|adds? up|sums?)| ?[=:])"
    r"(?: (?:toujours|exactement|bien|donc|aussi|egale?s?|always|exactly|also|equal|de|d'|a|au"
    r"|to|of|en tout))*"
)
_ARTICLE: Final = (
    r"(?:(?:(?P<plural>(?:tous |toutes )?les|des|all(?: the)?)|toute?|chaque|every|each|any|une?"
    r"|le|la|an?|the|one|1)\b ?|l')"
)
_ONE: Final = r"(?:(?:une?|an?|one|1|le|la|the|tout|any|every|chaque)\b ?|l')"
_TAIL: Final = (
    r"(?:,? (?:les annees bissextiles|en annee bissextile|in leap years|in a leap year|dans tous"
    r" les cas|toujours|seulement|uniquement|exactement|always|only))?"
)
_NOUN: Final = r"(?P<noun>°|[a-z]+[²³]?(?:[ '-][a-z]+){0,4}?)"
_VALUE: Final = rf"(?P<value>{NUMBER}) ?{_NOUN}"
_COUNT_VERBS: Final = (
    r"(?:il y a|on compte|on trouve|on a|tu as|there are|we have|you have|we find|vous avez)"
)
_MORE: Final = rf"(?:,| et| and) (?P<value>{NUMBER}) ?{_NOUN}{_TAIL}{END}"
_ALSO: Final = (
    rf"(?:,|;| et| and| mais| but) (?:un |une |le |la |l'|a |an |the )?(?P<subject>[a-z]+(?:"
    rf" [a-z]+)?)"
    rf"(?:,? (?:en (?:a|possede|compte)|a|has))? (?P<value>{NUMBER}){END}"
)


def _check_value(match: re.Match[str]) -> Iterator[str]:
    """Read `un hexagone a 6 côtés`, and what follows: `, 6 sommets`, `, l'octogone 8`."""
    groups = match.groupdict()
    noun = _find_noun(groups["noun"])
    subject = find_key(f"{groups['subject']} {groups.get('place') or ''}")
    allowed = load_facts().values.get(subject)
    is_cut = groups["subject"].endswith((" of", " de", " in", " dans"))  # `an hour of a hundred …`
    is_cut |= match.string[: match.start()].endswith((" et ", " and "))  # `… et un triangle ont 7`
    if (
        noun is None
        or allowed is None
        or is_cut
        or (groups.get("plural") and " en tout" in match[0])
    ):
        return
    yield from _compare(allowed, noun, groups["value"])
    end = match.end()
    while more := compile_pattern(_MORE).match(match.string, end):
        is_rest = groups["noun"][:7] in ("semaine", "week", "weeks")  # `52 semaines et 1 jour`
        if (other := _find_noun(more["noun"])) and not is_rest:
            yield from _compare(allowed, other, more["value"])
        end = more.end()
    for also in compile_pattern(_ALSO).finditer(match.string, match.end()):
        if others := load_facts().values.get(find_key(also["subject"])):
            yield from _compare(others, noun, also["value"])


def _find_noun(text: str) -> str | None:
    return load_facts().nouns.get("degre" if text == "°" else find_key(text))


def _compare(allowed: Mapping[str, frozenset[Fraction]], noun: str, text: str) -> Iterator[str]:
    """Yield whether a number of nouns is allowed; one may always be meant as an article."""
    values = read_values(text)
    if noun not in allowed or not values or (values == _ONLY_ONE and not text.isdigit()):
        return
    right = allowed[noun]
    why = " or ".join(map(str, sorted(right))) or "infinitely many"
    yield from decide(bool(values & right), f"it is {why}")


_FIGURE: Final = (
    r"(?:polygone|figure|quadrilatere|solide|polyedre|triangle|forme|figure geometrique|polygon"
    r"|shape|solid|polyhedron"
    r"|quadrilateral)"
)
_WITH: Final = r"(?:a|qui a|ayant|possedant|qui possede|avec|de|with|that has|which has|having)"


def _check_said(match: re.Match[str]) -> Iterator[str]:
    """Read `deux droites perpendiculaires forment un angle de 90°`."""
    noun, allowed = _find_noun(match["noun"]), load_facts().said.get(find_key(match["subject"]))
    if noun and allowed:
        yield from _compare(allowed, noun, match["value"])


# Formulas and terms -------------------------------------------------------------------------------

_FORMULA_IS: Final = (
    r"(?: ?[=:]|,? (?:est egale? a|est|c'est|vaut|is equal to|equals?|is|se calcule(?: (?:avec"
    r"|par|en faisant|ainsi))?"
    r"|s'obtient(?: (?:par|avec|en faisant))?|se trouve en faisant|on fait|on calcule|on utilise"
    r"|il faut faire|fais|tu fais"
    r"|we do|you do|do|use|on|il faut|you|we|= on))(?: (?:la formule|le calcul|the formula"
    r"|egale? a))?(?: ?[:=])? ?"
)
_STATED: Final = (
    r"(?P<formula>[^;!?.…«»\"]+?(?:(?<=\d)\.\d[^;!?.…«»\"]*?)*)(?=$|[;!?.…«»\"]|,(?! ?\d)| \(|"
    r" [^\w\s(°½π²³×÷+*/:=<>,;.!?'–-])"
)
_STEPS_FOLLOW: Final = re.compile(
    r"\b(?:puis|ensuite|apres|enfin|then|divis\w+|moitie|half|multipl\w+|fois|ajout\w+)\b"
)


def _check_formula(match: re.Match[str]) -> Iterator[str]:
    """Read `l'aire d'un rectangle = longueur × largeur`; of a name with several formulas one must
    fit."""
    facts = load_facts()
    known = facts.formulas.get(find_key(match["subject"]), ())
    if not known:
        return
    text = re.split(r" (?:car|donc|mais|because|so|but|puisque)\b|=", match["formula"])[0]
    text, is_verbal = write_steps(text)
    if _STEPS_FOLLOW.search(match.string, match.end()) or (
        is_verbal and _STEPS_FOLLOW.search(text)
    ):
        return
    texts = {text, re.split(r" ?: ?", text)[0]}  # a division, or an example
    found = [
        list(facts.reader.check(one, each, is_verbal=is_verbal)) for each in known for one in texts
    ]
    if all(found) and not any("" in each for each in found):
        yield found[0][0]
    elif any("" in each for each in found):
        yield ""


def _check_meaning(match: re.Match[str]) -> Iterable[str]:
    """Read `le produit est le résultat d'une multiplication`, or the other way round."""
    facts = load_facts()
    one, other = find_key(match["one"]), find_key(match["other"])
    for term, meaning in ((one, other), (other, one)):
        if term in facts.terms and meaning in facts.meanings:
            group, number = facts.terms[term]
            if facts.meanings[meaning][0] == group:
                return decide(facts.meanings[meaning][1] == number, f"“{term}” is something else")
    return ()


# Angles -------------------------------------------------------------------------------------------

_KINDS: Final = {
    "aigu": (0, 90), "acute": (0, 90), "droit": (90, 90), "right": (90, 90), "obtus": (90, 180),
    "obtuse": (90, 180), "plat": (180, 180), "straight": (180, 180), "plein": (360, 360),
    "nul": (0, 0), "rentrant": (180, 360), "reflex": (180, 360), "saillant": (0, 180),
}  # fmt: skip
_KIND: Final = "|".join(_KINDS)
_DEGREES: Final = rf"(?P<degrees>{DIGITS}) ?{DEGREES}"
_SMALLER: Final = r"(?:plus petit|inferieur|moins|smaller|less|moins grand|moins ouvert)"
_COMPARED: Final = (
    rf"(?P<how>{_SMALLER}|plus grand|superieur|greater|bigger|larger|more|plus ouvert|plus)"
)


def _find_range(kind: str, values: frozenset[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the bounds of an angle of a kind, or of so many degrees."""
    if values:
        return max(values), max(values)
    low, high = _KINDS[kind]
    return Fraction(low), Fraction(high)


def _check_kind(match: re.Match[str]) -> Iterable[str]:
    """Read `un angle de 120° est obtus`."""
    values = read_values(match["degrees"])
    low, high = _KINDS[match["kind"]]
    value = max(values)
    is_right = value == low if low == high else low < value < high
    return decide(is_right, f"an angle of {value}° is not {match['kind']}")


def _check_comparison(match: re.Match[str]) -> Iterable[str]:
    """Read `un angle aigu est plus petit qu'un angle droit`: wrong if it never is so."""
    groups = match.groupdict()
    one = _find_range(groups["kind"] or "", read_values(groups["degrees"] or ""))
    other = _find_range(groups["other_kind"] or "", read_values(groups["other"] or ""))
    if not re.fullmatch(_SMALLER, groups["how"]):
        one, other = other, one
    if one[1] <= other[0] and one != other:
        return ("",)
    is_never = one[0] >= other[1]
    return ("the angles compare the other way",) if is_never else ()


# Rules --------------------------------------------------------------------------------------------


def _name_angle(kind: str, degrees: str) -> str:
    """Return the pattern of an angle of a kind or of some degrees, with groups of these names."""
    amount = rf"(?P<{degrees}>{DIGITS}) ?{DEGREES}"
    named = rf"(?:angle )?(?P<{kind}>{_KIND})(?: angle)?"
    return rf"(?:un |l'|tout |an? |the |any )?(?:(?:angle (?:de |of )?)?{amount}|{named})"


def _make_angle_rules() -> Iterator[FactRule]:
    yield make_rule(
        "angle",
        rf"(?:un |l'|an? |the )?angle (?:(?:qui mesure|de|of|mesurant|that measures)"
        rf" )?{_DEGREES} (?:est|is)"
        rf"(?: (?:{THEN}|toujours|un|an|a|angle|dit|called))* (?P<kind>{_KIND})(?: angle)?{END}",
        _check_kind,
    )
    one = _name_angle("kind", "degrees")
    other = _name_angle("other_kind", "other")
    yield make_rule(
        "angle",
        rf"{one} (?:mesure|est|is|measures|fait|vaut)(?: (?:{THEN}|toujours|always))* {_COMPARED}"
        rf" (?:qu'|que |de |a |than )"
        rf"{other}{END}",
        _check_comparison,
    )


_WORDS: Final = r"[a-z]+(?:[ '-][a-z]+){0,11}?"
_SUBJECT: Final = rf"(?P<subject>{_NAME})"
_THE: Final = r"(?:le |la |l'|les |un |une |the )"
_PURPOSE: Final = r"(?:(?:pour|to) (?:calculer|trouver|obtenir|avoir|find|calculate|get|work out) )"
_CALLED: Final = (
    r"(?:,? c'est| est| s'appelle| se nomme| designe| signifie| veut dire| means| is called| is"
    rf"| are| sont| =| :)(?: (?:{THEN}|toujours|aussi|egal a|called))*"
)
_NAMED: Final = r"(?:est|s'appelle|se nomme|porte le nom de|is called|is named|is)"
_VALUE_PATTERNS: Final = (
    rf"{_ARTICLE}?{_SUBJECT}{_HAS} {_VALUE}{_TAIL}{END}",
    rf"(?:dans|pour|in|for) {_ARTICLE}{_SUBJECT},? {_COUNT_VERBS} {_VALUE}{_TAIL}{END}",
    rf"(?:dans|pour|in|for) {_ONE}(?P<place>{_NAME}),? (?:la |les |le |l'|the |each |chaque )"
    rf"{_SUBJECT}{_HAS} {_VALUE}{_TAIL}{END}",
    rf"(?:il y a|there are|on compte) {_VALUE} (?:dans|sur|en|in|for) {_ONE}?{_SUBJECT}{END}",
    rf"{_ARTICLE}?{_SUBJECT} (?:est|is) (?:une?|an?|the) {_FIGURE} {_WITH} {_VALUE}{END}",
    rf"(?:une?|an?|le|the|tout) {_FIGURE} {_WITH} {_VALUE} {_NAMED} ?{_ARTICLE}?{QUOTE}"
    rf"{_SUBJECT}{END}",
    r"(?:le |the )?(?:nombre de|nombre d'|number of) ?"
    rf"(?!(?:unite|dizaine|centaine)s? de m){_NOUN} (?:de|d'|of|in|dans|du)"
    rf"(?: |(?<=')){_ONE}?{_SUBJECT} (?:est|vaut|is|=|:)(?: (?:de|egal a|toujours))* ?"
    rf"(?P<value>{NUMBER}){END}",
)
"""How many of a noun a thing has, in several wordings."""
_FORMULA_PATTERN: Final = (
    rf"{_PURPOSE}?{_THE}?(?P<subject>[a-z]+(?:[ '-]\(?[a-z]+){{0,6}}?)\)?,?{_FORMULA_IS}{_STATED}"
)
_MEANING_PATTERNS: Final = (
    rf"{_THE}?(?P<one>{_WORDS}){_CALLED} {QUOTE}(?P<other>{_NAME}){END}",
    rf"on appelle {_THE}?{QUOTE}(?P<one>[a-z]+){CLOSE} {_THE}(?P<other>{_WORDS}){END}",
)


@cache
def list_school_rules() -> tuple[FactRule, ...]:
    """Return the rules for the facts of the file."""
    facts = load_facts()
    values, terms = " ".join(facts.value_words), " ".join(facts.term_words)
    said = rf"{_ARTICLE}?{_SUBJECT}(?:{_HAS})? {_VALUE}{_TAIL}{END}"
    return (
        *(make_rule(values, pattern, _check_value) for pattern in _VALUE_PATTERNS),
        make_rule(values, said, _check_said),
        make_rule(" ".join(facts.formula_words), _FORMULA_PATTERN, _check_formula),
        *(make_rule(terms, pattern, _check_meaning) for pattern in _MEANING_PATTERNS),
        *_make_angle_rules(),
        *facts.propositions,
    )
