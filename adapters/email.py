"""E-mail, by one SMTP server.

An e-mail is one delivery for all its recipients. Each attempt is one SMTP transaction for the
recipients whom it has not reached yet; the server answers for each of them separately. Until the
server has the whole message it has nothing; once it answers 250 it has all of it (RFC 5321, 4.1.1.4
and 4.2.5, https://www.rfc-editor.org/rfc/rfc5321). In between the outcome is not known: a
repetition may send it twice (RFC 1047), so such an e-mail is in doubt.

The message has text, HTML and attachments (RFC 5322). Header fields are written by `email.message`:
names in French in encoded words (RFC 2047) and extended parameters (RFC 2231). Text that a person
or a model wrote cannot begin another header: it is put on one line, without control characters.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email import policy
from email.headerregistry import Address
from email.message import EmailMessage
from html import escape
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec
import nh3
from aiosmtplib import (
    SMTP,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)
from markdown_it.token import Token

from bot.contracts.channels import UNLIMITED, Adapter, Capabilities, Pace
from bot.contracts.storage import ReadFile
from bot.errors import NotFound, OutcomeUnknown, RetryAt, SettingsError, Undeliverable
from bot.formulas.line_text import replace_formulas, to_line
from bot.markdown import make_parser
from bot.messages.channels import EMAIL, Channel
from bot.messages.outgoing import Delivery, EmailBody, SendEmail, Sent
from bot.typography import to_one_line

_ATTEMPT_SECONDS: Final = 840.0
"""Time-out of one attempt: RFC 5321, 4.5.3.2.6 gives servers ten minutes after the last byte."""
_FIRST_PAUSE: Final = 15.0
_LONGEST_PAUSE: Final = 1800.0
"""Seconds between attempts: greylisting needs some minutes, and RFC 5321, 4.5.4.1 asks for half an
hour later."""
_MAX_SUBJECT = 200
_MIME_TYPE = re.compile(
    r"(?!message/|multipart/)([a-z0-9][\w.+-]{0,60})/([a-z0-9][\w.+-]{0,90})", re.ASCII
)
_POLICY = policy.SMTP.clone(cte_type="7bit", raise_on_defect=False)
"""Seven bits: 8BITMIME is an extension that not every server on the way has."""
_HEAD = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head>'
_CLEANER = nh3.Cleaner(
    tags={
        "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "b", "i",
        "u", "s", "a", "h1", "h2", "h3", "h4", "h5", "h6", "div", "span", "table", "thead",
        "tbody", "tr", "th", "td",
    },
    attributes={
        "a": {"href"}, "ol": {"start"}, "td": {"colspan", "align"}, "th": {"colspan", "align"},
    },
    set_tag_attribute_values={"table": {"border": "1", "cellpadding": "6", "cellspacing": "0"}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)  # fmt: skip
"""Removes pictures: a remote one tells its owner when and where the e-mail is read."""
_COMMAND_SECONDS: Final = 30.0
_DATA_SECONDS: Final = 600.0
"""RFC 5321, 4.5.3.2.6: servers may take ten minutes to confirm that they have the message."""
_LOGIN_REFUSED: Final = (530, 535)
"""Codes for a missing or wrong login (RFC 4954, 6), which the operator has to mend; they say
nothing about the e-mail."""
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_URL_FORM: Final = (
    "SMTP_URL: write smtp://user:password@host:port, or smtps://… where TLS comes first"
)


class EmailAdapter(Adapter):
    """Sends e-mails by SMTP; none are received.

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
        read_file: ReadFile,
        trusted: ssl.SSLContext | None = None,
    ) -> None:
        self._server = server
        self._sender = sender
        self._read_file = read_file
        self._trusted = trusted

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
            async with asyncio.timeout(_ATTEMPT_SECONDS):
                return await send_message(
                    self._server, sender, recipients, message, trusted=self._trusted
                )
        except TimeoutError:
            return SmtpResult(doubtful=recipients, error="no end in time")


