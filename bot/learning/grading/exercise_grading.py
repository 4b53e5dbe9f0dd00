"""Read what a person typed as an answer to an exercise, and grade it. Pure.

A number counts in any notation that school uses (`3,5`, `3.5`, `7/2`, `1 250 F`, `x = 4`), also
with the computation that leads to it or with words around it. A choice counts by its text, value,
letter or number, and words with one slip, unless spelling is asked. Another value than those of all
options is a wrong try. A computation that is left to do is no result.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Container, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.dates_and_times import asks_time
from bot.learning.expression_shape import read_form
from bot.learning.grading.answer_forms import (
    find_form_left,
    is_computed,
    is_conversion,
    is_lowest,
    is_pasted,
    squeeze,
    wants_lowest_terms,
)
from bot.learning.grading.answer_readings import (
    asks_value,
    clean,
    denies_value,
    find_amount,
    is_talk,
    leave_greeting,
    leave_statement,
    list_readings,
    read_amount,
    write_digits,
    write_hours,
)
from bot.learning.grading.small_talk import is_small_talk, is_waiting, tells_time
from bot.learning.grading.typed_numbers import (
    decide_number,
    grade_number,
    is_noun,
    is_unit,
    split_unit,
)
from bot.learning.grading.typed_sets import (
    decide_set,
    read_couple,
    read_interval,
    squeeze_signs,
    write_couple,
    write_signs,
)
from bot.learning.grading.typed_words import (
    LEADING_WORDS,
    SMALL_WORDS,
    WORD,
    asks_form,
    fold_words,
    is_sentence_with,
    list_words,
    same_words,
)
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.reading.quantities import NotReadable
from bot.messages.value import ExerciseKind

MOST_WORDS: Final = 6
"""Words of an answer in words; a longer text is talk, unless the statement has its words."""
_MOST_IN_GAP: Final = 3
"""Words that an answer may add to those of a statement with a gap."""
_FEWEST_REPEATED: Final = 2
"""Words of the statement by which a long text is an answer in a whole sentence."""
_LONGEST: Final = 200
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
_TIME: Final = re.compile(
    r"(?=.*(?:h|min))(?:(?P<hours>\d+) ?h ?)?(?:(?P<minutes>\d{1,2})(?: ?min)?)?"
)
"""A time or duration, as a solution writes it."""
_STATES_VALUE: Final = re.compile(
    r"(?<!r[ée]ponse )(?<!r[ée]p )(?<!\b(?-i:R) )(?<!\b(?-i:R))="
    r"|\b(?:vaut|valent|font|fait|donnent?|trouve|obtien\w+)\b",
    re.I,
)
"""Marks of an answer that is a value, where a number is not the number of an option: `x = 3`."""
_SKIPPING: Final = frozenset({"passer", "skip"})
_SPELLING_SUBJECTS: Final = ("french", "english")
_SAME_CHOICES: Final = tuple(
    tuple(frozenset(names.split(",")) for names in group)
    for group in (
        ("oui,ouais,yes,vrai,vraie,true,v,c est vrai,oui c est vrai,juste,exact",
         "non,nn,no,faux,false,f,fausse,c est faux,non c est faux"),
        ("<,inferieur,inferieur a,plus petit,plus petit que,less than,smaller than",
         ">,superieur,superieur a,plus grand,plus grand que,greater than,bigger than",
         "=,egal,egale,egal a,equal,equals"),
    )
)  # fmt: skip
"""Words that name the same option where all options are of one group."""
_MONEY: Final = re.compile(r"(?<=[\w)]) ?(?:f(?: ?cfa)?|cfa|francs?(?: cfa)?)$", re.IGNORECASE)


def is_answer(
    text: str,
    kind: ExerciseKind,
    options: Sequence[str],
    unit: str,
    statement: str = "",
    *,
    talk_counts: bool = False,
) -> bool:
    """Return whether a message can be read as an answer of this kind, rather than as talk.

    Args:
        talk_counts: a solution is itself a word such as `oui` or `bonjour`.
    """
    if kind == "text" and is_small_talk(text):
        return talk_counts
    if kind != "text" and _is_no_try(text, kind, (statement, unit, *options), options):
        return False
    text = leave_greeting(leave_statement(text.strip(), statement))
    is_fit = 0 < len(text) <= _LONGEST and not text.startswith("/")
    if not is_fit or (text.endswith("?") and not (kind == "number" and asks_value(text))):
        return False
    is_bound = kind == "set" and bool(read_interval(clean(text)))  # also `x greater than 2`
    if kind not in ("text", "choice") and not is_bound and denies_value(text, statement):
        return False
    if kind == "choice":
        is_named = find_option(text, options, statement) is not None
        return is_named or _is_other_value(text, options, statement)
    return is_bound or (not is_talk(text, statement) and _can_be(text, kind, unit, statement))


def _is_no_try(text: str, kind: ExerciseKind, asked: Sequence[str], options: Sequence[str]) -> bool:
    """Return whether a message asks to wait, or tells the time or date, where none is asked."""
    if kind == "choice" and fold(text.strip(" .!")) in map(fold, options):
        return False
    if asks_time(fold(" ".join(asked))):
        return False
    return is_waiting(text) or (kind == "choice" and tells_time(text))


def _can_be(
    text: str, kind: Literal["number", "expression", "set", "text"], unit: str, statement: str
) -> bool:
    """Return whether a text that is no talk can be read as an answer of this kind."""
    if kind == "number":
        grade = partial(grade_number, solution="0", unit=unit, statement=statement)
        return decide_number(text, grade, statement) is not None
    if kind == "expression":
        readings = list(list_readings(write_digits(text)))
        return any(map(_is_expression, readings)) or any(map(read_interval, readings))
    if kind == "set":
        is_set = decide_set(text, "{0}") is not None
        return is_set or any(map(write_couple, (text, *list_readings(text))))
    if "…" in statement:  # a word for a gap, or the sentence with it
        known = {*list_words(statement, fold), *SMALL_WORDS, *LEADING_WORDS}
        words = [each for each in WORD.findall(fold(text)) if each.isalnum()]
        return sum(each not in known for each in words) <= _MOST_IN_GAP
    words = [each for each in list_words(text, fold) if each.isalnum()]
    asked = {each for each in list_words(statement, fold) if len(each) > 3}
    if len(asked.intersection(words)) >= _FEWEST_REPEATED:  # the statement's sentence, answered
        known = {*list_words(statement, fold), *SMALL_WORDS, *LEADING_WORDS}
        if sum(each not in known for each in words) <= _MOST_IN_GAP:
            return True
    return len(text.split()) <= MOST_WORDS


def is_right(
    text: str,
    kind: ExerciseKind,
    solutions: Sequence[str],
    *,
    options: Sequence[str] = (),
    unit: str = "",
    tolerance: float = 0.0,
    skill: str = "",
    statement: str = "",
) -> bool:
    """Return whether an answer is one of the solutions, in the form that the statement asks for."""
    text = leave_statement(text, statement)
    if kind == "choice":
        option = find_option(text, options, statement)
        is_named = option is not None and options[option] in solutions
        return is_named and (is_lowest(text) or not wants_lowest_terms(statement))
    if kind == "text":
        slips = not (skill.startswith(_SPELLING_SUBJECTS) or asks_form(statement))
        return any(
            _same_time_or_couple(text, each, statement)
            or same_words(text, each, statement, slips=slips)
            for each in solutions
        )
    return any(
        _same_value(text, each, kind, unit=unit, tolerance=tolerance, statement=statement)
        for each in solutions
    )


def _same_value(
    text: str,
    solution: str,
    kind: Literal["number", "expression", "set"],
    *,
    unit: str,
    tolerance: float,
    statement: str,
) -> bool:
    if kind == "set":
        is_repeated = "<" in text and squeeze(text) in squeeze(statement)
        return not is_repeated and decide_set(text, solution) is True
    if kind == "expression":
        return _same_expression(text, solution, statement)
    grade = partial(
        grade_number, solution=solution, unit=unit, tolerance=tolerance, statement=statement
    )
    return decide_number(text, grade, statement) is True


def name_option(text: str, options: Sequence[str], statement: str = "") -> str:
    """Return the option that a text names, as the options spell it; the text itself if it names
    none."""
    place = find_option(text, options, statement)
    return text if place is None else options[place]


def is_same_try(text: str, other: str, kind: ExerciseKind, unit: str, statement: str) -> bool:
    """Return whether two wrong answers are the same value or words in other spellings."""
    if squeeze(text.casefold()) == squeeze(other.casefold()):
        return True
    if kind == "choice":
        return False  # both are options already
    if kind == "text":
        slips = not asks_form(statement)
        pairs = ((text, other), (other, text))
        return any(same_words(one, two, statement, slips=slips) for one, two in pairs)
    if kind == "set":
        return any(decide_set(text, each) is True for each in (other, *list_readings(other)))
    ones, others = (list_values(each, unit, statement) for each in (text, other))
    return any(equivalent(one, two, kind) is True for one, two in product(ones, others))


_TIMES: Final = re.compile(r"(?<=\d)[xX](?=\d)")
"""The letter that stands for `×` on small keyboards: `2x3`."""


def list_values(text: str, unit: str, statement: str) -> list[str]:
    """Return the readings of an answer, in order, without its own unit or a noun that it counts."""
    if not re.search(r"\bx\b|\dx", statement):
        text = _TIMES.sub("×", text)
    readings = list(list_readings(write_digits(text), statement))
    values = [readings[0], readings[-1]]
    amount = read_amount(values[-1])
    if amount and amount.rest and is_noun(amount.rest):
        name = split_unit(amount.rest)[0]
        if not name or is_unit(name, unit):
            values = [values[-1].removesuffix(amount.rest).strip()]
    return values


def read_number(text: str, unit: str = "") -> Fraction | None:
    """Return the number that a short text states, with or without its unit; None: it states none.

    With a unit other than `unit` it cannot be compared, and None is returned.
    """
    readings = list(list_readings(text))
    amount = read_amount(readings[-1]) if re.search(r"\d", text) else None
    if amount is None or (amount.rest and not is_unit(amount.rest, unit)):
        return None
    return amount.value


# Expressions and sets -----------------------------------------------------------------------------


_BETWEEN_TERMS: Final = re.compile(r"[\s+*/×÷=^()]+")


def _is_expression(text: str) -> bool:
    try:
        read_answer(text)
    except NotReadable:
        return False
    words = _BETWEEN_TERMS.split(text)
    if any(len(word) == 1 or any(map(str.isdigit, word)) for word in words):
        return True
    return all(len(word) == 1 for word in text.split("-"))  # `a-b`, but not `vas-y`


def _same_expression(text: str, solution: str, statement: str) -> bool:
    if interval := read_interval(solution):
        return any(decide_set(each, interval) for each in list_readings(text))
    answer = clean_expression(text, solution, statement)
    if is_pasted(answer, statement) or name_form_left(answer, solution, statement):
        return False
    verdict = equivalent(answer, solution, "expression")
    same = (squeeze(solution), squeeze(clean(solution)))
    return squeeze(answer) in same if verdict is None else verdict


def clean_expression(text: str, solution: str, statement: str) -> str:
    """Return the result of an answer, without its currency, and with `x2` read as a power."""
    *_, answer = list_readings(write_digits(text))
    if re.search(r"fcfa|francs?\b|\d f\b", fold(statement)):
        answer = _MONEY.sub("", answer)
    if solution == solution.lower():
        answer = answer.lower()
    return re.sub(r"(?<=[a-z])([23])(?![\d.,])", r"^\1", answer)


def name_form_left(
    answer: str, solution: str, statement: str
) -> Literal["factor", "expand", "reduce"] | None:
    """Return what is left to do to an expression for the form that the statement asks for and the
    solution has; None: nothing."""
    left = find_form_left(answer, statement)
    return None if left == find_form_left(solution, statement) else left


def _same_time_or_couple(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is the time, duration or couple that a solution in words is."""
    if "(" in solution and write_couple(solution):
        return decide_set(text, solution) is True
    wanted = _TIME.fullmatch(solution)
    if wanted is None:
        return False
    readings = [*list_readings(text), write_hours(text)]
    if any(_squeeze_time(each) == _squeeze_time(solution) for each in readings):
        return True
    minutes = 60 * int(wanted["hours"] or 0) + int(wanted["minutes"] or 0)
    is_duration = "min" in solution and not is_conversion(statement, Fraction(minutes), "min")
    named = [each for each in readings if "m" in each]
    return is_duration and any(read_number(each, "min") == minutes for each in named)


