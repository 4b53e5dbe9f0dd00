"""Ten exercises of `/practice` while the model is down and processes die: each counts once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.storage.database import open_database
from tests.flows.restarts import AWA, Pupil
from tests.flows.street import CHAT, open_street
from tests.support.ports import free_port
from tests.support.queries import Row, read_row, read_rows, read_values

SKILL = "maths.add-to-100"
SERIES = 10
KILLED = (1, 4, 7, 10)
"""After which answers the process dies."""

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]


@pytest.fixture
async def pupil(database_url: str, tmp_path: Path) -> AsyncIterator[Pupil]:
    settings = Settings.model_validate({"database_url": database_url})
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    async with (
        open_database(settings) as database,
        open_street(nobody, database_url, tmp_path, LEASE_SECONDS="1") as street,
    ):
        yield Pupil(street, database)


async def tap(awa: Pupil, exercise: Row) -> None:
    """Tap the option on the phone, or type it where the message got lost with its process."""
    answer = solution_of(exercise)
    telegram = awa.street.telegram
    for shown in reversed(telegram.messages(CHAT)):
        for button in (each for row in shown.buttons for each in row):
            if exercise["statement"] in shown.text and button["text"] == answer:
                data, message = button["callback_data"], shown.message_id
                await awa.street.post(telegram.callback_update(CHAT, data, message_id=message))
                return
    await awa.street.post(telegram.text_update(CHAT, answer))


async def reply_by_number(awa: Pupil, exercise: Row) -> None:
    """The number of the option, by SMS."""
    options, answer = json.loads(exercise["body"])["options"], solution_of(exercise)
    words = str(options.index(answer) + 1) if options else answer
    await awa.street.twilio.say(AWA, words)


async def answer_on_the_web(awa: Pupil, exercise: Row) -> None:
    path = f"/api/v1/exercises/{exercise['id']}/answer"
    graded = await awa.street.request("POST", path, json={"text": solution_of(exercise)})
    assert json.loads(graded)["correct"] is True


def solution_of(exercise: Row) -> str:
    return json.loads(exercise["body"])["solutions"][0]


async def begin_on_telegram(awa: Pupil) -> None:
    street = awa.street
    await street.post(street.telegram.contact_update(CHAT, AWA, owner=CHAT))
    await street.post(street.telegram.text_update(CHAT, f"/exercice {SKILL}"))


async def begin_by_sms(awa: Pupil) -> None:
    await awa.street.twilio.say(AWA, f"/exercice {SKILL}")


async def begin_on_the_web(awa: Pupil) -> None:
    await awa.log_in_on_the_web()
    said = {"message": f"/exercice {SKILL}", "session_id": "web"}
    await awa.street.request("POST", "/api/v1/chat", json=said)


@pytest.mark.parametrize(
    ("begin", "answer"),
    [
        (begin_on_telegram, tap),
        (begin_by_sms, reply_by_number),
        (begin_on_the_web, answer_on_the_web),
    ],
    ids=["buttons", "numbers", "web"],
)
async def test_ten_exercises_count_once_each(
    pupil: Pupil,
    begin: Callable[[Pupil], Awaitable[None]],
    answer: Callable[[Pupil, Row], Awaitable[None]],
) -> None:
    database = pupil.database
    await begin(pupil)
    await pupil.settle()
    for number in range(1, SERIES + 1):
        await answer(pupil, await read_row(database, "exercise", state="open"))
        await (pupil.die() if number in KILLED else pupil.settle())

    assert await read_values(database, "exercise", "state") == ["right"] * SERIES
    results = await read_rows(database, "result")
    assert [(row["source"], row["skill"], row["correct"]) for row in results] == [
        ("practice", SKILL, 1)
    ] * SERIES
    assert await read_values(database, "card", "reviews") == [SERIES]
    assert await read_values(database, "mastery", "answers") == [SERIES]
    assert await read_values(database, "level", "answers") == [SERIES]
