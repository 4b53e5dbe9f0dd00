"""Find the option of a choice that a person named in a text. Pure.

It counts by its words, value, letter or number. Another value than those of all options is a wrong
try.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Container, Sequence
from itertools import combinations, product
from typing import Final

from bot.i18n import fold
from bot.learning.expression_shape import read_form
from bot.learning.grading.answer_forms import is_computed, is_pasted, squeeze
from bot.learning.grading.answer_readings import (
    clean,
    find_amount,
    list_readings,
    read_amount,
)
from bot.learning.grading.everyday_talk import denies_value, is_talk
from bot.learning.grading.typed_formulas import is_expression, write_squares
from bot.learning.grading.typed_numbers import (
    find_asked_unit,
    grade_number,
    is_noun,
    lacks_power,
    split_unit,
)
from bot.learning.grading.typed_sets import (
    decide_set,
    is_set,
    read_couple,
    read_interval,
    squeeze_signs,
    write_list,
    write_signs,
)
from bot.learning.grading.typed_times import are_same_times, is_time, squeeze_time, write_hours
from bot.learning.grading.typed_words import (
    ARTICLE,
    LEADING_WORDS,
    MOST_WORDS,
    SMALL_WORDS,
    fold_words,
    is_sentence_with,
    join_words,
    list_words,
)
from bot.learning.grading.typing_slips import is_one_slip, sounds_like
from bot.maths.equivalence import equivalent

_MARK: Final = re.compile(
    r"(?:(?:la|le|l['’]|r[ée]ponse|option|lettre|choix|num[ée]ro|n°)\s*)*"
    r"[(\[]?(?:(?P<number>\d)|(?P<letter>[A-Za-z]))[)\].:]?",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(
    r"(?:(?:la|le|the|celle|celui) )?(?P<ordinal>premiere?|1ere?|first|deuxieme|2e(?:me)?|seconde?"
    r"|2nde?|troisieme|3e(?:me)?|third|quatrieme|4e(?:me)?|fourth|derniere?|last|du milieu|middle)"
    r"(?: (?:reponse|option|proposition|choix|answer|choice|one))?"
)
_PLACES: Final = {"p": 0, "1": 0, "f": 0, "d": 1, "2": 1, "s": 1, "t": 2, "3": 2, "q": 3, "4": 3}
"""Places of options by the first letter of their ordinals."""
_STATES_VALUE: Final = re.compile(
    r"(?<!r[ée]ponse )(?<!r[ée]p )(?<!\b(?-i:R) )(?<!\b(?-i:R))="
    r"|\b(?:vaut|valent|font|fait|donnent?|trouve|obtien\w+)\b",
    re.I,
)
"""Marks of an answer that is a value, where a number is not the number of an option: `x = 3`."""
_ACCENT: Final = re.compile(
    r"(?<!\w)(l?[aà]|o[uù]) (avec|sans) (?:un |l['’])?accent(?: grave)?\b", re.I
)
"""A homophone that is named by its accent: `a sans accent`."""
_FEWEST_LETTERS: Final = 4
"""Letters of an option that may be named by its beginning, `ouaga`, or with a slip."""
_DENIAL: Final = re.compile(r"\b(?:pas|ni|sauf|ou|non|not|no|nor|or|except)\b")
_MOST_SPOKEN: Final = 8
"""Words of a sentence that speaks of an option."""
_SPELLINGS: Final[tuple[Callable[[str], str], ...]] = (
    squeeze, fold_words, squeeze_signs, read_interval, write_list,
    lambda text: join_words(fold_words(text)),
)  # fmt: skip
_WORD: Final = re.compile(r"[^\W\d_]+")
_BRACES: Final = re.compile(r"^[A-Z]?\s*=?\s*\{([^;]*)\}$")
UNKNOWING: Final = (
    r"(?:(?:moi )?je (?:(?:ne|n)['’ ])?(?:sai[st]|c) (?:vraiment |trop )?(?:pas|plus)(?: du tout)?"
    r"|(?:j ?'? ?)?sai[st] pas|(?:je n['’ ]?|j['’ ]?)en sai[st] (?:vraiment )?rien"
    r"|chais pas|jsp|(?:je n'ai |j'ai )?(?:aucune |pas d.)idee|(?:i )?(?:do not|don.?t|dont) know"
    r"|(?:i )?dunno|i\.?d\.?k|(?:i have )?no idea)"
)
"""What people write, folded, who do not know the answer."""
_ROWS: Final = (re.compile("passer|skip"), re.compile(UNKNOWING))
"""Options that people name in other words than theirs: to skip, and not to know."""
_SAME_CHOICES: Final = tuple(
    tuple(frozenset(names.split(",")) for names in group)
    for group in (
        ("oui,ouais,yes,vrai,vraie,true,v,t,c est vrai,oui c est vrai,juste,exact",
         "non,nn,no,faux,false,f,fausse,c est faux,non c est faux"),
        ("<,inferieur,inferieur a,plus petit,plus petit que,less than,smaller than",
         ">,superieur,superieur a,plus grand,plus grand que,greater than,bigger than",
         "=,egal,egale,egal a,equal,equals"),
    )
)  # fmt: skip
"""Words that name the same option where all options are of one group."""


def find_option(text: str, options: Sequence[str], statement: str = "") -> int | None:
    """Return the place of the option that a text names by its words, value, letter or number.

    Words for skipping or not knowing, in either language, name the option that says so.
    """
    text = find_row(text, options) or text
    for place, option in enumerate(options, 1):
        if squeeze(text) == squeeze(f"{place}){option}"):  # a line of the list, as SMS shows it
            return place - 1
    is_option = _find_same(text, options, squeeze) is not None
    if not is_option and (_hedges(text, options) or denies_value(text, statement)):
        return None
    if re.search("[<≤]", text) and is_pasted(text, statement):
        return None
    text = _name_same_choice(_ACCENT.sub(_write_accent, text), options)
    readings = [text, *list_readings(text, statement)]
    place = _find_written(readings, options, statement)
    if place is not None:
        return place
    place = None if is_talk(text, statement) else _find_value(readings, options, statement)
    if place is None and not _STATES_VALUE.search(text):
        marks = (_find_mark(each, len(options)) for each in readings)
        place = next((mark for mark in marks if mark is not None), None)
    return place


def find_row(text: str, options: Sequence[str]) -> str:
    """Return the option to skip or not to know that a text names, in the words of either language;
    empty: it names none."""
    said = fold(text.strip(" .!…"))
    rows = [row for row in _ROWS if row.fullmatch(said)]
    return next((each for each in options for row in rows if row.fullmatch(fold(each))), "")


def _find_written(readings: Sequence[str], options: Sequence[str], statement: str) -> int | None:
    """Return the place of the option that a reading has in some spelling, or whose words for two
    gaps it has in this order, apart from words of the statement."""
    spellings = _SPELLINGS
    if all("…" in each for each in options):
        asked = list_words(statement, str.casefold)

        def read_gaps(text: str) -> str:
            words = _WORD.findall(text.casefold())
            return " ".join(word for word in words if word not in asked)

        spellings = (read_gaps,)
    for reading, read in product(readings, spellings):
        place = _find_same(reading, options, read)  # options may differ by an accent alone
        if place is not None:
            return place
    return None


def _hedges(text: str, options: Sequence[str]) -> bool:
    """Return whether a text names two options: `Paris ou Dakar`, and of plain numbers also `37 et
    73`."""
    are_numbers = all(re.fullmatch(r"[-\u2212]?[\d ,.]+", each) for each in options)
    parts = re.split(r"\s(?:ou|or|et|and)\s" if are_numbers else r"\s(?:ou|or)\s", text)
    if len(parts) < 2:
        return False
    return len({find_option(each, options) for each in parts} - {None}) > 1


def _has_words(text: str, option: str) -> bool:
    """Return whether all words of a text, but small ones, are words of an option, which are none of
    a formula: `photosynthese` for `la photosynthèse`."""
    words = [each for each in list_words(text, fold) if each not in SMALL_WORDS and each.isalpha()]
    is_in_words = not re.search(r"\d|[=+*/^]", text + option)
    return is_in_words and bool(words) and {*words} <= {*list_words(option, fold)}


def _name_same_choice(text: str, options: Sequence[str]) -> str:
    """Return the option that a word of the same meaning names, as `ouais` does `Vrai`; else the
    text."""
    said = {re.sub(r"\W+", " ", fold(text)).strip(), fold(text).strip()}
    said |= {fold(clean(text)), *(each.removeprefix("est ") for each in said)}
    for group in _SAME_CHOICES:
        places = [next((i for i, names in enumerate(group) if fold(each) in names), None)
                  for each in options]  # fmt: skip
        if None in places or len({*places}) < len(places):
            continue
        for place, option in zip(places, options, strict=True):
            if place is not None and said & group[place]:
                return option
    return text


def _find_same(text: str, options: Sequence[str], read: Callable[[str], str]) -> int | None:
    wanted = read(text)
    return _find_only([bool(wanted) and read(option) == wanted for option in options])


def _find_only(named: Sequence[bool]) -> int | None:
    return named.index(True) if named.count(True) == 1 else None


def _find_mark(text: str, count: int) -> int | None:
    found = _MARK.fullmatch(text.strip())
    if found is None:
        return _find_ordinal(fold(text.strip()), count)
    number, letter = found["number"], found["letter"]
    place = int(number) - 1 if number else string.ascii_uppercase.index(letter.upper())
    return place if 0 <= place < count else None


def _find_ordinal(text: str, count: int) -> int | None:
    """Return the place of the option that an ordinal names with an article or a noun: `la
    deuxième`."""
    found = _ORDINAL.fullmatch(text)
    if found is None or found["ordinal"] == text:
        return None
    ordinal = found["ordinal"]
    if ordinal.startswith(("dern", "last")):
        return count - 1
    if ordinal in ("du milieu", "middle"):
        return count // 2 if count % 2 else None
    place = 3 if ordinal == "fourth" else _PLACES[ordinal[0]]
    return place if place < count else None


def _find_value(readings: Sequence[str], options: Sequence[str], statement: str) -> int | None:
    """Return the place of the only option that has the value or the words of an answer."""
    times = (
        [write_hours(readings[0])] if any(is_time(write_hours(each)) for each in options) else []
    )
    readings = [*times, *readings]
    for reading in _add_percent([*readings, find_amount(readings[-1])], options):
        if reading and not is_pasted(reading, statement):
            place = _find_same(reading, options, squeeze_time)
            if place is None and times:
                place = _find_only([are_same_times(reading, each) for each in options])
            if place is None:
                place = _find_only([_is_same_option(reading, each, statement) for each in options])
            if place is not None:
                return place
    answer = readings[len(times)]
    amount = read_amount(answer)
    if amount and split_unit(amount.rest)[0] and find_asked_unit(statement):
        return None  # a number in another unit is no word of an option
    place = _find_only(
        [is_sentence_with(answer, each, statement, is_option=True) for each in options]
    )
    if place is None:
        place = _find_only([_has_words(answer, each) for each in options])
    return _find_misspelled(answer, options) if place is None else place


def _find_misspelled(text: str, options: Sequence[str]) -> int | None:
    """Return the place of the only option that a text has with a slip, begins, or speaks of, where
    options are words that differ by more than a slip."""
    names = [ARTICLE.sub("", fold_words(each)) for each in options]
    if any(re.search(r"[^\w' -]|\d", each) for each in names):
        return None
    if any(is_one_slip(*pair) for pair in combinations(names, 2)):
        return None
    given = ARTICLE.sub("", fold_words(clean(text)))
    ways = (
        [_is_near(given, each) for each in names],
        [len(given) >= _FEWEST_LETTERS and each.startswith(given) for each in names],
        [len(each) >= _FEWEST_LETTERS and f" {each} " in f" {given} " for each in names],
    )
    if len(given.split()) > _MOST_SPOKEN or _DENIAL.search(given):
        return None
    places = map(_find_only, ways)
    return next((place for place in places if place is not None), None)


def _is_near(given: str, name: str) -> bool:
    is_long = len(name) >= _FEWEST_LETTERS
    return is_long and (is_one_slip(given, name) or sounds_like(given, name))


def _write_accent(found: re.Match[str]) -> str:
    letters = found[1].translate(str.maketrans("àù", "au"))
    return letters.translate(str.maketrans("au", "àù")) if found[2] == "avec" else letters


def _add_percent(readings: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return readings of an answer; where all options are percentages, a bare number is one."""
    if not all("%" in each for each in options if re.search(r"\d", each)):
        return list(readings)
    percents = [re.sub(r"^[-\u2212+]?\d[\d\s.,]*$", r"\g<0> %", each) for each in readings]
    return [*percents, *(each for each in readings if not re.fullmatch(r"[-\u2212+\d\s]+", each))]


