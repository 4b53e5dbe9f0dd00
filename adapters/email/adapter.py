"""E-mail, by one SMTP server.

An e-mail is one delivery for all its recipients. Each attempt is one SMTP transaction for the
recipients whom it has not reached yet; the server answers for each of them separately.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from email.headerregistry import Address
from typing import Final

import msgspec

from adapters.email.message import make_message_id, write_message
from adapters.email.smtp import SmtpResult, SmtpServer, send_message
from bot.contracts.channels import UNLIMITED, Capabilities, Pace
from bot.errors import NotFound, OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.channels import EMAIL, Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Delivery, EmailBody, Preview, Sent

_MAX_SECONDS: Final = 840.0
"""Time-out of one attempt: RFC 5321, 4.5.3.2.6 gives servers ten minutes after the last byte."""
_FIRST_PAUSE: Final = 15.0
_LONGEST_PAUSE: Final = 1800.0
"""Seconds between attempts: greylisting needs some minutes, and RFC 5321, 4.5.4.1 asks for half an
hour later."""


class EmailAdapter:
    """Implements `bot.contracts.channels.Adapter`, for sending only.

    Args:
        sender: the address that e-mails come from.
        read_file: returns the bytes of a file by its id; raises `NotFound`.
        trusted: the certificates that are trusted; None: the system's.
    """

    name = "email"
    channel: Channel = EMAIL
    capabilities = Capabilities(
        max_text=UNLIMITED, media=(("*/*", UNLIMITED),), sender_pace=Pace(4.0, 8)
    )

    def __init__(
        self,
        server: SmtpServer,
        sender: Address,
        read_file: Callable[[str], Awaitable[bytes]],
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._read_file = read_file
        self._trusted = trusted

    async def fetch(self, attachment: Attachment) -> bytes:
        raise NotFound(f"No attachment {attachment.reference!r}.")

    async def deliver(self, delivery: Delivery) -> Sent:
        """Send an e-mail to the recipients whom it has not reached yet.

        Raises:
            RetryAt: some may be reached later; its `body` names them.
            Undeliverable: all refused it, or an attached file is gone.
            OutcomeUnknown: the server may have it.
        """
        body = delivery.body
        if not isinstance(body, EmailBody):
            raise Undeliverable("not an e-mail")
        message_id = make_message_id(delivery.lane, self._sender)
        try:
            files = [await self._read_file(each.file_id) for each in body.email.attachments]
        except NotFound:
            raise Undeliverable("a file that goes with it is gone") from None
        except ConnectionError as error:
            raise RetryAt(f"the files are out of reach ({type(error).__name__})") from None
        message = await asyncio.to_thread(
            write_message, body.email, self._sender, message_id, files
        )
        result = await self._send(body.left, message)
        if result.doubtful:
            raise OutcomeUnknown(result.error)
        refused = (*body.refused, *result.refused)
        body = msgspec.structs.replace(body, left=result.deferred, refused=refused)
        if body.left:
            pause = _FIRST_PAUSE * 2.0 ** min(delivery.attempt - 1, 20)
            rest = body if body != delivery.body else None
            raise RetryAt(result.error, after=min(pause, _LONGEST_PAUSE), body=rest)
        if len(refused) == len(body.email.to):
            raise Undeliverable(result.error)
        return Sent(message_id, body if refused else None)

    async def _send(self, recipients: tuple[str, ...], message: bytes) -> SmtpResult:
        sender = self._sender.addr_spec
        try:
            async with asyncio.timeout(_MAX_SECONDS):
                return await send_message(
                    self._server, sender, recipients, message, trusted=self._trusted
                )
        except TimeoutError:
            return SmtpResult(doubtful=recipients, error="no end in time")

    async def show(self, preview: Preview) -> None:
        """Do nothing: e-mail has no previews."""

    async def close(self) -> None: ...
