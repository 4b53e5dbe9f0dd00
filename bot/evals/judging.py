"""Judge a tutor's answers in a dialogue: solutions given away, questions, errors, and form.

Patterns over words tell a pupil's try from a request, and in a tutor's text the guiding questions,
the tasks, vous, and another language.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

import msgspec

from bot.documents.document_request import guess_language
from bot.evals.dialogues import Dialogue, find_text
from bot.evals.playing import Exchange
from bot.i18n import detect_language, fold
from bot.learning.grading.exercise_grading import read_number
from bot.learning.grading.typed_words import MOST_WORDS
from bot.learning.leaks.leak_guard import find_leak
from bot.learning.open_items import Secret
from bot.maths.checker import MathsChecker
from bot.typography import shorten

MOST_MESSAGES: Final = 3
"""Most messages of one answer: a lead to a quiz, the quiz, and a word after it."""
MOST_CHARACTERS: Final = 3_000
"""Most characters of one answer: some 500 words, twice what the prompts ask for."""


class Verdict(msgspec.Struct, frozen=True):
    """The findings in one dialogue."""

    name: str
    passed: bool
    direct_solutions: int
    """Texts that give the solution before the pupil has tried."""
    guiding_questions: int
    wrong_statements: int
    """Wrong mathematical statements, including those that a guardrail stopped."""
    leaks: int
    """Texts that give the solution of an open quiz or exercise, including stopped ones."""
    stopped: int
    """How many wrong statements and leaks the guardrails stopped before the pupil saw them."""
    messages: int
    usd: float
    failures: tuple[str, ...]
    """One line each; empty if the dialogue is passed."""


async def judge_dialogue(
    dialogue: Dialogue, exchanges: Sequence[Exchange], checker: MathsChecker
) -> Verdict:
    """Judge all answers of a dialogue."""
    direct = [*_find_direct_solutions(dialogue, exchanges)]
    wrong = [line async for line in _find_wrong(dialogue, exchanges, checker)]
    leaks = [*_find_leaks(exchanges)]
    stopped = [kind for exchange in exchanges for kind, _ in exchange.stopped]
    failures = [*direct, *wrong, *leaks, *_find_stopped(exchanges)]
    failures += _find_faults_of_form(dialogue, exchanges)
    failures += _find_faults_of_content(dialogue, exchanges)
    texts = [text for exchange in exchanges for text in exchange.texts]
    return Verdict(
        name=dialogue.name,
        passed=not failures,
        direct_solutions=len(direct),
        guiding_questions=sum(map(count_guiding_questions, texts)),
        wrong_statements=len(wrong) + stopped.count("check"),
        leaks=len(leaks) + stopped.count("leak"),
        stopped=len(stopped),
        messages=sum(exchange.messages for exchange in exchanges),
        usd=round(sum(exchange.usd for exchange in exchanges), 6),
        failures=tuple(failures),
    )


def _find_direct_solutions(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield a line for each text that gives the solution before the pupil's first try."""
    if not dialogue.solution:
        return
    secret = make_secret(dialogue.solution, dialogue.opening)
    for number, exchange in enumerate(exchanges, 1):
        if is_try(exchange.pupil, dialogue, is_opening=number == 1):
            return
        said = exchange.pupil if number > 1 else ""  # the opening is the statement
        for text in exchange.texts:
            if found := find_leak(text, [secret], said):
                yield f'turn {number}: the solution before a try: "{_cut(found)}"'


async def _find_wrong(
    dialogue: Dialogue, exchanges: Sequence[Exchange], checker: MathsChecker
) -> AsyncIterator[str]:
    for number, exchange in enumerate(exchanges, 1):
        question = f"{dialogue.opening}\n{exchange.pupil}" if number > 1 else exchange.pupil
        for text in exchange.texts:
            for statement in await checker.check(text, question):
                if statement.verdict == "wrong":
                    why = f" ({statement.why})" if statement.why else ""
                    yield f'turn {number}: wrong: "{_cut(statement.text)}"{why}'


