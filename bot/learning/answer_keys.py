"""Check the answer key of a quiz or exercise before it is asked: right, unique, and possible.

A question and an answer make a statement together ("Combien font 7 × 8 ?", "56" → "7 × 8 = 56"),
which the checker of mathematics decides. A statement that it cannot decide counts as right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from bot.contracts.services import GivenExercise
from bot.learning.leaks import Secret, find_leak, states_solution
from bot.maths.arithmetic import Verdict
from bot.maths.checker import MathsChecker
from bot.maths.equivalence import equivalent

_BLANK: Final = re.compile(r"(?:\?|…|\.{3}|_{2,}|□|\\ldots|\\dots|\\square)")
_ASKED: Final = re.compile(
    r"(?:combien (?:font|fait|vaut|valent)|que (?:vaut|valent|fait)|calcule[rz]?|effectue[rz]?"
    r"|quel(?:le)? est (?:la valeur(?: exacte)?|le résultat|le produit|la somme|le quotient"
    r"|la différence|l[’']inverse) d[eu']|développe[rz]?|factorise[rz]?|simplifie[rz]?|réduis"
    r"|réduire|convertis|how much (?:is|are)|what (?:is|are)|work out|calculate|compute|evaluate"
    r"|expand|factori[sz]e|factor|simplify|convert)"
    r"(?: (?:l[’']expression|le nombre|the (?:expression|value of|number)))?\s*:?\s+(?P<asked>.+)",
    re.IGNORECASE | re.DOTALL,
)
_BARE_QUESTION: Final = re.compile(r"\d[^?.!]* (?:%|de|fois|plus|moins|divisé) [^?.!]*\d[^?.!]*")
"""A question that is only the expression to work out: `25 % de 80 ?`."""
_ASKED_WHOLE: Final = re.compile(
    r"^(?:quel(?:le)? est|what is)\s+(?P<asked>(?:le|la|the) (?:pgcd|ppcm"
    r"|plus (?:grand|petit) (?:commun )?(?:diviseur|multiple)"
    r"|carré|cube|double|triple|moitié|tiers|quart|racine carrée|gcd|hcf|lcm|square|half"
    r"|square root)\b.+)",
    re.IGNORECASE | re.DOTALL,
)
"""A question that asks for the value of a whole noun phrase: `Quel est le PGCD de 12 et 18 ?`."""
_WHICH_NUMBER: Final = re.compile(
    r"(?:quel (?:nombre|entier)|lequel|which (?:number|one))(?: de ces nombres| of these)?"
    r" (?P<says>(?:est|is|n[’']est pas) .{3,60})$",
    re.IGNORECASE,
)
"""A question which number has a property: `Quel nombre est premier ?`."""
_WHICH_SIZE: Final = re.compile(
    r"quel(?:le)? est (?P<size>(?:le |la |l[’'])"
    r"(?:aire|surface|périmètre|volume|circonférence)\b.+)$",
    re.IGNORECASE,
)
_HOW_MANY_UNITS: Final = re.compile(
    r"^combien (?:de |d[’'])(?P<unit>[^\W\d]+) (?:y a-t-il )?dans (?:un |une )?(?P<asked>\d.*)",
    re.I,
)
_TARGET_UNIT: Final = re.compile(r"\s+(?:en|in|into|to)\s+(?P<unit>[\w²³°/]+)\W*$")
_EQUATION: Final = re.compile(r"\b(?:rés(?:ous|oudre|olvez)|solution|racine|solve|root)", re.I)
_WHOLE_SET: Final = re.compile(
    r"\b(?:rés(?:ous|oudre|olvez)|solve)\b|\b(?:les|the) (?:solutions|racines|roots)\b", re.I
)
"""The question asks for all solutions, not for one of them."""
_DERIVATIVE: Final = re.compile(r"\bd[ée]riv", re.I)
_DERIVED: Final = re.compile(r"\bd[ée]riv(?:e[rz]?|ée|ative)\s+(?:de |of )?(?P<asked>.+)", re.I)
_FORM: Final = re.compile(
    r"simplif|irr[ée]ductible|factoris|factor|d[ée]velopp|expand|r[ée]dui|[ée]crit|écriture|forme?\b"
    r"|notation|arrondi|round|reduced|simplest|write|convert|unit",
    re.I,
)
"""The question asks for a form, so an option that is equal in value may still be another answer."""
_LIMIT: Final = re.compile(r"\blim(?:ite?s?)?\b|\\lim\b", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"(?<![a-zA-Z\\])([a-z])(?![a-zA-Z])")
_BARE: Final = re.compile(r"[^=<>{}\[\]]+")


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
        asks_for_form = bool(_FORM.search(question))
        if not asks_for_form and (pair := _find_equal(options)):
            return f"Options “{pair[0]}” and “{pair[1]}” are equal in value: change one of them."
        verdicts = [await self._judge(question, option) for option in options]
        others = [i for i, verdict in enumerate(verdicts) if verdict == "right" and i != right]
        if verdicts[right] == "wrong":
            if all(verdict == "wrong" for verdict in verdicts):
                return "None of the options is right: work the question out again."
            better = f"“{options[others[0]]}” is right" if others else "work the question out again"
            return f"The marked option “{options[right]}” is wrong: {better}."
        if others and not asks_for_form:
            return f"“{options[others[0]]}” is right too: only one option may be."
        return ""

    async def find_statement_fault(self, statement: str, *, is_true: bool) -> str:
        """Return the fault of a true-or-false key, a sentence for the model; empty: none."""
        checked = await self._checker.check(statement)
        wrong = [each for each in checked if each.verdict == "wrong"]
        if is_true and wrong:
            return f"It is false, not true: {wrong[0].why}."
        if not is_true and checked and all(each.verdict == "right" for each in checked):
            return "It is true, not false: its computations are right."
        return ""

    async def find_exercise_fault(self, exercise: GivenExercise) -> str:
        """Return the fault of an exercise's key or help, for the model; empty: none."""
        kind, statement, solutions = exercise.kind, exercise.statement, exercise.solutions
        if kind == "choice":
            if not set(solutions) <= set(exercise.options):
                return "solution: it has to be one of the options, spelled as there."
            right = exercise.options.index(solutions[0])
            if fault := await self.find_quiz_fault(statement, exercise.options, right):
                return fault
        else:
            for solution in solutions:
                answer = f"{solution} {exercise.unit}".strip()
                if await self._judge(statement, answer) == "wrong":
                    return f"The solution “{answer}” is wrong: work it out again."
        secret = Secret(kind, statement, solutions, exercise.unit, exercise.options)
        if states_solution(statement, secret):
            return "The statement already gives the solution: take it out of there."
        if any(find_leak(hint, [secret]) for hint in exercise.hints):
            return "A hint gives the solution: let it only lead the way."
        return await self.find_wrong_words((*exercise.hints, *exercise.steps), statement)

    async def _judge(self, question: str, answer: str) -> Verdict:
        for statement, context in _write_statements(question, answer):
            verdicts = [each.verdict for each in await self._checker.check(statement, context)]
            if "wrong" in verdicts:
                return "wrong"
            if verdicts and all(verdict == "right" for verdict in verdicts):
                return "right"
        return "undecided"


