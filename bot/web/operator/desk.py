"""What all pages for operators share: the way in, the frame, and errors that a person can read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from html import escape, unescape
from typing import Final

import structlog
from aiohttp import web

from bot.errors import BadRequest, NotFound, PersonError
from bot.web.errors import Handler, Unauthorized
from bot.web.layout import LOGO, read_style, write_page
from bot.web.operator.door import PATH, Door, Forged, TooManyTries
from bot.web.operator.view import View, anonymous, link
from bot.web.requests import language_of
from bot.whole_numbers import BIGGEST, read_whole_number

Show = Callable[[web.Request, View], Awaitable[web.Response]]
Act = Callable[[web.Request, View, Mapping[str, str]], Awaitable[web.Response]]
_NAME: Final = f'<p class="name">{LOGO}Griot</p>'
STYLE: Final = read_style("colours.css", "operator.css")
log = structlog.get_logger()


class Desk:
    def __init__(self, door: Door) -> None:
        self.door = door

    def page(self, show: Show) -> Handler:
        """The handler of a page: for operators only, its errors told as a page."""

        async def answer(request: web.Request) -> web.StreamResponse:
            view = anonymous(language_of(request))
            try:
                session = await self.door.enter(request)
                view = View(view.language, session, view.nonce)
                return await show(request, view)
            except Unauthorized:
                return login_page(view, status=401)
            except (PersonError, BadRequest) as error:
                return explain(view, error)

        return answer

    def form(self, act: Act) -> Handler:
        """The same of a form that does something."""

        async def show(request: web.Request, view: View) -> web.Response:
            return await act(request, view, await self.door.read_form(request, view.session))

        return self.page(show)


def number_in(request: web.Request, name: str, default: int = 0) -> int:
    """A number of the query. Raises `BadRequest`."""
    given = request.query.get(name, "")
    if not given:
        return default
    number = read_whole_number(given, BIGGEST)
    if number is None:
        raise BadRequest("The address of this page is not right.")
    return number


def go(path: str) -> web.Response:
    """See there what has become of it."""
    return web.Response(status=303, headers={"Location": f"{PATH}{path}"})


def note(view: View, action: str, **values: object) -> None:
    """Keep in the log who did what."""
    log.info("operator_acted", action=action, operator=view.session.name, **values)


def answer_page(
    view: View, title: str, main: str, *, here: str = "", status: int = 200
) -> web.Response:
    """A page within its frame; `title` and `main` are HTML."""
    body = f'{_header(view, here)}<main id="main">{main}</main>{_footer(view)}'
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


def login_page(view: View, status: int, trouble: str = "") -> web.Response:
    told = f'<p class="told bad" role="alert">{trouble}</p>' if trouble else ""
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
        view, head, f'<div class="door"><h1>{head}</h1>{told}{form}</div>', status=status
    )


def explain(view: View, error: PersonError | BadRequest) -> web.Response:
    match error:
        case NotFound():
            status, words = 404, view.phrase("There is no such thing here.")
        case TooManyTries():
            words = view.phrase("Too many wrong tokens. Try again in a quarter of an hour.")
            return login_page(view, 429, words)
        case Forged():
            status, words = 403, view.phrase("This form is out of date. Open the page again.")
        case BadRequest():
            status, words = 400, view.phrase("This cannot be read. Go back and try again.")
        case _:
            status, words = 409, escape(str(error))
    head = view.phrase("That did not work")
    back = link("", view.phrase("To the overview"))
    return answer_page(
        view, head, f'<div class="door"><h1>{head}</h1><p>{words}</p><p>{back}</p></div>',
        status=status,
    )  # fmt: skip


def _footer(view: View) -> str:
    """Says of which time zone the times are; the page's script fills in the reader's."""
    if not view.session.name:
        return ""
    here = view.phrase("All times are in your time zone ({zone}).")
    utc = view.phrase("All times are UTC.")
    return f'<footer><p id="zone" data-here="{here}">{utc}</p></footer>'


def _header(view: View, here: str) -> str:
    if not view.session.name:
        return f"<header>{_NAME}</header>"
    places = (
        ("", view.phrase("Overview")),
        ("/turns", view.phrase("Turns")),
        ("/deliveries", view.phrase("Deliveries")),
        ("/money", view.phrase("Money")),
        ("/people", view.phrase("People")),
    )
    links = "".join(
        link(path, words, mark=' aria-current="page"' if path == here else "")
        for path, words in places
    )
    leave = (
        view.form("/logout", "", view.phrase("Log out"), "leave") if view.session.form_key else ""
    )
    skip, pages = view.phrase("Skip to the content"), view.phrase("Pages")
    return (
        f'<a class="skip" href="#main">{skip}</a>'
        f"<header>{_NAME}"
        f'<nav aria-label="{pages}">{links}</nav>{leave}</header>'
    )
