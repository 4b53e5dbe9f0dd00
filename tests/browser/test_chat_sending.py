"""What a person does in the chat beside writing: files, voice, conversations, copying."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from email import message_from_bytes
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

from bot.messages.transcript import UserMessage
from tests.browser.griot import Griot, griot
from tests.support.browser_pages import MakePage, no_fault, screenshot
from tests.support.fakes import FakeModel, reply

pytestmark = pytest.mark.browser
AWA = "+2250701020304"
MOST_BYTES = 60_000
"""Of all that comes before the page can be used: some 1.2 seconds at 400 kbit/s."""


@pytest.fixture
def model() -> FakeModel:
    texts = ("# Un\n\n$x^2$ et **gras**", "Deux.", "Trois.", "\n\n".join(["Long."] * 60))
    return FakeModel(*map(reply, texts))


@pytest.fixture
def here(model: FakeModel, sqlite_template: Path, tmp_path: Path) -> Iterator[Griot]:
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", model, guest_daily_messages=20) as running:
        yield running


@pytest.fixture
def page(here: Griot, make_page: MakePage) -> Page:
    page = make_page(390, 800, permissions=["microphone", "clipboard-read", "clipboard-write"])
    page.goto(f"{here.url}/chat")
    expect(page.locator("#state")).to_have_text("en ligne")
    return page


def ask(page: Page, text: str) -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")


def picture(width: int = 3000, height: int = 2000) -> dict[str, Any]:
    file = io.BytesIO()
    Image.effect_noise((width, height), 40).save(file, "PNG")
    return {"name": "tableau.png", "mimeType": "image/png", "buffer": file.getvalue()}


class Heard:
    """What the gateway is sent with files; where a status is given, that is the answer."""

    def __init__(self, page: Page, status: int = 200) -> None:
        self.parts: list[tuple[str, str | None, str, bytes]] = []
        self._status = status
        page.route("**/api/v1/chat", self._answer)

    def _answer(self, route: Route) -> None:
        kind = route.request.headers["content-type"]
        if not kind.startswith("multipart/"):
            return route.continue_()
        body = route.request.post_data_buffer or b""
        message = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
        self.parts = [
            (
                str(part.get_param("name", header="content-disposition")),
                part.get_filename(),
                part.get_content_type(),
                bytes(part.get_payload(decode=True) or b""),  # pyright: ignore[reportArgumentType]
            )
            for part in message.walk()
            if not part.is_multipart()
        ]
        if self._status != 200:
            error = {"error": {"code": "too_large", "message": "C’est trop lourd."}}
            return route.fulfill(status=self._status, body=json.dumps(error))
        return route.continue_()

    def field(self, name: str) -> str:
        return next(content.decode() for key, _, _, content in self.parts if key == name)

    @property
    def files(self) -> list[tuple[str | None, str, bytes]]:
        return [part[1:] for part in self.parts if part[0] == "attachment"]


def test_a_photo_is_made_smaller_shown_and_sent(page: Page) -> None:
    heard = Heard(page)
    page.locator("#file").set_input_files([picture()])  # pyright: ignore[reportArgumentType]
    expect(page.locator("#attached img")).to_be_visible()
    screenshot(page, "chat-photo-chosen")
    no_fault(page)
    page.get_by_label("Ton message").fill("Corrige")
    page.get_by_role("button", name="Envoyer", exact=True).click()
    expect(page.locator(".bubble")).to_contain_text("gras")
    expect(page.locator(".mine img")).to_have_js_property("naturalWidth", 1600)
    expect(page.locator(".mine").last).to_have_text("Corrige")
    expect(page.locator("#attached li")).to_have_count(0)
    assert heard.field("message") == "Corrige"
    assert re.fullmatch(r"[0-9a-f]{32}", heard.field("session_id"))
    [(name, kind, content)] = heard.files
    assert (name, kind) == ("tableau.jpg", "image/jpeg")
    assert Image.open(io.BytesIO(content)).size == (1600, 1067)
    screenshot(page, "chat-photo-sent")


SLOW_PICTURES = """() => {
    const read = window.createImageBitmap;
    window.createImageBitmap = async (...given) => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return read(...given);
    };
}"""


def test_what_is_sent_while_a_photo_is_made_smaller_goes_with_it(page: Page) -> None:
    heard = Heard(page)
    page.evaluate(SLOW_PICTURES)
    page.get_by_label("Ton message").fill("Corrige")
    page.locator("#file").set_input_files([picture(40, 30)] * 2)  # pyright: ignore[reportArgumentType]
    page.keyboard.press("Enter")
    expect(page.locator(".mine").last).to_have_text("Corrige")
    assert len(heard.files) == 2


DROP = """(target, [event, name, kind]) => {
    const data = new DataTransfer();
    data.items.add(new File(["Il était une fois"], name, { type: kind }));
    const given = event === "paste" ? { clipboardData: data } : { dataTransfer: data };
    const Kind = event === "paste" ? ClipboardEvent : DragEvent;
    target.dispatchEvent(new Kind(event, { ...given, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize("event", ["paste", "drop"])
def test_a_document_is_pasted_or_dropped(page: Page, event: str) -> None:
    heard = Heard(page)
    page.locator("#message").evaluate(DROP, [event, "conte.txt", "text/plain"])
    expect(page.locator("#attached")).to_contain_text("conte.txt")
    page.get_by_role("button", name="Envoyer", exact=True).click()
    expect(page.locator(".mine")).to_contain_text("conte.txt")
    expect(page.locator(".mine")).to_contain_text("18\u00a0octets")
    assert heard.files == [("conte.txt", "text/plain", "Il était une fois".encode())]


def test_a_file_can_be_taken_away_again(page: Page) -> None:
    page.locator("#message").evaluate(DROP, ["paste", "conte.txt", "text/plain"])
    page.get_by_role("button", name="Retirer conte.txt").click()
    expect(page.locator("#attached")).to_be_hidden()
    expect(page.locator("#message")).to_be_focused()
    expect(page.locator("#send")).to_be_disabled()


def test_too_many_files_and_too_large_ones_are_said(page: Page) -> None:
    small = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}
    page.locator("#file").set_input_files([small] * 6)  # pyright: ignore[reportArgumentType]
    expect(page.locator(".note")).to_contain_text("5 fichiers au plus")
    expect(page.locator("#attached li")).to_have_count(5)
    page.reload()
    large = {"name": "gros.pdf", "mimeType": "application/pdf", "buffer": bytes(16_000_001)}
    page.locator("#file").set_input_files([large])  # pyright: ignore[reportArgumentType]
    expect(page.locator(".note")).to_contain_text("gros.pdf est trop lourd")


def test_what_was_refused_keeps_its_files(page: Page) -> None:
    Heard(page, status=413)
    page.locator("#message").evaluate(DROP, ["paste", "conte.txt", "text/plain"])
    page.get_by_label("Ton message").fill("Lis")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_contain_text("C’est trop lourd.")
    expect(page.locator("#attached")).to_contain_text("conte.txt")
    expect(page.get_by_label("Ton message")).to_have_value("Lis")
    expect(page.locator(".mine")).to_have_count(0)


def test_a_voice_note_is_recorded_and_sent(page: Page) -> None:
    heard = Heard(page)
    page.get_by_role("button", name="Enregistrer un message vocal").click()
    expect(page.locator("#voice-time")).to_have_text("0:01")
    screenshot(page, "chat-voice")
    no_fault(page)
    page.get_by_role("button", name="Envoyer le message vocal").click()
    expect(page.locator(".bubble")).to_contain_text("gras")
    expect(page.locator(".mine audio")).to_be_visible()
    [(name, kind, content)] = heard.files
    assert kind.startswith("audio/")
    assert name is not None
    assert name.startswith("voice.")
    assert len(content) > 500
    expect(page.locator("#message")).to_be_visible()


def test_a_recording_can_be_thrown_away(page: Page) -> None:
    heard = Heard(page)
    page.get_by_role("button", name="Enregistrer un message vocal").click()
    expect(page.locator("#voice-send")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#message")).to_be_visible()
    expect(page.locator(".mine")).to_have_count(0)
    assert heard.parts == []


def test_a_microphone_that_is_held_sends_when_let_go(page: Page) -> None:
    heard = Heard(page)
    box = page.get_by_role("button", name="Enregistrer un message vocal").bounding_box()
    assert box is not None
    devtools = page.context.new_cdp_session(page)
    point = {"x": box["x"] + 20, "y": box["y"] + 20}
    devtools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    expect(page.locator("#voice-time")).to_have_text("0:01")
    devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".bubble")).to_contain_text("gras")
    assert len(heard.files) == 1


def test_a_message_that_the_browser_sends_again_is_answered_once(
    page: Page, model: FakeModel
) -> None:
    def send_twice(route: Route) -> None:
        first = route.request.headers
        again = page.context.request.fetch(
            route.request.url, method="POST", headers=first, data=route.request.post_data_buffer
        )
        assert again.ok
        route.continue_()

    page.route("**/api/v1/chat", send_twice)
    ask(page, "Corrige")
    expect(page.locator(".bubble")).to_contain_text("gras")
    page.reload()
    expect(page.locator(".mine")).to_have_count(1)
    assert len(model.requests) == 1


def test_files_that_were_sent_are_named_in_the_history(page: Page) -> None:
    page.locator("#message").evaluate(DROP, ["paste", "conte.txt", "text/plain"])
    page.locator("#file").set_input_files([picture(40, 30)])  # pyright: ignore[reportArgumentType]
    ask(page, "Corrige")
    expect(page.locator(".bubble")).to_contain_text("gras")
    page.reload()
    expect(page.locator(".sent-file")).to_have_count(2)
    expect(page.locator(".sent")).to_contain_text("conte.txt")
    expect(page.locator(".sent")).to_contain_text("18\u00a0octets")
    expect(page.locator(".sent")).to_contain_text("Photo")
    expect(page.locator(".mine").last).to_contain_text("Corrige")
    screenshot(page, "chat-history")


def open_drawer(page: Page) -> None:
    page.get_by_role("button", name="Conversations").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_guest_goes_back_to_an_earlier_conversation(page: Page) -> None:
    ask(page, "Les fractions")
    open_drawer(page)
    no_fault(page)
    page.get_by_role("dialog").get_by_role("button", name="Nouvelle conversation").click()
    expect(page.locator(".mine")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    ask(page, "Le Ghana")
    expect(page.locator(".bubble")).to_have_text("Deux.")
    open_drawer(page)
    names = page.locator(".conversation .title")
    expect(names).to_have_text(["Le Ghana", "Les fractions"])
    expect(page.locator(".conversation[aria-current]")).to_contain_text("Le Ghana")
    screenshot(page, "chat-conversations")
    names.last.click()
    expect(page.locator(".mine")).to_have_text("Les fractions")
    expect(page.locator(".bubble h2")).to_have_text("Un")


def log_in(page: Page, here: Griot) -> None:
    page.get_by_role("button", name="Se connecter").first.click()
    page.get_by_label("Numéro de téléphone").fill(AWA)
    page.get_by_role("button", name="Recevoir le code").click()
    code = here.codes(AWA)[-1]
    page.get_by_label("Code à 6 chiffres").fill(code)
    expect(page.locator("#balance")).to_have_text(re.compile(r"\d+"))


def test_a_login_takes_the_guests_conversation_along(
    page: Page, here: Griot, model: FakeModel
) -> None:
    ask(page, "Les fractions")
    log_in(page, here)
    assert page.evaluate("localStorage.getItem('griot.conversations')") is None
    expect(page.locator(".mine")).to_have_text("Les fractions")
    ask(page, "Et alors ?")
    expect(page.locator(".bubble")).to_have_count(2)
    asked = [each.text for each in model.requests[-1].messages if isinstance(each, UserMessage)]
    assert asked == ["Les fractions", "Et alors ?"]
    open_drawer(page)
    expect(page.locator(".conversation .title")).to_have_text(["Les fractions"])


def test_a_person_goes_on_with_the_conversation_of_the_phone(
    page: Page, here: Griot, model: FakeModel
) -> None:
    here.portal.call(partial(here.twilio.say, AWA, "Coucou", whatsapp=True))
    here.portal.call(here.twilio.settled)
    log_in(page, here)
    open_drawer(page)
    expect(page.locator(".conversation .title")).to_have_text(["Sur mon téléphone"])
    page.get_by_role("button", name="Sur mon téléphone").click()
    expect(page.locator(".mine")).to_have_text("Coucou")
    expect(page.locator(".bubble h2")).to_have_text("Un")
    ask(page, "Suite")
    expect(page.locator(".bubble").last).to_have_text("Deux.")
    asked = [each.text for each in model.requests[-1].messages if isinstance(each, UserMessage)]
    assert asked == ["Coucou", "Suite"]
    page.reload()
    expect(page.locator(".mine")).to_have_text(["Coucou", "Suite"])


def test_a_text_is_opened_in_the_page(
    sqlite_template: Path, tmp_path: Path, make_page: MakePage
) -> None:
    content = "## Le théorème\n\n$a^2$ et **b**"
    call = json.dumps({"filename": "fiche", "title": "Pythagore", "content": content})
    model = FakeModel(reply("", ("generate_md", call)), reply("Voici ta fiche."))
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", model) as here:
        page = make_page(390, 800)
        page.goto(f"{here.url}/chat")
        log_in(page, here)
        ask(page, "Une fiche")
        page.get_by_role("button", name="Ouvrir").click()
        reader = page.get_by_role("dialog")
        expect(reader.get_by_role("heading", name="Le théorème")).to_be_visible()
        expect(reader.locator("msup")).to_have_count(1)
        reader.get_by_role("button", name="Fermer").click()
        expect(reader).to_be_hidden()
        with page.expect_download() as download:
            page.get_by_role("link", name="Télécharger").click()
        assert download.value.suggested_filename == "fiche.md"
        page.route("**/files/*", lambda route: route.fulfill(status=410))
        page.get_by_role("button", name="Ouvrir").click()
        expect(reader).to_contain_text("Ce fichier n’est plus là")


def test_an_answer_is_copied_as_it_was_written(page: Page) -> None:
    ask(page, "Bonjour")
    page.locator(".after").get_by_role("button", name="Copier").click()
    expect(page.locator(".after")).to_contain_text("Copié")
    assert page.evaluate("navigator.clipboard.readText()") == "# Un\n\n$x^2$ et **gras**"


def test_the_last_question_is_asked_again(page: Page) -> None:
    ask(page, "Bonjour")
    page.get_by_role("button", name="Redemander").click()
    expect(page.locator(".bubble")).to_have_count(2)
    expect(page.locator(".mine")).to_have_text(["Bonjour", "Bonjour"])
    page.reload()
    expect(page.get_by_role("button", name="Redemander")).to_have_count(1)


def test_an_answer_without_a_model_is_not_asked_for_again(page: Page) -> None:
    ask(page, "/aide")
    expect(page.get_by_role("button", name="Copier")).to_have_count(1)
    expect(page.get_by_role("button", name="Redemander")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("button", name="Copier")).to_have_count(1)
    expect(page.get_by_role("button", name="Redemander")).to_have_count(0)


def test_one_tap_leads_back_to_the_end(page: Page) -> None:
    for text in ("un", "deux", "trois", "quatre"):
        ask(page, text)
    button = page.get_by_role("button", name="Aller à la fin")
    expect(button).to_be_hidden()
    page.locator("#log").evaluate("log => (log.scrollTop = 0)")
    button.click()
    expect(button).to_be_hidden()
    left = "log => log.scrollHeight - log.scrollTop - log.clientHeight"
    assert page.locator("#log").evaluate(left) < 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["fr-FR", "en-GB"])
def test_axe_finds_nothing(
    here: Griot, make_page: MakePage, scheme: Literal["light", "dark"], locale: str
) -> None:
    page = make_page(390, 800, color_scheme=scheme, locale=locale, reduced_motion="reduce")
    page.goto(f"{here.url}/chat")
    expect(page.locator("#open-drawer")).to_be_enabled()
    no_fault(page)
    page.locator("#message").fill("Bonjour")
    page.keyboard.press("Enter")
    expect(page.locator(".after")).to_be_visible()
    no_fault(page)


SIZE_TO_BEGIN = """() => {
    const [page] = performance.getEntriesByType("navigation");
    const needed = performance.getEntriesByType("resource")
        .filter((file) => file.startTime < page.loadEventStart);
    return [page, ...needed].reduce((sum, file) => sum + file.transferSize, 0);
}"""
"""Bytes of all that the page asks for before it has come, headers included."""


def test_the_page_is_light(page: Page) -> None:
    size = page.evaluate(SIZE_TO_BEGIN)
    assert 20_000 < size < MOST_BYTES


def test_nothing_moves_while_the_page_comes_and_an_answer_is_shown(page: Page) -> None:
    page.add_init_script(
        """globalThis.moved = 0;
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) moved += entry.value;
        }).observe({ type: "layout-shift", buffered: true });"""
    )
    page.reload()
    expect(page.locator("#open-drawer")).to_be_enabled()
    ask(page, "Bonjour")
    expect(page.locator(".after")).to_be_visible()
    assert page.evaluate("moved") < 0.05


def test_what_is_sent_while_the_page_reads_what_was_said_goes_after_it(page: Page) -> None:
    ask(page, "Première")
    held: list[Route] = []
    page.route("**/api/v1/sessions/*/turns", lambda route: held.append(route), times=1)
    page.reload()
    expect(page.locator("#state")).to_have_text("relit la conversation…")
    page.get_by_label("Ton message").fill("Deuxième")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Ton message")).to_have_value("Deuxième")
    held.pop().continue_()
    expect(page.locator(".mine")).to_have_text(["Première", "Deuxième"])
    expect(page.locator(".bubble").last).to_contain_text("Deux.")
    expect(page.get_by_label("Ton message")).to_have_value("")
