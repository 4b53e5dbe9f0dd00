"""Cards in the chat whose texts hold formulas, and what is wider than its place."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.griot import Griot, ask, griot, open_logged_in
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
TABLE = """
| Poste | Janvier | Février | Mars | Avril |
|---|---:|---:|---:|---:|
| Loyer de la boutique au marché de Treichville | 75 000 | 75 000 | 75 000 | 75 000 |

| a | b |
|---|---|
| 1 | 2 |
"""


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


def test_a_verdict_is_seen_without_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 480})
    ask(page, "/exercice maths.money-fcfa")
    page.get_by_label("Ta réponse").fill("1")
    page.keyboard.press("Enter")
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("essaie encore")
    page.wait_for_timeout(100)
    box, dock = verdict.bounding_box(), page.locator(".dock").bounding_box()
    assert box is not None
    assert dock is not None
    assert box["y"] + box["height"] <= dock["y"]


def test_the_conversation_alone_scrolls(page: Page, model: FakeModel) -> None:
    """Words for screen readers alone, far below the screen, make the page no longer."""
    for _ in range(3):
        ask_quiz(page, model)
        page.get_by_role("button", name="√28").last.click()
        expect(page.locator(".verdict").last).to_contain_text("10")
    height = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert height[0] <= height[1]


def test_a_table_that_goes_on_beyond_its_place_fades_at_the_edge(
    page: Page, model: FakeModel
) -> None:
    model.add(reply(TABLE))
    ask(page, "Mes dépenses")
    fade = "table => parseFloat(getComputedStyle(table).getPropertyValue('--fade'))"
    wide, narrow = page.locator(".scroll").all()
    assert wide.evaluate(fade) > 0
    assert narrow.evaluate(fade) == 0
    wide.evaluate("table => table.scrollTo(10_000, 0)")
    page.wait_for_timeout(100)
    assert wide.evaluate(fade) == 0


def test_a_long_cell_is_no_tower_of_words(page: Page, model: FakeModel) -> None:
    model.add(reply(TABLE))
    ask(page, "Mes dépenses")
    row = page.get_by_role("row", name=re.compile("^Loyer")).bounding_box()
    assert row is not None
    assert row["height"] < 130
