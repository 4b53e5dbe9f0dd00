"""Pages in place of errors, in a real browser, under their own policy, by day and by night."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.griot import Griot, griot
from tests.support.browser_pages import MakePage, no_fault, no_small_target, screenshot
from tests.support.fakes import FakeModel

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def here(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Griot]:
    database = tmp_path_factory.mktemp("notices") / "griot.db"
    shutil.copy(sqlite_template, database)
    with griot(database, FakeModel()) as running:
        yield running


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (1920, "light")])
@pytest.mark.parametrize("path", ["/", "/nothing", "/files/bad", "/payments/done"])
def test_everyone_can_read_it_and_go_on(
    here: Griot, make_page: MakePage, path: str, width: int, scheme: str
) -> None:
    page = make_page(width, 640, color_scheme=scheme)
    page.goto(here.url + path)
    ground = "rgb(25, 21, 18)" if scheme == "dark" else "rgb(247, 242, 234)"
    expect(page.locator("body")).to_have_css("background-color", ground)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    screenshot(page, f"notice{path.replace('/', '-')}-{width}-{scheme}")
    checked = make_page(width, 640, color_scheme=scheme, bypass_csp=True)  # axe is a script
    checked.goto(here.url + path)
    no_fault(checked)
    no_small_target(checked)


def test_the_button_leads_to_the_chat(here: Griot, make_page: MakePage) -> None:
    page = make_page()
    page.goto(f"{here.url}/files/bad")
    page.get_by_role("link", name="Ouvrir le chat").click()
    expect(page.get_by_label("Ton message")).to_be_visible()
