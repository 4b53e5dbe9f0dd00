"""Requests to the workers that read web pages and ask search engines, and their answers."""

from __future__ import annotations

from typing import Final

import msgspec

PAGE_WORKER: Final = "bot.files.page_worker"
"""Takes a `WebPage`, gives its readable text (UTF-8, perhaps empty)."""
SEARCH_ENGINE_WORKER: Final = "bot.files.search_engine_worker"
"""Takes a `WebQuery`, gives a list of `WebResult`; refuses when no engine can be reached."""
PDF: Final = "application/pdf"


class WebPage(msgspec.Struct, frozen=True, array_like=True):
    """A page as it came, after decompression."""

    mime_type: str
    charset: str
    """The charset that the server named; empty when it named none."""
    body: bytes


class WebQuery(msgspec.Struct, frozen=True, array_like=True):
    words: str
    language: str
    """A code of ISO 639: `fr`."""
    strict: bool
    """Leave out what is not for children, as far as the engines know."""


class WebResult(msgspec.Struct, frozen=True):
    """One result; the names are those of Tavily and SearXNG."""

    title: str
    url: str
    content: str
