"""`kill -9` while WhatsApp reports what arrived: each message is paid for once, none is lost."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Sequence

import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import until_quiet
from tests.standins.whatsapp import WhatsAppStandIn, running_whatsapp
from tests.support.cluster import Cluster, Node
from tests.support.queries import Not, Row, read_rows

PHONES = [f"22507010203{number:02}" for number in range(6)]
EACH, FREE, PRICE, KILLS = 4, 5, 4000, 6
PAID = {"billable": True, "pricing_model": "PMP", "category": "service"}


async def talk(whatsapp: WhatsAppStandIn, phone: str) -> None:
    """Say some things, each once the one before has been taken."""
    for number in range(EACH):
        await whatsapp.deliver(whatsapp.text_message(phone, f"question {number}"))
        await asyncio.sleep(random.uniform(0.1, 0.6))


async def kill_now_and_then(node: Node) -> None:
    for _ in range(KILLS):
        await asyncio.sleep(random.uniform(0.05, 0.5))
        node.kill()
        await node.restart()


async def until_booked(database: Database, is_done: Callable[[Sequence[Row]], bool]) -> list[Row]:
    async with asyncio.timeout(90):
        while not is_done(rows := await read_rows(database, "cost", delivered_at=Not(None))):
            await asyncio.sleep(0.2)
    return rows


@pytest.mark.chaos
async def test_whoever_is_killed_each_message_that_arrived_is_paid_for_once(
    cluster: Cluster, database: Database
) -> None:
    async with running_whatsapp(
        statuses=("sent", "delivered", "read"), pace=False, pauses=[0.2] * 500
    ) as whatsapp:
        whatsapp.pricing = PAID
        cluster.settings |= {
            **whatsapp.settings,
            "WHATSAPP_PRICES": json.dumps({"*": {"service": PRICE / 1e6}}),
            "WHATSAPP_FREE_MESSAGES": str(FREE),
            "DEBUG_MOCK_RESPONSES": json.dumps(["Réponse"] * 1000),
        }
        node = await cluster.start("serve", LEASE_SECONDS=1)
        assert await whatsapp.subscribe(f"{node.url}/webhooks/whatsapp")
        await asyncio.gather(kill_now_and_then(node), *(talk(whatsapp, each) for each in PHONES))
        await whatsapp.settled()
        await until_quiet(database, 60)
        await whatsapp.settled()
        arrived = {shown.wamid for phone in PHONES for shown in whatsapp.chat(phone)}
        assert len(arrived) >= len(PHONES)
        rows = await until_booked(
            database, lambda rows: {each["provider_id"] for each in rows} >= arrived
        )
    assert {each["provider_id"] for each in rows} == arrived
    assert len(rows) == len(arrived)
    assert sum(each["free"] for each in rows) == min(FREE, len(arrived))
    assert sum(each["amount"] for each in rows) == PRICE * max(0, len(arrived) - FREE)
    sent = [each for each in await read_rows(database, "outbox") if each["state"] == "sent"]
    assert {each["provider_id"] for each in sent} == arrived  # the others never reached WhatsApp
