"""Grade a number that a person typed by its value, unit, noun and notation. Pure.

A computation that is left to do is no result.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from bot.i18n import fold
from bot.learning.grading.answer_forms import (
    is_computed,
    is_conversion,
    is_lowest,
    is_pasted,
    lacks_simple_root,
    squeeze,
    wants_lowest_terms,
)
from bot.learning.grading.answer_readings import (
    Amount,
    clean,
    find_amount,
    is_operation,
    list_readings,
    read_amount,
    write_digits,
)
from bot.learning.grading.typed_times import has_wrong_minutes, is_time, write_hours
from bot.maths.equivalence import equivalent
from bot.maths.exact.units import UNITS, find_unit
from bot.maths.reading.number_words import SCALES

_MOST_WORDS: Final = 6
"""Most words of a unit or noun after a number."""
_PER: Final = re.compile(
    r"\b(?:(km|kilom[eè]tres?)|m[eè]tres?|m) (?:(?:par|[àa] l['’ ]|per)? ?)"
    r"(heure|hour|h|seconde?|s)\b",
    re.IGNORECASE,
)
_RATIO: Final = re.compile(
    r"(?<=[\d ])([^\W\d_]+) (?:par|per) ([^\W\d_]+[23²³]?(?: cubes?)?)(?!\w)", re.IGNORECASE
)
"""A unit with `par` for its slash: `5 g par litre`."""
_MONEY: Final = re.compile(r"fcfa|\bfrancs?\b|\d f\b")
_SCIENTIFIC: Final = re.compile(r"scientifi|standard form")
_IN_SCIENTIFIC: Final = re.compile(
    r"[-\u2212]?[1-9](?:[.,]\d+)? ?(?:[×x*.·]|fois|times) ?10 ?"
    r"(?:\^|[⁻⁰¹²³⁴-⁹]|puissance|exposant|to the|power).*",
    re.IGNORECASE,
)
_COMPUTATION: Final = re.compile(
    r"[-\u2212+( √]*\d[\d.,]*(?:\)*(?: ?[-\u2212+*/×÷:x^√] ?[-\u2212(√]*\d[\d.,]*)*| \d+/\d+)\)*"
)
"""Numbers and operations alone, also where they have no value: `1 7/5`."""
_QUOTIENT: Final = re.compile(r"[-\u2212]?\d+ ?[:÷] ?\d+")
"""A fraction as it is written where a colon divides: `3:4`."""
_PERCENT: Final = ("%", "pour cent", "percent")
_ASKS_PERCENTAGE: Final = re.compile(
    r"pour ?centage|per ?centage"
    r"|\b(?:quel|what|combien de|how many|en|in) (?:%|pour ?cent|per ?cent)"
)
_ASKS_AMOUNT: Final = re.compile(
    r"(?:%|pour ?cent|per ?cent) (?:de|of) \d|\bcombien d(?:e |['’])(?!%|pour)"
    r"|\bhow (?:many|much) (?!%|per)|(?:nouveau|final|new) (?:prix|price)|prix final"
)
"""Questions about a part of an amount, whose answer is no percentage."""
_ASKS_FACTOR: Final = re.compile(r"coefficient|multipli|facteur|\bfactor\b")
_PARTS: Final = re.compile(
    r"(\d+) ?(?:(k(?:g|m|ilo\w*)) ?(?:et )?(?=\d{3}$)|(m|m[eè]tres?|€|euros?|dollars?) ?(?:et )?"
    r"(?=\d\d(?:$| ?c)))(\d+)(?: ?(?:cm|g|centim\w*|c(?:ts?)?|cents?))?",
    re.IGNORECASE,
)
"""A measure whose parts stand behind the unit: `2 kg 750`, `2 m 40`, `10 € 50`."""
_AND_A_HALF: Final = re.compile(
    r"(\w+(?:-\w+)*) ?\b([^\W\d_]+) (?:et demie?|and a half)", re.IGNORECASE
)
"""A half behind the unit: `2 kg et demi`."""
_CELSIUS: Final = re.compile(r"(?<=\w) ?(?:degr[ée]\w*)?(?: ?c(?:elsius)?)?$", re.IGNORECASE)
_SCALE: Final = re.compile(
    r"(millions?|milliards?|billion)\b( et demi\b| and a half\b)? ?", re.IGNORECASE
)
_CURRENCY: Final = frozenset(
    {"f", "fr", "frs", "frcs", "francs", "franc", "fcfa", "cfa", "francscfa", "frcfa", "xof", "xaf"}
)
LONG_NAMES: Final = {
    "newton": "N", "ohm": "Ω", "volt": "V", "watt": "W", "ampere": "A", "joule": "J",
    "pascal": "Pa", "hertz": "Hz", "mole": "mol", "kelvin": "K", "radian": "rad",
    "wattheure": "Wh", "octet": "o", "gr": "g",
}  # fmt: skip
"""Units that bear a person's name, and the like, in full, and other names of units."""
_LONG_NAME: Final = re.compile(
    rf"(kilo|hecto|milli|mega|micro)?({'|'.join(LONG_NAMES)})s?", re.IGNORECASE
)
_NAMED_PREFIXES: Final = {"kilo": "k", "hecto": "h", "milli": "m", "mega": "M", "micro": "µ"}
_COUNTED: Final = re.compile(r"\d[\d,.]* ([a-z]{3,})")
_ASKED: Final = re.compile(
    r"\b(?:(?:combien (?:y a-t-il |a-t-(?:il|elle|on) )?|nombre )d(?:e |')|how many )"
    r"([a-z]{3,}(?: (?:carre|cube)s?)?)"
)
_IN_UNIT: Final = re.compile(r"\b(?:en|in) ([a-z]{3,})$")
_ASKS_PRICE: Final = re.compile(r"\bcombien (?:\w+ ){0,2}(?:cout|pai|pay)|\bprix\b|how much")
_NO_NOUNS: Final = frozenset(
    "dans sans plus moins fois mais apres puis vers sous tous toutes environs exactes pas jours "  # noqa: SIM905
    "dans alors bras pres tres".split()
)
"""Words that may follow a number, end as a plural does, and are counted by none."""


