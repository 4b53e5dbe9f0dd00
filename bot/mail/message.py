"""A letter as the bytes of an e-mail (RFC 5322, MIME): text and HTML, files beside them. Pure.

Header fields are written by `email.message`: names in French in encoded words (RFC 2047) and
extended parameters (RFC 2231). Nothing that a person or a model wrote can begin a header of its
own: it stands on one line, without control characters.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP

import nh3
from markdown_it import MarkdownIt

from bot.mail.letters import Kept

_MOST_IN_SUBJECT = 200
_TYPE = re.compile(
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
"""No pictures: one from elsewhere tells its owner when and where the letter is read."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that goes with a letter."""

    filename: str
    mime_type: str
    content: bytes


def message_id(key: str, sender: Address) -> str:
    """By which everybody knows the letter of this key; the same however often it is written."""
    return f"<{hashlib.sha256(key.encode()).hexdigest()[:40]}@{sender.domain}>"


def write_message(letter: Kept, sender: Address, enclosures: Sequence[Enclosure]) -> bytes:
    """The whole message, with CRLF at the end of each line, none longer than servers take."""
    message = EmailMessage(policy=_POLICY)
    message["From"] = sender
    message["To"] = [Address(addr_spec=address) for address in letter.body.to]
    if letter.body.reply_to:
        message["Reply-To"] = Address(addr_spec=letter.body.reply_to)
    message["Subject"] = one_line(letter.subject, _MOST_IN_SUBJECT)
    message["Date"] = datetime.now(UTC)
    message["Message-ID"] = message_id(letter.key, sender)
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834, 5: no absence notes in answer
    message.set_content(_clean_text(letter.body.text))
    message.add_alternative(_write_html(letter), subtype="html")
    for each in enclosures:
        kind = _TYPE.fullmatch(each.mime_type.lower())
        main, sub = kind.groups() if kind else ("application", "octet-stream")
        message.add_attachment(
            each.content, maintype=main, subtype=sub, filename=one_line(each.filename, 150)
        )
    return message.as_bytes()


def one_line(text: str, most: int) -> str:
    """The text on one line without control characters, at most `most` characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:most]


def _clean_text(text: str) -> str:
    """Without control characters and halves of surrogate pairs, which no mail may hold."""
    kept = "".join(c for c in text if c in "\n\t" or c.isprintable() or c.isspace())
    return "\n".join(kept.splitlines()) + "\n"


def _write_html(letter: Kept) -> str:
    """The letter's HTML, or its text read as Markdown, with nothing in it but what text needs."""
    text = _clean_text(letter.body.text)
    body = _CLEANER.clean(
        _clean_text(letter.body.html) if letter.body.html else _MARKDOWN.render(text)
    )
    return f"{_HEAD}\n<body>\n{body}\n</body></html>\n"
