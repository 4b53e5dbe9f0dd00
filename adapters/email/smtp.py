"""Send one e-mail to one SMTP server, and report the outcome for each recipient.

Until the server has the whole message it has nothing; once it answers 250 it has all of it
(RFC 5321, 4.1.1.4 and 4.2.5, https://www.rfc-editor.org/rfc/rfc5321). In between the outcome is not
known: a repetition may send it twice (RFC 1047), so such an e-mail is in doubt.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from aiosmtplib import (
    SMTP,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)

from bot.errors import SettingsError

_COMMAND_SECONDS: Final = 30.0
_DATA_SECONDS: Final = 600.0
"""RFC 5321, 4.5.3.2.6: servers may take ten minutes to confirm that they have the message."""
_OURS: Final = (530, 535)
"""Codes for a missing or wrong login (RFC 4954, 6), which the operator has to mend; they say
nothing about the e-mail."""
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_FORM: Final = "SMTP_URL: write smtp://user:password@host:port, or smtps://… where TLS comes first"


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
        raise SettingsError(f"{_FORM}; write other signs of user and password as %XX") from None
    if parts.scheme not in ("smtp", "smtps") or not host:
        raise SettingsError(_FORM)
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
    return error.code >= 500 and error.code not in _OURS


def _describe(error: Exception) -> str:
    if isinstance(error, SMTPResponseException):
        return f"{error.code} {error.message}"
    return f"{type(error).__name__}: {error}"


async def _disconnect(client: SMTP) -> None:
    if client.is_connected:
        with suppress(SMTPException, OSError):
            await client.quit(timeout=5.0)
    client.close()
