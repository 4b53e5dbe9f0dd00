"""Check what texts say of the writing of numbers: words, places of digits, Roman numerals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Final

from bot.maths.reading.number_words import words_to_number
from bot.maths.reading.plain_words import read_value, read_values
from bot.maths.reading.roman_numerals import ROMAN, read_roman
from bot.maths.reading.vocabulary import DIGITS, NUMBER, THEN, WORDS
from bot.maths.school_facts.fact_patterns import (
    CLOSE,
    END,
    QUOTE,
    FactRule,
    compile_pattern,
    decide,
    make_rule,
)

_PLACES: Final = {
    "unite": 0, "dizaine": 1, "centaine": 2, "millier": 3, "dizaine de mille": 4,
    "dizaine de millier": 4, "centaine de mille": 5, "centaine de millier": 5, "million": 6,
    "dizaine de million": 7, "centaine de million": 8, "milliard": 9,
    "unite de mille": 3, "mille": 3, "dixieme": -1, "centieme": -2, "millieme": -3,
    "dix-millieme": -4, "one": 0, "unit": 0, "ten": 1, "hundred": 2, "thousand": 3,
    "ten thousand": 4, "ten-thousand": 4, "hundred thousand": 5, "hundred-thousand": 5,
    "tenth": -1, "hundredth": -2, "thousandth": -3,
}  # fmt: skip
_PLACE: Final = (
    r"(?:(?:dizaine|centaine|unite)s? de (?:mille|millier|million)s?|dix-milliemes?"
    r"|(?:unite|dizaine|centaine|millier|million|milliard|dixieme|centieme|millieme)s?|mille"
    r"|ten[ -]thousands?|hundred[ -]thousands?|(?:ten|hundred|thousand|million)ths?"
    r"|(?:one|unit|ten|hundred|thousand|million)s?)\b"
)
_DIGIT: Final = (
    r"(?P<digit>\d(?!\d| \d{3}|[.,]\d)|zero|un|deux|trois|quatre|cinq|six|sept|huit|neuf|one|two"
    r"|three|four|five|seven|eight|nine)"
)
_READ: Final = (
    r"(?: ?(?:=|→|->|:) ?|,? (?:se|s') ?(?:lit|dit|ecrit|prononce)(?: bien| donc| aussi| ainsi)?"
    r"(?:,? en (?:toutes )?lettres| en chiffres)?(?: ?:)? ?"
    r"|,? en (?:toutes )?lettres,? (?:c'est|s'ecrit|=|:|donne) ?"
    r"|,? en chiffres,? (?:c'est|s'ecrit|=|:|donne) ?"
    r"|,? (?:is|are) (?:read|written|pronounced|said)(?: as| in words as| in words| in figures as)?"
    r"(?: ?:)? ?)"
)
_SPOKEN: Final = rf"{WORDS}(?: (?:virgule|point) {WORDS})?"
_PARTS: Final = (
    rf"{WORDS}(?: unites?| entiers?| units?| ones?| wholes?)? (?:et|and) {WORDS}"
    r" (?:dixieme|centieme|millieme|tenth|hundredth|thousandth)s?"
)
_TENTHS: Final = re.compile(
    r"(.+?)(?: unites?| entiers?| units?| ones?| wholes?)? (?:et|and) ([^ ].*) ([a-z]+)"
)


_GOES_ON: Final = re.compile(
    r"\s*(?:,|et|and|plus|\+)\s*(?:\d|[a-z-]+ (?:dizaine|unite|centaine|one|ten|dixieme))"
)


def _is_joined(match: re.Match[str]) -> bool:
    """Return whether a match is only a part of a sum: `4 centaines et 8 dizaines, ça fait 480`."""
    before = match.string[: match.start()].rstrip()
    return before.endswith(("et", "and", "plus", "+")) or bool(
        _GOES_ON.match(match.string, match.end())
    )


# Numbers in words ---------------------------------------------------------------------------------


def _read_words(text: str) -> Fraction | None:
    """Return the number of words, also with parts: `six unités et cinq centièmes`."""
    found = re.fullmatch(_PARTS, text) and _TENTHS.fullmatch(text)
    if not found:
        return words_to_number(text)
    whole, part = words_to_number(found[1]), words_to_number(found[2])
    place = _PLACES.get(found[3].removesuffix("s"))
    if whole is None or part is None or place is None:
        return None
    return whole + part * Fraction(10) ** place


def _check_words(match: re.Match[str]) -> Iterable[str]:
    """Read `95 se lit quatre-vingt-quinze`, `sept unités et trois centièmes : 7,03`."""
    said, values = _read_words(match["words"]), read_values(match["number"])
    if said is None or not values or " " not in match["words"].replace("-", " ").strip():
        return ()
    is_numbered = re.fullmatch(r"\d ?:.*", match[0]) or _is_joined(match)
    if is_numbered or re.search(r"\d[ ,;]*$", match.string[: match.start()]):
        return ()
    return decide(said in values, f"“{match['words']}” is {_show(said)}")


def _show(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"


# Places of digits ---------------------------------------------------------------------------------


def _find_place(name: str) -> int | None:
    singular = re.sub(r"(?<=[a-z])s\b", "", name)
    return _PLACES.get(singular)


def _digit_at(value: Fraction, place: int) -> int:
    return int(value / Fraction(10) ** place) % 10


def _count_places(value: Fraction, place: int) -> int:
    return int(value / Fraction(10) ** place)


def _find_values(match: re.Match[str]) -> frozenset[Fraction]:
    return read_values(match["number"])


def _check_digit(match: re.Match[str]) -> Iterable[str]:
    """Read `dans 274, 4 est le chiffre des dizaines`, and the digits that follow: `le 8 celui des
    dizaines et le 4 celui des unités`."""
    values = _find_values(match)
    yield from _check_one_digit(match["digit"], match["place"], values)
    for rest in compile_pattern(_MORE_DIGITS).finditer(match.string, match.end()):
        yield from _check_one_digit(rest["digit"], rest["place"], values)


def _check_one_digit(digit: str, place: str, values: frozenset[Fraction]) -> Iterator[str]:
    """Check that a digit stands at a place of one of the readings of a number."""
    claimed, at = read_values(digit), _find_place(place)
    if at is None or not claimed:
        return
    digits = {_digit_at(value, at) for value in values}
    yield from decide(
        bool(claimed & digits), f"the {place} digit is {' or '.join(map(str, sorted(digits)))}"
    )


def _check_digit_value(match: re.Match[str]) -> Iterable[str]:
    """Read `dans 4 372, le chiffre 3 vaut 300`."""
    claimed, digits = read_values(match["value"]), read_values(match["digit"])
    right: set[Fraction] = set()
    for value in _find_values(match):
        places = range(-6, 13)
        right |= {
            digit * Fraction(10) ** place
            for digit in digits
            for place in places
            if _digit_at(value, place) == digit and (digit or place >= 0)
        }
    if place := match.groupdict().get("place"):
        at = _find_place(place)
        if at is None:
            return ()
        claimed = frozenset(value * Fraction(10) ** at for value in claimed)
    if not right or 0 in digits:
        return ()
    return decide(bool(right & claimed), f"it is worth {' or '.join(map(_show, sorted(right)))}")


def _check_worth(match: re.Match[str]) -> Iterable[str]:
    """Read `2 est le chiffre des millièmes, il vaut 2/1000`, `6 is in the thousands place, so its
    value is 6 000`."""
    digits, place = read_values(match["digit"]), _find_place(match["place"])
    claimed = read_values(match["value"])
    below = max(read_values(match["below"]), default=Fraction(0)) if match["below"] else Fraction(1)
    claimed = frozenset(each / below for each in claimed if below)
    if place is None or not claimed or 0 in digits:
        return ()
    expected = {digit * Fraction(10) ** place for digit in digits}
    return decide(bool(claimed & expected), f"it is worth {' or '.join(map(str, expected))}")


def _check_parts(match: re.Match[str]) -> Iterable[str]:
    """Read `dans 274, il y a 2 centaines, 7 dizaines et 4 unités`, `dans 1 352, il y a 13
    centaines`: digits, or how many there are."""
    parts = [
        (read_values(each[1]), _find_place(each[2]))
        for each in compile_pattern(_PART).finditer(match["parts"])
    ]
    values = _find_values(match)
    if any(place is None or not counts for counts, place in parts):
        return
    known = [(counts, place) for counts, place in parts if place is not None]
    for value in values:
        total = sum(max(counts) * Fraction(10) ** place for counts, place in known)
        is_each = all(
            counts & {Fraction(_digit_at(value, place)), Fraction(_count_places(value, place))}
            for counts, place in known
        )
        if total == value or is_each:
            yield ""
            return
    yield f"these are not the parts of {match['number']}"


def _check_place_count(match: re.Match[str]) -> Iterable[str]:
    """Read `dans 8 960, le nombre de dizaines est 896`."""
    place, claimed = _find_place(match["place"]), read_values(match["value"])
    if place is None or not claimed:
        return ()
    counts = {Fraction(_count_places(value, place)) for value in _find_values(match)}
    return decide(bool(counts & claimed), f"there are {' or '.join(map(str, sorted(counts)))}")


def _check_amount(match: re.Match[str]) -> Iterable[str]:
    """Read `45 dizaines, c'est 450`, `dix mille, c'est cent fois mille`, `un milliard, c'est mille
    millions`."""
    one, other = _read_amount(match["one"]), _read_amount(match["other"])
    is_named = any(word in match[0] for word in _AMOUNT_WORDS)
    if one is None or other is None or not is_named or _is_joined(match):
        return ()
    return decide(
        one == other, f"“{match['one']}” is {_show(one)}, “{match['other']}” {_show(other)}"
    )


_SETS: Final = {"douzaine": 12, "demi-douzaine": 6, "dizaine": 10, "centaine": 100, "dozen": 12}


def _check_set(match: re.Match[str]) -> Iterable[str]:
    """Read `une douzaine d'œufs, c'est 12 œufs`, `5 douzaines = 60`."""
    counts, claimed = read_values(match["count"]), read_values(match["value"])
    if match["count"] in ("a", "une"):
        counts = frozenset((Fraction(1),))
    size = _SETS[match["set"].removesuffix("s")]
    if not counts or not claimed or _is_joined(match):
        return ()
    return decide(max(counts) * size in claimed, f"it is {_show(max(counts) * size)}")


_AMOUNT_WORDS: Final = ("dizaine", "centaine", "millier", "million", "milliard", "mille", "cent")
_AMOUNT: Final = (
    rf"{NUMBER}(?: (?:unites? de )?(?:dizaine|centaine|millier|million|milliard)s?\b"
    rf"| (?:fois|x|×) {NUMBER})?"
)


def _read_amount(text: str) -> Fraction | None:
    """Return the number of `45 dizaines`, `cent fois mille`, `450`."""
    if found := re.fullmatch(rf"({NUMBER}) (?:fois|x|×) ({NUMBER})", text):
        one, other = read_values(found[1]), read_values(found[2])
        return max(one) * max(other) if one and other else None
    if found := re.fullmatch(rf"({NUMBER}) (dizaine|centaine|millier|million|milliard)s?", text):
        counts, place = read_values(found[1]), _find_place(found[2])
        return max(counts) * Fraction(10) ** place if counts and place is not None else None
    if text[:1].isdigit():
        return read_value(text)
    return words_to_number(_ONE.sub("", text)) or words_to_number(text)


_ONE: Final = re.compile(r"^une? (?=mille\b)")
_PART: Final = rf"({NUMBER}) ({_PLACE})"
_MORE_DIGITS: Final = (
    rf"(?:,|et|and) ?(?:(?:le|the) )?(?:chiffre )?{_DIGIT} (?:est |is )?"
    rf"(?:celui|le chiffre|the) (?:des |de )?(?P<place>{_PLACE})"
)

# Roman numerals -----------------------------------------------------------------------------------


def _check_roman(match: re.Match[str]) -> Iterable[str]:
    """Read `XL en chiffres romains vaut 40`."""
    if not re.search(r"\brom(?:ains?|an)\b", match.string):
        return ()
    value = read_roman(match["roman"])
    return decide(
        Fraction(value) in read_values(match["number"]), f"{match['roman'].upper()} is {value}"
    )


_ROMAN_NAME: Final = (
    r"(?:,? (?:en|in) (?:chiffres romains?|chiffre romain|roman numerals?|roman),?)?"
)
_IN: Final = rf"(?:dans|in|pour)(?: le nombre| the number)? {QUOTE}(?P<number>{DIGITS}){CLOSE},? "
_OF: Final = rf" (?:dans|de|du nombre|of|in)(?: le nombre| the number)? (?P<number>{DIGITS})"
_THE_DIGIT: Final = rf"(?:(?:le|the) )?(?:chiffre |digit )?{_DIGIT}"
_WORTH: Final = (
    r" (?:vaut|represente|a pour valeur|is worth|stands for|represents|has (?:a|the) value(?:"
    r" of)?) "
)
_SO_WORTH: Final = (
    rf"(?: ?[,;:(]| ?→)?(?: (?:{THEN}|et|and|c'est-a-dire|which is))*"
    r" ?(?:(?:il|elle|it|qui|which)? ?(?:vaut|represente|is worth|worth|stands for|represents"
    r"|means)|(?:sa valeur est|its value is)(?: de)?|(?:with|of) value) (?:donc )?"
)
_IS_AT: Final = (
    r" (?:est|is|se trouve|occupe|is found)(?: bien| donc)? "
    r"(?:(?:au rang|a la place|a la position|le rang|le chiffre|celui) (?:des|de)"
    r"|in the|at the|the)"
)
_KEYS: Final = (
    "unite unites dizaine dizaines centaine centaines millier milliers mille million millions"
    " milliard"
    " milliards dixieme dixiemes centieme centiemes millieme milliemes ones tens hundreds thousands"
    " tenths hundredths thousandths units place digit chiffre"
)
_LETTER_KEYS: Final = (
    "lit dit ecrit lettres chiffres read written pronounced said deux trois quatre cinq six sept"
    " huit"
    " neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante cinquante"
    " soixante"
    " septante huitante octante nonante cent cents mille million hundred thousand twenty thirty"
    " forty"
    " fifty sixty seventy eighty ninety"
)
NUMERATION_RULES: Final[tuple[FactRule, ...]] = (
    make_rule(
        _LETTER_KEYS,
        rf"(?:(?:le nombre|the number) )?{QUOTE}(?P<number>{DIGITS}){CLOSE}{_READ}{QUOTE}"
        rf"(?P<words>{_PARTS}|{_SPOKEN}){CLOSE}(?: en (?:france|belgique|suisse))?{END}",
        _check_words,
    ),
    make_rule(
        _LETTER_KEYS,
        rf"(?:(?:le nombre|the number) )?{QUOTE}(?P<words>{_PARTS}|{_SPOKEN}){CLOSE}{_READ}"
        rf"{QUOTE}(?P<number>{DIGITS}){CLOSE}{END}",
        _check_words,
    ),
    make_rule(
        _KEYS,
        rf"{_IN}{_THE_DIGIT} (?:est|is)(?: bien)? (?:le chiffre|celui|(?:in )?the|at the)"
        rf"(?: (?:des|de|du|in the))? (?P<place>{_PLACE})(?: (?:digit|place))?{END}",
        _check_digit,
    ),
    make_rule(
        _KEYS,
        rf"(?:{_IN})?{_THE_DIGIT}{_IS_AT} (?P<place>{_PLACE})"
        rf"(?: (?:digit|place|column|position))?{_SO_WORTH}(?P<value>{NUMBER})"
        rf"(?: ?/ ?(?P<below>{DIGITS}))?{END}",
        _check_worth,
    ),
    make_rule(
        _KEYS,
        rf"{_IN}(?:le chiffre des|the) (?P<place>{_PLACE})(?: digit| place)? (?:est|is)(?: le|"
        rf" the)? "
        rf"{_DIGIT}{END}",
        _check_digit,
    ),
    make_rule(
        _KEYS,
        rf"(?:the )?digit in the (?P<place>{_PLACE})(?: place| column)?{_OF} is {_DIGIT}{END}",
        _check_digit,
    ),
    make_rule(
        _KEYS,
        rf"{_THE_DIGIT} (?:est|is)(?: bien)? (?:le chiffre (?:des|de)|in the) (?P<place>{_PLACE})"
        rf"(?: (?:place|column))?{_OF}{END}",
        _check_digit,
    ),
    make_rule(
        "vaut represente valeur worth value stands represents",
        rf"{_IN}{_THE_DIGIT}{_WORTH}(?P<value>{NUMBER})(?: (?P<place>{_PLACE}))?{END}",
        _check_digit_value,
    ),
    make_rule(
        "value valeur",
        rf"(?:the value of|la valeur (?:de|du))(?: the digit| chiffre| le chiffre)? {_DIGIT}{_OF} "
        rf"(?:is|est)(?: de)? (?P<value>{NUMBER})(?: (?P<place>{_PLACE}))?{END}",
        _check_digit_value,
    ),
    make_rule(
        _KEYS,
        rf"{_IN}(?:il y a|on a|on compte|on trouve|tu as|there are|we have) "
        rf"(?P<parts>{NUMBER} {_PLACE}(?:(?:, | et | and |, and ){NUMBER} {_PLACE}){{0,12}}){END}",
        _check_parts,
    ),
    make_rule(
        _KEYS,
        rf"(?P<number>{DIGITS})(?: =| :|,? c'est|,? is|,? a|,? has) "
        rf"(?P<parts>{NUMBER} {_PLACE}(?:(?:, | et | and |, and ){NUMBER} {_PLACE}){{1,12}}){END}",
        _check_parts,
    ),
    make_rule(
        _KEYS,
        rf"(?:(?:le nombre|the number) )?(?P<number>{DIGITS}) (?:a|has|contient) "
        rf"(?P<parts>{NUMBER} {_PLACE}){END}",
        _check_parts,
    ),
    make_rule(
        _KEYS,
        rf"{_IN}(?:le nombre (?:de|d')|the number of) ?(?P<place>{_PLACE}) (?:est|is)(?: de)? "
        rf"(?P<value>{NUMBER}){END}",
        _check_place_count,
    ),
    make_rule(
        _KEYS,
        rf"(?P<one>{_AMOUNT})(?:,? (?:c'est|vaut|valent|font|ca fait|cela fait|est egal a)| =)"
        rf"(?: aussi| donc| bien)? (?P<other>{_AMOUNT}){END}",
        _check_amount,
    ),
    make_rule(
        "douzaine douzaines demi dizaine dizaines centaine centaines dozen",
        rf"(?P<count>{NUMBER}|une|a) (?P<set>(?:demi-)?douzaines?|dizaines?|centaines?|dozen)"
        rf"(?: (?:de |d'|of )?(?P<thing>[a-z]+))?(?:,? (?:c'est|ca fait|cela fait|font|fait|is"
        rf"|are|means|makes?)| =)"
        rf" (?P<value>{NUMBER})(?: (?P=thing))?{END}",
        _check_set,
    ),
    make_rule(
        "romain romains roman",
        rf"(?:(?:le nombre|le chiffre|the number|the numeral) )?{QUOTE}(?P<roman>{ROMAN}){CLOSE}"
        rf"{_ROMAN_NAME} ?(?:vaut|represente|c'est|s'ecrit|se lit|correspond a|is|means|equals|="
        rf"|→|:) "
        rf"(?P<number>{NUMBER}){END}",
        _check_roman,
    ),
    make_rule(
        "romain romains roman",
        rf"(?:(?:le nombre|le chiffre|the number) )?(?P<number>{NUMBER}){_ROMAN_NAME} ?"
        rf"(?:s'ecrit|c'est|is written|is|=|→|:)(?: (?:en chiffres romains|in roman"
        rf" numerals))?(?: ?:)?"
        rf"(?: as)? {QUOTE}(?P<roman>{ROMAN}){CLOSE}{_ROMAN_NAME}{END}",
        _check_roman,
    ),
)
"""The rules for the writing of numbers."""
