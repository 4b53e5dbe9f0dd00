"""Check probabilities of draws from an urn whose content is stated, and of a binomial law."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb
from typing import Final

from bot.maths.checks.passages import Passage, Shown, decide, read_result
from bot.maths.exact.algebra_questions import Statement
from bot.maths.reading.plain_words import DIGITS, read_values

_COLOUR: Final = (
    r"(?:rouges?|bleue?s?|vert(?:e?s)?|verte|jaunes?|noire?s?|blanc(?:he)?s?|roses?|violet(?:te)?s?"
    r"|orange|grise?s?|marron|red|blue|green|yellow|black|white|pink|purple|brown|grey)"
)
_PART: Final = re.compile(rf"(?<![\w.,/])(?P<n>\d{{1,3}}) (?:[a-z]{{3,}} )?(?P<c>{_COLOUR})\b")
_VESSEL: Final = re.compile(
    r"\b(?:urnes?|sacs?|sachets?|boites?|paniers?|bags?|box(?:es)?|urns?|jars?|baskets?|trousses?)\b"
)
_CHANGED: Final = re.compile(
    r"\b(?:ajout\w*|enlev\w*|retir\w*|add\w*|remov\w*|numerot\w*|numbered|(?:deux|two|2|3) (?:urn"
    r"|sac|boite|bag|box)\w*|(?:seconde?|deuxieme|autre|other) (?:urn|sac|boite|bag|box)\w*"
    r"|plus que)\b"
)
_WITHOUT: Final = re.compile(
    r"\b(?:sans remise|sans (?:la |les )?remettre|without (?:replacement|replacing|putting))"
)
_WITH: Final = re.compile(r"\b(?:avec remise|with replacement|(?:on|il|elle) (?:la |le )?remet\b)")
_SINGLE: Final = re.compile(
    r"\b(?:tire|pioche|prend|prelev\w+|choisi\w*|draw\w*|drawn|pick\w*|chosen|tak\w+)\b"
)
_SEVERAL: Final = re.compile(
    r"\b(?:(?:deux|trois|quatre|two|three|four) (?:[a-z]+ )?(?:boules|billes|jetons|balls"
    r"|marbles|pens|counters|fois|times|tirages|draws|cartes|bonbons|objets|sweets|stylos)"
    r"|(?:tire|pioche|prend|draws?|picks?|takes?) [2-9]|[2-9] (?:fois|times|tirages|draws)"
    r"|successi\w+|simultane\w*|(?:seconde?|deuxieme|2e|2nd|autre|another)"
    r" (?:tirage|draw|boule|ball|bille|jeton|marble))\b"
)
_DOUBT: Final = re.compile(r"\b(?:si|if|et non|au lieu|instead|faux|wrong|erreur|sachant|given)\b")
_CHANCE: Final = re.compile(
    rf"\bp ?\((?P<not>(?:non|pas|not|no) )?(?P<c>{_COLOUR})"
    rf"(?: (?:ou|or) (?P<other>{_COLOUR}))?\) ?[=≈](?P<rest>.*)"
)
_END: Final = re.compile(
    r"(?:[;:🎉✅👍]|, |\. |\bdonc\b|\bso\b|\bsoit\b|\bcar\b"
    r"|\((?![\d(])|\bet\b|\band\b).*"
)
_FACTOR: Final = r"\(?(?P<a{0}>\d{{1,3}})\)? ?/ ?\(?(?P<b{0}>\d{{1,3}})\)?"
_PRODUCT: Final = re.compile(
    rf"(?<![\d/.,] )(?<![\d/.,×(]){_FACTOR.format(1)} ?[×*] ?{_FACTOR.format(2)}(?![\d.,]*\d)"
)


def read_draws(passage: Passage) -> Iterator[Statement]:
    """Yield the probabilities of an answer that what is drawn from decides."""
    said = passage.asked + " " + passage.write_answer()
    if passage.has_example:
        return
    if _VESSEL.search(said) and not _CHANGED.search(said):
        content = _find_content(passage)
        if content:
            yield from _read_urn(passage, content, said)
    if "binomial" in said or re.search(r"\bsuit la loi|\bfollows\b|~|∼", said):
        yield from _read_binomial(passage, said)
    yield from _read_even_chances(passage)


def _get_stem(colour: str) -> str:
    return colour[:4]


def _find_content(passage: Passage) -> dict[str, int]:
    """Return how many things of each colour an urn holds; empty: it is not stated once."""
    for text in (*passage.asked.split(" . "), *(line.text for line in passage.lines)):
        parts = [(_get_stem(each["c"]), int(each["n"])) for each in _PART.finditer(text)]
        if len(parts) > 1 and _VESSEL.search(text):
            content = dict(parts)
            is_whole = len(content) == len(parts) and not re.search(r"\bautres?|others?\b", text)
            return content if is_whole and all(content.values()) else {}
    return {}


# Urns ---------------------------------------------------------------------------------------------


def _read_urn(passage: Passage, content: Mapping[str, int], said: str) -> Iterator[Statement]:
    is_without, is_with = _WITHOUT.search(said), _WITH.search(said)
    is_single = not (is_without or is_with or _SEVERAL.search(said)) and _SINGLE.search(said)
    for line in passage.lines:
        if not line.is_own or _DOUBT.search(line.text):
            continue
        if is_single:
            yield from _read_colour(line.text, content)
        elif bool(is_without) != bool(is_with):
            yield from _read_product(line.text, content, is_without=bool(is_without))


def _read_colour(text: str, content: Mapping[str, int]) -> Iterator[Statement]:
    """Read `P(verte) = 3/12`, `P(bleue ou jaune) = 4/12 + 3/12 = 7/12`, `P(non rouge) = 2/3`."""
    found = _CHANCE.search(text)
    shown = read_result("=" + _END.sub("", found["rest"])) if found else None
    if not found or not shown:
        return
    colours = {_get_stem(each) for each in (found["c"], found["other"]) if each}
    if not colours <= content.keys() or (found["not"] and found["other"]):
        return
    total = sum(content.values())
    share = Fraction(sum(content[each] for each in colours), total)
    share = 1 - share if found["not"] else share
    yield decide(found[0], "" if shown.is_near(share) else f"it is {share}")


def _read_product(
    text: str, content: Mapping[str, int], *, is_without: bool
) -> Iterator[Statement]:
    """Read `5/8 × 4/7` of two draws without replacement."""
    total = sum(content.values())
    counts = set(content.values())
    for found in _PRODUCT.finditer(text):
        one, below, other, then = (int(found[each]) for each in ("a1", "b1", "a2", "b2"))
        if below != total or one not in counts or then not in (total, total - 1):
            continue
        is_same = then == total
        if is_same == is_without:
            how = "one is left out" if is_without else "all are there again"
            yield decide(found[0], f"at the second draw {how}: out of {total - is_without}")
        elif is_without and (other in counts or other == one - 1):
            yield decide(found[0], "")


# The binomial law ---------------------------------------------------------------------------------

_VALUE: Final = rf"\(?(?:{DIGITS})\)?(?: ?/ ?\(?\d{{1,3}}\)?)?"
_LAW: Final = re.compile(
    rf"\bb\}}?(?: ?\\left)? ?\( ?(?P<n>\d{{1,2}}) ?[;,] (?P<p>{_VALUE})"
    rf"|\bn = (?P<n2>\d{{1,2}}),? (?:et |and )?(?:de |with )?p = (?P<p2>{_VALUE})"
)
_EQUAL: Final = re.compile(r"\bp ?\( ?[a-z] ?= ?(?P<k>\d{1,2}) ?\) ?[=≈](?P<rest>.*)")


def _read_binomial(passage: Passage, said: str) -> Iterator[Statement]:
    """Read `X suit la loi B(4 ; 1/6)`, `P(X = 1) = 4 × 1/6 × (5/6)³ = 500/1296`."""
    laws: set[tuple[int, Fraction]] = set()
    for found in _LAW.finditer(said):
        chance = read_result("=" + (found["p"] or found["p2"]))
        if chance:
            laws.add((int(found["n"] or found["n2"]), chance.value))
    if len(laws) != 1:
        return
    count, chance = laws.pop()
    for line in passage.lines:
        found = _EQUAL.search(line.text) if line.is_own else None
        if not found or not 0 < chance < 1 or _DOUBT.search(line.text):
            continue
        shown = read_result("=" + _END.sub("", found["rest"])) if "=" in found["rest"] else None
        hits = int(found["k"])
        if shown and hits <= count:
            expected = comb(count, hits) * chance**hits * (1 - chance) ** (count - hits)
            why = "" if shown.is_near(expected) else f"it is {expected}"
            yield decide(found[0], why)


# One chance in two --------------------------------------------------------------------------------

_HALF: Final = re.compile(
    r"\b(?P<how>plus|moins|more|less) (?:d'|than )(?:une|1|one|a) (?:chance|out of)"
    r" (?:sur|in|out of) (?:deux|2|two)\b"
)
_OF_EVENT: Final = re.compile(
    r"\b(?:p ?\([^()=]{0,40}\)|probabilit[a-z]+[^=≈]{0,99}) ?[=≈](?P<rest>.*)"
)


def _read_even_chances(passage: Passage) -> Iterator[Statement]:
    """Read `P(A) = 7/12. C'est plus d'une chance sur deux`."""
    last: Shown | None = None
    for line in passage.lines:
        found = _HALF.search(line.text)
        if found and last and line.is_own and not re.search(r"\b(?:pas|not|si|if)\b", line.text):
            inner = [min(read_values(each)) for each in re.findall(DIGITS, line.text)]
            is_more = found["how"] in ("plus", "more")
            is_right = last.value > Fraction(1, 2) if is_more else last.value < Fraction(1, 2)
            if not inner:
                yield decide(found[0], "" if is_right else f"the chance is {last.value}")
        if not line.text:
            continue
        event = _OF_EVENT.search(line.text)
        last = read_result("=" + _END.sub("", event["rest"])) if event else None
