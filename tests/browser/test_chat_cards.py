"""Cards in the chat whose texts hold formulas."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.griot import Griot, griot
from tests.support.browser_pages import MakePage, no_serious_fault, screenshot
from tests.support.fakes import FakeModel, reply

pytestmark = pytest.mark.browser
AWA = "+2250701020304"
QUIZ: dict[str, Any] = {
    "question": "Si $AB = 6$ et $AC = 8$, que vaut $BC$ ?",
    "options": [r"$\frac{20}{2}$", r"$\sqrt{28}$", "$x^2$ ou $x_1$"],
    "correct_index": 0,
    "explanation": r"$\sqrt{6^2 + 8^2} = 10$.",
}
EXERCISE: dict[str, Any] = {
    "statement": r"Calcule $\frac{1}{2} + \frac{1}{3}$.",
    "kind": "number",
    "solution": r"$\frac{5}{6}$",
    "hints": ["Mets les deux fractions au même dénominateur.", "Le dénominateur 6 convient."],
    "steps": [r"$\frac{3}{6} + \frac{2}{6}$"],
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
    page = make_page()
    page.goto(f"{here.url}/chat")
    page.evaluate("token => localStorage.setItem('griot.token', token)", here.token(AWA))
    page.reload()
    expect(page.locator("#balance")).to_have_text("50")
    return page


def ask(page: Page, text: str) -> None:
    page.get_by_label("Ton message").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".mine").last).to_have_text(text)
    expect(page.locator("#log")).not_to_have_attribute("aria-busy", "true")


def ask_quiz(page: Page, model: FakeModel) -> None:
    model.add(reply("", ("interactive_quiz", json.dumps(QUIZ))), reply(""))
    ask(page, "Un quiz")


def test_options_that_are_formulas_have_names(page: Page, model: FakeModel) -> None:
    ask_quiz(page, model)
    for name in ("20/2", "√28", "x^2 ou x_1"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    no_serious_fault(page)
    page.get_by_role("button", name="√28").click()
    expect(page.get_by_role("button", name="√28 (ta réponse)")).to_be_visible()


def test_the_right_answer_is_drawn_as_its_option_is(page: Page, model: FakeModel) -> None:
    ask_quiz(page, model)
    page.get_by_role("button", name="√28").click()
    verdict = page.locator(".verdict")
    expect(verdict.locator("b mfrac")).to_have_count(1)
    expect(verdict).not_to_contain_text("$")
    screenshot(page, "chat-quiz-formula")


def test_the_solution_of_an_exercise_is_drawn(page: Page, model: FakeModel) -> None:
    model.add(reply("", ("give_exercise", json.dumps(EXERCISE))), reply(""))
    ask(page, "Un exercice")
    page.get_by_label("Ta réponse").fill("5/6")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("Bravo")
    expect(page.locator(".verdict")).not_to_contain_text("$")
