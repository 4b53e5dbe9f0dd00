"""Define the requests and answers of the workers that read web pages and ask search engines."""

from __future__ import annotations

from typing import Final

import msgspec

PAGE_WORKER: Final = "bot.files.page_worker"
"""Takes a `WebPage`, returns its readable text (UTF-8, perhaps empty)."""
WEB_SEARCH_WORKER: Final = "bot.files.web_search_worker"
"""Takes a `WebQuery`, returns a list of `WebResult`; refuses if no engine can be reached."""
PDF: Final = "application/pdf"


class WebPage(msgspec.Struct, frozen=True, array_like=True):
    """A page as it was received, after decompression."""

    mime_type: str
    charset: str
    """The charset that the server named; empty if it named none."""
    body: bytes


class WebQuery(msgspec.Struct, frozen=True, array_like=True):
    words: str
    language: str
    """A code of ISO 639: `fr`."""
    strict: bool
    """Whether to leave out results unfit for children, as far as the engines can."""


class WebResult(msgspec.Struct, frozen=True):
    """One result; the names are those of Tavily and SearXNG."""

    title: str
    url: str
    content: str
