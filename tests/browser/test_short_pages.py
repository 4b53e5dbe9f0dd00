"""A learner whose phone cannot answer SMS uses links alone, in a browser without script."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.griot import Griot, griot
from tests.support.browser_pages import MakePage, no_fault, no_small_target, screenshot
from tests.support.fakes import FakeModel, reply

pytestmark = pytest.mark.browser
QUIZ: dict[str, Any] = {
    "question": "Quelle est la capitale du Mali ?",
    "options": ["Bamako", "Dakar, la grande ville au bord de l'océan", "Niamey"],
    "correct_index": 0,
    "explanation": "Bamako est sur le fleuve **Niger**.",
}
LESSON = r"""# La photosynthèse
La plante prend de la lumière, de l'eau et du gaz carbonique. Elle en fait du **sucre**.

1. Les feuilles captent la lumière.
2. Les racines puisent l'eau.

$$6\,\mathrm{CO_2} + 6\,\mathrm{H_2O} \to \mathrm{C_6H_{12}O_6} + 6\,\mathrm{O_2}$$

| Entre | Sort |
|---|---|
| eau, gaz carbonique | sucre, dioxygène |

> Sans lumière, pas de sucre.

"""
LONG = LESSON + "\n\n".join(
    f"Étape {n} : la sève porte le sucre des feuilles vers toutes les parties de la plante."
    for n in range(90)
)
IVORIAN, GAMBIAN = "+2250701020304", "+2203001234"
Start = Callable[[], Griot]


@pytest.fixture
def start(sqlite_template: Path, tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as stack:

        def run() -> Griot:
            database = tmp_path / "griot.db"
            shutil.copy(sqlite_template, database)
            asked = reply("", ("interactive_quiz", json.dumps(QUIZ)))
            model = FakeModel(asked, reply(""), reply(LONG))
            return stack.enter_context(
                griot(database, model, rate_limit_per_minute=0, sms_one_way="CI,GM")
            )

        yield run


def ask(here: Griot, words: str, number: str = IVORIAN) -> str:
    """Write an SMS; the next one that the phone shows."""
    before = len(here.twilio.chat(number, "sms"))
    here.portal.call(here.twilio.say, number, words)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        shown = here.twilio.chat(number, "sms")
        if len(shown) > before:
            return shown[before].body
        time.sleep(0.05)
    raise AssertionError("no SMS came")


def link(text: str, route: str) -> str:
    [found] = re.findall(rf"http://\S+/{route}/\S+", text)
    return found


def check(page: Page, name: str) -> None:
    """The page fits its screen, is small, and everyone can use it."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert len(page.content().encode()) < 15_000
    no_small_target(page)
    screenshot(page, f"short-{name}")


def test_a_quiz_a_long_answer_and_opting_out_by_links_alone(
    start: Start, make_page: MakePage
) -> None:
    here = start()
    page = make_page(java_script_enabled=False)
    quiz, lesson = ask(here, "un quiz"), ask(here, "la photosynthèse ?")
    page.goto(link(quiz, "q"))
    expect(page.get_by_text(QUIZ["question"][:20])).to_be_visible()
    page.get_by_role("button", name="Bamako").click()
    expect(page.get_by_text("Bravo")).to_be_visible()
    page.goto(link(lesson, "m"))
    expect(page.get_by_role("heading", name="La photosynthèse")).to_be_visible()
    while page.get_by_role("link", name="Lire la suite").count():
        page.get_by_role("link", name="Lire la suite").click()
    expect(page.get_by_text("Étape 89")).to_be_visible()
    page.get_by_role("link", name="Arrêter les SMS").click()
    page.get_by_role("button", name="Oui, arrêter les SMS").click()
    expect(page.get_by_role("heading", name="Griot ne t’envoie plus de SMS")).to_be_visible()
    page.get_by_role("button", name="Recevoir à nouveau les SMS").click()
    expect(page.get_by_role("heading", name="Te revoilà")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("number", [IVORIAN, GAMBIAN])
def test_every_page_fits_a_small_phone(
    start: Start, make_page: MakePage, number: str, scheme: str
) -> None:
    # Axe is a script, so it looks at a page whose policy is not applied.
    here = start()
    page = make_page(360, 640, color_scheme=scheme, bypass_csp=True)
    language = "fr" if number == IVORIAN else "en"
    ask(here, f"/language {language}", number)
    first = ask(here, "/help", number)
    quiz = ask(here, "un quiz", number)
    second = ask(here, "photosynthèse ?", number)
    third = ask(here, "/practice maths.money-fcfa", number)
    paths = {
        "quiz": (link(quiz, "q"), ""),
        "quiz-wrong": (link(quiz, "q"), "Niamey"),
        "message": (link(second, "m"), ""),
        "exercise": (link(third, "q"), ""),
        "hint": (link(third, "q"), "Hint|Indice"),
        "solution": (link(third, "q"), "Solution"),
        "stop": (link(first, "stop"), ""),
        "stopped": (link(first, "stop"), "Yes|Oui"),
    }
    for name, (path, button) in paths.items():
        page.goto(path)
        assert page.locator("html").get_attribute("lang") == language
        if button:
            page.get_by_role("button", name=re.compile(button)).first.click()
        check(page, f"{name}-{language}-{scheme}")
        no_fault(page)
