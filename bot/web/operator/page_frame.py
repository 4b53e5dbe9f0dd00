"""What all pages for operators share: access, the frame, errors, and pieces of HTML.

Every text is escaped here.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape, unescape
from typing import Any, Final
from urllib.parse import urlencode

import structlog
from aiohttp import web

from bot.contracts.storage import MAX_BIGINT, parse_whole_number
from bot.errors import BadRequest, NotFound, PersonError
from bot.i18n import say, say_count
from bot.observability import redact_text
from bot.web.errors import Handler, Unauthorized
from bot.web.html_pages import LOGO, read_style, write_page
from bot.web.operator.operator_auth import (
    PATH,
    ForgedForm,
    OperatorAuth,
    OperatorSession,
    TooManyTries,
)
from bot.web.requests import language_of

PAGE: Final = 25
"""Rows of a list."""
_CURRENT: Final = ' aria-current="true"'
_CONTROLS: Final = {
    code: None
    for code in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F),
                 *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}  # fmt: skip
"""Control characters, and those that change the direction of the text after them."""


@dataclass(frozen=True, slots=True)
class View:
    """The reader's session and language, with what is written in that language."""

    language: str
    session: OperatorSession
    nonce: str = ""
    """Names the script in the page's policy."""

    def phrase(self, sentence: str, **values: object) -> str:
        return escape(say(self.language, sentence, **values))

    def phrase_count(self, one: str, many: str, number: int) -> str:
        return escape(say_count(self.language, one, many, number))

    def number(self, value: float) -> str:
        return escape(self.plain_number(value))

    def plain_number(self, value: float) -> str:
        from babel.numbers import format_decimal  # imported on first use: babel is slow to load

        return format_decimal(value, locale=self.language)

    def usd(self, value: float) -> str:
        from babel.numbers import format_currency

        is_short = value >= 1 or round(value, 2) == round(value, 4)
        digits = "#,##0.00" if is_short else "0.0000"
        pattern = f"{digits} $" if self.language == "fr" else f"${digits}"
        return escape(format_currency(value, "USD", pattern, self.language, currency_digits=False))

    def search(self, path: str, label: str) -> str:
        """Write a form that looks for one thing."""
        field = (
            f"<label>{label}"
            '<input name="wanted" required maxlength="200" autocomplete="off"></label>'
        )
        return self.form(path, field, self.phrase("Find"), "find")

    def moment(self, at: float | None, *, seconds: bool = False) -> str:
        """Write day and time in UTC; the page's script shows them in the reader's time zone."""
        if at is None:
            return "–"
        more = " data-seconds" if seconds else ""
        shown = escape(self.plain_moment(at, seconds=seconds))
        return f'<time datetime="{format_iso(at)}"{more}>{shown}</time>'

    def plain_moment(self, at: float, *, seconds: bool = False) -> str:
        """Write day and time as text."""
        then, today = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(time.time(), UTC)
        skeleton = "MMMd" if then.year == today.year else "yMMMd"
        clock = f"{then:%H:%M:%S}" if seconds else f"{then:%H:%M}"
        return f"{self._date(then, skeleton)} {clock} UTC"

    def day(self, at: float) -> str:
        """Write the day in UTC, as text."""
        return self._date(datetime.fromtimestamp(at, UTC), "MMMd")

    def _date(self, then: datetime, skeleton: str) -> str:
        from babel.dates import format_skeleton  # imported on first use: babel is slow to load

        return format_skeleton(skeleton, then, locale=self.language)

    def form(self, action: str, fields: str, button: str, kind: str = "") -> str:
        return (
            f'<form method="post" action="{PATH}{escape(action)}" class="{kind}">'
            f'<input type="hidden" name="key" value="{self.session.form_key}">'
            f"{fields}<button>{button}</button></form>"
        )


