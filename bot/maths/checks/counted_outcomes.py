"""Check how many codes, anagrams, committees and terms of a sum an answer counts; probabilities of
dice, coins, cards and numbered things, of draws from an urn, of a binomial law.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Final, TypeAlias

from bot.formulas.line_text import FROM_SUBSCRIPTS, FROM_SUPERSCRIPTS
from bot.maths.checks.passages import Passage, Shown, read_result
from bot.maths.exact.algebra_questions import Check, Statement, decide
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Solutions, apply, number
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS, NO_MORE_DIGITS, THEN
from bot.maths.reading.wording import Found, claim, whole

# Draws --------------------------------------------------------------------------------------------

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
    r"\b(?:tirer?|piocher?|prend|prelev\w+|choisi\w*|draw\w*|drawn|pick\w*|chosen|tak\w+)\b"
)
_SEVERAL: Final = re.compile(
    r"\b(?:(?:deux|trois|quatre|two|three|four) (?:[a-z]+ )?(?:boules|billes|jetons|balls"
    r"|marbles|pens|counters|fois|times|tirages|draws|cartes|bonbons|objets|sweets|stylos)"
    r"|(?:tirer?|piocher?|prend|draws?|picks?|takes?) [2-9]|[2-9] (?:fois|times|tirages|draws)"
    r"|successi\w+|simultane\w*|(?:seconde?|deuxieme|2e|2nd|autre|another)"
    r" (?:tirage|draw|boule|ball|bille|jeton|marble))\b"
)
_OTHER_DRAW: Final = re.compile(
    r"\b(?:si|if|et non|au lieu|instead|faux|wrong|erreur|sachant|given)\b"
)
_CHANCE: Final = re.compile(
    rf"\bp ?\((?P<not>(?:non|pas|not|no) )?(?P<c>{_COLOUR}|[g-z])"
    rf"(?: (?:ou|or) (?P<other>{_COLOUR}))?\) ?[=≈](?P<rest>.*)"
)
_WORDED: Final = re.compile(
    r"\bprobabilit(?:e|y) (?:de |d'|of )(?:tirer|obtenir|avoir|piocher|drawing|getting|picking)"
    rf" (?:(?:une?|an?|boules?|billes?|jetons?|balls?) )*(?P<c>{_COLOUR})(?P<other>)(?P<not>)"
    rf"(?: (?:boule|ball|marble))? (?:est|is|vaut)(?: (?:{THEN}|de|egale a))*(?P<rest> .*)"
)
_END: Final = re.compile(
    r"(?:[;:🎉✅👍]|, |\. |\bdonc\b|\bso\b|\bsoit\b|\bcar\b"
    r"|\((?![\d(])|\bet\b|\band\b).*"
)
_FACTOR: Final = r"\(?(?P<a{0}>\d{{1,3}})\)? ?/ ?\(?(?P<b{0}>\d{{1,3}})\)?"
_PRODUCT: Final = re.compile(
    rf"(?<![\d/.,] )(?<![\d/.,×(]){_FACTOR.format(1)} ?[×*] ?{_FACTOR.format(2)}{NO_MORE_DIGITS}"
)


def _read_draws(passage: Passage) -> Iterator[Statement]:
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
        if not line.is_own or _OTHER_DRAW.search(line.text):
            continue
        if is_single:
            yield from _read_colour(line.text, content)
        elif bool(is_without) != bool(is_with):
            yield from _read_product(line.text, content, is_without=bool(is_without))


def _read_colour(text: str, content: Mapping[str, int]) -> Iterator[Statement]:
    """Read `P(verte) = 3/12` or `P(V)`, `P(bleue ou jaune) = 4/12 + 3/12 = 7/12`, `P(non rouge) =
    2/3`."""
    found = _CHANCE.search(text) or _WORDED.search(text)
    shown = read_result("=" + _END.sub("", found["rest"])) if found else None
    if not found or not shown:
        return
    colours = {_get_stem(each) for each in (found["c"], found["other"]) if each}
    if len(found["c"]) == 1:  # P(V)
        colours = {each for each in content if each.startswith(found["c"])} or {""}
        if len(colours) > 1:
            return
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
        if not found or not 0 < chance < 1 or _OTHER_DRAW.search(line.text):
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


# Counted outcomes ---------------------------------------------------------------------------------

_DOUBT: Final = re.compile(
    r"\b(?:si|if|et non|non pas|not|pas|au lieu|instead|faux|wrong|erreur|au moins|at least"
    r"|exactement|exactly|commen\w*|termin\w*|start\w*|begin\w*|end\w*|apres|after|dont)\b"
)


def read_counted_outcomes(passage: Passage) -> Iterator[Statement]:
    """Yield the numbers of outcomes that an answer counts, and their probabilities."""
    said = passage.asked + "\n" + passage.write_answer()
    yield from _read_draws(passage)
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
            power = int(found["e"] or found["s"].translate(FROM_SUPERSCRIPTS))
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
    rf"\b(?:compte|comporte|contient|y a|has|have|contains|are|a|soit)(?: {THEN})? "
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
            first, last = (int(each.translate(FROM_SUBSCRIPTS)) for each in ends)
            known = last - first + 1 if last > first else None
        count = _COUNT.search(line.text)
        if count and known and line.is_own and not _DOUBT.search(line.text):
            is_right = int(count["c"]) == known
            yield decide(count[0], "" if is_right else f"there are {known} terms")
        known = known if found else None


Outcome: TypeAlias = tuple[int, ...]
Event: TypeAlias = Callable[[Outcome], bool]
_MOST_OUTCOMES: Final = 5_000
_DICE: Final = re.compile(r"(?:(?P<many>#) (?:des|dice)|\b(?:un|le|a|ce|du|one) (?:de|die))\b")
_FACES: Final = re.compile(r"\b(?:a|with) (#) (?:faces|sides)")
_THROWS: Final = re.compile(r"(#) (?:fois|times)")
_COIN: Final = re.compile(r"(?:(?P<many>#) (?:pieces|coins)|\b(?:une|la|a) (?:piece|coin))\b")
_NUMBERED: Final = re.compile(
    r"\b(?:numerote\w* de|numbered from) (?P<first>#) (?:a|to) (?P<last>#)"
)
_CARDS: Final = re.compile(
    r"\b(?:jeu de|deck of|pack of) (#) (?:cartes|cards)"
    r"|\bcarte [^#]{0,20}\b(?:jeu|paquet)(?: ordinaire)? de (#)(?! (?:de|d|pieces|dames)\b)"
)
_RELATIONS: Final[tuple[tuple[str, Callable[[int, int], bool]], ...]] = (
    (r"(?:superieur\w*|plus grand\w*) ou egal\w* (?:a|que)|au moins|at least",
     lambda value, bound: value >= bound),
    (r"(?:inferieur\w*|plus petit\w*) ou egal\w* (?:a|que)|au plus|at most",
     lambda value, bound: value <= bound),
    (r"(?:strictement )?(?:superieur\w*|plus grand\w*)(?: strictement)? (?:a|que)|greater than",
     lambda value, bound: value > bound),
    (r"(?:strictement )?(?:inferieur\w*|plus petit\w*)(?: strictement)? (?:a|que)|less than",
     lambda value, bound: value < bound),
    (r"multiple de|multiple of", lambda value, bound: value % bound == 0),
    (r"diviseur de|divisor of", lambda value, bound: bound % value == 0),
    (r"(?:autre (?:nombre )?que|different de) (?:un |le )?", lambda value, bound: value != bound),
    (r"(?:un|le|a|le nombre|le numero|numero|number)", lambda value, bound: value == bound),
)  # fmt: skip
_KINDS: Final[tuple[tuple[str, Callable[[int], bool]], ...]] = (
    (r"(?:nombre |numero )?(?:pair|even)", lambda value: value % 2 == 0),
    (r"(?:nombre |numero )?(?:impair|odd)", lambda value: value % 2 == 1),
    (
        r"(?:nombre |numero )?(?:premier|prime)",
        lambda value: value > 1 and all(value % each for each in range(2, value)),
    ),
)
_CARD_SHARES: Final[tuple[tuple[str, Fraction], ...]] = (
    (r"(?:coeur|pique|trefle|carreau|heart|spade|club|diamond)s?", Fraction(1, 4)),
    (r"(?:carte )?(?:rouge|noire|red|black)s?(?: card)?", Fraction(1, 2)),
)
_RANKS: Final = r"(?:as|roi|dame|valet|ace|king|queen|jack)"
_SMALL_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "la l le les de d du des un une qu que il elle on n ne pas donc alor et est cell prob even "
        "cont comp so the of not",
    )
)
"""First four letters of words that name no event."""
_OBTAINS: Final = (
    r"(?:d |de |of )?(?:obten\w+|tir\w+|avoir|tomb\w+(?: sur)?|faire|sortir|piocher|getting|rolling"
    r"|drawing)"
)


def _check_chance(found: Found) -> list[Check] | None:
    """Read `On lance deux dés. La probabilité d'obtenir une somme égale à 7 est 1/6`."""
    named = found.name_values()
    claimed = apply("/", named["n"], named["d"]) if "n" in named else named["c"]
    if evaluate(claimed).number > 1 and found.match[0].endswith(": #"):
        return None  # `… avec un dé : 3 cas favorables sur 6`
    said = re.sub(r"^(?:de |d |of )?(?:ne pas|not) ", "", found["event"].strip() + " ")
    is_denied = said != found["event"].strip() + " "
    event = re.sub(rf"^ ?{_OBTAINS} ", "", said).strip()
    event = re.sub(r"^(?:que|qu|d|de|of) ", "", event)
    event = re.sub(
        r" (?:avec|with|en lancant|quand|dans (?:un|le|ce) (?:jeu|paquet)).*$", "", event
    )
    share = _find_share(found, event)
    if share is None:
        return None
    return [claim(number(1 - share if is_denied else share), claimed)]


def _check_complement(found: Found) -> list[Check] | None:
    """Read `La probabilité de gagner est 0,3 ; celle de ne pas gagner est 0,7`; None: the events
    differ."""
    known = {each[:4] for each in found["event"].split()}
    said = {each[:4] for each in re.findall(r"[a-z]+", found["rest"])}
    if not said - _SMALL_WORDS <= known:
        return None
    named = found.name_values()
    return [claim(apply("-", number(1), named["a"]), named["c"])]


def _find_share(found: Found, event: str) -> Fraction | None:
    """Return the share of outcomes in which an event happens; None: it cannot be found."""
    text = found.wording.text
    if cards := _CARDS.search(text):
        return _share_cards(_read(found, cards, 1 if cards[1] else 2), event)
    numbers = [whole(each) for each in found.list_values("event")]
    if coin := _COIN.search(text):
        return _share_coins(_count(found, coin), event, numbers)
    if numbered := _NUMBERED.search(text):
        first, last = (_read(found, numbered, group) for group in ("first", "last"))
        outcomes = [(each,) for each in range(first, last + 1)]
    elif dice := _DICE.search(text):
        faces = _FACES.search(text)
        sides, count = _read(found, faces, 1) if faces else 6, _count(found, dice)
        if sides**count > _MOST_OUTCOMES or sides < 2:
            return None
        outcomes = list(product(range(1, sides + 1), repeat=count))
    else:
        return None
    holds = _read_event(event, numbers, len(outcomes[0]) if outcomes else 0)
    if holds is None or not outcomes:
        return None
    return Fraction(sum(map(holds, outcomes)), len(outcomes))


def _read(found: Found, match: re.Match[str], group: int | str) -> int:
    """Read the whole number at a group of a match in the wording. Raises `Undecidable`: there is
    none."""
    first, _ = found.wording.find_values(*match.span(group))
    value = found.wording.values[first]
    if isinstance(value, Solutions):
        raise Undecidable("It is a pair.")
    return whole(value)


def _count(found: Found, thing: re.Match[str]) -> int:
    """Count how many things are thrown, or how often."""
    if thing["many"]:
        return _read(found, thing, "many")
    before = found.wording.text[: found.match.start("event")]
    throws = _THROWS.search(before)
    return _read(found, throws, 1) if throws else 1


def _share_coins(count: int, event: str, numbers: Sequence[int]) -> Fraction | None:
    if re.fullmatch(r"(?:pile|face|heads|tails)", event) and count == 1:
        return Fraction(1, 2)
    exact = re.fullmatch(
        r"(?:exactement )?# fois (?:pile|face)|# (?:piles|faces|heads|tails)", event
    )
    if exact and 0 < numbers[0] == count <= 12:
        return Fraction(1, 2**count)
    if re.fullmatch(r"au moins une fois (?:pile|face)|au moins un (?:pile|face)", event):
        return 1 - Fraction(1, 2**count) if count <= 12 else None
    return None


def _share_cards(count: int, event: str) -> Fraction | None:
    if count not in (32, 52):
        return None
    plain = re.sub(r"^(?:un|une|le|la|l|a|an|the) ", "", event)
    for pattern, share in _CARD_SHARES:
        if re.fullmatch(pattern, plain):
            return share
    if re.fullmatch(_RANKS, plain):
        return Fraction(4, count)
    is_one = re.fullmatch(rf"{_RANKS} (?:de|of) (?:coeur|pique|trefle|carreau|[a-z]+s)", plain)
    return Fraction(1, count) if is_one else None


def _read_event(event: str, numbers: Sequence[int], count: int) -> Event | None:
    """Read an event as a condition on the outcomes of `count` dice; None: it cannot be read."""
    if count == 2:
        return _read_event_of_two(event, numbers)
    if count != 1:
        return None
    plain = re.sub(r"^(?:un|une|a|an) (?=[a-z])", "", event)
    for pattern, is_so in _KINDS:
        if re.fullmatch(pattern, plain):
            return lambda outcome, is_so=is_so: is_so(outcome[0])
    if event == "#" or re.fullmatch(r"(?:un |le )?# ou (?:un |le )?#", event):
        return lambda outcome: outcome[0] in numbers
    return _read_relation((event, plain), numbers)


def _read_relation(readings: Sequence[str], numbers: Sequence[int]) -> Event | None:
    """Read an event such as `un nombre supérieur à 4` or `un 6`; None: it is none."""
    for (pattern, relates), words in product(_RELATIONS, readings):
        if numbers and re.fullmatch(rf"(?:nombre |numero |number )?(?:{pattern}) ?#", words):
            return lambda outcome, relates=relates: relates(outcome[0], numbers[0])
    return None


def _read_event_of_two(event: str, numbers: Sequence[int]) -> Event | None:
    if re.fullmatch(r"(?:un|a) double", event):
        return lambda outcome: outcome[0] == outcome[1]
    if re.fullmatch(r"(?:un |a )?double #", event):
        return lambda outcome: outcome == (numbers[0], numbers[0])
    if re.fullmatch(
        r"(?:une |la |a )?(?:somme|sum)(?: (?:egale?|de|a|equal|to|of|est|soit))* #", event
    ):
        return lambda outcome: sum(outcome) == numbers[0]
    return None


CHANCE_CHECKS: Final[dict[str, Callable[[Found], Sequence[Check] | None]]] = {
    "chance": _check_chance, "complement": _check_complement,
}  # fmt: skip
"""Checks by their names in `claims.txt`."""
