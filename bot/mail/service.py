"""E-mails that tools send or draft, and reminders by e-mail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.headerregistry import Address
from typing import Final

from bot.accounts import approvals
from bot.accounts.people import email_of
from bot.contracts.library import FileStore
from bot.contracts.services import Email, ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.i18n import say
from bot.mail.emails import EmailBody, NewEmail, find_email_state, make_draft_key, store_email
from bot.mail.message import make_message_id, make_one_line, parse_addresses
from bot.messages.outgoing import AskApproval, ShareFile
from bot.settings import Settings

MAX_FILES: Final = 10
MAX_BYTES: Final = 15_000_000
"""Bytes of all files of an e-mail: in base64 a third more, which most servers take."""
_MAX_TEXT: Final = 100_000
_MAX_SUBJECT: Final = 200
_MARKUP = re.compile(r"[\\`*_~\[\]<>#$|&!]")
_ENTITIES = {"[": "&#91;", "]": "&#93;"}
"""A backslash before a bracket would begin a formula."""


class EmailService:
    """Implements `bot.contracts.services.EmailService`."""

    def __init__(self, database: Database, files: FileStore, settings: Settings) -> None:
        self._database = database
        self._files = files
        self._is_open = bool(settings.smtp_url and settings.mail_from)

    async def send_to_person(self, email: Email, context: ToolContext) -> None:
        """Send it to the person's own proven address, once a `context.key`.

        Raises:
            ToolFailed: no mail here, no proven address, not their file, or over a limit.
        """
        await self._check_email(email, context)

        async def work(tx: Transaction) -> None:
            address = await email_of(tx, context.account)
            if not address:
                raise ToolFailed(
                    "The person has proven no e-mail address. Tell them to send /email and their "
                    "address, then the code that comes there."
                )
            body = EmailBody((address,), email.text, email.html, email.attachments)
            await store_email(tx, _make_email(f"tool:{context.key}", email, body, context))

        await self._database.write(work)

    async def draft(self, email: Email, to: Sequence[str], context: ToolContext) -> AskApproval:
        """Keep it until the person decides, and give what asks them; once a `context.key`.

        Raises:
            ToolFailed: no mail here, a wrong address, not their file, over a limit, or something
                else waits for their consent.
        """
        recipients = parse_addresses(to)
        files = await self._check_email(email, context)

        async def work(tx: Transaction) -> AskApproval:
            answers_to = await email_of(tx, context.account)
            body = EmailBody(recipients, email.text, email.html, email.attachments, answers_to)
            shown = _show_draft(context.person.language, email, body, files)
            asked = await approvals.ask(tx, "email", shown, context)
            await store_email(
                tx, _make_email(make_draft_key(asked.id), email, body, context), draft=True
            )
            return asked

        return await self._database.write(work)

    async def _check_email(self, email: Email, context: ToolContext) -> list[ShareFile]:
        """The files that go with it. Raises `ToolFailed`: it cannot go."""
        if not self._is_open:
            raise ToolFailed("No mail is set up here: no e-mail can be sent. Say so.")
        if not make_one_line(email.subject, _MAX_SUBJECT) or not email.text.strip():
            raise ToolFailed("An e-mail needs a subject and a text.")
        if len(email.text) > _MAX_TEXT or len(email.html) > _MAX_TEXT:
            raise ToolFailed(
                f"The e-mail is longer than {_MAX_TEXT} characters: put it into a file."
            )
        if len(email.attachments) > MAX_FILES:
            raise ToolFailed(f"attachments: {MAX_FILES} files at most.")
        files = [await self._files.share(context.account, each) for each in email.attachments]
        if sum(file.size for file in files) > MAX_BYTES:
            raise ToolFailed(f"attachments: {MAX_BYTES // 1_000_000} MB at most in all.")
        return files


def _make_email(key: str, email: Email, body: EmailBody, context: ToolContext) -> NewEmail:
    subject = make_one_line(email.subject, _MAX_SUBJECT)
    return NewEmail(key, context.account, context.lane, subject, body)


def _show_draft(language: str, email: Email, body: EmailBody, files: Sequence[ShareFile]) -> str:
    """The whole e-mail as the person sees it before they decide, in Markdown."""
    lines = [
        say(language, "**To:** {addresses}", addresses=_escape(", ".join(body.to))),
        say(
            language,
            "**Subject:** {subject}",
            subject=_escape(make_one_line(email.subject, _MAX_SUBJECT)),
        ),
    ]
    if body.reply_to:
        lines.append(say(language, "**Answers go to:** {address}", address=_escape(body.reply_to)))
    if files:
        names = _escape(", ".join(make_one_line(file.filename, 150) for file in files))
        lines.append(say(language, "**Attached:** {names}", names=names))
    return "  \n".join(lines) + f"\n\n---\n\n{email.text}"


def _escape(text: str) -> str:
    """The text as it is, where Markdown is read."""
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), text)


MAX_REMINDER_SUBJECT: Final = 200


class ReminderEmails:
    """Reminders by e-mail.

    Args:
        sender: whom they come from; None: no mail is set up.
    """

    def __init__(self, sender: Address | None) -> None:
        self._sender = sender

    async def keep(
        self, tx: Transaction, *, account: int, subject: str, text: str, key: str
    ) -> None:
        """Have this posted to the account's proven address, once a key.

        Raises:
            ToolFailed: it has none, no mail is set up, or it has had too many e-mails today.
        """
        address = await email_of(tx, account)
        if self._sender is None or not address:
            raise ToolFailed("There is no way to them by e-mail.")
        title = make_one_line(subject, MAX_REMINDER_SUBJECT)
        await store_email(tx, NewEmail(key, account, "", title, EmailBody((address,), text)))

    async def find_outcome(self, tx: Transaction, key: str) -> tuple[str, str]:
        """Return its state: `pending`, `sent` (with its Message-ID), `refused` or `unknown`."""
        state = await find_email_state(tx, key)
        known = state if state in {"sent", "refused", "unknown"} else "pending"
        sent = known == "sent" and self._sender is not None
        return known, make_message_id(key, self._sender) if sent and self._sender else ""
