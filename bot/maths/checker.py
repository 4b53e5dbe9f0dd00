"""Decide the mathematical statements of a text: right, wrong, or undecided.

Exact arithmetic is decided here; other questions are sent to `algebra.py` in a process of its own,
one after another. If that process fails or is absent, their statements stay undecided.
"""

from __future__ import annotations

import asyncio
import math
import re
import sys
import time
from collections.abc import Awaitable, Callable, Sequence, Set
from fractions import Fraction
from importlib import import_module
from typing import Final

from bot.errors import ToolFailed
from bot.maths.exact.algebra_questions import (
    Check,
    Checked,
    Comparison,
    Derivative,
    Equivalence,
    Identity,
    Known,
    Pair,
    Question,
    Region,
    Reply,
    Solving,
    Statement,
)
from bot.maths.exact.arithmetic import (
    Undecidable,
    compare,
    find_estimated_step,
    find_step,
)
from bot.maths.exact.expression import (
    Expr,
    Quantity,
    apply,
    decode,
    encode,
    has_units,
    number,
    transform,
)
from bot.maths.exact.units import find_unit, get_base_size
from bot.maths.reading.number_words import MONTH_NUMBERS
from bot.maths.reading.unknowns import PLAIN
from bot.maths.school_facts.fact_statements import find_words, may_state_facts

PROGRAM: Final = "bot.maths.exact.algebra"
"""The program that the checker's warm worker runs."""
MAX_CHARACTERS: Final = 100_000
CHECKED_CHARACTERS: Final = 20_000
"""Characters that are checked of a text longer than `MAX_CHARACTERS`."""
_LONG: Final = 1_000
"""Characters from which a text is read in a thread."""
_STATEMENTS_AT_ONCE: Final = 16
"""Statements after which the event loop may do other work; most take some ten microseconds."""
_MOST_QUESTIONS: Final = 60
"""Most questions to the process about one text; further statements are undecided."""
_MOST_FAILURES: Final = 2
"""Most failed questions about one text, each of which can cost a second and a new process."""
_MOST_SECONDS: Final = 5.0
"""Seconds after the first answer in which more is asked about one text: before that answer, the
process may have had to start, which takes long on a busy machine."""
_MATHS: Final = re.compile(r"[0-9=<>≤≥≈∞∈≃⩽⩾\\½¼¾⅓⅔²³₀-₉０-９＝]")
_OPERATIONS: Final = frozenset((
    "fois", "plus", "moin", "time", "minu", "divi", "mult", "doub", "trip", "moit", "quar", "tier",
    "half", "twic", "raci", "root", "carr", "somm", "sum", "prod", "chan", "font", "égal", "inég",
    "make", "equa", "rest",
))  # fmt: skip
_TOPICS: Final = frozenset(("déri", "deri", "anti", "prim", "équa", "equa", "inéq", "ineq"))
"""The first four letters of words of operations, and of words that alone may be checked."""
_DEGREE: Final = Fraction(1, 57)
"""About one degree in radians, in which angles are compared."""
_NUMBER_WORDS: Final = (
    "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    "treize", "quatorze", "quinze", "seize", "vingt", "trente", "quarante", "cinquante",
    "soixante", "cent", "mille", "two", "three", "four", "five", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty",
    "ninety", "hundred", "thousand",
)  # fmt: skip
_NUMBER_STARTS: Final = frozenset(word[:4] for word in _NUMBER_WORDS)
"""A text without a sign, and without words of an operation and a number, has nothing to check."""
_NUMBERS: Final = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})")
_MONTHS: Final = (*MONTH_NUMBERS, "février", "août", "décembre")
_BEFORE_YEARS: Final = frozenset((
    *_MONTHS, "en", "vers", "depuis", "avant", "dès", "année", "in", "since", "about", "year",
))  # fmt: skip
_YEAR: Final = r"(?:1[0-9]|20)[0-9]{2}(?![.,]?[0-9])"
_YEARS: Final = re.compile(rf"{_YEAR}(?: ?[-–] ?{_YEAR})?")
_DAY: Final = re.compile(
    rf"[0-9]{{1,2}}(?:er|st|nd|rd|th)? (?:{'|'.join(_MONTHS)})\b(?: {_YEAR})?(?: ?[-–] ?{_YEAR})?"
)
_LONGEST_BEFORE: Final = 13
"""Characters before a year that tell whether it is only told: `en 1960`, `- **1935–1947** : …`."""
_LAST_WORD: Final = re.compile(r"\w+$")
_BETWEEN_DATES: Final = ("siècle", "siecle", "century", "bissextil", "leap year")
"""Words with which something may be claimed of dates, as with a number in words: `quarante-huit ans
plus tard`."""
_BEGINNINGS: Final = re.compile(rf"{_NUMBERS.pattern}|d[ée]riv|primitive|[ée]quation")
_ALGEBRA: Final = re.compile(
    r"[=<>≤≥√²³^]|\d\s*[-+*/×÷:]\s*\d|\d[a-z]\b|\\(?:d?frac|sqrt)"
    r"|\b(?:[ée]quation|in[ée]quation|factori|d[ée]velopp|d[ée]riv|primitive|int[ée]grale|polyn|racine"
    r"|fonction|suite|limite|syst[eè]me|solve|equation|expand|function|math)",
    re.IGNORECASE,
)
"""Signs in the message of a person who asks for mathematics."""
_READER: Final = "bot.maths.statements"
_JUDGE: Final = "bot.maths.questions.answer_verdicts"
"""Modules that are imported when they are needed, in a thread: each takes tenths of a second."""
Ask = Callable[[bytes], Awaitable[bytes]]