# The message --------------------------------------------------------------------------------------


def make_message_id(lane: str, sender: Address) -> str:
    """Return the Message-ID of this lane's e-mail, the same at each attempt."""
    return f"<{hashlib.sha256(lane.encode()).hexdigest()[:40]}@{sender.domain}>"


def write_message(
    email: SendEmail, sender: Address, message_id: str, attachments: Sequence[bytes]
) -> bytes:
    """Return the whole message, with CRLF at the end of each line, none longer than servers take.

    Args:
        attachments: the bytes of the files of `email.attachments`, in their order.
    """
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = [Address(addr_spec=address) for address in email.to]
    if email.reply_to:
        message["Reply-To"] = Address(addr_spec=email.reply_to)
    message["Subject"] = to_one_line(email.subject, _MAX_SUBJECT)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = message_id
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834, 5: no absence notes in answer
    text = _clean_text(email.text)
    message.set_content(replace_formulas(text))
    html = _clean_text(email.html) if email.html else _render_markdown(text)
    message.add_alternative(
        f"{_HEAD}\n<body>\n{_CLEANER.clean(html)}\n</body></html>\n", subtype="html"
    )
    for file, content in zip(email.attachments, attachments, strict=True):
        kind = _MIME_TYPE.fullmatch(file.mime_type.lower())
        main, sub = kind.groups() if kind else ("application", "octet-stream")
        message.add_attachment(
            content, maintype=main, subtype=sub, filename=to_one_line(file.filename, 150)
        )
    return message.as_bytes()


def _render_markdown(text: str) -> str:
    """Return the HTML of a text: formulas as lines, sides of cells as old clients know them."""
    parser = make_parser()
    parser.options["breaks"] = True
    parser.add_render_rule("maths", _render_maths)
    parser.add_render_rule("maths_block", _render_maths)
    tokens = parser.parse(text)
    for token in tokens:
        if style := str(token.attrs.pop("style", "")):
            token.attrs["align"] = style.removeprefix("text-align:")
    return parser.renderer.render(tokens, parser.options, {})


