"""Read what a person typed as an answer to an exercise, and grade it. Pure.

A number counts in any notation that school uses (`3,5`, `3.5`, `7/2`, `1 250 F`, `x = 4`), also
with the computation that leads to it or with words around it. A choice counts by its text, value,
letter or number, and words with one slip of typing, unless the exercise is about spelling. Another
value than those of all options is a wrong try. A computation that is left to do is no result.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.answer_forms import (
    has_wanted_form,
    is_computed,
    is_conversion,
    is_pasted,
    squeeze,
)
from bot.learning.answer_readings import (
    clean,
    denies_value,
    find_amount,
    is_talk,
    list_readings,
    read_amount,
)
from bot.learning.expression_shape import read_form
from bot.learning.typed_numbers import (
    decide_number,
    grade_number,
    is_noun,
    is_unit,
    split_unit,
)
from bot.learning.typed_sets import (
    decide_set,
    read_couple,
    read_interval,
    squeeze_signs,
    write_couple,
    write_signs,
)
from bot.maths.equivalence import equivalent, read_answer
from bot.maths.quantities import NotReadable
from bot.messages.value import ExerciseKind

MOST_WORDS: Final = 6
"""Words of an answer in words; a longer text is talk, unless the statement has its words."""
_MOST_IN_GAP: Final = 3
"""Words and signs that an answer may add to those of a statement with a gap."""
_LONGEST: Final = 200
_MARK: Final = re.compile(
    r"(?:(?:la|le|l['’]|r[ée]ponse|option|lettre|choix|num[ée]ro|n°)\s*)*"
    r"[(\[]?(?:(?P<number>\d)|(?P<letter>[A-Za-z]))[)\].:]?",
    re.IGNORECASE,
)
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
_FORMULA: Final = re.compile(r"[\d$∞√]|^\w$")
"""Marks of an option that is a number or formula, or one letter."""
_SIGNS: Final = frozenset("-\u2212+*/×÷^=√%²³")
_SKIPPING: Final = frozenset({"passer", "skip"})
_SPELLING_SUBJECTS: Final = ("french", "english")
_ASKS_FORM: Final = re.compile(
    r"conjug|\baccorde[rz]?\b|orthograph|dictee|pluriel|feminin|participe|terminaison|homophone|spell|plural"
    r"|tense|verb"
)
_FORMULA_MARKS: Final = str.maketrans("", "", "$")
_SMALL_WORDS: Final = frozenset(
    "je j tu il elle on nous vous ils elles c est un une le la l les des d du de au aux ce et a an "  # noqa: SIM905
    "the i you he she it we they is are".split()
)
_LEADING_WORDS: Final = frozenset(
    "je pense crois dirais que qu reponse i think it s answer".split()  # noqa: SIM905
)
_WORD: Final = re.compile(r"[^\W_]+|[^\w\s]")


def is_answer(
    text: str, kind: ExerciseKind, options: Sequence[str], unit: str, statement: str = ""
) -> bool:
    """Return whether a message can be read as an answer of this kind, rather than as talk."""
    text = text.strip()
    if not text or len(text) > _LONGEST or text.startswith("/") or text.endswith("?"):
        return False
    if kind not in ("text", "choice") and denies_value(text, statement):
        return False
    if kind == "choice":
        is_named = find_option(text, options, statement) is not None
        return is_named or _is_other_value(text, options, statement)
    return not is_talk(text, statement) and _can_be(text, kind, unit, statement)


def _can_be(
    text: str, kind: Literal["number", "expression", "set", "text"], unit: str, statement: str
) -> bool:
    """Return whether a text that is no talk can be read as an answer of this kind."""
    if kind == "number":
        grade = partial(grade_number, solution="0", unit=unit, statement=statement)
        return decide_number(text, grade, statement) is not None
    if kind == "expression":
        readings = list(list_readings(text))
        return any(map(_is_expression, readings)) or any(map(read_interval, readings))
    if kind == "set":
        is_set = decide_set(text, "{0}") is not None
        return is_set or any(map(write_couple, (text, *list_readings(text))))
    if "…" in statement:  # a word for a gap, or the sentence with it
        known = {*_list_words(statement, fold), *_SMALL_WORDS}
        return sum(each not in known for each in _WORD.findall(fold(text))) <= _MOST_IN_GAP
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
    if kind == "choice":
        option = find_option(text, options, statement)
        return option is not None and options[option] in solutions
    if kind == "text":
        slips = not (skill.startswith(_SPELLING_SUBJECTS) or _ASKS_FORM.search(fold(statement)))
        return any(
            _same_time_or_couple(text, each, statement)
            or _same_words(text, each, statement, slips=slips)
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


def find_feedback(
    text: str, kind: ExerciseKind, feedback: Mapping[str, str], *, unit: str = ""
) -> str:
    """Return the feedback for a likely wrong answer, in whatever notation it is written; empty: the
    text is none of them."""
    named = [each for each in feedback if each == text or is_right(text, kind, (each,), unit=unit)]
    return feedback[named[0]] if named else ""


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


def _is_expression(text: str) -> bool:
    try:
        read_answer(text)
    except NotReadable:
        return False
    return any(sign.isdigit() or len(word) == 1 for word in text.split() for sign in word)


def _same_expression(text: str, solution: str, statement: str) -> bool:
    if interval := read_interval(solution):
        return any(decide_set(each, interval) for each in list_readings(text))
    *_, answer = list_readings(text)
    if solution == solution.lower():
        answer = answer.lower()
    answer = re.sub(r"(?<=[a-z])([23])(?![\d.,])", r"^\1", answer)
    if is_pasted(answer, statement) or not has_wanted_form(answer, statement):
        return False
    verdict = equivalent(answer, solution, "expression")
    return squeeze(answer) == squeeze(solution) if verdict is None else verdict


def _same_time_or_couple(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is the time, duration or couple that a solution in words is."""
    if "(" in solution and write_couple(solution):
        return decide_set(text, solution) is True
    wanted = _TIME.fullmatch(solution)
    if wanted is None:
        return False
    readings = list(list_readings(text))
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
    readings = [text, *list_readings(text, statement)]
    for reading, read in product(readings, (squeeze, _fold_words, squeeze_signs)):
        place = _find_same(reading, options, read)  # options may differ by an accent alone
        if place is not None:
            return place
    place = None if is_talk(text, statement) else _find_value(readings, options, statement)
    if place is None and not _STATES_VALUE.search(text):
        marks = (_find_mark(each, len(options)) for each in readings)
        place = next((mark for mark in marks if mark is not None), None)
    return place


