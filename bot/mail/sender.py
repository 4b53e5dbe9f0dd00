"""Send the e-mails that are due; every process that runs lanes does so.

An e-mail belongs to one process from the transaction that marks it `attempting`, before anything is
connected; that process stores the outcome. An e-mail whose process died is `unknown`, and is never
sent again without knowing.
"""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from email.headerregistry import Address
from typing import Final

import msgspec
import structlog

from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound
from bot.files.store import FileStore
from bot.mail import emails
from bot.mail.emails import AttemptResult, StoredEmail
from bot.mail.message import EmailAttachment, write_message
from bot.mail.smtp import SmtpResult, SmtpServer, send_message
from bot.observability import Metrics
from bot.periodic import PeriodicTask, cancel_tasks

LOOK_EVERY: Final = 0.5
"""Seconds between two looks at what is due."""
_AT_ONCE: Final = 4
"""E-mails that one process sends side by side."""
_MAX_SECONDS: Final = 840.0
"""For one attempt: less than its lease."""
_MAX_PAUSE: Final = 1800.0
log = structlog.get_logger()
OnRefused = Callable[[Transaction, StoredEmail, tuple[str, ...]], Awaitable[None]]
"""Called in a transaction with the e-mail and the recipients that it will never reach."""


@dataclass(frozen=True, slots=True)
class SmtpConfig:
    """The SMTP server, the sender's address, and which certificates to trust."""

    server: SmtpServer
    sender: Address
    trusted: ssl.SSLContext | None = None
    """Which certificates of the server are believed; None: the system's."""


class EmailSender:
    """
    Args:
        on_refused: called for each e-mail of an account that some recipients refused.
        fill_in: inserts the one-time code of an id into a text.
        jitter: a number from 0 to 1 by which pauses differ.
    """

    def __init__(
        self,
        database: Database,
        files: FileStore,
        smtp: SmtpConfig,
        on_refused: OnRefused,
        metrics: Metrics,
        *,
        fill_in: Callable[[str, str], str] = lambda text, _: text,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._files = files
        self._smtp = smtp
        self._on_refused = on_refused
        self._metrics = metrics
        self._fill_in = fill_in
        self._jitter = jitter
        self._poll = PeriodicTask("sending e-mails", self._start_due, after_failure=LOOK_EVERY)
        self._sending: set[asyncio.Task[bool]] = set()

    def start(self) -> None:
        self._poll.start()

    async def stop(self, seconds: float) -> None:
        """Take no more e-mails, and let those under way end for `seconds`; the rest is in doubt."""
        await self._poll.stop()
        if self._sending:
            await asyncio.wait(self._sending, timeout=seconds)
        await cancel_tasks(self._sending)

    async def send_next(self) -> bool:
        """Send the e-mail that is due longest. Returns whether there was one."""
        email = await self._database.write(emails.claim_due_email)
        if email is None:
            return False
        try:
            message = await self._write(email)
        except NotFound:
            result = SmtpResult(refused=email.left, error="a file that goes with it is gone")
        except Exception as error:  # it has surely not left, so it must not stay in doubt
            log.exception("email_unwritten", email=email.id)
            result = SmtpResult(deferred=email.left, error=type(error).__name__)
        else:
            result = await self._send(email, message)
        await self._record(email, self._decide(email, result))
        return True

    async def count_lost(self) -> None:
        """Mark and count e-mails whose process died while it sent them."""
        for email in await self._database.write(emails.mark_lost_emails):
            log.warning("email", outcome="unknown", email=email, code="its process ended")
            self._metrics.letters("unknown").inc()

    async def _start_due(self) -> float:
        if due := await self._database.read(emails.count_due_emails):
            await self.count_lost()
            for _ in range(min(due, _AT_ONCE - len(self._sending))):
                task = asyncio.create_task(self.send_next(), name="email")
                self._sending.add(task)
                task.add_done_callback(self._note_end)
        return LOOK_EVERY

    def _note_end(self, task: asyncio.Task[bool]) -> None:
        self._sending.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("email_unrecorded", exc_info=error)

    async def _write(self, email: StoredEmail) -> bytes:
        """The message with its files. Raises `NotFound`: one of them is gone."""
        attachments = [await self._fetch(email, each) for each in email.body.attachments]
        if code_id := email.body.code_id:
            text = self._fill_in(email.body.text, code_id)
            email = replace(email, body=msgspec.structs.replace(email.body, text=text))
        return await asyncio.to_thread(write_message, email, self._smtp.sender, attachments)

    async def _send(self, email: StoredEmail, message: bytes) -> SmtpResult:
        smtp = self._smtp
        try:
            async with asyncio.timeout(_MAX_SECONDS):
                return await send_message(
                    smtp.server, smtp.sender.addr_spec, email.left, message, trusted=smtp.trusted
                )
        except TimeoutError:
            return SmtpResult(doubtful=email.left, error="no end in time")

    async def _fetch(self, email: StoredEmail, file_id: str) -> EmailAttachment:
        """The file, if it is still the account's own. Raises `NotFound`."""
        file = await self._files.find_own(email.account or 0, file_id)
        return EmailAttachment(file.name, file.mime_type, await self._files.read(file_id))

    def _decide(self, email: StoredEmail, result: SmtpResult) -> AttemptResult:
        """Decide what follows: sent, tried again for the rest, or given up."""
        refused = (*email.refused, *result.refused)
        if result.doubtful:
            return AttemptResult("unknown", result.doubtful, refused, result.error)
        if result.deferred and email.age < emails.RETRY_SECONDS:
            return AttemptResult(
                "pending", result.deferred, refused, result.error, self._pause(email.attempt)
            )
        refused += result.deferred
        if len(refused) < len(email.body.to):
            return AttemptResult("sent", (), refused, result.error)
        return AttemptResult("refused", (), refused, result.error)

    def _pause(self, attempt: int) -> float:
        """Greylisting wants some minutes; RFC 5321, 4.5.4.1 half an hour once it takes longer."""
        pause = min(15.0 * 2.0 ** min(attempt - 1, 20), _MAX_PAUSE)
        return pause * (0.5 + self._jitter() / 2)

    async def _record(self, email: StoredEmail, ending: AttemptResult) -> None:
        async def work(tx: Transaction) -> bool:
            if not await emails.record_attempt(tx, email, ending):
                return False
            if ending.refused and ending.state != "pending" and email.account is not None:
                await self._on_refused(tx, email, ending.refused)
            return True

        if not await self._database.write(work):
            return
        outcome = "retry" if ending.state == "pending" else ending.state
        self._metrics.letters(outcome).inc()
        if outcome != "sent":
            code = ending.error.partition(" ")[0]
            log.warning("email", outcome=outcome, email=email.id, code=code)
