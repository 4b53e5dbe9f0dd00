"""What the short pages share: the link that was opened, its errors, the fields of a form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from aiohttp import web

from bot.contracts.storage import Transaction
from bot.errors import PersonError
from bot.files.links import LinkInvalid
from bot.gateway.short_links import KeptShortLink
from bot.i18n import say
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from bot.web.html_pages import NoticePage, show_notice
from bot.web.requests import language_of, read_body

_LARGEST_FORM: Final = 2**13


@dataclass(frozen=True, slots=True)
class Opened:
    """A valid link, and its person."""

    link: KeptShortLink
    person: Person
    channel: Channel
    address: str


class LinkOver(PersonError):
    """The link, or its question, is too old."""

    code = "link_expired"

    def __init__(self, language: str) -> None:
        super().__init__("This link has expired.")
        self.language = language


async def read_form(request: web.Request) -> dict[str, str]:
    """Return the fields of a POST; for a GET, none."""
    if request.method != "POST":
        return {}
    text = (await read_body(request, _LARGEST_FORM)).decode(errors="replace")
    return {"do": ""} | dict(parse_qsl(text, keep_blank_values=True))


async def has_opted_out(tx: Transaction, lane: str) -> bool:
    row = await tx.fetch_one("SELECT opted_out FROM lane WHERE id = :lane", lane=lane)
    return row is not None and bool(row["opted_out"])


async def explain_bad_link(request: web.Request, error: PersonError) -> web.Response:
    """Answer with a page on the error of a link: 403 invalid, 410 expired, 404 gone."""
    language = error.language if isinstance(error, LinkOver) else language_of(request)
    if isinstance(error, LinkInvalid):
        head = say(language, "This link is not complete")
        words = say(language, "This link is not valid. Perhaps a part of it is missing.")
        notice = NoticePage(language, head, words, 403)
    elif isinstance(error, LinkOver):
        head = say(language, "This link has expired")
        words = say(language, "The next message from Griot brings a new one.")
        notice = NoticePage(language, head, words, 410)
    else:
        head = say(language, "Nothing to see here")
        words = say(language, "What this link led to is gone.")
        notice = NoticePage(language, head, words, 404)
    return await show_notice(request, notice, caching="private, no-store")
