"""Compare words that a person typed with a solution in words. Pure.

One slip of typing, an article, words around the answer and the order of a person's names do not
count, unless the exercise is about spelling.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from typing import Final

from bot.i18n import fold
from bot.learning.grading.answer_readings import clean, is_one_slip

_FORMULA: Final = re.compile(r"[\d$∞√]|^\w$")
"""Marks of an option that is a number or formula, or one letter."""
_SIGNS: Final = frozenset("-\u2212+*/×÷^=√%²³")
_FORMULA_MARKS: Final = str.maketrans("", "", "$")
MOST_WORDS: Final = 6
"""Words of an answer in words; a longer text is talk, unless the statement has its words."""
SMALL_WORDS: Final = frozenset(
    "je j tu il elle on nous vous ils elles c est un une le la l les des d du de au aux ce et a an "  # noqa: SIM905
    "the i you he she it we they is are".split()
)
LEADING_WORDS: Final = frozenset(
    "je pense crois dirais que qu reponse i think it s answer".split()  # noqa: SIM905
)
WORD: Final = re.compile(r"[^\W_]+|[^\w\s]")
_ARTICLE: Final = re.compile(r"^(?:l'|(?:le|la|les|un|une|des|du|the|an?) )(?=\w)")
_PRONOUN: Final = re.compile(
    r"^(?:(?:je|tu|il|elle|on|nous|vous|ils|elles|i|you|he|she|it|we|they) |j['’])"
)
_BETWEEN_WORDS: Final = re.compile(r"(?<=[^\W\d])[\s-]+(?=[^\W\d])")
_ASKS_FORM: Final = re.compile(
    r"conjug|\baccorde[rz]?\b|orthograph|dictee|pluriel|feminin|participe|terminaison|homophone|spell|plural"
    r"|tense|verb"
)
_ASKS_PERSON: Final = re.compile(r"\b(?:qui|who|auteur|author|ecrivain|writer|president)\b")


def asks_form(statement: str) -> bool:
    """Return whether a statement asks for the spelling of a word, where a slip is a mistake."""
    return _ASKS_FORM.search(fold(statement)) is not None


def same_words(text: str, solution: str, statement: str, *, slips: bool) -> bool:
    if not slips:  # accents and endings are what is asked
        given = " ".join(clean(text).split()).strip(" .!").casefold()
        right = solution.strip().casefold()
        if given == _PRONOUN.sub("", right) and " " not in given and asks_form(statement):
            return True
        return given == right or is_sentence_with(text, solution, statement)
    given, right = fold_words(text), fold_words(solution)
    readings = {given, fold_words(clean(text))}
    readings |= {_leave_lead(each, right, fold(statement)) for each in readings}
    if _ASKS_PERSON.search(fold(statement)) and _is_name(readings, solution):
        return True
    leaves_article = not (_ARTICLE.match(fold_words(clean(text))) and _ARTICLE.match(right))
    wanted = _join_words(right, leaves_article=leaves_article)
    joined = [_join_words(each, leaves_article=leaves_article) for each in readings]
    return any(each == wanted or is_slip(each, wanted) for each in joined)


def _join_words(text: str, *, leaves_article: bool) -> str:
    """Return a text without the spaces and hyphens between words, also without its article."""
    text = text.replace("’", "'")
    return _BETWEEN_WORDS.sub("", _ARTICLE.sub("", text) if leaves_article else text)


def list_surnames(solution: str, statement: str) -> list[str]:
    """Return the surname of a person whose name is asked, which is enough as an answer; else
    nothing."""
    words = solution.split()
    is_full = len(words) > 1 and all(each[:1].isupper() for each in words)
    return words[-1:] if is_full and _ASKS_PERSON.search(fold(statement)) else []


def _is_name(readings: Container[str], solution: str) -> bool:
    """Return whether a text is a person's name as people write it: the surname first or alone, or
    after an initial."""
    words = solution.split()
    if len(words) < 2 or not all(each[:1].isupper() for each in words):
        return False
    first, last = fold(" ".join(words[:-1])), fold(words[-1])
    names = (f"{last} {first}", last, f"{first[0]}. {last}", f"{first[0]} {last}")
    return any(each in readings for each in names)


def _leave_lead(given: str, right: str, statement: str) -> str:
    """Return an answer in words without a lead such as `je pense que c'est`."""
    known = {*WORD.findall(statement), *SMALL_WORDS, *LEADING_WORDS} - {*WORD.findall(right)}
    for word in WORD.finditer(given):
        if word[0].isalnum() and word[0] not in known:
            return given[word.start() :]
    return given


def is_slip(given: str, right: str) -> bool:
    """Return whether an answer to a word of five letters or more has only one slip, in no digit,
    and no other ending: `finis` is no slip of `finit`."""
    is_long = len(right) >= 5 and re.sub(r"\D", "", given) == re.sub(r"\D", "", right)
    is_other_ending = given[:-1] == right[:-1] and given != right
    return is_long and not is_other_ending and is_one_slip(given, right)


def is_sentence_with(text: str, solution: str, statement: str) -> bool:
    """Return whether a text is a sentence with the solution: its other words are those of the
    statement or small words, and it has the solution's first word more often than the statement."""
    words, right = list_words(text, str.casefold), list_words(solution, str.casefold)
    places = [at for at in range(len(words)) if words[at : at + len(right)] == right]
    if not statement or not right or len(places) != 1:
        return False
    asked = list_words(re.sub(r"\([^()]*\)", " ", statement), str.casefold)
    if Counter(asked)[right[0]] >= Counter(words)[right[0]]:
        return False
    others = words[: places[0]] + words[places[0] + len(right) :]
    if _FORMULA.search(solution) and not _stands_alone(words, places[0], len(right)):
        return False
    known = {fold(each) for each in asked} | SMALL_WORDS
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


def list_words(text: str, read: Callable[[str], str]) -> list[str]:
    return WORD.findall(read(text.replace("’", "'").translate(_FORMULA_MARKS)))


def fold_words(text: str) -> str:
    return " ".join(fold(text.translate(_FORMULA_MARKS)).split()).strip(".!;: ")
