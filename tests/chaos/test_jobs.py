"""A job begun on WhatsApp whose process is killed twice: done once, paid once, told by template.

It takes as long as `CHAOS_JOB_SECONDS` says, three seconds by default.
"""

from __future__ import annotations

import asyncio
import os

import pytest

from bot.accounts import ledger
from bot.contracts.storage import Database
from tests.adapters.conformance.driver import AWA
from tests.adapters.conformance.whatsapp_cloud import WhatsAppDriver, driving_whatsapp
from tests.chaos.evidence import until_quiet
from tests.standins.model import Hold, ModelStandIn, Step
from tests.support.cluster import WITH_NOTES, Cluster
from tests.support.queries import Above, Plus, change_rows, read_row, read_values

SECONDS = float(os.environ.get("CHAOS_JOB_SECONDS", "3"))
ASKED = "[I want this done in the background, while I do other things: m-1-1]"
pytestmark = [pytest.mark.chaos, pytest.mark.timeout(SECONDS + 180)]


async def test_a_job_is_done_once_although_its_process_is_killed_twice(
    cluster: Cluster, database: Database, model: ModelStandIn
) -> None:
    async with driving_whatsapp() as awa:
        cluster.settings |= {name.upper(): str(value) for name, value in awa.settings.items()}
        node = await cluster.start("serve", program=WITH_NOTES)
        await awa.reach(node.url)
        await awa.post(awa.text("/job m-1-1"))
        last = model.hold_next(ASKED, "call")
        steps: tuple[Step, ...] = ("call", "answer")
        for step in steps:
            held = await think(last)
            node.kill()
            last = model.hold_next(ASKED, step)
            held.released.set()
            await node.restart()
            if step == "call":
                held, last = await think(last), model.hold_next(ASKED, "answer")
                held.released.set()
        await think(last)
        await database.write(
            lambda tx: change_rows(
                tx, "lane", {"person_wrote_at": Plus(-90000)}, id=f"whatsapp:{AWA}"
            )
        )
        last.released.set()

        await shown(awa, 2)
        assert awa.shown()[-1].startswith("Du nouveau : answer to")
        await awa.post(awa.text("/balance"))
        await shown(awa, 4)
        await until_quiet(database, 30)
        assert [text for text in awa.shown() if text.startswith("answer to")] == [
            f"answer to {ASKED}"
        ]
        assert len(cluster.noted()) == 1
        await check_paid_once(database)


async def think(held: Hold) -> Hold:
    """The model has been asked, and takes its time."""
    await held.reached.wait()
    await asyncio.sleep(SECONDS / 4)
    return held


async def shown(awa: WhatsAppDriver, number: int) -> None:
    """Wait until Awa was shown as many messages."""
    async with asyncio.timeout(60):
        while len(awa.shown()) < number:
            await asyncio.sleep(0.05)


async def check_paid_once(database: Database) -> None:
    assert await ledger.check(database) == []
    turn = await read_row(database, "turn", attempts=Above(0))
    assert turn["credits"] == 2
    entries = await read_values(database, "ledger", "amount", kind=("reserve", "settle"))
    assert (len(entries), sum(entries)) == (2, -2)