def is_beyond_list(text: str, options: Sequence[str], statement: str = "") -> bool:
    """Return whether a text is one digit that is neither the number nor the value of an option."""
    is_digit = re.fullmatch(r"[(\[]?\d[)\].:!]*", clean(text).strip()) is not None
    return is_digit and bool(options) and find_option(text, options, statement) is None


def is_other_value(text: str, options: Sequence[str], statement: str) -> bool:
    """Return whether a text is a number, expression or set, where all options are ones: a wrong try
    if it names no option."""
    known = {*list_words(" ".join((statement, *options)), fold), *SMALL_WORDS, *LEADING_WORDS}
    values = [each for each in options if not find_row(each, [each]) and not is_talk(each)]
    if len(text.split()) > MOST_WORDS or is_talk(text, statement):
        return False
    if not values or not all(_is_value(each, known) for each in values):
        return False
    if re.search(r"[<>≤≥]", text):  # `4 < x <= 9` is no try: it cannot be compared with an option
        return bool(read_interval(clean(text))) and not is_pasted(text, statement)
    readings = list(list_readings(text, statement))
    amount = find_amount(readings[-1])
    words = list_words(readings[-1].removesuffix(amount), fold)
    if amount and all(each in known for each in words):
        readings.append(amount)
    return any(_is_value(each, known) for each in readings)