def format_iso(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def make_anonymous_view(language: str) -> View:
    """Make the view before login."""
    return View(language, OperatorSession("", ""), secrets.token_urlsafe(12))


def escape_text(text: str) -> str:
    """Escape a foreign text."""
    return f"<bdi>{escape(text.translate(_CONTROLS))}</bdi>"


def mask_text(text: str) -> str:
    """Escape a text and mask numbers and addresses of people in it."""
    return escape_text(redact_text(text))


def write_link(
    path: str, inner: str, query: Mapping[str, Any] | None = None, mark: str = ""
) -> str:
    """Write a link.

    Args:
        inner: HTML.
        query: what is empty is left out.
        mark: more attributes.
    """
    return f'<a href="{build_address(path, query)}"{mark}>{inner}</a>'


def build_address(path: str, query: Mapping[str, Any] | None = None) -> str:
    given = {name: value for name, value in (query or {}).items() if value not in {"", None}}
    return escape(f"{PATH}{path}{'?' if given else ''}{urlencode(given)}")


def write_badge(kind: str, word: str) -> str:
    return f'<span class="badge {kind}">{word}</span>'


def write_row(top: str, *facts: str, more: str = "") -> str:
    """Write one entry of a list: its title and what is known of it."""
    line = " · ".join(fact for fact in facts if fact)
    return f'<li><p class="top">{top}</p><p class="facts">{line}</p>{more}</li>'


def write_nothing(view: View) -> str:
    words = view.phrase("Nothing here.")
    return f'<p class="none">{words}</p>'


def write_rows(view: View, entries: list[str]) -> str:
    if not entries:
        return write_nothing(view)
    return f'<ul class="rows">{"".join(entries)}</ul>'


def write_facts(facts: Sequence[tuple[str, str]]) -> str:
    """Write names and values (HTML)."""
    lines = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return f'<dl class="about">{lines}</dl>'


def write_confirmation(words: str) -> str:
    """Write what came of the last action."""
    return f'<p class="told" role="status">{words}</p>'


def write_section(name: str, head: str, inner: str, extra: str = "") -> str:
    return (
        f'<section aria-labelledby="{name}"><div class="head"><h2 id="{name}">{head}</h2>'
        f"{extra}</div>{inner}</section>"
    )


def write_choices(
    label: str,
    path: str,
    name: str,
    offered: Iterable[tuple[str, str]],
    query: Mapping[str, Any],
) -> str:
    """Write links of which one is chosen; `offered` are values and words (HTML).

    Args:
        query: that of this page; its other fields stay.
    """
    chosen = query[name] or ""
    links = "".join(
        write_link(path, words, {**query, name: value}, _CURRENT if value == chosen else "")
        for value, words in offered
    )
    return f'<nav class="choices" aria-label="{label}">{links}</nav>'


def write_pager(
    view: View,
    path: str,
    query: Mapping[str, Any],
    older: Mapping[str, Any] | None,
    *,
    is_first: bool,
) -> str:
    """Write the links to newer and older pages.

    Args:
        query: of the newest page.
        older: what leads from it to the next one; None: there is none.
        is_first: this is the newest page.
    """
    newest = "" if is_first else write_link(path, view.phrase("Newest"), query)
    onward = (
        write_link(path, view.phrase("Older"), {**query, **older}, ' rel="next"') if older else ""
    )
    label = view.phrase("Older and newer")
    return f'<nav class="pager" aria-label="{label}">{newest}{onward}</nav>'


ShowPage = Callable[[web.Request, View], Awaitable[web.Response]]
HandleForm = Callable[[web.Request, View, Mapping[str, str]], Awaitable[web.Response]]
_LOGO_LINE: Final = f'<p class="name">{LOGO}Griot</p>'
STYLE: Final = read_style("colours.css", "operator.css")
log = structlog.get_logger()


class PageFrame:
    def __init__(self, auth: OperatorAuth) -> None:
        self.auth = auth

    def show_page(self, show: ShowPage) -> Handler:
        """Return the handler of a page: for operators only, its errors told as a page."""

        async def answer(request: web.Request) -> web.StreamResponse:
            view = make_anonymous_view(language_of(request))
            try:
                session = await self.auth.authenticate(request)
                view = View(view.language, session, view.nonce)
                return await show(request, view)
            except Unauthorized:
                return answer_login_page(view, status=401)
            except (PersonError, BadRequest) as error:
                return explain_error(view, error)

        return answer

    def handle_form(self, act: HandleForm) -> Handler:
        """Return the handler of a form, with the same checks."""

        async def show(request: web.Request, view: View) -> web.Response:
            return await act(request, view, await self.auth.read_form(request, view.session))

        return self.show_page(show)


def read_number(request: web.Request, name: str, default: int = 0) -> int:
    """Read a number of the query. Raises `BadRequest`."""
    given = request.query.get(name, "")
    if not given:
        return default
    number = parse_whole_number(given, MAX_BIGINT)
    if number is None:
        raise BadRequest("The address of this page is not right.")
    return number


def redirect_to(path: str) -> web.Response:
    """Redirect to the page that shows the outcome."""
    return web.Response(status=303, headers={"Location": f"{PATH}{path}"})


def log_action(view: View, action: str, **values: object) -> None:
    """Log which operator did what."""
    log.info("operator_acted", action=action, operator=view.session.name, **values)


def answer_page(
    view: View, title: str, main: str, *, here: str = "", status: int = 200
) -> web.Response:
    """Answer with a page within its frame; `title` and `main` are HTML."""
    body = f'{_write_header(view, here)}<main id="main">{main}</main>{_write_footer(view)}'
    script = f'<script src="{PATH}/page.js" nonce="{view.nonce}" defer></script>\n'
    html = write_page(view.language, f"{unescape(title)} – Griot", STYLE, body, script)
    return answer_html(view, html, status)


def answer_html(view: View, html: str, status: int = 200) -> web.Response:
    headers = {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src {STYLE.source}; script-src 'nonce-{view.nonce}'; "
            "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
            "frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        # Not no-referrer: the browser is to say where a form comes from.
        "Referrer-Policy": "same-origin",
        "X-Robots-Tag": "noindex, nofollow",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Vary": "Cookie, Authorization, Accept-Language",
    }
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="operator"'
    return web.Response(
        status=status, text=html, content_type="text/html", charset="utf-8", headers=headers
    )


def answer_login_page(view: View, status: int, trouble: str = "") -> web.Response:
    alert = f'<p class="told bad" role="alert">{trouble}</p>' if trouble else ""
    label = view.phrase("Operator token")
    field = (  # browsers that keep passwords want to know whose it is
        '<input name="user" value="operator" autocomplete="username" hidden>'
        f"<label>{label}"
        '<input type="password" name="token" required autocomplete="current-password" autofocus>'
        "</label>"
    )
    form = view.form("/login", field, view.phrase("Log in"), "stack")
    head = view.phrase("For operators")
    return answer_page(
        view, head, f'<div class="door"><h1>{head}</h1>{alert}{form}</div>', status=status
    )


def explain_error(view: View, error: PersonError | BadRequest) -> web.Response:
    match error:
        case NotFound():
            status, words = 404, view.phrase("There is no such thing here.")
        case TooManyTries():
            words = view.phrase("Too many wrong tokens. Try again in a quarter of an hour.")
            return answer_login_page(view, 429, words)
        case ForgedForm():
            status, words = 403, view.phrase("This form is out of date. Open the page again.")
        case BadRequest():
            status, words = 400, view.phrase("This cannot be read. Go back and try again.")
        case _:
            status, words = 409, escape(str(error))
    head = view.phrase("That did not work")
    back = write_link("", view.phrase("To the overview"))
    return answer_page(
        view, head, f'<div class="door"><h1>{head}</h1><p>{words}</p><p>{back}</p></div>',
        status=status,
    )  # fmt: skip


def _write_footer(view: View) -> str:
    """Write the time zone of the times; the page's script fills in the reader's."""
    if not view.session.name:
        return ""
    here = view.phrase("All times are in your time zone ({zone}).")
    utc = view.phrase("All times are UTC.")
    return f'<footer><p id="zone" data-here="{here}">{utc}</p></footer>'


def _write_header(view: View, here: str) -> str:
    if not view.session.name:
        return f"<header>{_LOGO_LINE}</header>"
    places = (
        ("", view.phrase("Overview")),
        ("/turns", view.phrase("Turns")),
        ("/deliveries", view.phrase("Deliveries")),
        ("/money", view.phrase("Money")),
        ("/people", view.phrase("People")),
    )
    links = "".join(
        write_link(path, words, mark=' aria-current="page"' if path == here else "")
        for path, words in places
    )
    leave = (
        view.form("/logout", "", view.phrase("Log out"), "leave") if view.session.form_key else ""
    )
    skip, pages = view.phrase("Skip to the content"), view.phrase("Pages")
    return (
        f'<a class="skip" href="#main">{skip}</a>'
        f"<header>{_LOGO_LINE}"
        f'<nav aria-label="{pages}">{links}</nav>{leave}</header>'
    )
