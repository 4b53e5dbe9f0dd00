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
from bot.learning.key_checks.equal_options import (
    are_equal,
    have_same_form,
    is_improper,
    may_have_same_root,
    write_comparable,
)
from bot.learning.key_checks.question_sentences import equate, read_question
from bot.learning.key_checks.question_statements import (
    Candidate,
    affirm,
    as_statement,
    asks_wrong,
    may_tell_wrong,
    write_statements,
)
from bot.learning.key_checks.worked_results import has_wrong_unit
from bot.learning.leaks.leak_guard import Secret, find_leak, states_solution
from bot.maths.checker import Checked, MathsChecker
from bot.maths.exact.arithmetic import Verdict

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
_STATED: Final = re.compile(
    r"(?:(?!\. ).)*"
    r"(?:[=<>≤≥≈]|\b(?:font|fait|vaut|valent|est|sont|is|are|makes?|equals?)\b)(?:(?!\. ).)*",
    re.DOTALL,
)
"""A statement in one sentence; a story over several may be misread."""
_TRUE: Final = frozenset(("vrai", "true", "oui", "yes", "right"))
_FALSE: Final = frozenset(("faux", "false", "non", "no", "wrong"))


class AnswerKeys:
    def __init__(self, checker: MathsChecker | None = None) -> None:
        """Make the checks with a checker of mathematics.

        Args:
            checker: None: one that decides no algebra.
        """
        self._checker = checker or MathsChecker()

    async def find_wrong_words(self, texts: Sequence[str], question: str) -> str:
        """Return the first error in these texts, a sentence for the model; empty: none."""
        for text in texts:
            for each in await self._checker.check(text, question):
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
        asks_for_form = bool(_FORM.search(question))
        if pair := await self._find_equal(question, options, right):
            return f"Options “{pair[0]}” and “{pair[1]}” are equal in value: change one of them."
        marked = options[right]
        others = [each for at, each in enumerate(options) if at != right]
        if _NO_OPTION.fullmatch(marked.strip(" .")):
            return await self._find_better(question, marked, others, options)
        if await self._judge(question, marked, options) == "wrong":
            verdicts = [await self._judge(question, each, options) for each in others]
            if all(verdict == "wrong" for verdict in verdicts):
                return "None of the options is right: work the question out again."
            better = others[verdicts.index("right")] if "right" in verdicts else ""
            advice = f"“{better}” is right" if better else "work the question out again"
            return f"The marked option “{marked}” is wrong: {advice}."
        return "" if asks_for_form else await self._find_second(question, others, options)

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
            if are_equal(*pair) or await self._have_same_root(*pair):
                return options[one], options[other]
        return None

    async def _have_same_root(self, one: str, other: str) -> bool:
        """Return whether two values with roots, logarithms or π are equal: `√2/2` and `1/√2`."""
        if not may_have_same_root(one, other):
            return False
        checked = await self._checker.check(equate(one, other))
        return bool(checked) and all(each.verdict == "right" for each in checked)

    async def _find_better(
        self, question: str, marked: str, others: Sequence[str], options: Sequence[str]
    ) -> str:
        """Return that an option is right though `none of these` is marked; empty: none is."""
        for each in others:
            if not is_improper(each) and await self._judge(question, each, options) == "right":
                return f"The marked option “{marked}” is wrong: “{each}” is right."
        return ""

    async def _find_second(
        self, question: str, others: Sequence[str], options: Sequence[str]
    ) -> str:
        """Return that an option is right which is not marked; empty: none is."""
        for each in others:
            if is_improper(each):
                continue
            if await self._judge(question, each, options, is_marked=False) == "right":
                return f"“{each}” is right too: only one option may be."
        return ""

    async def find_statement_fault(self, statement: str, *, is_true: bool) -> str:
        """Return the fault of a true-or-false key, a sentence for the model; empty: none."""
        affirmed, is_denied = affirm(statement)
        checked = await self._checker.check(affirmed)
        wrong = [each for each in checked if each.verdict == "wrong"]
        is_right = bool(checked) and all(each.verdict == "right" for each in checked)
        if is_true and is_denied and is_right:
            return f"It is false, not true: “{checked[0].text}” is right."
        if is_true and wrong and not is_denied:
            return f"It is false, not true: {wrong[0].why}."
        if not is_true and ((is_denied and wrong) or (is_right and not is_denied)):
            return "It is true, not false: its computations are right."
        return ""

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
            if await self._judge(question, answer) == "wrong":
                return f"The solution “{answer}” is wrong: work it out again."
        return ""

    async def _find_fault_in_question(self, question: str) -> str:
        """Return the fault of what a question tells as true: `On sait que 7 × 8 = 55. …`."""
        if may_tell_wrong(question):
            return ""
        for each in await self._checker.check(question):
            if each.verdict == "wrong" and _STATED.fullmatch(each.text):
                return f"What the question says is wrong: “{each.text}”: {each.why}."
        return ""

    async def _judge(
        self, question: str, answer: str, options: Sequence[str] = (), *, is_marked: bool = True
    ) -> Verdict:
        """Decide an answer by its statements: right if one is and none is wrong before it. It is
        undecided if they disagree, since a question may be misread.

        Args:
            is_marked: whether the first right statement is enough; else the first wrong one.
        """
        said = answer.strip(" .!").lower()
        if said in _TRUE | _FALSE and (statement := as_statement(question)):
            is_fault = await self.find_statement_fault(statement, is_true=said in _TRUE)
            return "wrong" if is_fault else "undecided"
        if has_wrong_unit(read_question(question).sentence, answer):
            return "wrong"
        found: set[str] = set()
        for each in write_statements(question, answer, options):
            if each.is_sentence and not is_marked:
                continue
            found |= await self._decide(each)
            if "wrong" in found and len(found) > 1:
                return "undecided"
            if found == {"right" if is_marked else "wrong"}:
                break
        return "wrong" if "wrong" in found else "right" if "right" in found else "undecided"

    async def _decide(self, candidate: Candidate) -> set[str]:
        """Return what is said of a statement: `wrong`, `right` if all of it is, else `partly`; none
        if it is undecided, or if something before it is wrong."""
        before, known = candidate.before, candidate.known
        checked = await self._checker.check(f"{before} {candidate.text}".strip(), known)
        if before and checked:
            stated = await self._checker.check(before, known)
            if any(each.verdict == "wrong" for each in stated):
                return set()
            checked = [each for each in checked if each not in stated]
        verdicts = {each.verdict for each in checked}
        if candidate.is_denied:
            return (
                {"wrong"} if verdicts == {"right"} else {"right"} if "wrong" in verdicts else set()
            )
        if "wrong" in verdicts:
            return set() if await self._is_misread(candidate, checked) else {"wrong"}
        return {"right"} if verdicts == {"right"} else {"partly"} if "right" in verdicts else set()

    async def _is_misread(self, candidate: Candidate, checked: Sequence[Checked]) -> bool:
        """Return whether a statement is only wrong because a noun in it was not read."""
        if not candidate.bare:
            return False
        reasons = {each.why for each in checked if each.verdict == "wrong"}
        bare = await self._checker.check(candidate.bare, candidate.known)
        return reasons <= {each.why for each in bare if each.verdict == "wrong"}
