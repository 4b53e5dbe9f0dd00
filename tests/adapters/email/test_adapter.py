"""An e-mail goes to each recipient once, whatever the server says to each of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from adapters.email.adapter import EmailAdapter
from adapters.email.smtp import parse_smtp_url
from bot.accounts.email_addresses import parse_sender
from bot.errors import NotFound, OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.outgoing import Delivery, EmailBody, SendEmail, ShareFile, TextBody
from tests.standins.mail import MailServer, Moment, serve_mail

AWA, KOFI, IDA = "awa@example.org", "kofi@example.org", "ida@example.org"
PDF = ShareFile("f1", "reçu.pdf", "application/pdf", 4)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[MailServer]:
    async with serve_mail(tmp_path, tls="offered") as server:
        yield server


async def read_file(file_id: str) -> bytes:
    if file_id == "away":
        raise ConnectionError("the store is away")
    if file_id != "f1":
        raise NotFound("gone")
    return b"%PDF"


@pytest.fixture
def adapter(server: MailServer) -> EmailAdapter:
    sender = parse_sender("Griot <griot@example.org>")
    return EmailAdapter(parse_smtp_url(server.url), sender, read_file, server.trusted)


def to(*recipients: str, attempt: int = 1, **more: Any) -> Delivery:
    email = SendEmail(recipients, "Bonjour", "Bonjour", **more)
    body = EmailBody(email, left=recipients)
    return Delivery(5, "email:7/ab", "7/ab", body, attempt)


async def test_it_is_sent_with_its_files(server: MailServer, adapter: EmailAdapter) -> None:
    sent = await adapter.deliver(to(AWA, KOFI, attachments=(PDF,)))
    [arrived] = server.arrived
    assert (arrived.sender, arrived.recipients) == ("griot@example.org", [AWA, KOFI])
    assert arrived.message["From"] == "Griot <griot@example.org>"
    assert (sent.provider_id, sent.body) == (arrived.message["Message-ID"], None)
    [file] = arrived.message.iter_attachments()
    assert (file.get_filename(), file.get_payload(decode=True)) == ("reçu.pdf", b"%PDF")


async def test_each_attempt_has_the_same_id(server: MailServer, adapter: EmailAdapter) -> None:
    first = await adapter.deliver(to(AWA))
    again = await adapter.deliver(to(AWA, attempt=2))
    other = await adapter.deliver(replace(to(AWA), lane="email:7/cd"))
    assert first.provider_id == again.provider_id != other.provider_id
    assert len(server.arrived) == 3


@pytest.mark.parametrize(("attempt", "pause"), [(1, 15), (2, 30), (3, 60), (99, 1800)])
async def test_what_is_deferred_is_tried_later_and_later(
    server: MailServer, adapter: EmailAdapter, attempt: int, pause: float
) -> None:
    server.answers["MAIL"] = ["451 later"]
    with pytest.raises(RetryAt) as failed:
        await adapter.deliver(to(AWA, attempt=attempt))
    assert (failed.value.after, failed.value.body) == (pause, None)


async def test_a_server_that_is_down_is_tried_again(
    server: MailServer, adapter: EmailAdapter
) -> None:
    server.hangs_up = ["MAIL"]
    with pytest.raises(RetryAt):
        await adapter.deliver(to(AWA))
    assert await adapter.deliver(to(AWA))


async def test_only_those_are_tried_again_whom_it_has_not_reached(
    server: MailServer, adapter: EmailAdapter
) -> None:
    server.answers = {KOFI: ["450 later"], IDA: ["550 no such user"]}
    whole = to(AWA, KOFI, IDA)
    with pytest.raises(RetryAt) as failed:
        await adapter.deliver(whole)
    rest = failed.value.body
    assert isinstance(rest, EmailBody)
    assert (rest.left, rest.refused) == ((KOFI,), (IDA,))
    sent = await adapter.deliver(replace(whole, body=rest, attempt=2))
    assert sent.body == replace(rest, left=())
    first, second = server.arrived
    assert (first.recipients, second.recipients) == ([AWA], [KOFI])
    assert first.message["To"] == second.message["To"] == f"{AWA}, {KOFI}, {IDA}"


async def test_what_all_refuse_is_refused(server: MailServer, adapter: EmailAdapter) -> None:
    server.answers = {AWA: ["550 no such user"], KOFI: ["550 nor this one"]}
    with pytest.raises(Undeliverable, match="550 nor this one"):
        await adapter.deliver(to(AWA, KOFI))


@pytest.mark.parametrize("moment", ["DATA", "END"])
async def test_what_may_have_arrived_is_in_doubt(
    server: MailServer, adapter: EmailAdapter, moment: Moment
) -> None:
    server.hangs_up = [moment]
    with pytest.raises(OutcomeUnknown):
        await adapter.deliver(to(AWA))


async def test_without_its_file_it_does_not_go(server: MailServer, adapter: EmailAdapter) -> None:
    with pytest.raises(Undeliverable, match="gone"):
        await adapter.deliver(to(AWA, attachments=(replace(PDF, file_id="f2"),)))
    with pytest.raises(RetryAt):
        await adapter.deliver(to(AWA, attachments=(replace(PDF, file_id="away"),)))
    assert server.connections == 0


async def test_it_carries_nothing_else(adapter: EmailAdapter) -> None:
    with pytest.raises(Undeliverable):
        await adapter.deliver(replace(to(AWA), body=TextBody("hello")))
    assert adapter.capabilities.resend == "never"
