"""The chat page in a real browser: guests, logging in by a code, and what ends a session."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from bot.contracts.models import ModelRequest
from bot.events import Emit, Thinking
from bot.messages.transcript import ModelReply
from tests.browser.griot import Griot, address_of, griot
from tests.support.browser_pages import MakePage, no_serious_fault, screenshot
from tests.support.fakes import FakeModel, reply

pytestmark = pytest.mark.browser
AWA = "+2250701020304"
PLAN = reply("", ("exit_plan_mode", '{"plan": "1. Lire.\\n2. Écrire."}'))
STEPS = [reply(f"Réponse {n}.") for n in range(1, 4)]


@pytest.fixture
def model() -> FakeModel:
    return FakeModel(*STEPS)


@pytest.fixture
def here(model: FakeModel, sqlite_template: Path, tmp_path: Path) -> Iterator[Griot]:
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", model, guest_daily_messages=2, planner_mode=True) as running:
        yield running


@pytest.fixture
def page(here: Griot, make_page: MakePage) -> Page:
    page = make_page(390, 800)
    page.goto(f"{here.url}/chat")
    expect(page.locator("#state")).to_have_text("en ligne")
    return page


def ask(page: Page, text: str) -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")


def ask_for_code(page: Page, number: str, country: str | None = None) -> None:
    page.get_by_role("button", name="Se connecter").first.click()
    if country is not None:
        page.get_by_label("Pays").select_option(country)
    page.get_by_label("Numéro de téléphone").fill(number)
    page.get_by_role("button", name="Recevoir le code").click()


def stands_between(page: Page, field: str, button: str) -> None:
    """What is wrong stands below the field and above the button, where a keyboard hides nothing."""
    shown = (
        page.locator(field),
        page.get_by_role("alert"),
        page.get_by_role("button", name=button),
    )
    boxes = [box for each in shown if (box := each.bounding_box())]
    assert len(boxes) == 3
    for upper, lower in pairwise(boxes):
        assert upper["y"] + upper["height"] <= lower["y"]


def test_a_guest_is_answered_at_once_and_told_what_a_login_brings(page: Page) -> None:
    expect(page.locator("#offer")).to_contain_text("bienvenue")
    screenshot(page, "chat-guest")
    ask(page, "Bonjour")
    expect(page.locator(".bubble")).to_have_text("Réponse 1.")
    page.reload()
    expect(page.locator(".bubble")).to_have_text("Réponse 1.")


def test_a_guest_whose_messages_are_used_up_keeps_the_text_and_is_led_to_the_login(
    page: Page,
) -> None:
    ask(page, "un")
    ask(page, "deux")
    ask(page, "trois")
    expect(page.locator(".note")).to_contain_text("messages gratuits d’aujourd’hui sont utilisés")
    expect(page.get_by_label("Ton message")).to_have_value("trois")
    page.locator(".note").get_by_role("button", name="Se connecter").click()
    expect(page.get_by_label("Numéro de téléphone")).to_be_focused()
    no_serious_fault(page)


def test_a_code_logs_in_and_the_browser_remembers(page: Page, here: Griot) -> None:
    ask_for_code(page, "07 01 02 03 04", "CI")
    expect(page.locator("#sent-to")).to_have_text(f"Code envoyé au {AWA}.")
    code = page.get_by_label("Code à 6 chiffres")
    expect(code).to_be_focused()
    expect(code).to_have_attribute("autocomplete", "one-time-code")
    expect(page.get_by_role("button", name="Renvoyer le code")).to_be_disabled()
    screenshot(page, "chat-login")
    no_serious_fault(page)
    code.fill(here.codes(AWA)[-1])
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator(".note")).to_contain_text("Connexion réussie")
    expect(page.locator("#balance")).to_have_text("50")
    page.reload()
    expect(page.locator("#balance")).to_have_text("50")
    expect(page.locator("#open-login")).to_be_hidden()
    page.locator("#menu summary").click()
    expect(page.locator("#account")).to_have_text("Connexion avec le numéro +225••••••••04")


@pytest.mark.parametrize(
    ("zone", "country"),
    [
        ("Africa/Dakar", "SN"),
        ("Africa/Abidjan", "CI"),
        ("Asia/Tokyo", "FR"),
        ("Europe/Paris", "FR"),
    ],
)
def test_the_country_is_that_of_the_clock_before_that_of_the_language(
    here: Griot, make_page: MakePage, zone: str, country: str
) -> None:
    page = make_page(390, 800, timezone_id=zone)
    page.goto(f"{here.url}/chat")
    page.get_by_role("button", name="Se connecter").first.click()
    expect(page.locator("#country")).to_have_value(country)


def test_a_number_pasted_with_its_code_chooses_its_country(page: Page, here: Griot) -> None:
    ask_for_code(page, " +221 77 123 45 67")
    expect(page.locator("#country")).to_have_value("SN")
    expect(page.locator("#sent-to")).to_have_text("Code envoyé au +221771234567.")
    assert here.codes("+221771234567")


@pytest.mark.parametrize(
    ("number", "country", "words"),
    [
        ("", "CI", "Écris ton numéro"),
        ("07 01", "CI", "Ce numéro est trop court"),
        ("0701020304", "", "Choisis ton pays"),
        ("07010203", "CI", "Je ne peux pas envoyer de code à ce numéro"),
    ],
)
def test_what_is_wrong_with_a_number_is_said_in_its_place(
    page: Page, number: str, country: str, words: str
) -> None:
    ask_for_code(page, number, country)
    expect(page.get_by_role("alert")).to_contain_text(words)
    field = page.get_by_label("Numéro de téléphone")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    stands_between(page, "#phone", "Recevoir le code")


def test_a_wrong_code_can_be_typed_again_and_the_right_one_counts(page: Page, here: Griot) -> None:
    ask_for_code(page, AWA)
    right = here.codes(AWA)[-1]
    code = page.get_by_label("Code à 6 chiffres")
    code.fill("000000" if right != "000000" else "111111")
    expect(page.get_by_role("alert")).to_contain_text("faux ou trop ancien")
    stands_between(page, "#code", "Valider")
    code.fill(f"{right[:3]} {right[3:]}")
    expect(page.locator("#balance")).to_have_text("50")


def test_a_code_can_be_asked_for_again_after_a_minute(page: Page) -> None:
    page.clock.install()
    ask_for_code(page, AWA)
    again = page.get_by_role("button", name="Renvoyer le code")
    expect(again).to_be_disabled()
    expect(again).to_have_text(re.compile(r"dans \d+\ss"))
    page.clock.run_for(61_000)
    expect(again).to_be_enabled()
    expect(again).to_have_text("Renvoyer le code")


def remember(page: Page, here: Griot) -> None:
    """This browser remembers that Awa has logged in."""
    page.evaluate("token => localStorage.setItem('griot.token', token)", here.token(AWA))


def log_in(page: Page, here: Griot) -> None:
    remember(page, here)
    page.reload()
    expect(page.locator("#balance")).to_have_text("50")


def test_who_logs_out_is_a_guest_with_an_empty_page(page: Page, here: Griot) -> None:
    log_in(page, here)
    ask(page, "Bonjour")
    token = page.evaluate("localStorage.getItem('griot.token')")
    attached: FilePayload = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}
    page.locator("#file").set_input_files([attached])
    expect(page.locator("#attached li")).to_have_count(1)
    page.locator("#menu summary").click()
    page.get_by_role("button", name="Se déconnecter").click()
    expect(page.get_by_role("button", name="Se connecter")).to_be_visible()
    expect(page.locator(".bubble, .mine, #attached li")).to_have_count(0)
    assert page.evaluate("Object.keys(localStorage)") == []
    assert here.portal.call(here.app.people.bearer, token) is None


def test_a_session_that_ended_elsewhere_makes_a_guest_who_keeps_the_text(
    page: Page, here: Griot
) -> None:
    log_in(page, here)
    page.evaluate("localStorage.setItem('griot.token', 'ended')")
    ask(page, "Bonjour")
    expect(page.locator(".note")).to_contain_text("Ta session a pris fin")
    expect(page.get_by_label("Ton message")).to_have_value("Bonjour")
    expect(page.get_by_role("button", name="Se connecter").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".bubble")).to_have_text("Réponse 1.")


class TestPlans:
    """What waits for consent."""

    @pytest.fixture
    def model(self) -> FakeModel:
        begin = reply("", ("enter_plan_mode", '{"goal": "Une fiche"}'))
        return FakeModel(begin, PLAN, reply("Comme vous voulez."))

    def test_a_plan_is_decided_by_a_button(self, page: Page, here: Griot) -> None:
        log_in(page, here)
        ask(page, "Une fiche")
        expect(page.locator(".approval li")).to_have_text(["Lire.", "Écrire."])
        no_serious_fault(page)
        page.get_by_role("button", name="D’accord").click()
        expect(page.locator(".bubble")).to_have_text("Comme vous voulez.")
        expect(page.locator(".approval")).to_contain_text("Tu as accepté")

    def test_a_change_is_asked_for_in_words_also_after_a_reload(
        self, page: Page, here: Griot, model: FakeModel
    ) -> None:
        log_in(page, here)
        ask(page, "Une fiche")
        page.reload()
        page.get_by_role("button", name="Modifier").click()
        page.get_by_label("Que faut-il changer ?").fill("en rouge")
        page.locator(".change").get_by_role("button", name="Envoyer").click()
        expect(page.locator(".bubble")).to_have_text("Comme vous voulez.")
        assert "en rouge" in str(model.requests[-1].messages[-1])
        page.reload()
        expect(page.locator(".bubble")).to_have_text("Comme vous voulez.")
        expect(page.get_by_role("button", name="Modifier")).to_have_count(0)


def test_who_writes_before_the_page_knows_them_is_answered_as_themselves(
    page: Page, here: Griot
) -> None:
    def answer_late(route: Route) -> None:
        page.get_by_label("Ton message").fill("Bonjour")
        page.keyboard.press("Enter")
        route.continue_()

    page.route("**/api/v1/me", answer_late, times=1)
    remember(page, here)
    page.reload()
    expect(page.locator(".bubble")).to_have_text("Réponse 1.")
    expect(page.locator(".note")).to_have_count(0)
    expect(page.locator("#balance")).to_have_text("49")


class TestThinking:
    @pytest.fixture
    def model(self) -> FakeModel:
        def think(_: ModelRequest, emit: Emit) -> ModelReply:
            emit(Thinking("Je cherche "))
            emit(Thinking("un exemple."))
            return reply("Une mangue.")

        return FakeModel(think)

    def test_what_was_thought_is_folded_away(self, page: Page) -> None:
        ask(page, "Un fruit ?")
        expect(page.locator(".bubble")).to_have_text("Une mangue.")
        expect(page.get_by_text("Je cherche un exemple.")).to_be_hidden()
        page.get_by_text("Réflexion").click()
        expect(page.get_by_text("Je cherche un exemple.")).to_be_visible()


def test_an_answer_that_comes_later_as_a_job_is_shown_here(page: Page) -> None:
    job = '{"job_id": "j1"}'
    page.route("**/api/v1/chat", lambda route: route.fulfill(status=202, body=job), times=1)
    said = 'event: content\ndata: {"text": "Plus tard."}\n\n'
    end = 'event: end\ndata: {"reason": "answered"}\n\n'
    page.route("**/api/v1/jobs/j1/events", lambda route: route.fulfill(body=said + end))
    ask(page, "Prends ton temps")
    expect(page.locator(".bubble")).to_have_text("Plus tard.")


def test_no_address_logs_anybody_in(page: Page, here: Griot) -> None:
    page.goto(f"{here.url}/healthz")
    page.goto(f"{here.url}/chat#token={here.token(AWA)}")
    expect(page.get_by_role("button", name="Se connecter")).to_be_visible()
    assert page.evaluate("localStorage.getItem('griot.token')") is None


def test_pages_of_this_site_may_embed_it(page: Page, here: Griot) -> None:
    remember(page, here)
    page.goto(f"{here.url}/healthz")
    page.evaluate(
        "() => document.body.append(Object.assign("
        "document.createElement('iframe'), { src: '/chat' }))"
    )
    frame = page.frame_locator("iframe")
    expect(frame.locator("#balance")).to_have_text("50")
    frame.get_by_label("Ton message").fill("Bonjour")
    frame.get_by_label("Ton message").press("Enter")
    expect(frame.locator(".bubble")).to_have_text("Réponse 1.")


def test_a_guest_may_practise_by_one_tap(page: Page) -> None:
    page.get_by_role("button", name="M’exercer").click()
    expect(page.locator(".mine")).to_have_text("/exercice")
    expect(page.locator(".exercise")).to_be_visible()


def test_both_languages_have_the_same_words(page: Page) -> None:
    module = address_of(page, "words.js")
    shapes = page.evaluate(
        """async (module) => Object.values((await import(module)).WORDS).map((words) =>
            Object.entries(words).map(([name, value]) => `${name} ${JSON.stringify(
                typeof value === "string" ? [...value.matchAll(/{\\w+}/g)].map(String).sort()
                    : Array.isArray(value) ? value.length : Object.keys(value))}`))""",
        module,
    )
    assert shapes[0] == shapes[1]


class TestSigns:
    @pytest.fixture
    def model(self) -> FakeModel:
        return FakeModel(reply("2*3*4 = 24, f(a*b*c), *vrai* et [lien](https://a.org/x_(y)_z)"))

    def test_products_are_not_emphasis_and_addresses_keep_their_brackets(self, page: Page) -> None:
        ask(page, "Combien ?")
        expect(page.locator(".bubble")).to_have_text("2*3*4 = 24, f(a*b*c), vrai et lien")
        expect(page.locator(".bubble em")).to_have_text("vrai")
        assert page.locator(".bubble a").get_attribute("href") == "https://a.org/x_(y)_z"
