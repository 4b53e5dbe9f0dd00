from __future__ import annotations

import json
from typing import Any

import pytest

from bot.contracts.storage import Database
from bot.gateway.inbound.inbox import Inbox
from bot.gateway.turns.journal import append_rows
from bot.messages.incoming import Said, Sender, Update
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode
from tests.cli.terminal import Run
from tests.support.databases import on_sqlite


async def _note(database: Database, lane: str) -> None:
    async def work(tx: Any) -> None:
        await append_rows(tx, lane, 1, 0, [("user", encode(UserMessage((Text("salut"),))))])

    await database.write(work)


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_bare_id_means_a_session_over_http(griot: Run, database: Database) -> None:
    await _note(database, "http:abc")

    found = griot("events", "abc", "--json")

    [event] = json.loads(found.stdout)["events"]
    assert (event["event_type"], event["content"]) == ("user_message", "salut")


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_lane_is_read_by_its_own_name(griot: Run, database: Database) -> None:
    await _note(database, "telegram:123:4")

    found = griot("events", "telegram:123:4")

    assert (found.returncode, "salut" in found.stdout) == (0, True)


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_conversation_of_commands_only_is_known_and_empty(
    griot: Run, database: Database
) -> None:
    content = Said("/help")
    update = Update("http", "http", "abc", Sender("guest:1"), "k", "k", content)
    await Inbox(database).store([update])

    found = griot("events", "abc", "--json")

    assert (found.returncode, json.loads(found.stdout)) == (0, {"events": []})


@pytest.mark.parametrize("name", ["nobody", "telegram:1"])
def test_an_unknown_conversation_is_one_clear_line(griot: Run, name: str) -> None:
    found = griot("events", name, "--json")

    assert (found.returncode, found.stdout) == (1, "")
    [line] = found.stderr.splitlines()
    assert f"There is no conversation '{name}'" in line
