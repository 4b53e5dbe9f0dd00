"""Judge a tutor's answers in a dialogue: solutions given away, questions, errors, and form."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Final

import msgspec

from bot.evals.dialogues import Dialogue, find_text
from bot.evals.playing import Exchange
from bot.evals.wording import (
    count_guiding_questions,
    find_formal_address,
    guides,
    is_other_language,
    is_try,
    make_secret,
)
from bot.learning.leaks import find_leak
from bot.maths.checker import MathsChecker

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
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79]}…"
