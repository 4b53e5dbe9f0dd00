"""What may not be given away, and whether a text does: plain values and words only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from bot.contracts.storage import Row, Transaction
from bot.i18n import fold
from bot.learning.exercises import Body
from bot.learning.grading import read_number
from bot.messages.value import ExerciseKind, decode

_NUMBER: Final = re.compile(r"(?<![\w,./])[-−]?\d+(?:[.,]\d+)?(?:/\d+)?(?![\w/])")
_TEXTS = msgspec.json.Decoder(tuple[str, ...])


@dataclass(frozen=True, slots=True)
class Secret:
    """What may not be given away: an open exercise or quiz."""

    kind: ExerciseKind
    statement: str
    solutions: tuple[str, ...]
    unit: str = ""
    options: tuple[str, ...] = ()


def find_leak(text: str, secrets: Sequence[Secret], said: str = "") -> str | None:
    """The words of a text that give a solution away; None: none do."""
    for secret in secrets:
        for solution in secret.solutions:
            if found := _find_solution(text, solution, f"{secret.statement}\n{said}"):
                return found
    return None


def _find_solution(text: str, solution: str, known: str) -> str | None:
    text = text.replace("\u202f", " ").replace("\u00a0", " ")
    value = read_number(solution)
    if value is not None:
        fraction = re.sub(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}", r" \1/\2 ", text)
        if any(read_number(found) == value for found in _NUMBER.findall(known)):
            return None
        return next(
            (each for each in _NUMBER.findall(fraction) if read_number(each) == value), None
        )
    wanted, here = re.sub(r"[\s$]", "", fold(solution)), re.sub(r"[\s$]", "", fold(text))
    if wanted.isalpha():
        here = fold(text)
        return solution if re.search(rf"\b{re.escape(fold(solution))}\b", here) else None
    return solution if wanted in here else None


async def read_open_secrets(tx: Transaction, account: int, lane: str) -> list[Secret]:
    """The exercises and quizzes that wait for the answer of an account in a conversation."""
    rows = await tx.fetch(_OPEN, account=account, lane=lane)
    return [_read_row(row) for row in rows]


def _read_row(row: Row) -> Secret:
    if row["options"] is None:
        body = decode(row["body"], Body)
        return Secret(row["kind"], row["statement"], body.solutions, body.unit, body.options)
    options = _TEXTS.decode(row["options"])
    return Secret("choice", row["statement"], (options[int(row["place"])],), "", options)


_OPEN = """
SELECT kind, statement, body, NULL AS options, 0 AS place FROM exercise
WHERE account = :account AND lane = :lane AND state = 'open'
UNION ALL
SELECT kind, question, '', options, correct_index FROM quiz
WHERE account = :account AND lane = :lane AND answered_at IS NULL
"""