_THINGS: Final = frozenset(
    "oeuf poule poulet coq poussin canard pigeon mouton chevre vache boeuf chien chat "  # noqa: SIM905
    "cheval poisson mangue orange banane citron papaye ananas pomme goyave avocat tomate oignon "
    "bonbon biscuit beignet gateau pain cahier livre crayon stylo gomme regle bille ballon chaise "
    "arbre fleur voiture velo moto camion".split()
)
"""Things of everyday exercises, none of which is another's name."""


def decide_number(text: str, grade: Callable[..., bool | None], statement: str = "") -> bool | None:
    """Return the verdict on the first reading that is a number; None: no reading is one.

    Args:
        grade: `grade_number` with all its arguments except the reading.
    """
    readings = list(list_readings(text, statement))
    if is_time(hours := write_hours(readings[-1])):
        readings.append(hours)
    verdicts = (grade(reading) for reading in readings)
    found = next((verdict for verdict in verdicts if verdict is not None), None)
    sentence = find_amount(readings[-1]) if found is None else ""
    return grade(sentence, is_sentence=True) if sentence else found


def grade_number(
    reading: str,
    *,
    solution: str,
    unit: str,
    tolerance: float = 0.0,
    statement: str = "",
    is_sentence: bool = False,
) -> bool | None:
    """Return whether a reading equals the solution; None: it is no number.

    Args:
        is_sentence: the reading is the end of a sentence, which may be about something else.
    """
    reading = _write_fraction(reading, solution, statement)
    if _is_time(unit) or is_time(solution):
        reading = _write_time(reading, unit, has_hours=is_time(solution))
    unit = unit or find_asked_unit(statement)
    reading = _write_plainly(reading, unit, statement)
    reading = _write_scaled(reading, solution, f"{statement} {unit}")
    reading = _write_capital(reading, unit)
    asked_unit = unit
    reading, solution = _drop_percent(reading, solution, statement, unit)
    unit = "" if unit in _PERCENT else unit
    amount, right = read_amount(reading), read_amount(solution)
    if amount is None or not is_noun(amount.rest):
        return _grade_other_number(reading, solution, unit, statement)
    name = split_unit(amount.rest)[1]
    is_in_unit = not name or is_unit(name, unit)
    is_unfinished = amount.is_fraction and not _is_finished(reading, solution, statement)
    is_unfinished = is_unfinished and is_in_unit
    is_other = not name and _counts_other(amount.rest, asked_unit, statement)
    if is_unfinished or is_other or lacks_power(reading, solution, statement):
        return False
    if is_sentence and not is_in_unit and not _names_unit(statement, name):
        return None
    verdict = _grade_unit(reading, amount, solution, unit, statement)
    if verdict is not None:
        return verdict
    if right is None or right.rest:
        return equivalent(reading.removesuffix(amount.rest), solution, "number") is True
    return any(
        abs(each - right.value) <= Fraction(tolerance)
        for each in (amount.value, amount.grouped)
        if each is not None
    )


