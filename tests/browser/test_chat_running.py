"""The chat while an answer runs, after it was stopped, and after the network was away."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from bot.contracts.models import ModelRequest
from bot.events import Content, Emit, Thinking
from bot.messages.transcript import ModelReply
from tests.browser.griot import Griot, griot, open_logged_in
from tests.support.browser_pages import MakePage, screenshot
from tests.support.fakes import FakeModel, reply

pytestmark = pytest.mark.browser
AWA = "+2250701020304"


@dataclass
class _Paused(FakeModel):
    """Says a beginning, and the end once the test lets it go on; asked to think aloud, a thought
    that only its end shows to be one."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list[str])

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        self.asked.append(request.messages[-1].text)  # pyright: ignore[reportAttributeAccessIssue]
        if "tout haut" in self.asked[-1]:
            return await self._think_aloud(emit)
        emit(Content("Kwame Nkrumah est né à Nkroful. "))
        await self.go_on.wait()
        emit(Content("Il est mort à Bucarest."))
        return reply("Kwame Nkrumah est né à Nkroful. Il est mort à Bucarest.")

    async def _think_aloud(self, emit: Emit) -> ModelReply:
        emit(Content("Je cherche encore. "))
        await self.go_on.wait()
        emit(Thinking("Je cherche encore. ", replaces_content=True))
        emit(Content("À Nkroful."))
        return reply("À Nkroful.")


@pytest.fixture
def model() -> _Paused:
    return _Paused()


@pytest.fixture
def here(model: _Paused, sqlite_template: Path, tmp_path: Path) -> Iterator[Griot]:
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", model, rate_limit_per_minute=0) as running:
        yield running
        running.portal.call(model.go_on.set)


@pytest.fixture
def page(here: Griot, make_page: MakePage) -> Page:
    """A small phone whose owner has logged in."""
    return open_logged_in(make_page(), here, AWA)


def begin(page: Page, text: str = "Nkrumah ?") -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".bubble").last).to_contain_text("Nkroful")


def wait_for_end(page: Page) -> None:
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")


def test_a_thought_that_was_shown_as_an_answer_leaves_the_bubble(
    page: Page, here: Griot, model: _Paused
) -> None:
    page.get_by_label("Ton message").fill("Pense tout haut.")
    page.keyboard.press("Enter")
    expect(page.locator(".bubble").last).to_contain_text("Je cherche")
    here.portal.call(model.go_on.set)
    wait_for_end(page)
    expect(page.locator(".bubble").last).to_have_text("À Nkroful.")
    expect(page.locator(".thinking")).to_contain_text("Je cherche encore.")


def test_credits_are_no_fewer_while_an_answer_is_waited_for(
    page: Page, here: Griot, model: _Paused
) -> None:
    begin(page)
    page.reload()
    expect(page.locator(".mine")).to_have_text("Nkrumah ?")
    expect(page.locator("#balance")).to_have_text("50")
    here.portal.call(model.go_on.set)
    wait_for_end(page)
    expect(page.locator("#balance")).to_have_text("49")


def test_a_stopped_answer_is_still_there_after_a_reload(page: Page) -> None:
    begin(page)
    page.get_by_role("button", name="Arrêter la réponse").click()
    expect(page.locator(".note")).to_have_text("Réponse arrêtée.")
    wait_for_end(page)
    page.reload()
    expect(page.locator(".bubble")).to_contain_text("Nkroful")
    expect(page.locator(".note")).to_have_text("Réponse arrêtée.")
    expect(page.locator(".mine")).to_have_count(1)


def test_what_is_sent_while_an_answer_runs_goes_after_it(
    page: Page, here: Griot, model: _Paused
) -> None:
    begin(page)
    box = page.get_by_label("Ton message")
    box.fill("Et après ?")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_contain_text("partira")
    expect(box).to_have_value("Et après ?")
    screenshot(page, "chat-queued")
    here.portal.call(model.go_on.set)
    expect(page.locator(".mine").last).to_have_text("Et après ?")
    expect(page.locator(".bubble")).to_have_count(2)
    wait_for_end(page)
    expect(page.locator(".note")).to_have_count(0)
    expect(box).to_have_value("")
    assert len(model.asked) == 2


def test_what_is_changed_before_the_answer_ends_waits_to_be_sent(
    page: Page, here: Griot, model: _Paused
) -> None:
    begin(page)
    box = page.get_by_label("Ton message")
    box.fill("Et après")
    page.keyboard.press("Enter")
    box.press_sequentially(" ?")
    expect(page.locator(".note")).to_have_count(0)
    here.portal.call(model.go_on.set)
    wait_for_end(page)
    expect(box).to_have_value("Et après ?")
    expect(page.locator(".mine")).to_have_count(1)


def test_what_was_not_sent_is_said_after_what_came_meanwhile(
    page: Page, here: Griot, model: _Paused, make_page: MakePage
) -> None:
    here.portal.call(model.go_on.set)
    begin(page)
    wait_for_end(page)

    def lose(route: Route) -> None:
        route.abort("internetdisconnected")

    page.route("**/api/v1/chat", lose)
    page.route("**/turns", lose)
    page.get_by_label("Ton message").fill("Perdu ?")
    page.keyboard.press("Enter")
    expect(page.locator("#log > .note")).to_be_visible()
    other = make_page()  # the same conversation elsewhere
    other.goto(f"{here.url}/chat")
    kept = page.evaluate("({ ...localStorage })")
    other.evaluate("kept => Object.assign(localStorage, kept)", kept)
    other.reload()
    expect(other.locator(".mine")).to_have_count(1)
    begin(other, "Ailleurs ?")
    wait_for_end(other)
    page.unroute("**/turns")
    page.unroute("**/api/v1/chat")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".mine").last).to_have_text("Ailleurs ?")
    last = page.locator("#log > :last-child")
    expect(last).to_contain_text("Ton message n’est pas parti")
    expect(page.get_by_label("Ton message")).to_have_value("Perdu ?")


def test_back_closes_the_drawer_and_not_the_chat(page: Page) -> None:
    address = page.url
    opener = page.get_by_role("button", name="Conversations")
    opener.click()
    expect(page.locator("#drawer")).to_be_visible()
    page.go_back()
    expect(page.locator("#drawer")).to_be_hidden()
    assert page.url == address
    opener.click()
    expect(page.locator("#drawer")).to_be_visible()
    page.locator("#drawer-close").click()
    expect(page.locator("#drawer")).to_be_hidden()
    page.wait_for_function("!history.state")
    assert page.url == address


def test_back_leads_where_it_led_before_the_drawer(page: Page, here: Griot) -> None:
    page.goto(f"{here.url}/")
    page.goto(f"{here.url}/chat")
    page.get_by_role("button", name="Conversations").click()
    page.locator("#drawer-new").click()
    expect(page.locator("#drawer")).to_be_hidden()
    page.wait_for_function("!history.state")
    page.go_back()
    expect(page).to_have_url(f"{here.url}/")
