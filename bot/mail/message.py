"""Writes an e-mail as a MIME message (RFC 5322): text and HTML, and attachments. Pure.

Header fields are written by `email.message`: names in French in encoded words (RFC 2047) and
extended parameters (RFC 2231). Nothing that a person or a model wrote can begin a header of its
own: it stands on one line, without control characters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import parseaddr

import idna
import nh3
from markdown_it import MarkdownIt

from bot.errors import SettingsError, ToolFailed
from bot.mail.emails import StoredEmail

_MAX_SUBJECT = 200
_MIME_TYPE = re.compile(
    r"(?!message/|multipart/)([a-z0-9][\w.+-]{0,60})/([a-z0-9][\w.+-]{0,90})", re.ASCII
)
_POLICY = SMTP.clone(cte_type="7bit", raise_on_defect=False)
"""Seven bits: 8BITMIME is an extension that not every server on the way has."""
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
_HEAD = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head>'
_CLEANER = nh3.Cleaner(
    tags={
        "p", "br", "hr", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "b", "i",
        "u", "s", "a", "h1", "h2", "h3", "h4", "h5", "h6", "div", "span", "table", "thead",
        "tbody", "tr", "th", "td",
    },
    attributes={"a": {"href"}, "ol": {"start"}, "td": {"colspan"}, "th": {"colspan"}},
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
)  # fmt: skip
"""No pictures: one from elsewhere tells its owner when and where the e-mail is read."""


@dataclass(frozen=True, slots=True)
class EmailAttachment:
    """A file that goes with an e-mail."""

    filename: str
    mime_type: str
    content: bytes


def make_message_id(key: str, sender: Address) -> str:
    """Make the Message-ID of the e-mail of this key: always the same for the same key."""
    return f"<{hashlib.sha256(key.encode()).hexdigest()[:40]}@{sender.domain}>"


def write_message(
    email: StoredEmail, sender: Address, attachments: Sequence[EmailAttachment]
) -> bytes:
    """The whole message, with CRLF at the end of each line, none longer than servers take."""
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = [Address(addr_spec=address) for address in email.body.to]
    if email.body.reply_to:
        message["Reply-To"] = Address(addr_spec=email.body.reply_to)
    message["Subject"] = make_one_line(email.subject, _MAX_SUBJECT)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = make_message_id(email.key, sender)
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834, 5: no absence notes in answer
    text = _clean_text(email.body.text)
    message.set_content(text)
    html = _clean_text(email.body.html) if email.body.html else _MARKDOWN.render(text)
    message.add_alternative(
        f"{_HEAD}\n<body>\n{_CLEANER.clean(html)}\n</body></html>\n", subtype="html"
    )
    for each in attachments:
        kind = _MIME_TYPE.fullmatch(each.mime_type.lower())
        main, sub = kind.groups() if kind else ("application", "octet-stream")
        message.add_attachment(
            each.content, maintype=main, subtype=sub, filename=make_one_line(each.filename, 150)
        )
    return message.as_bytes()


def make_one_line(text: str, most: int) -> str:
    """The text on one line without control characters, at most `most` characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:most]


def _clean_text(text: str) -> str:
    """Drop control characters and lone surrogates, which no mail may hold."""
    kept = "".join(c for c in text if c in "\n\t" or c.isprintable() or c.isspace())
    return "\n".join(kept.splitlines()) + "\n"


MAX_RECIPIENTS = 20
"""Addresses that one e-mail goes to."""
_MAX_ADDRESS = 254
"""Characters: a path has 256, with its angle brackets (RFC 5321, 4.5.3.1.3)."""
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def parse_address(text: str) -> str:
    """The address, its domain in lower case and ASCII.

    Raises:
        ToolFailed: it is none that an e-mail can be sent to; it says why.
    """
    shown = repr(text[:80])
    local, at, domain = text.strip(" ").rpartition("@")
    if not at or not _LOCAL.fullmatch(local) or len(local) > 64:
        raise ToolFailed(f"{shown} is no e-mail address: write it like name@example.org, alone.")
    try:
        ascii_domain = idna.encode(domain, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise ToolFailed(f"{shown}: there is no such domain.") from None
    labels = ascii_domain.split(".")
    if len(labels) < 2 or labels[-1].isdigit() or not all(map(_LABEL.fullmatch, labels)):
        raise ToolFailed(f"{shown}: there is no such domain.")
    address = f"{local}@{ascii_domain}"
    if len(address) > _MAX_ADDRESS:
        raise ToolFailed(f"{shown} is too long for an e-mail address.")
    return address


def parse_addresses(texts: Iterable[str]) -> tuple[str, ...]:
    """The addresses in their order, each once, at most `MAX_RECIPIENTS`. Raises `ToolFailed`."""
    found: dict[str, str] = {}
    for text in texts:
        address = parse_address(text)
        found.setdefault(address.casefold(), address)
    if not found:
        raise ToolFailed("to: name at least one address.")
    if len(found) > MAX_RECIPIENTS:
        raise ToolFailed(f"to: one e-mail goes to {MAX_RECIPIENTS} addresses at most.")
    return tuple(found.values())


def parse_sender(text: str) -> Address:
    """`MAIL_FROM`: an address, or `Name <address>`. Raises `SettingsError`."""
    name, address = parseaddr(text) if "<" in text else ("", text)
    try:
        local, _, domain = parse_address(address).rpartition("@")
    except ToolFailed as error:
        raise SettingsError(f"MAIL_FROM: {error}") from None
    return Address("".join(c for c in name if c.isprintable()), local, domain)


def parse_operators(text: str) -> tuple[str, ...]:
    """`OPERATOR_EMAIL`: addresses with commas between them. Raises `SettingsError`."""
    try:
        return parse_addresses(each for each in text.split(",") if each.strip())
    except ToolFailed as error:
        raise SettingsError(f"OPERATOR_EMAIL: {error}") from None
