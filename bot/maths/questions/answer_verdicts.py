"""Judge an answer to a question: a quiz's option, a solution, or the value that a text gives.

A question and an answer make a statement together ("Combien font 7 × 8 ?", "56" → "7 × 8 = 56"),
which the checker of mathematics decides.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

from bot.maths.exact.algebra_questions import Checked
from bot.maths.exact.arithmetic import Verdict
from bot.maths.questions.final_answers import find_final_answers, list_values
from bot.maths.questions.question_sentences import count_asked, read_question
from bot.maths.questions.question_statements import (
    Candidate,
    affirm,
    as_statement,
    write_statements,
)
from bot.maths.questions.worked_results import has_wrong_unit

CheckStatements: TypeAlias = Callable[[str, str], Awaitable[Sequence[Checked]]]
"""Decides the statements of a text; the second argument is a text whose equations are known."""
_DIGITS: Final = re.compile(r"\d+")
_TRUE: Final = frozenset(("vrai", "true", "oui", "yes", "right"))
_FALSE: Final = frozenset(("faux", "false", "non", "no", "wrong"))


async def check_final_answer(check: CheckStatements, text: str, question: str) -> list[Checked]:
    """Return the value that a text gives for the one thing that a question asks, with its verdict;
    none if the text gives no such value, or if it is undecided.

    It is wrong if it is wrong for the question, and no number of the text is right for it.
    """
    found = find_final_answers(text, question)
    if not found:
        return await _check_yes_or_no(check, text, question)
    verdicts = [await judge_answer(check, question, each.value) for each in found]
    last = found[-1]
    wrong = Checked(
        last.sentence,
        "wrong",
        f"“{last.value}” is not what is asked for: work the question out again",
    )
    if "right" in verdicts:
        return [Checked(found[verdicts.index("right")].sentence, "right")]
    if verdicts[-1] != "wrong":
        return []
    judged = {each.value for each in found}
    for value in list_values(text):
        if value not in judged and await judge_answer(check, question, value) == "right":
            return []
    return [wrong]


_SAID: Final = re.compile(r"\W*(?P<said>oui|non|yes|no)(?: ?[,.!:;]|$)", re.IGNORECASE)
_NOT_FACT: Final = re.compile(r"(?:tu|vous|je|j'|on|nous|il faut|you|we|i)\b", re.IGNORECASE)


async def _check_yes_or_no(check: CheckStatements, text: str, question: str) -> list[Checked]:
    """Return the fault of an answer that begins with yes or no to `85 est-il divisible par 5 ?`."""
    said = _SAID.match(text)
    statement = as_statement(question) if said and count_asked(question) == 1 else ""
    if said is None or not statement or _NOT_FACT.match(statement):
        return []
    verdict = await judge_answer(check, question, said["said"])
    why = f"“{said['said']}” is not the answer: work the question out again"
    return [Checked(text.strip().split("\n")[0], "wrong", why)] if verdict == "wrong" else []


async def judge_answer(
    check: CheckStatements,
    question: str,
    answer: str,
    options: Sequence[str] = (),
    *,
    is_marked: bool = True,
) -> Verdict:
    """Decide an answer by its statements: right if one is and none is wrong before it. It is
    undecided if they disagree, since a question may be misread.

    Args:
        options: the options of the question, if it has any.
        is_marked: whether the first right statement is enough; else the first wrong one.
    """
    said = answer.strip(" .!").lower()
    if said in _TRUE | _FALSE and (statement := as_statement(question)):
        is_fault = await find_truth_fault(check, statement, is_true=said in _TRUE)
        return "wrong" if is_fault else "undecided"
    if has_wrong_unit(read_question(question).sentence, answer):
        return "wrong"
    found: set[str] = set()
    for each in write_statements(question, answer, options):
        if each.is_sentence and not is_marked:
            continue
        found |= await _decide(check, each, answer)
        if "wrong" in found and len(found) > 1:
            return "undecided"
        if found == {"right" if is_marked else "wrong"}:
            break
    return "wrong" if "wrong" in found else "right" if "right" in found else "undecided"


_SOLVES: Final = re.compile(r"\b(?:solution|racine|root)\b")
"""A claim on an equation, which itself stays undecided."""


async def find_truth_fault(check: CheckStatements, statement: str, *, is_true: bool) -> str:
    """Return the fault of a true-or-false key, a sentence for the model; empty: none."""
    affirmed, is_denied = affirm(statement)
    checked = await check(affirmed, "")
    wrong = [each for each in checked if each.verdict == "wrong"]
    is_solved = any(each.verdict == "right" and _SOLVES.search(each.text) for each in checked)
    is_right = bool(checked) and all(each.verdict == "right" for each in checked)
    is_right |= is_solved and not wrong
    if is_true and is_denied and is_right:
        return f"It is false, not true: “{checked[0].text}” is right."
    if is_true and wrong and not is_denied:
        return f"It is false, not true: {wrong[0].why}."
    if not is_true and ((is_denied and wrong) or (is_right and not is_denied)):
        return "It is true, not false: its computations are right."
    return ""


async def _decide(check: CheckStatements, candidate: Candidate, answer: str) -> set[str]:
    """Return what is said of a statement: `wrong`, `right` if all of it is, else `partly`; none if
    it is undecided, if something before it is wrong, or if only what it tells beside the answer is
    decided."""
    before, known = candidate.before, candidate.known
    checked = await check(f"{before} {candidate.text}".strip(), known)
    if before and checked:
        stated = await check(before, known)
        if any(each.verdict == "wrong" for each in stated):
            return set()
        checked = [each for each in checked if each not in stated]
    if candidate.is_sentence and (numbers := _DIGITS.findall(answer)):
        own = re.compile(rf"(?<![\w.,/])(?:{'|'.join(map(re.escape, numbers))})(?!\d)")
        checked = [each for each in checked if own.search(each.text)]  # the 2 of Cl2 is none
    verdicts = {
        each.verdict for each in checked if each.text not in known or each.verdict != "right"
    }
    if candidate.is_denied:
        return {"wrong"} if verdicts == {"right"} else {"right"} if "wrong" in verdicts else set()
    if "wrong" in verdicts:
        return set() if await _is_misread(check, candidate, checked) else {"wrong"}
    return {"right"} if verdicts == {"right"} else {"partly"} if "right" in verdicts else set()


async def _is_misread(
    check: CheckStatements, candidate: Candidate, checked: Sequence[Checked]
) -> bool:
    """Return whether a statement is only wrong because a noun in it was not read."""
    if not candidate.bare:
        return False
    reasons = {each.why for each in checked if each.verdict == "wrong"}
    bare = await check(candidate.bare, candidate.known)
    return reasons <= {each.why for each in bare if each.verdict == "wrong"}