def _write_statements(question: str, answer: str) -> Iterator[tuple[str, str]]:
    """Yield each statement that an answer makes, with the text that is known before it."""
    known = question.replace("?", ".")
    if _LIMIT.search(question):
        return  # `lim 1/x quand x tend vers +∞` is no expression that has the value
    if _DERIVATIVE.search(question):
        yield _as_derivative(question, answer), known
    elif _EQUATION.search(question):
        yield _as_solution(question, answer), known
    else:
        yield from ((statement, "") for statement in _write_result(question, answer))


def _write_result(question: str, answer: str) -> Iterator[str]:
    """Yield the equality that an answer makes with the expression to work out."""
    asked = question.strip().rstrip(" ?.:\u00a0\u202f")
    blank = _BLANK.search(question) if "=" in question else None
    if blank and question[: blank.start()].rstrip().endswith("="):
        line = question[: blank.start()].rsplit("\n", 1)[-1].rsplit(":", 1)[-1]
        unit = re.match(r"\s*([\w²³%°]*)", question[blank.end() :])
        ending = unit[1] if unit and unit[1] not in answer else ""
        yield f"{_strip_marks(line)} {_strip_marks(answer)} {ending}".strip()
    elif found := _HOW_MANY_UNITS.search(asked):
        yield f"{found['asked'].strip()} = {_add_unit(answer, found['unit'])}"
    elif found := _ASKED_WHOLE.search(asked) or _ASKED.search(asked):
        expression = found["asked"].strip()
        if "=" in expression:
            return  # what is asked of an equation: its discriminant, its degree
        if target := _TARGET_UNIT.search(expression):
            expression = expression[: target.start()]
            answer = _add_unit(answer, target["unit"])
        yield _equate(expression, answer)
    elif _BARE_QUESTION.fullmatch(asked):
        yield _equate(asked, answer)
    else:
        yield from _write_in_words(asked, answer)


