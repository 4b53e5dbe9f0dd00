"""The demo's page in a real browser, as a pupil uses it on a small phone."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.demo.process import Demo, demo

pytestmark = pytest.mark.browser
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, _BROWSERS)), None)
    assert executable, f"no browser is installed: one of {', '.join(_BROWSERS)} is needed"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(started: Demo, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(started.url)
    expect(page.get_by_role("status").first).to_have_text("connecté")
    yield page
    wait_for_end(page)  # the next page is the same person, who may not be answered twice at once
    context.close()
    assert errors == []


def ask(page: Page, text: str) -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")


def wait_for_end(page: Page) -> None:
    expect(page.get_by_role("log")).not_to_have_attribute("aria-busy", "true", timeout=15_000)


def test_text_grows_as_it_streams_and_credits_go_down(page: Page) -> None:
    expect(page.locator("#balance")).to_have_text(re.compile(r"\d+"))
    balance = int(page.locator("#balance").inner_text())
    ask(page, "Explique-moi la photosynthèse")
    bubble = page.locator(".bubble")
    expect(bubble).to_contain_text("manguier")
    early = len(bubble.inner_text())
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "true")
    wait_for_end(page)
    assert len(bubble.inner_text()) > early
    expect(bubble.locator("ol > li")).to_have_count(3)
    expect(bubble.locator("sub").first).to_have_text("2")
    expect(page.locator("#balance")).not_to_have_text(str(balance))


def test_a_tapped_quiz_shows_the_verdict_and_why(page: Page) -> None:
    ask(page, "Fais-moi un quiz sur les fractions")
    page.get_by_role("button", name="2/6").click()
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("Pas tout à fait. La réponse : 3/4")
    expect(verdict).to_contain_text("Une moitié vaut deux quarts")
    expect(page.locator(".option.wrong")).to_contain_text("2/6")
    expect(page.locator(".option.right")).to_contain_text("3/4")
    expect(page.locator(".option").first).to_be_disabled()


def test_a_file_is_opened_in_the_page_and_downloaded(page: Page) -> None:
    ask(page, "Fais une fiche sur Pythagore")
    expect(page.locator(".tool")).to_contain_text("Rédaction du document")
    page.get_by_role("button", name="Ouvrir").click()
    reader = page.get_by_role("dialog")
    expect(reader.get_by_role("heading", name="Le théorème de Pythagore")).to_be_visible()
    reader.get_by_role("button", name="Fermer").click()
    expect(reader).to_be_hidden()
    with page.expect_download() as download:
        page.get_by_role("link", name="Télécharger").click()
    assert download.value.suggested_filename == "fiche-pythagore.md"


def test_stop_ends_the_answer_where_it_is(page: Page) -> None:
    ask(page, "Parle-moi de Nkrumah")
    expect(page.locator(".bubble")).to_contain_text("Accra")
    page.get_by_role("button", name="Arrêter la réponse").click()
    expect(page.locator(".note")).to_have_text("Réponse arrêtée.")
    assert "1966" not in page.locator(".bubble").inner_text()
    wait_for_end(page)


def test_what_a_person_writes_is_never_markup(page: Page) -> None:
    ask(page, 'Retiens que <img src=x onerror="document.title=1"> **gras**')
    wait_for_end(page)
    ask(page, "Que sais-tu de moi ?")
    expect(page.locator(".bubble strong", has_text="gras")).to_be_visible()
    expect(page.locator(".log img")).to_have_count(0)
    assert page.title() == "Griot"


def test_english_is_one_tap_away(page: Page) -> None:
    page.get_by_role("button", name="English").click()
    expect(page.get_by_label("Your message")).to_have_attribute("placeholder", "Write to Griot…")
    page.get_by_role("button", name="Give me a quiz").click()
    expect(page.locator(".quiz h3")).to_have_text("What is 1/2 + 1/4?")
    page.get_by_role("button", name="Français").click()


def test_a_language_chosen_before_the_session_is_there_stays(page: Page) -> None:
    def answer_late(route: Route) -> None:
        page.get_by_role("button", name="English").click()
        route.continue_()

    page.route("**/api/v1/me", answer_late, times=1)
    page.reload()
    expect(page.get_by_role("button", name="English")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#state")).to_have_text("connected")
    expect(page.get_by_label("Your message")).to_have_attribute("placeholder", "Write to Griot…")
    page.get_by_role("button", name="Français").click()


def test_engineers_see_the_events_arrive(page: Page) -> None:
    page.get_by_text("Ce qui se passe à l’intérieur").click()
    ask(page, "Fais-moi un quiz")
    wait_for_end(page)
    names = page.locator("#events b").all_inner_texts()
    assert names[0] == "start"
    assert {"tool_start", "tool_end", "content", "quiz", "usage"} <= set(names)
    assert names[-1] == "end"


def test_a_busy_conversation_is_explained_and_can_be_tried_again(page: Page) -> None:
    busy = '{"error": {"code": "busy", "message": "A turn is running."}}'
    page.route("**/api/v1/chat", lambda route: route.fulfill(status=409, body=busy), times=1)
    ask(page, "Bonjour")
    expect(page.locator(".note")).to_contain_text("Griot répond encore")
    page.get_by_role("button", name="Réessayer").click()
    expect(page.locator(".bubble")).to_contain_text("Que veux-tu apprendre")
    expect(page.locator(".note")).to_have_count(0)


def test_a_lost_connection_is_said_kindly(page: Page) -> None:
    page.route("**/api/v1/*", lambda route: route.abort())
    ask(page, "Bonjour")
    expect(page.locator(".note")).to_contain_text("La connexion s’est interrompue")
    expect(page.locator("#state")).to_have_text("hors ligne")


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_screen(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    ask(page, "Fais une fiche " + "x" * 200)
    wait_for_end(page)
    for part in ("html", "#log"):
        assert page.locator(part).evaluate("part => part.scrollWidth") <= width


def test_keyboard_alone_answers_a_quiz(page: Page) -> None:
    ask(page, "Fais-moi un quiz sur le Ghana")
    page.get_by_role("button", name=re.compile("1957")).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Bravo")
    expect(page.locator(".verdict")).to_be_focused()
