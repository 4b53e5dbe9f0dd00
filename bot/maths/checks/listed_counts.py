"""Check counts that a text tells: how many things it lists, how many more one has than another.

`(1,6), (2,5), (3,4). Cela fait 3 couples`, `234 boys and 189 girls … 45 more boys than girls`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from bot.maths.checks.passages import Line, Passage, write_number
from bot.maths.exact.algebra_questions import Statement, decide
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS, NUMBER, THEN


def read_listed_counts(passage: Passage) -> Iterator[Statement]:
    """Yield the counts and differences that an answer tells of what stands in the text."""
    yield from _read_lists(passage.lines)
    if not passage.has_example:
        yield from _read_differences(passage)


# Lists --------------------------------------------------------------------------------------------

_JOINT: Final = r"(?:,(?: (?:et |and )?)?| ?; ?| et | and )"
_COUPLES: Final = re.compile(
    rf"\(\d{{1,3}} ?[,;] ?\d{{1,3}}\)(?:{_JOINT}\(\d{{1,3}} ?[,;] ?\d{{1,3}}\)){{2,}}"
)
_NUMBERS: Final = re.compile(
    r"(?<![\d.,/(+×*=-])(?<![+×*/÷=-] )\d{1,4}(?:(?:, (?:et |and )?|; | ; | et "
    r"| and )\d{1,4}){3,}"
    r"(?![\d/)%]|[.,]\d| ?[+×*/÷=…-]|,? ?(?:…|\.\.\.|etc))"
)
_CODES: Final = re.compile(
    r"(?<![A-Z])[A-Z]{2,4}(?:(?:, (?:et |and )?| et | and )[A-Z]{2,4}){2,}(?![A-Z\d]|, ?…)"
)
"""Outcomes in capitals, as of coins: `HH, HT, TH, TT`."""
_THINGS: Final = (
    r"(?:diviseurs?|factors?|multiples?|nombres?|numbers?|couples?|pairs?|issues?|outcomes?|valeurs?"
    r"|values?|cas|cases|solutions?|entiers?|integers?|possibilites|possibilities|primes?|resultats"
    r"|results|combinaisons|combinations|facons|ways)"
)
_COUNTED: Final = re.compile(
    r"\b(?P<by>il y en a(?:vait)?|(?:cela|ca)(?: nous| en)? fait|ce qui fait|soit|there (?:are|is)"
    r"|il y a(?= donc)|that(?:'s| is| makes| gives)|which (?:makes|gives)|this makes"
    r"|on en compte|on a donc)"
    rf"(?: (?:{THEN}|exactement|exactly|en tout|au total))* (?P<n>{NUMBER})\b"
    r"(?![.,]\d| ?[/×*+%-])(?P<rest>[^.,;:!]*)"
)
_REST: Final = re.compile(
    rf"(?:(?: favou?rable| possible)? (?:of them|{_THINGS})?(?: (?:favou?rables?|possibles?"
    r"|premiers?|en tout|au total|in all|in total|altogether|differente?s?))*)?\W*"
)
_PARTIAL: Final = re.compile(
    r"\b(?:symetri\w+|aussi|also|autres?|others?|ordre|order|chaque|each|inverse\w*|meme|same|parmi"
    r"|among|sauf|except|deux fois|twice|somme|sum|produit|product|moyenne|mean|jusqu'a|to)\b|…"
    r"|\.\.\."
)


def _read_lists(lines: Sequence[Line]) -> Iterator[Statement]:
    """Read `Les diviseurs de 18 sont 1, 2, 3, 6, 9 et 18. Il y en a 6`."""
    known: list[tuple[int, str, int]] = []
    for at, line in enumerate(lines):
        found = _find_list(line)
        if found:
            known.append((at, line.text, found[0]))
        said = _COUNTED.search(line.text, found[1] if found else 0)
        if said is None or len(known) != 1 or not line.is_own or "?" in line.text:
            continue
        place, listed, size = known[0]
        if at - place > 1 or lines[place].section != line.section or not lines[place].is_own:
            continue
        between = f"{listed} {line.text}" if at > place else line.text
        thing = re.search(rf"\b{_THINGS}\b", said["rest"])
        if thing and not _may_be_listed(thing[0], listed):
            continue
        is_whole = _REST.fullmatch(said["rest"]) and not _PARTIAL.search(between)
        is_bare = said["by"].startswith(("il y en", "on en")) or _COUPLES.search(listed)
        is_named = is_bare or re.match(
            rf"(?: favou?rable| possible)? (?:of them|{_THINGS})\b", said["rest"]
        )
        is_named = is_named and (re.search(rf"\b{_THINGS}\b", between) or _COUPLES.search(listed))
        is_same = "premier" not in said["rest"] or "premier" in listed
        if is_whole and is_named and (is_same or _is_bare(listed)):
            values = read_values(said["n"])
            is_right = Fraction(size) in values
            yield decide(said[0], "" if is_right else f"the text lists {size}")


def _find_list(line: Line) -> tuple[int, int] | None:
    """Return how many things the only list of a sentence has, and where it ends."""
    lists = [*_COUPLES.finditer(line.text)]
    lists = lists or [*_NUMBERS.finditer(line.text)] or [*_CODES.finditer(line.cased)]
    if len(lists) != 1:
        return None
    text = re.sub(r"(\d) ?[,;] ?(\d+\))", r"\1|\2", lists[0][0])
    items = re.split(r" ?[,;] ?(?:et |and )?| et | and ", text)
    return (len(items), lists[0].end()) if len(set(items)) == len(items) else None


_OF_COUPLES: Final = re.compile(
    r"couples?|pairs?|issues?|outcomes?|cas|cases|possibilit\w+|resultats|results|solutions?"
    r"|combin\w+|ways|facons"
)


def _may_be_listed(thing: str, listed: str) -> bool:
    """Return whether the things that are counted may be those that a sentence lists."""
    if _COUPLES.search(listed):
        return bool(_OF_COUPLES.fullmatch(thing))
    return thing.rstrip("s") in listed or _is_bare(listed) or bool(_CODES.search(listed.upper()))


def _is_bare(text: str) -> bool:
    """Return whether a sentence begins with its list."""
    return bool(re.match(r"\W*\d", text))


# Differences --------------------------------------------------------------------------------------

_NAME: Final = r"(?:[a-z][a-z-]{2,20})"
_MORE: Final = (
    re.compile(
        rf"(?<![\d.,/])(?P<n>{DIGITS}) (?P<way>more|fewer"
        rf"|less) (?P<a>{_NAME}) than (?:there (?:are|is) )?"
        rf"(?P<b>{_NAME})"
    ),
    re.compile(
        rf"(?<![\d.,/])(?P<n>{DIGITS}) (?P<a>{_NAME}) de (?P<way>plus|moins) qu(?:e (?:de |d')?|')"
        rf"(?P<b>{_NAME})"
    ),
)
_BY_NAME: Final = re.compile(
    rf"\b(?P<a>{_NAME}) (?:is|has|a|est|mesure|pese|weighs|measures)(?: {THEN})* "
    rf"(?P<n>{DIGITS}) ?(?P<u>[a-z]+)?(?: [a-z]+)?? (?:de )?(?P<way>plus|moins|more|less|fewer"
    r"|taller|older"
    r"|heavier|longer|shorter|younger|lighter|bigger|smaller)(?: (?:grande?|agee?|lourde?|jeune"
    rf"|petite?|legere?))?(?: [a-z]+)? (?:que? ?|qu'|than )(?P<b>{_NAME})\b"
)
_FEWER: Final = frozenset((
    "moins", "less", "fewer", "shorter", "younger", "lighter", "smaller",
))  # fmt: skip
_HAPPENS: Final = re.compile(
    r"\b(?:donn\w+|gives?|gave|perd\w*|los[et]s?|mang(?!u)\w+|eats?|ate|vend\w*|sells?|sold|achet\w+|buys?"
    r"|bought|arriv\w+|part\w*|puis|then|ensuite|apres|after|avant|before|encore|chaque|each|fois"
    r"|times|%|recoi\w+|gets?|got|ajout\w+|add\w*|leave\w*|left|join\w*|si|if|devr\w+|should)\b|%"
)


_CHANGES: Final = re.compile(
    r"\b(?:donn\w+|gives?|gave|perd\w*|los[et]s?|mang(?!u)\w+|ate|vend\w*|sells?|sold|achet\w+|bought"
    r"|fois|times|twice|double|triple|apres|after)\b"
)


def _read_differences(passage: Passage) -> Iterator[Statement]:
    """Read `A school has 234 boys and 189 girls … There are 45 more boys than girls`."""
    before = passage.asked
    for line in passage.lines:
        text = f"{before} . {line.text}"
        matches = [*(each.search(line.text) for each in _MORE), _BY_NAME.search(line.text)]
        found = next(filter(None, matches), None)
        is_story = _HAPPENS.search(passage.asked) or _CHANGES.search(text)
        if found and line.is_own and not is_story:
            find = _find_owned if found.re is _BY_NAME or _is_person(found, text) else _find_counted
            yield from _judge_difference(found, *(find(text, found, each) for each in "ab"))
        before = text


def _is_person(found: re.Match[str], text: str) -> bool:
    """Return whether two persons are compared: `Awa a 17 billes de plus qu'Issa`."""
    owner = re.search(rf"(?P<who>{_NAME}) (?:en )?(?:a|has|possede)(?: {THEN})? $",
                      found.string[: found.start()])  # fmt: skip
    return bool(owner and _list_owned(text, owner["who"]))


def _find_counted(text: str, found: re.Match[str], group: str) -> Fraction | None:
    """Return the only number of some things in a text; None: it is not clear."""
    stem = re.escape(found[group].rstrip("s"))
    pattern = rf"(?<![\d.,/])(?P<n>{DIGITS}) {stem}(?:s|es)?\b(?! de (?:plus|moins))"
    matches = [each for each in re.finditer(pattern, text)
               if each["n"] != found["n"] or not _is_compared(text, each)]  # fmt: skip
    values = {value for each in matches for value in read_values(each["n"])}
    return min(values) if len(values) == 1 else None


def _is_compared(text: str, found: re.Match[str]) -> bool:
    after = text[found.end() : found.end() + 10]
    return bool(re.match(r" (?:de (?:plus|moins)|than)", after))


def _list_owned(text: str, name: str) -> set[Fraction]:
    """List the numbers that a text says of a person or thing."""
    pattern = (
        rf"\b{re.escape(name)} (?:en )?(?:a|has|is|est|mesure|pese|weighs|measures|possede)"
        rf"(?: (?:{THEN}|aged?|age de))* (?P<n>{DIGITS})(?P<rest>[^.,;]{{0,30}})"
    )
    return {
        value
        for each in re.finditer(pattern, text)
        if not re.search(r"\b(?:de (?:plus|moins)|than|que?)\b", each["rest"])
        for value in read_values(each["n"])
    }


def _find_owned(text: str, found: re.Match[str], group: str) -> Fraction | None:
    name = found["b"]
    if group == "a":
        said = found["a"] if found.re is _BY_NAME else ""
        before = found.string[: found.start()].split()
        names = [each for each in before if each not in ("a", "has", "donc", "so", "en")]
        name = said or (names[-1] if names else "")
    values = _list_owned(text, name) if name else set[Fraction]()
    return min(values) if len(values) == 1 else None


def _judge_difference(
    found: re.Match[str], one: Fraction | None, other: Fraction | None
) -> Iterator[Statement]:
    if one is None or other is None:
        return
    gap = other - one if found["way"] in _FEWER else one - other
    is_right = gap in read_values(found["n"])
    yield decide(found[0], "" if is_right else f"the difference is {write_number(abs(gap))}")