def _write_time(reading: str, unit: str, *, has_hours: bool) -> str:
    """Return a time or duration with its units, also from `2:30`, and from `8.30` if the solution
    has hours and minutes."""
    parts = ("min", "s") if unit and find_unit(unit) == find_unit("s") else ("h", "min")
    mark = "[:.]" if has_hours else ":"
    plain = re.sub(rf"^(\d{{1,2}}){mark}([0-5]\d)$", rf"\1 {parts[0]} \2 {parts[1]}", reading)
    return write_hours(plain)


def find_asked_unit(statement: str) -> str:
    """Return the unit that a statement asks for as `combien de secondes`, or `en secondes` at its
    end; empty: it asks for none."""
    asked = fold(statement).replace("’", "'").rstrip(" .?!")
    found = _ASKED.search(asked) or _IN_UNIT.search(asked)
    return _name_unit(found[1]) if found else ""


def _write_fraction(reading: str, solution: str, statement: str) -> str:
    """Return `3/4` for `3:4` where a fraction is asked, and no quotient of the statement is pasted;
    and `3 1/2` for `3 + 1/2` where a mixed number is."""
    if "/" not in solution:
        return reading
    reading = re.sub(r"^[a-zA-Z] ?= ?(?=[^=]+$)", "", reading)
    if _QUOTIENT.fullmatch(reading) and squeeze(reading) not in squeeze(statement):
        return re.sub(r" ?[:÷] ?", "/", reading)
    is_mixed = re.fullmatch(r"\d+ \d+/\d+", solution.strip())
    return re.sub(r"^(\d+) ?\+ ?(?=\d+/\d+$)", r"\1 ", reading) if is_mixed else reading


def _write_scaled(reading: str, solution: str, asked: str) -> str:
    """Return `2500000 F` for `2,5 millions F`, `2 millions 500000 F` or `2 millions et demi F`; the
    same text if millions are counted: the question names them and the solution is smaller."""
    amount = read_amount(reading)
    found = _SCALE.match(amount.rest) if amount else None
    if amount is None or found is None:
        return reading
    scale, right = SCALES[fold(found[1])], read_amount(solution)
    if found[1][:5].lower() in fold(asked) and right and abs(right.value) < scale:
        return reading
    value, rest = amount.value * scale, amount.rest[found.end() :]
    if found[2]:
        value += Fraction(scale, 2)
    elif (more := read_amount(rest)) and 1 < more.value < scale:
        value, rest = value + more.value, more.rest
    return f"{value} {rest}".strip()


def _write_plainly(reading: str, unit: str, statement: str) -> str:
    """Return a reading as one number, also from `2m40`, `17, 5`, `76,000` francs, `60 km par
    heure`, `2 et 2/5`, `S = {4}`, or with a part of the statement."""
    reading = re.sub(r"^[a-zA-Z] ?= ?(?=[^=]+$)", "", reading)
    if _ASKS_FACTOR.search(fold(statement)):
        reading = re.sub(r"^(?:[x×*]|par) ?(?=\d)", "", reading)
    reading = re.sub(r"^([-\u2212]?\d*(?:√\d+|π)) sur (?=\d+$)", r"\1/", reading)
    parts = reading if re.search(r"\d", reading) else write_digits(reading)
    if found := _PARTS.fullmatch(parts):
        reading = f"{found[1]},{found[4]} {found[2] or found[3]}"
    if found := _AND_A_HALF.fullmatch(reading):
        amount = read_amount(found[1])
        is_whole = amount and not amount.rest and amount.value.denominator == 1
        reading = f"{amount.value},5 {found[2]}" if amount and is_whole else reading
    if unit == "°C" or "°C" in statement:
        reading = _CELSIUS.sub("", reading)
    reading = re.sub(r"(?<=\d)['’](?=\d{3})", "", reading)
    if _MONEY.search(fold(statement)):
        reading = re.sub(r"^(\d{1,3}),(\d{3})(?!\d)", r"\1\2", reading)
    if "/" in unit + statement:
        reading = _RATIO.sub(_write_ratio, reading)
    reading = re.sub(r"^([-\u2212]?\d+) ?, ?(?=\d+(?:\D|$))", r"\1,", reading)
    reading = _PER.sub(lambda found: f"{'k' * bool(found[1])}m/{found[2][0].lower()}", reading)
    reading = re.sub(r"^([-\u2212]? ?\d+) (?:et|and) (?=\d+/\d)", r"\1 ", reading)
    if found := re.fullmatch(r"[A-Za-z]?\s*=?\s*\{([^;]*)\}", reading):
        reading = found[1].strip()
    return _leave_context(reading, statement)


