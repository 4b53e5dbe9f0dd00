"""Find whether a text of the tutor gives away the solution of an open exercise or quiz. Pure.

A leak is the value in any notation (decimal, fraction, percentage, words, LaTeX, code); an
equivalent expression in which nothing is left to compute; the right option by its text, letter or
place; the asked word, also spelled, reversed or in pieces; and the statement with its gap filled.

No leak is, as a teacher would decide: the repeated statement; a step that leaves something to
compute (`3 × 4` where 12 is asked, `27 ÷ 3`), unless it is said as the answer; all options alike; a
value that the pupil knows already, unless said as the result; a small number that counts another
thing. If the statement already has the value (`Simplifie 6/8`), only the solution's own notation
leaks, and where it is a fraction, a decimal or percentage.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, Protocol

from bot.learning.expression_shape import read_form
from bot.learning.grading.typed_words import asks_form, list_surnames
from bot.learning.leaks.disguises import lift_disguises, strip_examples
from bot.learning.leaks.edits import EditSearch
from bot.learning.leaks.hidden_words import (
    HiddenWordSearch,
    MisspelledWordSearch,
    SoundSearch,
    spell_solution,
)
from bot.learning.leaks.implied_solutions import (
    CoupleSubstitutionSearch,
    EquationSearch,
    FractionPartsSearch,
    PlaceValueSearch,
    QuotientSearch,
    RootSearch,
    SubstitutionSearch,
)
from bot.learning.leaks.listed_parts import (
    CoefficientSearch,
    FactorListSearch,
    ItemSearch,
    NumberListSearch,
    OrderSearch,
    PrimeFactorSearch,
    TermSearch,
    make_divisor_search,
    make_exponent_search,
)
from bot.learning.leaks.option_places import (
    EliminationSearch,
    MarkedOptionSearch,
    PlaceSearch,
    ReasonSearch,
)
from bot.learning.leaks.reading import Literal, Reading, cut_line, read_value, squeeze
from bot.learning.leaks.relations import LimitSearch, RelationSearch, SignSizeSearch
from bot.learning.leaks.sets import (
    ElementSearch,
    FactorSearch,
    ListSearch,
    Range,
    RangeSearch,
    WordSetSearch,
    read_half_line,
    read_ranges,
    split_set,
    split_words,
    strip_point_name,
)
from bot.learning.leaks.translations import TranslationSearch
from bot.learning.leaks.values import ValueSearch
from bot.learning.leaks.verdicts import VerdictSearch
from bot.learning.leaks.words import (
    NOT,
    ExpressionSearch,
    PhraseSearch,
    SignSearch,
    WordSearch,
    bound_phrase,
    list_other_forms,
)
from bot.learning.open_items import Secret
from bot.learning.plain_notation import fold_notation

_SENTENCE_END: Final = re.compile(r"(?<=[.?!:])\s+")
_SENTENCE_LENGTH: Final = 12
"""Characters from which a sentence of the statement is recognised when the text repeats it."""
_ASIDE: Final = re.compile(r"(?<![\d\s])\s?—\s?([^—\n]{1,40}?)\s?—\s?")
"""Words between dashes, which are no signs of a subtraction."""
_ANSWER_IS: Final = re.compile(
    r"\b(?:reponse|resultat|solutions?|answer|result|indice|hint|aide)\b(?: attendue?| finale?)?"
    r"(?: ?[:=]| est| is| sera|(?<=solutions)|(?<=solution))(?: donc| c'est| it is)?[\s\"'(\[]*"
)
_ASKS_POWER: Final = re.compile(r"\b(?:puissances?|exposants?|powers?|exponents?)\b")
_ASKS_FRACTION: Final = re.compile(r"\bfraction|\bd[ée]cima", re.IGNORECASE)
_RIGHT_PLACE: Final = re.compile(
    r"\b(?:reponse|answer)\b[^.?!\n]{0,12}(?:[:=]|\best\b|\bis\b) ?(?:la |the )?([a-d])\b"
)
_ASKS_COUNT: Final = re.compile(r"\b(?:combien|how many)\b")
_ASKS_WRITING: Final = re.compile(
    r"\ben (?:toutes )?(?:chiffres|lettres)\b|\bin (?:figures|digits|words|letters)\b"
)
"""Marks of a statement whose number is asked in another writing: `Écris 85 en lettres`."""
_ROW_NUMBER: Final = re.compile(r"( *\| *)(\d{1,2})(?= *\|)")
_TIME: Final = re.compile(r"\d+ ?h(?: ?\d+)?(?: ?min)?|\d{1,2}(?:er)? [^\W\d]{3,9}(?: \d{4})?")
_TASK: Final = re.compile(
    r"\b(?:écri[st]|écrire|écrivez|write|mets|combien (?:font|fait|vaut|valent)|how much is)\b ",
    re.IGNORECASE,
)
_GIVES: Final = re.compile(r"(?<![\w+*/^=<>-])([a-z]{2}|[a-z]_?\{?\d\}?|[a-z]\(-?\d+\)) ?= ?$")
"""What gives a length, a term or an image its value: `ab =`, `u_0 =`, `f(2) =`."""
_BEHIND_QUESTION: Final = re.compile(r"\?[\s\"'«“(\[:=$]*(\w[^?\n]*?)[\s\"'»”)\].!$]*$")
_NAME_ASKED: Final = re.compile(
    r"([^?«\"“]*[.!:\n])(?![^?]*\b(?:mots?|noms?|phrase|texte|sujet|word|noun|sentence|text)\b)"
    r"([^?.!:\n]*(?:\bquelle? est\b|\bcomment s['’]appelle\b|\bwhat is\b)[^?.!\n]*\?\s*)",
    re.IGNORECASE,
)
"""A question for a name, without those about words, and the sentences before it."""
_NAME: Final = re.compile(r"(?<=[^\W\d_][ '’])[A-ZÀ-Ý]\w[\w-]*")


class _Search(Protocol):
    def find(self, reading: Reading) -> str | None: ...


def find_leak(text: str, secrets: Sequence[Secret], said: str = "") -> str | None:
    """Return the words of a text that give a solution away; None: no words do.

    Args:
        text: the whole text so far, also while it is streamed: a leak may begin in lines that were
            already shown, and a number that looks like a result may turn out to be a step.
        secrets: the person's open exercises and quizzes.
        said: the pupil's last message; its values count as known to them.
    """
    text = _strip_row_numbers(_ASIDE.sub(r", \1, ", text))
    known = f"{said}\n{lift_disguises(said)}"
    whole = Reading(text, said), Reading(lift_disguises(text), known)
    for secret in secrets:
        rest = _strip_statement(text, secret.statement)
        rest = strip_examples(rest, *_read_numbers(secret))
        plain, lifted = (
            whole if rest == text else (Reading(rest, said), Reading(lift_disguises(rest), known))
        )
        if leak := _search(plain, secret):
            return leak
        if lifted.text:
            statement = f"{secret.statement}\n{lift_disguises(secret.statement)}".strip()
            if leak := _search(lifted, replace(secret, statement=statement)):
                return leak
    return None


def _strip_row_numbers(text: str) -> str:
    """Return the text without the numbers 1, 2, … of the rows of tables, which say nothing."""
    if "|" not in text:
        return text
    lines = text.split("\n")
    begin, last = 0, 0
    for at, line in enumerate((*lines, "")):
        found = _ROW_NUMBER.match(line)
        number = int(found[2]) if found else 0
        if number == last + 1:
            last = number
            continue
        if last > 1:
            lines[begin:at] = [_ROW_NUMBER.sub(r"\1", each, count=1) for each in lines[begin:at]]
        begin, last = (at, 1) if number == 1 else (at + 1, 0)
    return "\n".join(lines)


def _search(reading: Reading, secret: Secret) -> str | None:
    return next(filter(None, (each.find(reading) for each in _prepare(secret))), None)


def states_solution(statement: str, secret: Secret) -> bool:
    """Return whether the statement of an exercise tells its solution as the answer.

    Numbers, options and words may stand in it without being that (`Simplifie 6/8`, `29, 40 ou
    35 ?`), and so may an expression of the same value, which is asked in another form.
    """
    reading = Reading(statement)
    if _ASKS_WRITING.search(reading.folded):
        return False
    shapes = {form.shape for form in reading.expressions}
    are_options_named = any(
        Reading(each).squeezed in reading.squeezed
        for each in secret.options
        if each not in secret.solutions
    )
    for solution in secret.solutions:
        written = Reading(solution)
        if _tells(reading, written, secret) or _answers_question(statement, solution, secret):
            return True
        form = read_form(written.plain.rpartition("=")[2])
        if read_value(solution):
            is_other_form = "%" in statement and _ASKS_FRACTION.search(statement)
            if (
                not are_options_named
                and not is_other_form
                and _tells_value(statement, solution, secret.unit)
            ):
                return True
        elif secret.kind == "expression" and form is not None and form.shape in shapes:
            is_other_form = _ASKS_POWER.search(reading.folded)  # `2 × 2 × 2` for `2^3`
            if not is_other_form or written.squeezed in reading.squeezed:
                return True
    return False


def names_answer(question: str, options: Sequence[str], right: str) -> bool:
    """Return whether the question of a quiz says which option is the answer: `Réponse : B. …`,
    `Indice : 56`."""
    reading = Reading(question)
    if place := _RIGHT_PLACE.search(reading.folded):
        return options.index(right) == ord(place[1]) - ord("a")
    return _tells(reading, Reading(right), Secret("choice", question, (right,)))


def _tells(statement: Reading, solution: Reading, secret: Secret) -> bool:
    """Return whether a statement says that the answer, or something, is the solution."""
    written = bound_phrase(re.escape(solution.squeezed))
    said = (
        squeeze(statement.plain[found.end() :]) for found in _ANSWER_IS.finditer(statement.plain)
    )
    is_name = secret.kind == "text" and _names_word(statement.folded, solution.folded)
    is_name = is_name or (secret.kind == "text" and f"({solution.folded})" in statement.folded)
    return is_name or any(re.match(written, each) for each in said)


def _tells_value(statement: str, solution: str, unit: str) -> bool:
    """Return whether a statement tells a number that is no part of what it asks to do with it:
    `Écris 3,5 × 10⁴ sous forme décimale`; nor the same measure in another unit: `Combien de minutes
    dans 2 heures ?`"""
    asked = Reading(_TASK.sub("", statement))
    joined = re.sub(r" ?\* ?", "*", asked.plain)  # one word for a number such as `3,5 * 10^4`
    known = Reading("\n".join(sorted(set(joined.split()))))
    search = ValueSearch(solution, known, unit)
    leaks = search.list_leaks(asked)  # `3 + 4 = ?` is the question
    return any(
        not (search.is_converted(each, asked.plain) or _is_given(each, asked)) for each in leaks
    )


def _is_given(literal: Literal, asked: Reading) -> bool:
    """Return whether a number is the value of a quantity that the statement does not ask for."""
    found = _GIVES.search(asked.plain[max(0, literal.start - 12) : literal.start])
    if found is None:
        return False
    named = re.findall(rf"(?<![a-z]){re.escape(found[1])}(?![a-z\d])", asked.plain)
    return len(named) == 1


def _answers_question(statement: str, solution: str, secret: Secret) -> bool:
    """Return whether nothing but the solution stands behind a question (`7 × 6 ? (42)`), or a name
    that is asked for is the only one before it (`À Bamako … Quelle est la capitale ?`)."""
    is_text = secret.kind == "text"
    if found := _BEHIND_QUESTION.search(statement):
        said = found[1].removesuffix(secret.unit)
        return (
            fold_notation(said) == fold_notation(solution)
            if is_text
            else Reading(said).squeezed == Reading(solution).squeezed
        )
    found = _NAME_ASKED.fullmatch(statement) if is_text and solution[:1].isupper() else None
    if found is None or not re.search(rf"(?<!\w){re.escape(solution)}(?!\w)", found[1]):
        return False
    return {*_NAME.findall(found[1])} - {*_NAME.findall(found[2])} <= {solution}


def _names_word(statement: str, solution: str) -> bool:
    """Return whether a sentence of the statement that asks nothing says that something is the
    solution: `La capitale du Sénégal est Dakar.`"""
    said = re.compile(
        r"\b(?:est|sont|s'appelle|is|are|called) (?:(?:le|la|les|un|une|the|an?) |[ld]')?"
        + re.escape(solution)
        + r"(?!\w)[^?\n]{0,40}?[.!]"
    )
    return len(solution) > 2 and said.search(statement) is not None


def _strip_statement(text: str, statement: str) -> str:
    """Return the text without sentences of the statement, which the tutor may repeat."""
    for sentence in (statement, *_SENTENCE_END.split(statement)):
        if len(sentence) >= _SENTENCE_LENGTH and sentence in text:
            text = text.replace(sentence, " … ")
    return text


@lru_cache(maxsize=256)
def _read_numbers(secret: Secret) -> tuple[Reading, frozenset[float]]:
    """Return the statement, and the values of the solutions in it or beside it."""
    values = (each.value for solution in secret.solutions for each in Reading(solution).literals)
    return Reading(secret.statement), frozenset(map(abs, values))


@lru_cache(maxsize=256)
def _prepare(secret: Secret) -> tuple[_Search, ...]:
    """Return the searches for a secret, for each solution in each form that it may take."""
    statement = Reading(secret.statement)
    searches: list[_Search] = []
    if secret.options:
        searches += _make_option_searches(secret.options, secret.solutions[0], secret.statement)
    for solution in (*secret.solutions, *_list_short_names(secret)):
        found = _make_searches(secret, solution, statement)
        if secret.options:
            searches += [_ChoiceSearch(each, secret, solution, statement) for each in found]
        else:
            searches += found
        words, digits = spell_solution(solution, is_text=secret.kind == "text")
        searches.append(HiddenWordSearch(words, digits))
        if solution in secret.solutions:
            searches.append(TranslationSearch(solution, secret.statement))
            searches.append(EditSearch(solution, secret.statement))
        if (secret.kind == "text" or solution.istitle()) and not asks_form(secret.statement):
            others = (each for each in secret.options if each != solution)
            searches.append(MisspelledWordSearch(solution, " ".join((secret.statement, *others))))
        if not (secret.options or asks_form(secret.statement)):
            searches.append(SoundSearch(words[:1], secret.statement))
        if secret.kind == "expression":
            searches.append(CoefficientSearch(solution, statement))
    return tuple(searches)


def _make_option_searches(options: Sequence[str], right: str, statement: str) -> list[_Search]:
    places = (PlaceSearch, EliminationSearch, MarkedOptionSearch)
    found: list[_Search] = [each(options, right) for each in places]
    return found + [each(options, right, statement) for each in (VerdictSearch, ReasonSearch)]


def _list_short_names(secret: Secret) -> list[str]:
    """Return what the solutions are called for short, or in English: a person's surname; `adverb`,
    `Mercury`."""
    names = _list_own_words(secret)
    if secret.kind == "text":
        names = [each for one in secret.solutions for each in list_surnames(one, secret.statement)]
        names += [each for one in secret.solutions for each in list_other_forms(one)]
    if asks_form(secret.statement):
        return names if secret.kind == "text" else []
    others = [each for each in secret.options if each not in secret.solutions]
    names += [
        each[:-1] + ending
        for each in secret.solutions
        for ending in ("", "y")
        if re.fullmatch(r"[^\W\d_]{4,}e", each) and not any(each[:-1] in other for other in others)
    ]
    return names


def _list_own_words(secret: Secret) -> list[str]:
    """Return the only word of the right option that not every option has: `Atlantique`."""
    words = [re.sub(r"\b[ld]['’]", "", each).split() for each in secret.options]
    shared = set[str](words[0]).intersection(*words[1:]) if words else set[str]()
    at = next((at for at, each in enumerate(secret.options) if each in secret.solutions), None)
    own = [word for word in words[at] if word not in shared] if at is not None else []
    return own if shared and len(own) == 1 and own[0].isalpha() and len(own[0]) > 3 else []


def _make_searches(secret: Secret, solution: str, statement: Reading) -> list[_Search]:
    """Return the searches that find a solution; an option in words is searched as words only."""
    is_text = secret.kind == "text" or (
        secret.kind == "choice" and not re.search(r"[\d∞π√<>=]", solution)
    )
    if is_text and re.search(r"[^\W\d_]", solution):
        words = WordSearch(solution, secret.statement, secret.options)
        is_written = _TIME.fullmatch(solution) or re.search("[+=→]", solution)
        value = read_value(solution) if _ASKS_COUNT.search(statement.folded) else None
        found = _make_value_searches(secret, solution, value, statement) if value else []
        return [words, PhraseSearch(solution, statement)] if is_written else [words, *found]
    if value := read_value(solution):
        return _make_value_searches(secret, solution, value, statement)
    if secret.kind == "set" and (words := split_words(solution)):
        return [WordSetSearch(words, statement), PhraseSearch(solution, statement)]
    if not _is_interval_asked(secret, statement) and (parts := split_set(solution)):
        return _make_set_searches(solution, parts, statement)
    if ranges := read_ranges(solution):
        return _make_ranges(solution, ranges, statement)
    return _make_formula_searches(solution, statement)


def _is_interval_asked(secret: Secret, statement: Reading) -> bool:
    """Return whether `(1 ; 2)` is an interval and no couple."""
    return "interval" in statement.plain or any(
        re.search(r"[\[\]]", each) for each in secret.options
    )


def _make_value_searches(
    secret: Secret, solution: str, value: Literal, statement: Reading
) -> list[_Search]:
    values = ValueSearch(solution, statement, secret.unit)
    places = PlaceValueSearch(value, statement)
    around = SubstitutionSearch(values, statement), QuotientSearch(value, statement)
    found: list[_Search] = [values, places, *around]
    found += [EquationSearch(value.value, statement), RelationSearch(value, statement)]
    found.append(RootSearch(value.value, statement))
    found += [
        LimitSearch(value.value, statement),
        ItemSearch(value.value, statement),
        make_exponent_search(value.value, statement),
        make_divisor_search(value.value, statement),
    ]
    if value.value < 0:
        found.append(SignSizeSearch(values))
    if secret.unit in ("min", "h"):
        hours, minutes = divmod(round(value.value * (60 if secret.unit == "h" else 1)), 60)
        found += [PhraseSearch(f"{hours}h{minutes:02d}", statement)] if hours and minutes else []
    if re.match(r"h(?:eures?|ours?)? ?\d", secret.unit):  # `2` with `h 35 min`
        found.append(PhraseSearch(f"{solution} {secret.unit}", statement))
    if value.form[0] == "/":
        found.append(FractionPartsSearch(value, statement))
    return [*found, FactorSearch([value.value], statement)] if statement.has_letters else found


def _make_set_searches(solution: str, parts: Sequence[str], statement: Reading) -> list[_Search]:
    is_couple = strip_point_name(solution).lstrip(" $").startswith("(")
    listed = ListSearch(parts, statement, is_couple=is_couple)
    searches: list[_Search] = [listed, PhraseSearch(solution, statement)]
    if all(map(read_value, parts)):
        elements = [ValueSearch(part, statement, "") for part in parts]
        searches.append(ElementSearch(elements, statement))
        searches += [SubstitutionSearch(each, statement) for each in elements]
        if re.match(r"[\s${\\]*\(", solution):
            searches.append(CoupleSubstitutionSearch([each.value for each in elements], statement))
    if not is_couple:
        searches.append(OrderSearch(solution, statement))
        values = [each.value for each in map(read_value, parts) if each]
        searches.append(FactorSearch(values, statement))
        if len(values) == len(parts) == 1:
            searches.append(EquationSearch(values[0], statement))
    return searches


_PART_SEARCHES: Final = (FactorListSearch, NumberListSearch, PrimeFactorSearch, TermSearch)


def _make_formula_searches(solution: str, statement: Reading) -> list[_Search]:
    """Return the searches for an expression, or for a relation that is no interval."""
    if relation := re.search(r"<=|>=|[<>]", Reading(solution).plain):
        return _make_inequality(solution, relation[0], statement)
    phrase = PhraseSearch(solution, statement)
    if infinite := re.fullmatch(r"\+?(-?)∞", Reading(solution).squeezed):
        return [phrase, LimitSearch(-math.inf if infinite[1] else math.inf, statement)]
    form = read_form(Reading(solution).plain.rpartition("=")[2])
    if form is None or math.isnan(form.values[0]):
        return [phrase, NumberListSearch(solution, statement)]
    parts: list[_Search] = [each(solution, statement) for each in _PART_SEARCHES]
    value = form.values[0]
    if not form.letters and round(value, 6) != value:
        parts.append(ValueSearch(f"{value:.10g}", statement, ""))
    return [ExpressionSearch(form, statement), phrase, *parts]


def _make_ranges(solution: str, ranges: Sequence[Range], statement: Reading) -> list[_Search]:
    """Return the searches for an interval; also for its only bound, if the statement lacks it."""
    searches: list[_Search] = [PhraseSearch(solution, statement), RangeSearch(ranges, statement)]
    bound = read_half_line(ranges)
    if bound is not None and bound not in statement.values:
        searches.append(ValueSearch(f"{bound:.10g}", statement, ""))
    return searches


def _make_inequality(solution: str, relation: str, statement: Reading) -> list[_Search]:
    left, _, right = Reading(solution).plain.partition(relation)
    if not left.strip() or not right.strip():
        return [SignSearch(relation, statement)]
    mirrored = relation.translate(str.maketrans("<>", "><"))
    return [
        PhraseSearch(solution, statement),
        PhraseSearch(f"{right}{mirrored}{left}", statement),
        OrderSearch(solution, statement),
    ]


class _ChoiceSearch:
    """A search for the right option; in a text with other options, only as the answer."""

    def __init__(self, search: _Search, secret: Secret, solution: str, statement: Reading) -> None:
        self._search = search
        others = [each for each in secret.options if each != solution]
        values = [read_value(each) for each in others]
        self._others = {each.value for each in values if each} - statement.values
        self._spellings = [Reading(each).squeezed for each in others]

    def find(self, reading: Reading) -> str | None:
        leak = self._search.find(reading)
        if leak is None or isinstance(self._search, WordSearch | OrderSearch):
            return leak
        if isinstance(self._search, ValueSearch):
            return self._find_value(self._search, reading)
        are_all_named = all(len(each) > 2 and each in reading.squeezed for each in self._spellings)
        return None if are_all_named else leak

    def _find_value(self, search: ValueSearch, reading: Reading) -> str | None:
        """Return the words that say the right number, or a computation of it."""
        for each in search.list_leaks(reading):
            if not self._is_listed(each, reading) and (
                search.is_result(each, reading) or not self._names_others(each, reading)
            ):
                return reading.cut(each.start, each.end)
        return search.find_computation(reading)

    def _names_others(self, literal: Literal, reading: Reading) -> bool:
        """Return whether the line of a number names other options too."""
        start, end = cut_line(reading.plain, literal.start, literal.end)
        return any(
            each.value in self._others
            and start <= each.start < end
            and not NOT.search(reading.plain[max(0, each.start - 40) : each.start])
            for each in reading.literals
        )

    def _is_listed(self, literal: Literal, reading: Reading) -> bool:
        """Return whether another option is next to a number, in one list with it."""
        at = reading.literals.index(literal)
        for one, other in ((at, at + 1), (at - 1, at)):
            if one < 0 or other >= len(reading.literals):
                continue
            left, right = reading.literals[one], reading.literals[other]
            between = reading.plain[left.end : right.start]
            neighbour = right if left is literal else left
            is_option = neighbour.value in self._others
            if (
                is_option
                and "\n\n" not in between
                and re.fullmatch(
                    r"\D{0,8}?(?:,|;|/|\bou\b|\bor\b|\bet\b|\n)[^\w]*[a-d]?[^\w]*", between
                )
            ):
                return True
        return False
