"""Check access, explain errors, and write lists, numbers and times for all operator pages.

Their HTML is in `bot/web/templates/operator/`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode

import structlog
from aiohttp import web

from bot.contracts.storage import MAX_BIGINT, parse_whole_number
from bot.errors import BadRequest, NotFound, PersonError
from bot.i18n import say, write_day
from bot.web.errors import Handler, Unauthorized
from bot.web.html_pages import read_style, render_page
from bot.web.operator.operator_auth import (
    PATH,
    ForgedForm,
    OperatorAuth,
    OperatorSession,
    TooManyTries,
)
from bot.web.requests import language_of

PAGE: Final = 25
"""Rows of a page of a list."""
STYLE: Final = read_style("colours.css", "operator.css")
T = TypeVar("T")
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class View:
    """The reader's session and language, with functions that write in that language."""

    language: str
    session: OperatorSession
    nonce: str = ""
    """Allows the script in the page's Content-Security-Policy."""

    async def render(self, template: str, **values: object) -> str:
        """Render a template of `bot/web/templates/operator`."""
        functions = {"address": build_address, "iso": format_iso}
        return await render_page(
            f"operator/{template}", self.language, view=self, style=STYLE, **functions, **values
        )

    def number(self, value: float) -> str:
        from babel.numbers import format_decimal  # imported on first use: babel is slow to load

        return format_decimal(value, locale=self.language)

    def usd(self, value: float) -> str:
        from babel.numbers import format_currency

        is_short = value >= 1 or round(value, 2) == round(value, 4)
        digits = "#,##0.00" if is_short else "0.0000"
        pattern = f"{digits} $" if self.language == "fr" else f"${digits}"
        return format_currency(value, "USD", pattern, self.language, currency_digits=False)

    def moment(self, at: float, *, seconds: bool = False) -> str:
        """Return day and time in UTC."""
        then, today = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(time.time(), UTC)
        day = write_day(self.language, then.date(), with_year=then.year != today.year)
        clock = f"{then:%H:%M:%S}" if seconds else f"{then:%H:%M}"
        return f"{day} {clock} UTC"

    def day(self, at: float) -> str:
        """Return the day in UTC."""
        return write_day(self.language, datetime.fromtimestamp(at, UTC).date())

    def month(self, at: float) -> str:
        """Return month and year in UTC."""
        from babel.dates import format_date  # imported on first use: babel is slow to load

        return format_date(datetime.fromtimestamp(at, UTC), "MMMM y", self.language)


def format_iso(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def build_address(path: str, query: Mapping[str, Any] | None = None, **changes: object) -> str:
    """Build the address of a page below `/operator`; empty fields of the query are left out.

    Args:
        changes: fields of the query that replace those in `query`.
    """
    fields = {**(query or {}), **changes}
    given = {name: value for name, value in fields.items() if value not in {"", None}}
    return f"{PATH}{path}{'?' if given else ''}{urlencode(given)}"


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One page of a list, with the links to the others."""

    path: str
    query: Mapping[str, Any]
    """The query of the newest page."""
    entries: Sequence[T]
    before: object
    """The `before` of the next, older page; None: there is none."""
    is_newest: bool


def make_list_page(
    request: web.Request,
    found: Sequence[T],
    get_key: Callable[[T], object],
    query: Mapping[str, Any] | None = None,
) -> ListPage[T]:
    """Return the page of a list that the request asks for.

    Args:
        found: the entries from `before` on, one more than a page has if there are more.
        get_key: returns the `before` of the entries that follow an entry.
        query: other fields of the query.
    """
    entries = found[:PAGE]
    return ListPage(
        request.path.removeprefix(PATH),
        query or {},
        entries,
        get_key(entries[-1]) if len(found) > PAGE else None,
        is_newest="before" not in request.query,
    )


ShowPage = Callable[[web.Request, View], Awaitable[web.Response]]
HandleForm = Callable[[web.Request, View, Mapping[str, str]], Awaitable[web.Response]]


class PageFrame:
    def __init__(self, auth: OperatorAuth) -> None:
        self.auth = auth

    def show_page(self, show: ShowPage) -> Handler:
        """Return the handler of a page, which admits only operators and shows errors as pages."""

        async def answer(request: web.Request) -> web.StreamResponse:
            view = make_anonymous_view(language_of(request))
            try:
                session = await self.auth.authenticate(request)
                view = View(view.language, session, view.nonce)
                return await show(request, view)
            except Unauthorized:
                return await answer_login_page(view, status=401)
            except (PersonError, BadRequest) as error:
                return await explain_error(view, error)

        return answer

    def handle_form(self, act: HandleForm) -> Handler:
        """Return the handler of a form, with the same checks."""

        async def show(request: web.Request, view: View) -> web.Response:
            return await act(request, view, await self.auth.read_form(request, view.session))

        return self.show_page(show)


def make_anonymous_view(language: str) -> View:
    """Return the view before login."""
    return View(language, OperatorSession("", ""), secrets.token_urlsafe(12))


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


async def answer_page(
    view: View, template: str, *, status: int = 200, **values: object
) -> web.Response:
    """Answer with a template, filled in with the values."""
    headers = {
        "Content-Security-Policy": (
            f"default-src 'none'; style-src {STYLE.source}; script-src 'nonce-{view.nonce}'; "
            "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
            "frame-ancestors 'none'"
        ),
        "Cache-Control": "no-store",
        # Not no-referrer: the browser must name the page that a form comes from.
        "Referrer-Policy": "same-origin",
        "X-Robots-Tag": "noindex, nofollow",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Vary": "Cookie, Authorization, Accept-Language",
    }
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="operator"'
    return web.Response(
        status=status,
        text=await view.render(template, **values),
        content_type="text/html",
        charset="utf-8",
        headers=headers,
    )


async def answer_login_page(view: View, status: int, trouble: str = "") -> web.Response:
    return await answer_page(view, "login.html", status=status, trouble=trouble)


async def explain_error(view: View, error: PersonError | BadRequest) -> web.Response:
    language = view.language
    match error:
        case NotFound():
            status, words = 404, say(language, "There is no such thing here.")
        case TooManyTries():
            words = say(language, "Too many wrong tokens. Try again in a quarter of an hour.")
            return await answer_login_page(view, 429, words)
        case ForgedForm():
            status, words = 403, say(language, "This form is out of date. Open the page again.")
        case BadRequest():
            status, words = 400, say(language, "This cannot be read. Go back and try again.")
        case _:
            status, words = 409, str(error)
    return await answer_page(view, "error.html", status=status, words=words)
