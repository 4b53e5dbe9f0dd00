"""A photo sent over HTTP whose process is killed once it was taken: another process shows it."""

from __future__ import annotations

import io

import aiohttp
import pytest

from bot.contracts.storage import Database
from tests.chaos.evidence import until_quiet
from tests.standins.model import ModelStandIn
from tests.support.cluster import Cluster, Node
from tests.support.media import PNG
from tests.support.queries import read_row

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(120)]


async def test_an_accepted_photo_outlives_its_process(
    web: Node, cluster: Cluster, database: Database, model: ModelStandIn
) -> None:
    form = aiohttp.FormData({"message": "m-1-1", "session_id": "s"})
    form.add_field("attachment", io.BytesIO(PNG), filename="a.png", content_type="image/png")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{web.url}/api/v1/chat", data=form) as answer,
    ):
        assert answer.status == 200  # it is accepted, and no worker runs yet
        web.kill()
    staged = await read_row(database, "file")
    assert staged["source"] == "passing"

    await cluster.start("worker")
    await until_quiet(database, 30)
    kept = await read_row(database, "file")
    assert kept["source"] == "http"
    said = await read_row(database, "journal", kind="user")
    assert kept["id"] in said["body"]
    assert [asked.step for asked in model.asked] == ["answer"]
