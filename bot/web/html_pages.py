"""Render HTML pages from the templates beside this file, and answer with notices.

A notice is a page with one message: what went wrong or is done, and what to do next. A browser gets
it in place of the errors that programs read as JSON. Notices are small, run no scripts, and are in
the reader's language.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aiohttp import web
from markupsafe import Markup

from bot.i18n import say, say_count
from bot.observability import redact_text

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER: Final = Path(__file__).parent / "pages"
TEMPLATES: Final = Path(__file__).parent / "templates"
_CONTROLS: Final = {
    code: None
    for code in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F),
                 *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}  # fmt: skip
"""Control characters, and those that change the direction of the text after them."""
_COMMENTS_AND_INDENTATION: Final = re.compile(r"/\*.*?\*/\n?|^[ \t]+", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Style:
    css: Markup
    source: str
    """The style's source (a hash) in a Content-Security-Policy."""

    def make_policy(self, forms: str = "'none'") -> str:
        """Return the Content-Security-Policy of a page with this style and the icon of the site.

        Args:
            forms: where its forms may be sent.
        """
        return (
            f"default-src 'none'; style-src {self.source}; img-src 'self'; "
            f"base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
        )


def read_style(*names: str) -> Style:
    """Read these files as one style, without comments and indentation."""
    css = _COMMENTS_AND_INDENTATION.sub("", "".join(read_text(name) for name in names))
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return Style(Markup(css), f"'sha256-{digest}'")  # noqa: S704 (a file of ours)


def read_text(name: str) -> str:
    return (FOLDER / name).read_text()


_LOGO: Final = Markup(  # noqa: S704 (a file of ours)
    read_text("site/icon.svg")
    .replace(' xmlns="http://www.w3.org/2000/svg"', ' aria-hidden="true" class="logo"')
    .strip()
)
"""The logo as an element of HTML, hidden from screen readers."""


async def render_page(template: str, language: str, **values: object) -> str:
    """Render a template of `bot/web/templates`, in a thread; values in it are escaped.

    The first page loads Jinja2 and compiles its templates, which takes 0.2 s.

    Templates write Griot's sentences by `phrase` and `phrase_count`, foreign texts by the filters
    `foreign` and `masked`. `page.html` is the frame of all pages and needs `style`.
    """
    phrases = {"phrase": partial(say, language), "phrase_count": partial(say_count, language)}

    def render() -> str:
        page = _load_templates().get_template(template)
        return page.render(language=language, logo=_LOGO, **phrases, **values)

    return await asyncio.to_thread(render)


@cache
def _load_templates() -> Environment:
    # Imported on first use: it takes 65 to 100 ms.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["foreign"] = _isolate_text
    templates.filters["masked"] = _mask_text
    return templates


def _isolate_text(text: str) -> Markup:
    """Return a foreign text that changes neither the markup nor the text direction around it."""
    return Markup("<bdi>{}</bdi>").format(text.translate(_CONTROLS))


def _mask_text(text: str) -> Markup:
    """Return a foreign text with people's phone numbers and addresses masked."""
    return _isolate_text(redact_text(text))


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """A bar of a chart, as `charts.html` draws it: the good part, and the bad one on top."""

    name: str
    at: str = ""
    """The time that `name` shows, in ISO 8601; empty: a whole day."""
    good: float = 0
    bad: float = 0

    @property
    def total(self) -> float:
        return self.good + self.bad

    def fill(self, good: float, bad: float = 0) -> ChartColumn:
        """Return the column of the same name with these parts."""
        return replace(self, good=good, bad=bad)


def answer_private_page(page: str, policy: str) -> web.Response:
    """Answer with a page behind a signed link, which no cache, search engine or other site may
    learn of.

    Args:
        policy: its Content-Security-Policy.
    """
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "private, no-store",
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex, nofollow",
    }
    return web.Response(text=page, content_type="text/html", charset="utf-8", headers=headers)


