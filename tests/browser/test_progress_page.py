"""The page of progress in a real browser, under its own policy, on a phone and on a desk."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from bot.learning.progress import DAYS, Day, Progress, SubjectScore, make_overview
from bot.learning.skills.skill_progress import NextSkill, SkillLine, SkillOverview
from bot.web.learning import MOST_SUBJECTS, PROGRESS_POLICY, SkillStart, write_progress
from tests.support.browser_pages import MakePage, no_fault, no_small_target, screenshot

pytestmark = pytest.mark.browser
ADDRESS = "https://griot.example/progress/token"
TODAY = date(2026, 11, 21)
LONG = "w" * 40
SUBJECTS = (
    SubjectScore("maths", 60, 45),
    SubjectScore(LONG, 10, 0),
    SubjectScore("<b>العربية</b>", 9, 9),
)
SKILLS = SkillOverview(
    (
        SkillLine("maths.a", "Additionner des fractions", "5e", "learning", "en cours", 60),
        SkillLine("maths.b", LONG + LONG, "3e", "mastered", "acquis", 97),
        SkillLine("maths.c", "<b>théorème</b>", "3e", "new", "à commencer", 12),
    ),
    "1 acquis, 1 en cours",
    "Ton niveau en maths\u00a0: 4e.",
    (NextSkill("maths.a", "Additionner des fractions"), NextSkill("maths.d", LONG + LONG)),
)


def write() -> str:
    days = tuple(Day(TODAY - timedelta(days=DAYS - 1 - n), n % 5, n % 3 % 2) for n in range(DAYS))
    overview = make_overview("fr", Progress(12, days, SUBJECTS), "Awa", most=MOST_SUBJECTS)
    starts = [
        SkillStart(skill.name, [("https://chat.example/a", "WhatsApp"), ("/chat", "le chat web")])
        for skill in SKILLS.next
    ]
    page = write_progress(overview, "3e", SKILLS, starts)
    with ThreadPoolExecutor(1) as thread:  # in this one Playwright's loop runs
        return thread.submit(asyncio.run, page).result()


@pytest.fixture(params=[(360, "light"), (360, "dark"), (1280, "light"), (1280, "dark")], ids=str)
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=False
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))

    def answer(route: Route) -> None:
        headers = {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": PROGRESS_POLICY,
        }
        route.fulfill(status=200, headers=headers, body=write())

    page.route("**/*", answer)
    page.goto(ADDRESS)
    yield page
    context.close()
    assert complaints == []


def test_it_is_readable_and_fits_the_screen(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("Awa, tes progrès")
    expect(page.locator(".figures dd").first).to_have_text("12")
    expect(page.locator("header")).to_have_css("background-color", _band(page))
    expect(page.locator("[aria-labelledby=subjects] li bdi").nth(2)).to_have_text("<b>العربية</b>")
    viewport = page.viewport_size
    assert viewport is not None
    for part in page.locator("header, section, li, svg").all():
        box = part.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]


def _band(page: Page) -> str:
    """The style was applied, in the reader's light or dark."""
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    return "rgb(66, 32, 15)" if dark else "rgb(107, 45, 20)"


def test_the_chart_has_a_name_and_a_table_that_says_the_same(page: Page) -> None:
    expect(page.get_by_role("img", name="Les 30 derniers jours")).to_be_visible()
    assert page.locator("section svg g").count() == DAYS - DAYS // 5
    expect(page.get_by_role("table")).to_be_hidden()
    page.get_by_text("La même chose en tableau").click()
    expect(page.get_by_role("table")).to_be_visible()
    expect(page.get_by_role("row")).to_have_count(DAYS + 1)
    expect(page.get_by_role("row").last).to_contain_text("21 nov.")


def test_each_subject_has_a_bar_of_its_share(page: Page) -> None:
    line = page.locator("[aria-labelledby=subjects] .bar").first
    right = line.locator(".r")
    whole, part = line.bounding_box(), right.bounding_box()
    assert whole is not None
    assert part is not None
    assert part["width"] == pytest.approx(0.75 * whole["width"], abs=1)


def test_skills_have_their_state_and_what_comes_next_a_link(page: Page) -> None:
    skills = page.locator("[aria-labelledby=skills] li")
    expect(skills.locator(".state")).to_have_text(["en cours", "acquis", "à commencer"])
    expect(skills.nth(2).locator("bdi")).to_have_text("<b>théorème</b>")
    link = page.get_by_role("link", name="S’exercer sur WhatsApp\u00a0: Additionner des fractions")
    expect(link).to_have_attribute("href", "https://chat.example/a")
    expect(link).to_have_text("WhatsApp")
    expect(page.get_by_text("Choisis où t’exercer")).to_be_visible()
    tops = {
        box["y"]
        for each in page.locator("li:first-child .links a").all()
        if (box := each.bounding_box())
    }
    assert len(tops) == 1
    grounds = page.locator(".links a").evaluate_all(
        "links => links.map((link) => getComputedStyle(link).backgroundColor)"
    )
    assert len(set(grounds)) == 2
    assert set(grounds[1:]) == {"rgba(0, 0, 0, 0)"}
    screenshot(page, "progress")


def test_a_thumb_hits_everything(page: Page) -> None:
    no_small_target(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(make_page: MakePage, scheme: str) -> None:
    page = make_page(color_scheme=scheme)  # with scripts, as axe is one
    page.set_content(write())
    no_fault(page)
