"""Look at a page in a real browser: take its picture, find its faults."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

MakePage = Callable[..., Page]

_PICTURES = os.environ.get("PICTURES", "")
"""The folder that `screenshot` fills, such as `docs/pictures`; empty: it takes none."""


def screenshot(page: Page, name: str) -> None:
    """A picture `name.png` of what the page shows, if `PICTURES` names a folder."""
    if _PICTURES:
        Path(_PICTURES).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(_PICTURES) / f"{name}.png")


def no_fault(page: Page) -> None:
    """Fail unless axe finds nothing at all."""
    found = Axe().run(page).response["violations"]
    assert not [f"{fault['id']}: {fault['nodes'][0]['html'][:200]}" for fault in found]


def no_serious_fault(page: Page) -> None:
    """Fail unless axe finds the page usable by everyone, but for small matters."""
    found = Axe().run(page).response["violations"]
    serious = [
        f"{fault['id']}: {node['html'][:200]}\n{node['failureSummary']}"
        for fault in found
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]
    assert not serious, "\n\n".join(serious)


_SMALL = """() => [...document.querySelectorAll("a, button, input, select, summary, textarea")]
  .filter((each) => each.checkVisibility() && getComputedStyle(each).display !== "inline")
  .map((each) => [each.getBoundingClientRect(), each.outerHTML])
  .filter(([box]) => box.right > 0 && box.width > 1 && Math.min(box.width, box.height) < 43.5)
  .map(([box, html]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${html}`)"""


def no_small_target(page: Page) -> None:
    """Fail unless a thumb hits everything that can be tapped, but for links within a text."""
    small = page.evaluate(_SMALL)
    assert not small, small
