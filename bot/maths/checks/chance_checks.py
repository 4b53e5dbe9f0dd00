"""Check probabilities of dice, coins, cards and numbered things by counting all outcomes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from bot.maths.exact.algebra_questions import Check
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import Solutions, apply, number
from bot.maths.reading.wording import Found, claim, whole

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
    event = re.sub(rf"^ ?{_OBTAINS} ", "", found["event"].strip() + " ").strip()
    event = re.sub(r"^(?:que|qu|d|de|of) ", "", event)
    event = re.sub(r" (?:avec|with|en lancant|quand).*$", "", event)
    share = _find_share(found, event)
    return None if share is None else [claim(number(share), claimed)]


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