# Choices ------------------------------------------------------------------------------------------


def find_option(text: str, options: Sequence[str], statement: str = "") -> int | None:
    """Return the place of the option that a text names by its words, value, letter or number.

    A word for skipping, in either language, names the option that says so.
    """
    if fold(text.strip(" .!")) in _SKIPPING:
        text = next((option for option in options if fold(option) in _SKIPPING), text)
    for place, option in enumerate(options, 1):
        if squeeze(text) == squeeze(f"{place}){option}"):  # a line of the list, as SMS shows it
            return place - 1
    text = _name_same_choice(text, options)
    readings = [text, *list_readings(text, statement)]
    for reading, read in product(readings, (squeeze, fold_words, squeeze_signs, read_interval)):
        place = _find_same(reading, options, read)  # options may differ by an accent alone
        if place is not None:
            return place
    place = None if is_talk(text, statement) else _find_value(readings, options, statement)
    if place is None and not _STATES_VALUE.search(text):
        marks = (_find_mark(each, len(options)) for each in readings)
        place = next((mark for mark in marks if mark is not None), None)
    return place


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
    times = [write_hours(readings[0])] if any(map(_TIME.fullmatch, options)) else []
    readings = [*times, *readings]
    for reading in _add_percent([*readings, find_amount(readings[-1])], options):
        if reading and not is_pasted(reading, statement):
            place = _find_same(reading, options, _squeeze_time)
            if place is None:
                place = _find_only([_is_same_option(reading, each) for each in options])
            if place is not None:
                return place
    return _find_only([is_sentence_with(readings[len(times)], each, statement) for each in options])


