"""Read what a person typed as an answer to an exercise, and grade it. Pure.

A number counts in any notation that school uses (`3,5`, `3.5`, `7/2`, `1 250 F`, `x = 4`), also
with the computation that leads to it or with words around it. A choice counts by its text, value,
letter or number, and words with one slip of typing, unless the exercise is about spelling. A
computation that is left to do is no result.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.answer_forms import has_wanted_form, is_computed, is_pasted, squeeze
from bot.learning.answer_readings import clean, find_amount, is_talk, list_readings, read_amount
from bot.learning.expression_shape import read_form
from bot.learning.typed_numbers import (
    decide_number,
    grade_number,
    is_noun,
    is_unit,
    split_unit,
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
_RELATIONS: Final = (
    ("=<", "≤"), ("<=", "≤"), (">=", "≥"), ("=>", "≥"),
    ("inférieur ou égal à", "≤"), ("supérieur ou égal à", "≥"),
    ("plus petit ou égal à", "≤"), ("plus grand ou égal à", "≥"),
    ("inferieur ou egal a", "≤"), ("superieur ou egal a", "≥"),
    ("inférieur à", "<"), ("supérieur à", ">"), ("inferieur a", "<"), ("superieur a", ">"),
    ("plus petit que", "<"), ("plus grand que", ">"),
    ("pourcent", "%"), ("pour cent", "%"),
    ("plus l'infini", "+∞"), ("moins l'infini", "-∞"), ("infini", "∞"), ("inf", "∞"),
)  # fmt: skip
"""Signs as a cheap keyboard writes them."""
_BEFORE_SET: Final = re.compile(r"^[a-zA-Z]\s*(?:∈|=)\s*(?=[\[\]{(])|^[A-Z]{2}\s*(?=\()")
_MINUS: Final = re.compile(r"\b(?:moins|minus)\s+(?=\d)")
_NO_SOLUTION: Final = re.compile(
    r"(?:(?:il n['’]y a|il n['’]y en a|there (?:is|are)) )?(?:(?:pas de|aucune|no) solutions?"
    r"|aucune|none|(?:l['’])?ensemble vide)"
)
_OPPOSITES: Final = re.compile(r"^(?:[a-z] ?= ?)?(?:±|\+/-|\+-) ?([\d.,/√]+)$")
_INTERVAL: Final = re.compile(r"[\[\]][^;\[\]]+;[^;\[\]]+[\[\]]")
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
    if kind == "choice":
        return find_option(text, options, statement) is not None
    return not is_talk(text, statement) and _can_be(text, kind, unit, statement)


def _can_be(
    text: str, kind: Literal["number", "expression", "set", "text"], unit: str, statement: str
) -> bool:
    """Return whether a text that is no talk can be read as an answer of this kind."""
    if kind == "number":
        grade = partial(grade_number, solution="0", unit=unit, statement=statement)
        return decide_number(text, grade) is not None
    if kind == "expression":
        readings = list(list_readings(text))
        return any(map(_is_expression, readings)) or any(map(_read_interval, readings))
    if kind == "set":
        return _decide_set(text, "{0}") is not None
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
        is_spelling = skill.startswith(_SPELLING_SUBJECTS) or _ASKS_FORM.search(fold(statement))
        return any(_same_words(text, each, statement, slips=not is_spelling) for each in solutions)
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
        return _decide_set(text, solution) is True
    if kind == "expression":
        return _same_expression(text, solution, statement)
    grade = partial(
        grade_number, solution=solution, unit=unit, tolerance=tolerance, statement=statement
    )
    return decide_number(text, grade) is True


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
    if interval := _read_interval(solution):
        return any(_decide_set(each, interval) for each in list_readings(text))
    *_, answer = list_readings(text)
    if solution == solution.lower():
        answer = answer.lower()
    answer = re.sub(r"(?<=[a-z])([23])(?![\d.,])", r"^\1", answer)
    if is_pasted(answer, statement) or not has_wanted_form(answer, statement):
        return False
    verdict = equivalent(answer, solution, "expression")
    return squeeze(answer) == squeeze(solution) if verdict is None else verdict


def _decide_set(text: str, solution: str) -> bool | None:
    """Return whether the first reading that is a set equals the solution; None: none is."""
    for reading in (text, *list_readings(text)):
        verdict = equivalent(_write_set(reading), _write_set(solution), "set")
        if verdict is not None:
            return verdict
    return None


def _write_set(text: str) -> str:
    """Write a set as `{1 ; 2}`, `]1 ; 2[` or `∅`, also from `±3`, `x < 2` or `aucune solution`."""
    if _NO_SOLUTION.fullmatch(fold(text).strip(" .!")):
        return "∅"
    if found := _OPPOSITES.match(text.strip()):
        return f"{{-{found[1]} ; {found[1]}}}"
    return _read_interval(text) or _MINUS.sub("-", text)


def _read_interval(text: str) -> str:
    """Return the interval that a text writes, or as an inequality of x; empty: it has none."""
    interval = _squeeze_signs(text)
    return interval if _INTERVAL.fullmatch(interval) else ""


# Choices ------------------------------------------------------------------------------------------


def find_option(text: str, options: Sequence[str], statement: str = "") -> int | None:
    """Return the place of the option that a text names by its words, value, letter or number.

    A word for skipping, in either language, names the option that says so.
    """
    if fold(text.strip(" .!")) in _SKIPPING:
        text = next((option for option in options if fold(option) in _SKIPPING), text)
    readings = [text, *list_readings(text)]
    for reading, read in product(readings, (squeeze, _fold_words, _squeeze_signs)):
        place = _find_same(reading, options, read)  # options may differ by an accent alone
        if place is not None:
            return place
    place = None if is_talk(text, statement) else _find_value(readings, options, statement)
    if place is None:
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
    for reading in (*readings, find_amount(readings[-1])):
        if reading and not is_pasted(reading, statement):
            place = _find_same(reading, options, _squeeze_time)
            if place is None:
                place = _find_only([_is_same_option(reading, each) for each in options])
            if place is not None:
                return place
    return _find_only([_is_sentence_with(readings[0], each, statement) for each in options])


def _is_same_option(reading: str, option: str) -> bool:
    reading = re.sub(r"^[A-Z]?\s*=?\s*\{([^;]*)\}$", r"\1", clean(_write_signs(reading)))
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


def _write_signs(text: str) -> str:
    for words, sign in _RELATIONS:
        text = text.replace(words, sign)
    return text


def _squeeze_time(text: str) -> str:
    """Return a formula or time in one spelling, for `8:20`, `08h20` and `8 heures 20`."""
    plain = re.sub(r"^(\d{1,2}):(\d\d)$", r"\1 h \2", text.strip())
    return squeeze(clean(plain)).removeprefix("0")


def _write_interval(relation: str, bound: str) -> str:
    side = "[" if relation in "≤≥" else "]"
    other = "]" if relation == "≤" else "["
    return f"{side}{bound};∞[" if relation in ">≥" else f"]-∞;{bound}{other}"


def _squeeze_signs(text: str) -> str:
    """Return a relation, interval or pair in one spelling, whatever keyboard it was typed on."""
    plain = _BEFORE_SET.sub("", _write_signs(text.replace("’", "'").lower().strip()).strip())
    is_pair = re.fullmatch(r"\(?-?[\d./]+\s*[;,]\s*-?[\d./]+\)?", plain.replace(" ", ""))
    plain = plain.replace(",", ";").strip("()") if is_pair else plain
    if found := re.fullmatch(r"x ?([<>≤≥]) ?(-? ?[\d./]+)", plain):
        plain = _write_interval(*found.groups())
    return re.sub(r"(?<=[;])\s*\+(?=∞)|^\+(?=∞)", "", squeeze(plain).replace(",", ";"))


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
    """Return whether an answer to a word of five letters or more has only one slip, in no digit."""
    is_long = len(right) >= 5 and re.sub(r"\D", "", given) == re.sub(r"\D", "", right)
    return is_long and _is_one_slip(given, right)


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
    known = {fold(each) for each in asked} | _SMALL_WORDS
    return all(fold(each) in known or not each.isalnum() for each in others)


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
