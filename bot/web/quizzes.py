"""`POST /api/v1/quizzes/{id}/answer`: graded here, at once, without a model."""

from __future__ import annotations

import secrets
from typing import cast

import msgspec
from aiohttp import web

from bot.accounts.people import People
from bot.contracts import Transaction
from bot.gateway.parts import Parts
from bot.gateway.receiving.questions import forget_question
from bot.gateway.replies.asides import is_noted, note_aside
from bot.gateway.replies.taps import note_of
from bot.learning import quiz
from bot.messages import Channel, Person, Sender, Tapped, Text, Update, UserMessage
from bot.typography import typeset
from bot.web.admission import Admission
from bot.web.requests import caller, json_response, read_json


class AnswerRequest(msgspec.Struct, frozen=True):
    index: int


class GradedAnswer(msgspec.Struct, frozen=True):
    correct: bool
    correct_index: int
    explanation: str


class QuizAnswers:
    def __init__(self, parts: Parts, people: People) -> None:
        self._parts = parts
        self._people = people
        self._admission = Admission(parts, people)

    def routes(self) -> list[web.RouteDef]:
        return [web.post("/api/v1/quizzes/{id}/answer", self.answer)]

    async def answer(self, request: web.Request) -> web.Response:
        """`{correct, correct_index, explanation}`; 403 not yours, 409 answered, 410 expired,
        429 too many at once."""
        person = await caller(request, self._people, self._parts.settings)
        await self._admission.check_pace(request, person)
        index = (await read_json(request, AnswerRequest)).index
        quiz_id = request.match_info["id"]
        key = secrets.token_hex(12)
        counted: list[quiz.Graded] = []

        async def work(tx: Transaction) -> quiz.Graded:
            lane = await quiz.lane_of(tx, quiz_id)
            if counted and await is_noted(tx, lane, key):
                return counted[-1]  # by an earlier run of this work, whose commit was not seen
            graded = await quiz.answer(tx, quiz_id, index, account=person.account or 0)
            note = UserMessage((Text(note_of(index, graded)),))
            await forget_question(tx, lane)
            await note_aside(tx, _update(person, lane, key, f"{quiz_id}:{index}"), note)
            counted.append(graded)
            return graded

        graded = await self._parts.database.write(work)
        explanation = typeset(graded.explanation, person.language)
        return json_response(GradedAnswer(graded.correct, graded.correct_index, explanation))


def _update(person: Person, lane: str, key: str, token: str) -> Update:
    channel, _, conversation = lane.partition(":")
    return Update(
        channel=cast("Channel", channel),
        via="http",
        conversation=conversation,
        sender=Sender(person.address),
        delivery_key=key,
        message_key=key,
        content=Tapped(token),
    )
