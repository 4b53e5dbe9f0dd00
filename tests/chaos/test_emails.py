"""A letter waits for consent through `kill -9`, and goes once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.app import open_app
from bot.contracts.storage import Database
from bot.settings import Settings
from tests.standins.mail import serve_mail
from tests.support.cluster import Cluster
from tests.support.queries import change_rows, read_row
from tests.support.site import chat_over_http
from tests.support.waiting import until

pytestmark = pytest.mark.chaos
LETTER = {"to": ["kofi@example.org"], "subject": "Facture 12", "text": "Payée."}
DRAFTING = json.dumps([{"tool_calls": [{"name": "draft_email", "arguments": LETTER}]}])


async def test_a_letter_goes_once_whoever_is_killed(
    cluster: Cluster, database: Database, tmp_path: Path
) -> None:
    async with serve_mail(tmp_path) as server:
        mail = {"SMTP_URL": server.url, "MAIL_FROM": "griot@example.org"}
        first = await cluster.start("serve", DEBUG_MOCK_RESPONSES=DRAFTING, **mail)
        token = await _token(cluster)
        await change_rows(database, "account", {"mode": "pro"})
        asked = await chat_over_http(first.url, token, {"message": "write to Kofi"})
        approval = next(fields for name, fields in asked if name == "awaiting_approval")
        assert (approval["kind"], asked[-1]) == ("email", ("end", {"reason": "awaiting_approval"}))
        assert server.arrived == []
        first.kill()
        second = await cluster.start("serve", DEBUG_MOCK_RESPONSES='["Sent."]', **mail)
        decision = {"id": approval["id"], "choice": "approve"}
        done = await chat_over_http(second.url, token, {"decision": decision})
        assert done[-1] == ("end", {"reason": "answered"})

        async def sent() -> bool:
            row = await read_row(database, "email")
            return row["state"] == "sent"

        await until(sent)
        second.kill()
        await second.restart()
    assert [arrived.recipients for arrived in server.arrived] == [["kofi@example.org"]]


async def _token(cluster: Cluster) -> str:
    values = {name.lower(): value for name, value in cluster.settings.items()}
    async with open_app(Settings.model_validate(values)) as app:
        return await app.people.issue_token("+2250701020304")