def _leave_context(reading: str, statement: str) -> str:
    """Return the number of a mark `14/20`, of a coefficient before its formula, `3 O2`, or of a
    fraction of the statement whose numerator is asked."""
    found = re.fullmatch(r"(\d+) ?([A-Z][\w()]+)", reading)
    if found and f"ce{{{found[2]}}}" in statement:
        return found[1]
    if re.search(r"\b(?:notes?|moyenne)\b", fold(statement)):
        reading = reading.removesuffix("/20").strip()
    fraction = re.fullmatch(r"([-\u2212]?\d+)\s*/\s*(\d+)", reading)
    if fraction and "numerat" in fold(statement) and fraction[2] in re.findall(r"\d+", statement):
        reading = fraction[1]
    return reading


def _write_ratio(found: re.Match[str]) -> str:
    above, below = map(_name_unit, found.groups())
    return f"{above}/{below}" if above and below else found[0]


def _write_capital(reading: str, unit: str) -> str:
    """Return a reading with its own unit as it should be, apart from the number, if that is one
    capital letter: `12 V` for `12 v`, `I=0,3 A` for `I=0,3A`, which would be a product."""
    if len(unit) != 1 or not unit.isupper():
        return reading
    return re.sub(rf"(?<=\d) ?{unit}$", f" {unit}", reading, flags=re.IGNORECASE)


def _drop_percent(reading: str, solution: str, statement: str, unit: str) -> tuple[str, str]:
    """Return a reading and the solution without `%` if the statement asks for a percentage, or the
    unit is one; without that of the reading alone if the statement has one and the solution has
    none. `5 %` stays where a part of an amount is asked."""
    asked = fold(statement).replace("$", "")
    is_percentage = unit in _PERCENT or _ASKS_PERCENTAGE.search(asked)
    if not is_percentage and (unit or _ASKS_AMOUNT.search(asked)):
        return reading, solution
    if is_percentage or re.search(r"pour ?cent|per ?cent", asked):
        solution = solution.removesuffix("%").strip()
    elif "%" not in statement:
        return reading, solution
    if "%" not in solution:
        reading = re.sub(r" ?%(?: d(?:es? |u |['’])[^\d]*)?$", "", reading)
    return reading, solution


def _grade_unit(
    reading: str, amount: Amount, solution: str, unit: str, statement: str
) -> bool | None:
    """Return the verdict from the unit after a number; None: the numbers decide."""
    written, name = split_unit(amount.rest)
    if not written or is_unit(written, unit):
        return None
    if not unit:
        asked = _ASKED.search(fold(statement).replace("’", "'"))
        is_counted = asked and asked[1][-1] in "sx" and asked[1] != "temps"
        is_foreign = statement and (is_counted or not _names_unit(statement, name))
        return False if is_foreign and find_unit(name) else None
    if name.partition("/")[0] == _name_unit(unit) and _names_rate(name, statement):
        return None
    if find_unit(name) is None:
        return False if "/" in name else None
    value = f"{reading.removesuffix(amount.rest)} {name}"
    right = read_amount(solution)
    if right and statement and is_conversion(statement, right.value, unit):
        return False
    return equivalent(value, f"{solution} {unit}", "number") is True