def _add_percent(readings: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return readings of an answer; where all options are percentages, a bare number is one."""
    if not all("%" in each for each in options if re.search(r"\d", each)):
        return list(readings)
    percents = [re.sub(r"^[-\u2212+]?\d[\d\s.,]*$", r"\g<0> %", each) for each in readings]
    return [*percents, *(each for each in readings if not re.fullmatch(r"[-\u2212+\d\s]+", each))]


def _is_other_value(text: str, options: Sequence[str], statement: str) -> bool:
    """Return whether a text is a number, expression or set, where all options are ones: a wrong try
    if it names no option."""
    known = {*list_words(" ".join((statement, *options)), fold), *SMALL_WORDS, *LEADING_WORDS}
    values = [each for each in options if fold(each) not in _SKIPPING and not is_talk(each)]
    if len(text.split()) > MOST_WORDS or is_talk(text, statement):
        return False
    if not values or not all(_is_value(each, known) for each in values):
        return False
    if re.search(r"[<>≤≥]", text):  # `4 < x <= 9` is no try: it cannot be compared with an option
        return bool(read_interval(clean(text)))
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
    return _can_be(text, "set", "", "") or "∞" in text or _is_expression(text)


def _is_same_option(reading: str, option: str) -> bool:
    if read_couple(option):
        return decide_set(reading, option) is True
    reading = re.sub(r"^[A-Z]?\s*=?\s*\{([^;]*)\}$", r"\1", clean(write_signs(reading)))
    amount = read_amount(option)
    if amount and is_noun(amount.rest) and (not amount.rest or split_unit(amount.rest)[0]):
        number = option.removesuffix(amount.rest).strip()
        return grade_number(reading, solution=number, unit=amount.rest) is True
    if equivalent(reading, option, "set"):
        return True
    plain = clean(option)
    one, other = read_form(reading), read_form(plain.rpartition("=")[2])
    if one and other and one.letters:
        return one.shape == other.shape
    return is_computed(reading) and equivalent(reading, plain, "number") is True


def _squeeze_time(text: str) -> str:
    """Return a formula or time in one spelling, for `8:20`, `08h20` and `8 heures 20`."""
    plain = re.sub(r"^(\d{1,2}):(\d\d)$", r"\1 h \2", text.strip())
    return re.sub(r"^0(?=\d)", "", squeeze(clean(plain)))