_NOTICE_STYLE: Final = read_style("colours.css", "notice.css")
_NOTICE_HEADERS: Final = {
    "Content-Security-Policy": _NOTICE_STYLE.make_policy(),
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept, Accept-Language",
}
_HTML: Final = re.compile(r"\s*text/html\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:;|$)).*)?", re.IGNORECASE)
_PATIENCE: Final = 1.0
"""Seconds that a page waits for the addresses of the bot."""
_AGAIN: Final = 600.0
"""Seconds after which a failed search for addresses is repeated."""
Addresses = Sequence[tuple[str, str]]
"""Names of channels, each with the address at which people write to the bot there."""
FindAddresses = Callable[[], Awaitable[Addresses]]


async def _find_no_addresses() -> Addresses:
    return ()


@dataclass(slots=True)
class ContactLinks:
    """The links to Griot on a page: the chat on the web, and the bot on other channels.

    Args:
        find: returns the addresses on other channels; it may take long, or fail.
    """

    has_chat: bool = False
    find: FindAddresses = _find_no_addresses
    _found: asyncio.Future[Addresses] | None = None
    _asked_at: float = field(default=0.0)

    async def list_addresses(self) -> Addresses:
        """Return the addresses that are known within a second; the search goes on in the
        background."""
        now = asyncio.get_running_loop().time()
        if self._found is None or (self._has_failed() and now - self._asked_at > _AGAIN):
            self._found = asyncio.ensure_future(self.find())
            self._asked_at = now
        await asyncio.wait({self._found}, timeout=_PATIENCE)
        return self._known()

    async def stop(self, app: object = None) -> None:  # noqa: ARG002 (the signal passes it)
        """Stop the search, as the process ends (`on_shutdown`)."""
        if self._found is not None:
            self._found.cancel()
            await asyncio.wait({self._found})

    def _has_failed(self) -> bool:
        """Return whether an address is missing that the next search may find."""
        if self._found is None or not self._found.done():
            return False
        known = self._known()
        return not known or not all(address for _, address in known)

    def _known(self) -> Addresses:
        """Return the addresses found so far; none if the search failed."""
        found = self._found
        is_good = found and found.done() and not found.cancelled() and found.exception() is None
        return found.result() if found and is_good else ()


CONTACT_LINKS: Final = web.AppKey("ways", ContactLinks)


@dataclass(frozen=True, slots=True)
class NoticePage:
    """A page with one message, in `language`."""

    language: str
    head: str
    words: str
    status: int = 200


def wants_page(request: web.Request) -> bool:
    """Return whether the client accepts `text/html` by name, as browsers do."""
    accepted = ",".join(request.headers.getall("Accept", ()))
    return any(_HTML.fullmatch(part) for part in accepted.split(","))


async def show_notice(
    request: web.Request, notice: NoticePage, *, caching: str = "no-store", listed: bool = False
) -> web.Response:
    """Answer with the notice as a page, with links to Griot."""
    ways = request.app[CONTACT_LINKS]
    page = await render_page(
        "notice.html",
        notice.language,
        notice=notice,
        links=_list_links(notice.language, ways.has_chat, await ways.list_addresses()),
        style=_NOTICE_STYLE,
        is_listed=listed,
    )
    response = web.Response(
        status=notice.status,
        text=page,
        content_type="text/html",
        charset="utf-8",
        headers=_NOTICE_HEADERS | {"Cache-Control": caching},
    )
    if not listed:
        response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response


def _list_links(language: str, has_chat: bool, addresses: Addresses) -> Sequence[tuple[str, str]]:
    """List the links of a notice, each with its label."""
    links = [("/chat", say(language, "Open the chat"))] if has_chat else []
    for name, address in addresses:
        if address.startswith("https://"):
            links.append((address, say(language, "Write on {channel}", channel=name)))
        elif address.startswith("+"):  # a number that takes SMS
            links.append((f"sms:{address}", say(language, "Write by SMS")))
    return links
