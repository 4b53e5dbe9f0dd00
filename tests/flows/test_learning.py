"""One pupil on four channels, while the process dies at every step: one state of what she knows."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.storage.database import open_database
from tests.flows.restarts import AWA, Pupil
from tests.flows.street import CHAT, open_street
from tests.support.model_endpoint import endpoint
from tests.support.queries import (
    FromNow,
    Like,
    Not,
    change_rows,
    count_rows,
    read_row,
    read_rows,
    read_values,
)

SKILLS = ("maths.add-to-100", "maths.subtract-to-100", "maths.multiplication-tables")
PLACED = 3
"""Questions of the placement that she answers before she skips the rest."""
LINK = re.compile(r"http://[^/\s]+(/q/\w+)")
MARK = re.compile(r'name="of" value="(\w+)"')

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]


@pytest.fixture
async def pupil(database_url: str, tmp_path: Path) -> AsyncIterator[Pupil]:
    settings = Settings.model_validate({"database_url": database_url})
    more = {"SMS_ONE_WAY": "CI", "QUIET_HOURS": "0-0", "LEASE_SECONDS": "1"}
    async with (
        endpoint() as model,
        open_database(settings) as database,
        open_street(model.url, database_url, tmp_path, **more) as street,
    ):
        yield Pupil(street, database)
        assert model.bodies == []


async def be_placed(awa: Pupil) -> None:
    """She says her class, answers some questions, and skips the rest."""
    await awa.by_whatsapp("/classe 5e")
    for _ in range(PLACED):
        await awa.by_whatsapp(await awa.solution())
    await awa.by_whatsapp("Passer")
    assert await read_values(awa.database, "level", "answers") == [PLACED]


async def practise(awa: Pupil) -> None:
    street = awa.street
    await awa.do(lambda: street.post(street.telegram.contact_update(CHAT, AWA, owner=CHAT)))
    for skill in SKILLS:
        await awa.by_telegram(f"/exercice {skill}")
        await awa.by_telegram(await awa.solution())
    await awa.by_telegram("/stop")
    assert await read_values(awa.database, "result", "skill", order_by="at") == list(SKILLS)


async def be_nudged(awa: Pupil) -> str:
    """It comes by SMS, as nothing else reaches her; the path of the link in it."""
    street, database = awa.street, awa.database
    await awa.by_sms("/reviser 18h")
    await awa.do(lambda: street.post(street.telegram.block(CHAT)))
    street.twilio.people.close_window(AWA)
    await change_rows(database, "lane", {"person_wrote_at": 1.0}, id=f"whatsapp:{AWA}")
    await change_rows(
        database, "card", {"due_at": FromNow(-60), "reviewed_at": FromNow(-5 * 86_400)}
    )
    await change_rows(database, "review", {"nudge_at": FromNow(-1)})
    async with asyncio.timeout(60):
        while not await count_rows(database, "review", nudged_at=Not(None)):
            await asyncio.sleep(0.02)
    await awa.die()
    stored = [row["body"] for row in await read_rows(database, "outbox", lane=f"sms:{AWA}")]
    [text] = [body for body in stored if LINK.search(body)]
    assert sum("/q/" in each.body for each in street.twilio.chat(AWA)) <= 1
    return LINK.findall(text)[0]


async def review_on_the_page(awa: Pupil, path: str) -> None:
    """The first card, by a tap that is repeated as its answer was lost."""
    page = await awa.street.request("GET", path)
    [mark] = set(MARK.findall(page))
    _, page = await awa.post(path, data={"do": "hint", "n": "0", "of": mark})
    status, page = await awa.post(path, data={"a": await awa.solution(), "of": mark})
    assert (status, "déjà répondu" in page or "Bravo" in page) == (200, True)
    assert await count_rows(awa.database, "result", source="review") == 1


async def review_in_the_chat(awa: Pupil) -> None:
    """What is left, one exercise after the other."""
    said = {"message": "/review", "session_id": "web"}
    await awa.street.request("POST", "/api/v1/chat", json=said)
    for _ in SKILLS[1:]:
        row = await read_row(awa.database, "exercise", state="open", lane=Like("http:%"))
        answer = json.loads(row["body"])["solutions"][0]
        status, _ = await awa.post(f"/api/v1/exercises/{row['id']}/answer", json={"text": answer})
        assert status in (200, 409)  # 409: the first one had counted before the process died


async def test_four_channels_and_a_kill_at_each_step_make_one_state(pupil: Pupil) -> None:
    await be_placed(pupil)
    await practise(pupil)
    path = await be_nudged(pupil)
    await review_on_the_page(pupil, path)
    await pupil.log_in_on_the_web()
    await review_in_the_chat(pupil)

    database, street = pupil.database, pupil.street
    assert await count_rows(database, "account") == 1
    results = await read_rows(database, "result")
    assert Counter((row["source"], row["skill"]) for row in results) == Counter(
        (source, skill) for source in ("practice", "review") for skill in SKILLS
    )
    assert {row["correct"] for row in results} == {1}
    cards = {row["key"]: row["reviews"] for row in await read_rows(database, "card")}
    assert cards == dict.fromkeys(SKILLS, 2)
    mastery = {row["skill"]: row["answers"] for row in await read_rows(database, "mastery")}
    assert mastery == dict.fromkeys(SKILLS, 2)
    assert await read_values(database, "level", "answers") == [PLACED + len(results)]
    progress = json.loads(await street.request("GET", "/api/v1/progress"))
    assert (progress["days"][-1]["answered"], progress["streak"]) == (len(results), 1)
    review = json.loads(await street.request("GET", "/api/v1/review"))
    assert (review["due"], review["hour"]) == (0, 18)
    turns = json.loads(await street.request("GET", "/api/v1/sessions/phone/turns"))["turns"]
    said = [words for turn in turns for words in turn["said"]]
    commands = [f"/exercice {skill}" for skill in SKILLS]
    assert [each for each in said if each in commands] == commands