def _names_rate(unit: str, statement: str) -> bool:
    """Return whether a question names what a unit is divided by: `combien de litres par heure` for
    `L/h`."""
    *_, asked = re.split(r"[.!:](?!\d)", fold(statement))
    words = re.findall(r"\b(?:par|per|chaque|each|every) ([a-z]+)", asked)
    per = find_unit(unit.partition("/")[2])
    return per is not None and per in map(find_unit, words)


def _counts_other(rest: str, unit: str, statement: str) -> bool:
    """Return whether a noun after a number is not what is asked: a plural where a unit is, or
    another thing or noun of the statement: `25 élèves` for `%`, `12 oranges` for mangoes."""
    found = re.match(r"(?:d[eu]s? |d')?([a-z]{3,})", fold(rest).replace("’", "'"))
    if found is None or found[1] in _NO_NOUNS:
        return False
    noun, asked = found[1].rstrip("sx"), fold(statement).replace("’", "'")
    counted = {each.rstrip("sx") for each in _COUNTED.findall(asked)}
    own = fold(unit).rstrip("sx")
    is_measure = unit in _PERCENT or find_unit(_name_unit(unit))
    if is_measure or (not unit and _ASKS_PERCENTAGE.search(asked)):
        is_misspelled = any(noun[:3] == name[:3] for name in (own, *_list_names(unit)))
        return not is_misspelled and (noun in counted or found[1][-1] in "sx")
    wanted = {own} if own else {each.rstrip("sx") for each in _ASKED.findall(asked)}
    if noun in _THINGS and wanted & _THINGS:
        return noun not in wanted
    is_asked = bool(own or wanted & counted or _ASKS_PRICE.search(asked))
    return is_asked and noun in counted - wanted


def _list_names(unit: str) -> list[str]:
    """Return all names of a unit."""
    found = find_unit(_name_unit(unit))
    long = [name for name, symbol in LONG_NAMES.items() if symbol == unit]
    return [*long, *(fold(name) for name, other in UNITS.items() if other == found)]


_STATES_NUMBER: Final = re.compile(r"[\d√π∞]|\b(?:une?|an?) \w")
"""A figure, or an article that counts: `une heure`."""


def _grade_other_number(reading: str, solution: str, unit: str, statement: str) -> bool | None:
    """Return whether a root, a mixed number, hours and minutes or the like equals the solution;
    None: it is no number, as it has no figure or is too long."""
    if len(reading.split()) > _MOST_WORDS or not _STATES_NUMBER.search(fold(reading)):
        return None
    is_same = equivalent(reading, f"{solution} {unit}".strip(), "number")
    if "π" in reading and squeeze(reading) == squeeze(clean(solution)):
        is_same = True
    if is_same is None and equivalent(reading, "0", "number") is None:
        is_root = re.search(r"[√π]", reading) and equivalent(reading, reading, "number")
        is_set = equivalent(reading, "{0}", "set") is not None
        return False if is_root or is_set or _COMPUTATION.fullmatch(reading) else None
    is_unfinished = is_computed(solution) and not is_computed(reading)
    if is_unfinished or is_pasted(reading, statement) or has_wrong_minutes(reading):
        return False
    is_reducible = wants_lowest_terms(statement) and not is_lowest(reading)
    is_reducible = is_reducible or lacks_simple_root(reading, solution, statement)
    if is_reducible or lacks_power(reading, solution, statement):
        return False
    right = read_amount(solution)
    is_named = re.search(r"[^\W\d_]", reading)  # two units, `6 m 90 cm`
    if is_named and unit and right and is_conversion(statement, right.value, unit):
        return False
    return is_same is True


def lacks_power(reading: str, solution: str, statement: str) -> bool:
    """Return whether a number is not in scientific notation, which the statement asks for."""
    is_asked = "10" in solution and _SCIENTIFIC.search(fold(statement))
    return bool(is_asked) and not _IN_SCIENTIFIC.fullmatch(reading)


def _is_finished(reading: str, solution: str, statement: str) -> bool:
    """Return whether a fraction is a result: no division that is left to do, and in lowest terms if
    the statement asks for that."""
    right = read_amount(solution)
    is_whole = right is not None and right.value.denominator == 1
    if is_whole and "/" not in solution:
        return False
    if not re.match(r"[-\u2212+]?[\d\s]+(?:/|sur)|\D", reading):  # a quotient of decimals
        return False
    return is_lowest(reading) or not wants_lowest_terms(statement)


