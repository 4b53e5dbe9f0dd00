"""The operator page in a real browser, on a phone and on a desk, under its own policy."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from bot.learning.skills.skill_map import installed_skills
from bot.settings import Settings
from tests.support.browser_pages import no_fault, no_small_target, screenshot
from tests.support.operator_pages import PHONE, TOKEN, add_dead_turn
from tests.support.queries import add_row, change_rows
from tests.support.site import Site, open_site

pytestmark = pytest.mark.browser
LONG = "w" * 80


async def _fill(site: Site) -> None:
    skills = [skill for skill in installed_skills().by_id if skill.startswith("maths.")]
    for number, skill in enumerate(skills[:40]):
        for account in range(1, 9):
            p = (number * account % 10) / 10 + 0.06
            await add_row(
                site.app.database, "mastery", account=account, skill=skill, p=p, answers=1
            )
    await site.log_in(PHONE)
    await change_rows(site.app.database, "account", {"name": f"Awa {LONG}"})
    await add_dead_turn(site)
    await add_row(
        site.app.database,
        "spending",
        lane=f"whatsapp:{PHONE}",
        turn=7,
        kind="model",
        name=LONG,
        calls=1,
        input_tokens=900,
        usd=0.5,
    )


@pytest.fixture(scope="module")
def url(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a Griot with something to show listens; its loop runs in a thread of its own."""
    folder = tmp_path_factory.mktemp("operator")
    (folder / "griot.db").write_bytes(sqlite_template.read_bytes())
    settings = Settings(
        database_url=f"sqlite:///{folder}/griot.db",
        blob_url=f"file:{folder}/files",
        secret_key="a secret for tests only",
        operator_token=TOKEN,
    )
    ready, over = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    found: list[str] = []

    async def serve() -> None:
        async with open_site(settings) as site:
            await _fill(site)
            found.append(site.url)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    assert ready.wait(60)
    yield found[0]
    loop.call_soon_threadsafe(over.set)
    thread.join()
    loop.close()


@pytest.fixture(scope="module")
def logged_in(browser: Browser, url: str) -> StorageState:
    """What the browser keeps of an operator who has logged in."""
    with browser.new_context(locale="fr-FR") as context:
        page = context.new_page()
        page.goto(f"{url}/operator")
        page.get_by_label("Jeton d’opérateur").fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Maintenant")).to_be_visible()
        return context.storage_state()


@pytest.fixture(params=[(320, "light"), (390, "dark"), (1280, "light"), (1920, "dark")], ids=str)
def page(
    request: pytest.FixtureRequest, browser: Browser, url: str, logged_in: StorageState
) -> Iterator[Page]:
    """The overview; whatever the browser complains of fails the test."""
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        locale="fr-FR",
        storage_state=logged_in,
    )
    page = context.new_page()
    page.goto(f"{url}/operator")
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


PATHS = (
    "",
    "?span=month",
    "/turns",
    "/turns/7",
    "/deliveries",
    "/money",
    "/people",
    "/people/1",
    "/skills",
)


def test_every_page_fits_the_screen_and_has_its_style(page: Page, url: str) -> None:
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    band = "rgb(66, 32, 15)" if dark else "rgb(107, 45, 20)"
    width = (page.viewport_size or {}).get("width")
    for path in PATHS:
        page.goto(f"{url}/operator{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        expect(page.get_by_role("banner")).to_have_css("background-color", band)
        edges = [page.locator(part).bounding_box() for part in (".logo", "h1")]
        assert len({round(box["x"]) for box in edges if box}) == 1
        assert PHONE not in page.content()
        no_fault(page)
        no_small_target(page)
        name = path.strip("/?").replace("/", "-").replace("=", "-") or "overview"
        screenshot(page, f"operator-{name}-{width}-{'dark' if dark else 'light'}")


def test_no_word_or_sum_of_the_money_is_broken(page: Page, url: str) -> None:
    page.goto(f"{url}/operator/money")
    cells = page.locator("table th, table td").all()
    heights = {round((cell.bounding_box() or {"height": 0})["height"]) for cell in cells}
    assert max(heights) < 40, heights
    fades, goes_on = page.locator(".scroll").evaluate(
        "part => [parseFloat(getComputedStyle(part).getPropertyValue('--fade')) > 0,"
        " part.scrollWidth > part.clientWidth]"
    )
    assert fades == goes_on


def test_the_login_shows_one_field(browser: Browser, url: str) -> None:
    with browser.new_context(locale="fr-FR") as context:
        page = context.new_page()
        page.goto(f"{url}/operator")
        expect(page.locator("input:visible")).to_have_count(1)
        screenshot(page, "operator-login")


@pytest.mark.parametrize("script", [True, False])
def test_times_are_in_the_zone_of_who_looks(
    browser: Browser, url: str, logged_in: StorageState, script: bool
) -> None:
    with browser.new_context(
        locale="fr-FR",
        timezone_id="Asia/Kolkata",
        storage_state=logged_in,
        java_script_enabled=script,
    ) as context:
        page = context.new_page()
        page.goto(f"{url}/operator/turns/7")
        time = page.locator("time").first
        stored = datetime.fromisoformat(time.get_attribute("datetime") or "")
        there = stored.astimezone(ZoneInfo("Asia/Kolkata"))
        clock = f"{there:%H:%M}" if script else f"{stored:%H:%M} UTC"
        day = (there if script else stored).day
        expect(time).to_have_text(re.compile(rf"^{day} \S+ {clock}$"))
        footer = "ton fuseau horaire (Asia/Calcutta)" if script else "Toutes les heures sont en UTC"
        expect(page.get_by_role("contentinfo")).to_contain_text(footer)
        page.goto(f"{url}/operator")
        column = page.locator("section time").first
        expect(column).to_have_text(re.compile(r":30$" if script else r":00 UTC$"))


def test_a_picture_has_a_name_and_a_table_that_says_the_same(page: Page) -> None:
    expect(page.get_by_role("img", name="Tours")).to_be_visible()
    section = page.locator("section", has=page.get_by_role("img", name="Tours"))
    section.get_by_text("La même chose en tableau").click()
    expect(section.get_by_role("row")).to_have_count(25)


def test_the_keyboard_reaches_everything_from_the_top(page: Page) -> None:
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Aller au contenu")).to_be_focused()
    for name in ("Aperçu", "Tours", "Envois", "Argent", "Personnes"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("banner").get_by_role("link", name=name)).to_be_focused()


def test_a_dead_turn_is_looked_at_and_its_number_leads_on(page: Page) -> None:
    page.get_by_role("link", name="Tours morts").click()
    page.get_by_role("link", name="Tour 7").click()
    expect(page.get_by_role("button", name="Rejouer")).to_be_visible()


def test_the_numbers_are_kept_fresh_by_themselves(page: Page, url: str) -> None:
    page.route("**/operator/now", lambda route: route.fulfill(
        status=200, content_type="text/html", body='<div id="now"><h1>Tout neuf</h1></div>'
    ))  # fmt: skip
    page.clock.install()
    page.goto(f"{url}/operator")
    expect(page.get_by_role("heading", name="Maintenant")).to_be_visible()
    page.clock.run_for(10_000)
    expect(page.get_by_role("heading", name="Tout neuf")).to_be_visible()
