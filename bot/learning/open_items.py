"""Read a person's open exercises and quizzes, with the solutions that the tutor may not give
away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from bot.contracts.storage import Row, Transaction
from bot.learning.new_exercise import Body
from bot.messages.value import ExerciseKind, decode

_MOST: Final = 20
_TEXTS = msgspec.json.Decoder(tuple[str, ...])


@dataclass(frozen=True, slots=True)
class Secret:
    """An open exercise or quiz, whose solution may not be given away."""

    kind: ExerciseKind
    statement: str
    solutions: tuple[str, ...]
    """At least one; for a choice or a quiz, the text of the right option."""
    unit: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An exercise or a quiz that waits for an answer."""

    id: str
    secret: Secret
    tries: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    hints_shown: int = 0
    is_quiz: bool = False

    @property
    def next_hint(self) -> str:
        """The first hint that the person has not seen; empty: there is none."""
        return self.hints[self.hints_shown] if self.hints_shown < len(self.hints) else ""

    def describe(self) -> str:
        """Write for the model what the person has seen and tried of the exercise."""
        tries = "; ".join(self.tries) or "none"
        hints = " ".join(self.hints[: self.hints_shown]) or "none"
        return (
            f"Open exercise, graded by the server: “{self.secret.statement}” Wrong tries: {tries}. "
            f"Hints seen: {hints}. Help with a question or a smaller step; never give its solution."
        )


async def read_open_items(tx: Transaction, account: int, lane: str) -> list[OpenItem]:
    """Return the open items of an account in all conversations, the newest first.

    Args:
        account: 0 for a guest, whose open items in the conversation `lane` are returned.
    """
    if account:
        rows = await tx.fetch(_OF_ACCOUNT, account=account, limit=_MOST)
    else:
        rows = await tx.fetch(_OF_GUEST, lane=lane, limit=_MOST)
    return [_read_row(row) for row in rows]


def _read_row(row: Row) -> OpenItem:
    if row["options"] is None:
        body = decode(row["body"], Body)
        secret = Secret(row["kind"], row["statement"], body.solutions, body.unit, body.options)
        tries = _TEXTS.decode(row["tries"])
        return OpenItem(row["id"], secret, tries, body.hints, row["hints_shown"])
    options = _TEXTS.decode(row["options"])
    solution = options[int(row["hints_shown"])]
    secret = Secret("choice", row["statement"], (solution,), "", options)
    return OpenItem(row["id"], secret, is_quiz=True)


_OF_ACCOUNT = """
SELECT id, kind, statement, body, tries, hints_shown, NULL AS options, expires_at FROM exercise
WHERE account = :account AND state = 'open' AND expires_at > {now}
UNION ALL
SELECT id, kind, question, '', '', correct_index, options, expires_at FROM quiz
WHERE account = :account AND answered_at IS NULL AND expires_at > {now}
ORDER BY expires_at DESC LIMIT :limit
"""

_OF_GUEST = """
SELECT id, kind, statement, body, tries, hints_shown, NULL AS options, expires_at FROM exercise
WHERE lane = :lane AND account = 0 AND state = 'open' AND expires_at > {now}
UNION ALL
SELECT id, kind, question, '', '', correct_index, options, expires_at FROM quiz
WHERE lane = :lane AND account = 0 AND answered_at IS NULL AND expires_at > {now}
ORDER BY expires_at DESC LIMIT :limit
"""
