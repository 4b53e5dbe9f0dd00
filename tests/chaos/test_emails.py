"""E-mails through `kill -9`: a draft waits for consent, and each goes once."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from bot.app import open_app
from bot.contracts.storage import Database
from bot.messages.outgoing import SendEmail
from bot.settings import Settings
from tests.chaos.evidence import until_quiet
from tests.standins.mail import serve_mail
from tests.support.cluster import Cluster
from tests.support.queries import Like, change_rows, read_rows
from tests.support.site import chat_over_http
from tests.support.waiting import until

pytestmark = pytest.mark.chaos
EMAILS = 40
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
            rows = await read_rows(database, "outbox", lane=Like("email:%"))
            return [row["state"] for row in rows] == ["sent"]

        await until(sent)
        second.kill()
        await second.restart()
    assert [arrived.recipients for arrived in server.arrived] == [["kofi@example.org"]]


async def test_kills_among_many_emails_lose_none_and_repeat_none(
    cluster: Cluster, database: Database, tmp_path: Path
) -> None:
    async with serve_mail(tmp_path) as server:
        mail = {"SMTP_URL": server.url, "MAIL_FROM": "griot@example.org"}
        node = await cluster.start("serve", **mail)
        await _hand_over(cluster, EMAILS)
        for _ in range(6):
            await asyncio.sleep(0.7)
            node.kill()
            await node.restart()
        await until_quiet(database, 60)
    ids = [arrived.message["Message-ID"] for arrived in server.arrived]
    assert len(ids) == len(set(ids))
    rows = await read_rows(database, "outbox", lane=Like("email:%"))
    states = Counter(row["state"] for row in rows)
    assert states["sent"] + states["unknown"] == EMAILS
    assert {row["provider_id"] for row in rows if row["state"] == "sent"} <= set(ids)
    # A kill leaves those in doubt that were just handed over: the slower the machine, the more.
    assert states["sent"] >= EMAILS / 4


async def _hand_over(cluster: Cluster, number: int) -> None:
    """So many e-mails to be sent, each of its own lane."""
    values = {name.lower(): value for name, value in cluster.settings.items()}
    async with open_app(Settings.model_validate(values)) as app:
        for each in range(number):
            email = SendEmail((f"a{each}@example.org",), f"E-mail {each}", "Bonjour")
            await app.database.write(
                lambda tx, one=email: app.notifier.hand_over_email(tx, one, key=one.subject)
            )


async def _token(cluster: Cluster) -> str:
    values = {name.lower(): value for name, value in cluster.settings.items()}
    async with open_app(Settings.model_validate(values)) as app:
        return await app.people.issue_token("+2250701020304")
