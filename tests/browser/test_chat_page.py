"""The chat page in a real browser, as the demo's person uses it on a small phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser_pages import MakePage, no_serious_fault, screenshot
from tests.support.demo_process import Demo, demo

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("demo"), WELCOME_CREDITS="500") as running:
        yield running


@pytest.fixture
def page(started: Demo, make_page: MakePage) -> Iterator[Page]:
    page = make_page()
    page.goto(f"{started.url}/demo/chat")
    expect(page.get_by_role("status").first).to_have_text("en ligne")
    yield page
    wait_for_end(page)  # the next page is the same person, who may not be answered twice at once


def ask(page: Page, text: str) -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")


def wait_for_end(page: Page) -> None:
    expect(page.get_by_role("log")).not_to_have_attribute("aria-busy", "true")


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
    expect(bubble.locator("msub > mn").first).to_have_text("2")
    expect(page.locator("#balance")).not_to_have_text(str(balance))


def test_what_is_written_before_the_page_has_come_whole_is_kept(
    started: Demo, make_page: MakePage
) -> None:
    page = make_page()
    held: list[Route] = []
    page.route("**/chat/*/chat.js", lambda route: held.append(route))
    page.goto(f"{started.url}/demo/chat", wait_until="commit")
    box, send = page.locator("#message"), page.locator("#send")
    box.fill("Bonjour")
    expect(send).to_be_disabled()
    held[0].continue_()
    expect(send).to_be_enabled()
    expect(box).to_have_value("Bonjour")


def test_a_tapped_quiz_shows_the_verdict_and_why(page: Page) -> None:
    ask(page, "Fais-moi un quiz sur les fractions")
    page.get_by_role("button", name="2/6").click()
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("Pas tout à fait. La réponse\u00a0: 5/6")
    expect(verdict).to_contain_text("On recoupe tout en sixièmes")
    expect(page.locator(".option.wrong")).to_contain_text("2/6")
    expect(page.locator(".option.right")).to_contain_text("5/6")
    expect(page.locator(".option").first).to_be_disabled()


def test_a_file_is_downloaded(page: Page) -> None:
    ask(page, "Fais une fiche sur Pythagore")
    expect(page.locator(".tool")).to_have_text("Je rédige un document\u00a0: fiche-pythagore.pdf")
    with page.expect_download() as download:
        page.get_by_role("link", name="Télécharger").click()
    assert download.value.suggested_filename == "fiche-pythagore.pdf"
    assert download.value.path().read_bytes().startswith(b"%PDF-")


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


def choose(page: Page, name: str) -> None:
    page.locator("#menu summary").click()
    page.get_by_role("button", name=name).click()


def test_english_is_two_taps_away_and_stays(page: Page) -> None:
    choose(page, "English")
    expect(page.get_by_label("Your message")).to_have_attribute("placeholder", "Write to Griot…")
    page.get_by_role("button", name="Give me a quiz").click()
    expect(page.locator(".quiz h2")).to_have_text("What is 1/2 + 1/3?")
    wait_for_end(page)
    page.reload()
    expect(page.get_by_label("Your message")).to_have_attribute("placeholder", "Write to Griot…")
    choose(page, "Français")
    expect(page.get_by_label("Ton message")).to_be_visible()


def test_a_token_in_the_address_is_taken_out_of_it(page: Page, started: Demo) -> None:
    expect(page.locator("#balance")).to_have_text(re.compile(r"\d+"))
    assert page.url == f"{started.url}/chat"


def test_reloading_keeps_the_conversation(page: Page) -> None:
    ask(page, "Fais-moi un quiz sur les fractions")
    page.get_by_role("button", name="2/6").click()
    expect(page.locator(".verdict")).to_contain_text("On recoupe tout en sixièmes")
    wait_for_end(page)
    ask(page, "Fais une fiche sur Nkrumah")
    wait_for_end(page)
    expect(page.locator(".file .name")).to_have_text("fiche-nkrumah.pdf")
    said = page.locator(".mine, .bubble").all_inner_texts()
    page.reload()
    expect(page.locator(".file .name")).to_have_text("fiche-nkrumah.pdf")
    wait_for_end(page)
    assert page.locator(".mine, .bubble").all_inner_texts() == said
    expect(page.locator(".option.wrong")).to_contain_text("2/6")
    expect(page.locator(".verdict")).to_contain_text("Pas tout à fait. La réponse\u00a0: 5/6")
    expect(page.locator("#welcome")).to_be_hidden()


def test_a_quiz_can_be_answered_after_a_reload(page: Page) -> None:
    ask(page, "Fais-moi un quiz sur les fractions")
    wait_for_end(page)
    page.reload()
    page.get_by_role("button", name="5/6").click()
    expect(page.locator(".verdict")).to_contain_text("Bravo")
    page.set_viewport_size({"width": 390, "height": 800})
    screenshot(page, "chat-quiz")


def test_an_answer_that_still_runs_is_waited_for_after_a_reload(page: Page) -> None:
    ask(page, "Parle-moi de Nkrumah")
    expect(page.locator(".bubble")).to_contain_text("Accra")
    page.reload()
    expect(page.locator(".mine")).to_have_text("Parle-moi de Nkrumah")
    expect(page.locator(".bubble")).to_contain_text("1966")
    wait_for_end(page)
    expect(page.locator(".mine")).to_have_count(1)


def test_a_new_conversation_is_empty_also_after_a_reload(page: Page) -> None:
    ask(page, "Bonjour")
    wait_for_end(page)
    choose(page, "Nouvelle conversation")
    expect(page.locator(".mine, .turn")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    page.reload()
    expect(page.locator("#state")).to_have_text("en ligne")
    expect(page.locator(".mine, .turn")).to_have_count(0)


def test_commands_are_one_tap_away(page: Page) -> None:
    page.get_by_role("button", name="Mes crédits").click()
    expect(page.locator(".bubble")).to_contain_text("crédits")
    expect(page.locator(".mine")).to_have_text("/solde")


def test_engineers_see_the_events_arrive(page: Page) -> None:
    page.locator("#menu summary").click()
    page.get_by_role("button", name="Ce qui se passe à l’intérieur").click()
    expect(page.locator("#events")).to_be_visible()
    ask(page, "Fais-moi un quiz")
    wait_for_end(page)
    names = page.locator("#events b").all_inner_texts()
    assert names[0] == "start"
    assert {"tool_start", "tool_end", "content", "quiz", "usage"} <= set(names)
    assert names[-1] == "end"


def refuse(page: Page, status: int, code: str, words: str = "No.", **fields: bool) -> None:
    """The next message is not taken."""
    body = json.dumps({"error": {"code": code, "message": words} | fields})
    page.route("**/api/v1/chat", lambda route: route.fulfill(status=status, body=body), times=1)


def test_a_busy_conversation_is_explained_and_can_be_tried_again(page: Page) -> None:
    refuse(page, 409, "busy")
    ask(page, "Bonjour")
    expect(page.locator(".note")).to_contain_text("Griot répond encore")
    expect(page.get_by_label("Ton message")).to_have_value("Bonjour")
    page.get_by_role("button", name="Réessayer").click()
    expect(page.locator(".bubble")).to_contain_text("Que veux-tu apprendre")
    expect(page.locator(".note")).to_have_count(0)
    expect(page.get_by_label("Ton message")).to_have_value("")


def test_a_conversation_that_is_gone_is_begun_anew(page: Page) -> None:
    ask(page, "Bonjour")
    expect(page.locator(".bubble")).to_contain_text("Que veux-tu apprendre")
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")
    first = page.evaluate("localStorage.getItem('griot.session')")
    refuse(page, 404, "not_found")
    ask(page, "Encore")
    expect(page.locator(".note")).to_contain_text("n’existe plus")
    expect(page.get_by_label("Ton message")).to_have_value("Encore")
    page.get_by_role("button", name="Réessayer").click()
    expect(page.locator(".mine")).to_have_count(2)
    expect(page.locator(".bubble")).to_have_count(2)
    assert page.evaluate("localStorage.getItem('griot.session')") not in (None, "", first)


def test_without_credits_one_tap_asks_for_packs(page: Page) -> None:
    refuse(page, 402, "out_of_credits", "Il en faut.", can_buy=True)
    ask(page, "Bonjour")
    page.get_by_role("button", name="Acheter des crédits").click()
    expect(page.locator(".mine")).to_have_text("/acheter")
    expect(page.get_by_label("Ton message")).to_have_value("Bonjour")


def test_where_credits_cannot_be_bought_no_button_says_so(page: Page) -> None:
    refuse(page, 402, "out_of_credits", "Adresse-toi à ton école.", can_buy=False)
    ask(page, "Bonjour")
    expect(page.locator(".note")).to_have_text("Adresse-toi à ton école.")


def test_what_never_left_goes_back_into_the_box_once_the_network_is_there(page: Page) -> None:
    page.context.set_offline(True)
    expect(page.locator("#state")).to_have_text("hors ligne")
    ask(page, "Bonjour")
    expect(page.locator(".note")).to_contain_text("La connexion s’est interrompue")
    page.context.set_offline(False)
    expect(page.locator(".note")).to_contain_text("n’est pas parti")
    expect(page.get_by_label("Ton message")).to_have_value("Bonjour")
    expect(page.locator(".mine")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Ton message")).to_have_value("Bonjour")


@pytest.mark.parametrize("begun", [True, False], ids=["with its first words", "without a word"])
def test_a_stream_that_breaks_off_is_never_asked_again(page: Page, begun: bool) -> None:
    asked: list[str] = []

    def break_off(route: Route) -> None:
        asked.append(route.request.post_data or "")
        answer = route.fetch()
        if begun:
            start = answer.text().partition("\n\n")[0] + "\n\n"
            route.fulfill(status=200, headers=answer.headers, body=start)
        else:
            route.abort("connectionreset")

    page.route("**/api/v1/chat", break_off)
    ask(page, "Bonjour")
    expect(page.locator(".bubble")).to_contain_text("Que veux-tu apprendre")
    wait_for_end(page)
    expect(page.locator(".mine")).to_have_count(1)
    expect(page.locator(".note")).to_have_count(0)
    expect(page.get_by_label("Ton message")).to_have_value("")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("width", "text"),
    [(320, "Explique-moi la photosynthèse"), *((n, "Fiche " + "x" * 200) for n in (390, 1280))],
)
def test_nothing_is_wider_than_its_place(page: Page, width: int, text: str) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    ask(page, text)
    wait_for_end(page)
    for part in ("html", "#log", ".bubble >> nth=-1"):
        assert page.locator(part).evaluate("part => part.scrollWidth - part.clientWidth") <= 0


def test_keyboard_alone_answers_a_quiz(page: Page) -> None:
    ask(page, "Fais-moi un quiz sur le Ghana")
    page.get_by_role("button", name=re.compile("1957")).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Bravo")
    expect(page.locator(".verdict")).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_use_it(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    ask(page, "Fais-moi un quiz sur les fractions")
    page.get_by_role("button", name="2/6").click()
    expect(page.locator(".verdict")).to_contain_text("Pas tout à fait")
    wait_for_end(page)
    refuse(page, 409, "busy")
    ask(page, "Fais une fiche sur Nkrumah")
    page.get_by_role("button", name="Réessayer").click()
    expect(page.locator(".file .name")).to_have_text("fiche-nkrumah.pdf")
    wait_for_end(page)
    no_serious_fault(page)
    page.locator("#menu summary").click()
    no_serious_fault(page)


def test_every_target_is_large_enough_for_a_thumb(page: Page) -> None:
    ask(page, "Fais une fiche sur Nkrumah")
    wait_for_end(page)
    page.locator("#menu summary").click()
    for target in page.locator("button:visible, a:visible, summary:visible").all():
        box = target.bounding_box()
        assert box is not None
        assert box["height"] >= 44, target.inner_text()


def test_after_two_wrong_answers_an_exercise_shows_its_solution(page: Page) -> None:
    ask(page, "/exercice maths.add-to-100")
    card = page.locator(".exercise").last
    expect(card).to_be_visible()
    right = sum(int(each) for each in card.locator(".prose mn").all_text_contents())
    wrong = card.locator(".option").filter(has_not_text=re.compile(rf"(?<!\d){right}$"))
    wrong.nth(0).click()
    expect(card.locator(".verdict")).to_contain_text("essaie encore")
    expect(card.get_by_role("button", name="Solution")).to_be_hidden()
    wrong.nth(1).click()
    card.get_by_role("button", name="Solution").click()
    expect(page.locator(".verdict").first).to_contain_text(f"La réponse était\u00a0: {right}")
    expect(page.locator(".exercise")).to_have_count(2)
    ask(page, "/arret")
