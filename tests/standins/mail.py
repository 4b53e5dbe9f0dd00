"""A mail server as RFC 5321 has it, which keeps what it takes and refuses what no server takes.

It can be told to answer otherwise, or to hang up at a given moment.
"""

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any, Literal

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.standins.certificates import make_certificate

Moment = Literal["MAIL", "RCPT", "DATA", "END"]
"""At which the server hangs up; `END`: it has the whole message, and says nothing."""


@dataclass
class Arrived:
    """A message that the server took."""

    sender: str
    recipients: list[str]
    raw: bytes
    user: str
    """Who handed it over."""
    is_private: bool
    """Over TLS."""

    @property
    def message(self) -> EmailMessage:
        read = message_from_bytes(self.raw, policy=default)
        assert isinstance(read, EmailMessage)
        return read


@dataclass
class MailServer:
    """Attributes that tests set before a letter comes.

    Attributes:
        answers: what it says instead of yes, by recipient, `MAIL` or `DATA`; each once.
        hangs_up: at which moments, one a connection.
        waits: if set, it says nothing after a whole message until it is.
    """

    arrived: list[Arrived] = field(default_factory=list[Arrived])
    answers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    hangs_up: list[Moment] = field(default_factory=list[Moment])
    waits: asyncio.Event | None = None
    connections: int = 0
    host: str = "127.0.0.1"
    port: int = 0
    scheme: str = "smtp"
    users: dict[str, str] = field(default_factory=dict[str, str])
    trusted: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"

    def _answer(self, about: str) -> str:
        waiting = self.answers.get(about)
        return waiting.pop(0) if waiting else ""

    def _hangs_up(self, moment: Moment, server: Any) -> bool:
        if self.hangs_up[:1] != [moment]:
            return False
        self.hangs_up.pop(0)
        server.transport.abort()
        return True

    async def handle_MAIL(  # noqa: N802 (aiosmtpd calls it so)
        self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self._hangs_up("MAIL", server)
        envelope.mail_from = address
        return self._answer("MAIL") or "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self._hangs_up("RCPT", server)
        if answer := self._answer(address):
            return answer
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: Any, session: Session, envelope: Envelope
    ) -> str:
        if self._hangs_up("DATA", server):
            return "250 nobody hears it"
        raw = bytes(envelope.content or b"")
        if answer := self._answer("DATA") or what_is_wrong(raw):
            return answer
        self.arrived.append(
            Arrived(
                envelope.mail_from or "",
                list(envelope.rcpt_tos),
                raw,
                str(session.auth_data or ""),
                session.ssl is not None or self.scheme == "smtps",
            )
        )
        if self.waits:
            await self.waits.wait()
        if self._hangs_up("END", server):
            return "250 nobody hears it"
        return "250 OK"

    def authenticate(
        self, server: Any, session: Session, envelope: Envelope, mechanism: str, given: Any
    ) -> AuthResult:
        assert isinstance(given, LoginPassword)
        user, password = given.login.decode(), given.password.decode()
        if self.users.get(user) != password:
            return AuthResult(success=False, handled=False)
        return AuthResult(success=True, auth_data=user)


def what_is_wrong(raw: bytes) -> str:
    """What RFC 5321 (4.5.3.1.6) and RFC 5322 (2.1.1, 2.3, 3.6) forbid, as a refusal."""
    lines = raw.split(b"\r\n")
    head, _, _ = raw.partition(b"\r\n\r\n")
    names = [
        line.partition(b":")[0].lower() for line in head.split(b"\r\n") if line[:1] not in b" \t"
    ]
    if any(len(line) > 998 for line in lines):
        return "554 line too long"
    if any(b"\n" in line or b"\r" in line for line in lines):
        return "554 bare CR or LF"
    if any(byte > 127 or byte == 0 for byte in raw):
        return "554 8BITMIME was not asked for"
    if any(names.count(name) != 1 for name in (b"from", b"to", b"date", b"message-id", b"subject")):
        return "554 a header field is missing or doubled"
    return ""


@asynccontextmanager
async def serve_mail(
    folder: Path,
    *,
    tls: Literal["never", "offered", "first"] = "never",
    users: dict[str, str] | None = None,
    size: int = 30_000_000,
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncGenerator[MailServer]:
    """A server on a free port of this machine.

    Args:
        tls: `offered` is STARTTLS.
        users: who may hand letters over, by password; None: everybody.
    """
    server = MailServer(users=users or {}, host=host, scheme="smtps" if tls == "first" else "smtp")
    context: ssl.SSLContext | None = None
    if tls != "never":
        context, server.trusted = make_certificate(folder)

    open_ones: list[SMTP] = []

    def connect() -> SMTP:
        server.connections += 1
        with warnings.catch_warnings(action="ignore"):  # of passwords without TLS: we test those
            one = SMTP(
                server,
                hostname="mail.example.org",
                data_size_limit=size,
                tls_context=context if tls == "offered" else None,
                authenticator=server.authenticate if users else None,
                auth_required=users is not None,
                auth_require_tls=False,
                loop=asyncio.get_running_loop(),
            )
        open_ones.append(one)
        return one

    listening = await asyncio.get_running_loop().create_server(
        connect, host, port, ssl=context if tls == "first" else None
    )
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        await _close(open_ones)
        await listening.wait_closed()


async def _close(open_ones: list[SMTP]) -> None:
    """Hang up on whoever is still there, and wait until it is done."""
    for one in open_ones:
        if one.transport is not None:
            one.transport.abort()
        if one._handler_coroutine is not None:
            one._handler_coroutine.cancel()
            await asyncio.gather(one._handler_coroutine, return_exceptions=True)
    await asyncio.sleep(0)
