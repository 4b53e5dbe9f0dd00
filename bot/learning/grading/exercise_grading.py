"""Read what a person typed as an answer to an exercise, and grade it. Pure.

A number counts in any notation that school uses (`3,5`, `3.5`, `7/2`, `1 250 F`, `x = 4`), also
with the computation that leads to it or with words around it. A choice counts by its text, value,
letter or number, and words with one slip, unless spelling is asked. Another value than those of all
options is a wrong try. A computation that is left to do is no result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Final, Literal

from bot.i18n import fold
from bot.learning.expression_shape import read_form
from bot.learning.grading.answer_forms import (
    asks_prime_factors,
    is_lowest,
    repeats_number,
    squeeze,
    wants_lowest_terms,
)
from bot.learning.grading.answer_readings import (
    asks_value,
    clean,
    list_readings,
    read_amount,
    strip_courtesy,
    strip_frame,
    strip_greeting,
    strip_statement,
    write_digits,
)
from bot.learning.grading.answer_remarks import strip_reason, strip_remarks
from bot.learning.grading.everyday_talk import (
    counts_elsewhere,
    denies_value,
    is_small_talk,
    is_talk,
    is_waiting,
    tells_of_life,
    tells_state,
    tells_time,
)
from bot.learning.grading.named_options import find_option, find_row, is_other_value
from bot.learning.grading.typed_formulas import is_expression, same_expression, write_products
from bot.learning.grading.typed_numbers import (
    decide_number,
    grade_number,
    is_noun,
    is_unit,
    split_measure,
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
from bot.learning.grading.typed_times import same_time
from bot.learning.grading.typed_words import (
    LEADING_WORDS,
    MOST_WORDS,
    SMALL_WORDS,
    WORD,
    asks_form,
    asks_question,
    list_alternatives,
    list_word_readings,
    list_words,
    same_list,
    same_words,
)
from bot.learning.time_patterns import MONTH, asks_time
from bot.maths.equivalence import equivalent
from bot.messages.value import ExerciseKind

_MOST_IN_GAP: Final = 3
"""Words that an answer may add to those of a statement with a gap."""
_FEWEST_REPEATED: Final = 2
"""Words of the statement by which a long text is an answer in a whole sentence."""
_LONGEST: Final = 200
_LONGEST_READ: Final = 300
"""Characters beside the statement from which a message is no answer. It is not read further: what
looks for words around an answer takes seconds for thousands of them."""
_NAMED: Final = re.compile(r"([a-zA-Z]) ?=(?! ?\{)")
_QUANTITY: Final = re.compile(
    r"(?<![A-Za-z\d])"
    r"(?:[A-Z]{2}|[A-Za-z]\d+|[A-Za-z]\((?:-?\d+|[A-Z])\)"
    r"|[A-Za-z](?= ?= ?-?\d[\d.,]*(?! ?[-+*/×.\d(]))"
    r")(?![A-Za-z])( ?=)?"
)
"""A length, a term of a sequence, an image, a probability, or a letter that has a number: `AB`,
`u4`, `f(3)`, `P(A)`, `q = 2`."""
_DATED: Final = re.compile(
    r"(?:(?:c'etait|c'est|it was|en|in|vers|depuis|l'an(?:nee)?|annee|the year) ){0,3}"
    rf"(?:(?:le )?\d{{1,2}}(?:er)?[ /.-](?:\d{{1,2}}|{MONTH})[ /.-]|{MONTH} )?(?:en )?"
    r"(?P<year>\d{3,4}|[a-z -]+)(?: ap\w*\.? j\W*c\W*)?"
)
_ASKS_YEAR: Final = re.compile(r"\b(?:annee|year)\b")
_MOST_FRAMED: Final = 3
"""Most words of an answer around which words are left out; more are a sentence of talk."""
_RANK: Final = re.compile(r"(?:(?:en|la|le|the) )?\d{1,2}(?:ere?|re|nde?|de|i?eme|e|st|rd|th)")
"""A class or a place: `2nde`, `3e`."""
_ASKS_RANK: Final = re.compile(
    r"\b(?:rang|place|position|siecle|etage|rank|century|floor|combientieme)\b"
)
_DISCRIMINANT: Final = re.compile(
    r"(?:le )?(?:delta|δ|discriminant)(?: ?=| vaut| est| is) ?-?[\d.,/]+"
)
"""A step on the way to the solutions of an equation: `Δ = 1`."""
_ASKS_DISCRIMINANT: Final = re.compile(r"Δ|[Dd]elta|discriminant")
_BETWEEN_ORDERED: Final = re.compile(r"(?<=\d)\s*[<>]\s*(?=-?\d)")
"""A sign between numbers in order, which come as they are written: `21 > 15 > 9`."""
_FORMULA: Final = re.compile(r"(?=.*[\d²³^])(?=.*[-+*/×^²³=])")
_SPELLING_SUBJECTS: Final = ("french", "english")


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
    text = text.strip()
    asked = strip_statement(text, statement)
    if len(asked) > _LONGEST_READ or len(text) > len(statement) + _LONGEST_READ:
        return False
    if kind == "text":
        said = (
            (text, list_word_readings(asked, statement)[-1]) if len(text) <= _LONGEST else (text,)
        )
        if any(is_small_talk(each, statement) or tells_state(each, statement) for each in said):
            return talk_counts
        if asked.endswith("?") and not asks_question(statement):
            return False
        plain = strip_frame(asked)
        if len(plain.split()) > _MOST_FRAMED:
            plain = strip_courtesy(strip_greeting(asked))
        plain = list_word_readings(plain, statement)[-1] if len(plain) <= _LONGEST else plain
    else:
        plain = _strip_around(asked, kind)
        is_number = kind == "choice" and plain.isdecimal()
        said = text if is_number else plain  # `Bonjour 2` names no option
        if _is_no_try(said, asked, kind, statement, unit, options):
            return False
    texts = (plain, plain.lower()) if plain.isupper() else (plain,)
    return any(_is_readable(each, kind, options, unit, statement) for each in texts)


def _strip_around(text: str, kind: ExerciseKind) -> str:
    """Return an answer without the words around it that say nothing, and a number, formula or
    choice without the remarks beside it."""
    plain = strip_frame(text)
    if kind == "text" or len(plain) > _LONGEST:
        return plain
    return strip_reason(plain) if kind == "choice" else strip_frame(strip_remarks(plain))


def _is_readable(
    text: str, kind: ExerciseKind, options: Sequence[str], unit: str, statement: str
) -> bool:
    """Return whether a text without greetings and interjections can be read as an answer."""
    is_fit = 0 < len(text) <= _LONGEST and not text.startswith("/")
    may_ask = (kind == "number" and asks_value(text)) or asks_question(statement)
    if not is_fit or (text.endswith("?") and not may_ask):
        return False
    is_bound = kind == "set" and bool(read_interval(clean(text)))  # also `x greater than 2`
    if kind not in ("text", "choice") and not is_bound and denies_value(text, statement):
        return False
    if kind == "choice":
        is_named = find_option(text, options, statement) is not None
        return is_named or is_other_value(text, options, statement)
    return is_bound or (not is_talk(text, statement) and _can_be(text, kind, unit, statement))


def _is_no_try(
    text: str, whole: str, kind: ExerciseKind, statement: str, unit: str, options: Sequence[str]
) -> bool:
    """Return whether a message asks to wait, tells of a person's life, tells the time or date or a
    discriminant where none is asked, or counts something of which the exercise does not speak.

    Args:
        whole: the message with the words around an answer, such as `j'ai eu`.
    """
    is_option = fold(text.strip(" .!")) in map(fold, options) or find_row(text, options)
    if kind == "choice" and is_option:
        return False
    asked = " ".join((statement, *options))
    said = strip_reason(strip_greeting(whole[:_LONGEST]))
    if _DISCRIMINANT.fullmatch(fold(text.strip(" .!"))) and not _ASKS_DISCRIMINANT.search(asked):
        return True
    if counts_elsewhere(text, asked, unit) or tells_of_life(said, statement):
        return True
    if asks_time(fold(f"{asked} {unit}")):
        return False
    return is_waiting(text) or (kind == "choice" and tells_time(text))


def _can_be(
    text: str, kind: Literal["number", "expression", "set", "text"], unit: str, statement: str
) -> bool:
    """Return whether a text that is no talk can be read as an answer of this kind."""
    if kind == "number":
        is_rank = _RANK.fullmatch(fold(text.strip(" .!"))) is not None
        grade = partial(grade_number, solution="0", unit=unit, statement=statement)
        is_number = decide_number(text, grade, statement) is not None or _is_symbolic(text)
        return is_number and (not is_rank or bool(_ASKS_RANK.search(fold(statement))))
    if kind == "expression":
        readings = list(list_readings(write_products(write_digits(text), statement)))
        return any(map(is_expression, readings)) or any(map(read_interval, readings))
    if kind == "set":
        return is_set(text)
    stated = list_words(statement, fold)
    known = {*stated, *SMALL_WORDS, *LEADING_WORDS}
    if "…" in statement:  # a word for a gap, or the sentence with it
        words = [each for each in WORD.findall(fold(text)) if each.isalnum()]
        return sum(each not in known for each in words) <= _MOST_IN_GAP
    words = [each for each in list_words(text, fold) if each.isalnum()]
    asked = {each for each in stated if len(each) > 3}
    is_repeated = len(asked.intersection(words)) >= _FEWEST_REPEATED
    if is_repeated and sum(each not in known for each in words) <= _MOST_IN_GAP:
        return True  # the statement's sentence, answered
    words = [each for each in text.split() if any(map(str.isalnum, each))]
    return sum(each not in "xX" for each in words) <= MOST_WORDS


def _is_symbolic(text: str) -> bool:
    """Return whether a text is an infinity, or a number in letters: `+∞`, `2e`, `ln(3)`."""
    if any(squeeze_signs(each) in ("∞", "+∞", "-∞") for each in list_readings(text)):
        return True
    form = read_form(clean(text)) if re.search(r"(?<![^\W\d_])(?:e|ln)(?![^\W\d_])", text) else None
    return form is not None and not form.letters


def asks_spelling(skill: str) -> bool:
    """Return whether exercises of a skill are about how words are written."""
    return skill.startswith(_SPELLING_SUBJECTS)


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
    plain = _strip_around(strip_statement(text, statement), kind)
    texts = [plain, plain.lower()] if plain.isupper() else [plain]
    if kind in ("text", "choice"):
        texts.append(text)  # which may begin with a word of the solution: `donc`
    texts = list(dict.fromkeys(texts))
    if kind == "choice":
        return any(_names_right_option(each, solutions, options, statement) for each in texts)
    if kind == "text":
        slips = not (asks_spelling(skill) or asks_form(statement))
        wanted = [each for one in solutions for each in list_alternatives(one, statement)]
        return any(_is_right_in_words(each, wanted, statement, slips=slips) for each in texts)
    return any(
        _same_value(each, solution, kind, unit=unit, tolerance=tolerance, statement=statement)
        for each, solution in product(texts, solutions)
    )


def _names_right_option(
    text: str, solutions: Sequence[str], options: Sequence[str], statement: str
) -> bool:
    """Return whether an answer names a right option, in lowest terms if these are asked."""
    option = find_option(text, options, statement)
    is_named = option is not None and options[option] in solutions
    *_, result = list_readings(text, statement)
    return is_named and (is_lowest(result) or not wants_lowest_terms(statement))


def _is_right_in_words(text: str, wanted: Sequence[str], statement: str, *, slips: bool) -> bool:
    """Return whether an answer is one of the wanted words; slips of typing count or not."""
    return any(
        _same_in_signs(given, right, statement)
        or same_words(given, right, statement, slips=slips)
        or same_list(given, right, statement, slips=slips)
        for given, right in product(list_word_readings(text, statement), wanted)
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
        return same_expression(text, solution, statement)
    is_other = _names_other_letter(text, solution) or _names_other_quantity(text, statement)
    if is_other or repeats_number(clean(text), solution, statement):
        return False
    if "∞" in solution:
        return _is_same_in_signs(text, solution)
    if same_time(text, solution, statement):
        return True
    if not unit:
        solution, unit = split_measure(solution)
    grade = partial(
        grade_number, solution=solution, unit=unit, tolerance=tolerance, statement=statement
    )
    return decide_number(text, grade, statement) is True


def _names_other_letter(text: str, solution: str) -> bool:
    """Return whether an answer gives the value to another letter than the solution does."""
    one, other = _NAMED.match(clean(text)), _NAMED.match(solution)
    return bool(one and other and one[1].lower() != other[1].lower())


def _names_other_quantity(text: str, statement: str) -> bool:
    """Return whether an answer gives the value of quantities such as `BC`, none of which the
    statement asks for, as it tells their values or does not name them."""
    known = _list_quantities(statement, valued=True)
    asked = _list_quantities(statement, valued=False) - known
    given = {each for each in _list_quantities(text, valued=True) if len(each) > 1 or each in known}
    return bool(asked and given) and asked.isdisjoint(given)


def _list_quantities(text: str, *, valued: bool) -> set[str]:
    """Return the names of quantities that an equals sign follows, or does not; `BA` is `AB`."""
    names = _QUANTITY.finditer(re.sub(r"[${}_\\]", "", text))
    found = [each[0].removesuffix("=").strip() for each in names if bool(each[1]) is valued]
    return {("".join(sorted(each)) if each.isalpha() else each).casefold() for each in found}


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


def _read_year(text: str) -> str:
    """Return the year in digits that a text tells, in digits or words, alone or in a date; empty:
    it tells none."""
    found = _DATED.fullmatch(fold(clean(text)).replace("’", "'"))
    if found is None or found["year"].isdecimal():
        return found["year"] if found else ""
    words = re.sub(r"\bmil\b", "mille", found["year"])
    century, *rest = re.split(r"[ -]", words)
    one, other = (read_amount(each) for each in (century, " ".join(rest)))
    if one and other and 10 <= one.value <= 20 and 10 <= other.value <= 99:  # `nineteen sixty`
        return "" if other.rest else str(100 * one.value + other.value)
    amount = read_amount(words)
    return str(amount.value) if amount and not amount.rest and amount.value > 99 else ""


def _same_in_signs(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is the year, number, formula, inequality, list of numbers, couple,
    time or duration that a solution in words is."""
    if _ASKS_YEAR.search(fold(statement)) and (year := _read_year(text)):
        return year == solution
    if re.fullmatch(r"[\d.,]+", solution) and not repeats_number(text, solution, statement):
        amount = read_amount(clean(text))
        values = (amount.value, amount.grouped) if amount and not amount.rest else ()
        return read_number(solution) in values
    is_couple = bool(read_couple(solution))
    if (is_couple or read_interval(solution)) and decide_set(text, solution) is True:
        return True
    if not re.search("[<>]", solution):
        text = _BETWEEN_ORDERED.sub(" ; ", text)
    readings = [*list_readings(text)]
    for write in (_write_relation, write_list):
        if right := write(solution):
            return any(write(each) == right for each in readings)
    if _is_formula(text, solution, statement):
        return True
    return not is_couple and same_time(text, solution, statement)


def _is_formula(text: str, solution: str, statement: str) -> bool:
    """Return whether an answer is the formula that a solution in words is, in its form or as other
    prime factors are written."""
    if "∞" not in solution and not _FORMULA.search(solution):
        return False
    if asks_prime_factors(statement) and "∞" not in solution:
        return same_expression(text, solution, statement)
    return _is_same_in_signs(text, solution)


def _is_same_in_signs(text: str, solution: str) -> bool:
    return any(squeeze_signs(each) == squeeze_signs(solution) for each in list_readings(text))


def _write_relation(text: str) -> str:
    """Return `2/3<3/4` for `3/4 > 2/3`; empty: it is no inequality of two sides."""
    sides = re.split(r"\s*([<>≤≥])\s*", write_signs(fold(text)).strip(" .!"))
    if len(sides) != 3 or not all(sides):
        return ""
    low, sign, high = sides if sides[1] in "<≤" else sides[::-1]
    return squeeze(f"{low}{'<' if sign in '<>' else '≤'}{high}")