def _find_leaks(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for number, exchange in enumerate(exchanges, 1):
        for text in exchange.texts:
            if found := find_leak(text, exchange.secrets, exchange.pupil):
                yield f'turn {number}: gives away what is asked: "{_cut(found)}"'


def _find_stopped(exchanges: Sequence[Exchange]) -> Iterator[str]:
    reasons = {"check": "wrong", "leak": "gives away what is asked"}
    for number, exchange in enumerate(exchanges, 1):
        for kind, words in exchange.stopped:
            yield f'turn {number}: {reasons[kind]}, but stopped: "{_cut(words)}"'


def _find_faults_of_form(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> Iterator[str]:
    for number, exchange in enumerate(exchanges, 1):
        turn, text = f"turn {number}", "\n\n".join(exchange.texts)
        if exchange.failure:
            yield f"{turn}: {exchange.failure}"
        if exchange.messages > MOST_MESSAGES:
            yield f"{turn}: {exchange.messages} messages, more than {MOST_MESSAGES}"
        if len(text) > MOST_CHARACTERS:
            yield f"{turn}: {len(text)} characters, more than {MOST_CHARACTERS}"
        if is_other_language(text, dialogue.language):
            yield f'{turn}: not in the language of the pupil ({dialogue.language}): "{_cut(text)}"'
        elif dialogue.language == "fr" and (found := find_formal_address(text)):
            yield f'{turn}: "{found}" to a pupil'


def _find_faults_of_content(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> Iterator[str]:
    shown = [exchange.shown for exchange in exchanges]
    for number, text in enumerate(shown, 1):
        for pattern in dialogue.must_not:
            if found := find_text(pattern, text):
                yield f'turn {number}: forbidden: "{_cut(found[0])}"'
    if any(exchange.failure for exchange in exchanges):
        return  # a missing text could have come later
    for pattern in dialogue.must:
        if not any(find_text(pattern, text) for text in shown):
            yield f"missing: {pattern}"
    is_asked = dialogue.solution and not is_try(dialogue.opening, dialogue, is_opening=True)
    if is_asked and not any(guides(text) for exchange in exchanges for text in exchange.texts):
        yield "no question or task that guides the pupil"


def _cut(text: str) -> str:
    return shorten(" ".join(text.split()), 80)


_APOSTROPHES: Final = str.maketrans("’", "'")


def _fold(text: str) -> str:
    """Return the text in lower case without accents, with plain apostrophes."""
    return fold(text.translate(_APOSTROPHES))


# Words of the pupil ------------------------------------------------------------------------------

_QUANTITY: Final = re.compile(
    r"(?:[A-Za-z]\s*=\s*)?(?P<number>[-−]?\d[\d\s.,/]*?)\s*(?P<unit>[^\W\d][^\d]*)?"
)
_CLAIM: Final = re.compile(
    r"\b(?:je (?:trouve|pense|crois|dis|dirais|mets|propose|tombe)|on trouve|ca (?:fait|donne)"
    r"|j'?ai (?:trouve|mis|fait|ecrit|eu|calcule|repondu)|c'?est(?= [-−]?\d)|mon resultat"
    r"|ma reponse|i (?:get|got|think|found|say)|it'?s(?= [-−]?\d))\b(?P<rest>[^?!\n]*)"
)
_REQUEST_WORDS = """
donne dis aide explique montre fais envoie ecris sais sait comprends comprend connais connait
combien pourquoi comment quoi quel quelle reponse solution resultat stp svp ok oui non merci bonjour
salut d'accord peux veux vas-y encore give tell help show answer know please how what
"""
_REQUEST: Final = re.compile(rf"\b(?:{'|'.join(_REQUEST_WORDS.split())})\b")


def make_secret(solution: str, statement: str) -> Secret:
    """Return the solution of a dialogue as a secret, of the kind that its form suggests."""
    found = _QUANTITY.fullmatch(solution.strip().strip("$"))
    if found and read_number(found["number"]) is not None:
        return Secret("number", statement, (found["number"],), (found["unit"] or "").strip())
    if re.search(r"[{};]|\s(?:ou|et|or|and)\s", solution) and re.search(r"\d", solution):
        return Secret("set", statement, (solution,))
    kind = "expression" if re.search(r"[\d=^+*/√]", solution) else "text"
    return Secret(kind, statement, (solution,))


def is_try(words: str, dialogue: Dialogue, *, is_opening: bool) -> bool:
    """Return whether a pupil's message proposes an answer or a step, and does not ask for one.

    In the opening, which also has the numbers of the exercise, only a claim counts (`je trouve
    12`).
    """
    plain = _fold(words)
    in_words = not re.search(r"\d", dialogue.solution)
    is_request = _REQUEST.search(plain) is not None
    is_short = len(plain.split()) <= MOST_WORDS
    for claim in _CLAIM.finditer(plain):
        rest = claim["rest"]
        if re.search(r"\d", rest) or (in_words and rest.strip() and not _REQUEST.search(rest)):
            return True
    if is_opening or (is_request and (in_words or "?" in plain)):
        return False
    if in_words:
        return is_short
    numbers = re.findall(r"\d+", plain)
    known = set(re.findall(r"\d+", dialogue.opening))
    is_new = any(number not in known for number in numbers)
    return is_new or (bool(numbers) and is_short and not is_request)


# Words of the tutor ------------------------------------------------------------------------------

_QUESTION: Final = re.compile(r"[^.!?\n]*[^.!?\n\s][^.!?\n]*\?")
_COURTESY: Final = re.compile(
    r"^\W*(?:et |alors |ok |bon |voila )*(?:ca va|d'accord|(?:tu as )?compris|prete?|ok"
    r"|c'est (?:clair|bon|compris|note)|on (?:y va|continue|commence|essaie|passe)|bien|puis-je"
    r"|(?:tu )?(?:veux|voudrais|aimerais|as)[- ]?(?:tu )?(?:d'autres|une autre|autre|continuer"
    r"|que je|qu'on|encore|besoin)|besoin d'|autre chose|comment (?:vas|puis)|shall we|can i"
    r"|anything else|(?:are you|is that|do you) (?:ready|ok|clear|understand))\b"
)
"""Questions that need no thought."""
_TASK_WORDS = """
essaie essaye commence calcule cherche compte regarde observe relis pense rappelle-toi reflechis
trouve dis-moi montre-moi ecris remplace verifie compare propose dessine place range complete
decompose simplifie isole developpe factorise conjugue souligne applique pose imagine choisis envoie
continue reprends recompte corrige identifie repere demande-toi try start compute find look think
write tell show count check
"""
_TASK: Final = re.compile(rf"\b(?:a toi|{'|'.join(_TASK_WORDS.split())})\b")
_FORMAL: Final = re.compile(
    r"\b(?:(?<!rendez-)vous|votre|vos)\b|\b(?!(?:chez|assez|allez|nez|rez|rendez)\b)[^\W\d_]{2,}ez\b",
    re.IGNORECASE,
)
_FAMILIAR: Final = re.compile(r"\b(?:tu|te|toi|ton|ta|tes)\b|\bt'", re.IGNORECASE)
_TABLE: Final = re.compile(r"\b(?:nous|ils|elles)\b", re.IGNORECASE)
"""Words next to which vous is a line of a conjugation."""
_QUOTED: Final = re.compile(
    r"«[^»]*»|“[^”]*”|\"[^\"\n]*\"|\*[^*\n]+\*|`[^`]*`|_[^_\n]+_|\([^)\n]*\)"
)


def count_guiding_questions(text: str) -> int:
    """Return how many questions of a text make the pupil think."""
    return sum(not _COURTESY.search(each) for each in _QUESTION.findall(_fold(text)))


def guides(text: str) -> bool:
    """Return whether a text asks the pupil a question or gives them a task."""
    return count_guiding_questions(text) > 0 or bool(_TASK.search(_fold(text)))


def find_formal_address(text: str) -> str:
    """Return the word by which a text addresses the pupil as vous; empty: there is none.

    Quoted or emphasised words are examples, and next to tu, vous may mean a group.
    """
    own = _QUOTED.sub(" ", text.translate(_APOSTROPHES))
    if _FAMILIAR.search(own) or _TABLE.search(own):
        return ""
    found = _FORMAL.search(own)
    return found[0] if found else ""


def is_other_language(text: str, language: str) -> bool:
    """Return whether a text, apart from quotations, is clearly in another of our languages."""
    own = _QUOTED.sub(" ", text)
    return (detect_language(own) or guess_language(own, language)) != language