def is_noun(rest: str) -> bool:
    """Return whether the text after a number is a unit or a noun that it counts."""
    words = re.sub(
        r"\b(?:de|a|à|aux?|en|pour|sur|par|per|for|in|les|the) \d+ ?\w*$", "", rest
    ).split()
    first = words[0] if words else ""
    is_plain = not re.search(r"[\d+*×÷=<>^(){}√;]", " ".join((first[:1], *words[1:])))
    is_plain = is_plain and not is_operation(rest)
    is_word = not first or len(first.strip("²³.,")) > 2 or bool(split_unit(rest)[0])
    is_word = is_word or first in ("de", "en", "du", "f")
    return len(words) <= _MOST_WORDS and is_plain and is_word and "=" not in first


def split_unit(rest: str) -> tuple[str, str]:
    """Return the unit with which a text begins, as it is written and by its usual name; two empty
    strings: it has none."""
    words = re.sub(r"^d['’ ]", "", rest).rstrip(" .,!").split()
    for count in (2, 1):
        written = " ".join(words[:count])
        if len(words) >= count and (name := _name_unit(written)):
            return written, name
    first = words[0] if words else ""
    return (first, first) if re.match(r"[^\W\d_°]+[\w²³.]*/", first) else ("", "")


def split_measure(solution: str) -> tuple[str, str]:
    """Return the number and the unit of a solution such as `20 V`; it and an empty string if it has
    no unit, or more than one."""
    amount = read_amount(solution)
    written = split_unit(amount.rest)[0] if amount and not is_time(solution) else ""
    if amount is None or not written or written != amount.rest or "%" in solution:
        return solution, ""
    return solution.removesuffix(written).strip(), written


def _is_time(unit: str) -> bool:
    """Return whether a unit is one in which hours are told."""
    hour, found = find_unit("h"), find_unit(unit)
    return hour is not None and found is not None and found.dimensions == hour.dimensions


def _name_unit(written: str) -> str:
    plain = " ".join(fold(written).split())
    if _fold_unit(plain) in _CURRENCY:
        return "F"
    plain = re.sub(r"^(\w*metre|[cdhk]?m)s? (carre|cube)s?$", r"\1 \2", plain)
    plain = re.sub(r"^([cdhk]?m)(?: carre|2)$", r"\1²", plain)
    plain = re.sub(r"^([cdhk]?m)(?: cube|3)$", r"\1³", plain)
    for word, mark in ((" carre", "²"), (" cube", "³")):
        if plain.endswith(f"metre{word}"):
            prefix = {"": "", "kilo": "k", "centi": "c", "deci": "d", "milli": "m"}
            name = plain.removesuffix(f"metre{word}")
            return f"{prefix[name]}m{mark}" if name in prefix else ""
    if found := _LONG_NAME.fullmatch(plain):
        prefix = _NAMED_PREFIXES.get(found[1] or "", "")
        return f"{prefix}{LONG_NAMES[found[2]]}"
    if plain in ("v", "w"):  # as phones write the volt and the watt
        return plain.upper()
    for name in (plain if plain[-1:] in "²³" else written, plain, plain.removesuffix("s")):
        if find_unit(name) is not None:
            return name
    return ""


def _names_unit(statement: str, name: str) -> bool:
    """Return whether the statement names this unit."""
    asked = fold(statement)
    wanted = {find_unit(name)}
    if re.search(r"\baires?\b|\bareas?\b|surface|superficie" if "²" in name else "volume", asked):
        wanted.add(find_unit(name.rstrip("²³")))
    return any(find_unit(each) in wanted for each in re.findall(r"[^\W\d_]+[²³]?", asked))


def is_unit(written: str, unit: str) -> bool:
    wanted, given = _fold_unit(unit), _fold_unit(written)
    if given == wanted or (wanted in _CURRENCY and given in _CURRENCY):
        return True
    one, other = find_unit(_name_unit(written)), find_unit(_name_unit(unit))
    return one is not None and one == other


def _fold_unit(text: str) -> str:
    return re.sub(r"[\s/.]|par", "", fold(text)).replace("²", "2").replace("³", "3")
