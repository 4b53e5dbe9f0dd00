"""Quizzes: the answer stays here until the person has given theirs, and the first one counts."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from bot.contracts import Database, Quiz, Row, ToolContext, Transaction
from bot.errors import BadRequest, NotFound, PersonError, ToolFailed
from bot.learning.exercises import keep_result
from bot.messages import AskQuiz, Channel

SECRET_ARGUMENTS = frozenset({"correct_index", "is_true", "explanation"})
"""Of the tools that ask quizzes: nobody sees them before the answer is given."""
_CARRIERS_WORDS: Mapping[Channel, frozenset[str]] = {
    "sms": frozenset(
        [
            "stop",
            "stopall",
            "unsubscribe",
            "cancel",
            "end",
            "quit",
            "start",
            "yes",
            "unstop",
            "help",
            "info",
        ]
    )
}
TTL = 24 * 3600.0
"""Seconds in which a quiz can be answered."""


class AlreadyAnswered(PersonError):
    code = "already_answered"


class Expired(PersonError):
    code = "expired"


class NotYours(PersonError):
    """Only the one who was asked may answer."""

    code = "not_yours"


@dataclass(frozen=True, slots=True)
class Graded:
    """An answer that counted."""

    correct: bool
    correct_index: int
    explanation: str
    question: str
    options: tuple[str, ...]


class Quizzes:
    """Keeps quizzes that tools ask."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ask(self, quiz: Quiz, context: ToolContext) -> AskQuiz:
        """Keep the quiz and a button for each option, bound to the lane and the person's address.

        A button's action is the JSON `{"quiz": id, "index": i}`. The same `context.key` gives the
        same quiz: its id and tokens are derived from the key, the tokens with `SECRET_KEY`.

        Raises:
            ToolFailed: an option is a word by which the carrier opts the person out or in.
        """
        taken = _CARRIERS_WORDS.get(context.person.channel, frozenset[str]())
        if wrong := [option for option in quiz.options if option.strip().lower() in taken]:
            raise ToolFailed(
                f"By SMS an option may not be {', '.join(wrong)}: carriers act on that word. "
                "Ask again with other words."
            )
        quiz_id = hashlib.sha256(context.key.encode()).hexdigest()[:24]
        tokens = tuple(_token(context, index) for index in range(len(quiz.options)))

        async def work(tx: Transaction) -> AskQuiz:
            expires_at = await _insert(tx, quiz_id, quiz, context)
            await tx.execute_many(
                "INSERT INTO button (token, lane, address, action, expires_at)"
                " VALUES (:token, :lane, :address, :action, :expires_at)"
                " ON CONFLICT (token) DO NOTHING",
                [
                    {
                        "token": token,
                        "lane": context.lane,
                        "address": context.person.address,
                        "action": _encode({"quiz": quiz_id, "index": index}),
                        "expires_at": expires_at,
                    }
                    for index, token in enumerate(tokens)
                ],
            )
            return AskQuiz(quiz_id, quiz.kind, quiz.question, quiz.options, tokens, expires_at)

        return await self._database.write(work)


async def answer(tx: Transaction, quiz_id: str, index: int, *, account: int) -> Graded:
    """Grade an answer (`index` counts from 0) within the caller's transaction; the first counts,
    and enters the results that progress is counted from.

    Raises:
        NotFound: no such quiz.
        NotYours: another account was asked.
        BadRequest: there is no such option; this was no answer yet.
        AlreadyAnswered, Expired: too late.
    """
    row = await tx.fetch_one(
        "SELECT *, expires_at <= {now} AS expired FROM quiz WHERE id = :id", id=quiz_id
    )
    if row is None:
        raise NotFound("There is no such quiz.")
    if row["account"] != account:
        raise NotYours("This quiz was asked of someone else.")
    graded = _grade(row, index)
    counted = await tx.execute(
        "UPDATE quiz SET answered_index = :index, answered_at = {now}"
        " WHERE id = :id AND answered_at IS NULL AND expires_at > {now}",
        index=index,
        id=quiz_id,
    )
    if not counted and row["answered_at"] is None and row["expired"]:
        raise Expired("The time for this quiz is over.")
    if not counted:
        raise AlreadyAnswered("This quiz has been answered already.")
    await keep_result(
        tx, key=f"quiz:{quiz_id}", account=account, correct=graded.correct, source="quiz"
    )
    return graded


async def lane_of(tx: Transaction, quiz_id: str) -> str:
    """The conversation in which it was asked. Raises `NotFound`."""
    row = await tx.fetch_one("SELECT lane FROM quiz WHERE id = :id", id=quiz_id)
    if row is None:
        raise NotFound("There is no such quiz.")
    return row["lane"]


def _grade(row: Row, index: int) -> Graded:
    options = msgspec.json.decode(row["options"], type=tuple[str, ...])
    if not 0 <= index < len(options):
        raise BadRequest(f"There is no option {index}: options are 0 to {len(options) - 1}.")
    return Graded(
        correct=index == row["correct_index"],
        correct_index=row["correct_index"],
        explanation=row["explanation"],
        question=row["question"],
        options=options,
    )


async def _insert(tx: Transaction, quiz_id: str, quiz: Quiz, context: ToolContext) -> float:
    """When it expires, by the database's clock; that of the first time, if it was kept before."""
    rows = await tx.fetch(
        "INSERT INTO quiz (id, lane, account, kind, question, options, correct_index, explanation,"
        " expires_at) VALUES (:id, :lane, :account, :kind, :question, :options, :correct_index,"
        " :explanation, {now} + :ttl)"
        " ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING expires_at",
        id=quiz_id,
        lane=context.lane,
        account=context.account,
        kind=quiz.kind,
        question=quiz.question,
        options=_encode(quiz.options),
        correct_index=quiz.correct_index,
        explanation=quiz.explanation,
        ttl=TTL,
    )
    return rows[0]["expires_at"]


def _token(context: ToolContext, index: int) -> str:
    secret = context.settings.secret_key.encode()
    return hmac.new(secret, f"button:{context.key}:{index}".encode(), "sha256").hexdigest()[:32]


def _encode(value: object) -> str:
    return msgspec.json.encode(value).decode()