def _render_maths(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    line = escape(to_line(tokens[index].content))
    return line if tokens[index].type == "maths" else f"<p>{line}</p>\n"


def _clean_text(text: str) -> str:
    """Remove control characters and lone surrogates, which an e-mail must not hold."""
    kept = "".join(c for c in text if c in "\n\t" or c.isprintable() or c.isspace())
    return "\n".join(kept.splitlines()) + "\n"


# SMTP ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """An SMTP server, with the login."""

    host: str
    port: int
    tls: bool
    """Whether TLS begins with the first byte; otherwise by STARTTLS, where it is offered."""
    user: str = ""
    password: str = field(default="", repr=False)


def parse_smtp_url(url: str) -> SmtpServer:
    """Return the server of `SMTP_URL`; user and password are percent-decoded.

    Without a port: 465 with TLS, 587 with a user (RFC 8314, 3.3; RFC 6409, 3.1), else 25.

    Raises:
        SettingsError: `url` is no such URL; the message shows nothing of it.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(f"{_URL_FORM}; write other signs of user and password as %XX") from None
    if parts.scheme not in ("smtp", "smtps") or not host:
        raise SettingsError(_URL_FORM)
    tls, user = parts.scheme == "smtps", unquote(parts.username or "")
    usual = 465 if tls else 587 if user else 25
    return SmtpServer(host, port or usual, tls, user, unquote(parts.password or ""))


@dataclass(slots=True)
class SmtpResult:
    """The outcome of an e-mail, by recipient."""

    taken: tuple[str, ...] = ()
    """The server has the e-mail, and is responsible for delivering it."""
    refused: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()
    """Recipients for whom the server surely did not take it; they may be tried again."""
    doubtful: tuple[str, ...] = ()
    error: str = ""
    """For operators; it may name addresses, so it is kept and not logged."""


async def send_message(
    server: SmtpServer,
    sender: str,
    recipients: tuple[str, ...],
    message: bytes,
    *,
    trusted: ssl.SSLContext | None = None,
) -> SmtpResult:
    """Send the message to the server and return the outcome; raise nothing.

    Args:
        trusted: the certificates that are trusted; None: the system's.
    """
    result = SmtpResult(deferred=recipients)
    client = _make_client(server, sender, trusted)
    try:
        await _connect(client, server)
        # The size is announced (RFC 1870), so that too much is refused before it is sent.
        has_size = client.supports_extension("size")
        await client.mail(sender, options=[f"SIZE={len(message)}"] if has_size else [])
        await _name_recipients(client, result)
    except (SMTPException, OSError) as error:
        result.error = _describe(error)
        # Only MAIL is about the e-mail; the greeting and the login are about us.
        if isinstance(error, SMTPSenderRefused) and _is_final(error):
            result.refused, result.deferred = (*result.refused, *result.deferred), ()
    else:
        if result.taken:
            await _send_content(client, message, result)
    finally:
        await _disconnect(client)
    return result


async def check_login(
    server: SmtpServer, sender: str, trusted: ssl.SSLContext | None = None
) -> None:
    """Connect, log in, and disconnect. Raises `SMTPException` or `OSError` if that fails."""
    client = _make_client(server, sender, trusted)
    try:
        await _connect(client, server)
    finally:
        await _disconnect(client)


def _make_client(server: SmtpServer, sender: str, trusted: ssl.SSLContext | None) -> SMTP:
    return SMTP(
        hostname=server.host,
        port=server.port,
        use_tls=server.tls,
        tls_context=trusted,
        timeout=_COMMAND_SECONDS,
        local_hostname=sender.rpartition("@")[2],
    )


async def _connect(client: SMTP, server: SmtpServer) -> None:
    """Connect and log in, with TLS where it is offered; never send a password in clear over a
    network."""
    await client.connect()
    if not server.user:
        return
    is_private = client.get_transport_info("sslcontext") is not None
    if not is_private and server.host not in _LOOPBACK:
        raise SMTPException("the server offers no TLS, without which no password is sent")
    await client.login(server.user, server.password)


async def _name_recipients(client: SMTP, result: SmtpResult) -> None:
    """Name each recipient to the server, and note which of them it takes."""
    recipients, result.deferred = result.deferred, ()
    for place, recipient in enumerate(recipients):
        try:
            await client.rcpt(recipient)
        except SMTPRecipientRefused as error:
            result.error = _describe(error)
            if _is_final(error):
                result.refused += (recipient,)
            else:
                result.deferred += (recipient,)
        except (SMTPException, OSError):
            result.deferred += (*result.taken, *recipients[place:])
            result.taken = ()
            raise
        else:
            result.taken += (recipient,)


async def _send_content(client: SMTP, message: bytes, result: SmtpResult) -> None:
    """Send the message itself, for the recipients that the server takes."""
    named, result.taken = result.taken, ()
    try:
        await client.data(message, timeout=_DATA_SECONDS)
    except SMTPResponseException as error:
        result.error = _describe(error)
        if _is_final(error):
            result.refused += named
        else:
            result.deferred += named
    except (SMTPException, OSError) as error:
        result.doubtful, result.error = named, _describe(error)
    else:
        result.taken = named


def _is_final(error: SMTPResponseException) -> bool:
    return error.code >= 500 and error.code not in _LOGIN_REFUSED


def _describe(error: Exception) -> str:
    if isinstance(error, SMTPResponseException):
        return f"{error.code} {error.message}"
    return f"{type(error).__name__}: {error}"


async def _disconnect(client: SMTP) -> None:
    if client.is_connected:
        with suppress(SMTPException, OSError):
            await client.quit(timeout=5.0)
    client.close()
