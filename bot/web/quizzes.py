"""`POST /api/v1/quizzes/{id}/answer`: graded here, at once, without a model."""

from __future__ import annotations

import secrets

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.contracts import Transaction
from bot.errors import NotFound
from bot.gateway.journal import append
from bot.gateway.parts import Parts
from bot.gateway.taps import note_of
from bot.learning import quiz
from bot.messages import Person, Sender, Tapped, Text, Update, UserMessage, encode
from bot.web.requests import caller, json_response, read_json


class AnswerRequest(msgspec.Struct, frozen=True):
    index: int


class QuizAnswers:
    def __init__(self, parts: Parts, people: People) -> None:
        self._parts = parts
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/quizzes/{id}/answer", self.answer)]

    async def answer(self, request: web.Request) -> web.Response:
        """`{correct, correct_index, explanation}`; 403 not yours, 409 answered, 410 expired."""
        person = await caller(request, self._people, self._parts.settings.secret_key)
        index = (await read_json(request, AnswerRequest)).index
        quiz_id = request.match_info["id"]

        async def work(tx: Transaction) -> quiz.Graded:
            graded = await quiz.answer(tx, quiz_id, index, account=person.account or 0)
            await _note(tx, person, quiz_id, index, graded)
            return graded

        graded = await self._parts.database.write(work)
        return json_response(
            {
                "correct": graded.correct,
                "correct_index": graded.correct_index,
                "explanation": graded.explanation,
            }
        )


async def _note(
    tx: Transaction, person: Person, quiz_id: str, index: int, graded: quiz.Graded
) -> None:
    """Let the conversation know, as an update that is handled already."""
    row = await tx.fetch_one("SELECT lane FROM quiz WHERE id = :id", id=quiz_id)
    if row is None:
        raise NotFound("There is no such quiz.")
    unique = secrets.token_hex(12)
    channel, _, conversation = row["lane"].partition(":")
    update = Update(
        channel=channel,
        via="http",
        conversation=conversation,
        sender=Sender(person.address),
        delivery_key=unique,
        message_key=unique,
        content=Tapped(f"{quiz_id}:{index}"),
    )
    stored = await tx.fetch_one(_STORED, lane=update.lane, unique=unique, body=encode(update))
    note = encode(UserMessage((Text(note_of(index, graded)),)))
    await append(tx, update.lane, stored["seq"] if stored else 0, 0, [("user", note)])


_STORED = """
INSERT INTO inbox (lane, delivery_key, message_key, body, state, ready_at, stored_at)
VALUES (:lane, :unique, :unique, :body, 'done', {now}, {now})
RETURNING seq
"""
