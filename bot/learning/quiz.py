"""Keep quizzes: the right answer stays secret until the person's first answer, which counts."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, get_args

import msgspec

from bot.contracts.services import Quiz, ToolContext
from bot.contracts.storage import Database, Row, Transaction
from bot.errors import BadRequest, NotFound, PersonError, ToolFailed
from bot.learning.grading.typed_words import is_about_accents
from bot.learning.new_exercise import Body
from bot.learning.results import adopt_results_from_guest, keep_result, match_topic
from bot.learning.reviews.cards import CardItem, keep_card, name_card
from bot.learning.skills.mastery import Noise, item_noise
from bot.learning.subjects import QUIZZES, fold_subject
from bot.maths.checker import MathsChecker
from bot.messages.channels import is_reserved_word
from bot.messages.outgoing import AskQuiz
from bot.messages.transcript import ToolCall
from bot.messages.value import QuizKind, encode
from bot.storage.accounts import lock_current_account
from bot.storage.buttons import keep_buttons

if TYPE_CHECKING:
    from bot.learning.answer_keys import AnswerKeys

SECRET_ARGUMENTS = frozenset({"correct_index", "is_true", "explanation"})
"""Arguments of the tools that ask quizzes which are hidden until the answer is given."""
_TOOLS: frozenset[str] = frozenset(get_args(QuizKind))
_SECRET_OF_EXERCISES = frozenset({"solution", "hints", "steps"})
_GIVES_EXERCISE = "give_exercise"
_GUEST = 0
"""The account id that stands for a guest."""
QUIZ_SECONDS = 24 * 3600.0
"""Seconds in which a quiz can be answered."""


class AlreadyAnswered(PersonError):
    code = "already_answered"


class Expired(PersonError):
    code = "expired"


class NotYours(PersonError):
    """An answer from another person than the one who was asked."""

    code = "not_yours"


@dataclass(frozen=True, slots=True)
class Graded:
    """An answer that was counted."""

    correct: bool
    correct_index: int
    explanation: str
    question: str
    options: tuple[str, ...]

    @property
    def keeps_letters(self) -> bool:
        """Whether texts about it keep the accents that SMS would leave out."""
        return is_about_accents(self.question, self.options, ())


@dataclass(frozen=True, slots=True)
class QuizState:
    """A quiz with its answer, if it has one."""

    question: str
    options: tuple[str, ...]
    answered: int | None
    """The index of the chosen option, or None."""
    graded: Graded | None
    is_expired: bool


class Quizzes:
    """The quizzes that tools ask, kept until they are answered."""

    def __init__(self, database: Database, checker: MathsChecker | None = None) -> None:
        """Make the service.

        Args:
            checker: of the keys; None: one that decides no algebra.
        """
        self._database = database
        self._checker = checker

    async def ask(self, quiz: Quiz, context: ToolContext) -> AskQuiz:
        """Keep the quiz and a button for each option, bound to the conversation and the person's
        address.

        A button's action is the JSON `{"quiz": id, "index": i}`. The same `context.key` gives the
        same quiz: its id and tokens are derived from the key, the tokens with `SECRET_KEY`.

        Raises:
            ToolFailed: the marked option is wrong, or not the only right one; an option is a word
                by which the carrier opts the person out or in; or the person was erased.
        """
        channel = context.person.channel
        if wrong := [option for option in quiz.options if is_reserved_word(channel, option)]:
            raise ToolFailed(
                f"By SMS an option may not be {', '.join(wrong)}: carriers act on that word. "
                "Ask again with other words."
            )
        if fault := await self._find_fault(quiz):
            raise ToolFailed(f"The quiz was not shown. {fault} Ask again, put right.")
        quiz_id = hashlib.sha256(context.key.encode()).hexdigest()[:24]
        tokens = tuple(_token(context, index) for index in range(len(quiz.options)))

        async def work(tx: Transaction) -> AskQuiz:
            expires_at = await _insert(tx, quiz_id, quiz, context)
            actions = {
                token: {"quiz": quiz_id, "index": index} for index, token in enumerate(tokens)
            }
            await keep_buttons(tx, context.lane, context.person.address, actions)
            return AskQuiz(
                quiz_id,
                quiz.kind,
                quiz.question,
                quiz.options,
                tokens,
                expires_at,
                is_about_accents(quiz.question, quiz.options, ()),
            )

        return await self._database.write(work)

    async def _find_fault(self, quiz: Quiz) -> str:
        keys = await load_answer_keys(self._checker)
        question, options, right = quiz.question, quiz.options, quiz.correct_index
        if quiz.kind == "true_false_quiz":
            fault = await keys.find_statement_fault(question, is_true=right == 0)
            return fault or await keys.find_wrong_words((quiz.explanation,), "")
        fault = await keys.find_quiz_fault(question, options, right)
        return fault or await keys.find_wrong_words((quiz.explanation,), question)


async def load_answer_keys(checker: MathsChecker | None) -> AnswerKeys:
    """Return the checks of what is asked. Their modules take tenths of a second to import."""
    await asyncio.to_thread(import_module, "bot.learning.answer_keys")
    from bot.learning.answer_keys import AnswerKeys

    return AnswerKeys(checker)


async def answer_quiz(tx: Transaction, quiz_id: str, index: int, *, account: int) -> Graded:
    """Grade an answer within the caller's transaction. The first answer counts and enters the
    results from which progress is counted.

    Args:
        index: the chosen option, from 0.

    Raises:
        NotFound: no such quiz.
        NotYours: another account was asked.
        BadRequest: there is no such option; the quiz can still be answered.
        AlreadyAnswered: an answer was counted before.
        Expired: the time for the quiz is over.
    """
    row = await _read_row(tx, quiz_id)
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
    await _keep_answer(tx, row, graded, account)
    return graded


async def _keep_answer(tx: Transaction, row: Row, graded: Graded, account: int) -> None:
    """Store the card and the result of an answer that counts."""
    await keep_card(
        tx,
        _card_item(graded, row["skill"]),
        account=account,
        lane=row["lane"],
        correct=graded.correct,
        first_try=True,
    )
    await keep_result(
        tx,
        key=f"quiz:{row['id']}",
        account=account,
        lane=row["lane"],
        subject=fold_subject(row["skill"].partition(".")[0]) or QUIZZES,
        topic=row["topic"],
        skill=row["skill"],
        correct=graded.correct,
        source="quiz",
        noise=_noise_of(row),
    )


def _noise_of(row: Row) -> Noise:
    options = msgspec.json.decode(row["options"], type=tuple[str, ...])
    return item_noise("choice", options=len(options))


def _card_item(graded: Graded, skill: str) -> CardItem:
    """Return the card that asks the quiz again, as a choice exercise."""
    right = graded.options[graded.correct_index]
    steps = (graded.explanation,) if graded.explanation else ()
    body = Body((right,), graded.options, steps=steps)
    key = name_card("choice", graded.question, body.solutions)
    return CardItem(key, skill, "choice", graded.question, 2, encode(body))


async def lane_of_quiz(tx: Transaction, quiz_id: str) -> str:
    """Return the conversation in which the quiz was asked. Raises `NotFound`."""
    return (await _read_row(tx, quiz_id))["lane"]


async def read_quiz(tx: Transaction, quiz_id: str) -> QuizState:
    """Return the quiz, with its answer if it has one. Raises `NotFound`."""
    row = await _read_row(tx, quiz_id)
    answered = row["answered_index"] if row["answered_at"] is not None else None
    graded = None if answered is None else _grade(row, answered)
    options = msgspec.json.decode(row["options"], type=tuple[str, ...])
    return QuizState(row["question"], options, answered, graded, bool(row["expired"]))


async def find_outcome(tx: Transaction, quiz_id: str) -> dict[str, object] | None:
    """Return `{index, correct, correct_index, explanation}` of an answered quiz; None: it has no
    answer."""
    row = await tx.fetch_one(_OUTCOME, id=quiz_id)
    if row is None:
        return None
    return {
        "index": row["answered_index"],
        "correct": row["answered_index"] == row["correct_index"],
        "correct_index": row["correct_index"],
        "explanation": row["explanation"],
    }


def asks(name: str) -> bool:
    """Return whether the tool of this name asks a quiz or an exercise."""
    return name in _TOOLS or name == _GIVES_EXERCISE


def hide_answers(call: ToolCall) -> str:
    """Return a tool call's arguments without those that reveal the answer of a quiz or exercise;
    empty if such arguments cannot be parsed."""
    secret = _SECRET_OF_EXERCISES if call.name == _GIVES_EXERCISE else SECRET_ARGUMENTS
    if not asks(call.name) and not any(name in call.arguments for name in secret):
        return call.arguments
    try:
        values = msgspec.json.decode(call.arguments, type=dict[str, object])
    except (msgspec.DecodeError, RecursionError):
        return ""
    return encode({name: each for name, each in values.items() if name not in secret})


def hide_solution(call: ToolCall) -> ToolCall:
    """Return the tool call as later turns see it: a `give_exercise` call loses its solution, steps
    and hints."""
    if call.name != _GIVES_EXERCISE:
        return call
    return msgspec.structs.replace(call, arguments=hide_answers(call) or "{}")


async def read_answered(tx: Transaction, account: int) -> list[Row]:
    """Return the rows of the account's answered quizzes, the oldest first. Open quizzes are left
    out, since their rows hold the right answer."""
    return await tx.fetch(_ANSWERED, account=account)


async def _read_row(tx: Transaction, quiz_id: str) -> Row:
    row = await tx.fetch_one(
        "SELECT *, expires_at <= {now} AS expired FROM quiz WHERE id = :id", id=quiz_id
    )
    if row is None:
        raise NotFound("There is no such quiz.")
    return row


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
    """Keep the quiz and return when it expires, by the database's clock; a quiz kept before keeps
    its time."""
    account = await lock_current_account(tx, context.account)
    skill, topic = match_topic(quiz.skill, context.person)
    rows = await tx.fetch(
        "INSERT INTO quiz (id, lane, account, kind, question, options, correct_index, explanation,"
        " skill, topic, expires_at) VALUES (:id, :lane, :account, :kind, :question, :options,"
        " :correct_index, :explanation, :skill, :topic, {now} + :ttl)"
        " ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING expires_at",
        id=quiz_id,
        lane=context.lane,
        account=account,
        kind=quiz.kind,
        question=quiz.question,
        options=encode(quiz.options),
        correct_index=quiz.correct_index,
        explanation=quiz.explanation,
        skill=skill,
        topic=topic,
        ttl=QUIZ_SECONDS,
    )
    return rows[0]["expires_at"]


async def adopt_quizzes_from_guest(tx: Transaction, lane: str, into: int) -> None:
    """Give the quizzes and results of a conversation's guest to an account."""
    rows = await tx.fetch(_ADOPT_FROM_GUEST, lane=lane, guest=_GUEST, into=into)
    noises = {row["id"]: _noise_of(row) for row in rows}
    await adopt_results_from_guest(tx, lane, noises, into)


def _token(context: ToolContext, index: int) -> str:
    secret = context.settings.secret_key.encode()
    return hmac.new(secret, f"button:{context.key}:{index}".encode(), "sha256").hexdigest()[:32]


_ADOPT_FROM_GUEST = """
UPDATE quiz SET account = :into WHERE lane = :lane AND account = :guest RETURNING id, options
"""

_ANSWERED = """
SELECT * FROM quiz WHERE account = :account AND answered_at IS NOT NULL ORDER BY answered_at, id
"""

_OUTCOME = """
SELECT answered_index, correct_index, explanation FROM quiz
WHERE id = :id AND answered_at IS NOT NULL
"""
