"""The mail room: where tools hand letters in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bot.accounts import approvals
from bot.accounts.profile import email_of
from bot.contracts import Database, FileStore, Letter, ToolContext, Transaction
from bot.errors import ToolFailed
from bot.mail.addresses import parse_addresses
from bot.mail.letters import Body, New, draft_key, keep
from bot.mail.message import one_line
from bot.messages import AskApproval, ShareFile
from bot.settings import Settings
from bot.texts import say

MOST_FILES: Final = 10
MOST_BYTES: Final = 15_000_000
"""Of all files of a letter: in base64 a third more, still within what most servers take."""
_MOST_TEXT: Final = 100_000
_MOST_SUBJECT: Final = 200
_MARKUP = re.compile(r"[\\`*_~\[\]<>#$|&!]")
_ENTITIES = {"[": "&#91;", "]": "&#93;"}
"""A backslash before a bracket would begin a formula."""


class Room:
    """Implements `contracts.MailRoom`."""

    def __init__(self, database: Database, files: FileStore, settings: Settings) -> None:
        self._database = database
        self._files = files
        self._is_open = bool(settings.smtp_url and settings.mail_from)

    async def send_to_person(self, letter: Letter, context: ToolContext) -> None:
        """Send it to the person's own proven address, once a `context.key`.

        Raises:
            ToolFailed: no mail here, no proven address, not their file, or over a limit.
        """
        await self._look_through(letter, context)

        async def work(tx: Transaction) -> None:
            address = await email_of(tx, context.account)
            if not address:
                raise ToolFailed(
                    "The person has proven no e-mail address. Tell them to send /email and their "
                    "address, then the code that comes there."
                )
            body = Body((address,), letter.text, letter.html, letter.attachments)
            await keep(tx, _new(f"tool:{context.key}", letter, body, context))

        await self._database.write(work)

    async def draft(self, letter: Letter, to: Sequence[str], context: ToolContext) -> AskApproval:
        """Keep it until the person decides, and give what asks them; once a `context.key`.

        Raises:
            ToolFailed: no mail here, a wrong address, not their file, over a limit, or something
                else waits for their consent.
        """
        recipients = parse_addresses(to)
        files = await self._look_through(letter, context)

        async def work(tx: Transaction) -> AskApproval:
            answers_to = await email_of(tx, context.account)
            body = Body(recipients, letter.text, letter.html, letter.attachments, answers_to)
            shown = _show(context.person.language, letter, body, files)
            asked = await approvals.ask(tx, "email", shown, context)
            await keep(tx, _new(draft_key(asked.id), letter, body, context), draft=True)
            return asked

        return await self._database.write(work)

    async def _look_through(self, letter: Letter, context: ToolContext) -> list[ShareFile]:
        """The files that go with it. Raises `ToolFailed`: it cannot go."""
        if not self._is_open:
            raise ToolFailed("No mail is set up here: no e-mail can be sent. Say so.")
        if not one_line(letter.subject, _MOST_SUBJECT) or not letter.text.strip():
            raise ToolFailed("An e-mail needs a subject and a text.")
        if len(letter.text) > _MOST_TEXT or len(letter.html) > _MOST_TEXT:
            raise ToolFailed(
                f"The e-mail is longer than {_MOST_TEXT} characters: put it into a file."
            )
        if len(letter.attachments) > MOST_FILES:
            raise ToolFailed(f"attachments: {MOST_FILES} files at most.")
        files = [await self._files.share(context.account, each) for each in letter.attachments]
        if sum(file.size for file in files) > MOST_BYTES:
            raise ToolFailed(f"attachments: {MOST_BYTES // 1_000_000} MB at most in all.")
        return files


def _new(key: str, letter: Letter, body: Body, context: ToolContext) -> New:
    subject = one_line(letter.subject, _MOST_SUBJECT)
    return New(key, context.account, context.lane, subject, body)


def _show(language: str, letter: Letter, body: Body, files: Sequence[ShareFile]) -> str:
    """The whole letter as the person sees it before they decide, in Markdown."""
    lines = [
        say(language, "**To:** {addresses}", addresses=_escape(", ".join(body.to))),
        say(
            language,
            "**Subject:** {subject}",
            subject=_escape(one_line(letter.subject, _MOST_SUBJECT)),
        ),
    ]
    if body.reply_to:
        lines.append(say(language, "**Answers go to:** {address}", address=_escape(body.reply_to)))
    if files:
        names = _escape(", ".join(one_line(file.filename, 150) for file in files))
        lines.append(say(language, "**Attached:** {names}", names=names))
    return "  \n".join(lines) + f"\n\n---\n\n{letter.text}"


def _escape(text: str) -> str:
    """The text as it is, where Markdown is read."""
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), text)
