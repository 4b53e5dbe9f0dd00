from __future__ import annotations

from bot.contracts.storage import Database
from bot.gateway.worker import WorkerHeartbeat, count_alive
from tests.support.fakes import FakeModel
from tests.support.queries import FromNow, add_row
from tests.support.waiting import until


async def test_a_worker_is_alive_from_its_start_to_its_end(app) -> None:
    site = await app()
    worker = await site.start(FakeModel())

    async def one() -> bool:
        return await site.database.read(count_alive) == 1

    await until(one)
    await worker.stop()
    assert await site.database.read(count_alive) == 0


async def test_a_worker_that_is_silent_is_not_alive(database: Database) -> None:
    register = WorkerHeartbeat(database, "x")
    await add_row(database, "worker", owner="x", heartbeat_at=FromNow(-70))
    await add_row(database, "worker", owner="y", heartbeat_at=FromNow(-10))
    assert await database.read(count_alive) == 1
    await register.check_out()
    assert await database.read(count_alive) == 1