def _write_in_words(asked: str, answer: str) -> Iterator[str]:
    """Yield what an answer states of a number's property or a figure's size."""
    if found := _WHICH_NUMBER.search(asked):
        yield f"{answer} {found['says']}"
    elif found := _WHICH_SIZE.search(asked):
        yield f"{found['size']} est {answer}"


def _add_unit(answer: str, unit: str) -> str:
    is_number = answer.replace(",", "").replace(" ", "").isdigit()
    return f"{answer} {unit}" if is_number else answer


def _as_derivative(question: str, answer: str) -> str:
    bare = _strip_marks(re.sub(r"^\s*\$?\s*f'\(x\)\s*=", "", answer))
    asked = _DERIVED.search(question.strip().rstrip(" ?.:\u00a0\u202f"))
    if "=" in question or not asked:
        return f"f'(x) = {bare}"
    return f"La dérivée de {_strip_marks(asked['asked'])} est {bare}"


def _equate(left: str, right: str) -> str:
    """Write an equality of two sides, each of which may be a formula between `$`."""
    if "$" in left or "$" in right or "\\" in right:
        return f"${_strip_marks(left)} = {_strip_marks(right)}$"
    return f"{left} = {right}"


def _as_solution(question: str, answer: str) -> str:
    """Write an answer as a solution; a bare value becomes the value of the question's unknown."""
    bare = _strip_marks(answer)
    if bare.startswith(("{", "[", "]")):
        return f"S = {bare}"
    letters = _UNKNOWN.findall("".join(re.findall(r"[^.:;\n]*=[^.:;\n]*", question)))
    if not letters or not _BARE.fullmatch(bare):
        return answer
    values = re.split(r"\s*(?:;|\bet\b|\bou\b|\band\b|\bor\b)\s*", bare)
    if _WHOLE_SET.search(question) and len(set(letters)) == 1 and "(" not in bare:
        return f"S = {{{' ; '.join(values)}}}"
    return f"{letters[-1]} = {bare}"


def _strip_marks(text: str) -> str:
    return text.replace("$", "").strip()


def _find_equal(options: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two options that are equal in value."""
    pairs = combinations(options, 2)
    return next((pair for pair in pairs if _are_equal(*pair)), None)


def _are_equal(one: str, other: str) -> bool:
    """Return whether options have one value; `un` and `une` are words."""
    return any(map(str.isdigit, one + other)) and equivalent(one, other, "number") is True
