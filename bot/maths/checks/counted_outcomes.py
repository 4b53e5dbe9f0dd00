"""Check how many codes, anagrams, committees and terms of a sum an answer counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import comb, factorial, prod
from typing import Final

from bot.maths.checks.passages import Passage, decide
from bot.maths.checks.random_draws import read_draws
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS, read_values

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_DOUBT: Final = re.compile(
    r"\b(?:si|if|et non|non pas|not|pas|au lieu|instead|faux|wrong|erreur|au moins|at least"
    r"|exactement|exactly|commen\w*|termin\w*|start\w*|begin\w*|end\w*|apres|after|dont)\b"
)


def read_counted_outcomes(passage: Passage) -> Iterator[Statement]:
    """Yield the numbers of outcomes that an answer counts, and their probabilities."""
    said = passage.asked + "\n" + passage.write_answer()
    yield from read_draws(passage)
    if passage.has_example:
        return
    if "codes" in said or "numbers" in said or "nombres" in said:
        yield from _read_codes(passage, said)
    if "anagram" in said:
        yield from _read_anagrams(passage, said)
    if re.search(r"\b(?:parmi|from|comites?|committees?|equipes?|teams?|delegations?)\b", said):
        yield from _read_choices(passage, said)
    if re.search(r"\bterm(?:e)?s\b", said):
        yield from _read_terms(passage)


# Codes and anagrams -------------------------------------------------------------------------------

_CODES: Final = re.compile(
    r"\b(?:codes?|mots de passe|nombres|pins?) (?:secrets? )?(?:de|a) (?P<n>\d{1,2}) chiffres"
    r"|\b(?P<n2>\d{1,2})[- ]digit (?:codes?|pins?|numbers?)"
)
_DIGITS_FROM: Final = re.compile(
    r"\b(?:chiffres|digits) (?:(?:de|from) )?(?P<a>\d) (?:a|to) (?P<b>\d)\b"
)
_POWER: Final = re.compile(
    r"(?<![\d.,^])(?P<base>\d{1,2})(?:\^\{?(?P<e>\d{1,2})|(?P<s>[⁰¹²³⁴-⁹]{1,2}))"
)


def _read_codes(passage: Passage, said: str) -> Iterator[Statement]:
    """Read `codes de 4 chiffres … de 0 à 9 : 10⁴`."""
    lengths = {each["n"] or each["n2"] for each in _CODES.finditer(said)}
    ranges = {each.group("a", "b") for each in _DIGITS_FROM.finditer(said)}
    if len(lengths) != 1 or len(ranges) != 1:
        return
    length, (first, last) = int(lengths.pop()), ranges.pop()
    choices = int(last) - int(first) + 1
    for line in passage.lines:
        for found in _POWER.finditer(line.text):
            base = int(found["base"])
            power = int(found["e"] or found["s"].translate(_SUPERSCRIPTS))
            if not line.is_own or _DOUBT.search(line.text) or choices < 2:
                continue
            if (base, power) == (choices, length):
                yield decide(found[0], "")
            elif (base, power) == (length, choices) and length**choices != choices**length:
                yield decide(found[0], f"{length} digits with {choices} choices each")


_WORD: Final = re.compile(
    r"\banagramm?e?s? (?:(?:du|de|of|pour|le|the|mot|word|possibles|in) )*"
    r"[\"«“'* ]*(?P<w>[a-z]{3,14})\b"
)
_ANAGRAMS: Final = re.compile(
    rf"(?<![\d.,=+×÷/] )(?<![\d.,])(?P<c>{DIGITS}) (?:different |possible |distinct )?anagram"
)
_NO_WORD: Final = re.compile(
    r"(?:du|de|of|mot|word|est|sont|is|are|possibles?|qui|that|donc|with|avec)"
)


def _read_anagrams(passage: Passage, said: str) -> Iterator[Statement]:
    """Read `anagrammes du mot ANANAS … Il y a donc 60 anagrammes`."""
    words = {each["w"] for each in _WORD.finditer(said) if not _NO_WORD.fullmatch(each["w"])}
    if len(words) != 1:
        return
    letters = Counter(words.pop())
    expected = factorial(letters.total()) // prod(map(factorial, letters.values()))
    for line in passage.lines:
        found = _ANAGRAMS.search(line.text)
        if found and line.is_own and not _DOUBT.search(line.text):
            is_right = expected in read_values(found["c"])
            yield decide(found[0], "" if is_right else f"there are {expected}")


# Choices ------------------------------------------------------------------------------------------

_TWO_KINDS: Final = re.compile(
    r"(?<![\w.,/])(?P<n>\d{1,2}) (?P<a>[a-z]{3,}) (?:et|and) (?P<m>\d{1,2}) (?P<b>[a-z]{3,})\b"
)
_CHOSEN: Final = re.compile(
    r"(?<![\w.,/])(?P<k>\d{1,2}) (?:[a-z]+ ){1,3}?(?:parmi|(?:is |are |can be )?(?:chosen )?from"
    r"(?: a)?(?: (?:class|group|club))*(?: of)?) (?P<n>\d{1,3})\b"
)
_NO_ORDER: Final = re.compile(
    r"l'ordre ne compte pas|l'ordre n'a pas|order (?:does not|doesn't|is not) (?:matter|import)"
    r"|\bcombinaisons?\b|\bcombinations?\b"
)
_WAYS: Final = re.compile(
    rf"(?<![\d.,])(?P<c>{DIGITS}) (?:(?:possible|different) )?(?:comites|equipes|groupes"
    r"|delegations|choix|committees|teams|groups|choices)\b"
)
_ROLES: Final = re.compile(
    r"\b(?:president\w*|roles? (?:etai|differ)\w*|podium|secreta\w*|si les|if the|repet\w*)\b"
)


def _read_choices(passage: Passage, said: str) -> Iterator[Statement]:
    """Read `2 filles et 1 garçon … de 12 filles et 8 garçons`, `3 délégués parmi 10 élèves`."""
    expected = _count_pairs(said)
    chosen = {each.group("k", "n") for each in _CHOSEN.finditer(said)}
    if expected is None and len(chosen) == 1 and _NO_ORDER.search(said):
        few, many = map(int, chosen.pop())
        expected = comb(many, few) if 0 < few < many else None
    if expected is None:
        return
    has_roles = _ROLES.search(said)
    for line in passage.lines:
        found = _WAYS.search(line.text)
        is_meant = line.is_own and not _DOUBT.search(line.text) and "?" not in line.text
        if (
            not found
            or not is_meant
            or (has_roles and not re.search(r"\b(?:ici|here)\b", line.text))
        ):
            continue
        is_right = expected in read_values(found["c"])
        yield decide(found[0], "" if is_right else f"there are {expected}")


def _count_pairs(said: str) -> int | None:
    """Return the number of choices of two kinds out of both; None: the text does not say them."""
    pairs: set[tuple[tuple[str, int], ...]] = set()
    for found in _TWO_KINDS.finditer(said):
        kinds = ((found["a"][:3], int(found["n"])), (found["b"][:3], int(found["m"])))
        pairs.add(tuple(sorted(kinds)))
    if len(pairs) != 2:
        return None
    (one, other), (first, second) = pairs
    if one[0] != first[0] or other[0] != second[0] or one[0] == other[0]:
        return None
    sizes = [sorted((one[1], first[1])), sorted((other[1], second[1]))]
    has_bigger = (one[1] > first[1]) == (other[1] > second[1])
    return prod(comb(many, few) for few, many in sizes) if has_bigger else None


# Terms of a sum -----------------------------------------------------------------------------------

_RANK: Final = r"[_{ ]*(?P<%s>\d{1,3}|[₀-₉]{1,3})\}?"
_SUM: Final = re.compile(
    rf"\b(?P<u>[a-z]){_RANK % 'a'} ?\+[^=]{{0,60}}?"
    rf"(?:…|\.\.\.|⋯|\\[a-z]*dots) ?\+ ?(?P=u){_RANK % 'b'}(?!\d)"
    rf"|\b(?:de|from) (?P<v>[a-z])_?{_RANK % 'c'} (?:a|to|jusqu'a) (?P=v)_?{_RANK % 'd'}(?!\d)"
)
_COUNT: Final = re.compile(
    r"\b(?:compte|comporte|contient|y a|has|have|contains|are|a|soit)(?: (?:donc|bien|so))? "
    r"(?P<c>\d{1,3}) term(?:e)?s\b"
)


def _read_terms(passage: Passage) -> Iterator[Statement]:
    """Read `u₀ + u₁ + … + u₁₀ : il y a 11 termes`."""
    known: int | None = None
    for line in passage.lines:
        if not line.text:
            continue
        found = _SUM.search(line.text)
        if found:
            ends = (found["a"] or found["c"], found["b"] or found["d"])
            first, last = (int(each.translate(_SUBSCRIPTS)) for each in ends)
            known = last - first + 1 if last > first else None
        count = _COUNT.search(line.text)
        if count and known and line.is_own and not _DOUBT.search(line.text):
            is_right = int(count["c"]) == known
            yield decide(count[0], "" if is_right else f"there are {known} terms")
        known = known if found else None