def _is_value(text: str, known: Container[str]) -> bool:
    """Return whether a text is a number, with a unit or a known noun, an expression or a set."""
    if not re.search(r"[\d∞∅]", text) and read_amount(text) is None:
        return False
    text = clean(text)
    amount = read_amount(text)
    if amount and is_noun(amount.rest):
        words = list_words(amount.rest, fold)
        return bool(split_unit(amount.rest)[0]) or all(each in known for each in words)
    is_braced = re.fullmatch(r"\{[^{}]*\d[^{}]*\}", text) is not None
    return is_braced or is_set(text) or "∞" in text or is_expression(text)


def _is_same_option(reading: str, option: str, statement: str) -> bool:
    if lacks_power(reading, option, statement):
        return False
    if read_couple(option):
        return decide_set(reading, option) is True
    reading = _BRACES.sub(r"\1", clean(write_signs(reading)))
    amount = read_amount(option)
    if amount and is_noun(amount.rest) and (not amount.rest or split_unit(amount.rest)[0]):
        number = option.removesuffix(amount.rest).strip()
        unit = amount.rest or find_asked_unit(statement)
        return grade_number(reading, solution=number, unit=unit) is True
    if equivalent(reading, option, "set"):
        return True
    plain = _BRACES.sub(r"\1", clean(option))
    one, other = read_form(write_squares(reading)), read_form(plain.rpartition("=")[2])
    if one and other and (one.letters or re.search(r"\bln\b|\blog\b|√", plain)):
        return one.shape == other.shape
    return is_computed(reading) and equivalent(reading, plain, "number") is True


def name_option(text: str, options: Sequence[str], statement: str = "") -> str:
    """Return the option that a text names, as the options spell it; the text itself if it names
    none."""
    place = find_option(text, options, statement)
    return text if place is None else options[place]
