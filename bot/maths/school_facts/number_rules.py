"""Check general rules of numbers: divisibility by digits, parity, factors that undo each other.

Rules about all whole numbers are tried on the first thousand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Final, TypeAlias

from bot.maths.exact.arithmetic import is_prime
from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS, NUMBER
from bot.maths.school_facts.fact_patterns import END, FactRule, decide, make_rule

Has: TypeAlias = Callable[[int], bool]
_TRIED: Final = range(1, 1_001)

# Properties of whole numbers ----------------------------------------------------------------------

_LIST: Final = r"\d+(?:(?:, | ou | or |, ou |, or | et | and )\d+)*"
_LAST: Final = (
    rf"(?:(?:se termine\w*|fini\w*|se finit|se finissent)(?: toujours)? par (?:un |une |le"
    rf" chiffre |les chiffres )?"
    rf"|(?:ends?|ending|finish\w*)(?: always)? (?:in|with) (?:an? )?"
    rf"|(?:(?:a |ont )?(?:son|leur|pour|le) (?:dernier chiffre|chiffre des unites)(?: est|"
    rf" vaut)?|(?:its|the) last digit is"
    rf"|le chiffre des unites (?:est|vaut)) (?:un |an? )?)(?P<last{{0}}>{_LIST}|pair|even|impair"
    rf"|odd)"
)
_DIVISIBLE: Final = (
    r"(?:(?:est |sont |is |are |etre )?(?:toujours |always )?(?:divisibles? (?:par|by)|(?:un "
    r"|des |an? )?multiples? (?:de|of)) "
    r"(?P<by{0}>\d+))"
)
_KIND: Final = (
    r"(?:(?:est |sont |is |are )?(?:toujours |always |aussi )?(?P<kind{0}>impair|pair|premier"
    r"|even|odd|prime)s?)"
)
_SUM: Final = (
    r"(?:la somme de (?:ses|leurs) chiffres est (?:divisible par|un multiple de) (?P<sum{0}>\d+)"
    r"|(?:the sum of its digits|its digit sum) is (?:divisible by|a multiple of) (?P<sumof{0}>\d+))"
)
_ENDING: Final = (
    r"(?:(?:ses |les |its |the )?(?:deux derniers chiffres|last two digits) (?:forment|sont|form"
    r"|make|are) "
    r"(?:un nombre |un |a number )?(?:divisible par|multiple de|divisible by) (?P<two{0}>\d+))"
)
_PROPERTY: Final = rf"(?:{_DIVISIBLE}|{_LAST}|{_KIND}|{_SUM}|{_ENDING})"


def _property(at: int) -> str:
    """Return the pattern of a property, whose groups end in a number."""
    return _PROPERTY.replace("{0}", str(at))


_KINDS: Final[dict[str, Has]] = {
    "pair": lambda n: n % 2 == 0, "even": lambda n: n % 2 == 0, "impair": lambda n: n % 2 == 1,
    "odd": lambda n: n % 2 == 1, "premier": is_prime, "prime": is_prime,
}  # fmt: skip


def _divides(divisor: str) -> Has | None:
    value = int(divisor)
    return (lambda n: n % value == 0) if 0 < value <= 100 else None


def _find_property(match: re.Match[str], at: int) -> Has | None:
    """Return the property of a match; None: it is unknown."""
    groups = {name: match.groupdict().get(f"{name}{at}") for name in ("by", "last", "kind", "two")}
    digit_sum = match[f"sum{at}"] or match[f"sumof{at}"]
    if groups["kind"]:
        return _KINDS[groups["kind"]]
    if groups["by"]:
        return _divides(groups["by"])
    if groups["last"]:
        return _find_ending(groups["last"])
    if divides := _divides(digit_sum or groups["two"] or "0"):
        if digit_sum:
            return lambda n: divides(sum(map(int, str(n))))
        return lambda n: divides(n % 100)
    return None


def _find_ending(text: str) -> Has:
    if text in _KINDS:
        return _KINDS[text]
    endings = tuple(re.findall(r"\d+", text))
    return lambda n: str(n).endswith(endings)


def _check_implication(match: re.Match[str]) -> Iterable[str]:
    """Read `tous les nombres pairs sont divisibles par 4`: the first property has the second one as
    a consequence."""
    return _imply(_find_property(match, 0), _find_property(match, 1))


def _check_criterion(match: re.Match[str]) -> Iterable[str]:
    """Read `un nombre est divisible par 4 si son dernier chiffre est 4`: the second property has
    the first one as a consequence; with `seulement si`, also the other way."""
    first, second = _find_property(match, 0), _find_property(match, 1)
    is_only = re.search(r"\b(?:seulement|uniquement|only)\b", match[0])
    yield from _imply(second, first)
    if is_only:
        yield from _imply(first, second)


def _imply(first: Has | None, second: Has | None) -> Iterable[str]:
    if first is None or second is None:
        return ()
    counterexample = next((n for n in _TRIED if first(n) and not second(n)), None)
    return decide(counterexample is None, f"{counterexample} is a counterexample")


def _check_parity(match: re.Match[str]) -> Iterable[str]:
    """Read `la somme de deux nombres impairs est paire`."""
    first = _KINDS[match["first"]]
    second = _KINDS[match.groupdict().get("second") or match["first"]]
    is_product = match["how"] in ("produit", "product")
    result = _KINDS[match["result"]]
    pairs = [(a, b) for a in (2, 3, 4, 7) for b in (2, 3, 4, 9) if first(a) and second(b)]
    wrong = [(a, b) for a, b in pairs if not result(a * b if is_product else a + b)]
    return decide(
        not wrong, f"{wrong[0][0]} and {wrong[0][1]} are a counterexample" if wrong else ""
    )


def _check_zero(match: re.Match[str]) -> Iterable[str]:
    """Read `0 est un diviseur de 5`."""
    return decide(
        max(read_values(match["of"]), default=Fraction(0)) == 0, "0 divides no other number"
    )


# Factors ------------------------------------------------------------------------------------------

_SHARES: Final = {
    "double": Fraction(2), "triple": Fraction(3), "quadruple": Fraction(4),
    "moitie": Fraction(1, 2),
    "half": Fraction(1, 2), "tiers": Fraction(1, 3), "third": Fraction(1, 3),
    "quart": Fraction(1, 4),
    "quarter": Fraction(1, 4), "dixieme": Fraction(1, 10), "tenth": Fraction(1, 10),
    "centieme": Fraction(1, 100), "cinquieme": Fraction(1, 5), "fifth": Fraction(1, 5),
}  # fmt: skip
_SHARE: Final = "|".join(_SHARES)
_FACTOR: Final = (
    r"(?:(?P<act{0}>multipl\w+|divis\w+|dividing)(?: un nombre| ce nombre| le nombre| a number)?"
    r" (?:par|by) "
    rf"(?P<by{{0}}>(?:\d+/\d+|{DIGITS}|{NUMBER})(?!\d| ?[/×*%]))"
    r"|(?:prendre|calculer|trouver|taking|finding|take|find) (?:(?P<percent{0}>\d+) ?%|(?:le |la"
    r" |les |the |a |one |un )?"
    rf"(?P<share{{0}}>{_SHARE}))(?: (?:d'un nombre|de ce nombre|of a number|de la quantite))?)"
)
_SAME: Final = (
    r"(?:,? (?:c'est|ca revient|cela revient|revient|equivaut|c'est la meme chose|est la meme"
    r" chose|c'est pareil"
    r"|c'est comme|est equivalent|is the same as|means|is|is like|is equivalent to|amounts to)"
    r"(?: (?:a|au meme|exactement|donc|aussi|comme|que|de|si on|the same as))*| =) "
)


def _find_factor(match: re.Match[str], at: int) -> frozenset[Fraction]:
    groups = match.groupdict()
    if share := groups.get(f"share{at}"):
        return frozenset((_SHARES[share],))
    if percent := groups.get(f"percent{at}"):
        return frozenset((Fraction(int(percent), 100),))
    written = groups[f"by{at}"] or ""
    if "/" in written:
        above, below = map(int, written.split("/"))
        values = frozenset((Fraction(above, below),)) if below else frozenset[Fraction]()
    else:
        values = read_values(written)
    if (groups[f"act{at}"] or "").startswith("divi"):
        return frozenset(1 / value for value in values if value)
    return values


def _check_factors(match: re.Match[str]) -> Iterable[str]:
    """Read `multiplier par 0,5 revient à diviser par 2`, `prendre 25 %, c'est diviser par 4`."""
    one, other = _find_factor(match, 0), _find_factor(match, 1)
    if not one or not other or _STEPS.match(match.string, match.end()):
        return ()
    return decide(bool(one & other), f"it is multiplying by {min(one)}")


_STEPS: Final = re.compile(
    r",? ?(?:puis|et|ensuite|then|and|moins|plus|encore|suivi|\(|again|twice)"
)
"""Words of a further step."""
_SMALLER: Final = r"plus petit\w*|inferieur\w*|moins|smaller|less"
_COMPARED: Final = rf"(?P<how>plus grand\w*|superieur\w*|greater|bigger|larger|more|{_SMALLER})"


def _check_unit(match: re.Match[str]) -> Iterable[str]:
    """Read `5/4 est plus petit que l'unité`."""
    if int(match["below"]) == 0:
        return ()
    value = Fraction(int(match["above"]), int(match["below"]))
    is_smaller = bool(re.fullmatch(_SMALLER, match["how"]))
    is_right = value < 1 if is_smaller else value > 1
    return decide(is_right, f"{match['above']}/{match['below']} is {float(value):g}")


_PART_VALUES: Final = {
    **_SHARES, "huitieme": Fraction(1, 8), "eighth": Fraction(1, 8), "sixieme": Fraction(1, 6),
    "demi": Fraction(1, 2), "sixth": Fraction(1, 6), "halve": Fraction(1, 2),
    "hundredth": Fraction(1, 100),
    "millieme": Fraction(1, 1000),
}  # fmt: skip
_PARTS: Final = "|".join(
    each for each in _PART_VALUES if each not in ("double", "triple", "quadruple")
)
_WHOLES: Final = {
    "entier": 1, "unite": 1, "whole": 1, "demi": Fraction(1, 2), "half": Fraction(1, 2),
    "moitie": Fraction(1, 2), "quart": Fraction(1, 4), "quarter": Fraction(1, 4),
    "dixieme": Fraction(1, 10), "tenth": Fraction(1, 10),
}  # fmt: skip
_WHOLE: Final = "|".join(_WHOLES)


def _check_parts(match: re.Match[str]) -> Iterable[str]:
    """Read `il faut 4 quarts pour faire un entier`."""
    counts, part = read_values(match["count"]), match["part"]
    value = _PART_VALUES.get(part) or _PART_VALUES.get(part.removesuffix("s"))
    if value is None or len(counts) != 1:
        return ()
    total = max(counts) * value
    return decide(total == _WHOLES[match["whole"]], f"they make {total}")


_CONDITION: Final = (
    r",? (?:s'ils?|si(?: et seulement si)?|quand|lorsqu[e']|des que|seulement si|uniquement si"
    r"|if(?: and only if)?|when|only if)"
    r" ?(?:(?:le nombre|il|ce nombre|it|elle|la|le) )?"
)
_CONTINUES: Final = r"(?!,? (?:ou|et|or|and|mais|sauf|except)\b)"
NUMBER_RULES: Final[tuple[FactRule, ...]] = (
    make_rule(
        "divisible divisibles multiple multiples pair impair pairs impairs premier premiers even"
        " odd prime",
        rf"(?:tous les|tout|chaque|les|un|all|every|each|any|an?) (?:(?:nombres?|entiers?"
        rf"|numbers?|whole numbers?) )?"
        rf"(?:(?:qui|that|which|dont) )?{_property(0)}(?: numbers?)?,?"
        rf" {_property(1)}{_CONTINUES}{END}",
        _check_implication,
    ),
    make_rule(
        "divisible multiple pair impair even odd",
        rf"(?:tout |un |le |a |the |any )?(?:nombre|entier|number)"
        rf" {_property(0)}{_CONDITION}{_property(1)}"
        rf"{_CONTINUES}{END}",
        _check_criterion,
    ),
    make_rule(
        "divisible multiple pair impair even odd",
        rf"(?:pour (?:savoir|voir|verifier) si|to (?:know|see|check) (?:if|whether)) (?:un|a)"
        rf" (?:nombre|number) "
        rf"{_property(0)},? (?:on|tu|je|we|you) (?:regarde|verifie|regardes|check|look) (?:si|if"
        rf"|whether) "
        rf"(?:(?:il|it) )?{_property(1)}{_CONTINUES}{END}",
        _check_criterion,
    ),
    make_rule(
        "pair paire impair impaire even odd",
        r"(?:la |le |the )?(?P<how>somme|produit|sum|product) (?:de|of) (?:deux|two) (?:nombres "
        r"|entiers )?"
        r"(?P<first>impair|pair|even|odd)s?(?: numbers)? (?:est|is)(?: (?:toujours|always|un|an?"
        r"|nombre))* "
        rf"(?P<result>impair|pair|even|odd)e?(?: number)?{END}",
        _check_parity,
    ),
    make_rule(
        "pair paire impair impaire even odd",
        r"(?:la |le |the )?(?P<how>somme|produit|sum|product) (?:d'un|of an?)(?: nombre)?"
        r" (?P<first>impair|pair|even|odd)"
        r"(?: number)? (?:et|par|and) (?:d'un|un|an?)(?: nombre)? (?P<second>impair|pair|even"
        r"|odd)(?: number)? (?:est|is)"
        rf"(?: (?:toujours|always|un|an?|nombre))* (?P<result>impair|pair|even|odd)e?(?:"
        rf" number)?{END}",
        _check_parity,
    ),
    make_rule(
        "diviseur divise divisor factor divides",
        rf"(?:zero|0) (?:est (?:un |aussi un )?diviseur de|divise|is an? (?:divisor|factor) of"
        rf"|divides) (?P<of>{DIGITS}){END}",
        _check_zero,
    ),
    make_rule(
        "multiplier multiplie multiplies diviser divise multiply multiplying divide dividing"
        " prendre calculer trouver taking finding",
        rf"(?:(?:donc|quand on|si on|to)"
        rf" )?{_FACTOR.replace('{0}', '0')}{_SAME}{_FACTOR.replace('{0}', '1')}{END}",
        _check_factors,
    ),
    make_rule(
        "fraction unite un one whole entier 1",
        rf"(?:(?:une|la|a|the) fraction (?:comme |like |de"
        rf" )?)?\(?(?P<above>\d{{1,3}})\)?/\(?(?P<below>\d{{1,3}})\)?"
        rf" (?:est|is) (?:donc )?{_COMPARED} (?:que|a|than) (?:1|un|l'unite|one|a|one|un entier"
        rf"|1 entier)(?: whole| unite| entier)?"
        r"(?! ?[/\d,.]\d)(?=[ .,;:!)]|$)",
        _check_unit,
    ),
    make_rule(
        "quart quarts demi demis tiers dixieme dixiemes centiemes quarter quarters half halves"
        " third thirds tenths huitiemes",
        rf"(?:(?:il faut|on a besoin de|you need|we need|it takes) )?(?P<count>{NUMBER})"
        rf" (?P<part>(?:{_PARTS})s?)"
        rf" (?:font|forment|pour faire|pour avoir|make|to make|equal|=)(?: exactement)? (?:un"
        rf"|une|l'|a|one|1) ?"
        rf"(?P<whole>{_WHOLE}){END}",
        _check_parts,
    ),
)
"""The rules for properties of numbers and factors."""
