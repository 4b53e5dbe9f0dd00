"""Send e-mails for tools and reminders, keep drafts, and tell the writer when one is refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, cast

import msgspec
import structlog

from bot.accounts import approvals
from bot.accounts.email_addresses import parse_addresses
from bot.accounts.people import People, email_of, language_of
from bot.contracts.services import Email, ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.files.store import FileStore
from bot.gateway.deliveries import State
from bot.gateway.delivery.notify import Notifier
from bot.i18n import say
from bot.markdown import make_parser
from bot.messages.channels import PUSH_CHANNELS, Channel
from bot.messages.outgoing import AskApproval, Body, EmailBody, Say, SendEmail, ShareFile
from bot.messages.value import decode, encode
from bot.render.renderer import escape_markdown
from bot.typography import to_one_line

MAX_FILES: Final = 10
MAX_BYTES: Final = 15_000_000
"""Bytes of all files of an e-mail: in base64 a third more, which most servers take."""
MAX_PER_DAY: Final = 100
"""E-mails of one account on a day (UTC), including drafts."""
_MAX_TEXT: Final = 100_000
_MAX_SUBJECT: Final = 200
_MOST_NAMED: Final = 3
log = structlog.get_logger()


class EmailService:
    """Implements `bot.contracts.services.EmailService`; sends drafts and reminders as well."""

    def __init__(
        self, database: Database, people: People, notifier: Notifier, files: FileStore
    ) -> None:
        self._database = database
        self._people = people
        self._notifier = notifier
        self._files = files

    async def put_to_person(
        self, tx: Transaction, email: SendEmail, *, account: int, key: str
    ) -> int | None:
        """Send an e-mail to the account's proven address instead of `email.to`, once a key.

        Returns:
            The number of its turn; None if the key was used before.

        Raises:
            ToolFailed: no mail is set up, they have proven no address, or have had `MAX_PER_DAY`
                e-mails today.
        """
        if not self._notifier.has_email:
            raise ToolFailed("No mail is set up here: no e-mail can be sent. Say so.")
        address = await email_of(tx, account)
        if not address:
            raise ToolFailed(
                "The person has proven no e-mail address. Tell them to send /email and their "
                "address, then the code that comes there."
            )
        email = msgspec.structs.replace(email, to=(address,), account=account)
        turn = await self._notifier.hand_over_email(tx, email, key=key)
        if turn is not None:
            await self._count(tx, account)
        return turn

    async def send_to_person(self, email: Email, context: ToolContext) -> None:
        """Send an e-mail to the person's own proven address, once a `context.key`.

        Raises:
            ToolFailed: no mail here, no proven address, not their file, or over a limit.
        """
        files = await self._check(email, context)
        sent = _write(email, (), files, context)
        key = f"tool:{context.key}"
        await self._database.write(
            lambda tx: self.put_to_person(tx, sent, account=context.account, key=key)
        )

    async def draft(self, email: Email, to: Sequence[str], context: ToolContext) -> AskApproval:
        """Store an e-mail until the person decides on it, once a `context.key`.

        Returns the request for their consent.

        Raises:
            ToolFailed: no mail here, a wrong address, not their file, over a limit, or another
                request waits for their consent.
        """
        recipients = parse_addresses(to)
        files = await self._check(email, context)

        async def work(tx: Transaction) -> AskApproval:
            draft = _write(email, recipients, files, context)
            draft = msgspec.structs.replace(draft, reply_to=await email_of(tx, context.account))
            shown = _show_draft(context.person.language, draft)
            await self._count(tx, context.account)
            return await approvals.ask(tx, "email", shown, context, payload=encode(draft))

        return await self._database.write(work)

    async def send_draft(self, tx: Transaction, approval: str, draft: str) -> None:
        """Send an approved draft as the person saw it, in the transaction of their decision."""
        email = decode(draft, SendEmail)
        await self._notifier.hand_over_email(tx, email, key=f"draft:{approval}")

    async def _count(self, tx: Transaction, account: int) -> None:
        if not await self._people.allow_email(tx, account, MAX_PER_DAY):
            raise ToolFailed(
                f"The person has written {MAX_PER_DAY} e-mails today, which is the most. "
                "More can go tomorrow."
            )

    async def _check(self, email: Email, context: ToolContext) -> tuple[ShareFile, ...]:
        """Check an e-mail; return its files. Raises `ToolFailed`: it cannot be sent."""
        if not self._notifier.has_email:
            raise ToolFailed("No mail is set up here: no e-mail can be sent. Say so.")
        if not to_one_line(email.subject, _MAX_SUBJECT) or not email.text.strip():
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
        return tuple(files)


async def tell_of_bounce(
    tx: Transaction, notifier: Notifier, lane: str, body: Body, state: State
) -> None:
    """Tell the writer of an e-mail once, within the caller's transaction, which addresses refused
    it: in the channel in which they asked for it, else in another that can be used."""
    if not isinstance(body, EmailBody) or body.email.account is None:
        return
    refused = (*body.refused, *body.left) if state == "refused" else body.refused
    if not refused:
        return
    account = body.email.account
    words = Say(_describe_bounces(await language_of(tx, account), body.email.subject, refused))
    channels = _list_channels(body.email.asked_in)
    place = await notifier.find_first_or_wait(tx, channels, account=account)
    if place is None:
        log.warning("email_unreachable", lane=lane)
        return
    await notifier.hand_over(tx, place, [words], key=f"notice:{lane}")


def _describe_bounces(language: str, subject: str, refused: Sequence[str]) -> str:
    named = ", ".join(f"`{address}`" for address in refused[:_MOST_NAMED])
    return say(
        language,
        "The e-mail “{subject}” could not be delivered to {addresses}.",
        subject=escape_markdown(subject),
        addresses=f"{named}…" if len(refused) > _MOST_NAMED else named,
    )


def _list_channels(asked_in: str) -> list[Channel]:
    first = cast("Channel", asked_in.partition(":")[0])
    return [each for each in dict.fromkeys((first, *PUSH_CHANNELS)) if each in PUSH_CHANNELS]


def _write(
    email: Email, to: tuple[str, ...], files: tuple[ShareFile, ...], context: ToolContext
) -> SendEmail:
    return SendEmail(
        to,
        to_one_line(email.subject, _MAX_SUBJECT),
        email.text,
        email.html,
        files,
        account=context.account,
        asked_in=context.lane,
    )


def _show_draft(language: str, draft: SendEmail) -> str:
    """Write the whole e-mail as the person sees it before they decide, in Markdown."""
    to, subject = escape_markdown(", ".join(draft.to)), escape_markdown(draft.subject)
    lines = [
        say(language, "**To:** {addresses}", addresses=to),
        say(language, "**Subject:** {subject}", subject=subject),
    ]
    if draft.reply_to:
        lines.append(
            say(language, "**Answers go to:** {address}", address=escape_markdown(draft.reply_to))
        )
    else:
        lines.append(say(language, "**Answers:** not to you; send /email first to get them"))
    if draft.attachments:
        names = ", ".join(to_one_line(file.filename, 150) for file in draft.attachments)
        lines.append(say(language, "**Attached:** {names}", names=escape_markdown(names)))
    text = draft.text
    if _hides_addresses(text):  # the source, as readers of plain text get it
        text = "  \n".join(map(escape_markdown, text.splitlines()))
    return "  \n".join(lines) + f"\n\n---\n\n{text}"


_PARSER: Final = make_parser()


def _hides_addresses(text: str) -> bool:
    """Return whether a chat may show a Markdown text without words that its readers get: where a
    link or a picture leads, or the language of a code block."""
    blocks = _PARSER.parse(text)
    return any(
        token.type == "image"
        or (token.type == "fence" and token.info)
        or (token.type == "link_open" and token.info != "auto")
        for token in chain(blocks, *(block.children or () for block in blocks))
    )
