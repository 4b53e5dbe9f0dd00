from __future__ import annotations

import json
from typing import Any

import pytest

from bot.contracts import Database
from bot.gateway.journal import append
from bot.messages import Text, UserMessage, encode
from tests.cli.conftest import Run, on_sqlite


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_bare_id_means_a_session_over_http(griot: Run, database: Database) -> None:
    async def note(tx: Any) -> None:
        await append(tx, "http:abc", 1, 0, [("user", encode(UserMessage((Text("salut"),))))])

    await database.write(note)

    found = griot("events", "abc", "--json")

    [event] = json.loads(found.stdout)["events"]
    assert (event["event_type"], event["content"]) == ("user_message", "salut")
