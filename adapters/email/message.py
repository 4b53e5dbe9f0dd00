"""Write an e-mail as a MIME message (RFC 5322): text and HTML, and attachments. No I/O.

Header fields are written by `email.message`: names in French in encoded words (RFC 2047) and
extended parameters (RFC 2231). Text that a person or a model wrote cannot begin another header: it
is put on one line, without control characters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

import nh3
from markdown_it import MarkdownIt

from bot.messages.outgoing import SendEmail
from bot.typography import to_one_line

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
"""Removes pictures: a remote one tells its owner when and where the e-mail is read."""


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
    message.set_content(text)
    html = _clean_text(email.html) if email.html else _MARKDOWN.render(text)
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


def _clean_text(text: str) -> str:
    """Remove control characters and lone surrogates, which an e-mail must not hold."""
    kept = "".join(c for c in text if c in "\n\t" or c.isprintable() or c.isspace())
    return "\n".join(kept.splitlines()) + "\n"
