"""The page of three phones in a real browser, as somebody meets Griot for the first time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Request, expect

from tests.support.browser_pages import MakePage, no_fault, no_small_target, screenshot
from tests.support.demo_process import Demo, demo

pytestmark = pytest.mark.browser
PATIENCE = 60_000.0
"""Milliseconds: the machine may be busy."""
PHOTO = Path(__file__).parents[2] / "docs" / "pictures" / "formulas.png"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("demo"), WELCOME_CREDITS="500") as running:
        yield running


@pytest.fixture
def page(started: Demo, make_page: MakePage) -> Page:
    """All three phones side by side."""
    return open_page(started, make_page, 1280, 800)


def open_page(started: Demo, make_page: MakePage, width: int, height: int, **more: Any) -> Page:
    expect.set_options(timeout=PATIENCE)
    page = make_page(width, height, **more)
    page.set_default_timeout(PATIENCE)
    page.goto(started.url)
    expect(page.locator("#state")).to_contain_text("pid")
    return page


def phone(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def write(page: Page, name: str, text: str) -> None:
    """Write on a phone, as the first to do so there or not."""
    box = page.get_by_label(f"Ton message, {name}")
    box.fill(text)
    box.press("Enter")
    expect(mine(page, name).last).to_contain_text(text)


def mine(page: Page, name: str) -> Locator:
    return phone(page, name).locator(".bubble.mine")


def told(page: Page, name: str) -> Locator:
    """What Griot has said there for good."""
    return phone(page, name).locator(".bubble:not(.mine):not(.draft)")


def answered(page: Page) -> None:
    """Every message has its answer, one that is counted meanwhile too."""
    end = time.monotonic() + PATIENCE / 1000
    while len({page.locator(f"#tally-{count}").inner_text() for count in ("sent", "answered")}) > 1:
        assert time.monotonic() < end, "a message has no answer"
        page.wait_for_timeout(100)


def log_in(page: Page) -> None:
    """Share the contact on Telegram, if nobody has yet."""
    if not phone(page, "Telegram").locator(".mine", has_text="👤").count():
        page.get_by_role("button", name="Connexion").click()
        expect(told(page, "Telegram").first).to_contain_text("Connexion réussie")
    answered(page)


def test_a_lesson_grows_on_telegram_and_costs_credits(page: Page) -> None:
    log_in(page)
    expect(page.locator("#balance")).to_have_text(re.compile(r"\d+"))
    before = page.locator("#balance").inner_text()
    write(page, "Telegram", "Explique-moi la photosynthèse")
    expect(phone(page, "Telegram").locator(".draft")).to_contain_text("manguier")
    expect(told(page, "Telegram").last).to_contain_text("manguier")
    expect(phone(page, "Telegram").locator(".draft")).to_have_count(0)
    expect(told(page, "Telegram").last.locator("strong").first).to_be_visible()
    expect(page.locator("#balance")).not_to_have_text(before)


def test_one_blank_line_parts_code_from_what_follows(page: Page) -> None:
    """As on a phone, where the line end after a block of code ends its last line."""
    gaps = page.evaluate(
        """async () => {
          const { fromEntities, fromMarkers, make } = await import("/demo/phones/styled.js");
          const code = [{ type: "pre", offset: 7, length: 5 }];
          const shown = [
            fromEntities("Avant\\n\\nx = 1\\n\\nSuite", code),
            fromMarkers("Avant\\n\\n```x = 1```\\n\\nSuite"),
          ];
          return shown.map((nodes) => {
            const text = make("div", "text", ...nodes);
            document.body.append(make("div", "bubble", text));
            const block = text.querySelector("pre").getBoundingClientRect();
            const range = document.createRange();
            range.setStart(text.lastChild, text.lastChild.length - "Suite".length);
            range.setEnd(text.lastChild, text.lastChild.length);
            const line = range.getBoundingClientRect();
            return (line.top - block.bottom) / line.height;
          });
        }"""
    )
    assert all(0.9 < gap < 2 for gap in gaps), gaps


def test_a_quiz_is_tapped_on_telegram(page: Page) -> None:
    log_in(page)
    write(page, "Telegram", "Fais-moi un quiz sur le Ghana")
    key = phone(page, "Telegram").get_by_role("button", name=re.compile("1957|Gold Coast"))
    key.click()
    expect(told(page, "Telegram").last).to_contain_text("Bonne réponse")
    expect(key).to_have_text(re.compile("^✅"))


def ask_two_quizzes(page: Page, name: str) -> None:
    """One of them has four options, the other three: which comes first, earlier ones decide. After
    an answer in between, the same may come once more."""
    buttons = [phone(page, name).get_by_role("button", name=each) for each in ("Choisir", "3/7")]
    for asked in range(4):
        write(page, name, "Fais-moi un quiz sur les fractions")
        answered(page)
        if asked and all(each.count() for each in buttons):
            break


def test_quizzes_are_chosen_from_a_list_and_tapped_on_whatsapp(page: Page) -> None:
    ask_two_quizzes(page, "WhatsApp")
    phone(page, "WhatsApp").get_by_role("button", name="Choisir").last.click()
    page.get_by_role("dialog").get_by_role("button", name="5/6").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(mine(page, "WhatsApp").last).to_contain_text("5/6")
    expect(mine(page, "WhatsApp").last.get_by_role("img", name="distribué")).to_be_visible()
    answered(page)
    expect(told(page, "WhatsApp").last.get_by_role("img", name="lu")).to_be_visible()
    phone(page, "WhatsApp").get_by_role("button", name="3/7").last.click()
    expect(mine(page, "WhatsApp").last).to_contain_text("3/7")
    answered(page)
    expect(told(page, "WhatsApp").last).to_contain_text("Bonne réponse")


def test_a_quiz_is_answered_by_its_number_on_sms_and_every_segment_has_its_price(
    page: Page,
) -> None:
    write(page, "SMS", "Fais-moi un quiz sur les fractions")
    expect(told(page, "SMS").last).to_contain_text(re.compile(r"2\) [35]/[67]"))
    price = re.compile(r"1\ssegment · 0,08|2\ssegments · 0,16")  # the first one says hello too
    expect(told(page, "SMS").last.locator(".segments")).to_have_text(price)
    write(page, "SMS", "2")
    expect(told(page, "SMS").last).to_contain_text("Bonne réponse")
    expect(phone(page, "SMS").locator(".spent")).to_contain_text(re.compile(r"\d segments · 0,\d"))


def is_drawn(picture: Locator) -> None:
    """It has come, and shows something."""
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("complete", value=True)
    assert picture.evaluate("picture => picture.naturalWidth") > 500


def test_a_file_is_opened(page: Page) -> None:
    log_in(page)
    write(page, "Telegram", "Fais une fiche sur Pythagore")
    opener = phone(page, "Telegram").get_by_role("button", name="Ouvrir fiche-pythagore.pdf")
    is_drawn(opener.locator("img"))
    opener.click()
    reader = page.get_by_role("dialog", name="fiche-pythagore.pdf")
    is_drawn(reader.get_by_role("img", name="Page 1 de fiche-pythagore.pdf"))
    with page.expect_download() as download:
        reader.get_by_role("link", name="Télécharger").click()
    assert download.value.suggested_filename == "fiche-pythagore.pdf"
    assert download.value.path().read_bytes().startswith(b"%PDF-")
    reader.get_by_role("button", name="Fermer").click()
    expect(reader).to_be_hidden()


def test_a_photo_is_sent_and_fetched_from_the_provider(page: Page) -> None:
    page.get_by_label("Envoyer une photo, WhatsApp").set_input_files(PHOTO)
    expect(mine(page, "WhatsApp").last.locator("img.picture")).to_be_visible()
    expect(page.locator("#lines li.whatsapp b", has_text="Media").first).to_be_visible()
    answered(page)


def test_killed_in_mid_answer_it_comes_back_and_answers_once(page: Page) -> None:
    log_in(page)
    before = told(page, "Telegram").count()
    write(page, "Telegram", "Parle-moi de Nkrumah")
    expect(phone(page, "Telegram").locator(".draft")).to_contain_text("Kwame")
    page.get_by_role("button", name="Tuer le processus").click()
    expect(page.locator("#state")).to_contain_text(re.compile(r"tué, revenu en \d+ ms"))
    expect(told(page, "Telegram")).to_have_count(before + 1)
    expect(told(page, "Telegram").last).to_contain_text("1966")
    answered(page)
    assert page.locator("#tally-doubled").inner_text() == "0"
    assert page.locator("#tally-lost").inner_text() == "0"
    marks = phone(page, "Telegram").locator(".mark")
    expect(marks.nth(-2)).to_have_text("processus tué ici")
    expect(marks.last).to_have_text(re.compile(r"de retour en \d+ ms"))


def test_delivered_twice_it_is_answered_once(page: Page) -> None:
    lessons = told(page, "WhatsApp").filter(has_text="hypoténuse")
    before = lessons.count()
    page.get_by_role("button", name="En double").click()
    write(page, "WhatsApp", "Explique-moi Pythagore")
    expect(page.get_by_role("button", name="En double")).to_have_attribute("aria-pressed", "false")
    answered(page)
    expect(lessons).to_have_count(before + 1)
    sid = re.compile(r"^SM\w{4}…")
    webhooks = page.locator("#lines li.whatsapp .about", has_text=sid).all_inner_texts()
    assert webhooks[-1].split("→")[0] == webhooks[-2].split("→")[0]
    assert page.locator("#tally-doubled").inner_text() == "0"
    mark = phone(page, "WhatsApp").locator(".mark").last
    expect(mark).to_have_text("livré deux fois : une seule réponse")


def test_delivered_late_it_is_marked_where_it_came(page: Page) -> None:
    page.get_by_role("button", name="En retard").click()
    write(page, "SMS", "Bonjour")
    expect(phone(page, "SMS").locator(".mark").last).to_have_text("livré avec 4 s de retard")
    answered(page)
    page.reload()
    expect(phone(page, "SMS").locator(".mark").last).to_have_text("livré avec 4 s de retard")


SOLUTION = re.compile(r"x ?= ?9")
"""As text, or as a formula, whose parts stand without spaces."""


def suggest(page: Page, name: str, label: str) -> None:
    phone(page, name).get_by_role("button", name=label, exact=True).click()


@pytest.mark.parametrize("name", ["Telegram", "WhatsApp"])
def test_the_sample_photo_is_solved(page: Page, name: str) -> None:
    suggest(page, name, "Photo")
    expect(mine(page, name).last.locator("img.picture")).to_be_visible()
    expect(told(page, name).last).to_contain_text(SOLUTION)
    answered(page)


def test_the_phone_follows_to_the_answer_after_a_photo(page: Page) -> None:
    suggest(page, "Telegram", "Photo")
    answer = told(page, "Telegram").filter(has_text=SOLUTION).last
    expect(answer.locator("time")).to_be_in_viewport()
    answered(page)
    expect(answer.locator("time")).to_be_in_viewport()


@pytest.mark.parametrize("name", ["Telegram", "WhatsApp"])
def test_the_sample_voice_note_is_heard_and_shown_back(page: Page, name: str) -> None:
    suggest(page, name, "Vocal")
    expect(mine(page, name).last.locator("audio")).to_be_visible()
    expect(told(page, name).last).to_contain_text("🎤 Explique-moi la photosynthèse")
    expect(told(page, name).last).to_contain_text("manguier")
    answered(page)


def test_a_suggestion_logs_in_on_telegram_before_it_needs_an_account(
    tmp_path: Path, make_page: MakePage
) -> None:
    with demo(tmp_path) as fresh:
        page = open_page(fresh, make_page, 1280, 800)
        suggest(page, "Telegram", "Crédits")
        expect(mine(page, "Telegram").first).to_contain_text("👤")
        packs = phone(page, "Telegram").get_by_role("button", name=re.compile(r"100\scrédits"))
        expect(packs).to_be_visible()


def test_a_reminder_comes_after_a_kill(page: Page) -> None:
    suggest(page, "Telegram", "Rappel")
    expect(told(page, "Telegram").last).to_contain_text("dans une minute")
    page.get_by_role("button", name="Tuer le processus").click()
    reminder = told(page, "Telegram").filter(has_text="Rappel : Réviser les fractions")
    expect(reminder).to_have_count(1, timeout=100_000)


def test_what_it_does_not_know_leads_to_what_works(page: Page) -> None:
    write(page, "WhatsApp", "Quel temps fait-il ?")
    expect(told(page, "WhatsApp").last).to_contain_text("Essaie plutôt")
    phone(page, "WhatsApp").get_by_role("button", name="Explique-moi les fractions").click()
    expect(told(page, "WhatsApp").last).to_contain_text("dénominateur")
    expect(phone(page, "WhatsApp").get_by_role("button", name="Fais-moi un quiz")).to_have_count(0)
    answered(page)


def test_credits_run_low_and_are_bought_at_the_till(tmp_path: Path, make_page: MakePage) -> None:
    with demo(tmp_path, WELCOME_CREDITS="11") as poor:
        page = open_page(poor, make_page, 1280, 800)
        write(page, "WhatsApp", "Explique-moi les fractions")
        expect(told(page, "WhatsApp").last).to_contain_text("Il te reste")
        expect(page.locator("#refill")).to_have_class(re.compile("few"))
        page.locator("#refill").click()
        expect(told(page, "WhatsApp").last).to_contain_text("A) 100 crédits")
        phone(page, "WhatsApp").get_by_role("button", name="A", exact=True).click()
        expect(told(page, "WhatsApp").last).to_contain_text(
            "Paie ici par Visa, Mastercard, mobile money (Paystack)."
        )
        with page.expect_popup() as opened:
            told(page, "WhatsApp").last.get_by_role("link").click()
        till = opened.value
        expect(till.locator(".sum")).to_have_text("500\u00a0F\u00a0CFA", use_inner_text=True)
        no_fault(till)
        till.get_by_role("button", name="Payer").click()
        expect(till.get_by_text("C’est payé")).to_be_visible()
        expect(told(page, "WhatsApp").last).to_contain_text("100 crédits")
        expect(page.locator("#balance")).to_have_text(re.compile(r"^10\d$"))
        expect(page.locator("#refill")).not_to_have_class(re.compile("few"))


def test_the_browser_chooses_the_language(started: Demo, make_page: MakePage) -> None:
    page = open_page(started, make_page, 1280, 800, locale="en-GB")
    expect(page.get_by_label("Your message, SMS")).to_be_visible()
    expect(page.locator(".pitch")).to_contain_text("Griot explains")
    chat = page.frame_locator("iframe")
    expect(
        chat.get_by_role("heading", name=re.compile("What do you want|What would"))
    ).to_be_visible()
    page.locator("[data-language=fr]").click()
    expect(page.locator(".pitch")).to_contain_text("Griot explique")
    expect(chat.get_by_role("heading", name=re.compile("Que veux"))).to_be_visible()


def test_english_is_one_tap_away(page: Page) -> None:
    page.locator("[data-language=en]").click()
    expect(page.get_by_label("Your message, SMS")).to_be_visible()
    expect(page.get_by_role("button", name="Kill the process")).to_be_enabled()
    page.locator("[data-language=fr]").click()
    expect(page.get_by_label("Ton message, SMS")).to_be_visible()


def test_the_inside_shows_provider_and_model(page: Page) -> None:
    write(page, "SMS", "Bonjour")
    answered(page)
    names = page.locator("#lines b").all_inner_texts()
    assert {"webhook", "Messages", "chat/completions"} <= set(names)


def test_a_reload_shows_what_was_said(page: Page) -> None:
    write(page, "SMS", "Bonjour")
    answered(page)
    said = told(page, "SMS").all_inner_texts()
    page.reload()
    expect(told(page, "SMS")).to_have_count(len(said))
    assert told(page, "SMS").all_inner_texts() == said


def test_the_web_chat_stands_beside_them(page: Page) -> None:
    chat = page.frame_locator("iframe")
    expect(chat.locator("#balance")).to_have_text(re.compile(r"\d+"))
    chat.get_by_role("textbox").fill("Explique-moi Pythagore")
    chat.get_by_role("textbox").press("Enter")
    expect(chat.get_by_role("log")).to_contain_text("hypoténuse")


def test_keyboard_alone_writes_and_taps(page: Page) -> None:
    ask_two_quizzes(page, "WhatsApp")  # by Enter
    phone(page, "WhatsApp").get_by_role("button", name="Choisir").last.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(mine(page, "WhatsApp").last).to_contain_text(re.compile("^2/5"))
    answered(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("width", "height"), [(320, 640), (390, 800), (1280, 800), (1440, 900), (1920, 1080)]
)
def test_it_fits_the_screen_and_is_usable_by_everyone(
    started: Demo, make_page: MakePage, width: int, height: int, scheme: str
) -> None:
    page = open_page(started, make_page, width, height, color_scheme=scheme)
    log_in(page)
    for name in ("telegram", "whatsapp", "sms", "inside", "web"):
        if width < 1024:
            page.locator(f"#tabs [data-panel={name}]").click()
        assert page.locator("html").evaluate("part => part.scrollWidth") <= width
        expect(page.locator(f"main [data-panel={name}]")).to_be_in_viewport(ratio=0.9)
        screenshot(page, f"phones-{name}-{width}-{scheme}")
    box = page.frame_locator("iframe").get_by_role("textbox")
    expect(box).to_be_in_viewport(ratio=0.9)
    no_fault(page)


@pytest.mark.parametrize(("width", "height"), [(320, 640), (360, 740)])
def test_a_thumb_hits_everything(
    started: Demo, make_page: MakePage, width: int, height: int
) -> None:
    page = open_page(started, make_page, width, height, has_touch=True, is_mobile=True)
    for name in ("telegram", "whatsapp", "sms", "inside"):
        page.locator(f"#tabs [data-panel={name}]").tap()
        no_small_target(page)
        assert page.locator("html").evaluate("part => part.scrollWidth") <= width
        expect(page.locator(f"main [data-panel={name}]")).to_be_in_viewport(ratio=0.9)
        screenshot(page, f"phones-touch-{name}-{width}")


def test_the_page_is_light(started: Demo, make_page: MakePage) -> None:
    page = make_page(390, 800)
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))
    page.goto(started.url, wait_until="load")
    page.wait_for_load_state("networkidle")
    sizes = {
        request.url: request.sizes()["responseBodySize"]
        for request in finished
        if not any(part in request.url for part in NOT_OF_THE_PAGE)
    }
    assert len(sizes) > 6
    assert sum(sizes.values()) < 60_000


FORMULA_MODULES = ("/formula.js", "/mathml.js", "/notation.js")
"""Loaded with the first formula of a conversation."""
NOT_OF_THE_PAGE = ("/demo/phones/events", "/demo/phones/files/", "/api/", *FORMULA_MODULES)