def _find_same(text: str, options: Sequence[str], read: Callable[[str], str]) -> int | None:
    wanted = read(text)
    return _find_only([read(option) == wanted for option in options])


def _find_only(named: Sequence[bool]) -> int | None:
    return named.index(True) if named.count(True) == 1 else None


def _find_mark(text: str, count: int) -> int | None:
    found = _MARK.fullmatch(text.strip())
    if found is None:
        return None
    number, letter = found["number"], found["letter"]
    place = int(number) - 1 if number else string.ascii_uppercase.index(letter.upper())
    return place if 0 <= place < count else None


def _find_value(readings: Sequence[str], options: Sequence[str], statement: str) -> int | None:
    """Return the place of the only option that has the value or the words of an answer."""
    for reading in _add_percent([*readings, find_amount(readings[-1])], options):
        if reading and not is_pasted(reading, statement):
            place = _find_same(reading, options, _squeeze_time)
            if place is None:
                place = _find_only([_is_same_option(reading, each) for each in options])
            if place is not None:
                return place
    return _find_only([_is_sentence_with(readings[0], each, statement) for each in options])


def _add_percent(readings: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return readings of an answer; where all options are percentages, a bare number is one."""
    if not all("%" in each for each in options if re.search(r"\d", each)):
        return list(readings)
    percents = [re.sub(r"^[-\u2212+]?\d[\d\s.,]*$", r"\g<0> %", each) for each in readings]
    return [*percents, *(each for each in readings if not re.fullmatch(r"[-\u2212+\d\s]+", each))]


def _is_other_value(text: str, options: Sequence[str], statement: str) -> bool:
    """Return whether a text is a number, expression or set, where all options are ones: a wrong try
    if it names no option."""
    known = {*_list_words(" ".join((statement, *options)), fold), *_SMALL_WORDS, *_LEADING_WORDS}
    values = [each for each in options if fold(each) not in _SKIPPING and not is_talk(each)]
    if len(text.split()) > MOST_WORDS or is_talk(text, statement):
        return False
    if not values or not all(_is_value(each, known) for each in values):
        return False
    if re.search(r"[<>≤≥]", text):  # `4 < x <= 9` is no try: it cannot be compared with an option
        return bool(read_interval(clean(text)))
    readings = list(list_readings(text, statement))
    amount = find_amount(readings[-1])
    words = _list_words(readings[-1].removesuffix(amount), fold)
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
        words = _list_words(amount.rest, fold)
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
    return squeeze(clean(plain)).removeprefix("0")


# Words --------------------------------------------------------------------------------------------


def _same_words(text: str, solution: str, statement: str, *, slips: bool) -> bool:
    if not slips:  # accents and endings are what is asked
        given = " ".join(clean(text).split()).strip(" .!").casefold()
        right = solution.strip().casefold()
        return given == right or _is_sentence_with(text, solution, statement)
    given, right = _fold_words(text), _fold_words(solution)
    readings = (given, _leave_lead(given, right, fold(statement)))
    return any(each == right or _is_slip(each, right) for each in readings)


def _leave_lead(given: str, right: str, statement: str) -> str:
    """Return an answer in words without a lead such as `je pense que c'est`."""
    known = {*_WORD.findall(statement), *_SMALL_WORDS, *_LEADING_WORDS} - {*_WORD.findall(right)}
    for word in _WORD.finditer(given):
        if word[0].isalnum() and word[0] not in known:
            return given[word.start() :]
    return given


def _is_slip(given: str, right: str) -> bool:
    """Return whether an answer to a word of five letters or more has only one slip, in no digit,
    and no other ending: `finis` is no slip of `finit`."""
    is_long = len(right) >= 5 and re.sub(r"\D", "", given) == re.sub(r"\D", "", right)
    is_other_ending = given[:-1] == right[:-1] and given != right
    return is_long and not is_other_ending and _is_one_slip(given, right)


def _is_sentence_with(text: str, solution: str, statement: str) -> bool:
    """Return whether a text is a sentence with the solution: its other words are those of the
    statement or small words, and it has the solution's first word more often than the statement."""
    words, right = _list_words(text, str.casefold), _list_words(solution, str.casefold)
    places = [at for at in range(len(words)) if words[at : at + len(right)] == right]
    if not statement or not right or len(places) != 1:
        return False
    asked = _list_words(re.sub(r"\([^()]*\)", " ", statement), str.casefold)
    if Counter(asked)[right[0]] >= Counter(words)[right[0]]:
        return False
    others = words[: places[0]] + words[places[0] + len(right) :]
    if _FORMULA.search(solution) and not _stands_alone(words, places[0], len(right)):
        return False
    known = {fold(each) for each in asked} | _SMALL_WORDS
    return all(fold(each) in known or not each.isalnum() for each in others)


def _stands_alone(words: Sequence[str], at: int, count: int) -> bool:
    """Return whether no sign or decimals in a sentence make another value of the formula at this
    place."""
    before, after = words[max(0, at - 2) : at], words[at + count : at + count + 2]
    is_decimal = "".join(before[-2:])[-1:] in (".", ",") and before[0].isdigit()
    is_decimal = is_decimal or (len(after) > 1 and after[0] in ".," and after[1].isdigit())
    others = {*words[:at], *words[at + count :]}
    neighbours = {*before[-1:], *after[:1]}
    return not (is_decimal or others & _SIGNS or any(map(str.isdigit, neighbours)))


def _list_words(text: str, read: Callable[[str], str]) -> list[str]:
    return _WORD.findall(read(text.replace("’", "'").translate(_FORMULA_MARKS)))


def _is_one_slip(given: str, right: str) -> bool:
    """Return whether one letter is missing, too many, wrong, or swapped with the next."""
    if abs(len(given) - len(right)) > 1:
        return False
    start = next(
        (i for i, pair in enumerate(zip(given, right, strict=False)) if pair[0] != pair[1]),
        min(len(given), len(right)),
    )
    rest, wanted = given[start:], right[start:]
    swapped = rest[:2] == wanted[:2][::-1] and rest[2:] == wanted[2:]
    return rest[1:] == wanted[1:] or rest[1:] == wanted or rest == wanted[1:] or swapped


def _fold_words(text: str) -> str:
    return " ".join(fold(text.translate(_FORMULA_MARKS)).split()).strip(".!;: ")
