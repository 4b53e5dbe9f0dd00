"""E-mails that Griot has to send, and a channel that takes them."""

from __future__ import annotations

from bot.messages.channels import EMAIL
from bot.messages.incoming import Notice, Update
from bot.messages.outgoing import EmailBody, SendEmail
from bot.messages.value import decode
from tests.support.fakes import FakeChannel
from tests.support.queries import Like, Source, read_rows


def make_email() -> FakeChannel:
    return FakeChannel(EMAIL, EMAIL)


async def read_emails(source: Source) -> list[SendEmail]:
    """The e-mails that were to be sent, in order."""
    rows = await read_rows(source, "inbox", order_by="seq", lane=Like(f"{EMAIL}:%"))
    contents = [decode(row["body"], Update).content for row in rows]
    said = [each for one in contents if isinstance(one, Notice) for each in one.outgoing]
    return [each for each in said if isinstance(each, SendEmail)]


def list_emails(channel: FakeChannel) -> list[SendEmail]:
    """The e-mails that the channel took, in order."""
    bodies = [delivery.body for delivery in channel.delivered]
    return [body.email for body in bodies if isinstance(body, EmailBody)]
