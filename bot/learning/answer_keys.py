"""Check the answer key of a quiz or exercise before it is asked: right, unique, and possible.

A question and an answer make a statement together ("Combien font 7 × 8 ?", "56" → "7 × 8 = 56"),
which the checker of mathematics decides. A statement that it cannot decide counts as right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from bot.contracts.services import GivenExercise
from bot.learning.grading.typed_times import are_same_times
from bot.learning.leaks.leak_guard import find_leak, names_answer, states_solution
from bot.learning.open_items import Secret
from bot.maths.checker import MathsChecker
from bot.maths.questions.answer_verdicts import find_truth_fault, judge_answer
from bot.maths.questions.equal_options import (
    are_equal,
    have_same_form,
    is_improper,
    may_have_same_root,
    write_comparable,
)
from bot.maths.questions.question_sentences import equate
from bot.maths.questions.question_statements import asks_wrong, may_tell_wrong

_FORM: Final = re.compile(
    r"simplif|irr[ée]ductible|factoris|factor|d[ée]velopp|expand|r[ée]dui|[ée]crit|écriture"
    r"|forme?\b"
    r"|[ée]cri[st]|d[ée]compos|facteur|plus (?:grand|petit)|positi|n[ée]gati|largest|greatest"
    r"|smallest|lowest|maxim|minim"
    r"|notation|arrondi|round|reduced|simplest|write|convert|unit",
    re.I,
)
"""The question asks for a form, or for one of several values: more options than one may be right in
value."""
_NO_OPTION: Final = re.compile(
    r"aucune?(?: de ces| des| autre)?(?: (?:r[ée]ponses?|propositions?|valeurs?|options?|nombres?"
    r"|r[ée]sultats?|choix|ci-dessus|propos[ée]e?s?))*|none(?: of (?:these|the above|them))?"
    r"|(?:une )?autre r[ée]ponse",
    re.I,
)
_ASKS_OPERATION: Final = re.compile(
    r"\b(?:op[ée]ration|calcul|expression|equation|[ée]quation|operation|calculation)s?\b[^?]*"
    r"\b(?:faut-il|faut|dois|permet|traduit|convient|correspond|r[ée]sout|should|represents?|matches"
    r"|gives the answer)\b",
    re.I,
)
"""The question asks how something is worked out, not what comes out."""
_STATED: Final = re.compile(
    r"(?:(?!\. ).)*"
    r"(?:[=<>≤≥≈]|\b(?:font|fait|vaut|valent|est|sont|is|are|makes?|equals?)\b)(?:(?!\. ).)*",
    re.DOTALL,
)
"""A statement in one sentence; a story over several may be misread."""


class AnswerKeys:
    def __init__(self, checker: MathsChecker | None = None) -> None:
        """Make the checks with a checker of mathematics.

        Args:
            checker: None: one that decides no algebra.
        """
        self._check = (checker or MathsChecker()).check_statements

    async def find_wrong_words(self, texts: Sequence[str], question: str) -> str:
        """Return the first error in these texts, a sentence for the model; empty: none."""
        for text in texts:
            for each in await self._check(text, question):
                if each.verdict == "wrong":
                    return f"What it explains is wrong: “{each.text}”: {each.why}."
        return ""

    async def find_quiz_fault(self, question: str, options: Sequence[str], right: int) -> str:
        """Return the fault of a quiz, a sentence for the model; empty: none can be decided.

        Args:
            right: the index of the marked option, from 0.
        """
        if fault := await self._find_fault_in_question(question):
            return fault
        if names_answer(question, options, options[right]):
            return "The question already says which option is right: take that out."
        if pair := await self._find_equal(question, options, right):
            return f"Options “{pair[0]}” and “{pair[1]}” are equal in value: change one of them."
        is_open = _ASKS_OPERATION.search(question)
        return "" if is_open else await self._find_wrong_mark(question, options, right)

    async def _find_wrong_mark(self, question: str, options: Sequence[str], right: int) -> str:
        """Return that the marked option is wrong, or not the only right one; empty: neither."""
        marked = options[right]
        others = [each for at, each in enumerate(options) if at != right]
        if _NO_OPTION.fullmatch(marked.strip(" .")):
            return await self._find_better(question, marked, others, options)
        if await judge_answer(self._check, question, marked, options) == "wrong":
            verdicts = [await judge_answer(self._check, question, each, options) for each in others]
            if all(verdict == "wrong" for verdict in verdicts):
                return "None of the options is right: work the question out again."
            better = others[verdicts.index("right")] if "right" in verdicts else ""
            advice = f"“{better}” is right" if better else "work the question out again"
            return f"The marked option “{marked}” is wrong: {advice}."
        is_open = bool(_FORM.search(question))
        return "" if is_open else await self._find_second(question, others, options)

    async def _find_equal(
        self, question: str, options: Sequence[str], right: int
    ) -> tuple[str, str] | None:
        """Return the first two options that are equal in value, and in the form that is asked for;
        None: there are none. Two wrong ones may be equal in a question that asks for either."""
        asks_for_form = bool(_FORM.search(question))
        is_of_marked = asks_for_form or asks_wrong(question)
        plain = [write_comparable(each, question) for each in options]
        for one, other in combinations(range(len(options)), 2):
            pair = (plain[one], plain[other])
            if is_of_marked and right not in (one, other):
                continue
            if asks_for_form and not have_same_form(*pair, question):
                continue
            if are_equal(*pair) or are_same_times(*pair) or await self._have_same_root(*pair):
                return options[one], options[other]
        return None

    async def _have_same_root(self, one: str, other: str) -> bool:
        """Return whether two values with roots, logarithms or π are equal: `√2/2` and `1/√2`."""
        if not may_have_same_root(one, other):
            return False
        checked = await self._check(equate(one, other), "")
        return bool(checked) and all(each.verdict == "right" for each in checked)

    async def _find_better(
        self, question: str, marked: str, others: Sequence[str], options: Sequence[str]
    ) -> str:
        """Return that an option is right though `none of these` is marked; empty: none is."""
        for each in others:
            if (
                not is_improper(each)
                and await judge_answer(self._check, question, each, options) == "right"
            ):
                return f"The marked option “{marked}” is wrong: “{each}” is right."
        return ""

    async def _find_second(
        self, question: str, others: Sequence[str], options: Sequence[str]
    ) -> str:
        """Return that an option is right which is not marked; empty: none is."""
        for each in others:
            if is_improper(each):
                continue
            if await judge_answer(self._check, question, each, options, is_marked=False) == "right":
                return f"“{each}” is right too: only one option may be."
        return ""

    async def find_statement_fault(self, statement: str, *, is_true: bool) -> str:
        """Return the fault of a true-or-false key, a sentence for the model; empty: none."""
        return await find_truth_fault(self._check, statement, is_true=is_true)

    async def find_exercise_fault(self, exercise: GivenExercise) -> str:
        """Return the fault of an exercise's key or help, for the model; empty: none."""
        kind, statement, solutions = exercise.kind, exercise.statement, exercise.solutions
        if kind == "choice":
            if not set(solutions) <= set(exercise.options):
                return "solution: it has to be one of the options, spelled as there."
            right = exercise.options.index(solutions[0])
            fault = await self.find_quiz_fault(statement, exercise.options, right)
        else:
            answers = [f"{solution} {exercise.unit}".strip() for solution in solutions]
            fault = await self._find_wrong_answer(statement, answers)
        if fault:
            return fault
        secret = Secret(kind, statement, solutions, exercise.unit, exercise.options)
        if states_solution(statement, secret):
            return "The statement already gives the solution: take it out of there."
        if any(find_leak(hint, [secret]) for hint in exercise.hints):
            return "A hint gives the solution: let it only lead the way."
        return await self.find_wrong_words((*exercise.hints, *exercise.steps), statement)

    async def _find_wrong_answer(self, question: str, answers: Sequence[str]) -> str:
        """Return the fault of a question without options, or of its solutions; empty: none."""
        if fault := await self._find_fault_in_question(question):
            return fault
        for answer in answers:
            if await judge_answer(self._check, question, answer) == "wrong":
                return f"The solution “{answer}” is wrong: work it out again."
        return ""

    async def _find_fault_in_question(self, question: str) -> str:
        """Return the fault of what a question tells as true: `On sait que 7 × 8 = 55. …`."""
        if may_tell_wrong(question):
            return ""
        for each in await self._check(question, ""):
            if each.verdict == "wrong" and _STATED.fullmatch(each.text):
                return f"What the question says is wrong: “{each.text}”: {each.why}."
        return ""
