"""The placement in the web chat: one card after another, then the level."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.browser.griot import Griot, griot
from tests.support.browser_pages import MakePage, no_serious_fault, screenshot
from tests.support.fakes import FakeModel

pytestmark = pytest.mark.browser
AWA = "+2250701020304"


@pytest.fixture
def here(sqlite_template: Path, tmp_path: Path) -> Iterator[Griot]:
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", FakeModel()) as running:
        yield running


@pytest.fixture
def page(here: Griot, make_page: MakePage) -> Page:
    page = make_page(360, 800)
    page.goto(f"{here.url}/chat")
    page.evaluate("token => localStorage.setItem('griot.token', token)", here.token(AWA))
    page.goto(f"{here.url}/chat?text={quote('/classe 6e')}")
    expect(page.locator("#balance")).to_have_text("50")
    return page


def test_a_link_writes_the_command_and_taps_lead_to_the_level(page: Page) -> None:
    box = page.get_by_label("Ton message")
    expect(box).to_have_value("/classe 6e")
    box.press("Enter")
    cards = page.locator(".card.exercise")
    for number in range(1, 4):
        expect(cards).to_have_count(number)
        card = cards.nth(number - 1)
        card.get_by_role("button", name="Je ne sais pas").click()
        expect(card.get_by_role("status")).to_contain_text("La réponse était")
        expect(card.get_by_role("button", name="Passer")).to_be_disabled()
    no_serious_fault(page)
    screenshot(page, "chat-placement")
    last = cards.nth(3)
    last.get_by_role("button", name="Passer").click()
    expect(last.get_by_role("status")).to_contain_text("à partir du niveau CE1")