def has_maths(text: str) -> bool:
    """Return whether a text may have statements to check: dates alone are none."""
    lowered = text.lower()
    words = find_words(lowered)
    if _says_numbers(words) or may_state_facts(words):
        return True
    if not _MATHS.search(text):
        return False
    is_compared = not words.isdisjoint(_NUMBER_WORDS) or any(
        word in lowered for word in _BETWEEN_DATES
    )
    return is_compared or _has_sign_outside_dates(lowered)


def may_begin_maths(piece: str) -> bool:
    """Return whether a piece of a text, which may end within a word, has a sign or word without
    which there is nothing to check."""
    lowered = piece.lower()
    if _MATHS.search(piece) or _BEGINNINGS.search(lowered):
        return True
    return may_state_facts(find_words(lowered))


class MathsChecker:
    """A checker of the mathematical statements of texts.

    Args:
        ask: answers a request to `PROGRAM`; raises `ToolFailed`. None: algebra stays undecided.
        start_soon: starts to load `PROGRAM`, if it is not loaded.
        clock: seconds since any moment.
    """

    def __init__(
        self,
        ask: Ask | None = None,
        start_soon: Callable[[], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._start_soon = start_soon
        self._clock = clock

    def expect(self, question: str) -> None:
        """Start to load the algebra program if a question may need it."""
        if self._start_soon and _ALGEBRA.search(question):
            self._start_soon()

    async def check(self, text: str, question: str = "") -> list[Checked]:
        """Return the statements that `text` makes as its own, with verdicts; last the value that
        it gives for what is asked, if no statement is wrong.

        Args:
            question: the question that the text answers; its equations and functions are known to
                the text.
        """
        checked = await self.check_statements(text, question)
        if not question or any(each.verdict == "wrong" for each in checked):
            return checked
        if _JUDGE not in sys.modules:
            await asyncio.to_thread(import_module, _JUDGE)
        from bot.maths.questions.answer_verdicts import check_final_answer

        final = await check_final_answer(self.check_statements, text, question)
        return [*checked, *(each for each in final if not checked or each.verdict == "wrong")]

    async def check_statements(self, text: str, question: str = "") -> list[Checked]:
        """Return the statements that `text` makes as its own, with verdicts.

        Args:
            question: a text whose equations and functions are known.
        """
        if not has_maths(text):
            return []
        kept = text if len(text) <= MAX_CHARACTERS else text[:CHECKED_CHARACTERS]
        asked = question[:CHECKED_CHARACTERS]
        if len(kept) + len(asked) < _LONG and _READER in sys.modules:
            statements = _read_statements(kept, asked)
        else:  # milliseconds for each thousand characters, which would block the event loop
            statements = await asyncio.to_thread(_read_statements, kept, asked)
        run = _Run(self._ask, self._clock)
        found: list[Checked] = []
        for place, statement in enumerate(statements, start=1):
            found.append(await run.check(statement))
            if place % _STATEMENTS_AT_ONCE == 0:
                await asyncio.sleep(0)
        checked = list({(each.text, each.verdict): each for each in found}.values())
        if len(kept) < len(text):
            checked.append(Checked(f"{text[CHECKED_CHARACTERS:][:80]}…", "undecided"))
        return checked


def _read_statements(text: str, question: str) -> Sequence[Statement]:
    from bot.maths.statements import read_statements

    return read_statements(text, question)


def _says_numbers(words: Set[str]) -> bool:
    starts = {word[:4] for word in words}
    if not _TOPICS.isdisjoint(starts):
        return True
    return not _OPERATIONS.isdisjoint(starts) and not _NUMBER_STARTS.isdisjoint(starts)


def _has_sign_outside_dates(text: str) -> bool:
    at = 0
    while sign := _MATHS.search(text, at):
        end = _find_date_end(text, sign.start())
        if end is None:
            return True
        at = end
    return False


def _find_date_end(text: str, at: int) -> int | None:
    """Return the end of a day or year that is only told, such as `6 mars 1957`; None: none begins
    here."""
    if day := _DAY.match(text, at):
        return day.end()
    years = _YEARS.match(text, at)
    if years is None:
        return None
    before = text[max(0, at - _LONGEST_BEFORE) : at]
    word = _LAST_WORD.search(before.removesuffix("**").removesuffix(" "))
    is_dated = before.endswith((" ", " **")) and word is not None and word[0] in _BEFORE_YEARS
    is_item = text[max(0, at - 5) : at].lstrip("\n") in ("- **", "* **", "• **")
    is_first = before.endswith("(") and text[at + 4 : at + 6].lstrip(" ")[:1] in ("-", "–", ")")
    return years.end() if is_dated or is_item or is_first else None


class _Run:
    """One check of a text, with its remaining budget of questions, failures and time."""

    def __init__(self, ask: Ask | None, clock: Callable[[], float]) -> None:
        self._ask = ask
        self._clock = clock
        self._questions = _MOST_QUESTIONS
        self._failures = _MOST_FAILURES
        self._until = math.inf

    async def check(self, statement: Statement) -> Checked:
        """Decide a statement: right if one of its readings is right, wrong if all are wrong."""
        replies: list[Reply] = []
        for checks in statement.readings:
            reply = await self._decide_all(checks)
            if reply.verdict == "right":
                return Checked(statement.text, "right")
            replies.append(reply)
        is_wrong = bool(replies) and all(reply.verdict == "wrong" for reply in replies)
        if is_wrong and not statement.is_doubtful:
            why = min((reply.why for reply in replies), key=len).translate(PLAIN)
            return Checked(statement.text, "wrong", why)
        return Checked(statement.text, "undecided")

    async def _decide_all(self, checks: Sequence[Check]) -> Reply:
        """Decide checks together: wrong if one is wrong, right if all are right."""
        replies: list[Reply] = []
        for check in checks:
            reply = await self._decide(check)
            if reply.verdict == "wrong":
                return reply
            replies.append(reply)
        is_right = bool(replies) and all(reply.verdict == "right" for reply in replies)
        return Reply("right" if is_right else "undecided")

    async def _decide(self, check: Check) -> Reply:
        match check:
            case Known(verdict, why):
                return Reply(verdict, why)
            case Pair(left, relation, right):
                decision = compare(left, relation, right)
                if not decision.is_open:
                    return Reply(decision.verdict, decision.why)
                step = _find_step(left, relation, right) * (
                    _DEGREE if _has_degrees(left, right) else 1
                )
                question = Comparison(_drop_units(left), relation, _drop_units(right), step)
                reply = await self._ask_algebra(question)
                base = _write_in_base(left, relation, right, step)
                is_open = reply.verdict == "wrong" and base is not None
                return await self._ask_algebra(base) if is_open and base else reply
            case Identity() | Derivative() | Solving() | Equivalence() | Region():
                return await self._ask_algebra(check)

    async def _ask_algebra(self, question: Question) -> Reply:
        is_spent = self._questions <= 0 or self._failures <= 0 or self._clock() > self._until
        if self._ask is None or is_spent:
            return Reply("undecided")
        self._questions -= 1
        try:
            return decode(await self._ask(encode(question)), Reply)
        except ToolFailed:
            self._failures -= 1
            return Reply("undecided")
        finally:
            self._until = min(self._until, self._clock() + _MOST_SECONDS)


def _find_step(left: Expr, relation: str, right: Expr) -> Fraction:
    """Return by how much two sides may differ that are about equal."""
    step = find_step(left, right)
    if relation != "≈":
        return step
    try:
        return max(step, find_estimated_step(left, right))
    except Undecidable:
        return step


def _has_degrees(left: Expr, right: Expr) -> bool:
    """Return whether a side is a number of degrees: `π/3 = 60°`."""
    return any(isinstance(side, Quantity) and side.unit == "°" for side in (left, right))


def _write_in_base(left: Expr, relation: str, right: Expr, step: Fraction) -> Comparison | None:
    """Return the comparison of a number and a measure in metres, kilograms and seconds: `2π × 10⁻³
    ≈ 6,28 ms`; None: the sides are others, or the measure is in these units."""
    unit = find_unit(right.unit) if isinstance(right, Quantity) and not has_units(left) else None
    if unit is None or not isinstance(right, Quantity) or not unit.dimensions:
        return None
    size = get_base_size(unit)
    scaled = apply("*", right.number, number(size))
    return Comparison(_drop_units(left), relation, scaled, step * size) if size != 1 else None


def _drop_units(expr: Expr) -> Expr:
    """Return the numbers without their units, which are not converted here; degrees stay."""

    def change(node: Expr) -> Expr:
        return node.number if isinstance(node, Quantity) and node.unit != "°" else node

    return transform(expr, change)
