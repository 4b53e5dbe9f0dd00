"""Pieces of HTML that all pages for operators are made of; every text is escaped here."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any, Final
from urllib.parse import urlencode

from bot.observe import redact_text
from bot.texts import say, say_count
from bot.web.operator.door import PATH, Session

PAGE: Final = 25
"""Rows of a list."""
_CHOSEN: Final = ' aria-current="true"'
_TURNING: Final = {
    code: None
    for code in (*range(0x20), 0x7F, *range(0x80, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F),
                 *range(0x2066, 0x206A))
    if chr(code) not in "\n\t"
}  # fmt: skip
"""Controls, and what turns the direction of all that follows."""


@dataclass(frozen=True, slots=True)
class View:
    """Who looks, and in which language."""

    language: str
    session: Session
    nonce: str = ""
    """By which the page's policy knows the script."""

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
        """A form that looks for one thing."""
        field = (
            f"<label>{label}"
            '<input name="wanted" required maxlength="200" autocomplete="off"></label>'
        )
        return self.form(path, field, self.phrase("Find"), "find")

    def moment(self, at: float | None, *, seconds: bool = False) -> str:
        """The day and the time in UTC; the page's script shows them in the reader's time zone."""
        if at is None:
            return "–"
        more = " data-seconds" if seconds else ""
        shown = escape(self.plain_moment(at, seconds=seconds))
        return f'<time datetime="{write_iso(at)}"{more}>{shown}</time>'

    def plain_moment(self, at: float, *, seconds: bool = False) -> str:
        """The same as text."""
        then, today = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(time.time(), UTC)
        skeleton = "MMMd" if then.year == today.year else "yMMMd"
        clock = f"{then:%H:%M:%S}" if seconds else f"{then:%H:%M}"
        return f"{self._date(then, skeleton)} {clock} UTC"

    def day(self, at: float) -> str:
        """The day in UTC, as text."""
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


def write_iso(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def anonymous(language: str) -> View:
    """Nobody has come in yet."""
    return View(language, Session("", ""), secrets.token_urlsafe(12))


def show(text: str) -> str:
    """A text of somebody else's."""
    return f"<bdi>{escape(text.translate(_TURNING))}</bdi>"


def mask_all(text: str) -> str:
    """The same, of what may hold numbers or addresses of people."""
    return show(redact_text(text))


def link(path: str, inner: str, query: Mapping[str, Any] | None = None, mark: str = "") -> str:
    """
    Args:
        inner: HTML.
        query: what is empty is left out.
        mark: more attributes.
    """
    return f'<a href="{address(path, query)}"{mark}>{inner}</a>'


def address(path: str, query: Mapping[str, Any] | None = None) -> str:
    given = {name: value for name, value in (query or {}).items() if value not in {"", None}}
    return escape(f"{PATH}{path}{'?' if given else ''}{urlencode(given)}")


def badge(kind: str, word: str) -> str:
    return f'<span class="badge {kind}">{word}</span>'


def row(top: str, *facts: str, more: str = "") -> str:
    """One entry of a list: what it is, and what is known of it."""
    line = " · ".join(fact for fact in facts if fact)
    return f'<li><p class="top">{top}</p><p class="facts">{line}</p>{more}</li>'


def nothing(view: View) -> str:
    words = view.phrase("Nothing here.")
    return f'<p class="none">{words}</p>'


def rows(view: View, entries: list[str]) -> str:
    if not entries:
        return nothing(view)
    return f'<ul class="rows">{"".join(entries)}</ul>'


def write_facts(facts: Sequence[tuple[str, str]]) -> str:
    """Names and values (HTML)."""
    lines = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return f'<dl class="about">{lines}</dl>'


def told(words: str) -> str:
    """What has come of what was just done."""
    return f'<p class="told" role="status">{words}</p>'


def section(name: str, head: str, inner: str, beside: str = "") -> str:
    return (
        f'<section aria-labelledby="{name}"><div class="head"><h2 id="{name}">{head}</h2>'
        f"{beside}</div>{inner}</section>"
    )


def choices(
    label: str,
    path: str,
    name: str,
    offered: Iterable[tuple[str, str]],
    query: Mapping[str, Any],
) -> str:
    """Links of which one is chosen; `offered` are values and words (HTML).

    Args:
        query: that of this page; its other fields stay.
    """
    chosen = query[name] or ""
    links = "".join(
        link(path, words, {**query, name: value}, _CHOSEN if value == chosen else "")
        for value, words in offered
    )
    return f'<nav class="choices" aria-label="{label}">{links}</nav>'


def pager(
    view: View,
    path: str,
    query: Mapping[str, Any],
    older: Mapping[str, Any] | None,
    *,
    is_first: bool,
) -> str:
    """
    Args:
        query: of the newest page.
        older: what leads from it to the next one; None: there is none.
        is_first: this is the newest page.
    """
    newest = "" if is_first else link(path, view.phrase("Newest"), query)
    onward = link(path, view.phrase("Older"), {**query, **older}, ' rel="next"') if older else ""
    label = view.phrase("Older and newer")
    return f'<nav class="pager" aria-label="{label}">{newest}{onward}</nav>'
