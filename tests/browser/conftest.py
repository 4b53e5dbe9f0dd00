"""A real browser, pages that tell their errors, and how a page is looked at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.support.browser_pages import MakePage

_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first takes half the time: it has no windows to draw."""
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's browser. Per module: while it runs, no asynchronous test can."""
    executable = next(filter(None, map(shutil.which, _BROWSERS)), None)
    assert executable, f"no browser is installed: one of {', '.join(_BROWSERS)} is needed"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def make_page(browser: Browser) -> Iterator[MakePage]:
    """`make_page(width, height, **options)` opens a page in a browser context of its own (a new
    visitor); `options` are those of `Browser.new_context`. The test fails if one of its pages
    raised an error or broke its Content-Security-Policy."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(width: int = 360, height: int = 640, **options: Any) -> Page:
        usual = {"viewport": {"width": width, "height": height}, "locale": "fr-FR"}
        contexts.append(browser.new_context(**(usual | options)))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.extend(_breach(message)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def page(make_page: MakePage) -> Page:
    """A small phone, in French."""
    return make_page()


def _breach(message: ConsoleMessage) -> list[str]:
    return [message.text] if "Content Security Policy" in message.text else []
