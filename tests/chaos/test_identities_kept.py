"""`kill -9` between each two changes of who somebody is on WhatsApp: one account all the same."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.accounts import ledger
from bot.contracts.storage import Database
from tests.chaos.evidence import until_quiet
from tests.standins.twilio import running_twilio
from tests.standins.whatsapp import running_whatsapp
from tests.support.cluster import Cluster, Node
from tests.support.queries import Like, read_row, read_rows, read_values

AWA, NEW = "2250701020304", "2250701020399"
USER, OTHER, THIRD = "CI.13491208655302741918", "CI.99", "CI.77"
PUBLIC = "https://griot.example"
Parcel = Callable[[], Awaitable[None]]
"""Delivers one thing that WhatsApp tells; what is not taken is told again."""


@asynccontextmanager
async def playing_cloud(cluster: Cluster) -> AsyncGenerator[tuple[Sequence[Parcel], Any]]:
    """Number and id, the id alone, both again, another number with another id, another id."""
    async with running_whatsapp(statuses=(), pauses=[0.2] * 500) as whatsapp:
        cluster.settings |= whatsapp.settings

        def say(text: str, number: str, user: str) -> Parcel:
            item = whatsapp.text_message(number or user, text, from_user_id=user)
            return lambda: deliver(item)

        def change(number: str, user: str, new_number: str, new_user: str) -> Parcel:
            kind = "user_changed_number" if new_number else "user_changed_user_id"
            told = {"type": kind, "user_id": new_user, "previous_user_id": user}
            told |= {"wa_id": new_number} if new_number else {}
            item = whatsapp.message(number, "system", told, from_user_id=user)
            return lambda: deliver(item)

        async def deliver(item: Any) -> None:
            await whatsapp.deliver(item)
            await whatsapp.settled()

        for number in (AWA, NEW):
            whatsapp.open_window(number)
        steps = [
            say("un", AWA, USER),
            say("deux", "", USER),
            say("trois", AWA, USER),
            change(AWA, USER, NEW, OTHER),
            say("quatre", NEW, OTHER),
            change(NEW, OTHER, "", THIRD),
            say("cinq", "", THIRD),
        ]

        async def reach(node: Node) -> None:
            assert await whatsapp.subscribe(f"{node.url}/webhooks/whatsapp")

        yield steps, reach
        assert whatsapp.violations == []


@asynccontextmanager
async def playing_twilio(cluster: Cluster) -> AsyncGenerator[tuple[Sequence[Parcel], Any]]:
    """Number and id, the id alone, both again, another number: Twilio tells of no other change."""
    async with running_twilio(public_url=PUBLIC) as twilio:
        own = {name.upper(): value for name, value in twilio.settings.items()}
        cluster.settings |= own | {"PUBLIC_URL": PUBLIC}

        def say(text: str, number: str, user: str) -> Parcel:
            parcel = twilio.write(f"+{number}" if number else user, text, whatsapp=True)
            extra = [("ExternalUserId", f"whatsapp:{user}")] if number else []

            async def deliver() -> None:
                assert (await twilio.deliver([*parcel, *extra])).status // 100 == 2

            return deliver

        steps = [
            say("un", AWA, USER),
            say("deux", "", USER),
            say("trois", AWA, USER),
            say("quatre", NEW, USER),
            say("cinq", "", USER),
        ]

        async def reach(node: Node) -> None:
            twilio.post_to = node.url

        yield steps, reach
        assert twilio.violations == []


@pytest.mark.chaos
@pytest.mark.parametrize(
    ("playing", "phone", "user"),
    [(playing_cloud, None, THIRD), (playing_twilio, f"+{NEW}", USER)],
)
async def test_whoever_is_killed_one_person_stays_one_account(
    cluster: Cluster, database: Database, playing: Any, phone: str | None, user: str
) -> None:
    cluster.settings |= {
        "DEBUG_MOCK_RESPONSES": '["Bien reçu.", "Bien reçu.", "Bien reçu.", "Bien reçu."]',
        "WELCOME_CREDITS": "50",
        "LEASE_SECONDS": "1",
    }
    async with playing(cluster) as (steps, reach):
        node = await cluster.start("serve")
        await reach(node)
        await steps[0]()
        await until_quiet(database, 60)
        for step in steps[1:]:
            await step()
            node.kill()
            await node.restart()
        await until_quiet(database, 60)
    account = await read_row(database, "account", part_of=None)
    assert (account["phone"], account["user_id"]) == (phone, user)
    assert await ledger.check(database) == []
    entries = await read_rows(database, "ledger", account=account["id"])
    assert sum(each["amount"] for each in entries if each["kind"] == "welcome") == 50
    threads = await read_values(database, "lane", "thread", id=Like("whatsapp:%"))
    assert {each for each in threads if each} == {f"account:{account['id']}"}
    turns = await read_rows(database, "turn")
    assert {turn["account"] for turn in turns} == {account["id"]}
    assert {turn["state"] for turn in turns} == {"done"}
