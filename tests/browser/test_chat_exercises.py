"""Exercises in the chat: help on request, and what is still there when the page is opened again."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.griot import Griot, ask, griot, open_logged_in
from tests.support.browser_pages import MakePage, no_serious_fault, screenshot
from tests.support.fakes import FakeModel, reply

pytestmark = pytest.mark.browser
AWA = "+2250701020304"
GIVEN: dict[str, Any] = {
    "statement": "Combien font 7 × 8 ?",
    "kind": "number",
    "solution": "56",
    "hints": ["Pense à 7 × 7.", "7 × 7 = 49."],
    "steps": ["7 × 7 = 49", "49 + 7 = 56"],
}


@pytest.fixture
def model() -> FakeModel:
    return FakeModel()


@pytest.fixture
def here(model: FakeModel, sqlite_template: Path, tmp_path: Path) -> Iterator[Griot]:
    shutil.copy(sqlite_template, tmp_path)
    with griot(tmp_path / "griot.db", model, rate_limit_per_minute=0) as running:
        yield running


@pytest.fixture
def page(here: Griot, make_page: MakePage) -> Page:
    """A small phone whose owner has logged in."""
    return open_logged_in(make_page(), here, AWA)


def ask_given(page: Page, model: FakeModel) -> Locator:
    model.add(reply("", ("give_exercise", json.dumps(GIVEN))), reply(""))
    ask(page, "Un exercice")
    return page.locator(".exercise").last


def answer(card: Locator, text: str) -> None:
    card.get_by_label("Ta réponse").fill(text)
    card.get_by_label("Ta réponse").press("Enter")


def solve(card: Locator) -> str:
    """Tap the right option of a sum; return it."""
    right = str(sum(int(each) for each in card.locator(".prose mn").all_text_contents()))
    card.locator(".option").filter(has_text=re.compile(rf"(?<!\d){right}$")).click()
    return right


def test_hints_come_in_order_and_the_solution_after_them(page: Page, model: FakeModel) -> None:
    card = ask_given(page, model)
    hint = card.get_by_role("button", name="Indice")
    solution = card.get_by_role("button", name="Solution")
    expect(solution).to_be_hidden()
    page.reload()
    hint.click()  # before any try, as on phones
    expect(card.locator(".hints")).to_contain_text("Pense à")
    answer(card, "54")
    expect(card.locator(".verdict")).to_contain_text("essaie encore")
    expect(card.locator(".hints .prose")).to_have_count(1)
    expect(solution).to_be_hidden()
    no_serious_fault(page)
    screenshot(page, "chat-exercise-hint")
    hint.click()
    expect(card.locator(".hints .prose")).to_have_count(2)
    expect(hint).to_be_hidden()
    solution.click()
    expect(card.locator(".verdict")).to_contain_text("La réponse était\u00a0: 56")
    expect(card.locator(".verdict li")).to_have_count(2)
    expect(solution).to_be_hidden()


def test_two_tries_allow_the_solution(page: Page, model: FakeModel) -> None:
    card = ask_given(page, model)
    for wrong in ("54", "63"):
        expect(card.get_by_role("button", name="Solution")).to_be_hidden()
        answer(card, wrong)
        expect(card.locator(".verdict")).to_contain_text("essaie encore")
    card.get_by_role("button", name="Solution").click()
    expect(card.locator(".verdict")).to_contain_text("56")


def test_the_word_for_a_hint_may_be_typed_into_the_card(page: Page, model: FakeModel) -> None:
    card = ask_given(page, model)
    answer(card, "indice")
    expect(card.locator(".hints")).to_contain_text("Pense à")
    answer(card, "solution")
    expect(card.locator(".verdict")).to_contain_text("deux essais")


def test_a_reload_shows_solved_exercises_and_the_open_one(page: Page) -> None:
    ask(page, "/exercice maths.add-to-100")
    right = solve(page.locator(".exercise"))
    expect(page.locator(".exercise")).to_have_count(2)
    wrong = page.locator(".exercise").last.locator(".option")
    sums = page.locator(".exercise").last.locator(".prose mn").all_text_contents()
    missed = wrong.filter(has_not_text=re.compile(rf"(?<!\d){sum(map(int, sums))}$")).first
    missed.click()
    page.locator(".exercise").last.get_by_role("button", name="Indice").click()
    expect(page.locator(".exercise").last.locator(".hints .prose")).to_have_count(1)
    page.reload()
    first, second = page.locator(".exercise").first, page.locator(".exercise").nth(1)
    expect(first.locator(".verdict")).to_contain_text(f"Bravo, c’est juste\u00a0: {right}")
    expect(first.locator(".option.right")).to_contain_text(right)
    expect(first.locator(".option:enabled")).to_have_count(0)
    expect(second.locator(".verdict")).to_contain_text("essaie encore")
    expect(second.locator(".hints .prose")).to_have_count(1)
    expect(second.locator(".option.wrong")).to_be_disabled()
    screenshot(page, "chat-exercise-reload")
    solve(second)
    expect(second.locator(".verdict")).to_contain_text("Bravo")
    expect(page.locator(".exercise")).to_have_count(3)


def test_a_replaced_exercise_is_closed_by_a_tap(page: Page) -> None:
    ask(page, "/exercice maths.add-to-100")
    expect(page.locator(".exercise")).to_have_count(1)
    ask(page, "/exercice maths.add-to-100")
    expect(page.locator(".exercise")).to_have_count(2)
    replaced = page.locator(".exercise").first
    replaced.locator(".option").first.click()
    expect(replaced.locator(".verdict")).to_have_text("Cet exercice est terminé.")
    expect(replaced.locator(".option:enabled")).to_have_count(0)


def test_a_typed_answer_is_read_back(page: Page, model: FakeModel) -> None:
    card = ask_given(page, model)
    answer(card, "56")
    expect(card.locator(".verdict")).to_contain_text("Bravo")
    page.reload()
    expect(card.locator(".verdict")).to_contain_text("Bravo, c’est juste\u00a0: 56")
    expect(card.get_by_label("Ta réponse")).to_be_disabled()
